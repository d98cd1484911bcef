//! Stance judge that consults the cache first.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
};

use nightfold_memory::{JudgeError, StanceJudge, StancePair, StanceReply, Verdict};

use super::{
    VectorCache,
    record::{CacheKey, KeyHasher, VerdictRecord},
};

/// Stance judge that judges only pairs without a cached verdict.
///
/// Verdicts are in the same file as vectors, under a hash of both texts and of everything that decides their
/// bits. A pair whose verdict is damaged or missing is judged again; a pair has the same verdict with and
/// without a cache.
#[derive(Debug)]
pub struct CachedJudge<J> {
    inner: J,
    cache: VectorCache,
    keys: KeyHasher,
    /// True once a warning was given that nothing can be stored.
    warned: AtomicBool,
}

impl<J: StanceJudge> CachedJudge<J> {
    /// Puts a cache before `inner`. `made_by` identifies everything except the judge's name that decides the
    /// bits of a verdict.
    pub fn new(inner: J, cache: VectorCache, made_by: &str) -> Self {
        let keys = KeyHasher::of_verdicts(inner.name(), made_by);
        Self { inner, cache, keys, warned: AtomicBool::new(false) }
    }

    /// The judge behind the cache.
    pub fn inner(&self) -> &J {
        &self.inner
    }

    fn find(&self, keys: &[CacheKey]) -> Vec<Option<Verdict>> {
        let lengths = VerdictRecord::LENGTH..=VerdictRecord::LENGTH;
        self.cache.find(keys, &lengths, VerdictRecord::read).rows
    }
}

impl<J: StanceJudge> StanceJudge for CachedJudge<J> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn max_batch(&self) -> usize {
        self.inner.max_batch()
    }

    fn judge(&self, pairs: &[StancePair<'_>], tokens: usize) -> StanceReply {
        let keys: Vec<CacheKey> =
            pairs.iter().map(|pair| self.keys.of_pair(pair.older, pair.newer)).collect();
        let kept = self.find(&keys);
        // Each pair once, in the order of the first time it is asked about.
        let mut places: BTreeMap<&CacheKey, usize> = BTreeMap::new();
        let mut asked: Vec<StancePair<'_>> = Vec::new();
        for (at, pair) in pairs.iter().enumerate() {
            if kept[at].is_none() {
                places.entry(&keys[at]).or_insert_with(|| {
                    asked.push(*pair);
                    asked.len() - 1
                });
            }
        }
        let mut reply = StanceReply { verdicts: Vec::with_capacity(pairs.len()), tokens: 0 };
        let judged = if asked.is_empty() {
            Vec::new()
        } else {
            let judged = self.inner.judge(&asked, tokens);
            reply.tokens = judged.tokens;
            judged.verdicts
        };
        let records: Vec<(CacheKey, Vec<u8>)> = places
            .iter()
            .filter_map(|(key, at)| Some((**key, VerdictRecord::write(key, judged.get(*at)?.as_ref().ok()?))))
            .collect();
        if !records.is_empty()
            && let Err(error) = self.cache.keep(&records)
            && !self.warned.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(%error, "verdicts cannot be kept for later runs; this one goes on");
        }
        // The first pair gets the error itself; another pair of the same texts gets one in words.
        let mut judged: Vec<Option<Result<Verdict, JudgeError>>> = judged.into_iter().map(Some).collect();
        for (at, kept) in kept.into_iter().enumerate() {
            let Some(verdict) = kept else {
                let Some(slot) = places.get(&keys[at]).and_then(|place| judged.get_mut(*place)) else {
                    break;
                };
                reply.verdicts.push(match slot {
                    Some(Ok(verdict)) => Ok(*verdict),
                    slot => {
                        slot.take().unwrap_or_else(|| Err(JudgeError::Run("judged once, and failed".into())))
                    }
                });
                continue;
            };
            reply.verdicts.push(Ok(verdict));
        }
        reply
    }
}

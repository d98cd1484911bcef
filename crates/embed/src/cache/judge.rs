//! A stance judge that looks into the cache first.

use std::{
    collections::BTreeMap,
    sync::{
        PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use nightfold_memory::{JudgeError, StanceJudge, StancePair, StanceReply, Verdict};

use super::{
    VectorCache,
    file::{self, is_damaged},
    record::{Key, Keys, Ruling},
};

/// A judge that judges no pair whose verdict is kept.
///
/// Verdicts stand in the same file as vectors, found by both texts and by what decides their bits. A verdict that is damaged or
/// missing is made again; with a cache and without, a pair has the same verdict.
#[derive(Debug)]
pub struct CachedJudge<J> {
    inner: J,
    cache: VectorCache,
    keys: Keys,
    /// True once it was said that nothing can be kept.
    warned: AtomicBool,
}

impl<J: StanceJudge> CachedJudge<J> {
    /// `inner` behind a cache. `made_by` is what decides the bits of a verdict beside the judge's name.
    pub fn new(inner: J, cache: VectorCache, made_by: &str) -> Self {
        let keys = Keys::of_verdicts(inner.name(), made_by);
        Self { inner, cache, keys, warned: AtomicBool::new(false) }
    }

    /// The judge behind the cache.
    pub fn inner(&self) -> &J {
        &self.inner
    }

    fn find(&self, keys: &[Key]) -> Vec<Option<Verdict>> {
        let file = self.cache.file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = vec![None; keys.len()];
        for (key, verdict) in keys.iter().zip(&mut found) {
            let read = |record: Option<&[u8]>| record.and_then(|bytes| Ruling::read(key, bytes));
            match file::read(&file, key, Ruling::LENGTH, read) {
                Ok(kept) => *verdict = kept.flatten(),
                Err(error) if is_damaged(&error) => self.cache.damaged.store(true, Ordering::Relaxed),
                Err(error) => {
                    tracing::warn!(%error, "the cache of verdicts cannot be read; pairs are judged instead");
                    break;
                }
            }
        }
        found
    }
}

impl<J: StanceJudge> StanceJudge for CachedJudge<J> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn most_at_once(&self) -> usize {
        self.inner.most_at_once()
    }

    fn judge(&self, pairs: &[StancePair<'_>], tokens: usize) -> StanceReply {
        let keys: Vec<Key> = pairs.iter().map(|pair| self.keys.of_pair(pair.older, pair.newer)).collect();
        let kept = self.find(&keys);
        // Each pair once, in the order of the first time it is asked about.
        let mut places: BTreeMap<&Key, usize> = BTreeMap::new();
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
        let records: Vec<(Key, Vec<u8>)> = places
            .iter()
            .filter_map(|(key, at)| Some((**key, Ruling::write(key, judged.get(*at)?.as_ref().ok()?))))
            .collect();
        if !records.is_empty()
            && let Err(error) = self.cache.keep(&records)
            && !self.warned.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(%error, "verdicts cannot be kept for later runs; this one goes on");
        }
        // An error is given to the first pair that met it; another pair of the same texts is told the same in words.
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

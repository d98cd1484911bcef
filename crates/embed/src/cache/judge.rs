//! Stance judge that consults the cache first.

use std::collections::BTreeMap;

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
}

impl<J: StanceJudge> CachedJudge<J> {
    /// Puts a cache before `inner`. `made_by` identifies everything except the judge's name that decides the
    /// bits of a verdict.
    pub fn new(inner: J, cache: VectorCache, made_by: &str) -> Self {
        let keys = KeyHasher::of_verdicts(inner.name(), made_by);
        Self { inner, cache, keys }
    }

    /// The judge behind the cache.
    pub fn inner(&self) -> &J {
        &self.inner
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
        let cached = self.cache.find(&keys, &VerdictRecord::LENGTHS, VerdictRecord::read).rows;
        let mut verdicts: Vec<Option<Result<Verdict, JudgeError>>> =
            cached.into_iter().map(|verdict| verdict.map(Ok)).collect();
        // Each pair once, in the order of the first time it is asked about.
        let mut first: BTreeMap<&CacheKey, usize> = BTreeMap::new();
        let missing: Vec<usize> = (0..pairs.len())
            .filter(|&at| verdicts[at].is_none() && *first.entry(&keys[at]).or_insert(at) == at)
            .collect();
        let mut spent = 0;
        if !missing.is_empty() {
            let asked: Vec<StancePair<'_>> = missing.iter().map(|&at| pairs[at]).collect();
            let reply = self.inner.judge(&asked, tokens);
            spent = reply.tokens;
            let mut records = Vec::new();
            for (&at, verdict) in missing.iter().zip(reply.verdicts) {
                if let Ok(verdict) = &verdict {
                    records.push((keys[at], VerdictRecord::write(&keys[at], verdict)));
                }
                verdicts[at] = Some(verdict);
            }
            self.cache.keep(&records);
        }
        // The first pair gets the error itself; another pair of the same texts gets one in words.
        for at in 0..verdicts.len() {
            if verdicts[at].is_none() {
                let same = first.get(&keys[at]).and_then(|&first| verdicts[first].as_ref());
                verdicts[at] = same.map(|verdict| match verdict {
                    Ok(verdict) => Ok(*verdict),
                    Err(_) => Err(JudgeError::Run("judged once, and failed".into())),
                });
            }
        }
        StanceReply { verdicts: verdicts.into_iter().map_while(|verdict| verdict).collect(), tokens: spent }
    }
}

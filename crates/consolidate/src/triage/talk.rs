//! Talk that the game did not rate is kept by its text, not by the number of its entries: those memories stay that are
//! worth most for the length of what tells them, up to `budget.text` of all such talk.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{Reason, Rule};
use serde::{Deserialize, Serialize};

use super::{
    excerpt::TalkSentences,
    triager::{Bucket, BucketKind, ChunkGroup, TriageDecision, Triager},
};
use crate::{linkage::LinkageGroup, salience::is_unrated_talk};

/// Length in characters that is added to that of every memory, so that few words are no merit by themselves.
const BASE_CHARS: f64 = 60.0;

/// Lengths in characters of the talk that the text budget limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct TalkText {
    pub(crate) chars: usize,
    /// Number of characters that stay.
    pub(crate) kept: usize,
}

/// Unrated talk of a day, set apart from what the storage budget counts.
pub(super) struct Talk {
    /// Number of memories.
    pub(super) memories: usize,
    /// True if excerpts are taken; on a day with little talk all of it stays whole.
    pub(super) in_excerpts: bool,
    /// Sentences of each memory.
    sentences: BTreeMap<usize, TalkSentences>,
    /// First rows of the groups that stay.
    heard: BTreeSet<usize>,
    /// Least worth for its length of a group that stays.
    least_worth: f64,
    /// Number of characters that may stay beside the sentences that tell what stays.
    spare_chars: usize,
}

impl Talk {
    /// Returns the number of talk groups of a bucket that stay.
    pub(super) fn heard_in(&self, bucket: &Bucket) -> usize {
        bucket.talk.iter().filter(|group| self.is_heard(group)).count()
    }

    /// Returns the number of talk groups that stay.
    pub(super) fn heard(&self) -> usize {
        self.heard.len()
    }

    fn is_heard(&self, group: &LinkageGroup) -> bool {
        self.heard.contains(&group.members[0])
    }

    /// Returns the length of all memories.
    pub(super) fn chars(&self) -> usize {
        self.sentences.values().map(TalkSentences::whole_chars).sum()
    }

    /// Splits into the sentences of the memories that stay, and the number of characters that may stay beside
    /// those that tell them.
    pub(super) fn into_sentences(self, buckets: &[Bucket]) -> (BTreeMap<usize, TalkSentences>, usize) {
        let heard = buckets.iter().flat_map(|bucket| &bucket.talk).filter(|group| self.is_heard(group));
        let rows: BTreeSet<usize> = heard.flat_map(|group| group.members.iter().copied()).collect();
        let sentences = self.sentences.into_iter().filter(|(row, _)| rows.contains(row)).collect();
        (sentences, self.spare_chars)
    }
}

impl Triager<'_> {
    /// Sets the unrated talk of the buckets apart, unless it must be kept, and decides what of it stays.
    pub(super) fn set_talk_apart(&self, buckets: &mut [Bucket]) -> Talk {
        for bucket in buckets.iter_mut().filter(|bucket| bucket.kind != BucketKind::Status) {
            let is_talk = |group: &LinkageGroup| {
                let unrated = |&row: &usize| is_unrated_talk(&self.distinct[row]);
                group.members.iter().all(unrated) && !self.is_required(group)
            };
            (bucket.talk, bucket.items) = std::mem::take(&mut bucket.items).into_iter().partition(is_talk);
        }
        let groups: Vec<&LinkageGroup> = buckets.iter().flat_map(|bucket| &bucket.talk).collect();
        self.heard(&groups)
    }

    /// Decides which groups of talk stay.
    fn heard(&self, groups: &[&LinkageGroup]) -> Talk {
        let rows: Vec<usize> = groups.iter().flat_map(|group| &group.members).copied().collect();
        let least = self.config.budget.min_kept;
        let mut talk = Talk {
            memories: rows.len(),
            in_excerpts: rows.len() > least,
            sentences: self.talk_sentences(&rows),
            heard: groups.iter().map(|group| group.members[0]).collect(),
            least_worth: 0.0,
            spare_chars: 0,
        };
        if !talk.in_excerpts {
            return talk;
        }
        let ranked = groups.iter().map(|group| {
            let (worth, chars) = self.worth(group, &talk.sentences);
            (worth, group.members[0], chars)
        });
        let mut ranked: Vec<(f64, usize, usize)> = ranked.collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        talk.spare_chars = (self.config.budget.text * self.share * talk.chars() as f64) as usize;
        talk.heard.clear();
        for (worth, row, chars) in ranked {
            if chars <= talk.spare_chars || talk.heard.len() < least {
                talk.spare_chars = talk.spare_chars.saturating_sub(chars);
                talk.heard.insert(row);
                talk.least_worth = worth;
            }
        }
        talk
    }

    /// Returns the worth of a group of talk, and the number of characters that it takes: its keep score by the cube root of
    /// its length, and nothing for what only greets or agrees. Long turns hold more, but not in proportion. Of the roots tried, this one kept most of what is asked later, on
    /// short messages and on long ones (`evaluate retention`).
    fn worth(&self, group: &LinkageGroup, sentences: &BTreeMap<usize, TalkSentences>) -> (f64, usize) {
        let of_group = || group.members.iter().filter_map(|row| sentences.get(row));
        let chars: usize = of_group().map(TalkSentences::least_chars).sum();
        if !of_group().any(TalkSentences::says_something) {
            return (0.0, chars);
        }
        (self.keep_score(group) / (BASE_CHARS + chars as f64).cbrt(), chars)
    }

    /// Decides on the talk of a bucket.
    pub(super) fn fit_talk(
        &self,
        bucket: &Bucket,
        talk: &Talk,
        fates: &mut [Option<TriageDecision>],
        groups: &mut Vec<ChunkGroup>,
    ) {
        for group in &bucket.talk {
            let score = self.keep_score(group);
            let (worth, chars) = self.worth(group, &talk.sentences);
            let weighed = |rule| {
                Reason::new(rule)
                    .with("keep_score", score)
                    .with("chars", chars)
                    .with("worth", worth)
                    .with("least_worth", talk.least_worth)
            };
            if talk.is_heard(group) {
                let reason = match group.members.as_slice() {
                    &[row] => self.with_salience(row, weighed(Rule::WithinText)),
                    _ => self.synthesis_reason(group, bucket, bucket.talk.len()),
                };
                self.keep(group, bucket, reason, fates, groups);
            } else {
                let reason = weighed(Rule::OverText);
                group.members.iter().for_each(|&row| {
                    fates[row] = Some(TriageDecision::Prune(self.with_salience(row, reason.clone())));
                });
            }
        }
    }
}

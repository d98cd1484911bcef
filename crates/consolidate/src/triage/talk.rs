//! Talk that the game did not rate is kept by its text, not by the number of its entries: those memories stay whole that
//! are worth most for their length, up to `budget.text` of all such talk.

use std::collections::BTreeSet;

use nightfold_memory::{Reason, Rule};
use serde::{Deserialize, Serialize};

use super::triager::{Bucket, BucketKind, ChunkGroup, TriageDecision, Triager};
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
#[derive(Default)]
pub(super) struct Talk {
    /// Number of memories.
    pub(super) memories: usize,
    pub(super) text: TalkText,
    /// First rows of the groups that stay.
    heard: BTreeSet<usize>,
    /// Least worth for its length of a group that stays.
    least_worth: f64,
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
}

/// Group of talk with what it takes and is worth.
struct WeighedGroup {
    first: usize,
    chars: usize,
    worth: f64,
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

    /// Decides which groups of talk stay: the worthiest of which each still has room, and as many as a night may keep at
    /// least, however long they are.
    fn heard(&self, groups: &[&LinkageGroup]) -> Talk {
        let mut ranked: Vec<WeighedGroup> = groups.iter().map(|group| self.weighed(group)).collect();
        ranked.sort_by(|a, b| b.worth.total_cmp(&a.worth).then(a.first.cmp(&b.first)));
        let memories = groups.iter().map(|group| group.members.len()).sum();
        let chars = ranked.iter().map(|group| group.chars).sum();
        let mut left = (self.config.budget.text * self.share * chars as f64) as usize;
        let (mut heard, over): (Vec<WeighedGroup>, Vec<WeighedGroup>) =
            ranked.into_iter().partition(|group| {
                let rest = left.checked_sub(group.chars);
                left = rest.unwrap_or(left);
                rest.is_some()
            });
        let lacking = self.config.budget.min_kept.saturating_sub(heard.len());
        heard.extend(over.into_iter().take(lacking));
        Talk {
            memories,
            text: TalkText { chars, kept: heard.iter().map(|group| group.chars).sum() },
            least_worth: heard.iter().map(|group| group.worth).reduce(f64::min).unwrap_or(0.0),
            heard: heard.into_iter().map(|group| group.first).collect(),
        }
    }

    fn chars(&self, group: &LinkageGroup) -> usize {
        group.members.iter().map(|&row| self.distinct[row].text.chars().count()).sum()
    }

    /// Weighs a group of talk: its keep score by the cube root of its length. Long turns hold more, but not in
    /// proportion.
    fn weighed(&self, group: &LinkageGroup) -> WeighedGroup {
        let chars = self.chars(group);
        let worth = self.keep_score(group) / (BASE_CHARS + chars as f64).cbrt();
        WeighedGroup { first: group.members[0], chars, worth }
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
            let WeighedGroup { chars, worth, .. } = self.weighed(group);
            let weighed = |rule| {
                Reason::new(rule)
                    .with("keep_score", self.keep_score(group))
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

//! Fits a cluster to its storage budget: decides which memories are kept, merged or pruned.

use nightfold_memory::{Reason, Rule};

use super::triager::{Bucket, BucketKind, ChunkGroup, TriageDecision, Triager};
use crate::linkage::LinkageGroup;

/// Importance points by which a status with several readings goes before a single memory: its last reading is
/// the state of something that changes.
const READINGS_POINTS: f64 = 1.5;

impl Triager<'_> {
    /// Returns the keep score of a memory in importance points: its salience, higher for a status with several
    /// readings.
    pub(super) fn score_of(&self, row: usize) -> f64 {
        let readings = if self.distinct[row].readings.is_some() { READINGS_POINTS } else { 0.0 };
        self.saliences[row].total + readings
    }

    /// Returns the keep score of a group: the highest of its members' scores.
    pub(super) fn keep_score(&self, group: &LinkageGroup) -> f64 {
        group.members.iter().map(|&row| self.score_of(row)).fold(0.0, f64::max)
    }

    /// Returns a reason with the salience of a memory.
    pub(super) fn with_salience(&self, row: usize, reason: Reason) -> Reason {
        self.saliences[row].noted_in(reason)
    }

    /// Ranks groups: required ones first, then by descending keep score.
    pub(super) fn ranked<'b>(&self, items: &'b [LinkageGroup]) -> Vec<(bool, f64, &'b LinkageGroup)> {
        let mut ranked: Vec<(bool, f64, &LinkageGroup)> =
            items.iter().map(|g| (self.is_required(g), self.keep_score(g), g)).collect();
        ranked.sort_by(|a, b| {
            b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.members[0].cmp(&b.2.members[0]))
        });
        ranked
    }

    /// Merges the groups of a bucket that is over its share, the closest first, until they fit or no two are similar
    /// enough.
    pub(super) fn merge_over_budget(&self, bucket: &mut Bucket, share: usize) {
        // Each status is a subject of its own.
        if bucket.kind == BucketKind::Status || bucket.items.len() <= share {
            return;
        }
        // Important memories stay in their own words; only the rest is merged.
        let (required, open): (Vec<_>, Vec<_>) =
            std::mem::take(&mut bucket.items).into_iter().partition(|group| self.is_required(group));
        let until = share.saturating_sub(required.len()).max(1);
        // Two memories that rank above the last one with room stay as they are: their synthesis would only make room for less.
        let mut scores: Vec<f64> = open.iter().map(|group| self.keep_score(group)).collect();
        scores.sort_by(|a, b| b.total_cmp(a));
        let last_with_room = scores.get(until - 1).copied().unwrap_or(f64::INFINITY);
        let has_room = |row: usize| self.score_of(row) > last_with_room;
        bucket.items = self.merge(open, self.config.triage.similar_over_budget, until, |i, j| {
            has_room(i) && has_room(j) || self.cannot_link(i, j)
        });
        bucket.items.extend(required);
        bucket.items.sort_by_key(|group| group.members[0]);
    }

    /// Fits a bucket to its share of the budget, and decides on all memories left in it.
    pub(super) fn fit_to_budget(
        &self,
        bucket: &Bucket,
        share: usize,
        fates: &mut [Option<TriageDecision>],
        groups: &mut Vec<ChunkGroup>,
    ) {
        let ranked = self.ranked(&bucket.items);
        let cut = ranked.len().min(share);
        let lowest_kept = ranked[..cut].last().map_or(0.0, |(_, score, _)| *score);
        let kept: Vec<usize> =
            ranked[..cut].iter().flat_map(|(_, _, group)| &group.members).copied().collect();
        for (rank, (_, score, group)) in ranked.into_iter().enumerate() {
            if rank >= cut {
                let mut reason = Reason::new(Rule::OverBudget)
                    .with("keep_score", score)
                    .with("lowest_kept", lowest_kept)
                    .with("budget", share);
                if let Some(nearest) = self.nearest(group.members[0], &kept) {
                    reason = reason.with("nearest", self.distinct[nearest].id.as_str());
                }
                group.members.iter().for_each(|&i| {
                    fates[i] = Some(TriageDecision::Prune(self.with_salience(i, reason.clone())));
                });
            } else {
                let reason = match group.members.as_slice() {
                    &[row] => self.with_salience(row, self.storage_reason(row, share, score)),
                    _ => self.synthesis_reason(group, bucket, share),
                };
                self.keep(group, bucket, reason, fates, groups);
            }
        }
    }

    /// Returns that of the kept memories which is most like another one, if it is like it at all.
    fn nearest(&self, row: usize, kept: &[usize]) -> Option<usize> {
        let cosine = |other: usize| self.gram.cosine(row, other);
        // Of equally near ones the first.
        let nearest = kept.iter().rev().copied().max_by(|&a, &b| cosine(a).total_cmp(&cosine(b)));
        nearest.filter(|&other| f64::from(cosine(other)) >= self.config.triage.similar_over_budget)
    }

    /// Keeps a group of a bucket: one memory in its own words, several in a synthesis.
    pub(super) fn keep(
        &self,
        group: &LinkageGroup,
        bucket: &Bucket,
        reason: Reason,
        fates: &mut [Option<TriageDecision>],
        groups: &mut Vec<ChunkGroup>,
    ) {
        let mut reason = reason;
        if let &[row] = group.members.as_slice() {
            let Some(readings) = &self.distinct[row].readings else {
                fates[row] = Some(TriageDecision::Store(reason));
                return;
            };
            // Synthesized with its values: the words of one reading would present an old number as the latest.
            let kept_as = reason.rule.as_str();
            reason = Reason { rule: Rule::StatusRepeat, ..reason }
                .with("phase", readings.phase.as_str())
                .with("readings", 1 + readings.others.len())
                .with("kept_as", kept_as);
        }
        group.members.iter().for_each(|&row| fates[row] = Some(TriageDecision::Chunk(groups.len())));
        groups.push(ChunkGroup { members: group.members.clone(), cluster: bucket.cluster(), reason });
    }

    /// Returns why several memories become one synthesis.
    pub(super) fn synthesis_reason(&self, group: &LinkageGroup, bucket: &Bucket, share: usize) -> Reason {
        let settings = &self.config.triage;
        let similar = bucket.similar.contains(group);
        let rule = if similar { Rule::Similar } else { Rule::OverBudgetCohesive };
        let threshold = if similar { settings.similar } else { settings.similar_over_budget };
        let mut reason = Reason::new(rule)
            .with("similarity", group.similarity)
            .with("similar_from", threshold)
            .with("memories", group.members.len());
        if !similar {
            reason = reason.with("budget", share);
        }
        // The first of the members of the highest score stands for all.
        let best = group
            .members
            .iter()
            .copied()
            .reduce(|best, row| if self.score_of(row) > self.score_of(best) { row } else { best });
        best.into_iter().fold(reason, |reason, row| self.with_salience(row, reason))
    }

    fn storage_reason(&self, row: usize, share: usize, score: f64) -> Reason {
        let memory = &self.distinct[row];
        let importance = memory.importance.get();
        if memory.pinned {
            return Reason::new(Rule::Pinned);
        }
        if importance >= self.config.triage.important {
            return Reason::new(Rule::Important)
                .with("importance", u32::from(importance))
                .with("important_from", u32::from(self.config.triage.important));
        }
        if self.revision.required.contains(&row) {
            return Reason::new(Rule::ChangesBelief);
        }
        Reason::new(Rule::WithinBudget).with("keep_score", score).with("budget", share)
    }
}

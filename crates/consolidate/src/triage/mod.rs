//! Triage: decides whether each memory is stored, merged into a synthesis, counted as corroboration of an
//! older entry, or pruned.

mod condensed;
mod spend;
mod talk;
mod triager;

use nightfold_memory::{CohesionParts, Reason, Rule, SynthesisSource};
use serde::{Deserialize, Serialize};

use self::triager::{Bucket, BucketKind};
pub(crate) use self::{
    talk::TalkText,
    triager::{ChunkGroup, TriageDecision, Triager},
};
use crate::{
    budget::{StorageClaim, storage_budgets},
    canonical_day::are_namesakes,
    cluster::Clustering,
    linkage::{Bounds, LinkageGroup, complete_linkage},
    themes::ThemeRecurrence,
};

/// Difference of importance from which a memory that was pruned for one that was kept counts as an inversion.
const INVERSION: u8 = 3;

/// A theme of the day with its storage budget.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TriagedCluster {
    pub(crate) members: Vec<usize>,
    pub(crate) cohesion: f64,
    pub(crate) parts: CohesionParts,
    pub(crate) recurring: ThemeRecurrence,
    pub(crate) storage_budget: usize,
}

/// Result of triage for a whole day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Triage {
    /// One decision for each distinct memory.
    pub(crate) fates: Vec<TriageDecision>,
    pub(crate) groups: Vec<ChunkGroup>,
    pub(crate) themes: Vec<TriagedCluster>,
    pub(crate) loose: Vec<usize>,
    /// Total number of entries that the night may keep.
    pub(crate) storage_budget: usize,
    /// Number of entries over the budget because they are required.
    pub(crate) overrun_by_musts: usize,
    /// Number of memories pruned for lack of room although one was kept that is at least
    /// [`INVERSION`] points less important.
    pub(crate) inversions: usize,
    /// Length of the talk that the text budget limits.
    pub(crate) talk: TalkText,
}

impl Triager<'_> {
    /// Decides on every memory of the day. `parts` holds the parts of each cluster's cohesion.
    pub(crate) fn triage(&self, clustering: Clustering, parts: &[CohesionParts]) -> Triage {
        let n = self.distinct.len();
        let mut fates: Vec<Option<TriageDecision>> = vec![None; n];
        for (&row, (id, reason)) in &self.revision.confirms {
            fates[row] = Some(TriageDecision::Corroborate(id.clone(), reason.clone()));
        }
        for (&row, (_, reason)) in &self.revision.outdated {
            fates[row] = Some(TriageDecision::Outdated(reason.clone()));
        }

        let condensed = self.keep_condensed(&mut fates);
        let mut buckets = self.buckets(&clustering, parts);
        for bucket in &mut buckets {
            self.group_and_prune(bucket, &mut fates);
        }

        let talk = self.set_talk_apart(&mut buckets);
        let n = n - talk.memories - condensed.len();
        let required: usize = buckets.iter().map(|b| self.required(b)).sum();
        // 0.57 of 100 is 57, even if the product is rounded down.
        let part = |of: f64| (of * self.share + 1e-9).floor() as usize;
        let budget = &self.config.budget;
        let share_of_day = part(budget.storage * n as f64).max(usize::from(n > 0)).min(n);
        let min_kept = part(budget.min_kept as f64);
        // Important entries never take all the room.
        let storage_budget = share_of_day.max(min_kept.max(required + min_kept.min(1)).min(n));
        let claims: Vec<StorageClaim> = buckets.iter().map(|bucket| self.storage_claim(bucket)).collect();
        let shares = storage_budgets(storage_budget, &claims, budget);
        for (bucket, &share) in buckets.iter_mut().zip(&shares) {
            self.merge_over_budget(bucket, share);
        }
        let overrun_by_musts = required.saturating_sub(share_of_day);

        let mut groups = Vec::new();
        for (bucket, &share) in buckets.iter().zip(&shares) {
            self.fit_to_budget(bucket, share, &mut fates, &mut groups);
            self.fit_talk(bucket, &talk, &mut fates, &mut groups);
        }

        let themes = buckets
            .iter()
            .zip(&shares)
            .filter(|(b, _)| b.cluster().is_some())
            .map(|(b, &share)| TriagedCluster {
                members: b.members.clone(),
                cohesion: b.cohesion,
                parts: b.parts,
                recurring: b.recurring,
                storage_budget: share + talk.heard_in(b) + b.number_of(&condensed),
            })
            .collect();
        // Every row is in exactly one bucket, and each bucket decides on all its rows.
        let fates: Vec<TriageDecision> = fates.into_iter().flatten().collect();
        let storage_budget = storage_budget + talk.heard() + condensed.len();
        let inversions = self.inversions(&fates);
        Triage {
            fates,
            groups,
            themes,
            loose: clustering.loose,
            overrun_by_musts,
            inversions,
            storage_budget,
            talk: talk.text,
        }
    }

    /// Counts the rated memories that found no room although one at least [`INVERSION`] points less important
    /// was kept in its own words without being required.
    fn inversions(&self, fates: &[TriageDecision]) -> usize {
        let rated = || (0..fates.len()).filter(|&row| self.distinct[row].given);
        let importance = |row: usize| self.distinct[row].importance.get();
        let stored = |row: &usize| matches!(fates[*row], TriageDecision::Store(_)) && !self.must_keep(*row);
        let no_room = |row: &usize| matches!(&fates[*row], TriageDecision::Prune(reason) if reason.rule == Rule::OverBudget);
        let Some(least) = rated().filter(stored).map(importance).min() else { return 0 };
        rated().filter(no_room).filter(|&row| importance(row) >= least + INVERSION).count()
    }

    /// True if a memory must be kept in its own words: it is pinned, important or changes a belief.
    fn must_keep(&self, row: usize) -> bool {
        self.distinct[row].pinned
            || self.distinct[row].importance.get() >= self.config.triage.important
            || self.revision.required.contains(&row)
    }

    fn buckets(&self, clustering: &Clustering, parts: &[CohesionParts]) -> Vec<Bucket> {
        let cohesion = |parts: &CohesionParts| parts.weighted_mean(&self.config.cohesion);
        let recurring = self.theme_matcher.match_clusters(&clustering.clusters, &self.past.themes);
        let themes = clustering.clusters.iter().zip(parts).zip(recurring).enumerate().map(
            |(c, ((members, parts), recurring))| Bucket {
                parts: *parts,
                recurring,
                ..Bucket::new(BucketKind::Cluster(c), cohesion(parts), members.clone())
            },
        );
        let folded = (0..self.distinct.len()).filter(|&i| self.distinct[i].readings.is_some()).collect();
        let loose = Bucket::new(BucketKind::Loose, 0.0, clustering.loose.clone());
        let status = Bucket::new(BucketKind::Status, 0.0, folded);
        themes.chain([loose, status].into_iter().filter(|bucket| !bucket.members.is_empty())).collect()
    }

    /// Groups similar memories, and prunes unimportant ones that are in no theme.
    fn group_and_prune(&self, bucket: &mut Bucket, fates: &mut [Option<TriageDecision>]) {
        let settings = &self.config.triage;
        let (pinned, open): (Vec<_>, Vec<_>) = bucket
            .members
            .iter()
            .copied()
            .filter(|&i| fates[i].is_none())
            .partition(|&i| self.distinct[i].pinned || self.revision.required.contains(&i));
        let singles: Vec<LinkageGroup> = open.into_iter().map(LinkageGroup::single).collect();
        let mut items = if bucket.kind == BucketKind::Status {
            singles
        } else {
            self.merge(singles, settings.similar, 1, |i, j| self.cannot_link(i, j))
        };
        let prunes = bucket.kind == BucketKind::Loose && self.distinct.len() > self.config.budget.min_kept;
        let is_unimportant = |&row: &usize| self.distinct[row].importance.get() < settings.unimportant;
        items.retain(|item| {
            // However often it happened.
            if !prunes || !item.members.iter().all(is_unimportant) {
                return true;
            }
            for &row in &item.members {
                let reason = Reason::new(Rule::UnimportantLoose)
                    .with("importance", u32::from(self.distinct[row].importance.get()))
                    .with("unimportant_below", u32::from(settings.unimportant));
                fates[row] = Some(TriageDecision::Prune(self.with_salience(row, reason)));
            }
            false
        });
        items.extend(pinned.into_iter().map(LinkageGroup::single));
        items.sort_by_key(|g| g.members[0]);
        bucket.similar.clone_from(&items);
        bucket.items = items;
    }

    fn merge(
        &self,
        groups: Vec<LinkageGroup>,
        similar: f64,
        target_count: usize,
        cannot_link: impl Fn(usize, usize) -> bool,
    ) -> Vec<LinkageGroup> {
        let bounds = Bounds {
            min_similarity: similar,
            max_members: self.config.triage.max_group,
            max_chars: self.config.synthesis.max_chars,
        };
        let chars = |i: usize| self.selected_chars(i);
        complete_linkage(groups, self.gram, bounds, target_count, chars, cannot_link)
    }

    /// Returns the number of characters that a memory's selected readings add to a synthesis.
    fn selected_chars(&self, row: usize) -> usize {
        let told = self.distinct[row]
            .selected_readings(self.config.triage.max_group, self.config.synthesis.max_chars);
        told.iter().map(|d| d.text.chars().count()).sum()
    }

    /// True if two memories may not be merged: no text says what both say, one is talk and the other was lived, or they
    /// were given one id.
    fn cannot_link(&self, i: usize, j: usize) -> bool {
        let said = |row: usize| SynthesisSource {
            text: &self.distinct[row].text,
            analysis: &self.analyses[row],
            importance: self.distinct[row].importance.get(),
            verbatim: self.distinct[row].importance.get() >= self.config.triage.important,
            reading: false,
        };
        are_namesakes(self.distinct[i].named(), self.distinct[j].named())
            || self.distinct[i].is_talk() != self.distinct[j].is_talk()
            || [i, j].iter().any(|&row| self.is_condensed(row))
            || !self.pack.can_synthesize(&said(i), &said(j))
    }

    fn storage_claim(&self, bucket: &Bucket) -> StorageClaim {
        StorageClaim {
            theme: bucket.cluster().map(|_| self.weighed_cohesion(bucket)),
            scores: self.ranked(&bucket.items).iter().map(|(_, score, _)| *score).collect(),
            required: self.required(bucket),
        }
    }

    /// Returns the cohesion of a theme times its size; it counts for more if the theme was seen before.
    fn weighed_cohesion(&self, bucket: &Bucket) -> f64 {
        let recurring = if bucket.recurring.nights > 0 { self.config.budget.recurring } else { 1.0 };
        (bucket.cohesion.max(0.0) * recurring).min(1.0) * bucket.members.len() as f64
    }

    /// Returns the number of entries that a bucket must keep.
    fn required(&self, bucket: &Bucket) -> usize {
        bucket.items.iter().filter(|group| self.is_required(group)).count()
    }

    fn is_required(&self, group: &LinkageGroup) -> bool {
        group.members.iter().any(|&i| self.must_keep(i))
    }
}

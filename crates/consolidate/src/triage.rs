//! What becomes of each memory: stored, told with others, left to an older entry, or pruned.

use nightfold_memory::{CohesionParts, MemoryId, Past, Reason, Rule, ValidConfig, Vectors};
use serde::{Deserialize, Serialize};

use crate::{
    budget::{Asking, storage_budgets},
    cluster::Clustering,
    collapse::Distinct,
    gram::Gram,
    group::{Bounds, Group, merge},
    reconcile::Known,
    stance::conflicting,
    text::Analysis,
    themes::{Recurring, Tonight},
};

/// How much of a keep score importance makes; novelty makes the rest.
const IMPORTANCE_SHARE: f64 = 0.7;

/// Content words that make two unimportant memories one routine: "swept the room before", "swept the room again".
const ROUTINE: usize = 2;

/// What becomes of one distinct memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Fate {
    /// Kept in its own words.
    Store(Reason),
    /// Told in the synthesis of this number.
    Chunk(usize),
    /// An entry says it already.
    Corroborate(MemoryId, Reason),
    /// Archived.
    Prune(Reason),
}

/// Memories that one synthesis tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ChunkGroup {
    /// Rows, in order of time.
    pub(crate) members: Vec<usize>,
    /// The cluster they are of; `None` for loose ones.
    pub(crate) cluster: Option<usize>,
    pub(crate) reason: Reason,
}

/// A cluster with what it may cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Theme {
    pub(crate) members: Vec<usize>,
    pub(crate) cohesion: f64,
    pub(crate) parts: CohesionParts,
    pub(crate) recurring: Recurring,
    pub(crate) storage_budget: usize,
}

/// The outcome for a whole day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Triage {
    /// One for each distinct memory.
    pub(crate) fates: Vec<Fate>,
    pub(crate) groups: Vec<ChunkGroup>,
    pub(crate) themes: Vec<Theme>,
    pub(crate) loose: Vec<usize>,
    /// How many kept entries were allowed in all.
    pub(crate) storage_budget: usize,
    /// How many more than that the important ones took.
    pub(crate) overrun_by_musts: usize,
    /// How many more than that the floors of themes took.
    pub(crate) overrun_by_floors: usize,
}

/// What the memories of a bucket have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// A cluster, by its number.
    Theme(usize),
    /// Nothing: they are in no cluster.
    Loose,
    /// Each stands for the readings of one status, and so for a theme of its own.
    Status,
}

/// A cluster, all loose memories or all folded status lines together, while their fates are decided.
struct Bucket {
    sort: Sort,
    cohesion: f64,
    parts: CohesionParts,
    recurring: Recurring,
    members: Vec<usize>,
    /// What would be kept if there were no budget.
    items: Vec<Group>,
}

impl Bucket {
    fn cluster(&self) -> Option<usize> {
        match self.sort {
            Sort::Theme(cluster) => Some(cluster),
            Sort::Loose | Sort::Status => None,
        }
    }
}

pub(crate) struct Judge<'a> {
    pub(crate) distinct: &'a [Distinct],
    pub(crate) analyses: &'a [Analysis],
    pub(crate) vectors: &'a Vectors,
    pub(crate) gram: &'a Gram,
    pub(crate) past: &'a Past,
    pub(crate) config: &'a ValidConfig,
    pub(crate) tonight: Tonight<'a>,
    /// How much of its budgets the night is worth, 0 to 1.
    pub(crate) share: f64,
}

impl Judge<'_> {
    /// `parts` says what holds each cluster together.
    pub(crate) fn triage(&self, clustering: Clustering, parts: &[CohesionParts]) -> Triage {
        let n = self.distinct.len();
        let mut fates: Vec<Option<Fate>> = vec![None; n];
        let known = Known::new(self.past);
        for (i, memory) in self.distinct.iter().enumerate() {
            // One reading that is known says nothing of the others.
            if memory.readings.is_some() {
                continue;
            }
            let lossless = self.must_keep(i);
            fates[i] = known
                .said_by(memory, self.vectors.row(i), lossless, &self.config.reconcile)
                .map(|(id, reason)| Fate::Corroborate(id, reason));
        }

        let mut buckets = self.buckets(&clustering, parts);
        for bucket in &mut buckets {
            self.fill(bucket, &mut fates);
        }

        let allowed = self.config.budget.storage * self.share * n as f64;
        // 0.57 of 100 is 57, whatever the product rounds to.
        let storage_budget = ((allowed + 1e-9).floor() as usize).max(usize::from(n > 0));
        let asking: Vec<Asking> = buckets.iter().map(|b| self.asking(b)).collect();
        let musts: usize = asking.iter().map(|a| a.musts).sum();
        let shares = storage_budgets(storage_budget, &asking, &self.config.budget);
        let overrun_by_musts = musts.saturating_sub(storage_budget);

        let mut groups = Vec::new();
        for (bucket, &share) in buckets.iter_mut().zip(&shares) {
            self.spend(bucket, share, &mut fates, &mut groups);
        }

        let themes = buckets
            .iter()
            .zip(&shares)
            .filter(|(b, _)| b.cluster().is_some())
            .map(|(b, &share)| Theme {
                members: b.members.clone(),
                cohesion: b.cohesion,
                parts: b.parts,
                recurring: b.recurring.clone(),
                storage_budget: share,
            })
            .collect();
        Triage {
            // Every row is in exactly one bucket, and a bucket decides every row of its own.
            fates: fates.into_iter().flatten().collect(),
            groups,
            themes,
            loose: clustering.loose,
            overrun_by_musts,
            overrun_by_floors: shares.iter().sum::<usize>().saturating_sub(storage_budget + overrun_by_musts),
            storage_budget,
        }
    }

    /// Whose words may not be lost.
    fn must_keep(&self, row: usize) -> bool {
        self.distinct[row].pinned || self.distinct[row].importance.get() >= self.config.triage.important
    }

    fn buckets(&self, clustering: &Clustering, parts: &[CohesionParts]) -> Vec<Bucket> {
        let cohesion = |parts: &CohesionParts| parts.weighed(&self.config.cohesion);
        let clusters: Vec<(&[usize], f64)> = clustering
            .clusters
            .iter()
            .zip(parts)
            .map(|(members, parts)| (members.as_slice(), cohesion(parts)))
            .collect();
        let recurring = self.tonight.recognise(&clusters, &self.past.themes);
        let themes = clustering.clusters.iter().zip(parts).zip(recurring).enumerate().map(
            |(c, ((members, parts), recurring))| Bucket {
                sort: Sort::Theme(c),
                cohesion: cohesion(parts),
                parts: *parts,
                recurring,
                members: members.clone(),
                items: Vec::new(),
            },
        );
        let without_theme = |sort, cohesion, members: Vec<usize>| {
            let parts = CohesionParts::default();
            (!members.is_empty()).then_some(Bucket {
                sort,
                cohesion,
                parts,
                recurring: Recurring::PASSING,
                members,
                items: Vec::new(),
            })
        };
        let folded = (0..self.distinct.len()).filter(|&i| self.distinct[i].readings.is_some()).collect();
        let loose = without_theme(Sort::Loose, 0.0, clustering.loose.clone());
        // Readings of one thing are as cohesive as can be.
        let status = without_theme(Sort::Status, 1.0, folded);
        themes.chain(loose).chain(status).collect()
    }

    /// Groups what is similar, and prunes what is neither important nor part of anything.
    fn fill(&self, bucket: &mut Bucket, fates: &mut [Option<Fate>]) {
        let settings = &self.config.triage;
        let (pinned, open): (Vec<_>, Vec<_>) = bucket
            .members
            .iter()
            .copied()
            .filter(|&i| fates[i].is_none())
            .partition(|&i| self.distinct[i].pinned);
        let singles: Vec<Group> = open.into_iter().map(Group::single).collect();
        let mut items = if bucket.sort == Sort::Status {
            singles
        } else {
            self.merge(singles, settings.similar, 1, |i, j| self.would_mix(i, j))
        };
        items.retain(|item| {
            let &[row] = item.members.as_slice() else { return true };
            let importance = self.distinct[row].importance.get();
            let incoherent = bucket.cohesion < settings.incoherent;
            let novel = bucket.sort == Sort::Loose && self.nearest(row) < settings.novel;
            if importance >= settings.unimportant || !incoherent || novel {
                return true;
            }
            fates[row] = Some(Fate::Prune(
                Reason::new(Rule::UnimportantIncoherent)
                    .with("importance", u32::from(importance))
                    .with("unimportant_below", u32::from(settings.unimportant))
                    .with("cohesion", bucket.cohesion)
                    .with("incoherent_below", settings.incoherent),
            ));
            false
        });
        items.extend(pinned.into_iter().map(Group::single));
        items.sort_by_key(|g| g.members[0]);
        bucket.items = items;
    }

    fn merge(
        &self,
        groups: Vec<Group>,
        similar: f64,
        until: usize,
        apart: impl Fn(usize, usize) -> bool,
    ) -> Vec<Group> {
        let bounds =
            Bounds { similar, members: self.config.triage.max_group, chars: self.config.synthesis.max_chars };
        let chars = |i: usize| self.chars(i);
        merge(groups, self.gram, bounds, until, chars, apart)
    }

    /// How many characters of a memory's readings are told.
    fn chars(&self, row: usize) -> usize {
        let told =
            self.distinct[row].told_readings(self.config.triage.max_group, self.config.synthesis.max_chars);
        told.iter().map(|d| d.text.chars().count()).sum()
    }

    /// Whether telling both as one could turn one fact into another. Readings of a status differ in numbers by
    /// nature, and are told in order of time.
    fn would_mix(&self, i: usize, j: usize) -> bool {
        use nightfold_memory::Kind::Status;
        let readings = self.distinct[i].kind == Status && self.distinct[j].kind == Status;
        !readings && conflicting(&self.analyses[i], &self.analyses[j])
    }

    /// Whether two memories that are not similar, only over budget in one theme, are better let go than told
    /// together: both are unimportant and not even one routine.
    fn not_worth_telling(&self, i: usize, j: usize) -> bool {
        let (a, b) = (&self.analyses[i].content, &self.analyses[j].content);
        let unimportant = |i: usize| self.distinct[i].importance.get() < self.config.triage.unimportant;
        let shared = || a.iter().filter(|w| b.binary_search(w).is_ok()).count();
        unimportant(i) && unimportant(j) && shared() < ROUTINE
    }

    fn asking(&self, bucket: &Bucket) -> Asking {
        let importance = |&i: &usize| u32::from(self.distinct[i].importance.get());
        Asking {
            // Loose memories show no theme, and readings hang together whatever they say: they get what an incoherent
            // cluster would.
            cohesion: bucket.cluster().map_or(self.config.triage.incoherent, |_| bucket.cohesion),
            importance: bucket.members.iter().map(importance).sum(),
            entries: bucket.items.len(),
            musts: bucket.items.iter().filter(|g| self.is_must(g)).count(),
            recurred: bucket.recurring.nights,
        }
    }

    fn is_must(&self, group: &Group) -> bool {
        group.members.iter().any(|&i| self.must_keep(i))
    }

    /// Cosine to the most similar other memory of the day; 0 when there is none.
    fn nearest(&self, row: usize) -> f64 {
        self.gram.nearest(row).map_or(0.0, f64::from)
    }

    /// How much a memory is worth keeping, 0 to 1: its importance, and how unlike the rest of the day it is.
    fn keep_score(&self, group: &Group) -> f64 {
        group
            .members
            .iter()
            .map(|&i| {
                let importance = f64::from(self.distinct[i].importance.get()) / 10.0;
                let novelty = (1.0 - self.nearest(i)).clamp(0.0, 1.0);
                IMPORTANCE_SHARE * importance + (1.0 - IMPORTANCE_SHARE) * novelty
            })
            .fold(0.0, f64::max)
    }

    /// Brings a bucket within its share, and settles the fates of all that is left in it.
    fn spend(
        &self,
        bucket: &mut Bucket,
        share: usize,
        fates: &mut [Option<Fate>],
        groups: &mut Vec<ChunkGroup>,
    ) {
        let settings = &self.config.triage;
        let similar_before: Vec<Group> = bucket.items.clone();
        if bucket.items.len() > share && bucket.cluster().is_some() && bucket.cohesion >= settings.incoherent
        {
            // Important memories stay in their own words: what is told together is the rest.
            let (fixed, free): (Vec<_>, Vec<_>) =
                std::mem::take(&mut bucket.items).into_iter().partition(|g| self.is_must(g));
            let until = share.saturating_sub(fixed.len()).max(1);
            bucket.items = self.merge(free, settings.similar_over_budget, until, |i, j| {
                self.would_mix(i, j) || self.not_worth_telling(i, j)
            });
            bucket.items.extend(fixed);
        }

        let mut ranked: Vec<(bool, f64, Group)> = std::mem::take(&mut bucket.items)
            .into_iter()
            .map(|g| (self.is_must(&g), self.keep_score(&g), g))
            .collect();
        ranked.sort_by(|a, b| {
            b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.members[0].cmp(&b.2.members[0]))
        });
        let cut = ranked.len().min(share);
        let lowest_kept = ranked[..cut].last().map_or(0.0, |(_, score, _)| *score);
        for (rank, (_, score, group)) in ranked.into_iter().enumerate() {
            if rank >= cut {
                let reason = Reason::new(Rule::OverBudget)
                    .with("keep_score", score)
                    .with("lowest_kept", lowest_kept)
                    .with("budget", share);
                group.members.iter().for_each(|&i| fates[i] = Some(Fate::Prune(reason.clone())));
            } else if let &[row] = group.members.as_slice() {
                let kept = self.why_stored(row, bucket, share, score);
                if let Some(readings) = &self.distinct[row].readings {
                    // Told with its values: the words of one reading would pass an old number off as the last.
                    let kept_as = kept.rule.as_str();
                    let reason = Reason { rule: Rule::StatusRepeat, ..kept }
                        .with("phase", readings.phase.as_str())
                        .with("readings", 1 + readings.others.len())
                        .with("kept_as", kept_as);
                    fates[row] = Some(Fate::Chunk(groups.len()));
                    groups.push(ChunkGroup { members: group.members, cluster: bucket.cluster(), reason });
                } else {
                    fates[row] = Some(Fate::Store(kept));
                }
            } else {
                let similar = similar_before.contains(&group);
                let rule = if similar { Rule::Similar } else { Rule::OverBudgetCohesive };
                let threshold = if similar { settings.similar } else { settings.similar_over_budget };
                let mut reason = Reason::new(rule)
                    .with("similarity", group.similarity)
                    .with("similar_from", threshold)
                    .with("memories", group.members.len());
                if !similar {
                    reason = reason.with("cohesion", bucket.cohesion).with("budget", share);
                }
                group.members.iter().for_each(|&i| fates[i] = Some(Fate::Chunk(groups.len())));
                groups.push(ChunkGroup { members: group.members, cluster: bucket.cluster(), reason });
            }
        }
    }

    fn why_stored(&self, row: usize, bucket: &Bucket, share: usize, score: f64) -> Reason {
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
        if bucket.sort == Sort::Loose && self.nearest(row) < self.config.triage.novel {
            return Reason::new(Rule::Novel)
                .with("nearest", self.nearest(row))
                .with("novel_below", self.config.triage.novel);
        }
        Reason::new(Rule::WithinBudget).with("keep_score", score).with("budget", share)
    }
}

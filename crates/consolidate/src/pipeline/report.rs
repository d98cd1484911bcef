//! Report of a night: counts of its final decisions.

use nightfold_memory::{
    Change, ClusterReport, Counts, ImportantEnded, LanguagePack, NightReport, PackName, TokenReport, rounded,
};

use super::{NightContext, entry_writer::EntryWriter, synthesized::Synthesized};
use crate::{
    collapse::DistinctMemory,
    triage::{TriageDecision, TriagedCluster},
};

/// Final decisions of a night, as far as the report counts them.
pub(super) struct NightTally<'a> {
    pub(super) synthesized: &'a Synthesized,
    pub(super) pack: &'a dyn LanguagePack,
    pub(super) fates: &'a [TriageDecision],
    /// For each group, true if it left an entry of its own.
    pub(super) leaves_entry: &'a [bool],
    /// True for a distinct memory whose words are kept in an entry that is active after the night.
    pub(super) are_words_kept: &'a dyn Fn(usize) -> bool,
    /// Important memories and entries that ended this night.
    pub(super) important_ended: Vec<ImportantEnded>,
    /// All changes of the night.
    pub(super) changes: &'a [Change],
}

impl NightTally<'_> {
    pub(super) fn report(&self, frame: &NightContext, writer: &EntryWriter<'_>) -> NightReport {
        let Synthesized { triage, estimate, spent, .. } = self.synthesized;
        let important_from = frame.config.triage.important;
        let is_important = |memory: &DistinctMemory| memory.importance.get() >= important_from;
        let kept = (0..frame.distinct.len())
            .filter(|&row| is_important(&frame.distinct[row]) && (self.are_words_kept)(row));
        NightReport {
            profile: frame.profile.clone(),
            pack: PackName::of(self.pack),
            counts: self.counts(frame),
            loose: triage.loose.len(),
            clusters: self.clusters(frame, writer),
            cohesion_weights: frame.config.cohesion,
            share_of_night: rounded(frame.share()),
            reduction: 0.0,
            raw_reduction: 0.0,
            important_kept: kept.count(),
            important: frame.all_distinct().filter(|memory| is_important(memory)).count(),
            important_ended: self.important_ended.clone(),
            storage_budget: triage.storage_budget,
            language: self.synthesized.language.clone(),
            judge: None,
            tokens: TokenReport { budget: frame.ledger(), estimate: *estimate, spent: *spent },
            input: frame.counts,
            notes: self.notes(frame),
        }
        .with_reductions()
    }

    fn counts(&self, frame: &NightContext) -> Counts {
        let triage = &self.synthesized.triage;
        Counts {
            memories: frame.memories.len(),
            distinct: frame.all_distinct().map(DistinctMemory::distinct_texts).sum(),
            collapsed: frame.all_distinct().map(|d| d.distinct_texts() - 1).sum(),
            inversions: triage.inversions,
            talk_chars: triage.talk.chars,
            talk_chars_kept: triage.talk.kept,
            late: self.synthesized.judged.revision.late.len(),
            ..Counts::default()
        }
        .with_changes(self.changes)
    }

    fn clusters(&self, frame: &NightContext, writer: &EntryWriter<'_>) -> Vec<ClusterReport> {
        let Synthesized { triage, token_shares, slots, .. } = self.synthesized;
        let cluster = |(c, theme): (usize, &TriagedCluster)| {
            let is_stored = |&&row: &&usize| matches!(self.fates[row], TriageDecision::Store(_));
            let stored = theme.members.iter().filter(is_stored).count();
            let groups = triage.groups.iter().zip(self.leaves_entry);
            let syntheses = groups.filter(|(group, kept)| group.cluster == Some(c) && **kept).count();
            ClusterReport {
                name: writer.names.cluster_name(theme, &theme.members),
                size: theme.members.len(),
                members: theme.members.iter().map(|&i| frame.distinct[i].id.clone()).collect(),
                cohesion: rounded(theme.cohesion),
                cohesion_parts: theme.parts.rounded(),
                recurred: theme.recurring.nights,
                storage_budget: theme.storage_budget,
                kept: stored + syntheses,
                token_budget: token_shares[c],
                reflection_slots: slots[c],
            }
        };
        let mut clusters: Vec<_> = triage.themes.iter().enumerate().map(cluster).collect();
        clusters.sort_by(|a, b| b.cohesion.total_cmp(&a.cohesion));
        clusters
    }

    /// Returns sentences on what a reader would not expect: memories of another clock or beyond the bound of a
    /// night, budgets that were overrun, and statements that reached the NPC late.
    fn notes(&self, frame: &NightContext) -> Vec<String> {
        let triage = &self.synthesized.triage;
        let mut notes: Vec<String> = frame.clock_note.iter().chain(&frame.renaming_note).cloned().collect();
        let (left_out, of_flood) = (frame.counts.over_distinct, frame.counts.flood);
        if of_flood > 0 {
            notes.push(format!(
                "{of_flood} memories of a flood of one pattern were archived unread: every word of theirs is in those that were taken \
                 (cluster.flood)"
            ));
        }
        if left_out > 0 {
            notes.push(format!(
                "the day holds {} distinct memories and cluster.max_distinct allows {}: {left_out} were archived unread, \
                 first those of whoever sent most",
                frame.distinct.len() + left_out,
                frame.config.cluster.max_distinct,
            ));
        }
        let (over, budget) = (triage.overrun_by_musts, triage.storage_budget);
        if over > 0 {
            let entries = if over == 1 { "entry" } else { "entries" };
            notes.push(format!(
                "important and pinned memories, and news of what was believed, took {over} {entries} more than the storage \
                 budget of {budget}"
            ));
        }
        let late = self.synthesized.judged.revision.late.len();
        if late > 0 {
            let (statements, them) = if late == 1 { ("statement", "it") } else { ("statements", "them") };
            notes.push(format!(
                "{late} {statements} came late: something newer that excludes {them} was known already"
            ));
        }
        notes
    }
}

//! Report of a night after review.

use nightfold_memory::{Change, MemoryId, NightReport, NpcNight, ValidConfig};

/// Returns the report with the changes counted again. `lost` are memories that were to be kept and are not;
/// `made` holds the numbers of declined changes and of rewritten texts.
pub(super) fn recount(
    night: &NpcNight,
    changes: &[Change],
    lost: &[MemoryId],
    config: &ValidConfig,
    made: [usize; 2],
) -> NightReport {
    let mut report = if night.memories.is_empty() {
        let (pack, profile) = (night.report.pack.clone(), night.report.profile.clone());
        NightReport { pack, profile, ..NightReport::of_maintenance(changes) }
    } else {
        counted(night, changes, lost, config)
    };
    let [declined, rewritten] = made;
    for (n, what) in [(declined, "declined in review"), (rewritten, "put into other words in review")] {
        if n > 0 {
            report.notes.push(format!("{n} of the plan's changes {what}"));
        }
    }
    report
}

fn counted(night: &NpcNight, changes: &[Change], lost: &[MemoryId], config: &ValidConfig) -> NightReport {
    let important = |id: &&MemoryId| {
        let words = night.memories.iter().find(|m| m.id == **id).map(|m| m.text.trim());
        let mut same = night.memories.iter().filter(|m| Some(m.text.trim()) == words);
        same.any(|m| m.importance().get() >= config.triage.important)
    };
    let ends = |change: &Change| matches!(change, Change::Supersede { .. } | Change::End { .. });
    let ended = |id: &MemoryId| changes.iter().any(|change| ends(change) && change.id() == id);
    NightReport {
        counts: night.report.counts.with_changes(changes),
        important_ended: night.report.important_ended.iter().filter(|e| ended(&e.id)).cloned().collect(),
        important_kept: night.report.important_kept.saturating_sub(lost.iter().filter(important).count()),
        ..night.report.clone()
    }
    .with_reductions()
}

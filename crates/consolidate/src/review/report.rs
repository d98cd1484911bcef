//! Report of a night after review.

use nightfold_memory::{Change, Counts, MemoryId, NightReport, NpcNight, Rule, ValidConfig};

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
    let of = |verb: &'static str| changes.iter().filter(move |c| c.verb() == verb);
    let sources = |verb| of(verb).map(|c| c.sources().len()).sum();
    let written = |id: &MemoryId| of("store").any(|c| c.id() == id);
    let (stored, syntheses) = (of("store").count(), of("chunk").count());
    let outdated = of("supersede").filter(|c| written(c.id())).count();
    let important = |id: &&MemoryId| {
        let words = night.memories.iter().find(|m| m.id == **id).map(|m| m.text.trim());
        let mut same = night.memories.iter().filter(|m| Some(m.text.trim()) == words);
        same.any(|m| m.importance().get() >= config.triage.important)
    };
    let counts = Counts {
        kept: stored + syntheses - outdated,
        stored,
        pruned: of("prune").filter(|c| c.reason().rule != Rule::Blank).count(),
        chunked: sources("chunk"),
        syntheses,
        corroborated: sources("corroborate"),
        superseded: of("supersede").count(),
        contested: of("contest").count(),
        ended: of("end").count(),
        restored: of("restore").count(),
        capped: of("archive").count(),
        reflections: of("reflect").count(),
        ..night.report.counts
    };
    let ends = |change: &Change| matches!(change, Change::Supersede { .. } | Change::End { .. });
    let ended = |id: &MemoryId| changes.iter().any(|change| ends(change) && change.id() == id);
    NightReport {
        counts,
        important_ended: night.report.important_ended.iter().filter(|e| ended(&e.id)).cloned().collect(),
        important_kept: night.report.important_kept.saturating_sub(lost.iter().filter(important).count()),
        ..night.report.clone()
    }
    .with_reductions()
}

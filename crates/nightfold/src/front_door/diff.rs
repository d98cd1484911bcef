//! Plain-text view of a plan's changes.

use std::{collections::BTreeMap, fmt};

use nightfold_consolidate::review::{Diff, DiffFate, EarlierEntries, MemoryDiff, Proposal, ProposalKind};
use nightfold_memory::{NpcId, NpcNight, clean};

/// Changes of a plan as plain text, one line per change, without colour or wrapping.
///
/// | sign | the memory |
/// |---|---|
/// | `+` | is stored word for word |
/// | `~` | becomes part of a synthesis |
/// | `=` | corroborates an entry |
/// | `?` | contests an entry, which stays too |
/// | `!` | is superseded |
/// | `-` | is pruned |
/// | `*` | a new synthesis or reflection |
///
/// Control characters that could affect a terminal are removed from texts.
#[derive(Debug, Clone, Copy)]
pub struct PlanDiff<'a> {
    pub(super) nights: &'a [NpcNight],
    pub(super) before: &'a BTreeMap<NpcId, EarlierEntries>,
}

impl fmt::Display for PlanDiff<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nothing = EarlierEntries::new();
        for (number, night) in self.nights.iter().enumerate() {
            if number > 0 {
                writeln!(f)?;
            }
            let before = self.before.get(&night.npc).unwrap_or(&nothing);
            write_night(f, &Diff::of(night, before))?;
        }
        Ok(())
    }
}

fn write_night(f: &mut fmt::Formatter<'_>, diff: &Diff<'_>) -> fmt::Result {
    let report = diff.report;
    writeln!(f, "{}, night {}", clean(diff.npc.as_str()), clean(diff.night.as_str()))?;
    writeln!(
        f,
        "  {} memories, {} distinct, {} kept",
        report.counts.memories, report.counts.distinct, report.counts.kept
    )?;
    for section in &diff.sections {
        let name = section.theme.map_or("no theme", |theme| theme.name.as_str());
        writeln!(f, "  {}", clean(name))?;
        section.memories.iter().try_for_each(|memory| write_memory(f, memory))?;
        section.proposals.iter().try_for_each(|new| write_proposal(f, new))?;
    }
    diff.across.iter().try_for_each(|new| write_proposal(f, new))?;
    for older in &diff.known {
        let by = older.sources.first().map_or("", |source| source.text);
        writeln!(f, "  {} {}: {}", older.verb, clean(older.entry.id.as_str()), clean(older.entry.text))?;
        if !by.is_empty() {
            writeln!(f, "      by: {}", clean(by))?;
        }
    }
    Ok(())
}

fn write_memory(f: &mut fmt::Formatter<'_>, memory: &MemoryDiff<'_>) -> fmt::Result {
    let sign = match memory.fate {
        DiffFate::Kept => '+',
        DiffFate::Synthesized => '~',
        DiffFate::Corroborated => '=',
        DiffFate::Contested => '?',
        DiffFate::Superseded => '!',
        DiffFate::Archived => '-',
    };
    write!(f, "    {sign} {}: {}", clean(memory.id.as_str()), clean(memory.text))?;
    if memory.times > 1 {
        write!(f, " (\u{d7}{})", memory.times)?;
    }
    writeln!(f)
}

fn write_proposal(f: &mut fmt::Formatter<'_>, new: &Proposal<'_>) -> fmt::Result {
    let kind = match new.kind {
        ProposalKind::Synthesis => "synthesis",
        ProposalKind::Insight(_) => "reflection",
    };
    writeln!(f, "    * {kind} {}: {}", clean(new.id.as_str()), clean(new.text))
}

//! One NPC's night as a diff.

use std::collections::BTreeMap;

use nightfold::memory::{Change, ClusterReport, Entry, Memory, MemoryId, NpcNight, Rule};

use super::{Texts, count, hang, reason};
use crate::terminal::{Role, Terminal, clean};

/// How many changes of one sort are shown before the rest is only counted.
const SHOWN: usize = 12;

/// How many of the memories or entries that another stands for are shown.
const REPEATS: usize = 8;

/// How many of what another stands for is shown.
pub(crate) fn repeats_shown(verbose: bool) -> usize {
    if verbose { usize::MAX } else { REPEATS }
}

/// How many changes of one sort are shown.
pub(crate) fn shown(verbose: bool) -> usize {
    if verbose { usize::MAX } else { SHOWN }
}

/// What a night would change, sort by sort. `known` gives the texts of the entries that stand before it.
pub(super) fn night(night: &NpcNight, known: &Texts, terminal: Terminal, verbose: bool) -> String {
    let folds =
        night.changes.iter().filter(|c| c.verb() == "collapse" && c.reason().rule == Rule::StatusRepeat);
    let readings = folds.map(|c| (c.id(), c.sources())).collect();
    let day = night.memories.iter().map(|m| (&m.id, m)).collect();
    Diff { night, known, terminal, verbose, day, readings }.render()
}

struct Diff<'a> {
    night: &'a NpcNight,
    known: &'a Texts,
    terminal: Terminal,
    verbose: bool,
    day: BTreeMap<&'a MemoryId, &'a Memory>,
    /// The readings of a status under the one that stands for them.
    readings: BTreeMap<&'a MemoryId, &'a [MemoryId]>,
}

/// A sort of change: its mark, and what it means.
struct Sort {
    role: Role,
    mark: &'static str,
    heading: &'static str,
}

const STORE: Sort = Sort { role: Role::Kept, mark: "+", heading: "kept word for word" };
const CHUNK: Sort = Sort { role: Role::Told, mark: "~", heading: "told as one" };
const CORROBORATE: Sort = Sort { role: Role::Known, mark: "=", heading: "known already, now surer" };
const SUPERSEDE: Sort = Sort { role: Role::Replaced, mark: "!", heading: "no longer true" };
const REFLECT: Sort = Sort { role: Role::Insight, mark: "*", heading: "insights" };
const PRUNE: Sort = Sort { role: Role::Gone, mark: "-", heading: "let go" };
const COLLAPSE: Sort = Sort { role: Role::Known, mark: "&", heading: "status lines made one" };
const RESTORE: Sort = Sort { role: Role::Kept, mark: ">", heading: "brought back" };
const FORGET: Sort = Sort { role: Role::Gone, mark: "-", heading: "forgotten" };
const ARCHIVE: Sort = Sort { role: Role::Gone, mark: "<", heading: "put away" };

impl Diff<'_> {
    fn render(&self) -> String {
        let mut out = self.head();
        out.push_str(&self.themes());
        let mut of = |sort: &Sort, wanted: fn(&Change) -> bool, item: fn(&Self, &Sort, &Change) -> String| {
            let changes: Vec<&Change> = self.night.changes.iter().filter(|c| wanted(c)).collect();
            out.push_str(&self.section(sort, &changes, item));
        };
        of(&STORE, |c| matches!(c, Change::Store { .. }), Self::entry);
        of(&CHUNK, |c| matches!(c, Change::Chunk { .. }), Self::told);
        of(&CORROBORATE, |c| matches!(c, Change::Corroborate { .. }), Self::older);
        of(&SUPERSEDE, |c| matches!(c, Change::Supersede { .. }), Self::older);
        of(&REFLECT, |c| matches!(c, Change::Reflect { .. }), Self::insight);
        of(&PRUNE, |c| matches!(c, Change::Prune { .. }), Self::gone);
        of(&COLLAPSE, |c| matches!(c, Change::Collapse { standing: Some(_), .. }), Self::collapsed);
        of(&RESTORE, |c| matches!(c, Change::Restore { .. }), Self::older);
        of(&ARCHIVE, |c| matches!(c, Change::Archive { .. }), Self::older);
        of(&FORGET, |c| matches!(c, Change::Forget { .. }), Self::older);
        for note in &self.night.report.notes {
            out.push_str(&hang("  note: ", 8, note, self.terminal.width));
        }
        out.push('\n');
        out
    }

    fn head(&self) -> String {
        let report = &self.night.report;
        if self.night.memories.is_empty() && report.memories == 0 && report.input.already_slept_on == 0 {
            let title = format!("{} · upkeep after night {}", self.night.npc, self.night.night);
            return format!("{}\n", self.terminal.paint(Role::Title, &clean(&title)));
        }
        let title = format!("{} · night of {}", self.night.npc, self.night.night);
        let mut line = format!(
            "{}, {} different → {} kept",
            count(report.memories, "memory", "memories"),
            report.distinct,
            report.kept
        );
        if report.distinct > 0 {
            line = format!("{line} ({:.0} % fewer)", report.reduction * 100.0);
        }
        if report.collapsed > 0 {
            let lines = count(report.collapsed, "status line", "status lines");
            line = format!("{line}, {lines} folded into others");
        }
        if report.important > 0 {
            line = format!("{line}, {} of {} important ones whole", report.important_kept, report.important);
        }
        if report.share_of_night < 1.0 {
            line =
                format!("{line}; slept at {:.0} % of a full night's budgets", report.share_of_night * 100.0);
        }
        let title = self.terminal.paint(Role::Title, &clean(&title));
        format!("{title}\n{}", hang("  ", 2, &line, self.terminal.width))
    }

    fn themes(&self) -> String {
        let mut out = String::new();
        for cluster in &self.night.report.clusters {
            let name = if cluster.name.is_empty() { "(no telling words)" } else { &cluster.name };
            let line = format!(
                "theme {name}: {}, cohesion {:.2}, keeps {} of a budget of {}",
                count(cluster.size, "memory", "memories"),
                cluster.cohesion,
                cluster.kept,
                cluster.storage_budget
            );
            let recurred = match cluster.recurred {
                0 => String::new(),
                nights => format!(", known from {}", count(nights, "earlier night", "earlier nights")),
            };
            let line = format!("{line}{recurred}");
            out.push_str(&self.terminal.paint(Role::Faint, &hang("  ", 2, &line, self.terminal.width)));
            if self.verbose {
                let parts = self.cohesion(cluster);
                out.push_str(
                    &self.terminal.paint(Role::Faint, &hang("      ", 6, &parts, self.terminal.width)),
                );
            }
        }
        out
    }

    /// What a theme's cohesion is made of: what counts with its weight, then what was only measured.
    fn cohesion(&self, cluster: &ClusterReport) -> String {
        let weights = self.night.report.cohesion_weights.named();
        let parts = cluster.cohesion_parts.named();
        let of = |counts: bool| {
            let wanted = parts.iter().zip(&weights).filter(move |(_, (_, weight))| (*weight > 0.0) == counts);
            wanted.map(move |((name, part), (_, weight))| {
                let name = name.replace('_', " ");
                if counts { format!("{name} {part:.2} × {weight}") } else { format!("{name} {part:.2}") }
            })
        };
        let (counts, beside): (Vec<_>, Vec<_>) = (of(true).collect(), of(false).collect());
        let beside =
            if beside.is_empty() { String::new() } else { format!("; beside it {}", beside.join(", ")) };
        format!("cohesion: {}{beside}", counts.join(" + "))
    }

    fn section(&self, sort: &Sort, changes: &[&Change], item: fn(&Self, &Sort, &Change) -> String) -> String {
        if changes.is_empty() {
            return String::new();
        }
        let mut out = format!("\n  {} ({})\n", self.terminal.paint(sort.role, sort.heading), changes.len());
        let shown = shown(self.verbose).min(changes.len());
        for change in changes.iter().take(shown) {
            out.push_str(&item(self, sort, change));
            if self.verbose {
                out.push_str(&self.faint(&reason(change.reason())));
            }
        }
        if changes.len() > shown {
            out.push_str(&self.faint(&format!("… and {} more; -v shows all", changes.len() - shown)));
        }
        out
    }

    fn faint(&self, text: &str) -> String {
        self.terminal.paint(Role::Faint, &hang("      ", 6, text, self.terminal.width))
    }

    fn line(&self, sort: &Sort, text: &str, after: &str) -> String {
        let lead = format!("  {} ", self.terminal.paint(sort.role, sort.mark));
        let text = if after.is_empty() { text.to_owned() } else { format!("{text}  [{after}]") };
        hang(&lead, 4, &text, self.terminal.width)
    }

    fn entry(&self, sort: &Sort, change: &Change) -> String {
        change.entry().map_or_else(String::new, |e| self.line(sort, &e.text, &about(e)))
    }

    fn told(&self, sort: &Sort, change: &Change) -> String {
        let Some(entry) = change.entry() else { return String::new() };
        let mut out = self.line(sort, &entry.text, &about(entry));
        // A week may be told from many.
        let shown = if self.day.is_empty() { repeats_shown(self.verbose) } else { usize::MAX };
        if entry.sources.len() > shown {
            out.push_str(&self.faint(&format!("from {} entries, such as", entry.sources.len())));
        }
        for id in entry.sources.iter().take(shown) {
            out.push_str(&self.faint(&format!("from {id}: {}", self.text(id))));
            out.push_str(&self.repeats("and", self.readings.get(id).copied().unwrap_or_default()));
        }
        out
    }

    /// What a memory of the day, an older entry or one that the night writes says.
    fn text(&self, id: &MemoryId) -> &str {
        let lived = self.day.get(id).map(|m| m.text.as_str());
        let known = || self.known.get(id).map(String::as_str);
        let written = || {
            let entries = self.night.changes.iter().filter_map(Change::entry);
            entries.into_iter().find(|e| e.id == *id).map(|e| e.text.as_str())
        };
        lived.or_else(known).or_else(written).unwrap_or_default().trim()
    }

    /// What another one stands for.
    fn repeats(&self, word: &str, ids: &[MemoryId]) -> String {
        let shown = repeats_shown(self.verbose).min(ids.len());
        let mut out: String =
            ids[..shown].iter().map(|id| self.faint(&format!("{word} {id}: {}", self.text(id)))).collect();
        if ids.len() > shown {
            out.push_str(&self.faint(&format!("… and {} more", ids.len() - shown)));
        }
        out
    }

    fn collapsed(&self, sort: &Sort, change: &Change) -> String {
        let text = self.known.get(change.id()).map_or("(an entry)", String::as_str);
        let often = change.reason().values.get("reinforcement");
        let often = often.map_or_else(String::new, |n| format!(", lived through {n} times"));
        let mut out = self.line(sort, text, &format!("{}{often}", change.id()));
        out.push_str(&self.repeats("for", change.sources()));
        out
    }

    fn insight(&self, sort: &Sort, change: &Change) -> String {
        let Change::Reflect { entry, reflection, .. } = change else { return String::new() };
        let cites: Vec<&str> = entry.sources.iter().map(MemoryId::as_str).collect();
        let after = format!("{}, from {}", reflection.as_str(), cites.join(", "));
        self.line(sort, &entry.text, &after)
    }

    fn gone(&self, sort: &Sort, change: &Change) -> String {
        let Some(memory) = self.day.get(change.id()) else { return String::new() };
        let text = if memory.is_blank() { "(blank)" } else { memory.text.trim() };
        let others = match self.readings.get(&memory.id) {
            Some(readings) => format!(", with {}", count(readings.len(), "other reading", "other readings")),
            None => String::new(),
        };
        self.line(sort, text, &format!("{}, importance {}{others}", memory.id, memory.importance().get()))
    }

    fn older(&self, sort: &Sort, change: &Change) -> String {
        let text = match self.text(change.id()) {
            "" => "(an earlier entry)",
            text => text,
        };
        let mut out = self.line(sort, text, change.id().as_str());
        for id in change.sources() {
            out.push_str(&self.faint(&format!("by {id}: {}", self.text(id))));
        }
        out
    }
}

fn about(entry: &Entry) -> String {
    let often = if entry.occurrences > 1 { format!(", {} times", entry.occurrences) } else { String::new() };
    format!("{}, importance {}{often}", entry.id, entry.importance.get())
}

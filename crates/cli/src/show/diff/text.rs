//! A night as a diff on a terminal: theme by theme, each memory with its fate, and the proposals.

use std::borrow::Cow;

use nightfold::consolidate::review::{
    Diff, DiffFate, MemoryDiff, Proposal, RecordDiff, Section, StatementRef,
};

use super::parts::{
    DiffView, FATES, FateMark, OLDER, OlderChange, about, across_title, cohesion, mark, name, outcome,
    repeats_shown, shown_of, sort, when,
};
use crate::{
    show::{
        ended_words, important_ended,
        words::{compared, hang, reason},
    },
    terminal::{TextRole, clean},
};

/// Returns the changes of a night as text.
pub(crate) fn night(diff: &Diff<'_>, view: DiffView) -> String {
    TextPage { view, left_out: false, out: String::new() }.render(diff)
}

struct TextPage {
    view: DiffView,
    /// True if something is only counted.
    left_out: bool,
    out: String,
}

impl TextPage {
    fn render(mut self, diff: &Diff<'_>) -> String {
        self.head(diff);
        for (i, section) in diff.sections.iter().enumerate() {
            self.section(i + 1, section, diff);
        }
        if !diff.across.is_empty() {
            self.heading(across_title(diff), "");
            diff.across.iter().for_each(|proposal| self.proposal(proposal, true));
        }
        for older in &OLDER {
            let changes: Vec<&RecordDiff<'_>> = diff.known.iter().filter(|k| k.verb == older.verb).collect();
            self.older(older, &changes);
        }
        for note in &diff.report.notes {
            self.out.push_str(&hang("  note: ", 8, note, self.view.terminal.width));
        }
        if self.left_out {
            self.out.push_str(&self.painted(2, TextRole::Faint, self.view.more));
        }
        self.out.push('\n');
        self.out
    }

    fn head(&mut self, diff: &Diff<'_>) {
        let report = diff.report;
        let of_a_day = report.counts.memories > 0
            || report.input.already_slept_on + report.input.stray_times > 0
            || !diff.sections.is_empty();
        let title = if of_a_day {
            format!("{} · night of {}", diff.npc, diff.night)
        } else {
            format!("{} · maintenance after night {}", diff.npc, diff.night)
        };
        self.out.push_str(&self.view.terminal.paint(TextRole::Title, &clean(&title)));
        self.out.push('\n');
        if of_a_day {
            self.out.push_str(&hang("  ", 2, &outcome(report), self.view.terminal.width));
        }
        for ended in &report.important_ended {
            self.line(TextRole::Replaced, "!", &important_ended(ended));
        }
        if !diff.sections.is_empty() {
            let contested =
                diff.sections.iter().flat_map(|s| &s.memories).any(|m| m.fate == DiffFate::Contested);
            let fates = FATES.into_iter().filter(|fate| contested || *fate != DiffFate::Contested);
            let legend: Vec<String> = fates.map(mark).map(|m| format!("{} {}", m.sign, m.means)).collect();
            let legend = legend.join("   ");
            self.faint(&format!("{legend}   → proposed"), 2);
        }
    }

    fn section(&mut self, number: usize, section: &Section<'_>, diff: &Diff<'_>) {
        let title = match section.theme {
            Some(theme) => format!("Theme {number}: {}", name(theme)),
            None => "In no theme".to_owned(),
        };
        self.heading(&title, &about(section));
        if let (Some(theme), true) = (section.theme, self.view.verbose) {
            self.faint(&cohesion(theme, diff.report), 6);
        }
        for fate in FATES {
            let of: Vec<&MemoryDiff<'_>> = section.memories.iter().filter(|m| m.fate == fate).collect();
            if fate == DiffFate::Synthesized {
                self.synthesised(&of, section);
            } else {
                self.memories(&of, &mark(fate));
            }
        }
        let insights = section.proposals.iter().filter(|p| !is_shown_synthesis(p, &section.memories));
        insights.for_each(|insight| self.proposal(insight, true));
    }

    /// Appends the memories that become syntheses, each synthesis below its sources.
    fn synthesised(&mut self, memories: &[&MemoryDiff<'_>], section: &Section<'_>) {
        let synthesised = mark(DiffFate::Synthesized);
        let by = |memory: &MemoryDiff<'_>, proposal: &Proposal<'_>| {
            memory.by.as_ref().is_some_and(|by| by.id == proposal.id)
        };
        let told = section.proposals.iter().filter_map(|proposal| {
            let of: Vec<&MemoryDiff<'_>> = memories.iter().copied().filter(|m| by(m, proposal)).collect();
            (!of.is_empty()).then_some((proposal, of))
        });
        let told: Vec<_> = told.collect();
        let shown = if self.view.verbose { told.len() } else { synthesised.shown.min(told.len()) };
        for (proposal, of) in &told[..shown] {
            self.memories(of, &synthesised);
            // Sources of other themes are not listed above it.
            self.proposal(proposal, of.len() < proposal.sources.len());
        }
        self.rest(told.len() - shown, "syntheses");
        let rest = memories.iter().copied().filter(|m| !section.proposals.iter().any(|p| by(m, p)));
        self.memories(&rest.collect::<Vec<_>>(), &synthesised);
    }

    fn memories(&mut self, memories: &[&MemoryDiff<'_>], mark: &FateMark) {
        let shown = if self.view.verbose { memories.len() } else { mark.shown.min(memories.len()) };
        memories[..shown].iter().for_each(|memory| self.memory(memory, mark));
        self.rest(memories.len() - shown, mark.means);
    }

    fn memory(&mut self, memory: &MemoryDiff<'_>, mark: &FateMark) {
        let text = match &*self.shortened(memory.text) {
            "" => "(blank)".to_owned(),
            text => format!("“{text}”"),
        };
        let times = if memory.times > 1 { format!(", {} times", memory.times) } else { String::new() };
        let line =
            format!("[{}] {text} ({}, importance {}{times})", memory.id, when(memory.at), memory.importance);
        self.line(mark.role, mark.sign, &line);
        self.links("with", &memory.readings);
        let link = match memory.fate {
            DiffFate::Corroborated => Some("as"),
            DiffFate::Contested => Some("contested with"),
            DiffFate::Superseded => Some("by"),
            DiffFate::Kept | DiffFate::Synthesized | DiffFate::Archived => None,
        };
        if let (Some(link), Some(by)) = (link, &memory.by) {
            self.links(link, std::slice::from_ref(by));
        }
        // For the sources of a synthesis, the synthesis itself shows the reason once.
        if self.view.verbose && memory.fate != DiffFate::Synthesized {
            self.faint(&reason(memory.reason), 6);
            self.compared(memory.compared.as_ref());
        }
    }

    fn proposal(&mut self, proposal: &Proposal<'_>, with_sources: bool) {
        let (role, what, sort) = sort(proposal.kind);
        let sort = sort.unwrap_or(proposal.of.as_str());
        let named = if proposal.name.is_empty() { String::new() } else { format!(": {}", proposal.name) };
        let similar = proposal.reason.values.get("similarity");
        let similar = similar.map_or_else(String::new, |cosine| format!(", similarity {cosine}"));
        let line = format!(
            "proposed {what}{named} ({sort}, importance {}{similar}) [{}]",
            proposal.importance, proposal.id
        );
        self.line(role, "→", &line);
        let text = format!("“{}”", self.shortened(proposal.text));
        self.out.push_str(&hang("    ", 4, &text, self.view.terminal.width));
        if with_sources {
            let ids: Vec<&str> = proposal.sources.iter().map(|s| s.id.as_str()).collect();
            self.faint(&format!("from {}", ids.join(", ")), 6);
        }
        if self.view.verbose {
            self.faint(&reason(proposal.reason), 6);
        }
    }

    fn older(&mut self, older: &OlderChange, changes: &[&RecordDiff<'_>]) {
        if changes.is_empty() {
            return;
        }
        let heading = self.view.terminal.paint(older.role, older.heading);
        self.out.push_str(&format!("\n  {heading} ({})\n", changes.len()));
        let shown = shown_of(older.verb, self.view.verbose).min(changes.len());
        for change in &changes[..shown] {
            let often = change.reason.values.get("reinforcement");
            let often = often.map_or_else(String::new, |n| format!(", lived through {n} times"));
            let line = format!("{}{often}", self.entry(&change.entry));
            self.line(older.role, older.mark, &line);
            if let Some((position, since)) = change.position.zip(change.since) {
                self.faint(&ended_words(since, position), 6);
            }
            self.links(older.link, &change.sources);
            if self.view.verbose {
                self.faint(&reason(change.reason), 6);
                self.compared(change.compared.as_ref());
            }
        }
        self.rest(changes.len() - shown, older.heading);
    }

    /// Appends the statements that were compared, if there are any.
    fn compared(&mut self, statements: Option<&[StatementRef<'_>; 2]>) {
        if let Some([older, newer]) = statements {
            self.faint(&compared((older.id.as_str(), older.text), (newer.id.as_str(), newer.text)), 6);
        }
    }

    /// Appends the entries that a line refers to, up to the number that is shown.
    fn links(&mut self, link: &str, entries: &[StatementRef<'_>]) {
        let shown = repeats_shown(self.view.verbose).min(entries.len());
        for one in &entries[..shown] {
            let line = format!("{link} {}", self.entry(one));
            self.faint(&line, 6);
        }
        if entries.len() > shown {
            self.left_out = true;
            self.faint(&format!("{link} {} more", entries.len() - shown), 6);
        }
    }

    /// Returns a text as far as it is shown.
    fn shortened<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        let shortened = self.view.text(text);
        self.left_out |= shortened.len() != text.len();
        shortened
    }

    /// Returns an entry or a memory, with its text if available.
    fn entry(&mut self, entry: &StatementRef<'_>) -> String {
        match entry.at {
            Some(at) => format!("[{}] “{}” ({})", entry.id, self.shortened(entry.text), when(at)),
            None => format!("[{}]", entry.id),
        }
    }

    fn rest(&mut self, n: usize, what: &str) {
        if n > 0 {
            self.left_out = true;
            self.faint(&format!("… and {n} more {what}"), 4);
        }
    }

    fn heading(&mut self, title: &str, about: &str) {
        let title = clean(title);
        // The title alone is painted, and what is painted is not counted when lines are laid out.
        let line = if about.is_empty() { title.to_string() } else { format!("{title} ({about})") };
        let laid = hang("  ", 2, &line, self.view.terminal.width);
        let painted = self.view.terminal.paint(TextRole::Title, &title);
        self.out.push('\n');
        self.out.push_str(&match laid.strip_prefix("  ").and_then(|l| l.strip_prefix(&*title)) {
            Some(rest) => format!("  {painted}{rest}"),
            None => laid,
        });
    }

    fn line(&mut self, role: TextRole, mark: &str, text: &str) {
        let lead = format!("  {} ", self.view.terminal.paint(role, mark));
        self.out.push_str(&hang(&lead, 4, text, self.view.terminal.width));
    }

    fn faint(&mut self, text: &str, indent: usize) {
        let painted = self.painted(indent, TextRole::Faint, text);
        self.out.push_str(&painted);
    }

    /// Returns text on lines of its own, each painted by itself: pagers reset colours at every line.
    fn painted(&self, indent: usize, role: TextRole, text: &str) -> String {
        let lead = " ".repeat(indent);
        let laid = hang(&lead, indent, text, self.view.terminal.width);
        laid.lines().fold(String::new(), |mut out, line| {
            out.push_str(&lead);
            out.push_str(&self.view.terminal.paint(role, line.trim_start()));
            out.push('\n');
            out
        })
    }
}

/// True if a proposal is a synthesis of memories of the section itself, and is shown below them.
fn is_shown_synthesis(proposal: &Proposal<'_>, memories: &[MemoryDiff<'_>]) -> bool {
    memories
        .iter()
        .any(|m| m.fate == DiffFate::Synthesized && m.by.as_ref().is_some_and(|by| by.id == proposal.id))
}

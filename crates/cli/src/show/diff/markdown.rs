//! A night as a diff in Markdown, for reviews in version control: a table for each theme, its proposals below
//! it.
//!
//! Memory text is written by players: nothing in it becomes markup, a link, a mention or a reference.

use nightfold::consolidate::review::{
    Diff, DiffFate, MemoryDiff, Proposal, ProposalKind, RecordDiff, Section, StatementRef,
};

use super::parts::{
    DiffView, FATES, FateMark, OLDER, OlderChange, about, across_title, cohesion, mark, name, outcome,
    shown_of, sort, when,
};
use crate::{
    show::{
        ended_words, important_ended,
        words::{compared, reason},
    },
    terminal::clean,
};

/// Returns the changes of a night as Markdown.
pub(crate) fn night(diff: &Diff<'_>, view: DiffView) -> String {
    MarkdownPage { view, out: String::new() }.render(diff)
}

struct MarkdownPage {
    view: DiffView,
    out: String,
}

/// Head of a theme's table.
const HEAD: &str = "| | memory | when | importance | |\n|:-:|---|---|--:|---|\n";

impl MarkdownPage {
    fn render(mut self, diff: &Diff<'_>) -> String {
        let maintenance = diff.sections.is_empty() && diff.report.counts.memories == 0;
        let of = if maintenance { "maintenance after night" } else { "night of" };
        self.block(&format!("## {} · {of} {}", plain(diff.npc.as_str()), plain(diff.night.as_str())));
        if !maintenance {
            self.block(&outcome(diff.report));
        }
        for ended in &diff.report.important_ended {
            self.block(&format!("! {}", plain(&important_ended(ended))));
        }
        for (i, section) in diff.sections.iter().enumerate() {
            self.section(i + 1, section, diff);
        }
        if !diff.across.is_empty() {
            self.block(&format!("### {}", across_title(diff)));
            diff.across.iter().for_each(|proposal| self.proposal(proposal));
        }
        for older in &OLDER {
            let changes: Vec<&RecordDiff<'_>> = diff.known.iter().filter(|k| k.verb == older.verb).collect();
            self.older(older, &changes);
        }
        for note in &diff.report.notes {
            self.block(&format!("Note: {}", plain(note)));
        }
        self.out
    }

    fn section(&mut self, number: usize, section: &Section<'_>, diff: &Diff<'_>) {
        self.block(&match section.theme {
            Some(theme) => format!("### Theme {number}: {}", plain(name(theme))),
            None => "### In no theme".to_owned(),
        });
        self.block(&about(section));
        if let (Some(theme), true) = (section.theme, self.view.verbose) {
            self.block(&cohesion(theme, diff.report));
        }
        let of = |fate: DiffFate| -> Vec<&MemoryDiff<'_>> {
            section.memories.iter().filter(|m| m.fate == fate).collect()
        };
        let stays: String = FATES
            .iter()
            .filter(|&&fate| fate != DiffFate::Archived)
            .map(|&fate| self.rows(&of(fate), &mark(fate)))
            .collect();
        if !stays.is_empty() {
            self.block(&format!("{HEAD}{stays}"));
        }
        let (syntheses, insights): (Vec<_>, Vec<_>) =
            section.proposals.iter().partition(|proposal| proposal.kind == ProposalKind::Synthesis);
        let shown = if self.view.verbose { syntheses.len() } else { twice(&mark(DiffFate::Synthesized)) };
        syntheses.iter().take(shown).for_each(|proposal| self.proposal(proposal));
        if let Some(more @ 1..) = syntheses.len().checked_sub(shown) {
            self.block(&format!("… and {more} more syntheses"));
        }
        insights.iter().for_each(|proposal| self.proposal(proposal));
        let (gone, mark) = (of(DiffFate::Archived), mark(DiffFate::Archived));
        if !gone.is_empty() {
            let rows: String = gone.iter().map(|memory| self.row(memory, &mark)).collect();
            let summary = format!("{} {}", gone.len(), mark.means);
            self.block(&format!("<details><summary>{summary}</summary>\n\n{HEAD}{rows}\n</details>"));
        }
    }

    fn rows(&self, memories: &[&MemoryDiff<'_>], mark: &FateMark) -> String {
        let shown = if self.view.verbose { memories.len() } else { twice(mark).min(memories.len()) };
        let mut rows: String = memories[..shown].iter().map(|memory| self.row(memory, mark)).collect();
        if memories.len() > shown {
            rows.push_str(&format!("| | | | | … and {} more {} |\n", memories.len() - shown, mark.means));
        }
        rows
    }

    fn row(&self, memory: &MemoryDiff<'_>, mark: &FateMark) -> String {
        let text =
            if memory.text.is_empty() { "(blank)".to_owned() } else { plain(&self.view.text(memory.text)) };
        let mut beside = Vec::new();
        if memory.times > 1 {
            beside.push(format!("{} times", memory.times));
        }
        if let Some(by) = &memory.by {
            let what = match memory.fate {
                DiffFate::Synthesized => "in",
                DiffFate::Contested => "contested with",
                DiffFate::Superseded => "superseded by",
                _ => "corroborates",
            };
            beside.push(format!("{what} {}", code(by.id.as_str())));
        }
        if self.view.verbose {
            beside.push(plain(&reason(memory.reason)));
            beside.extend(memory.compared.as_ref().map(compared_statements));
        }
        let beside = if beside.is_empty() { String::new() } else { format!("<br>*{}*", beside.join("; ")) };
        format!(
            "| {} | {} | {} | {} | {text}{beside} |\n",
            mark.sign,
            code(memory.id.as_str()),
            when(memory.at),
            memory.importance
        )
    }

    fn proposal(&mut self, proposal: &Proposal<'_>) {
        let (_, what, sort) = sort(proposal.kind);
        let sort = sort.unwrap_or(proposal.of.as_str());
        let name =
            if proposal.name.is_empty() { String::new() } else { format!(": **{}**", plain(proposal.name)) };
        let similar = proposal.reason.values.get("similarity");
        let similar = similar.map_or_else(String::new, |cosine| format!(", similarity {cosine}"));
        let from: Vec<String> = proposal.sources.iter().map(|s| code(s.id.as_str())).collect();
        self.block(&format!(
            "→ proposed {what}{name} ({sort}, importance {}{similar}) {}\n> “{}”\n>\n> from {}",
            proposal.importance,
            code(proposal.id.as_str()),
            plain(&self.view.text(proposal.text)),
            from.join(", ")
        ));
        if self.view.verbose {
            self.block(&format!("> {}", plain(&reason(proposal.reason))));
        }
    }

    fn older(&mut self, older: &OlderChange, changes: &[&RecordDiff<'_>]) {
        if changes.is_empty() {
            return;
        }
        self.block(&format!("### {} ({})", capital(older.heading), changes.len()));
        let shown = shown_of(older.verb, self.view.verbose).min(changes.len());
        let mut list = String::new();
        for change in &changes[..shown] {
            list.push_str(&format!("- {}\n", self.entry(&change.entry)));
            if let Some((position, since)) = change.position.zip(change.since) {
                list.push_str(&format!("  - {}\n", plain(&ended_words(since, position))));
            }
            let sources = change.sources.iter().take(super::parts::repeats_shown(self.view.verbose));
            list.extend(sources.map(|source| format!("  - {} {}\n", older.link, self.entry(source))));
            if self.view.verbose {
                list.push_str(&format!("  - {}\n", plain(&reason(change.reason))));
                let compared = change.compared.as_ref().map(compared_statements);
                list.extend(compared.map(|compared| format!("  - {compared}\n")));
            }
        }
        if changes.len() > shown {
            list.push_str(&format!("- … and {} more\n", changes.len() - shown));
        }
        self.block(&list);
    }

    fn entry(&self, entry: &StatementRef<'_>) -> String {
        match entry.at {
            Some(at) => {
                let text = plain(&self.view.text(entry.text));
                format!("{} “{text}” ({})", code(entry.id.as_str()), when(at))
            }
            None => code(entry.id.as_str()),
        }
    }

    /// Appends a block, with a blank line after it.
    fn block(&mut self, text: &str) {
        self.out.push_str(text.trim_end());
        self.out.push_str("\n\n");
    }
}

/// Returns the two statements that were compared.
fn compared_statements([older, newer]: &[StatementRef<'_>; 2]) -> String {
    plain(&compared((older.id.as_str(), older.text), (newer.id.as_str(), newer.text)))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn code(id: &str) -> String {
    format!("<code>{}</code>", plain(id))
}

/// Returns the totals of a run, one per line.
pub(crate) fn totals(lines: &str) -> String {
    let lines: String = lines.lines().map(|line| format!("- {}\n", plain(line))).collect();
    format!("{lines}\n")
}

/// Returns text in which nothing is markup. Besides the marks of Markdown and its dialects this breaks the
/// patterns that are searched after the markup is read: `@name`, `#12`, and beginnings of addresses.
/// Number of memories with a fate, or of syntheses, that are shown of a theme: twice as many as in text.
fn twice(mark: &FateMark) -> usize {
    mark.shown.saturating_mul(2)
}

fn plain(text: &str) -> String {
    let text = clean(text);
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let before = text.as_bytes().get(at.saturating_sub(3)..at).unwrap_or_default();
        match c {
            // What a statement opens with is no address.
            ':' if chars.peek().is_some_and(|&(_, next)| next == ' ') => out.push(c),
            '@' | '#' => out.push_str(&format!("{c}<!-- -->")),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '$' | ':' | '^' => {
                out.push_str(&format!("&#{};", u32::from(c)));
            }
            '.' if before.eq_ignore_ascii_case(b"www") => out.push_str("&#46;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag};

    use super::*;

    /// Returns the visible text of a table cell, and true if anything else than text is in it.
    fn read(text: &str) -> (String, bool) {
        let page = format!("{HEAD}| x | {} | | | |\n", plain(text));
        let (mut seen, mut markup) = (String::new(), false);
        let typography = Options::ENABLE_SMART_PUNCTUATION;
        for event in Parser::new_ext(&page, Options::all() - typography) {
            match event {
                Event::Text(t) => seen.push_str(&t),
                Event::Html(_)
                | Event::InlineHtml(_)
                | Event::SoftBreak
                | Event::Start(Tag::Table(_) | Tag::TableHead | Tag::TableRow | Tag::TableCell)
                | Event::End(_) => {}
                _ => markup = true,
            }
        }
        (seen, markup)
    }

    #[test]
    fn player_text_never_becomes_markup() {
        for text in [
            "<script>alert(1)</script>",
            "[click](https://example.org) ![x](y) **bold** `code` ~~gone~~ | cell |",
            "https://example.org www.example.org a@b.org @admin #12 :smile: $x$",
            "--> <!-- &amp; &#64; \\",
            "a | b || c",
        ] {
            let (seen, markup) = read(text);
            assert!(!markup, "{text}");
            assert_eq!(seen, format!("memorywhenimportancex{text}"));
            assert!(!plain(text).contains("@admin") && !plain(text).contains(" #12"));
        }
    }

    proptest! {
        #[test]
        fn random_text_never_becomes_markup(text in "[ -~]{1,60}") {
            let text = text.trim();
            let (seen, markup) = read(text);
            prop_assert!(!markup, "{}", plain(text));
            prop_assert_eq!(seen, format!("memorywhenimportancex{text}"));
        }
    }
}

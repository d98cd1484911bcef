//! Plans and entries as people read them.

mod diff;
mod entry;
mod graph;
mod history;
mod nights;
mod table;
mod totals;

pub(crate) use diff::{View, markdown, markdown_totals, repeats_shown, shown, shown_of, text};
pub(crate) use entry::{contested_lines, entry_line, entry_title};
pub(crate) use graph::{Graph, Link, Node};
pub(crate) use history::history_line;
pub(crate) use nights::{Reading, each_night, nights, recollection, recollections};
pub(crate) use table::Table;
pub(crate) use totals::{run_totals, summary_line, upkeep_totals, wrapped};

use nightfold::memory::{AppliedNight, Reason, Value};

use crate::terminal::{clean, shortened};

/// A reason in words: the rule and what it looked at.
pub(crate) fn reason(reason: &Reason) -> String {
    let value = |(name, value): (&str, &Value)| format!("{} {value}", name.replace('_', " "));
    let looked: Vec<String> = match reason.comparison() {
        Some(comparison) => [comparison].into_iter().chain(reason.remaining_values().map(value)).collect(),
        None => reason.values.iter().map(|(name, v)| value((name, v))).collect(),
    };
    let text = if looked.is_empty() {
        reason.rule.to_string()
    } else {
        format!("{}: {}", reason.rule, looked.join(", "))
    };
    clean(&text).into_owned()
}

/// Number of letters of each of two texts that were compared.
const COMPARED: usize = 120;

/// The two texts that were compared, shortened: `compared [a] “…” with [b] “…”`.
pub(crate) fn compared(older: (&str, &str), newer: (&str, &str)) -> String {
    let quoted = |(id, text): (&str, &str)| match text.trim() {
        "" => format!("[{id}]"),
        text => format!("[{id}] “{}”", shortened(text, COMPARED)),
    };
    clean(&format!("compared {} with {}", quoted(newer), quoted(older))).into_owned()
}

/// An applied night in a few words.
pub(crate) fn night_title(night: &AppliedNight) -> String {
    let changes = usize::try_from(night.changes).unwrap_or(usize::MAX);
    clean(&format!("night {} ({})", night.night, count(changes, "change", "changes"))).into_owned()
}

/// `1 memory`, `3 memories`.
pub(crate) fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", noun(n, one, many))
}

/// The noun alone, for numbers that are set apart: `memory` of 1, `memories` of 3.
pub(crate) fn noun<'a>(n: usize, one: &'a str, many: &'a str) -> &'a str {
    if n == 1 { one } else { many }
}

/// Text on several lines, the first after `lead`, the others below its end.
pub(crate) fn hang(lead: &str, lead_width: usize, text: &str, width: usize) -> String {
    let indent = " ".repeat(lead_width);
    let options = textwrap::Options::new(width.saturating_sub(lead_width).max(20))
        // Ids are full of hyphens, and are copied by people.
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .break_words(true);
    let mut out = String::new();
    for (i, line) in textwrap::wrap(&clean(text), options).iter().enumerate() {
        out.push_str(if i == 0 { lead } else { &indent });
        out.push_str(line);
        out.push('\n');
    }
    out
}

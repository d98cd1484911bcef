//! Reasons, comparisons and nights in words, and text in lines.

use nightfold::memory::{AppliedNight, Reason};

use crate::{
    plural::count,
    terminal::{clean, shortened},
};

/// Returns a reason in words: the rule and the values it looked at.
pub(crate) fn reason(reason: &Reason) -> String {
    let looked = reason.details();
    let text = if looked.is_empty() {
        reason.rule.to_string()
    } else {
        format!("{}: {}", reason.rule, looked.join(", "))
    };
    clean(&text).into_owned()
}

/// Number of letters that are shown of each of two compared texts.
const COMPARED: usize = 120;

/// Returns two compared texts, shortened: `compared [a] “…” with [b] “…”`.
pub(crate) fn compared(older: (&str, &str), newer: (&str, &str)) -> String {
    let quoted = |(id, text): (&str, &str)| match text.trim() {
        "" => format!("[{id}]"),
        text => format!("[{id}] “{}”", shortened(text, COMPARED)),
    };
    clean(&format!("compared {} with {}", quoted(newer), quoted(older))).into_owned()
}

/// Returns an applied night in a few words.
pub(crate) fn night_title(night: &AppliedNight) -> String {
    let changes = usize::try_from(night.changes).unwrap_or(usize::MAX);
    clean(&format!("night {} ({})", night.night, count(changes, "change", "changes"))).into_owned()
}

/// Returns text wrapped to several lines, the first after `lead`, the following ones indented to the end of
/// `lead`.
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

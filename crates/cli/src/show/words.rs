//! Nights in words, and text in lines.

use nightfold::memory::AppliedNight;

use crate::{plural::count, terminal::clean};

/// Number of items that are shown before the rest is only counted.
const SHOWN: usize = 12;

/// Number of items that are shown.
pub(crate) fn shown(verbose: bool) -> usize {
    if verbose { usize::MAX } else { SHOWN }
}

/// Returns an applied night in a few words.
pub(crate) fn night_title(night: &AppliedNight) -> String {
    clean(&format!("night {} ({})", night.night, count(night.changes, "change", "changes"))).into_owned()
}

/// Returns text wrapped to several lines, the first after `lead`, the following ones indented to the end of
/// `lead`.
pub(crate) fn wrap_hanging(lead: &str, lead_width: usize, text: &str, width: usize) -> String {
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

//! Text for a terminal: colours where there is one, and no control characters from what players wrote.

use std::{borrow::Cow, io::IsTerminal};

use unicode_segmentation::UnicodeSegmentation;

pub(crate) use nightfold::memory::{clean, is_unsafe};

/// Returns a text of more than `most` characters shortened to at most that length, with a mark for the
/// omitted rest.
pub(crate) fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    if text.char_indices().nth(most).is_none() {
        return Cow::Borrowed(text);
    }
    let room = text.char_indices().nth(most.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    // Letters with marks and joined emoji stay whole, unless the first of them alone is too long.
    let starts = text.grapheme_indices(true).map(|(at, _)| at).take_while(|at| *at <= room);
    let end = starts.last().filter(|at| *at > 0).unwrap_or(room);
    Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default()))
}

/// Cleans a text as [`clean`] does, but keeps its line breaks.
pub(crate) fn clean_lines(text: &str) -> String {
    text.lines().map(clean).collect::<Vec<_>>().join("\n")
}

/// Properties of standard output.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminal {
    colour: bool,
    /// Number of columns to fill.
    pub(crate) width: usize,
}

/// Meaning of a piece of text, which decides its colour.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TextRole {
    Title,
    Kept,
    Told,
    Known,
    Replaced,
    Insight,
    Gone,
    Faint,
}

impl Terminal {
    /// Returns the properties of standard output, unless the environment overrides them: `NO_COLOR`,
    /// `CLICOLOR_FORCE`, `COLUMNS`.
    pub(crate) fn stdout() -> Self {
        let is_terminal = std::io::stdout().is_terminal();
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let forced = std::env::var("CLICOLOR_FORCE").is_ok_and(|value| !matches!(&*value, "" | "0"));
        let colour = (is_terminal || forced) && !set("NO_COLOR");
        let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let width = match columns {
            Some(columns) => columns,
            None if is_terminal => textwrap::termwidth(),
            None => 100,
        };
        Self { colour, width: width.clamp(60, 140) }
    }

    /// Returns a terminal of `width` columns, without colour.
    #[cfg(feature = "mcp")]
    pub(crate) fn plain(width: usize) -> Self {
        Self { colour: false, width }
    }

    pub(crate) fn paint(self, role: TextRole, text: &str) -> String {
        if !self.colour {
            return text.to_owned();
        }
        let code = match role {
            TextRole::Title => "1",
            TextRole::Kept => "32",
            TextRole::Told => "36",
            TextRole::Known => "34",
            TextRole::Replaced => "33",
            TextRole::Insight => "35",
            TextRole::Gone => "31",
            TextRole::Faint => "2",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_between_graphemes() {
        assert_eq!(shortened("It rained", 9), "It rained");
        assert_eq!(shortened("It rained", 6), "It ra…");
        // An e with an acute accent, as two characters, and a family of three, as five.
        assert_eq!(shortened("cafe\u{301}s", 5), "caf…");
        assert_eq!(shortened("ab👨\u{200d}👩\u{200d}👧cd", 5), "ab…");
        assert_eq!(shortened("ab👨\u{200d}👩\u{200d}👧cd", 8), "ab👨\u{200d}👩\u{200d}👧…");
    }

    #[test]
    fn text_of_one_endless_grapheme_is_cut_too() {
        let text = format!("a{}", "\u{301}".repeat(10_000));
        assert_eq!(shortened(&text, 10).chars().count(), 10);
    }
}

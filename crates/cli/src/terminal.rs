//! What reaches a terminal: colours when there is one, and never what a player wrote to steer it.

use std::{borrow::Cow, fmt::Write as _, io::IsTerminal};

/// Characters that could steer a terminal, turn the reading order round, break a line or hide what is written:
/// controls (C0, DEL, C1), line and paragraph separators, and what shows nothing of its own (Unicode's
/// `Default_Ignorable_Code_Point`: bidi controls, zero-width characters, fillers, tags; and the interlinear
/// annotations). The variation selectors that emoji are written with may stand.
pub(crate) fn steers(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// The text with everything that could steer a terminal made visible; line breaks become spaces.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(steers) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => out.push(' '),
            c if steers(c) => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// The beginning of a text of more than so many characters, with a mark that it goes on.
pub(crate) fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    if text.char_indices().nth(most).is_none() {
        return Cow::Borrowed(text);
    }
    let begun: String = text.chars().take(most.saturating_sub(1)).collect();
    Cow::Owned(format!("{begun}…"))
}

/// As [`clean`], with the line breaks kept.
pub(crate) fn clean_lines(text: &str) -> String {
    text.lines().map(clean).collect::<Vec<_>>().join("\n")
}

/// How standard output is written to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminal {
    colour: bool,
    /// Columns to fill.
    pub(crate) width: usize,
}

/// What a piece of text is, which decides its colour.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Role {
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
    /// As standard output is, unless the environment wants it otherwise: `NO_COLOR`, `CLICOLOR_FORCE`, `COLUMNS`.
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

    /// So many columns, without colour.
    pub(crate) fn plain(width: usize) -> Self {
        Self { colour: false, width }
    }

    pub(crate) fn paint(self, role: Role, text: &str) -> String {
        if !self.colour {
            return text.to_owned();
        }
        let code = match role {
            Role::Title => "1",
            Role::Kept => "32",
            Role::Told => "36",
            Role::Known => "34",
            Role::Replaced => "33",
            Role::Insight => "35",
            Role::Gone => "31",
            Role::Faint => "2",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_a_player_writes_steers_the_terminal() {
        assert_eq!(clean("a\u{1b}[2Jb\u{9b}c\u{202e}d\ne"), "a\\u{1b}[2Jb\\u{9b}c\\u{202e}d e");
        assert_eq!(clean("a\u{200b}b\u{61c}c\u{2028}d\u{e0041}"), "a\\u{200b}b\\u{61c}c\\u{2028}d\\u{e0041}");
        assert_eq!(clean("d\u{ad}e\u{2062}f\u{180e}\u{fff9}g"), "d\\u{ad}e\\u{2062}f\\u{180e}\\u{fff9}g");
        assert_eq!(clean("Grüße, “Mara” — 3 €"), "Grüße, “Mara” — 3 €");
        assert_eq!(clean("\u{2764}\u{fe0f}"), "\u{2764}\u{fe0f}");
    }
}

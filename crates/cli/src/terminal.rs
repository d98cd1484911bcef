//! What reaches a terminal: colours when there is one, and never what a player wrote to steer it.

use std::{borrow::Cow, io::IsTerminal};

pub(crate) use nightfold::memory::{clean, steers};

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

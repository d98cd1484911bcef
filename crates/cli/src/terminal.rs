//! What reaches a terminal: colours when there is one, and never what a player wrote to steer it.

use std::io::IsTerminal;

pub(crate) use nightfold::memory::{clean, steers};

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
    /// As standard output is.
    pub(crate) fn stdout() -> Self {
        let is_terminal = std::io::stdout().is_terminal();
        let colour = is_terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        let width = if is_terminal { textwrap::termwidth().clamp(60, 140) } else { 100 };
        Self { colour, width }
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

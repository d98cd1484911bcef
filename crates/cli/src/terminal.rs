//! Text for a terminal: colours where there is one, and no control characters from what players wrote.

use std::io::IsTerminal;

pub(crate) use nightfold::consolidate::review::{TextRole, shortened};
pub(crate) use nightfold::memory::{clean, is_unsafe};

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

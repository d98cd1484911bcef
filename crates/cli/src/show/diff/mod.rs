//! One NPC's night as a diff: on a terminal, and as Markdown.

mod markdown;
mod text;

use std::borrow::Cow;

use nightfold::{
    consolidate::review::{Fate, ProposalKind, Section},
    memory::{ClusterReport, GameTime, NightReport},
};

pub(crate) use self::{
    markdown::{night as markdown, totals as markdown_totals},
    text::night as text,
};
use super::count;
use crate::terminal::{Role, Terminal, shortened};

/// How many changes of one sort are shown before the rest is only counted.
const SHOWN: usize = 12;

/// How many letters of a text are shown: players may write pages.
const LETTERS: usize = 600;

/// How many of what another stands for are shown.
const REPEATS: usize = 8;

/// How a diff is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    pub(crate) terminal: Terminal,
    /// Every change, with its reason.
    pub(crate) verbose: bool,
    /// What its reader does to see what is left out.
    pub(crate) more: &'static str,
}

impl View {
    /// A text as far as it is shown.
    fn text(self, text: &str) -> Cow<'_, str> {
        if self.verbose { Cow::Borrowed(text) } else { shortened(text, LETTERS) }
    }

    /// For the reader of standard output.
    pub(crate) fn stdout(verbose: bool) -> Self {
        Self { terminal: Terminal::stdout(), verbose, more: "-v shows every change with its reason" }
    }
}

/// How many of what another stands for is shown.
pub(crate) fn repeats_shown(verbose: bool) -> usize {
    if verbose { usize::MAX } else { REPEATS }
}

/// How many changes of one sort are shown.
pub(crate) fn shown(verbose: bool) -> usize {
    if verbose { usize::MAX } else { SHOWN }
}

/// Number of changes of a verb that are shown: a belief that is contradicted always is.
pub(crate) fn shown_of(verb: &str, verbose: bool) -> usize {
    shown(verbose || matches!(verb, "supersede" | "contest"))
}

/// How a memory's fate is told.
struct Mark {
    role: Role,
    sign: &'static str,
    means: &'static str,
    /// How many of a theme are shown: what stays is what a reader came for.
    shown: usize,
}

/// In the order in which a theme's memories are told.
const FATES: [Fate; 6] =
    [Fate::Kept, Fate::Told, Fate::Known, Fate::Contested, Fate::Superseded, Fate::LetGo];

fn mark(fate: Fate) -> Mark {
    let of = |role, sign, means, shown| Mark { role, sign, means, shown };
    match fate {
        Fate::Kept => of(Role::Kept, "+", "kept", 8),
        Fate::Told => of(Role::Told, "~", "told as one", 6),
        Fate::Known => of(Role::Known, "=", "known already", 4),
        Fate::Contested => of(Role::Replaced, "?", "contested", usize::MAX),
        Fate::Superseded => of(Role::Replaced, "!", "no longer true", 4),
        Fate::LetGo => of(Role::Gone, "-", "let go", 3),
    }
}

/// A time to the minute where it is a date, else the game's own seconds.
fn when(at: GameTime) -> String {
    let text = at.to_string();
    match text.split_once('T') {
        Some((date, time)) => format!("{date} {}", time.get(..5).unwrap_or(time)),
        None => format!("second {text}"),
    }
}

/// What becomes of the day, in a sentence.
fn outcome(report: &NightReport) -> String {
    let mut line = format!(
        "{}, {} different → {} kept",
        count(report.memories, "memory", "memories"),
        report.distinct,
        report.kept
    );
    if report.distinct > 0 {
        line = format!("{line} ({:.0} % fewer)", report.reduction * 100.0);
    }
    if report.collapsed > 0 {
        let lines = count(report.collapsed, "status line", "status lines");
        line = format!("{line}, {lines} folded into others");
    }
    if report.important > 0 {
        line = format!("{line}, {} of {} important ones whole", report.important_kept, report.important);
    }
    if report.share_of_night < 1.0 {
        line = format!("{line}; slept at {:.0} % of a full night's budgets", report.share_of_night * 100.0);
    }
    line
}

/// The most telling words of a theme.
fn name(theme: &ClusterReport) -> &str {
    if theme.name.is_empty() { "(no telling words)" } else { &theme.name }
}

/// What a section of the day is, after its name.
fn about(section: &Section<'_>) -> String {
    let Some(theme) = section.theme else {
        return count(section.memories.len(), "memory", "memories");
    };
    let recurred = match theme.recurred {
        0 => String::new(),
        nights => format!(", known from {}", count(nights, "earlier night", "earlier nights")),
    };
    format!(
        "{}, similarity {:.2}, keeps {} of a budget of {}{recurred}",
        count(theme.size, "memory", "memories"),
        theme.cohesion_parts.cosine,
        theme.kept,
        theme.storage_budget
    )
}

/// What a theme's cohesion is made of: what counts with its weight, then what was only measured.
fn cohesion(theme: &ClusterReport, report: &NightReport) -> String {
    let weights = report.cohesion_weights.named();
    let parts = theme.cohesion_parts.named();
    let of = |counts: bool| {
        let wanted = parts.iter().zip(&weights).filter(move |(_, (_, weight))| (*weight > 0.0) == counts);
        wanted.map(move |((name, part), (_, weight))| {
            let name = name.replace('_', " ");
            if counts { format!("{name} {part:.2} × {weight}") } else { format!("{name} {part:.2}") }
        })
    };
    let (counts, beside): (Vec<_>, Vec<_>) = (of(true).collect(), of(false).collect());
    let beside = if beside.is_empty() { String::new() } else { format!("; beside it {}", beside.join(", ")) };
    format!("cohesion {:.2}: {}{beside}", theme.cohesion, counts.join(" + "))
}

/// What is proposed: a synthesis, or an insight of some sort.
fn sort(kind: ProposalKind) -> (Role, &'static str, Option<&'static str>) {
    match kind {
        ProposalKind::Synthesis => (Role::Told, "synthesis", None),
        ProposalKind::Insight(sort) => (Role::Insight, "insight", Some(sort.as_str())),
    }
}

/// What is done with an entry of an earlier night.
struct Older {
    verb: &'static str,
    role: Role,
    mark: &'static str,
    heading: &'static str,
    /// What stands before each of its sources.
    link: &'static str,
}

/// In the order in which they are told.
const OLDER: [Older; 8] = [
    Older { verb: "supersede", role: Role::Replaced, mark: "!", heading: "no longer true", link: "by" },
    Older { verb: "contest", role: Role::Replaced, mark: "?", heading: "contested", link: "with" },
    Older { verb: "strengthen", role: Role::Known, mark: "=", heading: "insights drawn again", link: "from" },
    Older { verb: "collapse", role: Role::Known, mark: "&", heading: "status lines made one", link: "for" },
    Older { verb: "chunk", role: Role::Told, mark: "~", heading: "old entries told in short", link: "from" },
    Older { verb: "restore", role: Role::Kept, mark: ">", heading: "brought back", link: "by" },
    Older { verb: "archive", role: Role::Gone, mark: "<", heading: "put away", link: "for" },
    Older { verb: "forget", role: Role::Gone, mark: "-", heading: "forgotten", link: "for" },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_as_the_game_counts_it() {
        let at = |json: &str| serde_json::from_str::<GameTime>(json).unwrap();
        assert_eq!(when(at("\"1204-05-03T06:10:59Z\"")), "1204-05-03 06:10");
        assert_eq!(when(at("22200")), "second 22200");
    }
}

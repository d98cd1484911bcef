//! Parts that both forms of a diff share.

use std::borrow::Cow;

use nightfold::{
    consolidate::review::{Diff, DiffFate, ProposalKind, Section},
    memory::{ClusterReport, GameTime, NightReport, Rule},
};

use crate::{
    plural::count,
    terminal::{Terminal, TextRole, shortened},
};

/// Number of changes of one verb that are shown before the rest is only counted.
const SHOWN: usize = 12;

/// Number of letters of a text that are shown: players may write pages.
const LETTERS: usize = 600;

/// Number of repeats that are shown of a canonical entry.
const REPEATS: usize = 8;

/// Returns the title of the proposals that belong to no single theme.
pub(super) fn across_title(diff: &Diff<'_>) -> &'static str {
    let is_distilled = diff.across.iter().all(|proposal| proposal.reason.rule == Rule::Distilled);
    if is_distilled { "Learned from several days" } else { "Across themes" }
}

/// Form in which a diff is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DiffView {
    pub(crate) terminal: Terminal,
    /// Shows every change, with its reason.
    pub(crate) verbose: bool,
    /// Hint on the way to see what is left out.
    pub(crate) more: &'static str,
}

impl DiffView {
    /// Returns a text as far as it is shown.
    pub(super) fn text(self, text: &str) -> Cow<'_, str> {
        if self.verbose { Cow::Borrowed(text) } else { shortened(text, LETTERS) }
    }

    /// Returns the form for standard output.
    pub(crate) fn stdout(verbose: bool) -> Self {
        Self { terminal: Terminal::stdout(), verbose, more: "-v shows every change with its reason" }
    }
}

/// Number of repeats that are shown of a canonical entry.
pub(crate) fn repeats_shown(verbose: bool) -> usize {
    if verbose { usize::MAX } else { REPEATS }
}

/// Number of changes of one verb that are shown.
pub(crate) fn shown(verbose: bool) -> usize {
    if verbose { usize::MAX } else { SHOWN }
}

/// Number of changes of this verb that are shown: all, if a belief is contradicted.
pub(crate) fn shown_of(verb: &str, verbose: bool) -> usize {
    shown(verbose || matches!(verb, "supersede" | "contest" | "end"))
}

/// Sign and words of a memory's fate.
pub(super) struct FateMark {
    pub(super) role: TextRole,
    pub(super) sign: &'static str,
    pub(super) means: &'static str,
    /// Number of memories with this fate that are shown for each theme; higher for memories that stay.
    pub(super) shown: usize,
}

/// Fates in the order in which a theme's memories are shown.
pub(super) const FATES: [DiffFate; 6] = [
    DiffFate::Kept,
    DiffFate::Synthesized,
    DiffFate::Corroborated,
    DiffFate::Contested,
    DiffFate::Superseded,
    DiffFate::Archived,
];

pub(super) fn mark(fate: DiffFate) -> FateMark {
    let of = |role, sign, means, shown| FateMark { role, sign, means, shown };
    match fate {
        DiffFate::Kept => of(TextRole::Kept, "+", "kept", 8),
        DiffFate::Synthesized => of(TextRole::Told, "~", "in a synthesis", 6),
        DiffFate::Corroborated => of(TextRole::Known, "=", "corroborating", 4),
        DiffFate::Contested => of(TextRole::Replaced, "?", "contested", usize::MAX),
        DiffFate::Superseded => of(TextRole::Replaced, "!", "superseded", 4),
        DiffFate::Archived => of(TextRole::Gone, "-", "pruned", 3),
    }
}

/// Returns a time to the minute if it is a date, else in seconds of the game.
pub(super) fn when(at: GameTime) -> String {
    let text = at.to_string();
    match text.split_once('T') {
        Some((date, time)) => format!("{date} {}", time.get(..5).unwrap_or(time)),
        None => format!("second {text}"),
    }
}

/// Returns the outcome of the day in a sentence.
pub(super) fn outcome(report: &NightReport) -> String {
    let mut line = format!(
        "{}, {} different → {} kept",
        count(report.counts.memories, "memory", "memories"),
        report.counts.distinct,
        report.counts.kept
    );
    if report.counts.distinct > 0 {
        line = format!("{line} ({:.0} % fewer)", report.reduction * 100.0);
    }
    if report.counts.collapsed > 0 {
        let lines = count(report.counts.collapsed, "status line", "status lines");
        line = format!("{line}, {lines} folded into others");
    }
    if report.important > 0 {
        line = format!("{line}, {} of {} important ones whole", report.important_kept, report.important);
    }
    if report.share_of_night < 1.0 {
        line = format!("{line}; slept at {:.0} % of a full night's budgets", report.share_of_night * 100.0);
    }
    if let Some(profile) = &report.profile {
        line = format!("{line}; profile {profile}");
    }
    line
}

/// Returns the name of a theme: its most distinctive words.
pub(super) fn name(theme: &ClusterReport) -> &str {
    if theme.name.is_empty() { "(no telling words)" } else { &theme.name }
}

/// Returns the description of a section of the day, which follows its name.
pub(super) fn about(section: &Section<'_>) -> String {
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

/// Returns the parts of a theme's cohesion: those that count with their weights, then those that were only
/// measured.
pub(super) fn cohesion(theme: &ClusterReport, report: &NightReport) -> String {
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

/// Returns the name of a proposal: a synthesis, or the kind of an insight.
pub(super) fn sort(kind: ProposalKind) -> (TextRole, &'static str, Option<&'static str>) {
    match kind {
        ProposalKind::Synthesis => (TextRole::Told, "synthesis", None),
        ProposalKind::Insight(sort) => (TextRole::Insight, "insight", Some(sort.as_str())),
    }
}

/// Change of an entry of an earlier night.
pub(super) struct OlderChange {
    pub(super) verb: &'static str,
    pub(super) role: TextRole,
    pub(super) mark: &'static str,
    pub(super) heading: &'static str,
    /// Word before each of its sources.
    pub(super) link: &'static str,
}

/// Changes in the order in which they are shown.
pub(super) const OLDER: [OlderChange; 9] = [
    OlderChange { verb: "supersede", role: TextRole::Replaced, mark: "!", heading: "superseded", link: "by" },
    OlderChange { verb: "contest", role: TextRole::Replaced, mark: "?", heading: "contested", link: "with" },
    OlderChange { verb: "end", role: TextRole::Replaced, mark: "/", heading: "ended", link: "because of" },
    OlderChange {
        verb: "strengthen",
        role: TextRole::Known,
        mark: "=",
        heading: "insights drawn again",
        link: "from",
    },
    OlderChange {
        verb: "collapse",
        role: TextRole::Known,
        mark: "&",
        heading: "status lines made one",
        link: "for",
    },
    OlderChange {
        verb: "chunk",
        role: TextRole::Told,
        mark: "~",
        heading: "old entries summarised",
        link: "from",
    },
    OlderChange { verb: "restore", role: TextRole::Kept, mark: ">", heading: "restored", link: "by" },
    OlderChange { verb: "archive", role: TextRole::Gone, mark: "<", heading: "archived", link: "for" },
    OlderChange { verb: "forget", role: TextRole::Gone, mark: "-", heading: "forgotten", link: "for" },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_shown_as_date_or_seconds() {
        let at = |json: &str| serde_json::from_str::<GameTime>(json).unwrap();
        assert_eq!(when(at("\"1204-05-03T06:10:59Z\"")), "1204-05-03 06:10");
        assert_eq!(when(at("22200")), "second 22200");
    }
}

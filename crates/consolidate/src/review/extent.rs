//! Share of a night that is shown.

/// Number of changes of one verb that are shown before the rest is only counted.
const CHANGES: usize = 12;

/// Number of entries that are shown of those that a line refers to.
const LINKS: usize = 8;

/// Share of a night that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The first memories of each fate; the rest is counted.
    Brief,
    /// Twice as many as [`Brief`](Self::Brief), and all pruned memories.
    Review,
    /// Every memory and every change.
    All,
    /// Every memory and every change, each with its reason.
    Reasons,
}

impl Extent {
    /// Number of changes of older entries with this verb: all, if a belief is contradicted.
    pub(super) fn changes(self, verb: &str) -> usize {
        if matches!(verb, "supersede" | "contest" | "end") { usize::MAX } else { self.of(CHANGES) }
    }

    /// Number of entries that a line refers to.
    pub(super) fn links(self) -> usize {
        self.of(LINKS)
    }

    pub(super) fn of(self, brief: usize) -> usize {
        match self {
            Self::Brief => brief,
            Self::Review => 2 * brief,
            Self::All | Self::Reasons => usize::MAX,
        }
    }
}

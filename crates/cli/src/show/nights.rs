//! The nights of a run, one after the other.

use nightfold::{
    consolidate::review::{EarlierEntries, Extent, NightView},
    memory::{MemoryReader, NpcId, NpcNight},
};

use crate::{error::CliError, terminal::Terminal};

/// Detail in which a night is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// A dozen lines at most.
    Summary,
    /// The changes, of each fate the first.
    Changes,
    /// Every change, with its reason.
    Reasons,
}

impl From<u8> for Detail {
    /// Returns the detail of nights for a number of `-v`.
    fn from(verbose: u8) -> Self {
        match verbose {
            0 => Self::Summary,
            1 => Self::Changes,
            _ => Self::Reasons,
        }
    }
}

/// Form in which a night is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DiffView {
    pub(crate) terminal: Terminal,
    pub(crate) detail: Detail,
    /// Hint on the way to see what is left out.
    pub(crate) more: &'static str,
}

impl DiffView {
    /// Returns the form of nights for standard output.
    pub(crate) fn of_nights(verbose: u8) -> Self {
        let detail = Detail::from(verbose);
        let more = match detail {
            Detail::Summary => "-v shows each memory with its fate, -vv the reasons too",
            Detail::Changes | Detail::Reasons => "-vv shows every change with its reason",
        };
        Self { terminal: Terminal::stdout(), detail, more }
    }

    /// Returns the form of plans of maintenance for standard output.
    pub(crate) fn of_maintenance(verbose: bool) -> Self {
        let detail = if verbose { Detail::Reasons } else { Detail::Changes };
        Self { terminal: Terminal::stdout(), detail, more: "-v shows every change with its reason" }
    }

    /// Share of a night that is shown; `brief` if not every change is.
    pub(super) fn extent(self, brief: Extent) -> Extent {
        if self.detail == Detail::Reasons { Extent::Reasons } else { brief }
    }
}

/// Sequence of nights. They come by NPC and then in order of time, as in a plan.
#[derive(Debug, Default)]
pub(crate) struct NightSequence {
    /// NPC whose nights are being shown, and its entries before the next of them.
    known: Option<(NpcId, EarlierEntries)>,
}

impl NightSequence {
    /// Hands the view of the next night to `show`. Entries of nights before the sequence are read from `store`, if
    /// it is at hand; of maintenance those that `extent` shows.
    pub(crate) fn night<T>(
        &mut self,
        night: &NpcNight,
        store: Option<&dyn MemoryReader>,
        extent: Extent,
        show: impl FnOnce(&NightView<'_>) -> T,
    ) -> Result<T, CliError> {
        let mut known = match self.known.take() {
            Some((npc, known)) if npc == night.npc => known,
            _ => EarlierEntries::new(),
        };
        if let Some(store) = store {
            known.look_up(night, extent, store)?;
        }
        let shown = show(&NightView::of(night, &known));
        known.remember(night);
        self.known = Some((night.npc.clone(), known));
        Ok(shown)
    }
}

/// Returns nights as one text.
pub(crate) fn nights<'a>(
    nights: impl IntoIterator<Item = &'a NpcNight>,
    store: Option<&dyn MemoryReader>,
    view: DiffView,
    show: impl Fn(&NightView<'_>, DiffView) -> String,
) -> Result<String, CliError> {
    let mut sequence = NightSequence::default();
    let extent = view.extent(Extent::Review);
    nights.into_iter().map(|night| sequence.night(night, store, extent, |night| show(night, view))).collect()
}

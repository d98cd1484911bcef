//! The nights of a run, one after the other.

use nightfold::{
    consolidate::review::{EarlierEntries, Extent, NightView},
    memory::{MemoryReader, NpcId, NpcNight},
};

use crate::{error::CliError, terminal::Terminal};

/// Form in which a night is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DiffView {
    pub(crate) terminal: Terminal,
    /// Shows every change, with its reason.
    pub(crate) verbose: bool,
    /// Hint on the way to see what is left out.
    pub(crate) more: &'static str,
}

impl DiffView {
    /// Returns the form for standard output.
    pub(crate) fn stdout(verbose: bool) -> Self {
        Self { terminal: Terminal::stdout(), verbose, more: "-v shows every change with its reason" }
    }

    /// Share of a night that is shown; `brief` if not every change is.
    pub(super) fn extent(self, brief: Extent) -> Extent {
        if self.verbose { Extent::Reasons } else { brief }
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

//! The nights of a run as diffs, one after the other.

use nightfold::{
    consolidate::review::{Diff, EarlierEntries, EarlierEntry},
    memory::{Change, Entry, Memory, MemoryRecord, NpcId, NpcNight},
};

use crate::error::CliError;

/// Sequence of nights as diffs. They come by NPC and then in order of time, as in a plan.
#[derive(Debug, Default)]
pub(crate) struct DiffSequence {
    /// NPC whose nights are being shown, and its texts before the next of them.
    known: Option<(NpcId, EarlierEntries)>,
}

impl DiffSequence {
    /// Hands the next night's diff to `show`; `before` looks up an NPC's texts before the first of its
    /// nights.
    pub(crate) fn night<T>(
        &mut self,
        night: &NpcNight,
        before: impl FnOnce(&NpcId) -> Result<EarlierEntries, CliError>,
        show: impl FnOnce(&Diff<'_>) -> T,
    ) -> Result<T, CliError> {
        let mut texts = match self.known.take() {
            Some((npc, texts)) if npc == night.npc => texts,
            _ => before(&night.npc)?,
        };
        let shown = show(&Diff::of(night, &texts));
        remember(&mut texts, night);
        self.known = Some((night.npc.clone(), texts));
        Ok(shown)
    }
}

/// Hands each night's diff to `show`, as [`DiffSequence::night`] does.
pub(crate) fn each_night<'a>(
    nights: impl IntoIterator<Item = &'a NpcNight>,
    mut before: impl FnMut(&NpcId) -> Result<EarlierEntries, CliError>,
    mut show: impl FnMut(&Diff<'_>) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let mut reading = DiffSequence::default();
    nights.into_iter().try_for_each(|night| reading.night(night, &mut before, &mut show)?)
}

/// Returns nights as one text.
pub(crate) fn nights<'a>(
    nights: impl IntoIterator<Item = &'a NpcNight>,
    before: impl FnMut(&NpcId) -> Result<EarlierEntries, CliError>,
    show: impl Fn(&Diff<'_>) -> String,
) -> Result<String, CliError> {
    let mut out = String::new();
    each_night(nights, before, |diff| {
        out.push_str(&show(diff));
        Ok(())
    })?;
    Ok(out)
}

/// Returns the texts of entries, for nights that refer to them.
pub(crate) fn recollections(entries: impl IntoIterator<Item = MemoryRecord>) -> EarlierEntries {
    entries.into_iter().map(|memory| (memory.entry.id.clone(), recollection(&memory.entry))).collect()
}

pub(crate) fn recollection(entry: &Entry) -> EarlierEntry {
    EarlierEntry { text: entry.text.clone(), at: entry.at }
}

/// Adds the texts that a night would write, and those it prunes, for later nights that refer to them: a
/// pruned memory may be restored.
fn remember(texts: &mut EarlierEntries, night: &NpcNight) {
    let told = |memory: &Memory| EarlierEntry { text: memory.text.clone(), at: memory.at };
    texts.extend(night.restorable().map(|memory| (memory.id.clone(), told(memory))));
    let entries = night.changes.iter().filter_map(Change::entry);
    texts.extend(entries.map(|entry| (entry.id.clone(), recollection(entry))));
}

//! The nights of a run as diffs, one after the other.

use nightfold::{
    consolidate::review::{Before, Diff, Recollection},
    memory::{Change, Entry, LongTermMemory, NpcId, NpcNight},
};

use crate::error::CliError;

/// Lays nights out and hands them to `show`. They come by NPC and then in order of time, as in a plan; `before` looks up
/// what an NPC knows before the first of them.
pub(crate) fn each_night<'a>(
    nights: impl IntoIterator<Item = &'a NpcNight>,
    mut before: impl FnMut(&NpcId) -> Result<Before, CliError>,
    mut show: impl FnMut(&Diff<'_>) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let mut known: Option<(&NpcId, Before)> = None;
    for planned in nights {
        let mut texts = match known.take() {
            Some((npc, texts)) if *npc == planned.npc => texts,
            _ => before(&planned.npc)?,
        };
        show(&Diff::of(planned, &texts))?;
        remember(&mut texts, planned);
        known = Some((&planned.npc, texts));
    }
    Ok(())
}

/// Nights as one text.
pub(crate) fn nights<'a>(
    nights: impl IntoIterator<Item = &'a NpcNight>,
    before: impl FnMut(&NpcId) -> Result<Before, CliError>,
    show: impl Fn(&Diff<'_>) -> String,
) -> Result<String, CliError> {
    let mut out = String::new();
    each_night(nights, before, |diff| {
        out.push_str(&show(diff));
        Ok(())
    })?;
    Ok(out)
}

/// What entries say, for nights that speak of them.
pub(crate) fn recollections(entries: impl IntoIterator<Item = LongTermMemory>) -> Before {
    entries.into_iter().map(|memory| (memory.entry.id.clone(), recollection(&memory.entry))).collect()
}

pub(crate) fn recollection(entry: &Entry) -> Recollection {
    Recollection { text: entry.text.clone(), at: entry.at }
}

/// Adds what a night would write, for the later nights that speak of it.
fn remember(texts: &mut Before, night: &NpcNight) {
    let entries = night.changes.iter().filter_map(Change::entry);
    texts.extend(entries.map(|entry| (entry.id.clone(), recollection(entry))));
}

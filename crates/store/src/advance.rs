//! The past after a night, without a store: what a run of several nights plans its later ones from.

use nightfold_memory::{Known, MemoryId, NpcNight, Past, State, StoreError};

use crate::{
    effect::{Before, Verdict, judge},
    fault::backend,
};

/// Brings a past to where applying the night would bring the store's.
///
/// # Errors
/// [`StoreError`] when a store in that state would refuse the night; the past is as it was then.
pub fn advance(past: &mut Past, night: &NpcNight) -> Result<(), StoreError> {
    let before = Before { version: past.version, applied: false, model: past.model.clone() };
    let entries = &past.entries;
    let at = |id: &MemoryId| entries.binary_search_by(|m| m.entry.id.cmp(id));
    // What is archived is not at hand, and not needed: a night planned from this past writes to no such id.
    let lookup = |id: &MemoryId| Ok::<_, StoreError>(at(id).ok().map(|i| entries[i].clone()));
    let Verdict::Write(effect) = judge(night, before, lookup)? else { return Ok(()) };
    let version = night.next_version().map_err(backend)?;
    if effect.has_vectors() {
        past.model = Some(night.model.clone());
    }
    for row in effect.inserted.iter().chain(&effect.updated) {
        past.known.insert(row.entry.id.clone(), Known::of(&row.entry.text, row.entry.at));
    }
    for row in effect.inserted.into_iter().chain(effect.updated) {
        match (past.entries.binary_search_by(|m| m.entry.id.cmp(&row.entry.id)), row.state) {
            (Ok(i), State::Active) => past.entries[i] = row,
            (Ok(i), State::Archived) => {
                past.entries.remove(i);
            }
            (Err(i), State::Active) => past.entries.insert(i, row),
            (Err(_), State::Archived) => {}
        }
    }
    past.version = version;
    Ok(())
}

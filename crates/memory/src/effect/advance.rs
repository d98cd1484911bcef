//! The past after a night, without a store: what a run of several nights plans its later ones from.

use std::collections::BTreeSet;

use super::{Decision, PriorRows, PriorState, conflict, effect_of, without_vector};
use crate::{Fingerprint, MemoryId, MemoryRecord, MemorySnapshot, NpcNight, State, StoreError, ThemeId};

/// Brings a past to where applying the night would bring the store's.
///
/// It knows no more than the past holds: what is active, and of what is archived the statements that were let go last. A
/// collapse of older entries is refused, for what is archived may name them; so is restoring what the past does not hold. Of
/// more than [`MemorySnapshot::MOST_ARCHIVED`] statements that were let go, no older one takes the place of one that leaves them.
///
/// # Errors
/// [`StoreError`] when a store in that state would refuse the night, or when more would have to be known; the
/// past is as it was then.
pub fn advance(past: &mut MemorySnapshot, night: &NpcNight) -> Result<(), StoreError> {
    let before = PriorState { version: past.version, applied: false, model: past.model.clone() };
    let at_hand = SnapshotRows { past, night };
    let Decision::Write(effect) = effect_of(night, before, &at_hand)? else {
        return Ok(());
    };
    let version = night.next_version().map_err(StoreError::backend)?;
    if effect.has_vectors() {
        past.model = Some(night.model.clone());
    }
    for row in effect.inserted.iter().chain(&effect.updated) {
        past.known.insert(row.entry.id.clone(), Fingerprint::of(&row.entry.text, row.entry.at));
    }
    for mut row in effect.inserted.into_iter().chain(effect.updated) {
        let id = &row.entry.id;
        let let_go = past.archived.iter().position(|held| held.entry.id == *id);
        let held = let_go.and_then(|i| past.archived.remove(i).entry.vector);
        match (place(&past.entries, id), row.state) {
            (Ok(i), State::Active) => {
                row.entry.vector = row.entry.vector.or(past.entries[i].entry.vector.take());
                past.entries[i] = row;
            }
            (Ok(i), State::Archived) => {
                row.entry.vector = row.entry.vector.or(past.entries.remove(i).entry.vector);
                past.archived.extend(Some(row).filter(MemoryRecord::is_let_go));
            }
            (Err(i), State::Active) => {
                row.entry.vector = row.entry.vector.or(held);
                past.entries.insert(i, row);
            }
            (Err(_), State::Archived) => {
                row.entry.vector = row.entry.vector.or(held);
                past.archived.extend(Some(row).filter(MemoryRecord::is_let_go));
            }
        }
    }
    past.arrange_archived();
    // What is seen tonight goes before all that was seen earlier.
    let seen: BTreeSet<&ThemeId> = effect.themes.iter().map(|seen| &seen.theme.id).collect();
    past.themes.retain(|theme| !seen.contains(&theme.id));
    past.themes.splice(..0, effect.themes.iter().map(|seen| seen.theme.clone()));
    past.themes.truncate(MemorySnapshot::MOST_THEMES);
    past.version = version;
    Ok(())
}

/// Where an entry is, or would be.
fn place(entries: &[MemoryRecord], id: &MemoryId) -> Result<usize, usize> {
    entries.binary_search_by(|m| m.entry.id.cmp(id))
}

/// Answers of a past. Most of what is archived is not at hand, and not needed: a night planned from
/// this past writes to no such id.
struct SnapshotRows<'a> {
    past: &'a MemorySnapshot,
    night: &'a NpcNight,
}

impl SnapshotRows<'_> {
    fn entry(&self, id: &MemoryId) -> Option<&MemoryRecord> {
        let MemorySnapshot { entries, archived, .. } = self.past;
        match place(entries, id) {
            Ok(i) => entries.get(i),
            Err(_) => archived.iter().find(|entry| entry.entry.id == *id),
        }
    }

    /// Only a collapse asks who names an entry. Sources tell but a part of it: what is archived names it too.
    fn named<T>(&self, id: &MemoryId) -> Result<T, StoreError> {
        Err(conflict(self.night, "collapse", id, "may be named by more than a past holds"))
    }
}

impl PriorRows for SnapshotRows<'_> {
    type Error = StoreError;

    fn row(&self, id: &MemoryId) -> Result<Option<MemoryRecord>, StoreError> {
        Ok(self.entry(id).map(without_vector))
    }

    fn purged(&self, _: &MemoryId) -> Result<bool, StoreError> {
        // A past knows what was slept on, not what is left of it. A night planned from it takes no known id.
        Ok(false)
    }

    fn has_vector(&self, id: &MemoryId) -> Result<bool, StoreError> {
        Ok(self.entry(id).is_some_and(|row| row.entry.vector.is_some()))
    }

    fn derived(&self, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError> {
        self.named(id)
    }

    fn superseded(&self, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError> {
        self.named(id)
    }

    fn has_theme(&self, id: &ThemeId) -> Result<bool, StoreError> {
        Ok(self.past.themes.iter().any(|theme| theme.id == *id))
    }
}

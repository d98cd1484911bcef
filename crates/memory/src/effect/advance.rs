//! Advancing a snapshot by a night without a store, so that a run can plan several nights ahead.

use std::collections::BTreeSet;

use super::{
    build::conflict,
    decide::{Decision, PriorState, effect_of},
    rows::{PriorRows, without_vector},
};
use crate::{
    id::{MemoryId, ThemeId},
    plan::NpcNight,
    ports::StoreError,
    record::{Fingerprint, MemoryRecord, MemorySnapshot, RecordKind, State},
};

/// Advances a snapshot to the state that applying the night would give the store.
///
/// A snapshot holds the active entries and the faint ones that were recalled since the latest night, and nothing else.
/// Therefore a collapse of older entries is refused, because archived entries may reference them, and so is
/// restoring an entry that the snapshot does not hold.
///
/// # Errors
/// [`StoreError`] if a store in that state would refuse the night, or if the snapshot does not hold enough to
/// decide; the snapshot is unchanged then.
pub fn advance(snapshot: &mut MemorySnapshot, night: &NpcNight) -> Result<(), StoreError> {
    let before = PriorState { version: snapshot.version, applied: false, model: snapshot.model.clone() };
    let at_hand = SnapshotRows { snapshot, night };
    let Decision::Write(effect) = effect_of(night, before, &at_hand)? else {
        return Ok(());
    };
    let version = night.next_version().map_err(StoreError::backend)?;
    if effect.has_vectors() {
        snapshot.model = Some(night.model.clone());
    }
    for row in effect.inserted.iter().chain(&effect.updated) {
        snapshot.known.insert(row.entry.id.clone(), Fingerprint::of(&row.entry.text, row.entry.at));
    }
    for row in effect.inserted.iter().filter(|row| row.entry.form == RecordKind::Verbatim) {
        snapshot.importances[place(row)] += 1;
    }
    for mut row in effect.inserted.into_iter().chain(effect.updated) {
        let id = &row.entry.id;
        match (position(&snapshot.entries, id), row.state) {
            (Ok(i), State::Active) => {
                let before = &mut snapshot.entries[i];
                if row.entry.form == RecordKind::Verbatim {
                    // A snapshot that a caller made may hold entries that it does not count.
                    let counted = &mut snapshot.importances[place(before)];
                    *counted = counted.saturating_sub(1);
                    snapshot.importances[place(&row)] += 1;
                }
                row.entry.vector = row.entry.vector.or(before.entry.vector.take());
                *before = row;
            }
            (Ok(i), State::Archived) => drop(snapshot.entries.remove(i)),
            (Err(i), State::Active) => {
                let held = snapshot.recalled.iter_mut().find(|held| held.entry.id == *id);
                row.entry.vector = row.entry.vector.or(held.and_then(|held| held.entry.vector.take()));
                snapshot.entries.insert(i, row);
            }
            (Err(_), State::Archived) => {}
        }
    }
    snapshot.recalled.clear();
    snapshot.last_night = Some(night.at);
    // Themes seen tonight come before all themes seen earlier.
    let seen: BTreeSet<&ThemeId> = effect.themes.iter().map(|seen| &seen.theme.id).collect();
    snapshot.themes.retain(|theme| !seen.contains(&theme.id));
    snapshot.themes.splice(..0, effect.themes.iter().map(|seen| seen.theme.clone()));
    snapshot.themes.truncate(MemorySnapshot::MAX_THEMES);
    snapshot.npc_tags.clone_from(&night.npc_tags);
    snapshot.version = version;
    Ok(())
}

/// Returns the place of an entry among the [importances](MemorySnapshot::importances).
fn place(record: &MemoryRecord) -> usize {
    usize::from(record.entry.importance.get()) - 1
}

/// Returns the position of an entry, or the position at which it would be inserted.
fn position(entries: &[MemoryRecord], id: &MemoryId) -> Result<usize, usize> {
    entries.binary_search_by(|m| m.entry.id.cmp(id))
}

/// Rows of a snapshot as the state before a night. Most archived rows are missing and not needed: a night
/// planned from this snapshot writes to none of their ids.
struct SnapshotRows<'a> {
    snapshot: &'a MemorySnapshot,
    night: &'a NpcNight,
}

impl SnapshotRows<'_> {
    fn entry(&self, id: &MemoryId) -> Option<&MemoryRecord> {
        let MemorySnapshot { entries, recalled, .. } = self.snapshot;
        match position(entries, id) {
            Ok(i) => entries.get(i),
            Err(_) => recalled.iter().find(|entry| entry.entry.id == *id),
        }
    }

    /// Refuses a question about references to an entry, which only a collapse asks: archived entries, which
    /// the snapshot lacks, may reference it too.
    fn refuse_references<T>(&self, id: &MemoryId) -> Result<T, StoreError> {
        Err(conflict(self.night, "collapse", id, "may be named by more than a past holds"))
    }
}

impl PriorRows for SnapshotRows<'_> {
    type Error = StoreError;

    fn row(&self, id: &MemoryId) -> Result<Option<MemoryRecord>, StoreError> {
        Ok(self.entry(id).map(without_vector))
    }

    fn purged(&self, _: &MemoryId) -> Result<bool, StoreError> {
        // A snapshot knows all ids ever stored, not which were purged. A night planned from it writes to none of
        // them.
        Ok(false)
    }

    fn has_vector(&self, id: &MemoryId) -> Result<bool, StoreError> {
        Ok(self.entry(id).is_some_and(|row| row.entry.vector.is_some()))
    }

    fn derived(&self, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError> {
        self.refuse_references(id)
    }

    fn predecessors(&self, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError> {
        self.refuse_references(id)
    }

    fn has_theme(&self, id: &ThemeId) -> Result<bool, StoreError> {
        Ok(self.snapshot.themes.iter().any(|theme| theme.id == *id))
    }
}

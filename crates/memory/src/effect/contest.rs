//! Contested entries: each references the others, and all of them are active.

use super::{
    build::{Build, Refusal},
    rows::PriorRows,
};
use crate::{id::MemoryId, record::MemoryRecord};

impl<G: PriorRows> Build<'_, G> {
    /// Marks an entry as contested with each of the others, and each of the others as contested with it.
    pub(super) fn contest(&mut self, id: &MemoryId, others: &[MemoryId]) -> Result<(), Refusal<G::Error>> {
        if others.is_empty() {
            return Err(Refusal::conflict(id, "nothing contests"));
        }
        self.active_row(id)?;
        for other in others {
            if other == id {
                return Err(Refusal::conflict(id, "is to be contested with itself"));
            }
            insert_mark(self.active_row(other)?, id);
            insert_mark(self.active_row(id)?, other);
        }
        Ok(())
    }

    /// Clears an entry's contest marks, and the marks of other entries that name it.
    pub(super) fn uncontest(&mut self, id: &MemoryId) -> Result<(), Refusal<G::Error>> {
        for other in std::mem::take(&mut self.row_mut(id)?.contested_with) {
            self.row_mut(&other)?.contested_with.retain(|contested| contested != id);
        }
        Ok(())
    }
}

/// Inserts an id into the sorted contest marks of a row, once.
fn insert_mark(row: &mut MemoryRecord, other: &MemoryId) {
    if let Err(at) = row.contested_with.binary_search(other) {
        row.contested_with.insert(at, other.clone());
    }
}

//! Contested entries: each of them names the others, and all of them are active.

use crate::{MemoryId, MemoryRecord};

use super::{PriorRows, build::Build};

impl<G: PriorRows> Build<'_, G> {
    /// Marks an entry as contested with each of the others, and each of them as contested with it.
    pub(super) fn contest(&mut self, id: &MemoryId, others: &[MemoryId]) -> Result<(), G::Error> {
        if others.is_empty() {
            return Err(self.conflict(id, "nothing contests"));
        }
        self.active(id)?;
        for other in others {
            if other == id {
                return Err(self.conflict(id, "is to be contested with itself"));
            }
            mark(self.active(other)?, id);
            mark(self.active(id)?, other);
        }
        Ok(())
    }

    /// Takes an entry out of the marks of those it was contested with, and empties its own.
    pub(super) fn uncontest(&mut self, id: &MemoryId) -> Result<(), G::Error> {
        for other in std::mem::take(&mut self.row_of(id)?.contested_with) {
            self.row_of(&other)?.contested_with.retain(|contested| contested != id);
        }
        Ok(())
    }
}

/// Keeps the ids in order, each once.
fn mark(row: &mut MemoryRecord, other: &MemoryId) {
    if let Err(place) = row.contested_with.binary_search(other) {
        row.contested_with.insert(place, other.clone());
    }
}

//! Ended positions: marks on an active entry whose text tells more than what no longer holds.

use crate::{EndedPosition, GameTime, MemoryId};

use super::{PriorRows, build::Build};

impl<G: PriorRows> Build<'_, G> {
    /// Marks a position of an active entry as ended by the first of the given entries.
    pub(super) fn end(
        &mut self,
        id: &MemoryId,
        position: &str,
        since: GameTime,
        sources: &[MemoryId],
    ) -> Result<(), G::Error> {
        let Some(by) = sources.first() else {
            return Err(self.conflict(id, "nothing ends"));
        };
        if sources.contains(id) {
            return Err(self.conflict(id, "is to end its own position"));
        }
        let mark = EndedPosition { since, text: position.to_owned(), by: by.clone() };
        let row = self.active_row(id)?;
        if !mark.is_stated_in(&row.entry.text) {
            return Err(self.conflict(id, "does not state the position"));
        }
        if row.ended.iter().any(|ended| ended.text == position) {
            return Err(self.conflict(id, "has this position ended already"));
        }
        let place = row.ended.partition_point(|ended| *ended < mark);
        row.ended.insert(place, mark);
        Ok(())
    }
}

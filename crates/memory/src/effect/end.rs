//! Ended positions: marks on an active entry whose text tells more than what no longer holds.

use super::{
    build::{Build, Refusal},
    rows::PriorRows,
};
use crate::{ended::EndedPosition, id::MemoryId, time::GameTime};

impl<G: PriorRows> Build<'_, G> {
    /// Marks a position of an active entry as ended by the first of the given entries.
    pub(super) fn end(
        &mut self,
        id: &MemoryId,
        position: &str,
        since: GameTime,
        sources: &[MemoryId],
    ) -> Result<(), Refusal<G::Error>> {
        let Some(by) = sources.first() else {
            return Err(Refusal::conflict(id, "nothing ends"));
        };
        if sources.contains(id) {
            return Err(Refusal::conflict(id, "is to end its own position"));
        }
        let mark = EndedPosition { since, text: position.to_owned(), by: by.clone() };
        let row = self.active_row(id)?;
        if !mark.is_stated_in(&row.entry.text) {
            return Err(Refusal::conflict(id, "does not state the position"));
        }
        if row.ended.iter().any(|ended| ended.text == position) {
            return Err(Refusal::conflict(id, "has this position ended already"));
        }
        let at = row.ended.partition_point(|ended| *ended < mark);
        row.ended.insert(at, mark);
        Ok(())
    }
}

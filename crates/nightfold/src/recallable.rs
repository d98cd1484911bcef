//! Entries that may come to an NPC's mind.

use nightfold_memory::{MemoryReader, MemoryRecord, NpcId, StoreError, config::RecallConfig};

/// Returns the entries that recall searches: the active ones given, and if `recall.faint` is set the archived ones that may
/// come faintly to mind ([`MemoryReader::faint`]).
///
/// # Errors
/// [`StoreError`] if the store cannot be read.
pub fn recallable(
    store: &dyn MemoryReader,
    npc: &NpcId,
    active: Vec<MemoryRecord>,
    config: &RecallConfig,
) -> Result<Vec<MemoryRecord>, StoreError> {
    let mut entries = active;
    if config.faint {
        entries.extend(store.faint(npc)?);
    }
    Ok(entries)
}

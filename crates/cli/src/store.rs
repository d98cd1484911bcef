//! Opening the store of this call.

use std::{collections::BTreeMap, path::Path};

use nightfold::memory::{LongTermMemory, MemoryId, MemoryStore, NpcId};
use nightfold_store::{OpenError, SqliteStore};

use crate::error::{CliError, Exit, message};

const HOW_TO_MAKE_ONE: &str = "`nightfold sleep INPUT --store FILE --apply` makes one";

fn opened(result: Result<SqliteStore, OpenError>) -> Result<SqliteStore, CliError> {
    result.map_err(|error| match error {
        OpenError::Missing { .. } => CliError::from(error).hint(HOW_TO_MAKE_ONE),
        other => CliError::from(other),
    })
}

/// For reading only.
pub(crate) fn read_only(path: &Path) -> Result<SqliteStore, CliError> {
    opened(SqliteStore::open_read_only(path))
}

/// For writing, made if it is not there.
pub(crate) fn create(path: &Path) -> Result<SqliteStore, CliError> {
    opened(SqliteStore::open(path))
}

/// For writing, where it is there.
pub(crate) fn existing(path: &Path) -> Result<SqliteStore, CliError> {
    opened(SqliteStore::open_existing(path))
}

/// The NPCs to look at: those asked for, each of which must be known, or all.
pub(crate) fn npcs(store: &dyn MemoryStore, asked: &[NpcId]) -> Result<Vec<NpcId>, CliError> {
    let known = store.npcs()?;
    if let Some(stranger) = asked.iter().find(|npc| !known.contains(npc)) {
        let names: Vec<&str> = known.iter().map(NpcId::as_str).take(12).collect();
        let hint = if names.is_empty() {
            "the store is empty".to_owned()
        } else {
            format!("it knows {}", names.join(", "))
        };
        return Err(message(Exit::Usage, format!("the store knows no {stranger}")).hint(hint));
    }
    Ok(if asked.is_empty() { known } else { asked.to_vec() })
}

/// Everything an NPC has, by id.
pub(crate) fn by_id(
    store: &dyn MemoryStore,
    npc: &NpcId,
) -> Result<BTreeMap<MemoryId, LongTermMemory>, CliError> {
    Ok(store.entries(npc)?.into_iter().map(|m| (m.entry.id.clone(), m)).collect())
}

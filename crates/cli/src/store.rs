//! Opens the store of this call.

use std::{collections::BTreeMap, path::Path};

use nightfold::memory::{MemoryId, MemoryReader, MemoryRecord, NpcId};
use nightfold_store::{OpenError, SqliteStore};

use crate::{
    command_line::is_default_store,
    error::{CliError, Exit, message},
    npcs::{chosen, listed},
};

const HOW_TO_MAKE_ONE: &str = "`nightfold sleep INPUT --store FILE --apply` makes one";

fn opened(result: Result<SqliteStore, OpenError>, if_missing: &str) -> Result<SqliteStore, CliError> {
    result.map_err(|error| match error {
        OpenError::Missing { .. } => CliError::from(error).hint(if_missing),
        other => CliError::from(other),
    })
}

/// Opens a store for reading only.
pub(crate) fn read_only(path: &Path) -> Result<SqliteStore, CliError> {
    opened(SqliteStore::open_read_only(path), HOW_TO_MAKE_ONE)
}

/// Opens a store for writing, and makes it if it is not there.
pub(crate) fn create(path: &Path) -> Result<SqliteStore, CliError> {
    opened(SqliteStore::open(path), HOW_TO_MAKE_ONE)
}

/// Opens a store that exists for writing; `if_missing` is the hint where it does not.
pub(crate) fn existing(path: &Path, if_missing: Option<&str>) -> Result<SqliteStore, CliError> {
    opened(SqliteStore::open_existing(path), if_missing.unwrap_or(HOW_TO_MAKE_ONE))
}

/// Returns the store of a call that can do without one: none if it is the environment's and does not exist yet.
pub(crate) fn optional(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| path.exists() || !is_default_store(path))
}

/// Returns the NPCs that were asked for, each of which must be in the store, or all of them, in order.
pub(crate) fn npcs(store: &dyn MemoryReader, asked: &[NpcId]) -> Result<Vec<NpcId>, CliError> {
    let known = store.npcs()?.into_iter().collect();
    Ok(chosen(asked, known, "the store")?.into_iter().collect())
}

/// Returns the NPC that has a memory of this id: `asked`, who must be in the store, or the only one that has
/// it.
pub(crate) fn owner(
    store: &dyn MemoryReader,
    id: &MemoryId,
    asked: Option<&NpcId>,
) -> Result<NpcId, CliError> {
    if let Some(npc) = asked {
        npcs(store, std::slice::from_ref(npc))?;
        return Ok(npc.clone());
    }
    let owners = store.owners(id)?;
    match owners.as_slice() {
        [] => Err(message(Exit::Usage, format!("no NPC has a memory {id}"))
            .hint("`nightfold list --all` shows every id")),
        [one] => Ok(one.clone()),
        many => {
            let text = format!("{} NPCs have a memory {id}: {}", many.len(), listed(many));
            Err(message(Exit::Usage, text).hint("choose one with --npc"))
        }
    }
}

/// Returns all records of an NPC by id.
pub(crate) fn by_id(
    store: &dyn MemoryReader,
    npc: &NpcId,
) -> Result<BTreeMap<MemoryId, MemoryRecord>, CliError> {
    Ok(store.entries(npc)?.into_iter().map(|m| (m.entry.id.clone(), m)).collect())
}

//! Opens the store of this call.

use std::{collections::BTreeMap, path::Path};

use nightfold::memory::{MemoryId, MemoryReader, MemoryRecord, NpcId, clean};
use nightfold_store::{Access, DurableStore, OpenError, SqliteStore, StoreOptions};

use crate::{
    args::WaitArgs,
    choices::is_address,
    command_line::is_default_store,
    error::{CliError, Exit, message},
    npcs::{chosen, listed},
    suggest,
};

const HOW_TO_MAKE_ONE: &str = "`nightfold sleep INPUT --store FILE --apply` makes one";

/// Returns the address of a store that is in a database; none for a file.
fn address(path: &Path) -> Option<&str> {
    path.to_str().filter(|path| is_address(path))
}

/// Returns the store as it may be shown: an address without its password.
pub(crate) fn shown(path: &Path) -> String {
    let Some((scheme, rest)) = address(path).and_then(|address| address.split_once("://")) else {
        return clean(&path.display().to_string()).into_owned();
    };
    let (user, place) = rest.rsplit_once('@').unwrap_or(("", rest));
    let user = user.split_once(':').map_or(user, |(user, _)| user);
    let (place, query) = place.split_once('?').unwrap_or((place, ""));
    let schema = query.split('&').find(|pair| pair.starts_with("schema="));
    let (at, mark) = (if user.is_empty() { "" } else { "@" }, if schema.is_some() { "?" } else { "" });
    clean(&format!("{scheme}://{user}{at}{place}{mark}{}", schema.unwrap_or_default())).into_owned()
}

fn open(
    path: &Path,
    access: Access,
    wait: WaitArgs,
    if_missing: &str,
) -> Result<Box<dyn DurableStore>, CliError> {
    match address(path) {
        Some(address) => {
            server::open(address, access, wait.wait)?.map_err(|error| open_error(error, if_missing))
        }
        None => Ok(Box::new(open_file(path, access, wait, if_missing)?)),
    }
}

fn open_error(error: OpenError, if_missing: &str) -> CliError {
    match &error {
        OpenError::Missing(path) => {
            let meant = suggest::meant_path(Path::new(path));
            let meant = meant.map(|path| format!("did you mean `{}`? ", shown(&path)));
            let hint = meant.unwrap_or_default() + if_missing;
            CliError::from(error).hint(hint)
        }
        _ => error.into(),
    }
}

fn open_file(path: &Path, access: Access, wait: WaitArgs, if_missing: &str) -> Result<SqliteStore, CliError> {
    let options = StoreOptions::default();
    let options = StoreOptions { access, busy_timeout: wait.wait.unwrap_or(options.busy_timeout) };
    SqliteStore::open_with(path, &options).map_err(|error| open_error(error, if_missing))
}

/// Opens a store that exists and is in a file, for writing.
pub(crate) fn file(path: &Path, wait: WaitArgs) -> Result<SqliteStore, CliError> {
    open_file(path, Access::Existing, wait, HOW_TO_MAKE_ONE)
}

/// Opens a store that exists and is in a file, for reading only; none if it is on a server.
pub(crate) fn file_to_copy(path: &Path) -> Result<Option<SqliteStore>, CliError> {
    if is_on_a_server(path) {
        return Ok(None);
    }
    open_file(path, Access::ReadOnly, WaitArgs::default(), HOW_TO_MAKE_ONE).map(Some)
}

#[cfg(feature = "postgres")]
mod server {
    use std::{sync::Arc, time::Duration};

    use nightfold::memory::{RecordCache, StoreError};
    use nightfold_store::{Access, DurableStore, OpenError, OutcomeUnknown, PostgresOptions, PostgresStore};

    use crate::error::{CliError, Exit};

    /// Opens a store on a server. A password that the address lacks comes from `PGPASSWORD`, as other programs have it.
    #[expect(clippy::unnecessary_wraps, reason = "a build without the feature refuses")]
    pub(super) fn open(
        address: &str,
        access: Access,
        wait: Option<Duration>,
    ) -> Result<Result<Box<dyn DurableStore>, OpenError>, CliError> {
        let password = std::env::var("PGPASSWORD").ok();
        let options = PostgresOptions::default();
        let lock_timeout = wait.unwrap_or(options.lock_timeout);
        let options = PostgresOptions { access, password, lock_timeout, ..options };
        let opened = PostgresStore::open_with(address, &options);
        Ok(opened.map(|store| Box::new(store) as Box<dyn DurableStore>))
    }

    /// Opens the cache of vectors that the workers of a store share.
    pub(crate) fn record_cache(address: &str) -> Result<Arc<dyn RecordCache>, CliError> {
        // Whoever waits longer for a vector than for the model has no use for it.
        let patience = Duration::from_secs(2);
        let options = PostgresOptions {
            access: Access::Existing,
            connections: 2,
            lock_timeout: patience,
            retry_for: patience,
            password: std::env::var("PGPASSWORD").ok(),
        };
        let opened = PostgresStore::open_with(address, &options);
        opened.map(|store| Arc::new(store) as Arc<dyn RecordCache>).map_err(|error| {
            CliError::new(Exit::Usage, error)
                .hint("make the store first (sleep --store … --apply), or go without: --vector-cache off")
        })
    }

    /// True if a change may have been made all the same.
    pub(crate) fn outcome_is_unknown(error: &StoreError) -> bool {
        let causes = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
        causes.into_iter().any(<dyn std::error::Error>::is::<OutcomeUnknown>)
    }
}

#[cfg(not(feature = "postgres"))]
mod server {
    use std::{sync::Arc, time::Duration};

    use nightfold::memory::{RecordCache, StoreError};
    use nightfold_store::{Access, DurableStore, OpenError};

    use crate::{error::CliError, missing_feature::MissingFeature};

    pub(crate) fn outcome_is_unknown(_: &StoreError) -> bool {
        false
    }

    pub(crate) fn record_cache(_: &str) -> Result<Arc<dyn RecordCache>, CliError> {
        Err(MissingFeature::POSTGRES.into())
    }

    pub(super) fn open(
        _: &str,
        _: Access,
        _: Option<Duration>,
    ) -> Result<Result<Box<dyn DurableStore>, OpenError>, CliError> {
        Err(MissingFeature::POSTGRES.into())
    }
}

pub(crate) use self::server::{outcome_is_unknown, record_cache};

/// Opens a store for reading only.
pub(crate) fn read_only(path: &Path) -> Result<Box<dyn DurableStore>, CliError> {
    open(path, Access::ReadOnly, WaitArgs::default(), HOW_TO_MAKE_ONE)
}

/// Opens a store for writing, and makes it if it is not there.
pub(crate) fn create(path: &Path, wait: WaitArgs) -> Result<Box<dyn DurableStore>, CliError> {
    open(path, Access::Create, wait, HOW_TO_MAKE_ONE)
}

/// Opens a store that exists, for writing only if the call writes.
pub(crate) fn open_to(path: &Path, writes: bool, wait: WaitArgs) -> Result<Box<dyn DurableStore>, CliError> {
    if writes { existing(path, wait, None) } else { read_only(path) }
}

/// Opens a store that exists for writing; `if_missing` is the hint where it does not.
pub(crate) fn existing(
    path: &Path,
    wait: WaitArgs,
    if_missing: Option<&str>,
) -> Result<Box<dyn DurableStore>, CliError> {
    open(path, Access::Existing, wait, if_missing.unwrap_or(HOW_TO_MAKE_ONE))
}

/// Opens a store for reading only, if there is one.
pub(crate) fn if_there(path: &Path) -> Result<Option<Box<dyn DurableStore>>, CliError> {
    match address(path) {
        Some(address) => match server::open(address, Access::ReadOnly, None)? {
            Err(OpenError::Missing(_)) => Ok(None),
            opened => Ok(Some(opened?)),
        },
        None if path.exists() => read_only(path).map(Some),
        None => Ok(None),
    }
}

/// True if the store is on a server, where workers on other machines reach it.
pub(crate) fn is_on_a_server(path: &Path) -> bool {
    address(path).is_some()
}

/// True for a file that is not there yet.
pub(crate) fn is_new_file(path: &Path) -> bool {
    address(path).is_none() && !path.exists()
}

/// Returns the store of a call that can do without one: none if it is the environment's and does not exist yet.
pub(crate) fn optional(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| !is_new_file(path) || !is_default_store(path))
}

/// Returns the NPCs that were asked for, or all of the store, in order. All that are asked for must be in the store.
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
    let Some(meant) = owners.is_empty().then(|| meant_id(store, id)).transpose()?.flatten() else {
        return only_owner(id, &owners);
    };
    Err(message(Exit::Usage, format!("no NPC has a memory {id}"))
        .hint(format!("did you mean `{meant}`? `nightfold list --all` shows every id")))
}

/// Number of NPCs whose ids are compared with one that does not exist.
const COMPARED: usize = 100;

/// Returns the id that was probably meant by one that does not exist.
fn meant_id(store: &dyn MemoryReader, id: &MemoryId) -> Result<Option<MemoryId>, CliError> {
    for npc in store.npcs()?.iter().take(COMPARED) {
        let ids: Vec<MemoryId> = store.entries(npc)?.into_iter().map(|memory| memory.entry.id).collect();
        let names: Vec<&str> = ids.iter().map(MemoryId::as_str).collect();
        if let Some(meant) = suggest::meant(id.as_str(), &names) {
            return Ok(Some(MemoryId::new(*meant).map_err(|error| CliError::new(Exit::Usage, error))?));
        }
    }
    Ok(None)
}

/// Returns the only one of the NPCs that have a memory of this id.
pub(crate) fn only_owner(id: &MemoryId, owners: &[NpcId]) -> Result<NpcId, CliError> {
    match owners {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_shown_without_their_password() {
        for (address, told) in [
            (
                "postgres://u:s3cret@db:5433/town?schema=village&sslmode=require",
                "postgres://u@db:5433/town?schema=village",
            ),
            ("postgresql://db/town?user=u&password=s3cret", "postgresql://db/town"),
            ("postgres://u:p@ss@db/town", "postgres://u@db/town"),
            ("town.db", "town.db"),
        ] {
            assert_eq!(shown(Path::new(address)), told);
        }
    }
}

//! Durable stores: the port and its extension, by the shared statements.

use std::io::{BufRead, Write};

use nightfold_memory::{LogLine, MemoryRecord, MemoryStore, NpcId, PersonNames, SavePointName, StoreError};

use super::{ExportError, ImportError, ImportOptions, StoreCheck, StoreStats, TransferCounts};
use crate::SharedRuns;

/// Work done so that nothing of deleted rows is left in the files of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhysicalErase {
    /// Save points that were forgotten, because their names name the person.
    pub save_points: Vec<SavePointName>,
    /// Number of records of the cache in the store that were dropped: vectors, grammars and verdicts, of all texts.
    pub cached: usize,
    /// Reason why the tables could not be rewritten, so that old versions of rows are left in them; `None` if they were.
    pub not_rewritten: Option<String>,
}

/// A store that outlives the process: it can be carried to another place, and read NPC by NPC.
pub trait DurableStore: MemoryStore {
    /// Writes the contents of the store, or those of one NPC, as lines of JSON, from which [`import`](Self::import) makes
    /// the same store, in SQLite as in PostgreSQL. All lines show one state, even if another process writes meanwhile.
    ///
    /// # Errors
    /// [`ExportError`] if the store cannot be read or the lines cannot be written.
    fn export(&self, npc: Option<&NpcId>, out: &mut dyn Write) -> Result<TransferCounts, ExportError>;

    /// Fills the store, which must be empty, with the lines of an [`export`](Self::export), in one transaction.
    ///
    /// # Errors
    /// [`ImportError`] names line and column; the store is then unchanged.
    fn import(&self, lines: &mut dyn BufRead, options: &ImportOptions)
    -> Result<TransferCounts, ImportError>;

    /// Returns the log of the night that made a version of an NPC, change by change; empty if there is no such night.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn night_log(&self, npc: &NpcId, version: u64) -> Result<Vec<LogLine>, StoreError>;

    /// Returns the names of all NPCs with anything in the store: nights in force, shelved nights, or a version at a
    /// save point.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn everyone(&self) -> Result<Vec<NpcId>, StoreError>;

    /// Finishes the erasure of a person, after [`erase`](MemoryStore::erase) of every NPC: forgets save points that have the
    /// person's name, empties the caches of the store, and rewrites the files so that no byte of a deleted row is left in them. Done
    /// twice, it does no harm.
    ///
    /// # Errors
    /// [`StoreError::Locked`] if another process has a store in a file open; [`StoreError`] if the store cannot be written.
    fn physical_erase(&self, person: &PersonNames) -> Result<PhysicalErase, StoreError>;

    /// Reads every row of the store, or those of one NPC, and compares them with their fingerprints and with each other. Up to
    /// `most` problems are named, all are counted. A store in a file is checked below its rows, too.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read at all; damage is no error but a problem.
    fn check(&self, npc: Option<&NpcId>, most: usize) -> Result<StoreCheck, StoreError>;

    /// Returns how large the store is, how much it holds, and the `biggest` NPCs with the largest memory.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    fn stats(&self, biggest: usize) -> Result<StoreStats, StoreError>;

    /// Returns the runs that workers on several machines share; none for a store of one machine.
    fn shared(&self) -> Option<&dyn SharedRuns> {
        None
    }

    /// Passes each entry of these NPCs, archived ones included, to `take`, in order and with its vector if the store has
    /// one. All entries show one state, even if another process writes meanwhile.
    ///
    /// # Errors
    /// Any error of `take`, or [`ExportError::Store`] if the store cannot be read.
    fn each_entry(
        &self,
        npcs: &[NpcId],
        take: &mut dyn FnMut(MemoryRecord) -> Result<(), ExportError>,
    ) -> Result<(), ExportError>;
}

/// Part of the store that others must not change during a change.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(
    not(feature = "postgres"),
    expect(dead_code, reason = "a file has one writer at a time, whatever it changes")
)]
pub(crate) enum ChangeScope<'a> {
    /// One NPC.
    Npc(&'a NpcId),
    /// Every NPC, or the model of the vectors.
    All,
    /// Nothing that others read before they write.
    Nothing,
}

/// Effect of repeating a change with an unknown outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Idempotency {
    /// A second time changes nothing more.
    Idempotent,
    /// A second time would change something else, such as undoing another night.
    NotIdempotent,
}

/// Implements the ports for a store with these methods:
///
/// - `read(ask)` runs a query in a transaction that shows one state, and may run it again;
/// - `write(scope, idempotency, change)` runs a change in a transaction, and runs it again if that does no harm;
/// - `apply_nights(run, nights, versions)`;
/// - `rewrite_without(person)`, which is [`DurableStore::physical_erase`];
/// - `read_once(ask)` and `write_once(change)` run work in a transaction once.
///
/// `shared = |store| store` is for a store that workers on several machines share.
macro_rules! durable_store {
    ($store:ty $(, shared = $shared:expr)?) => {
        const _: () = {
            use std::io::{BufRead, Write};

            use nightfold_memory::{
                AppliedNight, Erasure, GameTime, LogFilter, LogLine, MemoryId, MemoryReader, MemoryRecord,
                MemorySnapshot, MemoryStore, ModelId, NpcId, NpcNight, Outcome, PersonNames, Purge,
                RewindTarget, Rewound, SavePoint, SavePointName, StoreError, ThemeHistory, Undone,
                effect::versions,
            };
            use $crate::sql::{
                ChangeScope, DurableStore, ExportError, Idempotency, ImportError, ImportOptions, PhysicalErase,
                StoreCheck, StoreStats, TransferCounts, erasure, purge, read, rewind, stats, theme, transfer,
                write,
            };

            impl MemoryReader for $store {
                fn model(&self) -> Result<Option<ModelId>, StoreError> {
                    self.read(read::model)
                }

                fn snapshot(&self, npc: &NpcId) -> Result<MemorySnapshot, StoreError> {
                    self.read(|db| read::snapshot(db, npc))
                }

                fn nights(&self, npc: Option<&NpcId>) -> Result<Vec<AppliedNight>, StoreError> {
                    self.read(|db| read::nights(db, npc))
                }

                fn latest_night(&self, npc: &NpcId) -> Result<Option<AppliedNight>, StoreError> {
                    self.read(|db| read::latest_night(db, npc))
                }

                fn has_version(&self, npc: &NpcId, version: u64) -> Result<bool, StoreError> {
                    self.read(|db| read::has_version(db, npc, version))
                }

                fn purgeable(&self, npc: &NpcId, keep: usize) -> Result<Purge, StoreError> {
                    self.read(|db| purge::purgeable(db, npc, keep))
                }

                fn erasable(&self, npc: &NpcId, person: &PersonNames) -> Result<Option<Erasure>, StoreError> {
                    self.read(|db| erasure::erasable(db, npc, person))
                }

                fn owners(&self, id: &MemoryId) -> Result<Vec<NpcId>, StoreError> {
                    self.read(|db| read::owners(db, id))
                }

                fn npcs(&self) -> Result<Vec<NpcId>, StoreError> {
                    self.read(read::npcs)
                }

                fn entries(&self, npc: &NpcId) -> Result<Vec<MemoryRecord>, StoreError> {
                    self.read(|db| read::entries(db, npc))
                }

                fn faint(&self, npc: &NpcId) -> Result<Vec<MemoryRecord>, StoreError> {
                    self.read(|db| read::faint(db, npc))
                }

                fn entry(&self, npc: &NpcId, id: &MemoryId) -> Result<Option<MemoryRecord>, StoreError> {
                    self.read(|db| read::entry(db, npc, id))
                }

                fn active_page(
                    &self,
                    npc: &NpcId,
                    after: Option<&MemoryId>,
                    most: usize,
                ) -> Result<Vec<MemoryRecord>, StoreError> {
                    self.read(|db| read::of_npc(db, npc, |key| read::active_page(db, key, npc, after, most)))
                }

                fn referring(&self, npc: &NpcId, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError> {
                    self.read(|db| read::of_npc(db, npc, |key| read::referring(db, key, id)))
                }

                fn log(&self, npc: &NpcId, filter: LogFilter<'_>) -> Result<Vec<LogLine>, StoreError> {
                    self.read(|db| read::log(db, npc, filter))
                }

                fn save_points(&self) -> Result<Vec<SavePoint>, StoreError> {
                    self.read(rewind::save_points)
                }

                fn rewindable(&self, npc: Option<&NpcId>, to: &RewindTarget) -> Result<Vec<Rewound>, StoreError> {
                    self.read(|db| rewind::rewindable(db, npc, to))
                }

                fn themes(&self, npc: &NpcId) -> Result<Vec<ThemeHistory>, StoreError> {
                    self.read(|db| read::of_npc(db, npc, |key| theme::histories(db, key)))
                }

                fn sources(&self, npc: &NpcId, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError> {
                    self.read(|db| read::of_npc(db, npc, |key| read::sources(db, key, id)))
                }

                fn derived(&self, npc: &NpcId, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError> {
                    self.read(|db| read::of_npc(db, npc, |key| read::derived(db, key, id)))
                }
            }

            impl MemoryStore for $store {
                fn begin_run(&self) -> Result<u64, StoreError> {
                    // A number that was reserved in vain is never used.
                    self.write(ChangeScope::Nothing, Idempotency::Idempotent, write::begin_run)
                }

                /// Applies the nights of a call in one transaction.
                fn apply(
                    &self,
                    run: u64,
                    nights: &[NpcNight],
                ) -> Result<Vec<Result<Outcome, StoreError>>, StoreError> {
                    // Fingerprints take time to compute, so they are computed before anything is locked.
                    let versions = versions(nights)?;
                    self.apply_nights(run, nights, &versions)
                }

                fn touch(&self, npc: &NpcId, ids: &[MemoryId], at: GameTime) -> Result<usize, StoreError> {
                    self.write(ChangeScope::Npc(npc), Idempotency::NotIdempotent, |db| write::touch(db, npc, ids, at))
                }

                fn undo(&self, npc: &NpcId) -> Result<Option<Undone>, StoreError> {
                    self.write(ChangeScope::All, Idempotency::NotIdempotent, |db| write::undo(db, npc))
                }

                fn undo_run(&self, run: u64) -> Result<Vec<Undone>, StoreError> {
                    self.write(ChangeScope::All, Idempotency::NotIdempotent, |db| write::undo_run(db, run))
                }

                fn save_point(&self, name: &SavePointName) -> Result<SavePoint, StoreError> {
                    self.write(ChangeScope::All, Idempotency::NotIdempotent, |db| rewind::save_point(db, name))
                }

                fn forget_save_point(&self, name: &SavePointName) -> Result<bool, StoreError> {
                    self.write(ChangeScope::All, Idempotency::NotIdempotent, |db| rewind::forget_save_point(db, name))
                }

                fn rewind(&self, npc: Option<&NpcId>, to: &RewindTarget) -> Result<Vec<Rewound>, StoreError> {
                    self.write(ChangeScope::All, Idempotency::NotIdempotent, |db| rewind::rewind(db, npc, to))
                }

                fn purge(&self, npc: &NpcId, keep: usize) -> Result<Purge, StoreError> {
                    self.write(ChangeScope::All, Idempotency::NotIdempotent, |db| purge::purge(db, npc, keep))
                }

                fn erase(
                    &self,
                    run: u64,
                    npc: &NpcId,
                    person: &PersonNames,
                ) -> Result<Option<Erasure>, StoreError> {
                    self.write(ChangeScope::All, Idempotency::NotIdempotent, |db| erasure::erase(db, run, npc, person))
                }
            }

            impl DurableStore for $store {
                fn export(
                    &self,
                    npc: Option<&NpcId>,
                    out: &mut dyn Write,
                ) -> Result<TransferCounts, ExportError> {
                    self.read_once(|db| transfer::export(db, npc, out))
                }

                fn import(
                    &self,
                    lines: &mut dyn BufRead,
                    options: &ImportOptions,
                ) -> Result<TransferCounts, ImportError> {
                    self.write_once(|db| transfer::import(db, lines, options))
                }

                fn everyone(&self) -> Result<Vec<NpcId>, StoreError> {
                    self.read(erasure::everyone)
                }

                fn physical_erase(&self, person: &PersonNames) -> Result<PhysicalErase, StoreError> {
                    self.rewrite_without(person)
                }

                fn check(&self, npc: Option<&NpcId>, most: usize) -> Result<StoreCheck, StoreError> {
                    self.read(|db| transfer::check(db, npc, most))
                }

                fn stats(&self, biggest: usize) -> Result<StoreStats, StoreError> {
                    self.read(|db| stats::stats(db, biggest))
                }

                $(fn shared(&self) -> Option<&dyn $crate::SharedRuns> {
                    let shared: fn(&Self) -> &dyn $crate::SharedRuns = $shared;
                    Some(shared(self))
                })?

                fn night_log(&self, npc: &NpcId, version: u64) -> Result<Vec<LogLine>, StoreError> {
                    self.read(|db| read::night_log(db, npc, version))
                }

                fn each_entry(
                    &self,
                    npcs: &[NpcId],
                    take: &mut dyn FnMut(MemoryRecord) -> Result<(), ExportError>,
                ) -> Result<(), ExportError> {
                    self.read_once(|db| npcs.iter().try_for_each(|npc| read::each_entry(db, npc, take)))
                }
            }
        };
    };
}
pub(crate) use durable_store;

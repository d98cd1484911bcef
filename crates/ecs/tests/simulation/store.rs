//! The store as the simulation sees it: every call that changes it is made on the file and, if it succeeds, on a twin in
//! memory, which knows no faults. A call that the disk failed must have changed nothing; only if all processes have closed
//! the file since, as after a death, may it have happened after all, wholly.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Debug,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use nightfold_ecs::memory::{
    AppliedNight, Erasure, GameTime, LogFilter, LogLine, MemoryId, MemoryReader, MemoryRecord,
    MemorySnapshot, MemoryStore, ModelId, NpcId, NpcNight, Outcome, PersonNames, Purge, RewindTarget,
    Rewound, SavePoint, SavePointName, StoreError, ThemeHistory, Undone,
};
use nightfold_store::{DurableStore, SqliteStore};

/// Number of failed calls that may have happened after all.
const MOST_UNKNOWN: usize = 8;

/// Call that changes the store.
#[derive(Clone)]
enum Call {
    Apply(u64, Vec<NpcNight>),
    Touch(NpcId, Vec<MemoryId>, GameTime),
    Undo(NpcId),
    UndoRun(u64),
    SavePoint(SavePointName),
    Forget(SavePointName),
    Rewind(Option<NpcId>, RewindTarget),
    Purge(NpcId, usize),
    Erase(u64, NpcId, PersonNames),
}

impl Call {
    /// Makes a call that succeeded once on another store of the same contents.
    fn repeat(&self, store: &SqliteStore) {
        let done = match self {
            Self::Apply(run, nights) => store.apply(*run, nights).map(drop),
            Self::Touch(npc, ids, at) => store.touch(npc, ids, *at).map(drop),
            Self::Undo(npc) => store.undo(npc).map(drop),
            Self::UndoRun(run) => store.undo_run(*run).map(drop),
            Self::SavePoint(name) => store.save_point(name).map(drop),
            Self::Forget(name) => store.forget_save_point(name).map(drop),
            Self::Rewind(npc, to) => store.rewind(npc.as_ref(), to).map(drop),
            Self::Purge(npc, keep) => store.purge(npc, *keep).map(drop),
            Self::Erase(run, npc, person) => store.erase(*run, npc, person).map(drop),
        };
        // A call of unknown outcome may have been refused; the comparison that follows tells.
        drop(done);
    }

    fn verb(&self) -> &'static str {
        match self {
            Self::Apply(..) => "apply",
            Self::Touch(..) => "touch",
            Self::Undo(_) => "undo",
            Self::UndoRun(_) => "undo run",
            Self::SavePoint(_) => "save point",
            Self::Forget(_) => "forget save point",
            Self::Rewind(..) => "rewind",
            Self::Purge(..) => "purge",
            Self::Erase(..) => "erase",
        }
    }
}

/// Number of times that something happened.
#[derive(Default)]
pub(crate) struct Counts(pub(crate) BTreeMap<String, u64>);

impl Counts {
    pub(crate) fn add(&mut self, what: impl Into<String>) {
        *self.0.entry(what.into()).or_default() += 1;
    }
}

/// State that the store must be in.
pub(crate) struct Expected {
    pub(crate) twin: SqliteStore,
    /// Successful calls, from which the twin can be made again.
    calls: Vec<Call>,
    /// Calls that the disk failed since the file was opened.
    unknown: Vec<Call>,
    /// Place in `calls` of a failed call that had happened when the file was opened again. No sync has made it durable.
    recovered: Option<usize>,
    runs: BTreeSet<u64>,
    /// Memories of each night ever applied, by its version.
    pub(crate) of_night: BTreeMap<(NpcId, u64), Vec<MemoryId>>,
    /// Numbers of the game's memories that any night has written.
    pub(crate) was_written: BTreeSet<(NpcId, u64)>,
    /// Entries that were purged or erased.
    pub(crate) deleted: BTreeSet<(NpcId, MemoryId)>,
    /// NPCs of which something was purged or erased since the last look.
    pub(crate) thinned: BTreeSet<NpcId>,
    /// True if a call has succeeded since the last look.
    pub(crate) changed: bool,
    /// Contents of the twin, unless it has changed since that was asked.
    told: Option<String>,
    /// Number of records per memory of the game that each NPC has in the twin, as far as that was asked since it changed.
    stored: BTreeMap<NpcId, BTreeMap<u64, usize>>,
    pub(crate) counts: Counts,
    /// First broken promise: calls are made inside of nights, which catch panics.
    pub(crate) broken: Option<String>,
}

impl Expected {
    pub(crate) fn new() -> Self {
        Self {
            broken: None,
            told: None,
            stored: BTreeMap::new(),
            twin: SqliteStore::in_memory().unwrap(),
            calls: Vec::new(),
            unknown: Vec::new(),
            recovered: None,
            runs: BTreeSet::new(),
            of_night: BTreeMap::new(),
            was_written: BTreeSet::new(),
            deleted: BTreeSet::new(),
            thinned: BTreeSet::new(),
            changed: true,
            counts: Counts::default(),
        }
    }

    /// Notes a broken promise unless it is kept.
    fn promise(&mut self, kept: bool, broken: impl FnOnce() -> String) {
        if !kept {
            self.broken.get_or_insert_with(broken);
        }
    }

    /// Makes a call on the twin, and notes what it did; `done` is what the file answered.
    fn succeed<T: Debug>(
        &mut self,
        call: Call,
        done: &T,
        work: impl FnOnce(&SqliteStore) -> Result<T, StoreError>,
    ) {
        let before = self.before(&call);
        let twin = format!("{:?}", work(&self.twin));
        let told = format!("Ok({done:?})");
        let differs = || format!("I4: the file answers {} by {told}, its twin by {twin}", call.verb());
        self.promise(told == twin, differs);
        self.counts.add(call.verb());
        self.note(call, &before);
    }

    /// Returns the entries before a call that deletes some.
    fn before(&self, call: &Call) -> BTreeSet<MemoryId> {
        match call {
            Call::Purge(npc, _) | Call::Erase(_, npc, _) => ids(&self.twin, npc),
            _ => BTreeSet::new(),
        }
    }

    fn note(&mut self, call: Call, before: &BTreeSet<MemoryId>) {
        match &call {
            Call::Apply(_, nights) => {
                for night in nights {
                    let version = night.next_version().unwrap();
                    if night.is_empty() || !self.twin.has_version(&night.npc, version).unwrap() {
                        continue;
                    }
                    night.changes.iter().for_each(|change| self.counts.add(change.verb()));
                    let memories = night.memories.iter();
                    let numbers = memories.clone().filter(|memory| is_of_town(&memory.id));
                    let numbers = numbers.map(|memory| (night.npc.clone(), number(&memory.text)));
                    self.was_written.extend(numbers);
                    let ids = memories.map(|memory| memory.id.clone()).collect();
                    self.of_night.insert((night.npc.clone(), version), ids);
                }
            }
            Call::Purge(npc, _) | Call::Erase(_, npc, _) => {
                let after = ids(&self.twin, npc);
                if *before != after {
                    self.counts.add("entries deleted");
                }
                self.deleted.extend(before.difference(&after).map(|id| (npc.clone(), id.clone())));
                self.thinned.insert(npc.clone());
            }
            _ => {}
        }
        self.changed = true;
        self.told = None;
        self.stored.clear();
        self.calls.push(call);
    }

    /// Returns the number of records per memory of the game that an NPC has.
    pub(crate) fn stored(&mut self, npc: &NpcId) -> &BTreeMap<u64, usize> {
        self.stored.entry(npc.clone()).or_insert_with(|| {
            let mut stored = BTreeMap::new();
            for entry in self.twin.entries(npc).unwrap().iter().filter(|e| is_of_town(&e.entry.id)) {
                *stored.entry(number(&entry.entry.text)).or_default() += 1;
            }
            stored
        })
    }

    /// Returns what the twin holds.
    pub(crate) fn picture(&mut self) -> &str {
        self.told.get_or_insert_with(|| picture(&self.twin).unwrap())
    }

    /// Asserts that the file has what the twin has. With `reopened`, no process had the file open since: one of the failed
    /// calls may have happened after all, which is found out here.
    pub(crate) fn compare(&mut self, file: &SqliteStore, reopened: bool) {
        let found = picture(file).unwrap_or_else(|error| panic!("I2: the store cannot be read: {error}"));
        let expected = self.picture().to_owned();
        let unknown = if reopened { std::mem::take(&mut self.unknown) } else { Vec::new() };
        if found == expected {
            if !unknown.is_empty() {
                self.counts.add("failed call undone");
            }
            return;
        }
        if let Some(place) = self.recovered.take().filter(|_| reopened) {
            // What the death of the processes had left, the loss of power took.
            let rest: Vec<Call> = self
                .calls
                .iter()
                .enumerate()
                .filter(|(n, _)| *n != place)
                .map(|(_, call)| call.clone())
                .collect();
            let other = repeated(&rest);
            if picture(&other).unwrap() == found {
                self.counts.add("failed call undone by a power loss");
                (self.twin, self.calls, self.told, self.changed) = (other, rest, None, true);
                self.stored.clear();
                return;
            }
        }
        for call in unknown.into_iter().rev() {
            let other = repeated(&self.calls);
            let before = self.before(&call);
            call.repeat(&other);
            if picture(&other).unwrap() == found {
                self.counts.add("failed call done after all");
                self.twin = other;
                self.recovered = Some(self.calls.len());
                self.note(call, &before);
                return;
            }
        }
        let differs = found.lines().zip(expected.lines()).find(|(a, b)| a != b);
        let invariant = if reopened { "I2" } else { "I7" };
        panic!(
            "{invariant}: the store has {} lines where {} are expected; first difference: {differs:#?}",
            found.lines().count(),
            expected.lines().count()
        );
    }
}

/// Returns a store on which calls were made.
fn repeated(calls: &[Call]) -> SqliteStore {
    let store = SqliteStore::in_memory().unwrap();
    calls.iter().for_each(|call| call.repeat(&store));
    store
}

/// Returns all that a store holds, save points and what they lead to included.
pub(crate) fn picture(store: &SqliteStore) -> Result<String, StoreError> {
    let mut all = Vec::new();
    store.export(None, &mut all).map_err(StoreError::backend)?;
    let all = String::from_utf8(all).unwrap();
    // The first line tells of runs that were begun, the last one is a checksum of all.
    let is_told = |line: &&str| !line.contains("\"last_run\":") && !line.starts_with("{\"sha256\"");
    let mut all = all.lines().filter(is_told).collect::<Vec<_>>().join("\n");
    for point in store.save_points()? {
        let leads = store.rewindable(None, &RewindTarget::SavePoint(point.name.clone()));
        all.push_str(&format!("\n{point:?} {:?}", leads.map_err(|error| error.to_string())));
    }
    all.push_str(&format!("\n{:?}", store.nights(None)?));
    Ok(all)
}

fn ids(store: &SqliteStore, npc: &NpcId) -> BTreeSet<MemoryId> {
    store.entries(npc).unwrap().into_iter().map(|entry| entry.entry.id).collect()
}

/// True for the memories of the game, whose texts end with their numbers.
pub(crate) fn is_of_town(id: &MemoryId) -> bool {
    id.as_str().starts_with('t')
}

/// Returns the number of a memory of the game.
pub(crate) fn number(text: &str) -> u64 {
    text.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or_default()
}

/// A process's handle of the store.
pub(crate) struct Observed {
    pub(crate) file: SqliteStore,
    expected: Arc<Mutex<Expected>>,
}

impl Observed {
    pub(crate) fn new(file: SqliteStore, expected: &Arc<Mutex<Expected>>) -> Self {
        Self { file, expected: Arc::clone(expected) }
    }

    fn expected(&self) -> MutexGuard<'_, Expected> {
        self.expected.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T: Debug>(
        &self,
        call: Call,
        work: impl Fn(&SqliteStore) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut expected = self.expected();
        let done = work(&self.file);
        match &done {
            Ok(told) => expected.succeed(call, told, work),
            Err(error @ (StoreError::Locked(_) | StoreError::Displaced { .. })) => {
                expected.counts.add(if matches!(error, StoreError::Locked(_)) {
                    "locked"
                } else {
                    "displaced"
                });
            }
            Err(StoreError::Backend(_)) => {
                expected.counts.add("call failed by the disk");
                expected.unknown.push(call);
                let most = expected.unknown.len().saturating_sub(MOST_UNKNOWN);
                expected.unknown.drain(..most);
            }
            Err(error) => {
                let twin = work(&expected.twin).map(|told| format!("{told:?}")).map_err(|e| e.to_string());
                let differs = || format!("I4: the file refuses {}: {error}; its twin: {twin:?}", call.verb());
                let is_same = twin == Err(error.to_string());
                expected.promise(is_same, differs);
                expected.counts.add(format!("{} refused", call.verb()));
            }
        }
        done
    }
}

macro_rules! delegate {
    ($($name:ident($($arg:ident: $ty:ty),*) -> $out:ty;)*) => {
        $(fn $name(&self, $($arg: $ty),*) -> Result<$out, StoreError> {
            self.file.$name($($arg),*)
        })*
    };
}

impl MemoryReader for Observed {
    delegate! {
        model() -> Option<ModelId>;
        snapshot(npc: &NpcId) -> MemorySnapshot;
        nights(npc: Option<&NpcId>) -> Vec<AppliedNight>;
        latest_night(npc: &NpcId) -> Option<AppliedNight>;
        has_version(npc: &NpcId, version: u64) -> bool;
        purgeable(npc: &NpcId, keep: usize) -> Purge;
        erasable(npc: &NpcId, person: &PersonNames) -> Option<Erasure>;
        owners(id: &MemoryId) -> Vec<NpcId>;
        npcs() -> Vec<NpcId>;
        entries(npc: &NpcId) -> Vec<MemoryRecord>;
        faint(npc: &NpcId) -> Vec<MemoryRecord>;
        entry(npc: &NpcId, id: &MemoryId) -> Option<MemoryRecord>;
        active_page(npc: &NpcId, after: Option<&MemoryId>, most: usize) -> Vec<MemoryRecord>;
        referring(npc: &NpcId, id: &MemoryId) -> Vec<MemoryId>;
        log(npc: &NpcId, filter: LogFilter<'_>) -> Vec<LogLine>;
        save_points() -> Vec<SavePoint>;
        rewindable(npc: Option<&NpcId>, to: &RewindTarget) -> Vec<Rewound>;
        themes(npc: &NpcId) -> Vec<ThemeHistory>;
        sources(npc: &NpcId, id: &MemoryId) -> Vec<MemoryId>;
        derived(npc: &NpcId, id: &MemoryId) -> Vec<MemoryId>;
    }
}

impl MemoryStore for Observed {
    fn begin_run(&self) -> Result<u64, StoreError> {
        let run = self.file.begin_run()?;
        let mut expected = self.expected();
        let is_new = expected.runs.insert(run);
        expected.promise(is_new, || format!("I2: run {run} was given before"));
        Ok(run)
    }

    fn apply(&self, run: u64, nights: &[NpcNight]) -> Result<Vec<Result<Outcome, StoreError>>, StoreError> {
        let outcomes = self.change(Call::Apply(run, nights.to_vec()), |store| store.apply(run, nights))?;
        for outcome in &outcomes {
            let what = match outcome {
                Ok(Outcome::Applied { .. }) => "night applied",
                Ok(Outcome::AlreadyApplied) => "night applied before",
                Ok(Outcome::Empty) => "night empty",
                Err(StoreError::Stale { .. }) => "night stale",
                Err(_) => "night refused",
            };
            self.expected().counts.add(what);
        }
        Ok(outcomes)
    }

    fn touch(&self, npc: &NpcId, ids: &[MemoryId], at: GameTime) -> Result<usize, StoreError> {
        self.change(Call::Touch(npc.clone(), ids.to_vec(), at), |store| store.touch(npc, ids, at))
    }

    fn undo(&self, npc: &NpcId) -> Result<Option<Undone>, StoreError> {
        self.change(Call::Undo(npc.clone()), |store| store.undo(npc))
    }

    fn undo_run(&self, run: u64) -> Result<Vec<Undone>, StoreError> {
        self.change(Call::UndoRun(run), |store| store.undo_run(run))
    }

    fn save_point(&self, name: &SavePointName) -> Result<SavePoint, StoreError> {
        self.change(Call::SavePoint(name.clone()), |store| store.save_point(name))
    }

    fn forget_save_point(&self, name: &SavePointName) -> Result<bool, StoreError> {
        self.change(Call::Forget(name.clone()), |store| store.forget_save_point(name))
    }

    fn rewind(&self, npc: Option<&NpcId>, to: &RewindTarget) -> Result<Vec<Rewound>, StoreError> {
        let planned = self.file.rewindable(npc, to);
        let done = self.change(Call::Rewind(npc.cloned(), to.clone()), |store| store.rewind(npc, to))?;
        let mut expected = self.expected();
        if let Ok(planned) = planned {
            expected.promise(planned == done, || format!("I9: {planned:?} was announced, {done:?} was done"));
        }
        for rewound in &done {
            let way = if rewound.forward > 0 { "rewound forward" } else { "rewound back" };
            expected.counts.add(way);
        }
        Ok(done)
    }

    fn purge(&self, npc: &NpcId, keep: usize) -> Result<Purge, StoreError> {
        self.change(Call::Purge(npc.clone(), keep), |store| store.purge(npc, keep))
    }

    fn erase(&self, run: u64, npc: &NpcId, person: &PersonNames) -> Result<Option<Erasure>, StoreError> {
        self.change(Call::Erase(run, npc.clone(), person.clone()), |store| store.erase(run, npc, person))
    }
}

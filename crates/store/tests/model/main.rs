//! Random histories: both stores show the same at every step and match simple models; a snapshot can be
//! advanced without a store, and undoing is the inverse of applying.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod in_part;
mod mind;
mod snapshots;
mod steps;
#[path = "../support/mod.rs"]
mod support;
#[path = "../twin/mod.rs"]
mod twin;

use std::collections::BTreeSet;

use nightfold_memory::effect::advance;
use nightfold_memory::{
    AppliedNight, Change, MemoryId, MemoryReader, MemorySnapshot, MemoryStore, NpcId, NpcNight, Outcome,
    StoreError, Undone,
};
use nightfold_store::{PostgresStore, SqliteStore, testing::PostgresServer};
use proptest::{prelude::*, test_runner::TestCaseResult};

use self::{
    in_part::in_part,
    mind::{Names, fitting},
    snapshots::Snapshots,
    steps::{Kind, Step, steps},
};
use support::{Story, all_of, exported, id, imported, npc, time, vector};
use twin::InMemoryStore;

const NPCS: [&str; 3] = ["Ana", "Mara", "Tom"];

fn owners(store: &dyn MemoryStore, id: &MemoryId) -> Vec<NpcId> {
    let has = |npc: &NpcId| store.entry(npc, id).unwrap().is_some();
    store.npcs().unwrap().into_iter().filter(has).collect()
}

/// Computes, from the list of nights, the nights that undoing a run must undo and those that it must leave.
fn without_run(store: &dyn MemoryStore, run: u64) -> (Vec<Undone>, Vec<AppliedNight>) {
    let mut left = store.nights(None).unwrap();
    let mut undone = Vec::new();
    for of in NPCS {
        while let Some(last) = left.iter().rposition(|night| night.npc.as_str() == of)
            && left[last].run == run
        {
            let AppliedNight { npc, night, base_version, .. } = left.remove(last);
            undone.push(Undone { npc, night, version: base_version });
        }
    }
    (undone, left)
}

/// True if a snapshot holds too little to compute the effect of the night.
fn needs_a_store(past: &MemorySnapshot, night: &NpcNight) -> bool {
    let at_hand = |id: &MemoryId| {
        let held = past.entries.iter().chain(&past.recalled).any(|entry| entry.entry.id == *id);
        held || !past.known.contains_key(id)
    };
    night.changes.iter().any(|change| match change {
        Change::Collapse { standing, .. } => standing.is_some(),
        Change::Restore { id, .. } | Change::Supersede { id, .. } => !at_hand(id),
        _ => false,
    })
}

/// Night that is applied to both stores.
struct Attempt {
    night: NpcNight,
    /// Lot of the run, an earlier or a new one.
    run: usize,
    /// True if the night is undone at once.
    take_back: bool,
    /// References after the night, if it fits the stores.
    expected: Option<Names>,
}

/// The stores with what happened to them.
struct History {
    folder: tempfile::TempDir,
    file: SqliteStore,
    twin: InMemoryStore,
    /// None where there is no PostgreSQL.
    server: Option<PostgresStore>,
    nights: Vec<NpcNight>,
    runs: Vec<u64>,
    model: Snapshots,
}

impl History {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = SqliteStore::open(folder.path().join("minds.db")).unwrap();
        let twin = InMemoryStore::new();
        let server = PostgresServer::shared().map(|server| PostgresStore::open(&server.address()).unwrap());
        Self { folder, file, twin, server, nights: Vec::new(), runs: Vec::new(), model: Snapshots::default() }
    }

    fn stores(&self) -> Vec<&dyn MemoryStore> {
        let server = self.server.as_ref().map(|store| store as &dyn MemoryStore);
        [&self.file as &dyn MemoryStore, &self.twin].into_iter().chain(server).collect()
    }

    /// Returns what all stores tell, which must be the same.
    fn told<T: PartialEq + std::fmt::Debug>(
        &self,
        ask: impl Fn(&dyn MemoryStore) -> T,
    ) -> Result<T, TestCaseError> {
        let told = ask(&self.twin);
        for store in
            self.stores().into_iter().filter(|store| !std::ptr::addr_eq(*store, &raw const self.twin))
        {
            prop_assert_eq!(&ask(store), &told);
        }
        Ok(told)
    }

    fn stores_agree(&self) -> TestCaseResult {
        self.told(|store| all_of(store)).map(drop)
    }

    fn matches_model(&self, store: &dyn MemoryStore, when: &str) -> TestCaseResult {
        let checked = self.model.check(store);
        prop_assert!(checked.is_ok(), "{}: {}", when, checked.unwrap_err());
        Ok(())
    }

    fn take(&mut self, serial: usize, step: Step) -> TestCaseResult {
        match step {
            Step::Undo { npc } => self.undo(npc).map(|_| ())?,
            Step::UndoSince { npc, lot } => self.undo_since(npc, lot)?,
            Step::UndoRun { lot } => self.undo_run(lot)?,
            Step::Purge { npc, keep } => self.purge(npc, keep)?,
            Step::Sleep { .. }
            | Step::SleepInPart { .. }
            | Step::SleepStale { .. }
            | Step::SleepAgain { .. } => {
                return self.attempt(serial, step).map_or(Ok(()), |attempt| self.apply(attempt));
            }
        }
        self.stores_agree()
    }

    /// Returns the night of a step; none for a repetition of the first night.
    fn attempt(&self, serial: usize, step: Step) -> Option<Attempt> {
        let fitting = |npc: usize, changes: &[_]| fitting(&self.twin, NPCS[npc], serial, changes);
        Some(match step {
            Step::Sleep { npc, changes, take_back, run } => {
                let (night, names) = fitting(npc, &changes);
                Attempt { night, run, take_back, expected: Some(names) }
            }
            Step::SleepInPart { npc, changes, declined, run } => {
                let night = in_part(fitting(npc, &changes).0, declined);
                Attempt { night, run, take_back: false, expected: None }
            }
            Step::SleepStale { npc } => {
                let mut night = fitting(npc, &[(Kind::Store, 0)]).0;
                night.base_version += 1;
                Attempt { night, run: 0, take_back: false, expected: None }
            }
            Step::SleepAgain { lot } => {
                let night = self.nights.get(lot % self.nights.len().max(1))?.clone();
                Attempt { night, run: lot, take_back: false, expected: None }
            }
            Step::Undo { .. } | Step::UndoSince { .. } | Step::UndoRun { .. } | Step::Purge { .. } => {
                return None;
            }
        })
    }

    /// Undoes an NPC's latest night in both stores; returns false if there is none that can be undone.
    fn undo(&mut self, of: usize) -> Result<bool, TestCaseError> {
        let before = all_of(&self.twin);
        let one = self.told(|store| format!("{:?}", store.undo(&npc(NPCS[of]))))?;
        prop_assert!(one.starts_with("Ok") || one.contains("Purged") && all_of(&self.twin) == before);
        let undone = self.model.undo(NPCS[of]);
        prop_assert_eq!(one.starts_with("Ok(Some("), undone, "{}", one);
        Ok(undone)
    }

    fn undo_since(&mut self, of: usize, lot: usize) -> TestCaseResult {
        for _ in 0..lot % (self.model.nights(NPCS[of]) + 1) {
            if !self.undo(of)? {
                break;
            }
            self.matches_model(&self.file, "after an undo")?;
        }
        Ok(())
    }

    fn undo_run(&mut self, lot: usize) -> TestCaseResult {
        let Some(&run) = self.runs.get(lot % self.runs.len().max(1)) else { return Ok(()) };
        let before = all_of(&self.twin);
        let (undone, left) = without_run(&self.twin, run);
        self.model.undo_run(run);
        for store in self.stores() {
            match store.undo_run(run) {
                Ok(taken) => {
                    prop_assert_eq!(&taken, &undone);
                    prop_assert_eq!(&store.nights(None).unwrap(), &left);
                }
                Err(StoreError::Purged { .. }) => prop_assert_eq!(&all_of(store), &before),
                Err(other) => prop_assert!(false, "{}", other),
            }
        }
        Ok(())
    }

    fn purge(&mut self, of: usize, keep: usize) -> TestCaseResult {
        let of = npc(NPCS[of]);
        let lasting = |store: &dyn MemoryStore| MemorySnapshot {
            recalled: Vec::new(),
            importances: [0; 10],
            ..store.snapshot(&of).unwrap()
        };
        let past = lasting(&self.twin);
        self.model.purge(of.as_str(), keep);
        for store in self.stores() {
            let purge = store.purgeable(&of, keep).unwrap();
            prop_assert_eq!(&store.purge(&of, keep).unwrap(), &purge);
            prop_assert!(store.purge(&of, keep).unwrap().is_empty());
            prop_assert_eq!(&lasting(store), &past, "what is known and active stays");
        }
        Ok(())
    }

    /// Returns an earlier run, or begins a new one in both stores.
    fn run(&mut self, lot: usize) -> Result<u64, TestCaseError> {
        if let Some(&earlier) = self.runs.get(lot % (2 * self.runs.len() + 1)) {
            return Ok(earlier);
        }
        let new = self.told(|store| store.begin_run().unwrap())?;
        prop_assert!(!self.runs.contains(&new));
        self.runs.push(new);
        Ok(new)
    }

    fn apply(&mut self, Attempt { night, run, take_back, expected }: Attempt) -> TestCaseResult {
        let before = all_of(&self.twin);
        let past = self.twin.snapshot(&night.npc).unwrap();
        let mut planned = past.clone();
        let advanced = advance(&mut planned, &night);
        let run = self.run(run)?;
        let one =
            self.told(|store| format!("{:?}", store.apply(run, std::slice::from_ref(&night)).unwrap()))?;
        self.stores_agree()?;
        if let Some(names) = expected {
            prop_assert!(night.is_empty() || one.contains("Applied {"), "it fits: {}", one);
            self.holds_references(&night.npc, &names)?;
        }
        let applied = one.contains("Applied {");
        if applied && needs_a_store(&past, &night) {
            prop_assert!(matches!(advanced, Err(StoreError::Conflict { .. })), "{:?}", advanced);
            prop_assert_eq!(&planned, &past);
        } else if applied {
            prop_assert!(advanced.is_ok(), "{:?}", advanced);
            prop_assert_eq!(&planned, &self.twin.snapshot(&night.npc).unwrap());
        }
        if !applied {
            prop_assert_eq!(&all_of(&self.twin), &before, "{}", one);
        } else if take_back {
            for store in self.stores() {
                store.undo(&night.npc).unwrap().unwrap();
                prop_assert_eq!(&all_of(store), &before);
            }
        } else {
            self.model.sleep(run, &night);
        }
        let named = night.changes.iter().map(Change::id).chain(night.memories.iter().map(|m| &m.id));
        for id in named.chain([&id("nobody's")]) {
            prop_assert_eq!(self.told(|store| store.owners(id).unwrap())?, owners(&self.twin, id));
        }
        self.nights.push(night);
        Ok(())
    }

    fn holds_references(&self, of: &NpcId, names: &Names) -> TestCaseResult {
        prop_assert_eq!(&Names::of(&self.file, of), names);
        for store in self.stores() {
            for row in store.entries(of).unwrap() {
                let referring = store.referring(of, &row.entry.id).unwrap();
                let referring: BTreeSet<_> = referring.iter().map(MemoryId::to_string).collect();
                prop_assert_eq!(referring, names.referring(row.entry.id.as_str()));
            }
        }
        Ok(())
    }

    /// Exports the history and imports it elsewhere, wholly and NPC by NPC: nothing is lost, and all of it can be
    /// undone there too.
    fn moves_elsewhere(&self) -> TestCaseResult {
        let file = &self.file;
        let lines = exported(file, None);
        let elsewhere = imported(&self.folder.path().join("elsewhere.db"), &lines).unwrap();
        prop_assert!(exported(&elsewhere, None) == lines, "{}", String::from_utf8_lossy(&lines));
        prop_assert_eq!(all_of(&elsewhere), all_of(file));
        for of in NPCS.map(npc) {
            let alone = exported(file, Some(&of));
            let alone = imported(&self.folder.path().join(format!("{of}.db")), &alone).unwrap();
            let snapshot =
                |store: &SqliteStore| MemorySnapshot { model: None, ..store.snapshot(&of).unwrap() };
            prop_assert_eq!(alone.entries(&of).unwrap(), file.entries(&of).unwrap());
            prop_assert_eq!(alone.faint(&of).unwrap(), file.faint(&of).unwrap());
            prop_assert_eq!(snapshot(&alone), snapshot(file));
            loop {
                let [one, two, three] =
                    [&elsewhere, file, &alone].map(|store| format!("{:?}", store.undo(&of)));
                prop_assert_eq!(&one, &two);
                prop_assert_eq!(&three, &two);
                prop_assert_eq!(all_of(&elsewhere), all_of(file));
                if !one.starts_with("Ok(Some(") {
                    break;
                }
            }
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn stores_agree(steps in steps()) {
        let mut history = History::new();
        for (serial, step) in steps.into_iter().enumerate() {
            history.matches_model(&history.twin, &format!("before step {serial}"))?;
            history.take(serial, step)?;
        }
        for store in history.stores() {
            history.matches_model(store, "at the end")?;
        }
        history.moves_elsewhere()?;
    }
}

#[test]
fn advance_without_a_store_refuses_maintenance() {
    let store = InMemoryStore::new();
    let run = store.begin_run().unwrap();
    let apply = |story: Story| {
        assert!(matches!(store.apply(run, &[story.0]).unwrap()[0], Ok(Outcome::Applied { .. })));
    };
    apply(Story::new("Mara", "one", 0).store("a").chunk("told", &["b"]).store("c").store("d").prune("e"));
    let night = || Story::on(&store, "Mara", "two");
    let mara = npc("Mara");
    let given = || Some(vector("given"));
    for (story, expected) in [
        (night().unite("a", &["c"], &[]), "cannot collapse c, which may be named by more than a past holds"),
        (night().restore("b", given()), "cannot restore b, which is not in the store"),
        (night().restore("a", given()), "cannot restore a, which is active already"),
    ] {
        let mut past = store.snapshot(&mara).unwrap();
        let message = advance(&mut past, &story.0).unwrap_err().to_string();
        assert_eq!(message, format!("night two of Mara: {expected}"));
        assert_eq!(past, store.snapshot(&mara).unwrap());
    }
    // Entries that the night itself archived can be read.
    let story = night().archive("a").restore("a", None).prune("new").restore("new", given()).forget("d");
    // So can faint ones that were recalled since.
    store.touch(&mara, &[id("e")], time("1204-06-01T08:00:00Z")).unwrap();
    let story = story.restore("e", given()).corroborate("e", &["again"], 1).prune("f");
    let mut past = store.snapshot(&mara).unwrap();
    advance(&mut past, &story.0).unwrap();
    apply(story);
    assert_eq!(past, store.snapshot(&mara).unwrap());
}

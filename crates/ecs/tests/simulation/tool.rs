//! A second process on the store of the town, which does what calls of the program do.

use std::{
    error::Error,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use nightfold::{
    Days, Maintenance, MaintenanceTasks, Recall, RecallPorts, RecallScope, RunError, Settlement, Sleep,
    StatusScope, apply_plan, days, english::Packs,
};
use nightfold_ecs::memory::{
    Embedder, Kind, LanguageModel, Memory, MemoryId, MemoryReader, MemoryRecord, MemoryStore, NightPlan,
    PersonNames, RewindTarget, SavePointName, State, StoreError, Vector,
};
use nightfold_store::{BackupOptions, DurableStore, ImportOptions, SqliteStore};
use rusqlite::Connection;

use crate::{
    disk::{Process, as_process},
    models::WeakModel,
    steps::{Action, Lot},
    store::{Counts, Expected, Observed, picture},
    support::{
        at,
        night::{Toy, embed, memory, npc},
    },
    town::{NAMES, settings},
};

type Failed = Box<dyn Error>;

/// The second process.
pub(crate) struct Tool {
    /// None while it is dead.
    store: Option<Observed>,
    file: PathBuf,
    /// Folder without faults.
    side: PathBuf,
    expected: Arc<Mutex<Expected>>,
    model: WeakModel,
    toy: Toy,
    /// Plan that was made and not applied yet.
    planned: Option<NightPlan>,
    /// Plan that was applied last.
    applied: Option<NightPlan>,
    /// Number of days given so far, for the ids of their memories.
    days: i64,
    /// Connections that hold a lock or a state, and the number of steps for which they go on.
    held: Vec<(Connection, u64)>,
}

impl Tool {
    pub(crate) fn new(
        seed: u64,
        file: &Path,
        side: &Path,
        store: Observed,
        expected: &Arc<Mutex<Expected>>,
        models: &Arc<Mutex<Counts>>,
    ) -> Self {
        Self {
            store: Some(store),
            file: file.to_owned(),
            side: side.to_owned(),
            expected: Arc::clone(expected),
            model: WeakModel::new(seed, models),
            toy: Toy::new(),
            planned: None,
            applied: None,
            days: 0,
            held: Vec::new(),
        }
    }

    pub(crate) fn store(&self) -> &Observed {
        self.store.as_ref().unwrap()
    }

    pub(crate) fn end(&mut self) {
        self.held.clear();
        self.store = None;
    }

    pub(crate) fn restart(&mut self, store: Observed) {
        self.store = Some(store);
    }

    /// Lets connections go whose time is over; all of them with `now`.
    pub(crate) fn release(&mut self, now: bool) {
        self.held.iter_mut().for_each(|(_, steps)| *steps = steps.saturating_sub(1));
        self.held.retain(|(_, steps)| *steps > 0 && !now);
    }

    fn count(&self, what: &str) {
        self.expected.lock().unwrap().counts.add(what);
    }

    /// Takes a step as of a moment.
    pub(crate) fn step(&mut self, action: Action, lot: &mut Lot, now: i64) -> Result<(), Failed> {
        let who = npc(NAMES[lot.below(3) as usize]);
        match action {
            Action::Sleep => {
                let given = self.days(lot, now);
                let done = self.sleep(lot.below(2) == 0, given, true)?;
                self.applied = Some(done);
            }
            Action::Plan => {
                let given = self.days(lot, now);
                self.planned = Some(self.sleep(lot.below(2) == 0, given, false)?);
            }
            Action::Apply => {
                let Some(plan) = self.planned.take() else { return Ok(()) };
                match apply_plan(self.store(), &plan) {
                    Err(error @ RunError::Store(StoreError::Stale { .. })) => {
                        self.count("plan stale");
                        return Err(error.into());
                    }
                    done => _ = done?,
                }
                self.applied = Some(plan);
            }
            Action::ApplyAgain => {
                let Some(plan) = &self.applied else { return Ok(()) };
                let done = apply_plan(self.store(), plan)?;
                if done.unchanged > 0 {
                    self.count("plan applied before");
                }
            }
            Action::Maintain => self.maintain(lot, now)?,
            Action::Restore => self.restore(lot)?,
            Action::Settle => self.settle(lot)?,
            Action::Recall => {
                let ports = RecallPorts { store: self.store(), embedder: &self.toy, packs: &Packs };
                let scope = [RecallScope::Remembered, RecallScope::History][lot.below(2) as usize];
                let recall =
                    Recall::new(ports, &settings(), &who, "Is the gate open? Who owes silver?", scope)?;
                let ids: Vec<MemoryId> =
                    recall.found().iter().map(|found| found.memory.entry.id.clone()).collect();
                assert_eq!(
                    self.store().touch(&who, &ids, at(now))?,
                    ids.len(),
                    "I11: all that is found is there"
                );
            }
            Action::Undo => _ = self.store().undo(&who)?,
            Action::UndoRun => {
                let nights = self.store().nights(None)?;
                if let Some(night) = lot.of(&nights) {
                    self.store().undo_run(night.run)?;
                }
            }
            Action::SavePoint => {
                let name = ["one", "two", "three"][lot.below(3) as usize];
                self.store().save_point(&SavePointName::new(name)?)?;
            }
            Action::Forget => {
                if let Some(point) = lot.of(&self.store().save_points()?) {
                    self.store().forget_save_point(&point.name)?;
                }
            }
            Action::Rewind => {
                let points = self.store().save_points()?;
                let to = match lot.of(&points) {
                    Some(point) if lot.below(3) > 0 => RewindTarget::SavePoint(point.name.clone()),
                    _ => RewindTarget::At(at(now - lot.below(200_000).cast_signed())),
                };
                self.store().rewind((lot.below(3) == 0).then_some(&who), &to)?;
            }
            Action::Purge => _ = self.store().purge(&who, lot.below(4) as usize)?,
            Action::Erase => {
                let person = ["Joss", "Wren", "Odo", "Pell", who.as_str()][lot.below(5) as usize];
                let run = self.store().begin_run()?;
                if self.store().erase(run, &who, &PersonNames::new([person])?)?.is_some() {
                    self.count("person erased");
                }
            }
            Action::Checkpoint => {
                let way = ["PASSIVE", "RESTART", "TRUNCATE"][lot.below(3) as usize];
                self.connect()?.query_row(&format!("PRAGMA wal_checkpoint({way})"), [], |_| Ok(()))?;
            }
            Action::Vacuum => self.store().file.vacuum()?,
            Action::BackUp => self.back_up()?,
            Action::Transfer => self.transfer()?,
            Action::HoldLock | Action::HoldRead => {
                let sql = match action {
                    Action::HoldLock => "BEGIN IMMEDIATE",
                    _ => "BEGIN; SELECT count(*) FROM npc",
                };
                let other = self.connect()?;
                other.execute_batch(sql)?;
                self.held.push((other, 2 + lot.below(3)));
            }
            _ => self.take_away(lot)?,
        }
        Ok(())
    }

    fn connect(&self) -> Result<Connection, Failed> {
        let other = as_process(Process::Tool, || {
            let other = Connection::open(&self.file)?;
            other.busy_timeout(std::time::Duration::ZERO)?;
            // The log is opened by the first read.
            other.query_row("SELECT count(*) FROM npc", [], |_| Ok(()))?;
            Ok::<_, rusqlite::Error>(other)
        });
        Ok(other?)
    }

    /// Returns a day of one NPC or two up to a moment.
    fn days(&mut self, lot: &mut Lot, now: i64) -> Days {
        let mut all = Vec::new();
        let first = lot.below(3) as usize;
        for name in NAMES.iter().cycle().skip(first).take(1 + lot.below(2) as usize) {
            self.days += 1;
            all.extend(day_of(name, self.days, now, lot));
        }
        days(all, Some(at(now)), &settings())
    }

    fn sleep(&self, with_model: bool, given: Days, write: bool) -> Result<NightPlan, Failed> {
        let settings = settings();
        let judge = self.model.judge();
        let sleep = Sleep::new(&settings, &Packs, &self.toy, self.store());
        let sleep = Sleep {
            language: with_model.then_some(&self.model as &dyn LanguageModel),
            judge: with_model.then_some(&judge),
            ..sleep
        };
        let done = if write { sleep.apply(self.store(), given)? } else { sleep.plan(given)? };
        if let Some(failure) = done.failures.into_iter().next() {
            return Err(failure.into());
        }
        Ok(done.plan)
    }

    fn maintain(&mut self, lot: &mut Lot, now: i64) -> Result<(), Failed> {
        let settings = settings();
        let mut does = || lot.below(3) > 0;
        let (summarize, cap, forget, distil) = (does(), does(), does(), does());
        let scopes = [None, Some(StatusScope::Operational), Some(StatusScope::All)];
        let collapse = scopes[lot.below(3) as usize];
        let moments = [None, Some(at(now)), Some(at(now + 300 * 86_400)), Some(at(now - 86_400))];
        let now = moments[lot.below(4) as usize];
        let tasks = MaintenanceTasks { collapse, summarize, cap, forget, distil, now };
        let npcs = self.store().npcs()?;
        let maintenance = Maintenance { config: &settings, packs: &Packs, store: self.store() };
        let language = (lot.below(2) == 0).then_some(&self.model as &dyn LanguageModel);
        let open = |_| Ok::<_, RunError>(&self.toy);
        let planned = maintenance.plan_worded(&npcs, tasks, language, open)?;
        if !planned.failures.is_empty() {
            self.count("maintenance of the past refused");
        }
        apply_plan(self.store(), &planned.plan)?;
        self.applied = Some(planned.plan);
        Ok(())
    }

    /// Returns one of the entries that a condition selects, of any NPC.
    fn any(
        &self,
        lot: &mut Lot,
        is: impl Fn(&MemoryRecord) -> bool,
    ) -> Result<Option<MemoryRecord>, StoreError> {
        let mut found = Vec::new();
        for npc in self.store().npcs()? {
            found.extend(self.store().entries(&npc)?.into_iter().filter(&is));
        }
        Ok(lot.of(&found).cloned())
    }

    fn restore(&self, lot: &mut Lot) -> Result<(), Failed> {
        let is = |entry: &MemoryRecord| entry.state == State::Archived && !entry.entry.text.is_empty();
        let Some(entry) = self.any(lot, is)? else { return Ok(()) };
        let settings = settings();
        let maintenance = Maintenance { config: &settings, packs: &Packs, store: self.store() };
        let archived = maintenance.archived(&entry.npc, &entry.entry.id)?;
        let vector = archived.text_to_embed().map(|text| Vector::new(embed(text)).unwrap());
        let plan = archived.restore(vector.map(|vector| (self.toy.model(), vector)))?;
        apply_plan(self.store(), &plan)?;
        Ok(())
    }

    fn settle(&self, lot: &mut Lot) -> Result<(), Failed> {
        let Some(entry) = self.any(lot, |entry| !entry.contested_with.is_empty())? else { return Ok(()) };
        let settings = settings();
        let maintenance = Maintenance { config: &settings, packs: &Packs, store: self.store() };
        let taken = [Settlement::For, Settlement::Against][lot.below(2) as usize];
        let plan = maintenance.contested(&entry.npc, &entry.entry.id)?.settle(taken)?;
        apply_plan(self.store(), &plan)?;
        self.count("contest settled");
        Ok(())
    }

    fn back_up(&self) -> Result<(), Failed> {
        let copy = self.side.join("backup.db");
        let options = BackupOptions { overwrite: true, ..BackupOptions::default() };
        self.store().file.back_up(&copy, options)?;
        let copied = picture(&SqliteStore::open_read_only(&copy)?)?;
        assert!(copied == self.expected.lock().unwrap().picture(), "I13: the backup differs");
        self.count("backed up");
        Ok(())
    }

    fn transfer(&self) -> Result<(), Failed> {
        let (mut sent, mut again) = (Vec::new(), Vec::new());
        self.store().file.export(None, &mut sent)?;
        let other = SqliteStore::in_memory()?;
        other
            .import(&mut &sent[..], &ImportOptions { model: None, dimensions: None })
            .expect("I13: an import");
        other.export(None, &mut again)?;
        assert!(sent == again, "I13: what was imported is exported otherwise");
        self.count("transferred");
        Ok(())
    }

    /// Takes a file of the store away for the length of a call.
    fn take_away(&self, lot: &mut Lot) -> Result<(), Failed> {
        let mut name = self.file.clone().into_os_string();
        name.push(["", "-wal"][lot.below(2) as usize]);
        let (name, away) = (PathBuf::from(name), self.side.join("away"));
        std::fs::rename(&name, &away)?;
        let done = self.store().save_point(&SavePointName::new("nowhere")?);
        std::fs::rename(&away, &name)?;
        assert!(done.is_err(), "I7: a store was written that is not in its place");
        done?;
        Ok(())
    }
}

/// Returns a day of an NPC: statuses, what is done every day, what contradicts itself, thoughts, and at times a memory of
/// another clock.
fn day_of(name: &str, day: i64, now: i64, lot: &mut Lot) -> Vec<Memory> {
    const CORNERS: [&str; 4] =
        ["old oak door nobody shuts", "anvil Pell brought home", "rack of spare tongs", "warm hearth"];
    let corner = CORNERS[lot.below(4) as usize];
    let not = ["", "not "][lot.below(2) as usize];
    let mut lived: Vec<(String, u8)> =
        (0..3).map(|n| (format!("forge stock: {} irons, {} coals", 3 * day + n, 40 - n), 3)).collect();
    lived.push((format!("I swept the forge floor beside the {corner}"), 2));
    lived.push((format!("the east gate of the town is {not}open"), 7));
    lived.push((format!("{name} owes Joss {} silver for the new axle", 14 + day), 8));
    if lot.below(2) == 0 {
        lived.extend(
            (0..4).map(|n| (format!("I asked Joss about the silver for the axle, time {n} of {day}"), 6)),
        );
    }
    if lot.below(3) == 0 {
        lived.push((format!("Wren sang about the storm of day {day}"), 5));
        lived.push((String::new(), 1));
    }
    let thoughts = lot.below(3) == 0;
    if thoughts {
        lived.push((format!("the irons run out by day {}", day + 9), 6));
    }
    let last = lived.len() - 1;
    let mut all: Vec<Memory> =
        (0..).zip(lived).map(|(n, (text, much))| memory(name, day, n, &text, much)).collect();
    for (n, memory) in (0..).zip(&mut all) {
        memory.at = at(now - 600 + 30 * n);
    }
    if thoughts {
        // The game says on what it rests, and gives a reflection of its own.
        all[last].sources = (0..3).map(|n| MemoryId::new(format!("d{}-m{n}", day - 1)).unwrap()).collect();
        all[last].kind = Kind::Reflection;
    }
    if lot.below(6) == 0 {
        all[0].at = "1204-05-09T00:00:00Z".parse().unwrap();
    }
    all
}

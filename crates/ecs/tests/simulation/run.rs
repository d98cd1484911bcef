//! One run: the town, the tool, the disk between them, and the promises after each step.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use nightfold_ecs::{NightPool, SleepTiming, memory::MemoryReader as _, state_hash};
use nightfold_store::{Access, DurableStore, OpenError, SqliteStore, StoreOptions};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::{
    disk::{Disk, FaultKind, Process, as_process, install},
    promises::{self, Versions},
    steps::{Action, Lot, Step, lot_of, steps},
    store::{Counts, Expected, Observed},
    tool::Tool,
    town::{Town, says_enough},
};

/// Everything that a run depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Case {
    /// Decides the outcomes of the models, and the timing of the town's nights.
    pub(crate) seed: u64,
    pub(crate) steps: Vec<Step>,
    /// True for a disk that keeps nothing that it is told to sync.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) lies: bool,
    /// True for a look at the state of the world after each step, and at that of a world that it is loaded into.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) lockstep: bool,
}

impl Case {
    pub(crate) fn of(seed: u64) -> Self {
        Self { seed, steps: steps(seed), lies: false, lockstep: false }
    }

    /// Runs the steps. Returns a line for each, or the broken promise; with `shows`, prints the lines as they come.
    pub(crate) fn run(&self, counts: &mut Counts, shows: bool) -> Result<Vec<String>, String> {
        self.run_on(NightPool::without_threads(), counts, shows)
    }

    /// Runs the steps with the nights of the town on a pool, which may have threads if the steps are the town's alone.
    pub(crate) fn run_on(
        &self,
        pool: NightPool,
        counts: &mut Counts,
        shows: bool,
    ) -> Result<Vec<String>, String> {
        let run = || Run::new(self, pool, shows).all(self, counts);
        catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
        })
    }
}

/// Number of steps after which a full disk has room again.
const FULL_FOR: usize = 3;

struct Run {
    town: Town,
    tool: Tool,
    disk: Arc<Disk>,
    file: PathBuf,
    expected: Arc<Mutex<Expected>>,
    models: Arc<Mutex<Counts>>,
    versions: Versions,
    /// Step at which the disk has room again.
    heals: usize,
    shows: bool,
    lockstep: bool,
    lines: Vec<String>,
    _folders: [TempDir; 2],
}

/// Returns a new folder, in memory where there is one.
fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.unwrap()
}

fn open(file: &Path, process: Process, access: Access) -> Result<SqliteStore, OpenError> {
    let options = StoreOptions { access, busy_timeout: Duration::ZERO };
    as_process(process, || SqliteStore::open_with(file, &options))
}

impl Run {
    fn new(case: &Case, pool: NightPool, shows: bool) -> Self {
        install();
        let folders = [folder(), folder()];
        let disk = Disk::of(folders[0].path(), case.lies);
        let file = folders[0].path().join("store.db");
        let expected = Arc::new(Mutex::new(Expected::new()));
        let models = Arc::new(Mutex::new(Counts::default()));
        let handle = |process| Observed::new(open(&file, process, Access::Create).unwrap(), &expected);
        let timing = match case.seed % 2 {
            0 => SleepTiming::AsReady,
            _ => SleepTiming::Lockstep { plan_seconds: 3_000, write_seconds: 600 },
        };
        let town = Town::new(case.seed, timing, pool, handle(Process::Town), &expected, &models);
        let tool = handle(Process::Tool);
        let tool = Tool::new(case.seed, &file, folders[1].path(), tool, &expected, &models);
        Self {
            town,
            tool,
            disk,
            file,
            expected,
            models,
            versions: Versions::default(),
            heals: 0,
            shows,
            lockstep: case.lockstep,
            lines: Vec::new(),
            _folders: folders,
        }
    }

    fn all(mut self, case: &Case, counts: &mut Counts) -> Vec<String> {
        for (n, step) in case.steps.iter().enumerate() {
            self.step(n, step);
        }
        self.end();
        for some in [&self.expected.lock().unwrap().counts, &*self.models.lock().unwrap()] {
            some.0.iter().for_each(|(what, n)| *counts.0.entry(what.clone()).or_default() += n);
        }
        self.lines
    }

    #[expect(clippy::print_stdout, reason = "a single run is shown")]
    fn step(&mut self, n: usize, step: &Step) {
        if n >= self.heals {
            self.disk.heal();
        }
        let failed_before = self.count_of("call failed by the disk");
        let may_fail = self.disk.is_full();
        let kind = step.fault.map(|fault| fault.kind);
        // The night's threads read in an order of their own.
        let is_ordered = kind != Some(FaultKind::ReadFails) || step.action != Action::Sleep;
        if let Some(fault) = step.fault.filter(|_| is_ordered) {
            self.disk.arm(fault.kind, fault.passes, step.lot);
        }
        let mut lot = Lot(step.lot);
        let outcome = match step.action {
            Action::Restart => self.restart(),
            action if action.is_of_town() => {
                self.town.step(action, &mut lot);
                "done".to_owned()
            }
            action => {
                let done = as_process(Process::Tool, || self.tool.step(action, &mut lot, self.town.now()));
                self.town.reload();
                match done {
                    Ok(()) => "done".to_owned(),
                    Err(error) => {
                        says_enough(&*error);
                        error.to_string().replace(&*self.file.to_string_lossy(), "store.db")
                    }
                }
            }
        };
        let met = self.disk.state().fired.is_some();
        let fired = self.disk.end_of_step();
        if let Some(kind) = fired {
            let when = if met { "in a call" } else { "between calls" };
            self.count(&format!("{kind:?} {when}"));
        }
        if fired == Some(FaultKind::StaysFull) {
            self.heals = n + FULL_FOR;
        }
        if fired.is_none() && !may_fail {
            let failed = self.count_of("call failed by the disk");
            assert_eq!(failed, failed_before, "I7: a call failed without a fault: {outcome}");
        }
        self.tool.release(false);
        self.bury();
        self.look(n % 4 == 3 || fired.is_some());
        let state = if self.lockstep { self.town.state() } else { state_hash(&mut self.town.world).unwrap() };
        let step = serde_json::to_string(step).unwrap();
        let line = format!("{n} {step} {fired:?} {outcome}; town {}", state.get(..8).unwrap_or_default());
        // In lockstep, threads write between the ticks.
        let line = if self.lockstep { line } else { format!("{line}, store {:x}", self.stored()) };
        if self.shows {
            println!("{line}");
        }
        self.lines.push(line);
    }

    /// Returns a hash of the nights and save points that are stored.
    fn stored(&self) -> u64 {
        let twin = &self.expected.lock().unwrap().twin;
        lot_of(0, &format!("{:?} {:?}", twin.nights(None).unwrap(), twin.save_points().unwrap()))
    }

    fn count(&self, what: &str) {
        self.expected.lock().unwrap().counts.add(what);
    }

    fn count_of(&self, what: &str) -> u64 {
        self.expected.lock().unwrap().counts.0.get(what).copied().unwrap_or_default()
    }

    /// Ends both processes, by will, and begins them anew.
    fn restart(&mut self) -> String {
        self.town.end();
        self.tool.end();
        let opened =
            [Process::Town, Process::Tool].map(|process| open(&self.file, process, Access::Existing));
        match opened {
            [Ok(town), Ok(tool)] => {
                self.begin([town, tool]);
                "done".to_owned()
            }
            [town, tool] => {
                let errors = town.err().into_iter().chain(tool.err());
                let errors = errors.map(|error| {
                    says_enough(&error);
                    error.to_string().replace(&*self.file.to_string_lossy(), "store.db")
                });
                errors.collect::<Vec<_>>().join("; ")
            }
        }
    }

    /// Begins processes that have died or could not begin.
    fn bury(&mut self) {
        let (all_dead, tool_dead) = {
            let state = self.disk.state();
            (state.all_dead, state.tool_dead)
        };
        let began = self.town.is_alive();
        if all_dead || !began {
            if began {
                self.town.end();
            }
            self.tool.end();
            if self.disk.restart() {
                self.count("power loss tore a write");
            }
            self.disk.heal();
            let opened = [Process::Town, Process::Tool].map(|process| {
                open(&self.file, process, Access::Existing)
                    .unwrap_or_else(|error| panic!("I2: the store cannot be opened: {error:?}"))
            });
            self.begin(opened);
        } else if tool_dead {
            self.tool.end();
            self.disk.restart();
            let opened = open(&self.file, Process::Tool, Access::Existing);
            let opened = opened.unwrap_or_else(|error| panic!("I2: the tool cannot open the store: {error}"));
            self.tool.restart(Observed::new(opened, &self.expected));
        }
    }

    /// Begins both processes on a file that nobody had open.
    fn begin(&mut self, [town, tool]: [SqliteStore; 2]) {
        self.expected.lock().unwrap().compare(&town, true);
        self.tool.restart(Observed::new(tool, &self.expected));
        self.town.restart(Observed::new(town, &self.expected), NightPool::without_threads());
    }

    /// Looks at everything that is promised.
    fn look(&mut self, closely: bool) {
        {
            let mut expected = self.expected.lock().unwrap();
            if let Some(broken) = &expected.broken {
                panic!("{broken}");
            }
            if closely {
                expected.compare(&self.tool.store().file, false);
            }
            if expected.changed {
                expected.changed = false;
                promises::check(&mut expected, &mut self.versions);
            }
        }
        if closely {
            let found = self.tool.store().file.check(None, 3).unwrap();
            assert_eq!(found.found, 0, "I6: {:?}", found.problems);
        }
        self.town.check();
    }

    /// Mends everything, lets everybody sleep, and looks once more, also at the file as it is opened anew.
    fn end(&mut self) {
        self.tool.release(true);
        self.disk.heal();
        self.town.sleep_all();
        self.look(true);
        let stored = lot_of(0, self.expected.lock().unwrap().picture());
        self.lines.push(format!("at the end, store {stored:x}"));
        self.town.end();
        self.tool.end();
        let opened = open(&self.file, Process::Tool, Access::Existing).unwrap();
        let mut expected = self.expected.lock().unwrap();
        expected.compare(&opened, true);
        assert_eq!(opened.check(None, 3).unwrap().found, 0, "I6: problems at the end");
    }
}

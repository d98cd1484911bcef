//! Nights over many NPCs: the GIL is released, progress is told, and ^C ends them.

use std::{
    path::PathBuf,
    sync::{
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use nightfold::{
    Days, Observer, RunError, Sleep, catch_panic, days, days_by_night,
    english::Packs,
    formats::jsonl,
    memory::{GameTime, Memory, NpcId, StoreError, ValidConfig},
};
use nightfold_store::{DurableStore, SqliteStore};
use nightfold_town::{TownError, TownModels};
use pyo3::prelude::*;

use crate::{
    config::Config,
    errors::{of_town, refused, with_code},
    models::Embedder,
    plan::Plan,
    store::{Store, failed},
    table,
};

/// Pause between two looks at signals and progress.
const LOOK: Duration = Duration::from_millis(50);

/// Progress of a run, and the wish to end it.
#[derive(Default)]
struct Watch {
    planned: AtomicUsize,
    abandoned: AtomicBool,
}

impl Observer for Watch {
    fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Relaxed)
    }

    fn on_planned(&self, _: &NpcId, _: Duration) {
        self.planned.fetch_add(1, Ordering::Relaxed);
    }
}

/// Everything that a run needs, away from Python.
struct Work<'a> {
    days: Days,
    nights: usize,
    store: &'a dyn DurableStore,
    config: &'a ValidConfig,
    models: TownModels,
    apply: bool,
}

/// Plan a night for every NPC of these memories, and with `apply` write each as soon as it is planned.  `days` are a path to a file of JSON lines, dictionaries, a data frame, or anything with an Arrow stream. `by_day` makes a night of every date that has memories; `until` is the moment of sleep (the last memory of each NPC). `progress` is called with the nights that are planned and the nights in all, after each round of up to `run.npcs` NPCs; an exception of it, or ^C, ends the run. A run fits into memory; the command line streams.
#[pyfunction]
#[pyo3(signature = (days, *, store = None, apply = false, config = None, embedder = None, by_day = false, until = None, progress = None))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn sleep(
    py: Python<'_>,
    days: &Bound<'_, PyAny>,
    store: Option<&Bound<'_, Store>>,
    apply: bool,
    config: Option<&Bound<'_, Config>>,
    embedder: Option<&Bound<'_, Embedder>>,
    by_day: bool,
    until: Option<&Bound<'_, PyAny>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Plan> {
    if apply && store.is_none() {
        return Err(with_code("options", "apply needs a store to write to: give store".to_owned()));
    }
    let config = config.map_or_else(ValidConfig::default, |config| config.get().inner.clone());
    let until = until
        .map(|until| until.str()?.to_str()?.parse::<GameTime>().map_err(|error| refused("options", &error)))
        .transpose()?;
    let memories = memories(days, &config)?;
    let group = if by_day { days_by_night } else { self::days };
    let grouped = py.detach(|| group(memories, until, &config));
    let models = Embedder::of(py, embedder, &config)?;
    let none = SqliteStore::in_memory().map_err(failed)?;
    let store = store.map_or(&none as &dyn DurableStore, |store| &*store.get().inner);
    let nights = grouped.values().map(Vec::len).sum();
    let work = Work { days: grouped, nights, store, config: &config, models, apply };
    let plan = run(py, work, progress)?;
    Ok(plan)
}

/// Reads memories from a path, dictionaries, a data frame or an Arrow table.
fn memories(days: &Bound<'_, PyAny>, config: &ValidConfig) -> PyResult<Vec<Memory>> {
    let wrong = |error: jsonl::JsonlError| refused("json", &error);
    if let Ok(path) = days.extract::<PathBuf>() {
        return days.py().detach(|| nightfold::read_jsonl(path, config)).map_err(wrong);
    }
    let lines = table::json_rows(days)?;
    let text = String::from_utf8_lossy(&lines);
    days.py().detach(|| jsonl::read_text("days", &text, &config.input, None)).map_err(wrong)
}

/// Runs on a thread of its own, while this one looks at signals and tells the progress.
fn run(py: Python<'_>, work: Work<'_>, progress: Option<&Bound<'_, PyAny>>) -> PyResult<Plan> {
    let watch = Watch::default();
    let nights = work.nights;
    thread::scope(|scope| {
        let (ended, end) = mpsc::channel();
        let watching = &watch;
        scope.spawn(move || {
            let result = catch_panic(|| plan(work, watching));
            // The receiver lives as long as the scope.
            let _ = ended.send(result);
        });
        let mut told = 0;
        let end = std::sync::Mutex::new(end);
        loop {
            let waited = py.detach(|| {
                end.lock().map_or(Err(RecvTimeoutError::Disconnected), |end| end.recv_timeout(LOOK))
            });
            let planned = watch.planned.load(Ordering::Relaxed);
            let told_of = match progress {
                Some(progress) if planned > told => progress.call1((planned, nights)).map(drop),
                _ => Ok(()),
            };
            told = planned;
            // An exception of the callback ends the run as ^C does.
            if let Err(stop) = py.check_signals().and(told_of) {
                watch.abandoned.store(true, Ordering::Relaxed);
                // It ends at its next few hundred texts.
                py.detach(|| {
                    if let Ok(end) = end.lock() {
                        // Its result is given up.
                        let _ = end.recv();
                    }
                });
                return Err(stop);
            }
            match waited {
                Ok(Ok(planned)) => return planned.map_err(Failed::into_python),
                Ok(Err(panic)) => return Err(with_code("internal", panic)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(with_code("internal", "the run ended without a result".to_owned()));
                }
            }
        }
    })
}

/// Failure on the thread of a run, which holds no GIL to make an exception of it.
enum Failed {
    Town(TownError),
    Run(RunError),
    Store(StoreError),
}

impl Failed {
    fn into_python(self) -> PyErr {
        match self {
            Self::Town(error) => of_town(&error),
            Self::Run(error) => refused("night", &error),
            Self::Store(error) => failed(error),
        }
    }
}

fn plan(work: Work<'_>, watch: &Watch) -> Result<Plan, Failed> {
    let Work { days, store, config, models, apply, .. } = work;
    let judge = models.judge(config).map_err(Failed::Town)?;
    let sleep = Sleep {
        config,
        packs: &Packs,
        embedder: &**models.embedder(),
        store,
        language: None,
        judge: judge.as_deref(),
        observer: watch,
    };
    let slept = if apply { sleep.apply(store, days) } else { sleep.plan(days) }.map_err(Failed::Run)?;
    let written = slept.written;
    Ok(Plan { inner: nightfold::Plan::of(slept, store).map_err(Failed::Store)?, written })
}

//! Nights back to back in one process, as a server sleeps: one NPC after the other, a question after each night,
//! maintenance and purging once a week.

use std::{fs, io::Write as _, num::NonZeroUsize, path::Path, time::Instant};

use nightfold::{
    Maintenance, MaintenanceTasks, NoObserver, RunError, Sleep, apply_plan,
    consolidate::{RecallIndex, RecallQuery},
    days,
    english::{English, Packs},
    memory::{
        Config, Embedder, GameTime, Memory, MemoryReader, MemoryStore, NpcId, StanceJudge, ValidConfig,
        config::JudgeBy,
    },
    recallable,
};
use nightfold_benches::flatness::{Figure, WindowTable};
use nightfold_embed::{
    CachedEmbedder, CachedJudge, LazyStanceModel, MiniLm, MiniLmOptions, ModelOptions, Models, StanceOptions,
    VectorCache,
};
use nightfold_scenario::synthetic::synthetic_day;
use nightfold_store::SqliteStore;
use rustix::time::{ClockId, clock_gettime};

use crate::{
    Fallible, Life, WINDOWS,
    footprint::{Footprint, files_in},
    median_and_p99,
};

const FIGURES: &[Figure] = &[
    Figure { name: "night p50, ms", decimals: 0, limit: None },
    Figure { name: "p99", decimals: 0, limit: None },
    Figure { name: "night p50, CPU ms", decimals: 1, limit: Some(1.5) },
    Figure { name: "night p99, CPU ms", decimals: 0, limit: Some(2.0) },
    Figure { name: "question p50, ms", decimals: 1, limit: None },
    Figure { name: "p99", decimals: 1, limit: None },
    Figure { name: "question p50, CPU ms", decimals: 1, limit: Some(1.5) },
    Figure { name: "question p99, CPU ms", decimals: 1, limit: Some(2.0) },
    Figure { name: "maintenance p50, ms", decimals: 0, limit: None },
    Figure { name: "p99", decimals: 0, limit: None },
    Figure { name: "maintenance p50, CPU ms", decimals: 0, limit: Some(1.5) },
    Figure { name: "maintenance p99, CPU ms", decimals: 0, limit: Some(2.0) },
    Figure { name: "answered, %", decimals: 0, limit: None },
    Figure { name: "resident, MB", decimals: 0, limit: Some(1.1) },
    Figure { name: "peak, MB", decimals: 0, limit: Some(1.1) },
    Figure { name: "handles", decimals: 0, limit: Some(1.0) },
    Figure { name: "threads", decimals: 0, limit: Some(1.0) },
    Figure { name: "files", decimals: 0, limit: Some(1.0) },
    Figure { name: "active entries of an NPC", decimals: 0, limit: Some(1.25) },
    Figure { name: "store, MB", decimals: 2, limit: Some(1.5) },
    Figure { name: "its log, MB", decimals: 1, limit: Some(1.1) },
];

/// Days between maintenance.
const WEEK: usize = 7;

/// Settings, store and models, as a server keeps them open.
struct Server {
    config: ValidConfig,
    store: SqliteStore,
    embedder: Box<dyn Embedder>,
    judge: Option<Box<dyn StanceJudge>>,
}

/// Milliseconds that the steps of one kind took.
#[derive(Default)]
struct Milliseconds {
    wall: Vec<f64>,
    cpu: Vec<f64>,
}

/// Steps of a window, and the number of questions to which something was recalled.
#[derive(Default)]
struct Steps {
    nights: Milliseconds,
    questions: Milliseconds,
    maintenance: Milliseconds,
    answered: usize,
}

/// Sleeps all nights, and returns what each window of nights cost.
pub(crate) fn run(folder: &Path, life: &Life) -> Fallible<WindowTable> {
    let server = Server::open(folder, life.rules)?;
    let mut town = Vec::new();
    for (name, draw) in life.town() {
        town.push((NpcId::new(name)?, draw));
    }
    let (nights, mut done) = (life.npcs * life.days, 0);
    let (mut table, mut steps) = (WindowTable::new(FIGURES), Steps::default());
    let begun = Instant::now();
    for day in 0..life.days {
        for (npc, draw) in &mut town {
            let memories = synthetic_day(draw, npc.as_str(), day, life.memories)?;
            let asked = memories[draw.below(memories.len())].text.clone();
            steps.nights.time(|| server.sleep(memories))?;
            let found = steps.questions.time(|| server.ask(npc, &asked))?;
            steps.answered += usize::from(found > 0);
            if (day + 1) % WEEK == 0 {
                steps.maintenance.time(|| server.maintain(npc))?;
            }
            done += 1;
            if done * WINDOWS / nights > (done - 1) * WINDOWS / nights {
                table.push(done, server.window(folder, &mut steps, life.npcs)?);
                writeln!(std::io::stderr(), "{done} nights: {:.0} s", begun.elapsed().as_secs_f64())?;
            }
        }
    }
    Ok(table)
}

impl Server {
    /// Opens the store and the models; with `rules`, statements are compared without the stance model.
    fn open(folder: &Path, rules: bool) -> Fallible<Self> {
        let mut config = Config::default();
        // A cache that is full before the first quarter ends.
        config.embed.cache = 5_000;
        if rules {
            config.judge.by = JudgeBy::Rules;
        }
        let config = config.check()?;
        let cache = || VectorCache::in_memory(config.embed.cache as u64);
        let files = Models::new(ModelOptions::from_env()).provide(&|_| {})?;
        let options = MiniLmOptions { sessions: NonZeroUsize::MIN, ..MiniLmOptions::default() };
        let embedder = CachedEmbedder::new(MiniLm::open(&files, options)?, Some(cache()?), "");
        let judge = if rules {
            None
        } else {
            let options = StanceOptions { sessions: NonZeroUsize::MIN, ..StanceOptions::default() };
            let judge = CachedJudge::new(LazyStanceModel::new(files, options), cache()?, "");
            Some(Box::new(judge) as Box<dyn StanceJudge>)
        };
        let store = SqliteStore::open(folder.join("town.db"))?;
        Ok(Self { config, store, embedder: Box::new(embedder), judge })
    }

    fn sleep(&self, memories: Vec<Memory>) -> Fallible<()> {
        let sleep = Sleep {
            config: &self.config,
            packs: &Packs,
            embedder: self.embedder.as_ref(),
            store: &self.store,
            language: None,
            judge: self.judge.as_deref(),
            observer: &NoObserver,
        };
        let slept = sleep.apply(&self.store, days(memories, None, &self.config))?;
        match slept.failures.into_iter().next() {
            Some(failure) => Err(failure.into()),
            None if slept.written == 1 => Ok(()),
            None => Err("a night was not written".into()),
        }
    }

    /// Returns the number of entries that are recalled at a question.
    fn ask(&self, npc: &NpcId, question: &str) -> Fallible<usize> {
        let past = self.store.snapshot(npc)?;
        let now = past.entries.iter().map(|m| m.touched_at).max().unwrap_or(GameTime::ZERO);
        let vectors = self.embedder.embed(&[question])?.vectors;
        let query = RecallQuery::new(question, vectors.row(0), &English);
        let entries = recallable(&self.store, npc, past.entries, &self.config.recall)?;
        let index = RecallIndex::new(entries, &English);
        Ok(index.recall(&query, now, &self.config.recall).len())
    }

    fn maintain(&self, npc: &NpcId) -> Fallible<()> {
        let maintenance = Maintenance { config: &self.config, packs: &Packs, store: &self.store };
        let open = |_| Ok::<_, RunError>(self.embedder.as_ref());
        let npcs = std::slice::from_ref(npc);
        let plan = maintenance.plan_worded(npcs, MaintenanceTasks::ALL, None, open)?.plan;
        if let Some(failure) = apply_plan(&self.store, &plan)?.failures.into_iter().next() {
            return Err(failure.into());
        }
        self.store.purge(npc, self.config.maintain.purge_after_nights)?;
        Ok(())
    }

    /// Returns a value for each of [`FIGURES`].
    fn window(&self, folder: &Path, steps: &mut Steps, npcs: usize) -> Fallible<Vec<f64>> {
        let footprint = Footprint::of("self")?;
        let size = |file| Ok::<_, std::io::Error>(fs::metadata(folder.join(file))?.len() as f64 / 1e6);
        let mut active = 0;
        for npc in self.store.npcs()? {
            active += self.store.active_page(&npc, None, usize::MAX)?.len();
        }
        let Steps { nights, questions, maintenance, answered } = std::mem::take(steps);
        let answered = 100.0 * answered as f64 / questions.wall.len() as f64;
        let mut values: Vec<f64> =
            [nights, questions, maintenance].into_iter().flat_map(Milliseconds::summary).collect();
        values.extend([
            answered,
            footprint.resident as f64 / 1e6,
            footprint.peak as f64 / 1e6,
            footprint.handles as f64,
            footprint.threads as f64,
            files_in(folder)? as f64,
            active as f64 / npcs as f64,
            size("town.db")?,
            size("town.db-wal")?,
        ]);
        Ok(values)
    }
}

impl Milliseconds {
    /// Does a step and notes how long it took; returns its outcome.
    fn time<T>(&mut self, step: impl FnOnce() -> Fallible<T>) -> Fallible<T> {
        let (wall, cpu) = (Instant::now(), processor_time());
        let outcome = step()?;
        self.wall.push(1_000.0 * wall.elapsed().as_secs_f64());
        self.cpu.push(1_000.0 * (processor_time() - cpu));
        Ok(outcome)
    }

    /// Returns the median and the 99th percentile by the wall and by the processor.
    fn summary(self) -> [f64; 4] {
        let ([wall, late], [cpu, much]) = (median_and_p99(self.wall), median_and_p99(self.cpu));
        [wall, late, cpu, much]
    }
}

/// Returns the seconds of processors that this process has taken, in all its threads.
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

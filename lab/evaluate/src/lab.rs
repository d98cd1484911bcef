//! Equipment of the suites: settings, models, data, and nights on days.

use std::{
    collections::BTreeMap,
    num::NonZero,
    path::{Path, PathBuf},
    thread,
};

use anyhow::{Context as _, Result, bail};
use clap::builder::PossibleValuesParser;
use nightfold::{Days, Maintenance, MaintenanceTasks, NoObserver, Sleep, apply_plan};
use nightfold_embed::{
    CachedEmbedder, CachedJudge, Engine, LazyMiniLm, LazyStanceModel, MiniLmOptions, ModelOptions, Models,
    StanceOptions, VectorCache,
};
use nightfold_english::Packs;
use nightfold_memory::{
    Config, Day, Embedder, GameTime, MemoryReader as _, NpcNight, StanceJudge, ValidConfig,
    config::{ClusterAlgorithm, JudgeBy},
};
use nightfold_scenario::{Replay, Replayed, SCENARIO_FILE, Scenario, Script};
use nightfold_store::SqliteStore;
use toml::{Table, Value};

/// Data and settings of a call.
#[derive(Debug, clap::Args)]
pub struct LabOptions {
    /// Folder with the sets of data, or that of the one set that a suite needs
    #[arg(long, value_name = "DIR", global = true)]
    pub data: Option<PathBuf>,
    /// Folder with the project's scenarios
    #[arg(long, value_name = "DIR", default_value = "scenarios", global = true)]
    pub scenarios: PathBuf,
    /// JSONL of pairs `a`, `b` and `stance`, judged in place of the project's own
    #[arg(long, value_name = "FILE", global = true)]
    pub pairs: Option<PathBuf>,
    /// JSONL of stories, lived in place of the project's own
    #[arg(long, value_name = "FILE", global = true)]
    pub stories: Option<PathBuf>,
    /// Half of each set that `life` and `texts` read: the first while nights are worked on, the second once they are done
    /// [default: all of it in `life`, the first in `texts`]
    #[arg(long, value_name = "HALF", global = true)]
    pub half: Option<Half>,
    /// Folder for a sample of texts that readers rate
    #[arg(long, value_name = "DIR", global = true)]
    pub sheet: Option<PathBuf>,
    /// Clustering algorithms that are measured [default: all]
    #[arg(long = "algorithm", value_name = "NAME,…", value_delimiter = ',', global = true,
        value_parser = PossibleValuesParser::new(ClusterAlgorithm::ALL.map(ClusterAlgorithm::as_str)))]
    pub algorithms: Vec<String>,
    /// File of settings, as `nightfold --config` reads it
    #[arg(long, value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,
    /// Setting over those of the file, such as judge.by=rules
    #[arg(long, value_name = "KEY=VALUE", global = true)]
    pub set: Vec<String>,
    /// Folder of the models [default: as `nightfold`]
    #[arg(long, value_name = "DIR", env = "NIGHTFOLD_MODELS", global = true)]
    pub models: Option<PathBuf>,
    /// File that keeps vectors [default: as `nightfold`]
    #[arg(long, value_name = "FILE", env = "NIGHTFOLD_VECTOR_CACHE", global = true)]
    pub vector_cache: Option<PathBuf>,
}

/// Half of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Half {
    /// First half, with the middle.
    First,
    /// Second half.
    Second,
}

impl Half {
    /// Returns this half of a list.
    pub(crate) fn of<T>(self, all: &[T]) -> &[T] {
        let (first, second) = all.split_at(all.len().div_ceil(2));
        match self {
            Self::First => first,
            Self::Second => second,
        }
    }
}

/// Seconds between two rounds of maintenance.
const WEEK: i64 = 7 * 86_400;

/// Everything that suites measure with.
pub struct Lab {
    /// Options of the call.
    pub(crate) options: LabOptions,
    /// Settings of the call.
    pub(crate) config: ValidConfig,
    /// The sentence model behind a cache.
    pub(crate) embedder: Box<dyn Embedder>,
    /// The stance model behind the same cache; none if the rules judge.
    pub(crate) judge: Option<Box<dyn StanceJudge>>,
    settings: Table,
}

impl Lab {
    /// Reads the settings and finds the models, which are opened by the first text that needs them.
    ///
    /// # Errors
    /// A setting is wrong, a model is missing, or the cache cannot be used.
    pub fn open(options: LabOptions) -> Result<Self> {
        let mut settings = match &options.config {
            Some(path) => toml::from_str(&read(path)?)?,
            None => Table::new(),
        };
        for setting in &options.set {
            // A word needs no quotes.
            let quoted = || setting.split_once('=').map(|(key, word)| format!("{key} = {word:?}"));
            let of_flag = toml::from_str(setting).or_else(|e| toml::from_str(&quoted().ok_or(e)?))?;
            lay_over(&mut settings, &of_flag);
        }
        let config = checked(settings.clone())?;
        let mut places = ModelOptions::from_env();
        places.dir.clone_from(&options.models);
        places.engine = Engine::of(config.embed.engine);
        let files = Models::new(places).provide(&|_| ())?;
        let path = options.vector_cache.clone().or_else(VectorCache::usual_path);
        let cache = || match &path {
            Some(path) => VectorCache::open(path, config.embed.file_cache),
            None => VectorCache::in_memory(config.embed.cache as u64),
        };
        let judge: Option<Box<dyn StanceJudge>> = match config.judge.by {
            JudgeBy::Rules => None,
            JudgeBy::Model => {
                let sessions = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
                let options = StanceOptions { sessions, ..StanceOptions::default() };
                let model = LazyStanceModel::new(files.clone(), options);
                let made_by = model.made_by();
                Some(Box::new(CachedJudge::new(model, cache()?, &made_by)))
            }
            JudgeBy::Language => bail!("the judge is language; the stance model and the rules are measured"),
        };
        let model = MiniLmOptions::default();
        let model = LazyMiniLm::new(files, model);
        let made_by = model.made_by();
        let embedder = Box::new(CachedEmbedder::new(model, Some(cache()?), &made_by));
        Ok(Self { options, config, embedder, judge, settings })
    }

    /// Returns the settings of the call with some of them changed.
    pub(crate) fn with(&self, edit: impl FnOnce(&mut Config)) -> Result<ValidConfig> {
        let mut changed = Config::clone(&self.config);
        edit(&mut changed);
        Ok(changed.check()?)
    }

    /// Returns the folder of a set: that of its name in the folder of data, or the folder of data itself if that has the file.
    pub(crate) fn folder(&self, name: &str, file: &str) -> Option<PathBuf> {
        let dir = self.options.data.as_ref()?;
        [dir.join(name), dir.clone()].into_iter().find(|dir| dir.join(file).exists())
    }

    /// Returns the conversations with questions that are given, by name.
    pub(crate) fn conversation_folders(&self) -> BTreeMap<String, PathBuf> {
        let names = ["locomo", "realtalk", "beam"];
        let given = names.map(|name| self.folder(name, "questions.jsonl"));
        let name = |dir: PathBuf| Some((dir.file_name()?.to_string_lossy().into_owned(), dir));
        given.into_iter().flatten().filter_map(name).collect()
    }

    /// Sleeps on days, and writes the nights to a store. Errors call the days `name`.
    pub(crate) fn sleep(
        &self,
        name: &str,
        config: &ValidConfig,
        judge: Option<&dyn StanceJudge>,
        store: &SqliteStore,
        days: Days,
    ) -> Result<Vec<NpcNight>> {
        let sleep = Sleep {
            config,
            packs: &Packs,
            embedder: &*self.embedder,
            store,
            language: None,
            judge,
            observer: &NoObserver,
        };
        let slept = sleep.apply(store, days)?;
        match slept.failures.into_iter().next() {
            Some(failure) => Err(failure).with_context(|| name.to_owned()),
            None => Ok(slept.plan.nights),
        }
    }

    /// Lives through days in order of time, night by night into one store, with all maintenance every week and at the end;
    /// returns the plans. Errors call the days `name`.
    pub(crate) fn live(&self, name: &str, store: &SqliteStore, days: &[Day]) -> Result<Vec<NpcNight>> {
        let mut nights = Vec::new();
        let mut maintained: Option<GameTime> = None;
        for of_night in days.chunk_by(|a, b| a.night == b.night) {
            let now = latest(of_night);
            let since = *maintained.get_or_insert(now);
            if now.seconds() - since.seconds() >= WEEK {
                nights.extend(self.maintain(store, now)?);
                maintained = Some(now);
            }
            let days = of_night.iter().map(|day| (day.npc.clone(), vec![day.clone()])).collect();
            nights.extend(self.sleep(name, &self.config, self.judge.as_deref(), store, days)?);
        }
        nights.extend(self.maintain(store, latest(days))?);
        Ok(nights)
    }

    /// Runs all maintenance that is due for everybody in a store; returns the plans.
    fn maintain(&self, store: &SqliteStore, now: GameTime) -> Result<Vec<NpcNight>> {
        let tasks = MaintenanceTasks { now: Some(now), ..MaintenanceTasks::ALL };
        let (npcs, maintenance) = (store.npcs()?, Maintenance { config: &self.config, packs: &Packs, store });
        let planned = maintenance
            .plan_worded(&npcs, tasks, None, |_| Ok::<&dyn Embedder, anyhow::Error>(&*self.embedder))?;
        apply_plan(store, &planned.plan)?;
        Ok(planned.plan.nights)
    }

    /// Returns the folders of all scenarios, by name.
    pub(crate) fn scenarios(&self) -> Result<Vec<PathBuf>> {
        let dir = &self.options.scenarios;
        let entries = std::fs::read_dir(dir).with_context(|| dir.display().to_string())?;
        let mut folders = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        folders.retain(|folder| folder.join(SCENARIO_FILE).exists());
        folders.sort();
        Ok(folders)
    }

    /// Replays a scenario with its own settings over those of the call.
    pub(crate) fn replay(&self, folder: &Path) -> Result<(Scenario, Replayed)> {
        let script = Script::read(folder, &self.config.input)?;
        let mut settings = self.settings.clone();
        lay_over(&mut settings, script.settings());
        let scenario = script.stage(&checked(settings)?)?;
        let (embedder, judge) = (&*self.embedder, self.judge.as_deref());
        let mut replayed = Replay { scenario: &scenario, embedder, judge, observer: &NoObserver }.run()?;
        match replayed.failures.pop() {
            Some(failure) => Err(failure).with_context(|| scenario.name()),
            None => Ok((scenario, replayed)),
        }
    }
}

/// Returns the end of the last of some days.
fn latest(days: &[Day]) -> GameTime {
    days.iter().map(|day| day.until).max().unwrap_or(GameTime::ZERO)
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| path.display().to_string())
}

/// Overrides the keys of one table with those of another, section by section.
fn lay_over(below: &mut Table, above: &Table) {
    for (key, value) in above {
        match (below.get_mut(key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => lay_over(below, above),
            _ => _ = below.insert(key.clone(), value.clone()),
        }
    }
}

fn checked(settings: Table) -> Result<ValidConfig> {
    Ok(Value::Table(settings).try_into::<Config>()?.check()?)
}

//! A year of nights of one NPC, with weekly maintenance and without: number of active entries, and share of
//! important memories that are still found. `year FOLDER [NIGHTS [MEMORIES]]`; stores are written into
//! FOLDER.
//!
//! The days are generated from a seed: routines in many wordings, people and their words, debts, weather,
//! stocks, and a rare important event. Vectors are those of the real model, or cheap ones with `--cheap`
//! (sums of pseudo-random vectors of words: texts that share words are close).

use std::{
    collections::BTreeSet,
    env,
    error::Error,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    time::Instant,
};

use nightfold::english::Packs;
use nightfold::{
    Maintenance, MaintenanceTasks, NoObserver, RunError, Sleep, apply_plan,
    consolidate::{RecallIndex, RecallQuery},
    days_by_night,
    english::English,
    memory::{Embedder, GameTime, Memory, MemoryReader, NpcId, RecordKind, State, ValidConfig},
};
use nightfold_benches::Words;
use nightfold_embed::{CachedEmbedder, MiniLm, MiniLmOptions, ModelOptions, Models, VectorCache};
use nightfold_scenario::synthetic::{Xorshift, synthetic_day};
use nightfold_store::SqliteStore;

type Fallible<T> = Result<T, Box<dyn Error>>;

const NPC: &str = "Mara";
/// Nights after which the entries are counted.
const COUNTED: [usize; 8] = [1, 7, 30, 60, 90, 180, 270, 365];

fn main() -> Fallible<()> {
    let (flags, args): (Vec<String>, Vec<String>) = env::args().skip(1).partition(|a| a.starts_with("--"));
    let folder = PathBuf::from(args.first().ok_or("usage: year FOLDER [NIGHTS [MEMORIES]] [--cheap]")?);
    let number = |at: usize, usual: usize| args.get(at).map_or(Ok(usual), |n| n.parse());
    let (nights, memories) = (number(1, 365)?, number(2, 50)?);
    let cheap = flags.iter().any(|f| f == "--cheap");
    let cache = || VectorCache::in_memory(u64::MAX);
    let embedder: Box<dyn Embedder> = if cheap {
        Box::new(CachedEmbedder::new(Words::new()?, Some(cache()?), ""))
    } else {
        Box::new(CachedEmbedder::new(real()?, Some(cache()?), ""))
    };
    let life: Vec<Vec<Memory>> = life(nights, memories)?;
    let mut out = std::io::stdout();
    writeln!(out, "{nights} nights x {memories} memories, vectors of {}", embedder.model())?;
    for (name, weekly) in [("with", true), ("without", false)] {
        let path = folder.join(format!("{name}.db"));
        if path.exists() {
            fs::remove_file(&path)?;
        }
        let begun = Instant::now();
        let summary = run_nights(&path, &life, embedder.as_ref(), weekly)?;
        writeln!(out, "{name} weekly maintain: {summary}; {:.0} s", begun.elapsed().as_secs_f64())?;
    }
    Ok(())
}

/// Consolidates all nights of a year and summarises the store.
fn run_nights(path: &Path, life: &[Vec<Memory>], embedder: &dyn Embedder, weekly: bool) -> Fallible<String> {
    let (config, store) = (ValidConfig::default(), SqliteStore::open(path)?);
    let npcs = [NpcId::new(NPC)?];
    let mut curve = Vec::new();
    for (night, day) in life.iter().enumerate() {
        let sleep = Sleep {
            config: &config,
            packs: &Packs,
            embedder,
            store: &store,
            language: None,
            judge: None,
            observer: &NoObserver,
        };
        let slept = sleep.apply(&store, days_by_night(day.clone(), None, &config))?;
        if let Some(failure) = slept.failures.into_iter().next() {
            return Err(failure.into());
        }
        if weekly && (night + 1) % 7 == 0 {
            maintain(&store, &config, embedder, &npcs)?;
        }
        if COUNTED.contains(&(night + 1)) || night + 1 == life.len() {
            curve.push(format!("{} after {}", count_active(&store, &npcs[0])?, night + 1));
        }
    }
    let kept = count_important(&store, life, embedder, &config)?;
    let size = fs::metadata(path)?.len() as f64 / 1e6;
    Ok(format!("active {}; {kept}; file {size:.0} MB", curve.join(", ")))
}

fn maintain(
    store: &SqliteStore,
    config: &ValidConfig,
    embedder: &dyn Embedder,
    npcs: &[NpcId],
) -> Fallible<()> {
    let tasks = MaintenanceTasks::ALL;
    let open = |_| Ok::<_, RunError>(embedder);
    let maintenance = Maintenance { config, packs: &Packs, store };
    let plan = maintenance.plan_worded(npcs, tasks, None, open)?.plan;
    let applied = apply_plan(store, &plan)?;
    applied.failures.into_iter().next().map_or(Ok(()), |failure| Err(failure.into()))
}

/// Counts the active entries by kind of record.
fn count_active(store: &SqliteStore, npc: &NpcId) -> Fallible<String> {
    let entries = store.snapshot(npc)?.entries;
    let of = |form| entries.iter().filter(|e| e.entry.form == form).count();
    let summaries = entries.iter().filter(|e| e.entry.id.as_str().contains(':')).count();
    let (verbatim, insights) = (of(RecordKind::Verbatim), of(RecordKind::Reflection));
    Ok(format!("{} ({verbatim} verbatim, {insights} insights, {summaries} summaries)", entries.len()))
}

/// Counts the important memories that are active in their own words, and those found by recall.
fn count_important(
    store: &SqliteStore,
    life: &[Vec<Memory>],
    embedder: &dyn Embedder,
    config: &ValidConfig,
) -> Fallible<String> {
    let important: Vec<&Memory> =
        life.iter().flatten().filter(|m| m.importance().get() >= config.triage.important).collect();
    let past = store.snapshot(&NpcId::new(NPC)?)?;
    let holds = |text: &str, memory: &Memory| text.contains(memory.text.trim());
    let stands =
        |m: &&&Memory| past.entries.iter().any(|e| e.state == State::Active && holds(&e.entry.text, m));
    let standing = important.iter().filter(stands).count();
    let now = life.iter().flatten().map(|m| m.at).max().unwrap_or(GameTime::ZERO);
    let distinct: BTreeSet<&str> = important.iter().map(|m| m.text.as_str()).collect();
    let index = RecallIndex::new(past.entries.clone(), &English);
    let mut found = 0;
    for memory in &important {
        let query = embedder.embed(&[&memory.text])?;
        let query = RecallQuery::new(&memory.text, query.vectors.row(0), &English);
        let recalled = index.recall(&query, now, &config.recall);
        found += usize::from(recalled.iter().take(10).any(|r| holds(&r.memory.entry.text, memory)));
    }
    Ok(format!(
        "important: {} ({} texts), {standing} active in their own words, {found} found by recall@10",
        important.len(),
        distinct.len()
    ))
}

fn real() -> Fallible<MiniLm> {
    let files = Models::new(ModelOptions::from_env()).provide(&|_| {})?;
    Ok(MiniLm::open(&files, MiniLmOptions::default())?)
}

/// Returns all days of the year.
fn life(nights: usize, memories: usize) -> Fallible<Vec<Vec<Memory>>> {
    let mut draw = Xorshift(0x5eed_0042);
    (0..nights).map(|night| Ok(synthetic_day(&mut draw, NPC, night, memories)?)).collect()
}

//! A year of one life, slept night after night, with weekly upkeep and without: how many entries stay active, and
//! whether what was important is still found. `year FOLDER [NIGHTS [MEMORIES]]`; stores are written into FOLDER.
//!
//! The days are generated from a seed: routines in many wordings, people and what they say, debts, weather, the state of
//! the stores, and a rare important event. Vectors are those of the real model, or cheap ones with `--cheap` (sums of
//! pseudo-random vectors of words: texts that share words are close).

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    error::Error,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::Mutex,
    time::Instant,
};

use nightfold::{
    Chores, Lines, NoObserver, Sleep, Upkeep, apply_plan,
    consolidate::RecallIndex,
    days_by_night,
    memory::{
        Embedded, Embedder, EmbedderError, Form, GameTime, Memory, MemoryStore, ModelId, NpcId, State,
        ValidConfig, Vectors,
    },
};
use nightfold_benches::{Draw, Words};
use nightfold_embed::{MiniLm, MiniLmOptions, ModelOptions, Models};
use nightfold_store::SqliteStore;
use serde_json::json;

type Fallible<T> = Result<T, Box<dyn Error>>;

const NPC: &str = "Mara";
/// After which nights the entries are counted.
const COUNTED: [usize; 8] = [1, 7, 30, 60, 90, 180, 270, 365];

fn main() -> Fallible<()> {
    let (flags, args): (Vec<String>, Vec<String>) = env::args().skip(1).partition(|a| a.starts_with("--"));
    let folder = PathBuf::from(args.first().ok_or("usage: year FOLDER [NIGHTS [MEMORIES]] [--cheap]")?);
    let number = |at: usize, usual: usize| args.get(at).map_or(Ok(usual), |n| n.parse());
    let (nights, memories) = (number(1, 365)?, number(2, 50)?);
    let cheap = flags.iter().any(|f| f == "--cheap");
    let embedder = Remembering::new(if cheap { Box::new(Words::new()?) } else { Box::new(real()?) });
    let life: Vec<Vec<Memory>> = life(nights, memories)?;
    let mut out = std::io::stdout();
    writeln!(out, "{nights} nights x {memories} memories, vectors of {}", embedder.model())?;
    for (name, weekly) in [("with", true), ("without", false)] {
        let path = folder.join(format!("{name}.db"));
        if path.exists() {
            fs::remove_file(&path)?;
        }
        let begun = Instant::now();
        let lived = live(&path, &life, &embedder, weekly)?;
        writeln!(out, "{name} weekly maintain: {lived}; {:.0} s", begun.elapsed().as_secs_f64())?;
    }
    Ok(())
}

/// Lives a life and says what is left of it.
fn live(path: &Path, life: &[Vec<Memory>], embedder: &dyn Embedder, weekly: bool) -> Fallible<String> {
    let (config, store) = (ValidConfig::default(), SqliteStore::open(path)?);
    let npcs = [NpcId::new(NPC)?];
    let mut curve = Vec::new();
    for (night, day) in life.iter().enumerate() {
        let sleep = Sleep {
            config: &config,
            embedder,
            store: &store,
            language: None,
            judge: None,
            observer: &NoObserver,
        };
        let slept = sleep.apply(days_by_night(day.clone(), None, &config))?;
        if let Some(failure) = slept.failures.into_iter().next() {
            return Err(failure.into());
        }
        if weekly && (night + 1) % 7 == 0 {
            maintain(&store, &config, embedder, &npcs)?;
        }
        if COUNTED.contains(&(night + 1)) || night + 1 == life.len() {
            curve.push(format!("{} after {}", active(&store, &npcs[0])?, night + 1));
        }
    }
    let kept = kept(&store, life, embedder, &config)?;
    let size = fs::metadata(path)?.len() as f64 / 1e6;
    Ok(format!("active {}; {kept}; file {size:.0} MB", curve.join(", ")))
}

fn maintain(
    store: &SqliteStore,
    config: &ValidConfig,
    embedder: &dyn Embedder,
    npcs: &[NpcId],
) -> Fallible<()> {
    let chores =
        Chores { collapse: Some(Lines::Operational), abstracting: true, cap: true, forget: true, now: None };
    let drafted = Upkeep { config, store }.draft(npcs, chores)?;
    let texts = drafted.texts_to_embed();
    let embedded = if texts.is_empty() { None } else { Some(embedder.embed(&texts)?.vectors) };
    let plan = drafted.plan(embedded.as_ref().map(|vectors| (embedder.model(), vectors)))?.plan;
    let applied = apply_plan(store, &plan)?;
    applied.failures.into_iter().next().map_or(Ok(()), |failure| Err(failure.into()))
}

/// The active entries, by how they came to be.
fn active(store: &SqliteStore, npc: &NpcId) -> Fallible<String> {
    let entries = store.past(npc)?.entries;
    let of = |form| entries.iter().filter(|e| e.entry.form == form).count();
    let summaries = entries.iter().filter(|e| e.entry.id.as_str().contains(':')).count();
    let (verbatim, insights) = (of(Form::Verbatim), of(Form::Reflection));
    Ok(format!("{} ({verbatim} verbatim, {insights} insights, {summaries} summaries)", entries.len()))
}

/// How many of the important memories stand somewhere in their own words, and come to mind when asked for.
fn kept(
    store: &SqliteStore,
    life: &[Vec<Memory>],
    embedder: &dyn Embedder,
    config: &ValidConfig,
) -> Fallible<String> {
    let important: Vec<&Memory> =
        life.iter().flatten().filter(|m| m.importance().get() >= config.triage.important).collect();
    let past = store.past(&NpcId::new(NPC)?)?;
    let holds = |text: &str, memory: &Memory| text.contains(memory.text.trim());
    let stands =
        |m: &&&Memory| past.entries.iter().any(|e| e.state == State::Active && holds(&e.entry.text, m));
    let standing = important.iter().filter(stands).count();
    let now = life.iter().flatten().map(|m| m.at).max().unwrap_or(GameTime::ZERO);
    let distinct: BTreeSet<&str> = important.iter().map(|m| m.text.as_str()).collect();
    let index = RecallIndex::new(past.entries.clone());
    let mut found = 0;
    for memory in &important {
        let query = embedder.embed(&[&memory.text])?;
        let recalled = index.recall(query.vectors.row(0), now, &config.recall);
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

/// No text is embedded twice.
struct Remembering {
    inner: Box<dyn Embedder>,
    known: Mutex<BTreeMap<String, Vec<f32>>>,
}

impl Remembering {
    fn new(inner: Box<dyn Embedder>) -> Self {
        Self { inner, known: Mutex::default() }
    }
}

impl Embedder for Remembering {
    fn model(&self) -> &ModelId {
        self.inner.model()
    }

    fn dimensions(&self) -> usize {
        self.inner.dimensions()
    }

    fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
        let mut known = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let new: BTreeSet<&str> = texts.iter().copied().filter(|t| !known.contains_key(*t)).collect();
        let new: Vec<&str> = new.into_iter().collect();
        if !new.is_empty() {
            let embedded = self.inner.embed(&new)?;
            for (text, row) in new.iter().zip(embedded.vectors.rows()) {
                known.insert((*text).to_owned(), row.to_vec());
            }
        }
        let mut vectors = Vectors::with_capacity(self.dimensions(), texts.len());
        for (index, text) in texts.iter().enumerate() {
            let row = known.get(*text).map(Vec::as_slice).unwrap_or_default();
            vectors.push(row).map_err(|source| EmbedderError::Vector { index, source })?;
        }
        Ok(Embedded { vectors, truncated: vec![false; texts.len()] })
    }
}

const PEOPLE: &[&str] = &[
    "Joss",
    "Tom Aldous",
    "Wren",
    "Bran",
    "Elsbeth",
    "Corwin",
    "Pell",
    "Hanne",
    "Berta",
    "Old Ned",
    "Ida",
    "Rana",
    "Captain Ferris",
    "Lysa",
    "the miller's boy",
    "the salt merchant",
    "a pedlar",
    "the reeve",
];
const THINGS: &[&str] = &[
    "ale",
    "bread",
    "the broken axle",
    "salt",
    "a cloak",
    "the goat",
    "candles",
    "the mill wheel",
    "barley",
    "a horseshoe",
    "honey",
    "the well rope",
    "firewood",
    "wool",
    "two hens",
    "the church bell",
    "a ferry ride",
];
const PLACES: &[&str] = &[
    "the common room",
    "the kitchen",
    "the cellar",
    "the yard",
    "the stable",
    "the bridge",
    "the market",
    "the mill",
    "the smithy",
    "the chapel",
    "the north gate",
    "the river bank",
];
const TIMES: &[&str] = &[
    "before opening",
    "at noon",
    "at dusk",
    "after the rush",
    "before dawn",
    "late at night",
    "again",
    "in the rain",
];
const CHORES: &[&str] = &[
    "swept",
    "scrubbed",
    "tidied",
    "aired",
    "locked up",
    "lit the lamps in",
    "checked",
    "mopped",
    "carried water to",
    "walked through",
];
const MOODS: &[&str] = &[
    "seemed tired",
    "laughed a great deal",
    "would not look at me",
    "talked of the harvest",
    "complained about the tax",
    "asked after my sister",
    "was in a hurry",
    "sang an old song",
    "spoke of wolves",
    "praised the stew",
];
const EVENTS: &[&str] = &[
    "lost a child to the fever",
    "was caught stealing from",
    "swore to burn down",
    "married in secret at",
    "was found dead near",
    "confessed to me about the fire at",
    "left the village for ever after a quarrel in",
    "saved me from drowning by",
    "told me where the silver is buried, under",
    "broke an oath to me in",
];

/// All days of a life.
fn life(nights: usize, memories: usize) -> Fallible<Vec<Vec<Memory>>> {
    let mut draw = Draw(0x5eed_0042);
    (0..nights).map(|night| (0..memories).map(|n| memory(&mut draw, night, n, memories)).collect()).collect()
}

fn memory(draw: &mut Draw, night: usize, n: usize, of: usize) -> Fallible<Memory> {
    let lot = draw.below(1_000);
    let (person, other) = (draw.of(PEOPLE), draw.of(PEOPLE));
    let (place, time, thing) = (draw.of(PLACES), draw.of(TIMES), draw.of(THINGS));
    let (mut kind, mut importance) = ("event", 1 + draw.below(3));
    let text = match lot {
        0..400 => format!("I {} {place} {time}", draw.of(CHORES)),
        400..550 => {
            kind = "status";
            format!(
                "Cellar status: {} kegs, {} loaves, {} candles",
                draw.below(30),
                draw.below(60),
                draw.below(90)
            )
        }
        550..760 => {
            kind = "chat";
            importance = 2 + draw.below(4);
            format!("{person} {} at {place} {time}", draw.of(MOODS))
        }
        760..860 => {
            importance = 3 + draw.below(3);
            format!("{person} bought {thing} from me for {} coppers", 1 + draw.below(12))
        }
        860..930 => {
            kind = "thought";
            importance = 3 + draw.below(4);
            format!("I wonder whether {person} knows about {other} and {thing}")
        }
        930..980 => {
            importance = 4 + draw.below(3);
            format!("{person} owes {other} {} silver for {thing}", 1 + draw.below(40))
        }
        980..990 => {
            importance = 6;
            format!("A stranger asked about {person} in {place}, and {other} lied to him")
        }
        // One in a hundred: one every other day.
        _ => {
            importance = 7 + draw.below(3);
            format!("{person} {} {place}, on the {}th day of my year", draw.of(EVENTS), night + 1)
        }
    };
    let at = 86_400 * i64::try_from(night)? + i64::try_from(21_600 + n * 57_600 / of.max(1))?;
    Ok(serde_json::from_value(json!({
        "id": format!("n{night:03}-{n:03}"), "npc": NPC, "at": at, "kind": kind, "text": text, "importance": importance,
    }))?)
}

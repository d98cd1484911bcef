//! A toy embedder, the memories of a small town, and stores and language models that fail on request.
#![allow(dead_code, reason = "every test program uses a part of it")]

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use nightfold::english::Packs;
use nightfold::{
    Days, Observer, Sleep, days_by_night,
    memory::{
        Answer, AppliedNight, Config, Embedded, Embedder, EmbedderError, Erasure, GameTime, Grammar,
        Importance, Kind, LanguageError, LanguageModel, LanguageTask, LogFilter, LogLine, Memory, MemoryId,
        MemoryReader, MemoryRecord, MemorySnapshot, MemoryStore, ModelId, NightPlan, NpcId, NpcNight,
        Outcome, PersonNames, Purge, Reply, Request, RewindTarget, Rewound, SavePoint, SavePointName, Stance,
        StoreError, TaskKind, ThemeHistory, Undone, ValidConfig, Vectors,
        grammar::{PartOfSpeech, Relation, Word, WordTags},
    },
};
use nightfold_store::SqliteStore;

pub(crate) fn npc(name: &str) -> NpcId {
    NpcId::new(name).unwrap()
}

pub(crate) fn config(edit: impl FnOnce(&mut Config)) -> ValidConfig {
    let mut config = Config::default();
    edit(&mut config);
    config.check().unwrap()
}

// ---- embedding

pub(crate) const DIMENSIONS: usize = 16;

/// Embedder that counts its calls for each text, and fails at a chosen text.
#[derive(Debug)]
pub(crate) struct Toy {
    model: ModelId,
    asked: Mutex<BTreeMap<String, usize>>,
    fails_at: Option<&'static str>,
    /// Number of bytes above which a text counts as truncated.
    reads: usize,
}

impl Toy {
    pub(crate) fn new() -> Self {
        Self::named("toy@1")
    }

    pub(crate) fn named(model: &str) -> Self {
        Self { model: model.parse().unwrap(), asked: Mutex::default(), fails_at: None, reads: usize::MAX }
    }

    pub(crate) fn failing_at(text: &'static str) -> Self {
        Self { fails_at: Some(text), ..Self::new() }
    }

    pub(crate) fn reading(bytes: usize) -> Self {
        Self { reads: bytes, ..Self::new() }
    }

    /// Returns the number of times that each text was embedded.
    pub(crate) fn asked(&self) -> BTreeMap<String, usize> {
        self.asked.lock().unwrap().clone()
    }
}

/// Returns a unit vector to which every word adds four numbers, so that texts with common words are similar.
pub(crate) fn embed(text: &str) -> Vec<f32> {
    let mut vector = [0.0_f32; DIMENSIONS];
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()) {
        // FNV-1a.
        let hash = word
            .to_lowercase()
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        for part in 0..4 {
            let lot = (hash >> (part * 16)) as usize;
            vector[lot % DIMENSIONS] += if lot & 0x100 == 0 { 1.0 } else { -1.0 };
        }
    }
    if vector.iter().all(|x| *x == 0.0) {
        vector[0] = 1.0;
    }
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter().map(|x| x / length).collect()
}

/// Nouns of the town.
const NOUNS: [&str; 8] = ["anvil", "axle", "bellows", "forge", "gate", "room", "silver", "storm"];

/// Returns the grammar of a text whose nouns and names are objects of its first other word.
pub(crate) fn grammar(text: &str) -> Option<Grammar> {
    let written: Vec<&str> =
        text.split_whitespace().map(|word| word.trim_matches(['.', ',', ';', ':'])).collect();
    let is_name =
        |word: &str| word.len() > 1 && word.starts_with(char::is_uppercase) && !NOUNS.contains(&word);
    let is_noun = |word: &str| NOUNS.contains(&word) || is_name(word);
    let is_small = |word: &str| matches!(word, "I" | "the" | "a" | "about" | "for" | "at" | "");
    let root = written.iter().position(|word| !is_noun(word) && !is_small(word))?;
    let word = |(at, written): (usize, &&str)| {
        let (part_of_speech, relation, head) = match *written {
            _ if at == root => (PartOfSpeech::Verb, Relation::Root, None),
            word if is_name(word) => (PartOfSpeech::ProperNoun, Relation::Object, Some(root)),
            word if is_noun(word) => (PartOfSpeech::Noun, Relation::Object, Some(root)),
            _ => (PartOfSpeech::Other, Relation::Dependency, Some(root)),
        };
        let tags = WordTags::new(part_of_speech, relation, head);
        let start = written.as_ptr() as usize - text.as_ptr() as usize;
        Word::new(start..start + written.len(), tags).ok()
    };
    let words: Option<Vec<Word>> = written.iter().enumerate().map(word).collect();
    Grammar::new(words?).ok()
}

impl Embedder for Toy {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
        if let Some(text) = texts.iter().find(|t| self.fails_at.is_some_and(|needle| t.contains(needle))) {
            return Err(EmbedderError::Run(format!("no vector for {text:?}").into()));
        }
        let mut vectors = Vectors::with_capacity(DIMENSIONS, texts.len());
        for text in texts {
            *self.asked.lock().unwrap().entry((*text).to_owned()).or_default() += 1;
            vectors.push(&embed(text)).unwrap();
        }
        let grammar = texts.iter().map(|text| grammar(text)).collect();
        let read = Embedded::without_grammar(vectors, texts.iter().map(|t| t.len() > self.reads).collect());
        Ok(Embedded { grammar, ..read })
    }
}

// ---- a town

pub(crate) fn memory(of: &str, day: i64, n: i64, text: &str, importance: u8) -> Memory {
    Memory::new(
        npc(of),
        MemoryId::new(format!("d{day}-m{n}")).unwrap(),
        GameTime::from_seconds(86_400 * day + 600 * n + 60).unwrap(),
        if text.contains("stock") { Kind::Status } else { Kind::Event },
        text,
    )
    .with(|memory| {
        memory.importance = Some(Importance::new(importance).unwrap());
    })
}

/// Returns one NPC's memories of one day: some recur every day, some are shared with other NPCs, one is negated on
/// every other day.
pub(crate) fn day_of(of: &str, day: i64) -> Vec<Memory> {
    let not = if day % 2 == 0 { "" } else { "not " };
    let lived = [
        ("the forge is idle".to_owned(), 1),
        ("the bellows is idle".to_owned(), 1),
        ("the anvil is idle".to_owned(), 1),
        ("the forge is idle".to_owned(), 1),
        (format!("Heron stock: {} kegs, 31 loaves", 12 + day), 3),
        (format!("Heron stock: {} kegs, 9 loaves", 40 + day), 3),
        (format!("the east gate of the town is {not}open"), 7), // Important: kept whatever the budgets.
        (format!("{of} owes Joss {} silver for the new axle", 14 + day), 8),
        (format!("{of} asked Joss about the silver for the new axle"), 6),
        (format!("Joss asked {of} about the silver and the new axle"), 6),
        (format!("Joss shouted at {of} because the silver for the axle is late"), 7),
        (format!("I swept the common room on day {day}"), 2),
        ("I swept the common room before opening".to_owned(), 2),
        ("I swept the common room before opening and again after closing".to_owned(), 2),
        (format!("Wren sang about the storm of day {day}"), 5),
        (String::new(), 1),
    ];
    (0_i64..).zip(lived).map(|(n, (text, importance))| memory(of, day, n, &text, importance)).collect()
}

/// Returns the memories of `npcs` NPCs, named `Ann-00` and on, on `days` days.
pub(crate) fn town(npcs: usize, days: i64) -> Vec<Memory> {
    let names = (0..npcs).map(|n| format!("Ann-{n:02}"));
    names.flat_map(|name| (0..days).flat_map(move |day| day_of(&name, day))).collect()
}

pub(crate) fn nightly(memories: Vec<Memory>, config: &ValidConfig) -> Days {
    days_by_night(memories, None, config)
}

pub(crate) fn sleeping<'a>(
    config: &'a ValidConfig,
    embedder: &'a dyn Embedder,
    store: &'a dyn MemoryStore,
) -> Sleep<'a> {
    Sleep::new(config, &Packs, embedder, store)
}

/// Wakes Ann-00 as soon as she sleeps.
pub(crate) struct Rooster;

impl Observer for Rooster {
    fn is_cancelled(&self, npc: &NpcId) -> bool {
        npc.as_str() == "Ann-00"
    }
}

pub(crate) fn bytes(plan: &NightPlan) -> String {
    serde_json::to_string(plan).unwrap()
}

/// Returns everything that a store holds, except the numbers of runs.
pub(crate) fn all_of(store: &dyn MemoryStore) -> String {
    let mut all = vec![format!("{:?}", store.model().unwrap())];
    for npc in store.npcs().unwrap() {
        let nights = store.nights(Some(&npc)).unwrap();
        let nights: Vec<_> =
            nights.iter().map(|n| (&n.night, n.at, n.base_version, n.version, n.changes)).collect();
        all.push(format!("{npc} {:#?} {nights:#?}", store.snapshot(&npc).unwrap()));
        for entry in store.entries(&npc).unwrap() {
            let id = &entry.entry.id;
            let (log, derived) =
                (store.log(&npc, LogFilter::Entry(id)).unwrap(), store.derived(&npc, id).unwrap());
            all.push(format!("{entry:#?} {log:#?} {derived:?}"));
        }
    }
    all.join("\n")
}

// ---- a store that refuses, and records what is read

/// Operation that a store refuses.
#[derive(Debug, Clone)]
pub(crate) enum Refusal {
    /// Applying one night, with an error of that night alone.
    Night(NpcId, &'static str),
    /// Any call of `apply` that contains a night of this NPC.
    WholeCall(NpcId),
    /// Listing this NPC's active entries by page, which panics.
    Panics(NpcId),
    Nothing,
}

#[derive(Debug)]
pub(crate) struct ScriptedStore {
    pub(crate) inner: SqliteStore,
    refusal: Refusal,
    reads: Mutex<Vec<&'static str>>,
}

impl ScriptedStore {
    pub(crate) fn new(refusal: Refusal) -> Self {
        Self { inner: SqliteStore::in_memory().unwrap(), refusal, reads: Mutex::default() }
    }

    /// Returns the reads of nights, of entries and of the log since the last call.
    pub(crate) fn take_reads(&self) -> Vec<&'static str> {
        std::mem::take(&mut *self.reads.lock().unwrap())
    }

    fn record(&self, read: &'static str) {
        self.reads.lock().unwrap().push(read);
    }
}

impl MemoryReader for ScriptedStore {
    fn model(&self) -> Result<Option<ModelId>, StoreError> {
        self.inner.model()
    }

    fn snapshot(&self, npc: &NpcId) -> Result<MemorySnapshot, StoreError> {
        self.record("snapshot");
        self.inner.snapshot(npc)
    }

    fn nights(&self, npc: Option<&NpcId>) -> Result<Vec<AppliedNight>, StoreError> {
        self.record("nights");
        self.inner.nights(npc)
    }

    fn latest_night(&self, npc: &NpcId) -> Result<Option<AppliedNight>, StoreError> {
        self.record("latest_night");
        self.inner.latest_night(npc)
    }

    fn has_version(&self, npc: &NpcId, version: u64) -> Result<bool, StoreError> {
        self.record("has_version");
        self.inner.has_version(npc, version)
    }

    fn purgeable(&self, npc: &NpcId, keep: usize) -> Result<Purge, StoreError> {
        self.inner.purgeable(npc, keep)
    }

    fn erasable(&self, npc: &NpcId, person: &PersonNames) -> Result<Option<Erasure>, StoreError> {
        self.inner.erasable(npc, person)
    }

    fn owners(&self, id: &MemoryId) -> Result<Vec<NpcId>, StoreError> {
        self.inner.owners(id)
    }

    fn npcs(&self) -> Result<Vec<NpcId>, StoreError> {
        self.inner.npcs()
    }

    fn entries(&self, npc: &NpcId) -> Result<Vec<MemoryRecord>, StoreError> {
        self.record("entries");
        self.inner.entries(npc)
    }

    fn faint(&self, npc: &NpcId) -> Result<Vec<MemoryRecord>, StoreError> {
        self.record("faint");
        self.inner.faint(npc)
    }

    fn entry(&self, npc: &NpcId, id: &MemoryId) -> Result<Option<MemoryRecord>, StoreError> {
        self.inner.entry(npc, id)
    }

    fn save_points(&self) -> Result<Vec<SavePoint>, StoreError> {
        self.inner.save_points()
    }

    fn rewindable(&self, npc: Option<&NpcId>, to: &RewindTarget) -> Result<Vec<Rewound>, StoreError> {
        self.inner.rewindable(npc, to)
    }

    fn themes(&self, npc: &NpcId) -> Result<Vec<ThemeHistory>, StoreError> {
        self.inner.themes(npc)
    }

    fn active_page(
        &self,
        npc: &NpcId,
        after: Option<&MemoryId>,
        most: usize,
    ) -> Result<Vec<MemoryRecord>, StoreError> {
        let panics = matches!(&self.refusal, Refusal::Panics(of) if of == npc);
        assert!(!panics, "no page of {npc}");
        self.record("active_page");
        self.inner.active_page(npc, after, most)
    }

    fn referring(&self, npc: &NpcId, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError> {
        self.inner.referring(npc, id)
    }

    fn log(&self, npc: &NpcId, filter: LogFilter<'_>) -> Result<Vec<LogLine>, StoreError> {
        self.record("log");
        self.inner.log(npc, filter)
    }

    fn sources(&self, npc: &NpcId, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError> {
        self.inner.sources(npc, id)
    }

    fn derived(&self, npc: &NpcId, id: &MemoryId) -> Result<Vec<MemoryId>, StoreError> {
        self.inner.derived(npc, id)
    }
}

impl MemoryStore for ScriptedStore {
    fn apply(&self, run: u64, nights: &[NpcNight]) -> Result<Vec<Result<Outcome, StoreError>>, StoreError> {
        match &self.refusal {
            Refusal::WholeCall(npc) if nights.iter().any(|n| n.npc == *npc) => {
                Err(StoreError::Backend("the disk is full".into()))
            }
            Refusal::WholeCall(_) | Refusal::Panics(_) | Refusal::Nothing => self.inner.apply(run, nights),
            Refusal::Night(npc, label) => nights
                .iter()
                .map(|night| {
                    if night.npc == *npc && night.night.as_str() == *label {
                        let (npc, night, id) =
                            (night.npc.clone(), night.night.clone(), night.memories[0].id.clone());
                        return Ok(Err(StoreError::Conflict {
                            npc,
                            night,
                            verb: "store",
                            id,
                            state: "is taken",
                        }));
                    }
                    Ok(self.inner.apply(run, std::slice::from_ref(night))?.remove(0))
                })
                .collect(),
        }
    }

    fn touch(&self, npc: &NpcId, ids: &[MemoryId], at: GameTime) -> Result<usize, StoreError> {
        self.inner.touch(npc, ids, at)
    }

    fn save_point(&self, name: &SavePointName) -> Result<SavePoint, StoreError> {
        self.inner.save_point(name)
    }

    fn forget_save_point(&self, name: &SavePointName) -> Result<bool, StoreError> {
        self.inner.forget_save_point(name)
    }

    fn rewind(&self, npc: Option<&NpcId>, to: &RewindTarget) -> Result<Vec<Rewound>, StoreError> {
        self.inner.rewind(npc, to)
    }

    fn begin_run(&self) -> Result<u64, StoreError> {
        self.inner.begin_run()
    }

    fn undo(&self, npc: &NpcId) -> Result<Option<Undone>, StoreError> {
        self.inner.undo(npc)
    }

    fn undo_run(&self, run: u64) -> Result<Vec<Undone>, StoreError> {
        self.inner.undo_run(run)
    }

    fn purge(&self, npc: &NpcId, keep: usize) -> Result<Purge, StoreError> {
        self.inner.purge(npc, keep)
    }

    fn erase(&self, run: u64, npc: &NpcId, person: &PersonNames) -> Result<Option<Erasure>, StoreError> {
        self.inner.erase(run, npc, person)
    }
}

// ---- a language model

/// Tokens that the task of each call may cost, and tokens left.
type Calls = Vec<(usize, usize)>;

/// Returns the answer to the question if a sentence is borne out.
pub(crate) fn verdict(stance: Stance) -> Answer {
    Answer { text: stance.as_str().to_owned(), kind: None, cites: Vec::new(), confidence: None }
}

/// Language model that answers every task with `says`, finds each of its sentences borne out, and charges `costs` of the task's tokens; refuses tasks for which
/// `says` returns `None`.
#[derive(Debug)]
pub(crate) struct Parrot {
    pub(crate) says: fn(&LanguageTask) -> Option<Vec<Answer>>,
    pub(crate) costs: fn(usize) -> usize,
    calls: Mutex<Calls>,
    answered: AtomicUsize,
}

impl Parrot {
    pub(crate) fn new(says: fn(&LanguageTask) -> Option<Vec<Answer>>, costs: fn(usize) -> usize) -> Self {
        Self { says, costs, calls: Mutex::default(), answered: AtomicUsize::new(0) }
    }

    pub(crate) fn calls(&self) -> Calls {
        self.calls.lock().unwrap().clone()
    }

    /// Returns the number of answered calls.
    pub(crate) fn answered(&self) -> usize {
        self.answered.load(Ordering::Relaxed)
    }
}

impl LanguageModel for Parrot {
    fn name(&self) -> &'static str {
        "parrot"
    }

    fn answer(&self, request: &Request<'_>) -> Result<Reply, LanguageError> {
        let task = request.task;
        self.calls.lock().unwrap().push((task.tokens, request.tokens));
        if task.kind == TaskKind::Support {
            return Ok(Reply { answers: vec![verdict(Stance::Same)], tokens: (self.costs)(task.tokens) });
        }
        let Some(answers) = (self.says)(task) else {
            let (model, reason) = ("parrot".to_owned(), "no cracker".to_owned());
            return Err(LanguageError::Refused { model, tokens: 0, reason });
        };
        self.answered.fetch_add(1, Ordering::Relaxed);
        Ok(Reply { answers, tokens: (self.costs)(task.tokens) })
    }
}

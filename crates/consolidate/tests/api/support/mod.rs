//! A toy embedder, and nights slept with it.
#![allow(dead_code, reason = "every test program uses a part of it")]

use std::collections::BTreeSet;

use nightfold_consolidate::{Draft, StanceQuestion, Verdicts};
use nightfold_english::English;
use nightfold_memory::{
    Change, Day, GameTime, Importance, Kind, Memory, MemoryId, MemorySnapshot, ModelId, NpcNight, Rule,
    ValidConfig, Vectors, Verdict,
};

pub(crate) const DIMENSIONS: usize = 16;
pub(crate) const NPC: &str = "Mara";

pub(crate) fn model() -> ModelId {
    "toy@1".parse().unwrap()
}

/// Returns the words of a text in lower case.
pub(crate) fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    words.map(str::to_lowercase).collect()
}

/// FNV-1a hash: the same word has the same place on every machine.
fn hash(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// Returns a unit vector to which every word adds four numbers, so that texts with words in common lie close
/// together.
pub(crate) fn embed(text: &str) -> Vec<f32> {
    let mut vector = [0.0_f32; DIMENSIONS];
    for word in words(text) {
        let hash = hash(&word);
        for part in 0..4 {
            let lot = (hash >> (part * 16)) as usize;
            vector[lot % DIMENSIONS] += if lot & 0x100 == 0 { 1.0 } else { -1.0 };
        }
    }
    // A text without words, or one whose words cancel each other out.
    if vector.iter().all(|x| *x == 0.0) {
        vector[0] = 1.0;
    }
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter().map(|x| x / length).collect()
}

pub(crate) fn embed_all(texts: &[&str]) -> Vectors {
    let mut vectors = Vectors::with_capacity(DIMENSIONS, texts.len());
    texts.iter().for_each(|text| vectors.push(&embed(text)).unwrap());
    vectors
}

pub(crate) fn at(hour: i64) -> GameTime {
    GameTime::from_seconds(hour * 3600).unwrap()
}

pub(crate) fn id(name: &str) -> MemoryId {
    MemoryId::new(name).unwrap()
}

pub(crate) fn memory(name: &str, hour: i64, text: &str, importance: u8) -> Memory {
    Memory::new(NPC.parse().unwrap(), id(name), at(hour), Kind::Event, text).with(|memory| {
        memory.importance = Some(Importance::new(importance).unwrap());
    })
}

/// Returns the `n`-th day, counted from 0.
pub(crate) fn day(n: i64, memories: Vec<Memory>) -> Day {
    let until = at(24 * (n + 1));
    Day::new(NPC.parse().unwrap(), format!("day-{n}").parse().unwrap(), until, memories)
}

/// Returns a whole night, planned by the rules.
pub(crate) fn sleep(day: Day, past: MemorySnapshot, config: &ValidConfig) -> NpcNight {
    sleep_by(day, past, config, embed_all)
}

fn sleep_by(
    day: Day,
    past: MemorySnapshot,
    config: &ValidConfig,
    embed: impl Fn(&[&str]) -> Vectors,
) -> NpcNight {
    let draft = Draft::begin(day, past, model(), config, &English).unwrap();
    let vectors = embed(&draft.texts());
    let told = draft.triage(vectors, &English).unwrap().synthesize_by_rules(&English);
    let vectors = embed(&told.texts());
    told.reconcile(vectors, &English).unwrap().finish_by_rules(&English)
}

/// Returns a whole night with the verdicts of a judge on every pair that it may be asked about.
pub(crate) fn sleep_judged(
    day: Day,
    past: MemorySnapshot,
    config: &ValidConfig,
    mut judge: impl FnMut(&StanceQuestion) -> Verdict,
) -> NpcNight {
    let mut judged = |questions: &[StanceQuestion]| Verdicts {
        verdicts: questions.iter().filter(|q| q.is_open()).map(|q| (q.id, judge(q))).collect(),
        ..Verdicts::default()
    };
    let draft = Draft::begin(day, past, model(), config, &English).unwrap();
    let vectors = embed_all(&draft.texts());
    let compared = draft.compare(vectors, &English).unwrap();
    let verdicts = judged(compared.questions());
    let told = compared.triage(verdicts, &English).unwrap().synthesize_by_rules(&English);
    let vectors = embed_all(&told.texts());
    let reconciling = told.reconcile(vectors, &English).unwrap();
    let verdicts = judged(reconciling.questions());
    reconciling.finish(verdicts, &English)
}

/// Width of vectors set by hand: a number for each cluster and memory of a day, and one for the day itself.
const ROOM: usize = 2 * DIMENSIONS;

/// Unit vectors set by hand, cluster after cluster: any two of a cluster have the cosine that comes with its
/// size, any two of different clusters the cosine `across`.
pub(crate) fn themes(across: f32, sizes: &[(usize, f32)]) -> Vec<Vec<f32>> {
    let memories: usize = sizes.iter().map(|(size, _)| size).sum();
    assert!(1 + sizes.len() + memories <= ROOM);
    let theme_of = sizes.iter().enumerate().flat_map(|(t, &(size, within))| vec![(t, within); size]);
    theme_of
        .enumerate()
        .map(|(row, (theme, within))| {
            let mut vector = vec![0.0; ROOM];
            vector[0] = across.sqrt();
            vector[1 + theme] = (within - across).sqrt();
            vector[1 + sizes.len() + row] = (1.0 - within).sqrt();
            vector
        })
        .collect()
}

/// Returns a whole night, planned by the rules, of memories with the vectors beside them.
pub(crate) fn sleep_placed(
    placed: &[(Memory, Vec<f32>)],
    day: Day,
    past: MemorySnapshot,
    config: &ValidConfig,
) -> NpcNight {
    let place = |text: &str| {
        let at = placed.iter().find(|(memory, _)| memory.text == text);
        at.map_or_else(
            || {
                // New texts have no set vector and are embedded.
                let mut vector = embed(text);
                vector.resize(ROOM, 0.0);
                vector
            },
            |(_, vector)| vector.clone(),
        )
    };
    sleep_by(day, past, config, |texts| {
        let mut vectors = Vectors::with_capacity(ROOM, texts.len());
        texts.iter().for_each(|text| vectors.push(&place(text)).unwrap());
        vectors
    })
}

/// Returns the changes of a night with this verb.
pub(crate) fn of_verb<'a>(night: &'a NpcNight, verb: &'a str) -> impl Iterator<Item = &'a Change> {
    night.changes.iter().filter(move |c| c.verb() == verb)
}

/// Returns the texts of a change's sources; for a synthesis of a status line all its readings, in order of
/// time.
pub(crate) fn cited<'a>(night: &'a NpcNight, change: &Change) -> Vec<&'a str> {
    let tells = change.verb() == "chunk";
    let readings = |id| folded(night).filter(move |f| tells && f.id() == id).flat_map(Change::sources);
    let ids: BTreeSet<&MemoryId> =
        change.sources().iter().flat_map(|id| std::iter::once(id).chain(readings(id))).collect();
    night.memories.iter().filter(|m| ids.contains(&m.id)).map(|m| m.text.as_str()).collect()
}

/// Returns the changes that collapse readings into one status line.
pub(crate) fn folded(night: &NpcNight) -> impl Iterator<Item = &Change> {
    of_verb(night, "collapse").filter(|c| c.reason().rule == Rule::StatusRepeat)
}

const NUMBERS: &str = "zero one two three four five six seven eight nine ten eleven twelve";

/// Returns the numbers of a text, in digits: "14:30" holds 14 and 30, "twice in three days" 2 and 3.
pub(crate) fn numbers(text: &str) -> BTreeSet<String> {
    let runs = text.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty());
    let in_words = |word: String| match word.as_str() {
        "once" => Some("1".to_owned()),
        "twice" => Some("2".to_owned()),
        _ => NUMBERS.split(' ').position(|number| number == word).map(|at| at.to_string()),
    };
    runs.map(str::to_owned).chain(words(text).into_iter().filter_map(in_words)).collect()
}

//! Days for benches, generated from a seed, the same on every machine; and the clock that measures steps.

pub mod flatness;

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use nightfold_memory::{
    Day, Embedded, Embedder, EmbedderError, IdError, Memory, ModelId, VectorError, Vectors,
};
use nightfold_scenario::synthetic::Xorshift;
use serde_json::json;

/// Numbers per vector, as in the real model.
pub const DIMENSIONS: usize = 384;

/// Time for which a step is repeated, and fewest repetitions.
const MEASURED: (Duration, usize) = (Duration::from_secs(2), 10);

/// Prints the median, the shortest and the longest time of a step, each on fresh input, after a first run that does not count.
#[expect(clippy::print_stdout, reason = "a bench's result")]
pub fn measure<I, O>(name: &str, mut input: impl FnMut() -> I, mut step: impl FnMut(I) -> O) {
    black_box(step(input()));
    let (mut times, begun) = (Vec::new(), Instant::now());
    while begun.elapsed() < MEASURED.0 || times.len() < MEASURED.1 {
        let input = black_box(input());
        let before = Instant::now();
        let output = black_box(step(input));
        times.push(before.elapsed());
        drop(output);
    }
    times.sort_unstable();
    println!(
        "{name:<32} {:>12.3?} ({:.3?} to {:.3?}, {} times)",
        times[times.len() / 2],
        times[0],
        times[times.len() - 1],
        times.len()
    );
}

/// Returns a day of `distinct` different memories and their vectors, which lie around five themes.
///
/// # Panics
/// Never, unless the vocabulary of this crate changes its shape.
pub fn day(distinct: usize, seed: u64) -> (Day, Vectors) {
    let mut draw = Xorshift(seed.max(1));
    let themes: Vec<Vec<f32>> =
        (0..5).map(|_| (0..DIMENSIONS).map(|_| draw.unit() - 0.5).collect()).collect();
    let mut vectors = Vectors::with_capacity(DIMENSIONS, distinct);
    let mut memories = Vec::with_capacity(distinct);
    for i in 0..distinct {
        let theme = (draw.next_u64() % 5) as usize;
        let row: Vec<f32> = themes[theme].iter().map(|x| x + (draw.unit() - 0.5)).collect();
        let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
        let row: Vec<f32> = row.into_iter().map(|x| x / length).collect();
        vectors.push(&row).unwrap_or_else(|e| panic!("a unit vector: {e}"));
        let memory: Memory = serde_json::from_value(json!({
            "id": format!("m{i:05}"), "npc": "Bench", "at": i * 60, "kind": "event",
            "text": format!("I walked the wall {i} and met neighbour {theme} about the {theme}th matter"),
            "importance": 1 + draw.next_u64() % 10,
        }))
        .unwrap_or_else(|e| panic!("a memory: {e}"));
        memories.push(memory);
    }
    let day = json!({"npc": "Bench", "night": "day-0", "until": distinct * 60, "memories": memories});
    (serde_json::from_value(day).unwrap_or_else(|e| panic!("a day: {e}")), vectors)
}

/// Returns a sentence of a villager: a third of them are shared by many villagers, the others are its own.
pub fn sentence(draw: &mut Xorshift, npc: usize, n: usize) -> String {
    const WHO: [&str; 12] =
        ["Mara", "Tom", "Wren", "Odo", "Joss", "Elda", "Pim", "Sorrel", "Bram", "Hester", "Nell", "Garrick"];
    const WHAT: [&str; 10] = [
        "the broken mill wheel",
        "a debt of silver",
        "the fever in the lower town",
        "the price of flour",
        "the lights on the hill",
        "the missing goat",
        "a letter from the coast",
        "the wedding next week",
        "the wolves by the ford",
        "the new tax",
    ];
    const WHERE: [&str; 8] = [
        "at the well",
        "in the Heron",
        "by the mill",
        "on the bridge",
        "at the forge",
        "in the market",
        "at home",
        "by the gate",
    ];
    let (who, what, place) = (draw.pick(&WHO), draw.pick(&WHAT), draw.pick(&WHERE));
    match draw.below(6) {
        0 => format!("The whole market talked about {what} today"),
        1 => format!("{who} stood {place} for an hour and said nothing"),
        2 => format!("I worked {place} until the bell rang {} times", 2 + draw.below(9)),
        3 => format!("{who} told me {place} about {what}, and I promised to keep it to myself, house {npc}"),
        4 => format!("I argued with {who} {place} because of {what} for the {n}th time"),
        _ => format!("I saw {who} {place} with {} sacks of grain and thought of {what}", 1 + draw.below(20)),
    }
}

/// Embedder from words alone: sums of pseudo-random vectors of words, so that texts which share words are
/// close.
#[derive(Debug)]
pub struct Words(ModelId);

impl Words {
    /// Creates the model `words@1`.
    ///
    /// # Errors
    /// Never, unless ids change their shape.
    pub fn new() -> Result<Self, IdError> {
        Ok(Self("words@1".parse()?))
    }

    fn vector_of(text: &str) -> Result<Vec<f32>, VectorError> {
        let mut sum = vec![0.0_f32; DIMENSIONS];
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|w| w.len() > 2) {
            let seed = word
                .bytes()
                .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
            let mut draw = Xorshift(seed | 1);
            sum.iter_mut().for_each(|x| *x += draw.unit() - 0.5);
        }
        let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
        if length <= 0.0 {
            return Err(VectorError::Empty);
        }
        sum.iter_mut().for_each(|x| *x /= length);
        Ok(sum)
    }
}

impl Embedder for Words {
    fn model(&self) -> &ModelId {
        &self.0
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
        let mut vectors = Vectors::with_capacity(self.dimensions(), texts.len());
        for (index, text) in texts.iter().enumerate() {
            let pushed = Self::vector_of(text).and_then(|row| vectors.push(&row));
            pushed.map_err(|source| EmbedderError::Vector { index, source })?;
        }
        Ok(Embedded::without_grammar(vectors, vec![false; texts.len()]))
    }
}

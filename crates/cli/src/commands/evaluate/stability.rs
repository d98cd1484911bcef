//! `nightfold evaluate stability`: measures how many fates of other memories a small change of a day changes.

use std::collections::BTreeMap;

use nightfold::{
    NoObserver, Sleep,
    english::Packs,
    memory::{Day, Embedded, Embedder, EmbedderError, ModelId, ValidConfig, Vectors, config::Seed},
};
use nightfold_evaluate::{
    suites::{Perturbation, StabilityScore, stability},
    synthetic::Xorshift,
};
use nightfold_store::InMemoryStore;

use super::sets::MANY_TEXTS;
use crate::{
    args::{Common, DaysArgs, StabilityArgs},
    days::InputDays,
    error::{CliError, Exit, message},
    models::embedder,
    output,
    show::TextTable,
};

/// Greatest mean share of changed fates, by kind of change.
const BOUNDS: [(&str, f64); 6] = [
    ("another seed", 0.0),
    ("noise 0.001", 0.0),
    ("noise 0.01", 0.003),
    ("one word", 0.007),
    ("one removed", 0.025),
    ("two paraphrased", 0.03),
];

pub(super) fn run(args: &StabilityArgs, config: &ValidConfig, common: &Common) -> Result<(), CliError> {
    let days = DaysArgs::night_by_night(&args.days);
    let days: Vec<Day> =
        InputDays::read(&days, config, common)?.all(config)?.into_values().flatten().collect();
    let days = spread(days, args.nights);
    let embedder = embedder(common, config, MANY_TEXTS)?;
    let scores = stability(&days, |day, perturbation| {
        let (mut config, mut noise) = (config.clone(), None);
        match perturbation {
            Perturbation::Seed(seed) => {
                let mut changed = (*config).clone();
                changed.seed = Seed(seed);
                config = changed.check().map_err(|error| CliError::new(Exit::Usage, error))?;
            }
            Perturbation::Noise { level, seed } => noise = Some((level, seed)),
            Perturbation::None | Perturbation::Day => {}
        }
        let embedder = NoisyEmbedder { inner: &embedder, noise };
        let store = InMemoryStore::new();
        let sleep = Sleep {
            config: &config,
            packs: &Packs,
            embedder: &embedder,
            store: &store,
            language: None,
            judge: None,
            observer: &NoObserver,
        };
        let days = [(day.npc.clone(), vec![day.clone()])].into();
        let mut outcome = sleep.plan(days)?;
        match (outcome.failures.first(), outcome.plan.nights.pop()) {
            (None, Some(night)) => Ok(night),
            (Some(failure), _) => Err(message(Exit::Input, failure.error.to_string())),
            (None, None) => Err(message(Exit::Input, format!("the night of {} has no plan", day.npc))),
        }
    })?;
    if args.json {
        output::json(&scores)?;
    } else {
        output::text(&render(&scores, days.len()))?;
    }
    falls_short(&scores).map_or(Ok(()), |line| Err(message(Exit::Check, line)))
}

/// Returns up to `most` days, spread over all.
fn spread(days: Vec<Day>, most: usize) -> Vec<Day> {
    let (all, most) = (days.len(), most.min(days.len()));
    let chosen: Vec<usize> = (0..most).map(|at| at * all / most.max(1)).collect();
    days.into_iter().enumerate().filter(|(at, _)| chosen.contains(at)).map(|(_, day)| day).collect()
}

/// Embedder that adds noise to the vectors of another one; the same to the same text.
struct NoisyEmbedder<'a> {
    inner: &'a dyn Embedder,
    /// Length of the noise, and its seed.
    noise: Option<(f32, u64)>,
}

impl Embedder for NoisyEmbedder<'_> {
    fn model(&self) -> &ModelId {
        self.inner.model()
    }

    fn dimensions(&self) -> usize {
        self.inner.dimensions()
    }

    fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
        let mut embedded = self.inner.embed(texts)?;
        let Some((level, seed)) = self.noise else { return Ok(embedded) };
        let mut noisy = Vectors::with_capacity(self.dimensions(), texts.len());
        for (row, text) in embedded.vectors.rows().zip(texts) {
            let of_text = text.bytes().fold(seed, |sum, byte| sum.rotate_left(7) ^ u64::from(byte));
            let mut draws = Xorshift(of_text.max(1));
            // Sums of uniform draws are nearly normal.
            let mut normal = || (0..6).map(|_| draws.unit() - 0.5).sum::<f32>();
            let noise: Vec<f32> = row.iter().map(|_| normal()).collect();
            let scale = level / length(&noise).max(f32::MIN_POSITIVE);
            let sum: Vec<f32> = row.iter().zip(&noise).map(|(x, n)| x + scale * n).collect();
            let length = length(&sum);
            noisy
                .push(&sum.iter().map(|x| x / length).collect::<Vec<_>>())
                .map_err(|e| EmbedderError::Run(e.into()))?;
        }
        embedded.vectors = noisy;
        Ok(embedded)
    }
}

fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|x| x * x).sum::<f32>().sqrt()
}

fn render(scores: &BTreeMap<String, StabilityScore>, nights: usize) -> String {
    let mut table = TextTable::new(["change", "nights", "mean", "p90", "worst", "other clusters"]);
    for (kind, score) in scores {
        let percent = |share: f64| format!("{:.2} %", 100.0 * share);
        table.row([
            kind.clone(),
            score.nights.to_string(),
            percent(score.mean),
            percent(score.p90),
            percent(score.worst),
            percent(score.other_clusters),
        ]);
    }
    format!("share of other memories with another fate, {nights} nights\n{}", table.render())
}

fn falls_short(scores: &BTreeMap<String, StabilityScore>) -> Option<String> {
    BOUNDS.iter().find_map(|(kind, bound)| {
        let mean = scores.get(*kind)?.mean;
        (mean > *bound).then(|| {
            format!("{kind}: {:.2} % of fates change, at most {:.2} % may", 100.0 * mean, 100.0 * bound)
        })
    })
}

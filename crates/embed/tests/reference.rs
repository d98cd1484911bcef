//! Comparison of the vectors with sentence-transformers' own, on data beside the workspace that is not part
//! of it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use nightfold_embed::{Engine, MiniLm, MiniLmOptions, ModelOptions, Models};
use nightfold_formats::npy;
use nightfold_memory::Embedder;

/// Returns a file of the optional data; prints a note if it is missing.
fn data(file: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(file);
    if path.is_file() {
        return Some(path);
    }
    eprintln!("skipped: {} is not there", path.display());
    None
}

fn model(engine: Engine) -> MiniLm {
    let models = Models::new(ModelOptions { engine, ..ModelOptions::from_env() });
    let files = models.provide(&|_| {}).unwrap_or_else(|error| panic!("{error}"));
    MiniLm::open(&files, MiniLmOptions::default()).expect("the model opens")
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum()
}

#[test]
fn vectors_agree_with_sentence_transformers() {
    let (Some(texts), Some(vectors)) =
        (data("reference_vectors/s500.txt"), data("reference_vectors/ref500.npy"))
    else {
        return;
    };
    let texts = fs::read_to_string(texts).expect("reads");
    let texts: Vec<&str> = texts.lines().collect();
    let expected = npy::read(&fs::read(vectors).expect("reads")).expect("vectors");
    assert_eq!(texts.len(), expected.len());

    let embedded = model(Engine::Exact).embed(&texts).expect("embeds");
    let cosines = embedded.vectors.rows().zip(expected.rows()).map(|(a, b)| cosine(a, b));
    let least = cosines.fold(f64::MAX, f64::min);
    println!("{} texts: least cosine {least:.9}", texts.len());
    assert!(least >= 0.999_99);
}

#[test]
fn similarity_ranks_like_human_scores() {
    let Some(pairs) = data("stsb/stsb-en-test.csv") else { return };
    let mut rows = csv::ReaderBuilder::new().has_headers(false).from_path(pairs).expect("opens");
    let rows: Vec<[String; 3]> = rows.deserialize().map(|row| row.expect("three fields")).collect();
    let texts: Vec<&str> = rows.iter().flat_map(|[a, b, _]| [a.as_str(), b.as_str()]).collect();
    let scores: Vec<f64> = rows.iter().map(|[_, _, score]| score.parse().expect("a number")).collect();
    for (engine, least) in [(Engine::Exact, 0.82), (Engine::Bf16, 0.8195)] {
        if let Err(error) = engine.check() {
            eprintln!("skipped: {error}");
            continue;
        }
        let embedded = model(engine).embed(&texts).expect("embeds");
        let cosines: Vec<f64> = (0..rows.len())
            .map(|pair| cosine(embedded.vectors.row(2 * pair), embedded.vectors.row(2 * pair + 1)))
            .collect();
        let spearman = pearson(&ranks(&cosines), &ranks(&scores));
        println!("{engine:?}, {} pairs: Spearman {spearman:.4}", rows.len());
        assert!(spearman >= least, "{engine:?}: {spearman}");
    }
}

/// Ranks from 1; equal values share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let count = |keep: &dyn Fn(&f64) -> bool| values.iter().filter(|&value| keep(value)).count();
    let rank =
        |value: &f64| (count(&|other| other < value) + count(&|other| other <= value) + 1) as f64 / 2.0;
    values.iter().map(rank).collect()
}

fn pearson(a: &[f64], b: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let of = |x: &[f64], mean_x: f64, y: &[f64], mean_y: f64| {
        x.iter().zip(y).map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>()
    };
    of(a, mean_a, b, mean_b) / (of(a, mean_a, a, mean_a) * of(b, mean_b, b, mean_b)).sqrt()
}

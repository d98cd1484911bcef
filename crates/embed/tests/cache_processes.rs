//! Tests with several processes on one vector cache, and with one that is killed while it writes.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    env,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use nightfold_embed::{CachedEmbedder, VectorCache};
use nightfold_memory::{Embedded, Embedder, EmbedderError, ModelId, Vectors};

/// Environment variables for the child: the cache's path, and the texts to embed; set by the parent alone.
const CACHE: &str = "NIGHTFOLD_CACHE_TEST_FILE";
const FROM: &str = "NIGHTFOLD_CACHE_TEST_FROM";

const TEXTS: usize = 600;

struct Toy(ModelId);

fn vector(text: &str) -> Vec<f32> {
    let number: f32 = text.parse().unwrap();
    [number.sin() * 0.8, number.cos() * 0.8, 0.6].into_iter().chain([0.0; 381]).collect()
}

impl Embedder for Toy {
    fn model(&self) -> &ModelId {
        &self.0
    }

    fn dimensions(&self) -> usize {
        384
    }

    fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
        let mut vectors = Vectors::with_capacity(384, texts.len());
        texts.iter().for_each(|text| vectors.push(&vector(text)).unwrap());
        Ok(Embedded::without_grammar(vectors, vec![false; texts.len()]))
    }
}

fn cached(path: &Path) -> CachedEmbedder<Toy> {
    let cache = VectorCache::open(path, 100_000).unwrap();
    CachedEmbedder::new(Toy("toy@1".parse().unwrap()), Some(cache), "")
}

/// Embeds these numbers, and checks every vector.
fn embed(embedder: &CachedEmbedder<Toy>, numbers: std::ops::Range<usize>) {
    let texts: Vec<String> = numbers.map(|n| n.to_string()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let given = embedder.embed(&texts).unwrap();
    assert!(texts.iter().zip(given.vectors.rows()).all(|(text, row)| vector(text) == row));
}

#[test]
#[ignore = "a process beside others: started by the tests below"]
fn child() {
    let (Ok(path), Ok(from)) = (env::var(CACHE), env::var(FROM)) else { return };
    let from: usize = from.parse().unwrap();
    let embedder = cached(path.as_ref());
    for n in (from..from + TEXTS).step_by(5) {
        embed(&embedder, n..n + 5);
    }
}

fn started(path: &Path, from: usize) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "child", "--ignored"])
        .env(CACHE, path)
        .env(FROM, from.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn two_processes_write_one_cache_and_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vectors.db");
    // Both make the file; their texts overlap by half.
    let children = [started(&path, 0), started(&path, TEXTS / 2)];
    for child in children {
        let done = child.wait_with_output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    }
    let embedder = cached(&path);
    embed(&embedder, 0..TEXTS + TEXTS / 2);
    assert_eq!((embedder.report().embedded, embedder.report().damaged), (0, 0));
}

#[test]
fn killed_process_leaves_a_usable_cache() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vectors.db");
    let survivor = cached(&path);
    for wait in [0, 3, 7, 15, 30, 60, 90, 120] {
        let mut child = started(&path, 0);
        embed(&survivor, 0..40);
        thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        embed(&survivor, 0..TEXTS);
        embed(&cached(&path), 0..TEXTS);
    }
    let embedder = cached(&path);
    embed(&embedder, 0..TEXTS);
    assert_eq!((embedder.report().embedded, embedder.report().damaged), (0, 0));
}

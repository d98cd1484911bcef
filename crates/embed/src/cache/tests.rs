use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use nightfold_memory::{
    Embedded, Embedder, EmbedderError, Grammar, ModelId, VectorReport, Vectors,
    grammar::{PartOfSpeech, Relation, Word, WordTags},
};
use proptest::prelude::*;
use rusqlite::Connection;

use super::*;

/// Embedder whose vectors of four numbers and grammars follow from the text; it truncates a text that contains a
/// `…`, and reads no grammar in a text without a letter.
struct Toy {
    model: ModelId,
    calls: AtomicUsize,
}

impl Toy {
    fn new() -> Self {
        Self { model: "toy@1".parse().unwrap(), calls: AtomicUsize::new(0) }
    }

    fn vector(text: &str) -> [f32; 4] {
        let sum = text.bytes().fold(7_u32, |h, b| h.wrapping_mul(31).wrapping_add(u32::from(b)));
        let angle = sum as f32 / 1e6;
        [angle.cos() * 0.6, angle.sin() * 0.6, -0.8, -0.0]
    }

    /// Returns a grammar in which every word depends on the first.
    fn grammar(text: &str) -> Option<Grammar> {
        if !text.contains(char::is_alphabetic) {
            return None;
        }
        let words = text.split(' ').filter(|word| !word.is_empty()).enumerate().map(|(at, word)| {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            let part_of_speech = PartOfSpeech::ALL[word.len() % PartOfSpeech::ALL.len()];
            let tags = WordTags::new(part_of_speech, Relation::Dependency, (at > 0).then_some(0));
            Word::new(start..start + word.len(), tags).unwrap()
        });
        Some(Grammar::new(words.collect::<Vec<_>>()).unwrap())
    }
}

impl Embedder for Toy {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn dimensions(&self) -> usize {
        4
    }

    fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let mut vectors = Vectors::with_capacity(4, texts.len());
        for (index, text) in texts.iter().enumerate() {
            if text.contains("cursed") {
                return Err(EmbedderError::Tokenize { index, source: "it is cursed".into() });
            }
            vectors.push(&Self::vector(text)).unwrap();
        }
        let grammar = texts.iter().map(|text| Self::grammar(text)).collect();
        Ok(Embedded { vectors, truncated: texts.iter().map(|t| t.contains('…')).collect(), grammar })
    }
}

/// Folder, and the path of a cache in it.
fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vectors.db");
    (folder, path)
}

fn cached(path: &Path, most: u64) -> CachedEmbedder<Toy> {
    CachedEmbedder::new(Toy::new(), Some(VectorCache::open(path, most).unwrap()), "a test")
}

/// Embeds texts and compares vectors and grammars with the inner embedder's, bit for bit.
fn check(embedder: &CachedEmbedder<Toy>, texts: &[&str]) {
    let given = embedder.embed(texts).unwrap();
    let bits = |row: &[f32]| row.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!((given.vectors.len(), given.truncated.len()), (texts.len(), texts.len()));
    assert_eq!(given.grammar, texts.iter().map(|text| Toy::grammar(text)).collect::<Vec<_>>());
    for ((text, row), truncated) in texts.iter().zip(given.vectors.rows()).zip(given.truncated) {
        assert_eq!(bits(row), bits(&Toy::vector(text)), "{text}");
        assert_eq!(truncated, text.contains('…'), "{text}");
    }
}

fn report(texts: usize, cached: usize, damaged: usize) -> VectorReport {
    VectorReport { texts, cached, embedded: texts - cached, damaged }
}

#[test]
fn cached_text_is_embedded_once_and_equal_to_the_bit() {
    let (_folder, path) = place();
    let (one, other) = (cached(&path, 100), cached(&path, 100));
    check(&one, &["a", "b", "a", "long…", "14", "", "🦊"]);
    check(&other, &["long…", "c", "b"]);
    check(&one, &["c", "a"]);
    assert_eq!((one.report(), other.report()), (report(8, 2, 0), report(3, 2, 0)));
    drop((one, other));
    let again = cached(&path, 100);
    check(&again, &["a", "b", "c", "long…", "14", "", "🦊"]);
    assert_eq!((again.report(), again.inner().calls.load(Ordering::Relaxed)), (report(7, 7, 0), 0));
}

#[test]
fn vectors_are_not_shared_between_models_or_makers() {
    let (_folder, path) = place();
    check(&cached(&path, 100), &["a"]);
    let cache = || Some(VectorCache::open(&path, 100).unwrap());
    let elsewhere = CachedEmbedder::new(Toy::new(), cache(), "another processor");
    let newer = CachedEmbedder::new(
        Toy { model: "toy@2".parse().unwrap(), calls: AtomicUsize::new(0) },
        cache(),
        "a test",
    );
    for embedder in [elsewhere, newer] {
        check(&embedder, &["a"]);
        assert_eq!(embedder.report(), report(1, 0, 0));
    }
}

#[test]
fn cleared_cache_holds_no_byte_of_what_it_had() {
    let (folder, path) = place();
    let embedder = cached(&path, 100);
    check(&embedder, &["a", "b", "long…"]);
    let first = Toy::vector("a").map(f32::to_le_bytes).concat();
    let holds_it = || {
        let files = fs::read_dir(folder.path()).unwrap().map(|file| fs::read(file.unwrap().path()).unwrap());
        files.filter(|bytes| bytes.windows(first.len()).any(|at| at == first)).count() > 0
    };
    assert!(holds_it());
    assert_eq!(embedder.cache().unwrap().clear().unwrap(), 3);
    assert!(!holds_it());
    assert_eq!(VectorCache::open(&path, 100).unwrap().clear().unwrap(), 0);
    check(&embedder, &["a"]);
    assert_eq!(embedder.report(), report(4, 0, 0), "it is embedded again");
}

#[test]
fn error_has_the_index_of_the_text_in_the_input() {
    let folder = tempfile::tempdir().unwrap();
    let embedder = cached(&folder.path().join("vectors.db"), 100);
    check(&embedder, &["a", "b"]);
    let error = embedder.embed(&["a", "c", "a", "b", "cursed"]).unwrap_err();
    assert!(matches!(error, EmbedderError::Tokenize { index: 4, .. }), "{error:?}");
    check(&embedder, &["a", "c"]);
}

#[test]
fn full_cache_drops_the_oldest_and_never_exceeds_its_limit() {
    let (_folder, path) = place();
    let texts: Vec<String> = (0..250).map(|n| n.to_string()).collect();
    let embedder = cached(&path, 100);
    for window in texts.chunks(30) {
        check(&embedder, &window.iter().map(String::as_str).collect::<Vec<_>>());
    }
    let rows = || {
        let count = "SELECT count(*) FROM records";
        Connection::open(&path).unwrap().query_row(count, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(rows(), 100);
    let newest: Vec<&str> = texts[150..].iter().map(String::as_str).collect();
    let again = cached(&path, 100);
    check(&again, &newest);
    assert_eq!(again.report(), report(100, 100, 0));
    // A smaller bound takes hold with the next vector; more at once than may be kept is no harm.
    check(&cached(&path, 10), &["new"]);
    assert_eq!(rows(), 10);
    check(&cached(&path, 10), &texts.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(rows(), 10);
    check(&cached(&path, 0), &["none is kept"]);
    assert_eq!(rows(), 0);
}

#[test]
fn damaged_record_is_embedded_again_and_counted() {
    let (_folder, path) = place();
    check(&cached(&path, 100), &["a", "b", "c", "d", "e", "f"]);
    let file = Connection::open(&path).unwrap();
    let records: Vec<Vec<u8>> = file
        .prepare("SELECT record FROM records ORDER BY rowid")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let mut flipped = records[0].clone();
    flipped[3] ^= 1;
    file.execute("UPDATE records SET record = ?1 WHERE rowid = 1", [flipped]).unwrap();
    file.execute("UPDATE records SET record = ?1 WHERE rowid = 2", [&records[2]]).unwrap();
    file.execute("UPDATE records SET record = zeroblob(100000000) WHERE rowid = 3", []).unwrap();
    file.execute("UPDATE records SET record = 'text' WHERE rowid = 4", []).unwrap();
    file.execute("UPDATE records SET record = x'' WHERE rowid = 5", []).unwrap();
    drop(file);
    let embedder = cached(&path, 100);
    check(&embedder, &["a", "b", "c", "d", "e", "f"]);
    assert_eq!(embedder.report(), report(6, 1, 5));
    let mended = cached(&path, 100);
    check(&mended, &["a", "b", "c", "d", "e", "f"]);
    assert_eq!(mended.report(), report(6, 6, 0));
}

#[test]
fn file_of_another_kind_is_refused_and_left_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine");
    let refused = || {
        let before = fs::read(&path).unwrap();
        let error = VectorCache::open(&path, 100).unwrap_err();
        assert!(matches!(error, CacheError::Foreign { .. }), "{error:?}");
        assert!(fs::read(&path).unwrap() == before, "the file was changed");
    };
    fs::write(&path, "dear diary, ".repeat(1000)).unwrap();
    refused();
    fs::write(&path, b"SQLite format 3\0 but no more").unwrap();
    refused();
    fs::remove_file(&path).unwrap();
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE mine (x)").unwrap();
    refused();
    fs::remove_file(&path).unwrap();
    drop(VectorCache::open(&path, 100).unwrap());
    let file = Connection::open(&path).unwrap();
    file.execute_batch("PRAGMA user_version = 3").unwrap();
    drop(file);
    refused();
    assert!(matches!(VectorCache::open(folder.path(), 1), Err(CacheError::NotAFile { .. })));
    let nowhere = folder.path().join("no/where");
    assert!(matches!(VectorCache::open(&nowhere, 1), Err(CacheError::File { .. })));
}

#[test]
fn failed_write_is_no_error() {
    let (_folder, path) = place();
    let embedder = cached(&path, 100);
    check(&embedder, &["a"]);
    // As long as this one writes, no other may: the embedder waits, and goes on.
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    check(&embedder, &["a", "b"]);
    other.execute_batch("COMMIT").unwrap();
    check(&embedder, &["b"]);
    assert_eq!(embedder.report(), report(4, 1, 0));
}

/// Operation on a cache.
#[derive(Debug, Clone)]
enum CacheOperation {
    /// Embeds texts through one of two handles.
    Embed { by: usize, texts: Vec<u8> },
    /// Closes and reopens a handle.
    Reopen { by: usize },
    /// Closes both handles, truncates the file to this share of its length, and reopens both.
    Cut { at: f64 },
    /// Closes both handles, inverts bytes from this share of the length on, and reopens both.
    Flip { at: f64, bytes: usize },
}

/// Capacity above the number of texts.
const PLENTY: u64 = 1_000;

fn operation() -> impl Strategy<Value = CacheOperation> {
    let texts = prop::collection::vec(0_u8..60, 0..40);
    prop_oneof![
        6 => (0..2_usize, texts).prop_map(|(by, texts)| CacheOperation::Embed { by, texts }),
        2 => (0..2_usize).prop_map(|by| CacheOperation::Reopen { by }),
        1 => (0.0..1.0).prop_map(|at| CacheOperation::Cut { at }),
        1 => (0.0..1.0, 1..400_usize).prop_map(|(at, bytes)| CacheOperation::Flip { at, bytes }),
    ]
}

/// Opens a cache; removes a file whose first bytes do not identify it any more, as its owner would.
fn opened(path: &Path, most: u64) -> CachedEmbedder<Toy> {
    if VectorCache::open(path, most).is_err() {
        fs::remove_file(path).unwrap();
    }
    cached(path, most)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn vectors_are_right_whatever_happens_to_the_file(
        operations in prop::collection::vec(operation(), 1..30),
        most in prop_oneof![Just(5_u64), Just(40), Just(PLENTY)],
    ) {
        let (_folder, path) = place();
        let mut handles = [Some(cached(&path, most)), Some(cached(&path, most))];
        let mut harmed = false;
        for operation in operations {
            harmed |= matches!(operation, CacheOperation::Cut { .. } | CacheOperation::Flip { .. });
            match operation {
                CacheOperation::Embed { by, texts } => {
                    let texts: Vec<String> = texts.iter().map(|n| format!("text {n}{}", if n % 5 == 0 { "…" } else { "" })).collect();
                    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                    let handle = handles[by].as_ref().unwrap();
                    check(handle, &texts);
                    let before = handle.report();
                    check(handle, &texts);
                    // Where nothing has to give way and nothing was harmed, nothing is embedded twice.
                    if most == PLENTY && !harmed {
                        prop_assert_eq!(handle.report().embedded, before.embedded);
                    }
                    let file = Connection::open(&path).unwrap();
                    let rows = file.query_row("SELECT count(*) FROM records", [], |row| row.get::<_, i64>(0));
                    prop_assert!(harmed || rows.unwrap() as u64 <= most);
                }
                CacheOperation::Reopen { by } => {
                    handles[by] = None;
                    handles[by] = Some(opened(&path, most));
                }
                CacheOperation::Cut { at } => {
                    handles.fill_with(|| None);
                    let length = fs::metadata(&path).unwrap().len();
                    fs::File::options().write(true).open(&path).unwrap().set_len((length as f64 * at) as u64).unwrap();
                    handles.fill_with(|| Some(opened(&path, most)));
                }
                CacheOperation::Flip { at, bytes } => {
                    handles.fill_with(|| None);
                    let mut all = fs::read(&path).unwrap();
                    let from = (all.len() as f64 * at) as usize;
                    all.iter_mut().skip(from).take(bytes).for_each(|b| *b = !*b);
                    fs::write(&path, all).unwrap();
                    handles.fill_with(|| Some(opened(&path, most)));
                }
            }
        }
    }
}

/// Cache of several machines, which fails on demand.
#[derive(Debug, Default)]
struct Shared {
    records: Mutex<BTreeMap<CacheKey, Vec<u8>>>,
    broken: AtomicBool,
    calls: AtomicUsize,
}

impl Shared {
    fn records(&self) -> Result<std::sync::MutexGuard<'_, BTreeMap<CacheKey, Vec<u8>>>, StoreError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if self.broken.load(Ordering::Relaxed) {
            return Err(StoreError::backend(std::io::Error::other("the network is down")));
        }
        Ok(self.records.lock().unwrap())
    }
}

impl RecordCache for Shared {
    fn find_records(&self, keys: &[CacheKey], _: usize) -> Result<Vec<(CacheKey, Vec<u8>)>, StoreError> {
        let records = self.records()?;
        Ok(keys.iter().filter_map(|key| Some((*key, records.get(key)?.clone()))).collect())
    }

    fn keep_records(&self, new: &[(CacheKey, Vec<u8>)], _: u64) -> Result<(), StoreError> {
        self.records()?.extend(new.iter().cloned());
        Ok(())
    }
}

/// An embedder of a machine of its own, behind the cache of all.
fn of_a_machine(shared: &Arc<Shared>) -> CachedEmbedder<Toy> {
    let cache = VectorCache::in_memory(100).unwrap();
    let shared: Arc<dyn RecordCache> = shared.clone();
    CachedEmbedder::new(Toy::new(), Some(cache.with_shared(shared, 100)), "a test")
}

#[test]
fn text_that_another_machine_embedded_is_not_embedded_again() {
    let shared = Arc::new(Shared::default());
    let texts = ["I fed the hens", "14", "a long … one", "I fed the hens"];
    check(&of_a_machine(&shared), &texts);
    let other = of_a_machine(&shared);
    check(&other, &texts);
    assert_eq!(other.inner().calls.load(Ordering::Relaxed), 0);
    assert_eq!(other.report(), VectorReport { texts: 3, cached: 3, embedded: 0, damaged: 0 });
    // What was found there is kept here.
    let calls = shared.calls.load(Ordering::Relaxed);
    check(&other, &texts);
    assert_eq!(shared.calls.load(Ordering::Relaxed), calls);
}

#[test]
fn damaged_records_of_other_machines_are_embedded_again() {
    let shared = Arc::new(Shared::default());
    check(&of_a_machine(&shared), &["one", "two", "three"]);
    {
        let mut records = shared.records.lock().unwrap();
        let keys: Vec<CacheKey> = records.keys().copied().collect();
        records.get_mut(&keys[0]).unwrap()[3] ^= 1;
        records.insert(keys[1], Vec::new());
    }
    let other = of_a_machine(&shared);
    check(&other, &["one", "two", "three"]);
    assert_eq!(other.report(), VectorReport { texts: 3, cached: 1, embedded: 2, damaged: 2 });
}

#[test]
fn machine_goes_on_without_a_shared_cache_that_fails() {
    let shared = Arc::new(Shared::default());
    let embedder = of_a_machine(&shared);
    check(&embedder, &["one"]);
    shared.broken.store(true, Ordering::Relaxed);
    check(&embedder, &["two", "three"]);
    let calls = shared.calls.load(Ordering::Relaxed);
    check(&embedder, &["one", "four"]);
    // It is not asked again: each time may take seconds.
    assert_eq!(shared.calls.load(Ordering::Relaxed), calls);
}

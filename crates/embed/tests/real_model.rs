//! Tests of the embedder's contract with the real model.
//!
//! The model is provided as in a user's program: found by `NIGHTFOLD_MODELS`, in `models/` or in the cache,
//! or fetched.

use std::{cell::RefCell, num::NonZero, path::PathBuf, sync::OnceLock};

use nightfold_embed::{
    Engine, MAX_TOKENS, MiniLm, MiniLmOptions, ModelFiles, ModelOpenError, ModelOptions, Models,
};
use nightfold_memory::Embedder;

fn provide(engine: Engine) -> ModelFiles {
    let models = Models::new(ModelOptions { engine, ..ModelOptions::from_env() });
    models.provide(&|_| {}).unwrap_or_else(|error| panic!("{error}"))
}

fn files() -> &'static ModelFiles {
    static FILES: OnceLock<ModelFiles> = OnceLock::new();
    FILES.get_or_init(|| provide(Engine::Exact))
}

/// Returns the files of the 16-bit engine; prints a note if this processor does not run it.
fn bf16_files() -> Option<&'static ModelFiles> {
    static FILES: OnceLock<ModelFiles> = OnceLock::new();
    match Engine::Bf16.check() {
        Ok(()) => Some(FILES.get_or_init(|| provide(Engine::Bf16))),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

fn open_with(files: &ModelFiles, sessions: usize, batch_tokens: usize) -> MiniLm {
    let sessions = NonZero::new(sessions).expect("at least one session");
    MiniLm::open(files, MiniLmOptions { sessions, batch_tokens, ..MiniLmOptions::default() })
        .expect("the model opens")
}

fn open(sessions: usize, batch_tokens: usize) -> MiniLm {
    open_with(files(), sessions, batch_tokens)
}

fn bits(vector: &[f32]) -> Vec<u32> {
    vector.iter().map(|number| number.to_bits()).collect()
}

/// Texts with very different lengths, a few of them equal.
fn texts() -> Vec<String> {
    let words =
        ["the", "miller", "saw", "a", "grey", "wolf", "near", "Hollowfen", "at", "dusk", "and", "ran"];
    let of_length = |n: usize, from: usize| {
        (0..n).map(|i| words[(from + i * 5) % words.len()]).collect::<Vec<_>>().join(" ")
    };
    let mut texts: Vec<String> = (0..60).map(|n| of_length(n, n)).collect();
    texts.extend((0..40).map(|from| format!("{} {from}", of_length(9, from))));
    texts.push(of_length(2_000, 3));
    texts
}

#[test]
fn vector_and_grammar_are_equal_in_any_batch_on_any_number_of_threads() {
    equal_in_any_batch(files());
}

#[test]
fn vector_and_grammar_of_16_bits_are_equal_in_any_batch_too() {
    if let Some(files) = bf16_files() {
        equal_in_any_batch(files);
    }
}

#[test]
fn vectors_of_16_bits_are_close_to_exact_ones_and_have_a_model_id_of_their_own() {
    let Some(bf16) = bf16_files() else { return };
    let texts = texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (exact, coarse) = (open(2, 512), open_with(bf16, 2, 512));
    assert_ne!(exact.model(), coarse.model());
    let (exact, coarse) = (exact.embed(&texts).expect("embeds"), coarse.embed(&texts).expect("embeds"));
    let cosine = |(a, b): (&[f32], &[f32])| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    let least = exact.vectors.rows().zip(coarse.vectors.rows()).map(cosine).fold(f32::MAX, f32::min);
    assert!(least >= 0.9999, "{least}");
    assert_ne!(exact.vectors, coarse.vectors, "16 bits are not 32");
    assert_eq!(exact.truncated, coarse.truncated);
}

fn equal_in_any_batch(files: &ModelFiles) {
    let open = |sessions, batch_tokens| open_with(files, sessions, batch_tokens);
    let texts = texts();
    let all: Vec<&str> = texts.iter().map(String::as_str).collect();
    let alone = open(1, 1);
    let read = |&text: &&str| {
        let mut embedded = alone.embed(&[text]).expect("embeds");
        (bits(embedded.vectors.row(0)), embedded.grammar.remove(0))
    };
    let (expected, grammars): (Vec<_>, Vec<_>) = all.iter().map(read).unzip();

    for (sessions, batch_tokens) in [(1, 512), (2, 512), (2, 64), (3, 16_384)] {
        let model = open(sessions, batch_tokens);
        for round in 0..2 {
            let together = model.embed(&all).expect("embeds");
            assert_eq!(
                together.grammar, grammars,
                "{sessions} sessions, {batch_tokens} tokens, round {round}"
            );
            for (index, text) in all.iter().enumerate() {
                assert_eq!(
                    bits(together.vectors.row(index)),
                    expected[index],
                    "{sessions} sessions, {batch_tokens} tokens, round {round}: {text:.60}"
                );
            }
        }
        let mut turned = all.clone();
        turned.reverse();
        turned.truncate(50);
        let together = model.embed(&turned).expect("embeds");
        for (row, expected) in together.vectors.rows().zip(expected.iter().rev()) {
            assert_eq!(&bits(row), expected);
        }
    }
}

#[test]
fn concurrent_calls_do_not_disturb_each_other() {
    let model = open(2, 512);
    let texts = texts();
    let all: Vec<&str> = texts.iter().map(String::as_str).collect();
    let expected = model.embed(&all).expect("embeds");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(model.embed(&all).expect("embeds"), expected));
        }
    });
}

#[test]
fn repeats_share_a_vector_and_order_is_kept() {
    let model = open(2, 512);
    let texts = ["The well is dry", "A fox stole the hen", "The well is dry", "", "A fox stole the hen"];
    let told = RefCell::new(Vec::new());
    let embedded = model.embed_with(&texts, &|done| told.borrow_mut().push(done)).expect("embeds");
    assert_eq!(embedded.vectors.len(), texts.len());
    assert_eq!(embedded.vectors.row(0), embedded.vectors.row(2));
    assert_eq!(embedded.vectors.row(1), embedded.vectors.row(4));
    let single = model.embed(&texts[1..2]).expect("embeds");
    assert_eq!(single.vectors.row(0), embedded.vectors.row(1));

    let told = told.into_inner();
    assert!(told.is_sorted(), "{told:?}");
    assert_eq!(told.last(), Some(&texts.len()));
}

#[test]
fn long_text_is_truncated_and_reported() {
    // A word of one token each, and the two marks.
    let of = |words: usize| vec!["dog"; words].join(" ");
    let (fits, over, far_over) = (of(MAX_TOKENS - 2), of(MAX_TOKENS - 1), of(10_000));
    let embedded = open(1, 512).embed(&[&fits, &over, "short", &far_over]).expect("embeds");
    assert_eq!(embedded.truncated, [false, true, false, true]);
    assert_eq!(embedded.vectors.row(0), embedded.vectors.row(1), "what lies beyond the limit is not read");
}

#[test]
fn texts_without_words_have_a_vector_too() {
    let model = open(1, 512);
    let embedded = model.embed(&["", "   ", "\u{0}\u{200b}", "🦊"]).expect("embeds");
    assert_eq!(embedded.vectors.len(), 4);
    assert_eq!(embedded.vectors.row(0), embedded.vectors.row(1));
    assert!(model.embed(&[]).expect("embeds").vectors.is_empty());
}

#[test]
fn process_loads_only_one_runtime() {
    let _first = open(1, 512);
    let _again = open(1, 512);
    let dir = tempfile::tempdir().expect("a folder");
    let copy = dir.path().join("other.so");
    std::fs::copy(&files().runtime, &copy).expect("copies");
    let error = MiniLm::open(&ModelFiles { runtime: copy, ..files().clone() }, MiniLmOptions::default());
    assert!(matches!(error, Err(ModelOpenError::OtherRuntime { .. })), "{error:?}");
}

#[test]
fn graph_with_other_inputs_is_refused() {
    let broken = ModelFiles { model: files().tokenizer.clone(), prepared: None, ..files().clone() };
    let error = MiniLm::open(&broken, MiniLmOptions::default());
    assert!(matches!(error, Err(ModelOpenError::File { what: "model", .. })), "{error:?}");
    let broken = ModelFiles { tokenizer: files().model.clone(), ..files().clone() };
    let error = MiniLm::open(&broken, MiniLmOptions::default());
    assert!(matches!(error, Err(ModelOpenError::File { what: "tokenizer", .. })), "{error:?}");
}

#[test]
fn model_that_was_optimised_before_gives_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let prepared = folder.path().join("model.ort");
    let embed = |prepared: Option<PathBuf>| {
        let files = ModelFiles { prepared, ..provide(Engine::Exact) };
        let model = MiniLm::open(&files, MiniLmOptions::default()).unwrap();
        model.embed(&["The mill burned down.", "Joss owes Tom 14 silver for the axle."]).unwrap()
    };
    let plain = embed(None);
    for _ in ["made", "found"] {
        assert_eq!(embed(Some(prepared.clone())), plain);
    }
    if cfg!(unix) {
        assert!(prepared.exists());
    }
}

//! Tests of a model in this process: its contract, not the quality of its answers.
#![cfg(feature = "local")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{env, fs, path::PathBuf, thread};

use nightfold_language::{
    AnswerSchema, Chat, ChatAsk, ChatFailure, ChatModel, Sampling,
    local::{LocalAskError, LocalChat, LocalError, LocalSettings},
    most_prompt_tokens,
};
use nightfold_memory::{LanguageError, LanguageModel, LanguageTask, Reply, Request, TaskKind};
use serde_json::{Value, json};

#[path = "support/llama.rs"]
mod llama;
mod support;
use support::{DAY, task};

/// The file that `NIGHTFOLD_LLAMA_MODEL` names, or the model of the real server's tests.
fn model() -> Option<PathBuf> {
    env::var_os("NIGHTFOLD_LLAMA_MODEL").map(PathBuf::from).or_else(llama::gguf)
}

fn open(path: PathBuf) -> LocalChat {
    LocalChat::open(LocalSettings::new(path).check().unwrap()).unwrap()
}

fn heat(text: &str) -> ChatAsk {
    let schema = json!({
        "type": "object",
        "properties": {"hot": {"type": "boolean"}, "why": {"enum": ["fire", "ice", "\"snow\""]}},
        "required": ["hot", "why"],
        "additionalProperties": false
    });
    ChatAsk {
        system: "Is it hot? Answer in JSON: {\"hot\": …, \"why\": …}.",
        user: text.to_owned(),
        schema: AnswerSchema { name: "heat", schema },
        max_tokens: 48,
        prompt_tokens: 500,
        budget: 548,
        temperature: 0.0,
        seed: None,
    }
}

fn tasks() -> [LanguageTask; 3] {
    [
        task(TaskKind::Synthesis, &DAY),
        task(TaskKind::Reflections { slots: 1 }, &DAY),
        task(
            TaskKind::Connection { first: 1 },
            &["I asked Joss for the 14 silver.", "<|im_end|> \"[\" Zoë 銀 🪙"],
        ),
    ]
}

const fn request(task: &LanguageTask) -> Request<'_> {
    Request { task, faults: &[], tokens: 5_000 }
}

/// Asks a task: returns an answer of the task's shape, or the cost of one that was cut short.
fn said(chat: &LocalChat, task: &LanguageTask) -> Result<Reply, usize> {
    let most = most_prompt_tokens(&request(task)) + 336;
    let said = ChatModel::new(chat, Sampling::PLAIN).answer(&request(task));
    let said = said.map_err(|error| {
        let LanguageError::CutShort { tokens, .. } = error else { panic!("{error}") };
        tokens
    });
    let tokens = said.as_ref().map_or_else(|tokens| *tokens, |reply| reply.tokens);
    assert!(tokens > 100 && tokens <= most, "{tokens} of {most}");
    said
}

#[test]
fn answer_depends_on_the_question_alone() {
    let Some(path) = model() else { return };
    let warm = open(path.clone());
    let fresh = tasks().map(|task| said(&open(path.clone()), &task));
    println!("{fresh:?}");
    for _ in 0..2 {
        for (task, fresh) in tasks().iter().zip(&fresh) {
            assert_eq!(&said(&warm, task), fresh, "{:?}", task.kind);
        }
    }
    // Drawn by chance, of one seed the same and of others others.
    let drawn = |chat: &LocalChat, seed| {
        let schema = AnswerSchema { name: "any", schema: json!({"type": "string"}) };
        let ask = ChatAsk { schema, temperature: 2.0, seed: Some(seed), ..heat("The hearth glows.") };
        chat.complete(&ask).map_err(|failed| failed.paid)
    };
    let fresh = [3, 4].map(|seed| drawn(&open(path.clone()), seed));
    assert_ne!(fresh[0], fresh[1]);
    assert_eq!([3, 4].map(|seed| drawn(&warm, seed)), fresh);
}

#[test]
fn every_answer_has_its_shape_within_its_tokens() {
    let Some(path) = model() else { return };
    let chat = open(path);
    assert!(!chat.model().is_empty());
    thread::scope(|scope| {
        for text in ["The hearth glows.", "Snow lies on the roof.", "", "a\0b \u{1f525} </s><|im_end|>"] {
            let chat = &chat;
            scope.spawn(move || {
                for temperature in [0.0, 1.0, 2.0] {
                    let ask = ChatAsk { temperature, seed: Some(3), ..heat(text) };
                    let said = chat.complete(&ask).unwrap();
                    let answer: Value = serde_json::from_str(&said.text).unwrap();
                    assert!(answer["hot"].is_boolean() && answer["why"].is_string(), "{answer}");
                    assert_eq!(answer.to_string(), said.text, "it is compact");
                    let (prompt, completion) = (said.prompt_tokens.unwrap(), said.completion_tokens.unwrap());
                    assert!(prompt > 10 && completion > 3 && completion <= 48, "{said:?}");
                }
            });
        }
    });
}

#[test]
fn message_cannot_contain_control_tokens() {
    let Some(path) = model() else { return };
    let chat = open(path);
    let tokens = |text: &str| chat.complete(&heat(text)).unwrap().prompt_tokens.unwrap();
    // As a mark it would be one token, as the letters it is made of it is more.
    assert!(tokens("<|im_end|>") > tokens("x") + 2);
}

#[test]
fn an_answer_that_needs_more_tokens_is_a_failure_and_paid() {
    let Some(path) = model() else { return };
    let chat = open(path);
    let whole = chat.complete(&heat("The hearth glows.")).unwrap();
    let (prompt, needed) = (whole.prompt_tokens.unwrap(), whole.completion_tokens.unwrap());
    let with = |max_tokens: usize| {
        chat.complete(&ChatAsk { max_tokens: max_tokens as u32, ..heat("The hearth glows.") })
    };
    assert_eq!(with(needed).unwrap(), whole);
    for given in [0, 1, needed - 1] {
        let failed = with(given).unwrap_err();
        assert_eq!((failed.kind, failed.paid), (ChatFailure::CutShort, Some(prompt + given)));
    }
}

#[test]
fn question_beyond_the_context_is_refused_before_computing() {
    let Some(path) = model() else { return };
    let mut settings = LocalSettings::new(path);
    settings.context_tokens = 512;
    settings.model = "tiny".into();
    let chat = LocalChat::open(settings.check().unwrap()).unwrap();
    assert_eq!(chat.model(), "tiny");
    let failed = chat.complete(&heat(&"The hearth glows. ".repeat(2_000))).unwrap_err();
    assert_eq!((failed.kind, failed.paid), (ChatFailure::Refused, Some(0)));
    assert!(matches!(
        failed.source.downcast_ref(),
        Some(LocalAskError::TooLong { prompt: 5_000.., max_tokens: 48, context_tokens: 512 })
    ));
    let prompt = chat.complete(&heat("Snow.")).unwrap().prompt_tokens.unwrap();
    let with = |max_tokens: usize| chat.complete(&ChatAsk { max_tokens: max_tokens as u32, ..heat("Snow.") });
    assert!(with(512 - prompt).is_ok());
    assert_eq!(with(512 - prompt + 1).unwrap_err().kind, ChatFailure::Refused);
}

#[test]
fn unsupported_schema_leaves_the_answer_unconstrained() {
    let Some(path) = model() else { return };
    let schema = AnswerSchema { name: "any", schema: json!({"anyOf": []}) };
    let ask = ChatAsk { schema, ..heat("The hearth glows.") };
    let outcome = open(path).complete(&ask);
    assert!(outcome.is_ok() || outcome.is_err_and(|failed| failed.kind == ChatFailure::CutShort));
}

#[test]
fn a_file_that_is_no_model_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let opened = |name: &str| LocalChat::open(LocalSettings::new(folder.path().join(name)).check().unwrap());
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    assert!(matches!(opened("nowhere.gguf"), Err(LocalError::Read { .. })));
    assert!(matches!(opened("."), Err(LocalError::Read { .. } | LocalError::Setting { .. })));
    write("empty.gguf", b"");
    assert!(matches!(opened("empty.gguf"), Err(LocalError::NotGguf { .. })));
    write("zip.gguf", b"PK\x03\x04 and so on");
    assert!(matches!(opened("zip.gguf"), Err(LocalError::NotGguf { .. })));
    // Rubbish behind the right beginning.
    for (name, rest) in [("short", &b""[..]), ("noise", &[0xA5; 4096]), ("zeros", &[0; 4096])] {
        write(name, &[b"GGUF\x03\0\0\0", rest].concat());
        assert!(matches!(opened(name), Err(LocalError::Load { .. })), "{name}");
    }
    let Some(path) = model() else { return };
    // The first half of a real one.
    let mut whole = fs::read(path).unwrap();
    whole.truncate(whole.len() / 2);
    write("half.gguf", &whole);
    let error = opened("half.gguf").unwrap_err();
    assert!(matches!(error, LocalError::Load { .. }), "{error}");
}

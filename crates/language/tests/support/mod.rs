//! Test double of a chat, which counts its calls.
#![allow(dead_code, reason = "each test uses its own part")]

use std::sync::Mutex;

use nightfold_language::{Chat, ChatAsk, ChatFailed, ChatFailure, ChatSaid};
use nightfold_memory::{LanguageTask, MemoryId, SourceText, TaskKind};

/// Chat that answers by a function, and remembers its questions.
pub(crate) struct Double<F> {
    pub(crate) model: &'static str,
    pub(crate) asked: Mutex<Vec<ChatAsk>>,
    answer: F,
}

impl<F: Fn(&ChatAsk) -> Result<ChatSaid, ChatFailed> + Send + Sync> Double<F> {
    pub(crate) fn new(answer: F) -> Self {
        Self { model: "double", asked: Mutex::new(Vec::new()), answer }
    }

    pub(crate) fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl<F: Fn(&ChatAsk) -> Result<ChatSaid, ChatFailed> + Send + Sync> Chat for Double<F> {
    fn model(&self) -> &str {
        self.model
    }

    fn complete(&self, ask: &ChatAsk) -> Result<ChatSaid, ChatFailed> {
        self.asked.lock().unwrap().push(ask.clone());
        (self.answer)(ask)
    }
}

pub(crate) fn said(text: &str, prompt: usize, completion: usize) -> ChatSaid {
    ChatSaid { text: text.to_owned(), prompt_tokens: Some(prompt), completion_tokens: Some(completion) }
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Why(pub &'static str);

pub(crate) fn failed(kind: ChatFailure, paid: Option<usize>, why: &'static str) -> ChatFailed {
    ChatFailed { kind, paid, source: Box::new(Why(why)) }
}

pub(crate) const TWO: TaskKind = TaskKind::Reflections { slots: 2 };

pub(crate) const INSIGHT: &str =
    r#"{"insights":[{"cites":["m1","m2"],"confidence":0.7,"kind":"social","text":"I do not trust Joss."}]}"#;

pub(crate) fn task(kind: TaskKind, texts: &[&str]) -> LanguageTask {
    task_of("joss", kind, texts)
}

pub(crate) fn task_of(name: &str, kind: TaskKind, texts: &[&str]) -> LanguageTask {
    let source = |(row, text): (usize, &&str)| SourceText {
        id: MemoryId::new(format!("{name}-{row}")).unwrap(),
        text: (*text).to_owned(),
        verbatim: false,
    };
    let sources = texts.iter().enumerate().map(source).collect();
    LanguageTask { id: 7, kind, me: "Mara Thorne".into(), sources, tokens: 0, value: 1.0 }
}

pub(crate) const DAY: [&str; 3] =
    ["I asked Joss for the 14 silver.", "Joss did not pay.", "I saw Joss at the mill."];

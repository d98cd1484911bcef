//! Test double of a chat, which counts its calls.
#![allow(dead_code, reason = "each test uses its own part")]

use std::sync::Mutex;

use nightfold_language::{Chat, ChatError, ChatErrorKind, ChatReply, ChatRequest};
use nightfold_memory::{LanguageTask, MemoryId, SourceText, TaskKind};

/// Chat that answers by a function, and remembers its questions.
pub(crate) struct Double<F> {
    pub(crate) model: &'static str,
    pub(crate) asked: Mutex<Vec<ChatRequest>>,
    answer: F,
}

impl<F: Fn(&ChatRequest) -> Result<ChatReply, ChatError> + Send + Sync> Double<F> {
    pub(crate) fn new(answer: F) -> Self {
        Self { model: "double", asked: Mutex::new(Vec::new()), answer }
    }

    pub(crate) fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl<F: Fn(&ChatRequest) -> Result<ChatReply, ChatError> + Send + Sync> Chat for Double<F> {
    fn model(&self) -> &str {
        self.model
    }

    fn complete(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        self.asked.lock().unwrap().push(request.clone());
        (self.answer)(request)
    }
}

/// A finished answer of these tokens.
pub(crate) fn said(text: &str, tokens: usize) -> ChatReply {
    ChatReply { text: text.to_owned(), finished: true, tokens }
}

pub(crate) fn failed(kind: ChatErrorKind, tokens: usize, reason: &str) -> ChatError {
    ChatError { kind, reason: reason.to_owned(), tokens, source: None }
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
        said_by: None,
    };
    let sources = texts.iter().enumerate().map(source).collect();
    LanguageTask { id: 7, kind, me: "Mara Thorne".into(), sources, past: Vec::new(), tokens: 0, value: 1.0 }
}

pub(crate) const DAY: [&str; 3] =
    ["I asked Joss for the 14 silver.", "Joss did not pay.", "I saw Joss at the mill."];

//! The local model as a backend: one question and its answer.

use std::{
    sync::mpsc::{self, Receiver, Sender, SyncSender},
    thread::{self, JoinHandle},
};

use super::{
    error::{LocalAskError, LocalError},
    model,
    session::Session,
    settings::ValidLocalSettings,
};
use crate::chat::{Chat, ChatAsk, ChatFailed, ChatSaid};

/// Model that runs in this process.
///
/// A thread of its own holds the model and its context, since the context borrows from the model. Questions
/// queue for it, from any number of threads. Dropping this value ends the thread.
#[derive(Debug)]
pub struct LocalChat {
    model: String,
    /// `None` once the thread is to end.
    questions: Option<Sender<LocalQuestion>>,
    thread: Option<JoinHandle<()>>,
}

/// Question, with the channel for its answer.
struct LocalQuestion {
    ask: ChatAsk,
    answer: SyncSender<Result<ChatSaid, ChatFailed>>,
}

impl LocalChat {
    /// Loads the model; this takes as long as reading its file.
    ///
    /// # Errors
    /// [`LocalError`] if the file does not exist, is not a generative model, or does not fit into memory.
    pub fn open(settings: ValidLocalSettings) -> Result<Self, LocalError> {
        let backend = model::backend()?;
        let (path, model) = (settings.path().to_owned(), settings.model().to_owned());
        let (questions, asked) = mpsc::channel();
        let (open, opened) = mpsc::sync_channel(1);
        let run = move || {
            let model = match model::load(backend, &settings) {
                Ok(model) => model,
                Err(error) => return drop(open.send(Err(error))),
            };
            match Session::new(backend, &model, &settings) {
                Ok(session) => {
                    drop(open.send(Ok(())));
                    answer_all(session, &asked);
                }
                Err(error) => drop(open.send(Err(error))),
            }
        };
        let thread = thread::Builder::new().name("language".into()).spawn(run).map_err(LocalError::Thread)?;
        opened.recv().unwrap_or(Err(LocalError::Ended { path }))?;
        Ok(Self { model, questions: Some(questions), thread: Some(thread) })
    }
}

fn answer_all(mut session: Session<'_>, asked: &Receiver<LocalQuestion>) {
    for LocalQuestion { ask, answer } in asked {
        // Whoever asked may not wait any more.
        drop(answer.send(session.answer(&ask)));
    }
}

impl Chat for LocalChat {
    fn model(&self) -> &str {
        &self.model
    }

    fn complete(&self, ask: &ChatAsk) -> Result<ChatSaid, ChatFailed> {
        let (answer, answered) = mpsc::sync_channel(1);
        let question = LocalQuestion { ask: ask.clone(), answer };
        let sent = self.questions.as_ref().is_some_and(|questions| questions.send(question).is_ok());
        if !sent {
            return Err(LocalAskError::Ended.paid(Some(0)));
        }
        // If the thread ends during a question, its cost is unknown.
        answered.recv().unwrap_or_else(|_| Err(LocalAskError::Ended.paid(None)))
    }
}

impl Drop for LocalChat {
    fn drop(&mut self) {
        self.questions = None;
        if let Some(thread) = self.thread.take() {
            // It has nothing to say: what failed was said to those who asked.
            drop(thread.join());
        }
    }
}

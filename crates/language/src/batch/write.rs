//! Writing of a batch's tasks.

use std::{
    collections::BTreeSet,
    io::{self, Write},
};

use nightfold_memory::Request;
use serde::Serialize;
use serde_json::Value;

use super::{
    error::{BatchError, BatchFile},
    index::IndexedTask,
};
use crate::{
    affordable::Affordable,
    chat::ChatAsk,
    model::{Sampling, chat_question},
    recorded::TaskKey,
};

/// Settings for writing tasks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BatchSettings {
    /// Sampling of the model's words \[[`Sampling::PLAIN`]\].
    pub sampling: Sampling,
    /// Maximum number of tasks in one file \[50,000, as `OpenAI` allows\].
    pub max_tasks: usize,
    /// Size in bytes from which on a file gets no further task \[100 MB; `OpenAI` allows 200\].
    pub max_bytes: u64,
}

impl Default for BatchSettings {
    fn default() -> Self {
        Self { sampling: Sampling::PLAIN, max_tasks: 50_000, max_bytes: 100_000_000 }
    }
}

/// Counts of the requests that were to be written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WrittenTasks {
    /// Number of tasks in the file.
    pub tasks: usize,
    /// Size of the tasks, in bytes.
    pub bytes: u64,
    /// Upper bound of the tokens that all of them can cost.
    pub most_tokens: usize,
    /// Requests that equal another one in the file.
    pub repeated: usize,
    /// Requests that could cost more than their budget.
    pub over_budget: usize,
    /// Requests that need no model: they have too few memories for any answer.
    pub nothing_to_ask: usize,
    /// True if the file is full; requests may be left.
    pub full: bool,
}

/// Writes requests as lines of a batch for `model`, and beside them the index that
/// [`read_answers`](super::read_answers) needs.
///
/// When the file is full, the remaining requests stay in the iterator: pass it by reference, and write the
/// rest to further files. Requests that a record file answers already are best filtered out before, by
/// [`RecordFile::holds`](crate::recorded::RecordFile::holds).
///
/// # Errors
/// [`BatchError::Io`]; the files written so far must not be sent.
pub fn write_tasks<'a>(
    requests: impl Iterator<Item = Request<'a>>,
    model: &str,
    settings: &BatchSettings,
    mut tasks: impl Write,
    mut index: impl Write,
) -> Result<WrittenTasks, BatchError> {
    let mut written = WrittenTasks::default();
    let mut keys = BTreeSet::new();
    let mut requests = requests;
    loop {
        written.full = written.tasks >= settings.max_tasks || written.bytes >= settings.max_bytes;
        if written.full {
            break;
        }
        let Some(request) = requests.next() else { break };
        let affordable = match Affordable::of(&request) {
            Ok(Some(affordable)) => affordable,
            Ok(None) => {
                written.nothing_to_ask += 1;
                continue;
            }
            Err(_) => {
                written.over_budget += 1;
                continue;
            }
        };
        let key = TaskKey::of(model, &request);
        if !keys.insert(key) {
            written.repeated += 1;
            continue;
        }
        let most = affordable.cost_bound();
        let indexed = IndexedTask::of(key, model, &request, most);
        write_line(&mut index, &indexed)
            .map_err(|source| BatchError::Io { file: BatchFile::Index, source })?;
        let ask = chat_question(affordable, settings.sampling);
        let line = BatchLine {
            custom_id: key,
            method: "POST",
            url: "/v1/chat/completions",
            body: BatchBody::of(model, &ask),
        };
        written.bytes += write_line(&mut tasks, &line)
            .map_err(|source| BatchError::Io { file: BatchFile::Tasks, source })?;
        written.tasks += 1;
        written.most_tokens = written.most_tokens.saturating_add(most.total());
    }
    index.flush().map_err(|source| BatchError::Io { file: BatchFile::Index, source })?;
    tasks.flush().map_err(|source| BatchError::Io { file: BatchFile::Tasks, source })?;
    Ok(written)
}

fn write_line(out: &mut impl Write, line: &impl Serialize) -> io::Result<u64> {
    let mut line = serde_json::to_vec(line)?;
    line.push(b'\n');
    out.write_all(&line)?;
    Ok(line.len() as u64)
}

/// Line of a batch: a request in `OpenAI`'s batch format.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct BatchLine<'a> {
    /// Key of the task.
    custom_id: TaskKey,
    /// HTTP method.
    method: &'static str,
    /// Path of the endpoint.
    url: &'static str,
    /// Body of the request.
    body: BatchBody<'a>,
}

/// Body of a request for a chat completion.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct BatchBody<'a> {
    /// Name of the model.
    model: &'a str,
    /// Instructions, then the task.
    messages: [BatchMessage<'a>; 2],
    /// Most tokens of the answer.
    max_tokens: u32,
    /// Temperature of sampling.
    temperature: f32,
    /// Seed of sampling.
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    /// Format of the answer.
    response_format: BatchFormat<'a>,
}

/// Message of a conversation.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct BatchMessage<'a> {
    /// `system` or `user`.
    role: &'static str,
    /// Text of the message.
    content: &'a str,
}

/// Format of an answer.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct BatchFormat<'a> {
    /// Always `json_schema`.
    r#type: &'static str,
    /// Schema that the answer must have.
    json_schema: NamedSchema<'a>,
}

/// Schema of an answer, with its name.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct NamedSchema<'a> {
    /// Name of the schema.
    name: &'a str,
    /// True: the answer must match the schema.
    strict: bool,
    /// The schema.
    schema: &'a Value,
}

impl<'a> BatchBody<'a> {
    fn of(model: &'a str, ask: &'a ChatAsk) -> Self {
        let message = |role, content| BatchMessage { role, content };
        let schema = NamedSchema { name: ask.schema.name, strict: true, schema: &ask.schema.schema };
        Self {
            model,
            messages: [message("system", ask.system), message("user", &ask.user)],
            max_tokens: ask.max_tokens,
            temperature: ask.temperature,
            seed: ask.seed,
            response_format: BatchFormat { r#type: "json_schema", json_schema: schema },
        }
    }
}

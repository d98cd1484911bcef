//! Writing tasks.

use std::{
    collections::BTreeSet,
    io::{self, Write},
};

use nightfold_memory::Request;
use serde::Serialize;
use serde_json::Value;

use super::{
    error::{BatchError, BatchFile},
    index::Indexed,
};
use crate::{
    asking::Affordable,
    chat::ChatAsk,
    model::{Sampling, ask},
    recorded::TaskKey,
};

/// How tasks are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BatchSettings {
    /// How the model chooses its words \[[`Sampling::PLAIN`]\].
    pub sampling: Sampling,
    /// Most tasks of one file \[50,000, as `OpenAI` allows\].
    pub max_tasks: usize,
    /// Bytes from which on a file gets no further task \[100 MB; `OpenAI` allows 200\].
    pub max_bytes: u64,
}

impl Default for BatchSettings {
    fn default() -> Self {
        Self { sampling: Sampling::PLAIN, max_tasks: 50_000, max_bytes: 100_000_000 }
    }
}

/// What became of requests that were to be written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// How many tasks the file holds.
    pub tasks: usize,
    /// Bytes of the tasks.
    pub bytes: u64,
    /// Most tokens that all of them can cost.
    pub most_tokens: usize,
    /// Requests that equal one in the file.
    pub repeated: usize,
    /// Requests that could cost more than they may.
    pub over_budget: usize,
    /// Requests that need no model: their memories are too few for any answer.
    pub nothing_to_ask: usize,
    /// Whether the file is full, and requests may be left.
    pub full: bool,
}

/// Writes requests as lines of a batch for `model`, and beside them the index that [`read_answers`](super::read_answers)
/// needs.
///
/// When the file is full, what is left of the requests is left in the iterator: give it by reference, and write the
/// rest to further files. What a record file holds already is best left out before, by
/// [`RecordFile::holds`](crate::recorded::RecordFile::holds).
///
/// # Errors
/// [`BatchError::Io`]; what was written then is not to be sent.
pub fn write_tasks<'a>(
    requests: impl Iterator<Item = Request<'a>>,
    model: &str,
    settings: &BatchSettings,
    mut tasks: impl Write,
    mut index: impl Write,
) -> Result<Written, BatchError> {
    let mut written = Written::default();
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
        let most = affordable.most();
        let indexed = Indexed::of(key, model, &request, most);
        write_line(&mut index, &indexed)
            .map_err(|source| BatchError::Io { file: BatchFile::Index, source })?;
        let ask = ask(affordable, settings.sampling);
        let line =
            Line { custom_id: key, method: "POST", url: "/v1/chat/completions", body: Body::of(model, &ask) };
        written.bytes += write_line(&mut tasks, &line)
            .map_err(|source| BatchError::Io { file: BatchFile::Tasks, source })?;
        written.tasks += 1;
        written.most_tokens = written.most_tokens.saturating_add(most.in_all());
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

#[derive(Serialize)]
struct Line<'a> {
    custom_id: TaskKey,
    method: &'static str,
    url: &'static str,
    body: Body<'a>,
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: [Message<'a>; 2],
    max_tokens: u32,
    temperature: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    response_format: Format<'a>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct Format<'a> {
    r#type: &'static str,
    json_schema: Named<'a>,
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
    strict: bool,
    schema: &'a Value,
}

impl<'a> Body<'a> {
    fn of(model: &'a str, ask: &'a ChatAsk) -> Self {
        let message = |role, content| Message { role, content };
        let schema = Named { name: ask.schema.name, strict: true, schema: &ask.schema.schema };
        Self {
            model,
            messages: [message("system", ask.system), message("user", &ask.user)],
            max_tokens: ask.max_tokens,
            temperature: ask.temperature,
            seed: ask.seed,
            response_format: Format { r#type: "json_schema", json_schema: schema },
        }
    }
}

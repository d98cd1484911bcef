//! Notes, errors and the trace on standard error: as text, or as lines of JSON.

use std::{
    collections::BTreeMap,
    env, fmt,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
    level_filters::LevelFilter,
};
use tracing_subscriber::{Layer, filter::Targets, layer::Context, prelude::*};

use crate::{
    args::{LogArgs, LogFormat},
    error::CliError,
    escape::harmless_json,
    stdio,
};

/// Variables that set the levels of the trace; the first that is set counts.
const FILTERS: [&str; 2] = ["NIGHTFOLD_LOG", "RUST_LOG"];

/// Target of what the program itself tells.
const TARGET: &str = "nightfold";

/// Settings of what this process tells. The arguments give them once, before anything is told.
struct LogSettings {
    quiet: AtomicBool,
    json: AtomicBool,
    pager: AtomicBool,
    /// Number of the run in the store.
    run: OnceLock<u64>,
}

static TELLING: LogSettings = LogSettings {
    quiet: AtomicBool::new(false),
    json: AtomicBool::new(false),
    pager: AtomicBool::new(false),
    run: OnceLock::new(),
};

/// True if only errors, and what `--json` prints, are told.
pub(crate) fn is_quiet() -> bool {
    TELLING.quiet.load(Ordering::Relaxed)
}

/// True if what is told on standard error are lines of JSON.
pub(crate) fn is_json() -> bool {
    TELLING.json.load(Ordering::Relaxed)
}

/// True if long texts may be paged.
pub(crate) fn has_pager() -> bool {
    TELLING.pager.load(Ordering::Relaxed)
}

/// Notes the number of the run that this process writes, for all later lines.
pub(crate) fn set_run(run: u64) {
    // A process writes one run; what another would have set is not worth a failure.
    let _ = TELLING.run.set(run);
}

/// Begins to tell and to trace as the arguments and the environment say.
pub(crate) fn start(args: LogArgs) {
    TELLING.quiet.store(args.quiet, Ordering::Relaxed);
    TELLING.pager.store(!args.no_pager, Ordering::Relaxed);
    TELLING.json.store(args.log_format == LogFormat::Json, Ordering::Relaxed);
    let level = match (args.quiet, args.verbose) {
        (true, _) => LevelFilter::ERROR,
        (_, 0) => LevelFilter::WARN,
        (_, 1) => LevelFilter::INFO,
        (_, 2) => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    let given = FILTERS.iter().find_map(|name| {
        let value = env::var_os(name).filter(|value| !value.is_empty())?;
        Some((name, value.to_string_lossy().into_owned()))
    });
    // ONNX Runtime logs through tracing too, at every session.
    let usual = || Targets::new().with_target("ort", LevelFilter::ERROR).with_default(level);
    let parsed = |levels: &str| format!("ort=error,{levels}").parse::<Targets>();
    let (filter, refused) = match given.map(|(name, value)| (name, parsed(&value))) {
        Some((_, Ok(filter))) => (filter, None),
        Some((name, Err(error))) => (usual(), Some((name, error))),
        None => (usual(), None),
    };
    match args.log_format {
        LogFormat::Json => tracing_subscriber::registry().with(JsonLayer.with_filter(filter)).init(),
        LogFormat::Text => {
            let lines = tracing_subscriber::fmt::layer()
                .with_writer(std::io::stderr)
                .without_time()
                // It would tell on standard error that it cannot write there, and panic.
                .log_internal_errors(false);
            tracing_subscriber::registry().with(lines.with_filter(filter)).init();
        }
    }
    if let Some((name, error)) = refused {
        note(&format!("warning: {name} sets no levels, and `{level}` counts: {error}\n"));
    }
}

/// Tells something that is no error. Of a quiet process it is in the trace, if the environment asks for that.
pub(crate) fn note(text: &str) {
    if !is_quiet() {
        return tell(Level::INFO, text);
    }
    for (level, message) in messages(Level::INFO, text) {
        if level == Level::WARN {
            tracing::warn!(target: TARGET, "{message}");
        } else {
            tracing::info!(target: TARGET, "{message}");
        }
    }
}

/// Tells an error.
pub(crate) fn complain(text: &str) {
    tell(Level::ERROR, text);
}

/// Tells the error of a call, with its hint.
pub(crate) fn print_error(error: &CliError) {
    complain(&format!("{}\n", error.message()));
}

fn tell(level: Level, text: &str) {
    if !is_json() {
        return stdio::to_stderr(text.as_bytes());
    }
    for (level, message) in messages(level, text) {
        write(level, TARGET, &message, BTreeMap::new());
    }
}

/// Splits a text at its beginnings of messages, and returns each with its level, `usual` where it names none.
fn messages(usual: Level, text: &str) -> Vec<(Level, String)> {
    const LEVELS: [(&str, Level); 3] =
        [("error: ", Level::ERROR), ("warning: ", Level::WARN), ("note: ", Level::INFO)];
    let mut all: Vec<(Level, String)> = Vec::new();
    for line in text.trim().lines() {
        let named = LEVELS.iter().find_map(|(mark, level)| Some((*level, line.strip_prefix(mark)?)));
        match (named, all.last_mut()) {
            (Some((level, line)), _) => all.push((level, line.to_owned())),
            (None, Some((_, message))) => message.extend(["\n", line.trim()]),
            (None, None) => all.push((usual, line.to_owned())),
        }
    }
    all
}

/// A line of the log.
#[derive(Serialize, JsonSchema)]
pub(crate) struct LogRecord<'a> {
    /// Moment at which it was written, in UTC: RFC 3339 with milliseconds.
    time: String,
    /// `ERROR`, `WARN`, `INFO`, `DEBUG` or `TRACE`.
    #[schemars(extend("enum" = ["ERROR", "WARN", "INFO", "DEBUG", "TRACE"]))]
    level: &'a str,
    /// Part of the program that wrote it.
    target: &'a str,
    /// Text of the line; a hint follows on a line of its own.
    message: &'a str,
    /// Number of the run in the store, once it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<u64>,
    /// Values of the event, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    fields: BTreeMap<&'static str, Value>,
}

/// Writes a line of JSON in which terminal control is escaped.
fn write(level: Level, target: &str, message: &str, fields: BTreeMap<&'static str, Value>) {
    let run = TELLING.run.get().copied();
    let time = format!("{:.3}", Timestamp::now());
    let line = LogRecord { time, level: level.as_str(), target, message, run, fields };
    // Text and numbers always are JSON.
    let Ok(mut bytes) = harmless_json(&line) else { return };
    bytes.push(b'\n');
    stdio::to_stderr(&bytes);
}

/// Layer that writes each event of the trace as a line of JSON.
struct JsonLayer;

impl<S: Subscriber> Layer<S> for JsonLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let (mut fields, about) = (EventFields::default(), event.metadata());
        event.record(&mut fields);
        write(*about.level(), about.target(), &fields.message, fields.others);
    }
}

/// Fields of an event, with the message apart.
#[derive(Default)]
struct EventFields {
    message: String,
    others: BTreeMap<&'static str, Value>,
}

impl EventFields {
    fn add(&mut self, field: &Field, value: impl Into<Value>) {
        match (field.name(), value.into()) {
            ("message", Value::String(text)) => self.message = text,
            (name, value) => _ = self.others.insert(name, value),
        }
    }
}

/// Takes the values of these types as they are.
macro_rules! recorded {
    ($($name:ident: $type:ty),*) => {
        $(fn $name(&mut self, field: &Field, value: $type) {
            self.add(field, value);
        })*
    };
}

impl Visit for EventFields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, format!("{value:?}"));
    }

    recorded!(record_str: &str, record_bool: bool, record_i64: i64, record_u64: u64, record_f64: f64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_belong_to_their_error_and_levels_are_read_from_the_text() {
        let told = |text| messages(Level::INFO, text);
        assert_eq!(
            told("error: no store\n hint: name one\nerror: night 3 of Ida: no\n"),
            [
                (Level::ERROR, "no store\nhint: name one".to_owned()),
                (Level::ERROR, "night 3 of Ida: no".to_owned())
            ]
        );
        assert_eq!(told("warning: skipped a line\n"), [(Level::WARN, "skipped a line".to_owned())]);
        assert_eq!(told("\nfinishing\n"), [(Level::INFO, "finishing".to_owned())]);
        assert_eq!(told(""), []);
    }
}

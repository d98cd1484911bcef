//! Answers recorded in a file under a hash of everything they depend on, so that no answer is paid for twice
//! and a night can be replayed to the byte without a model.
//!
//! A record file is JSONL:
//! `{"format":1,"key":"…","model":"…","task":"reflections","answers":[…],"tokens":612}`, or
//! `"failed":"malformed"` (or `"refused"`) with a `"reason"` in place of the answers. Files of several runs
//! may be concatenated; of two answers with one key the first counts.

mod error;
mod file;
mod key;
mod line;
mod recorder;
mod replay;

pub use error::RecordError;
pub use file::{MAX_RECORD_BYTES, MAX_RECORDS, RecordFile};
pub use key::{TaskKey, TaskKeyError};
pub use line::LineError;
pub use recorder::Recorder;
pub use replay::Recorded;

/// Returns the schema of a line of a record file.
#[cfg(feature = "schema")]
pub fn record_line_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    <line::RecordLine<'_> as schemars::JsonSchema>::json_schema(generator)
}

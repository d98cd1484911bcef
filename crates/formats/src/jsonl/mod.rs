//! Memories as JSONL: one JSON object a line.
//!
//! [`read`] takes all memories of a reader, [`MemoryLines`] one by one; both skip empty lines. After a bad line
//! ([`JsonlError::Line`]) a [`MemoryLines`] goes on with the next:
//!
//! ```
//! use nightfold_formats::jsonl::{JsonlError, MemoryLines};
//! use nightfold_memory::config::InputConfig;
//!
//! let file: &[u8] = b"{\"id\":\"a\"}\n{\"id\":\"b\",\"npc\":\"Mara\",\"at\":0,\"kind\":\"event\",\"text\":\"I woke up\"}\n";
//! let limits = InputConfig::default();
//! let (mut memories, mut skipped) = (Vec::new(), Vec::new());
//! for memory in MemoryLines::new("day.jsonl", file, &limits) {
//!     match memory {
//!         Ok(memory) => memories.push(memory),
//!         Err(JsonlError::Line(error)) => skipped.push(error.to_string()),
//!         Err(error) => return Err(error.into()),
//!     }
//! }
//! assert_eq!(memories[0].text, "I woke up");
//! assert_eq!(skipped, ["day.jsonl:1: column 10: missing field `npc`"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`JsonLines`] reads lines of any other type within the same bounds, [`parse`] a single line that is read already.

mod error;
mod lines;
mod memories;
mod parse;
mod problem;

pub use self::{
    error::{JsonLineError, JsonlError},
    lines::{JsonLines, open},
    memories::{MemoryLines, UnreadField, VectorRule, check_bounds, read, read_text},
    parse::{JsonError, parse},
    problem::LineProblem,
};

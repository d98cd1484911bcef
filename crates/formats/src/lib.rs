//! File formats that memories and vectors come in.
//!
//! | module | what it reads or writes |
//! |---|---|
//! | [`jsonl`] | memories, one JSON object a line; errors name file, line, column and field |
//! | [`generative_agents`] | save folders of Generative Agents (Park et al. 2023) as memories |
//! | [`grouped`] | memories sorted by NPC in bounded memory, with runs on disk |
//! | [`npy`] | vectors in `NumPy`'s file format |
//! | [`pack`] | memories of many NPCs in shards, for workers that share a night |
//! | `parquet` | memories in columns (feature `parquet`) |
//!
//! Everything here works on readers, writers and paths, with bounds from [`InputConfig`](nightfold_memory::config::InputConfig);
//! nothing prints, and nothing depends on a database. Memories are read from anything that is
//! [`BufRead`](std::io::BufRead), such as bytes:
//!
//! ```
//! use nightfold_formats::jsonl::{self, JsonlError};
//! use nightfold_memory::config::InputConfig;
//!
//! let day: &[u8] = br#"{"id":"m-1","npc":"Mara","at":"1204-05-03T06:10:00Z","kind":"event","text":"I swept the inn"}
//! {"id":"m-2","npc":"Mara","at":"1204-05-03T07:00:00Z","kind":"chat","text":"Tom asked for bread","importance":3}
//! "#;
//! let limits = InputConfig::default();
//! let memories = jsonl::read("day.jsonl", day, &limits)?;
//! assert_eq!(memories.len(), 2);
//! assert_eq!(memories[1].text, "Tom asked for bread");
//!
//! // The name of the file is for errors alone.
//! let bad: &[u8] = br#"{"id":"m-3","npc":"Mara","at":0,"kind":"event","text":"I slept","importance":11}"#;
//! let Err(JsonlError::Line(error)) = jsonl::read("bad.jsonl", bad, &limits) else { panic!("11 is too much") };
//! assert_eq!((error.line, error.field()), (1, Some("importance")));
//! # Ok::<(), JsonlError>(())
//! ```

pub mod generative_agents;
pub mod grouped;
pub mod irregular_file;
mod is_parquet;
pub mod jsonl;
pub mod npy;
pub mod pack;
#[cfg(feature = "parquet")]
pub mod parquet;
mod serde_words;

pub use is_parquet::is_parquet;
pub use serde_words::in_words;

//! Embeddings: texts to unit vectors with all-MiniLM-L6-v2, on this machine, and the files it needs.
//!
//! [`Models`] finds or fetches the model, its tokenizer and the ONNX Runtime library, each pinned by checksum
//! in `models/manifest.toml`. [`MiniLm`] opens them and is an [`Embedder`](nightfold_memory::Embedder): the
//! same text has the same vector to the bit, whatever it is embedded with and on however many threads,
//! because a batch contains only texts of equal token count and nothing is padded.
//!
//! ```no_run
//! use nightfold_embed::{MiniLm, MiniLmOptions, ModelOptions, Models};
//! use nightfold_formats::npy;
//! use nightfold_memory::Embedder;
//!
//! let files = Models::new(ModelOptions::from_env()).provide(&|_| {})?;
//! let model = MiniLm::open(&files, MiniLmOptions::default())?;
//! let embedded = model.embed(&["I swept the common room", "The guard changed at dusk"])?;
//! npy::write(std::fs::File::create("vectors.npy")?, &embedded.vectors)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`onnx`] | the model's published weights as an ONNX graph, deterministically |
//! | `provision` | finding, fetching and verifying files |
//! | `engine` | the arithmetic in which the sentence model computes |
//! | `sentence` | tokens, batches, the model, pooling |
//! | `grammar` | words, their parts of speech and relations, read from the same run of the model |
//! | `cache` | vectors, grammars and verdicts kept for later runs |
//! | `stance` | the stance model that comes with the program, as a judge of the stance between two statements |

mod cache;
mod distinct;
mod engine;
mod grammar;
pub mod onnx;
mod opened_once;
mod provision;
mod sentence;
mod session_pool;
mod stance;

pub use cache::{CacheError, CachedEmbedder, CachedJudge, VectorCache};
pub use engine::{Engine, EngineError};
pub use provision::{
    ArtefactRole, ArtefactState, ArtefactStatus, Check, FetchError, FetchPhase, FileContents, ModelFiles,
    ModelOptions, Models, OpenVinoFiles, PipCommands, Progress, ProvisionError,
};
pub use sentence::{DIMENSIONS, LazyMiniLm, MAX_TOKENS, MiniLm, MiniLmOptions, ModelOpenError, product_rate};
pub use stance::{LazyStanceModel, STANCE_MODEL, StanceModel, StanceOptions};

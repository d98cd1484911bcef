//! Settings of the judge of two close statements: `[judge]`.

use serde::{Deserialize, Serialize};

use crate::config::settings::settings;

/// Judge that decides whether two statements say the same, contradict each other, or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum JudgeBy {
    /// The stance model that comes with the program, or the rules if the model is not available.
    #[default]
    Model,
    /// The rules: numbers, names, roles, negations, opposites, and a small learned classifier for the rest.
    Rules,
    /// The language model that `--language` names.
    Language,
    /// An NLI classifier (textual entailment) in the user's ONNX file.
    Nli,
}

impl JudgeBy {
    /// Returns the name used in the configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Rules => "rules",
            Self::Language => "language",
            Self::Nli => "nli",
        }
    }
}

settings! {
    /// `[judge]`: deciding whether two close statements say the same, contradict each other, or neither.
    pub struct JudgeConfig at judge {
        /// Judge; the stance model by default.
        pub by: JudgeBy,
        /// Least probability at which two statements say the same [0.5; 0 to 1].
        pub same_from: f64,
        /// Least probability at which two statements contradict each other [0.96; 0 to 1]; it is high because a
        /// wrong supersession is worse than a missed one.
        pub contradiction_from: f64,
        /// Maximum number of pairs of one NPC and night that are searched for contradictions beyond those close
        /// enough to be merged, the most promising first [32; 0 to 100000].
        pub max_pairs: usize,
        /// Folder of the NLI classifier, with `model.onnx`, `tokenizer.json` and `config.json`; up to 4096 bytes,
        /// and not empty if `by` is `nli`.
        pub nli: String,
        /// Maximum number of tokens of a pair, both texts and special tokens; the classifier does not judge
        /// longer pairs [256; 16 to 8192].
        pub nli_tokens: usize,
        /// Size of the largest classifier that is opened, in bytes, all files of its weights together [4 GiB; 1
        /// to 1 TiB].
        pub nli_bytes: u64,
        /// Number of copies of the classifier that judge in parallel, if there are as many threads [2; 1 to 64].
        pub nli_sessions: usize,
        /// Maximum number of pairs handed to the judge at once [16; 1 to 1024].
        pub batch: usize,
    }
}

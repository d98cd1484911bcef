//! Who judges two close statements: `[judge]`.

use serde::{Deserialize, Serialize};

/// Who says what two statements are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum JudgeBy {
    /// The stance model that comes with the program; the rules where it is not at hand.
    #[default]
    Model,
    /// The rules: numbers, names, roles, negations, opposites, and a small learned head for the rest.
    Rules,
    /// The language model of the call.
    Language,
    /// A classifier of entailment in an ONNX file of the user's.
    Nli,
}

impl JudgeBy {
    /// As it is written in the configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Rules => "rules",
            Self::Language => "language",
            Self::Nli => "nli",
        }
    }
}

/// `[judge]`: who says whether two close statements say the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct JudgeConfig {
    /// Who; the stance model by default.
    pub by: JudgeBy,
    /// Probability from which two statements are the same [0.5; 0 to 1].
    pub same_from: f64,
    /// Probability from which two statements exclude each other; a wrong supersession is worse than a missed one [0.9; 0 to 1].
    pub contradiction_from: f64,
    /// Probability from which a judge's verdict of contradiction stands by itself on statements that lie further apart than
    /// `reconcile.band`, and, where they tell of two happenings, halfway from it to 1; below it the rules must find the contradiction too [0.95; 0 to 1].
    pub apart_from: f64,
    /// Most pairs of an NPC and night that are looked at for a contradiction beyond those close enough to be merged, the most
    /// promising first [32; 0 to 100000].
    pub max_pairs: usize,
    /// The folder of the classifier, with `model.onnx`, `tokenizer.json` and `config.json`; up to 4096 bytes, and not empty
    /// where it judges.
    pub nli: String,
    /// Most tokens of a pair that the classifier reads, both texts and marks; longer pairs it does not judge [256; 16 to
    /// 8192].
    pub nli_tokens: usize,
    /// Largest classifier that is opened, in bytes, the files of its weights together [4 GiB; 1 to 1 TiB].
    pub nli_bytes: u64,
    /// How many copies of the classifier judge at once, if there are as many threads [2; 1 to 64].
    pub nli_sessions: usize,
    /// Most pairs handed over at once [16; 1 to 1024].
    pub batch: usize,
}

impl Default for JudgeConfig {
    fn default() -> Self {
        Self {
            by: JudgeBy::Model,
            same_from: 0.5,
            contradiction_from: 0.9,
            apart_from: 0.95,
            max_pairs: 32,
            nli: String::new(),
            nli_tokens: 256,
            nli_bytes: 4 << 30,
            nli_sessions: 2,
            batch: 16,
        }
    }
}

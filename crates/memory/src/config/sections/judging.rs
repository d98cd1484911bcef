//! Who judges two close statements: `[judge]`.

use serde::{Deserialize, Serialize};

/// Who says what two statements are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum JudgeBy {
    /// The rules: numbers, names, roles, negations, opposites, and a small learned head for the rest.
    #[default]
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
            Self::Rules => "rules",
            Self::Language => "language",
            Self::Nli => "nli",
        }
    }
}

/// `[judge]`: who says whether two close statements say the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct JudgeConfig {
    /// Who; the rules by default.
    pub by: JudgeBy,
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
            by: JudgeBy::Rules,
            nli: String::new(),
            nli_tokens: 256,
            nli_bytes: 4 << 30,
            nli_sessions: 2,
            batch: 16,
        }
    }
}

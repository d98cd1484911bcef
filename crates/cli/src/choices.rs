//! Values of arguments that choose an author of texts, a shard or a cache.

use std::{ffi::OsString, path::PathBuf, str::FromStr};

use nightfold::memory::{Shard, ShardError};

/// Variable with the index of a pod in a Kubernetes Indexed Job.
const JOB_INDEX: &str = "JOB_COMPLETION_INDEX";

/// Error of a `--shard` that names no shard.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ShardChoiceError {
    #[error(transparent)]
    Shard(#[from] ShardError),
    #[error("COUNT alone is for a Kubernetes Indexed Job, and {JOB_INDEX} holds no index; give INDEX/COUNT")]
    NoJob,
}

/// Reads the share of the NPCs that `--shard` names.
pub(crate) fn shard(named: &str) -> Result<Shard, ShardChoiceError> {
    if named.contains('/') {
        return Ok(named.parse()?);
    }
    let index = std::env::var(JOB_INDEX).map_err(|_| ShardChoiceError::NoJob)?;
    Ok(format!("{index}/{named}").parse()?)
}

/// Author of texts that `--language` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LanguageChoice {
    /// Rules only, without a model.
    Rules,
    /// A server with `OpenAI`'s interface.
    Server(String),
    /// Recorded answers.
    Recorded(PathBuf),
}

impl FromStr for LanguageChoice {
    type Err = &'static str;

    fn from_str(named: &str) -> Result<Self, &'static str> {
        match named.split_once(':') {
            None if named == "rules" => Ok(Self::Rules),
            Some(("openai", url)) if !url.is_empty() => Ok(Self::Server(url.to_owned())),
            Some(("recorded", file)) if !file.is_empty() => Ok(Self::Recorded(file.into())),
            _ => Err("it must be `rules`, `openai:URL` or `recorded:FILE`"),
        }
    }
}

/// True if a text is the address of a store in a database.
pub(crate) fn is_address(text: &str) -> bool {
    text.starts_with("postgres://") || text.starts_with("postgresql://")
}

/// Cache of vectors for later calls: `off` or a file. A file of the name "off" is `./off`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CacheChoice {
    /// No cache.
    Off,
    /// Cache in this file.
    File(PathBuf),
    /// Cache in the store at this address, which other machines have too.
    Shared(String),
}

impl From<OsString> for CacheChoice {
    fn from(given: OsString) -> Self {
        match given.to_str() {
            Some("off") => Self::Off,
            Some(address) if is_address(address) => Self::Shared(address.to_owned()),
            _ => Self::File(given.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_choice_parses_rules_server_and_files() {
        let parsed = |text: &str| text.parse::<LanguageChoice>().ok();
        assert_eq!(parsed("rules"), Some(LanguageChoice::Rules));
        assert_eq!(
            parsed("openai:http://127.0.0.1:8080/v1"),
            Some(LanguageChoice::Server("http://127.0.0.1:8080/v1".into()))
        );
        assert_eq!(parsed("recorded:a:b.jsonl"), Some(LanguageChoice::Recorded("a:b.jsonl".into())));
        for wrong in ["", "rule", "openai:", "recorded", "http://x", "local", "local:"] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }
}

//! Who finds the words of this call: the rules, or a language model.

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use nightfold::memory::{LanguageModel, ValidConfig};
use nightfold_language::{
    Chat, ChatModel, Sampling,
    openai::{ChatClient, EndpointSettings, Secret},
    recorded::{RecordFile, Recorded, Recorder},
};

use crate::error::{CliError, Exit, message};

/// What `--language` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Language {
    /// No model.
    Rules,
    /// A server that speaks as `OpenAI`'s does.
    Server(String),
    /// Answers that were recorded.
    Recorded(PathBuf),
    /// A model in a GGUF file, run in this process.
    Local(PathBuf),
}

/// Why `--language` names nothing.
#[derive(Debug)]
pub(crate) struct NoLanguage;

impl fmt::Display for NoLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it must be `rules`, `openai:URL`, `local:FILE` or `recorded:FILE`")
    }
}

impl std::error::Error for NoLanguage {}

impl FromStr for Language {
    type Err = NoLanguage;

    fn from_str(named: &str) -> Result<Self, NoLanguage> {
        match named.split_once(':') {
            None if named == "rules" => Ok(Self::Rules),
            Some(("openai", url)) if !url.is_empty() => Ok(Self::Server(url.to_owned())),
            Some(("recorded", file)) if !file.is_empty() => Ok(Self::Recorded(file.into())),
            Some(("local", file)) if !file.is_empty() => Ok(Self::Local(file.into())),
            _ => Err(NoLanguage),
        }
    }
}

/// Opens the model, if one is named. `record` keeps its answers in a file, and asks for none that is there.
pub(crate) fn open(
    language: &Language,
    record: Option<&PathBuf>,
    config: &ValidConfig,
) -> Result<Option<Box<dyn LanguageModel>>, CliError> {
    match language {
        Language::Rules if record.is_some() => {
            Err(message(Exit::Usage, "there is nothing to record: the rules find the words")
                .hint("name a model with --language openai:URL"))
        }
        Language::Rules => Ok(None),
        Language::Recorded(_) if record.is_some() => {
            Err(message(Exit::Usage, "answers that are recorded cannot be recorded again"))
        }
        Language::Recorded(file) => {
            let recorded = match config.language.model.as_str() {
                "" => Recorded::open(file),
                model => Recorded::open_for(file, model),
            };
            Ok(Some(Box::new(recorded.map_err(|e| CliError::new(Exit::Input, e))?)))
        }
        Language::Server(url) => recorded(server(url, config)?, record),
        Language::Local(file) => recorded(local(file, config)?, record),
    }
}

/// A model whose answers are kept, if there is a file for them.
fn recorded<C: Chat + 'static>(
    model: ChatModel<C>,
    record: Option<&PathBuf>,
) -> Result<Option<Box<dyn LanguageModel>>, CliError> {
    Ok(Some(match record {
        Some(file) => {
            let file = RecordFile::open(file).map_err(|e| CliError::new(Exit::Usage, e))?;
            Box::new(Recorder::new(model, file))
        }
        None => Box::new(model),
    }))
}

#[cfg(feature = "local")]
fn local(file: &Path, config: &ValidConfig) -> Result<ChatModel<impl Chat + use<>>, CliError> {
    use nightfold_language::local::{LocalChat, LocalError, LocalSettings};

    let mut settings = LocalSettings::new(file);
    if !config.language.model.is_empty() {
        settings.model.clone_from(&config.language.model);
    }
    let chat = settings.check().and_then(LocalChat::open).map_err(|error| {
        let exit = if matches!(error, LocalError::Setting { .. }) { Exit::Usage } else { Exit::Model };
        CliError::new(exit, error)
    })?;
    Ok(ChatModel::new(chat, sampling(config)?))
}

#[cfg(not(feature = "local"))]
fn local(_: &Path, _: &ValidConfig) -> Result<ChatModel<ChatClient>, CliError> {
    Err(message(Exit::Usage, "this program was built without what runs models itself")
        .hint("build it with `cargo build --release -p nightfold-cli --features local`, or name a server"))
}

fn server(url: &str, config: &ValidConfig) -> Result<ChatModel<ChatClient>, CliError> {
    let usage = |error: Box<dyn std::error::Error + Send + Sync>| CliError::new(Exit::Usage, error);
    let settings = &config.language;
    let mut endpoint = EndpointSettings::new(url, named(config)?);
    endpoint.key = match std::env::var(&settings.key_from) {
        Ok(key) if !key.trim().is_empty() => Some(Secret::new(key).map_err(|e| usage(e.into()))?),
        _ => None,
    };
    endpoint.try_timeout = Duration::from_secs(settings.seconds);
    endpoint.call_timeout = endpoint.try_timeout * (settings.retries + 1);
    endpoint.retries = settings.retries;
    endpoint.in_flight = settings.in_flight;
    let client = ChatClient::new(endpoint.check().map_err(|e| usage(e.into()))?);
    Ok(ChatModel::new(client, sampling(config)?))
}

/// The model that is asked, which a server must be told.
pub(crate) fn named(config: &ValidConfig) -> Result<&str, CliError> {
    if config.language.model.is_empty() {
        return Err(message(Exit::Usage, "the server wants to know which model")
            .hint("name it with --set language.model=NAME, or in nightfold.toml"));
    }
    Ok(&config.language.model)
}

/// How a model chooses its words.
pub(crate) fn sampling(config: &ValidConfig) -> Result<Sampling, CliError> {
    Sampling::new(config.language.temperature as f32, Some(config.seed.0))
        .map_err(|e| CliError::new(Exit::Usage, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_rules_a_server_or_a_file() {
        let parsed = |text: &str| text.parse::<Language>().ok();
        assert_eq!(parsed("rules"), Some(Language::Rules));
        assert_eq!(
            parsed("openai:http://127.0.0.1:8080/v1"),
            Some(Language::Server("http://127.0.0.1:8080/v1".into()))
        );
        assert_eq!(parsed("recorded:a:b.jsonl"), Some(Language::Recorded("a:b.jsonl".into())));
        assert_eq!(parsed("local:C:/model.gguf"), Some(Language::Local("C:/model.gguf".into())));
        for wrong in ["", "rule", "openai:", "recorded", "http://x", "local", "local:"] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }

    #[cfg(not(feature = "local"))]
    #[test]
    fn without_the_feature_it_says_how_to_get_it() {
        let config = nightfold::memory::Config::default().check().unwrap();
        let error = open(&Language::Local("model.gguf".into()), None, &config).err().unwrap();
        assert!(error.told().contains("--features local"), "{}", error.told());
    }
}

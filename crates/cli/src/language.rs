//! The language model of this call, if one is named; else the rules word the texts.

use std::{path::PathBuf, time::Duration};

use nightfold::memory::{LanguageModel, ValidConfig};
use nightfold_language::{
    ChatModel, Sampling, SettingError,
    openai::{ChatClient, EndpointSettings, Secret},
    recorded::{Recorded, Recorder},
};

use crate::{
    choices::LanguageChoice,
    error::{CliError, Exit, message},
    irregular_file,
};

/// Environment variable that holds the key of the model's server.
const KEY_VARIABLE: &str = "NIGHTFOLD_LANGUAGE_KEY";

/// Opens the model, if one is named. `record` keeps its answers in a file, and asks no question that is
/// answered there.
pub(crate) fn open(
    language: &LanguageChoice,
    record: Option<&PathBuf>,
    config: &ValidConfig,
) -> Result<Option<Box<dyn LanguageModel>>, CliError> {
    let answers = "give the file of recorded answers, which `--record FILE` makes";
    match (language, record) {
        (LanguageChoice::Recorded(file), _) | (_, Some(file)) => {
            irregular_file::refuse(file, Exit::Usage, answers)?;
        }
        _ => {}
    }
    match language {
        LanguageChoice::Rules if record.is_some() => {
            Err(message(Exit::Usage, "there is nothing to record: the rules find the words")
                .hint("name a model with --language openai:URL"))
        }
        LanguageChoice::Rules => Ok(None),
        LanguageChoice::Recorded(_) if record.is_some() => {
            Err(message(Exit::Usage, "answers that are recorded cannot be recorded again"))
        }
        LanguageChoice::Recorded(file) => {
            let model = Some(config.language.model.as_str()).filter(|model| !model.is_empty());
            let recorded = Recorded::open(file, model).map_err(|e| CliError::new(Exit::Input, e))?;
            Ok(Some(Box::new(recorded)))
        }
        LanguageChoice::Server(url) => {
            let model = server(url, config)?;
            Ok(Some(match record {
                Some(file) => {
                    Box::new(Recorder::open(model, file).map_err(|e| CliError::new(Exit::Usage, e))?)
                }
                None => Box::new(model),
            }))
        }
    }
}

fn server(url: &str, config: &ValidConfig) -> Result<ChatModel<ChatClient>, CliError> {
    let usage = |error: SettingError| CliError::new(Exit::Usage, error);
    let settings = &config.language;
    if settings.model.is_empty() {
        return Err(message(Exit::Usage, "the server wants to know which model")
            .hint("name it with --set language.model=NAME, or in nightfold.toml"));
    }
    let mut endpoint = EndpointSettings::new(url, &*settings.model);
    endpoint.key = match std::env::var(KEY_VARIABLE) {
        Ok(key) if !key.trim().is_empty() => Some(Secret::new(key).map_err(usage)?),
        _ => None,
    };
    endpoint.try_timeout = Duration::from_secs(settings.seconds);
    endpoint.retries = settings.retries;
    endpoint.in_flight = settings.in_flight;
    let client = ChatClient::new(endpoint).map_err(usage)?;
    let sampling = Sampling::new(settings.temperature as f32, Some(config.seed.0)).map_err(usage)?;
    Ok(ChatModel::new(client, sampling))
}

//! The language model of this call, if one is named; else the rules word the texts.

use std::{path::PathBuf, time::Duration};

use nightfold::memory::{LanguageModel, ValidConfig};
use nightfold_language::{
    ChatModel, Sampling,
    openai::{ChatClient, EndpointSettings, Secret},
    recorded::{RecordFile, Recorded, Recorder},
};

use crate::{
    choices::LanguageChoice,
    error::{CliError, Exit, message},
    irregular_file,
};

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
            let recorded = match config.language.model.as_str() {
                "" => Recorded::open(file),
                model => Recorded::open_for(file, model),
            };
            Ok(Some(Box::new(recorded.map_err(|e| CliError::new(Exit::Input, e))?)))
        }
        LanguageChoice::Server(url) => {
            let model = server(url, config)?;
            Ok(Some(match record {
                Some(file) => {
                    let file = RecordFile::open(file).map_err(|e| CliError::new(Exit::Usage, e))?;
                    Box::new(Recorder::new(model, file))
                }
                None => Box::new(model),
            }))
        }
    }
}

fn server(url: &str, config: &ValidConfig) -> Result<ChatModel<ChatClient>, CliError> {
    let usage = |error: Box<dyn std::error::Error + Send + Sync>| CliError::new(Exit::Usage, error);
    let settings = &config.language;
    if settings.model.is_empty() {
        return Err(message(Exit::Usage, "the server wants to know which model")
            .hint("name it with --set language.model=NAME, or in nightfold.toml"));
    }
    let mut endpoint = EndpointSettings::new(url, &*settings.model);
    endpoint.key = match std::env::var(&settings.key_from) {
        Ok(key) if !key.trim().is_empty() => Some(Secret::new(key).map_err(|e| usage(e.into()))?),
        _ => None,
    };
    endpoint.try_timeout = Duration::from_secs(settings.seconds);
    endpoint.call_timeout = endpoint.try_timeout * (settings.retries + 1);
    endpoint.retries = settings.retries;
    endpoint.in_flight = settings.in_flight;
    let client = ChatClient::new(endpoint.check().map_err(|e| usage(e.into()))?);
    let sampling =
        Sampling::new(settings.temperature as f32, Some(config.seed.0)).map_err(|e| usage(e.into()))?;
    Ok(ChatModel::new(client, sampling))
}

//! The stance judge of this call: the stance model, the rules, or the language model.

use std::{num::NonZero, thread};

use nightfold::memory::{Config, LanguageModel, StanceJudge, ValidConfig, config::JudgeBy};
use nightfold_embed::{CachedJudge, LazyStanceModel, StanceOptions, VectorCache};
use nightfold_language::LanguageJudge;

use crate::{
    args::{Common, JudgeChoice},
    error::{CliError, Exit, message},
    models::files,
    vectors,
};

/// Returns the configuration with the named judge, if one is named.
pub(crate) fn chosen(named: Option<JudgeChoice>, config: ValidConfig) -> Result<ValidConfig, CliError> {
    let Some(named) = named else { return Ok(config) };
    let mut changed = Config::clone(&config);
    changed.judge.by = match named {
        JudgeChoice::Model => JudgeBy::Model,
        JudgeChoice::Rules => JudgeBy::Rules,
        JudgeChoice::Language => JudgeBy::Language,
    };
    changed.check().map_err(|e| CliError::new(Exit::Usage, e))
}

/// Opens the judge of the configuration; `None` for the rules. `language` is the language model of this call.
pub(crate) fn open<'a>(
    language: Option<&'a dyn LanguageModel>,
    config: &ValidConfig,
    common: &Common,
) -> Result<Option<Box<dyn StanceJudge + 'a>>, CliError> {
    Ok(match config.judge.by {
        JudgeBy::Rules => None,
        JudgeBy::Model => Some(model_behind(vectors::cache(common, config)?, config, common)?),
        JudgeBy::Language => {
            let model = language.ok_or_else(|| {
                message(Exit::Usage, "a language model is to judge, and this call has none").hint(
                    "name it with --language openai:URL or recorded:FILE, or judge by --set judge.by=rules",
                )
            })?;
            Some(Box::new(LanguageJudge::new(model)))
        }
    })
}

/// Returns the stance model behind this cache. Without a cache, verdicts are kept in memory as long as the
/// judge lives. The model is opened by the first pair whose verdict is not kept.
pub(crate) fn model_behind(
    cache: Option<VectorCache>,
    config: &ValidConfig,
    common: &Common,
) -> Result<Box<dyn StanceJudge>, CliError> {
    let failed = |e| CliError::new(Exit::Model, e);
    let files = files(common, config)?;
    let options = StanceOptions { sessions: threads(common), ..StanceOptions::default() };
    let model = LazyStanceModel::new(files, options);
    let of_this_call = || VectorCache::in_memory(config.embed.cache as u64);
    let cache = cache.map_or_else(of_this_call, Ok).map_err(failed)?;
    let made_by = model.made_by();
    Ok(Box::new(CachedJudge::new(model, cache, &made_by)))
}

/// Number of threads of this call.
fn threads(common: &Common) -> NonZero<usize> {
    let cores = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    common.threads.and_then(|n| usize::from(n).try_into().ok()).unwrap_or(cores)
}

//! The stance judge of this call: the stance model, the rules, the language model, or a classifier.

use std::{num::NonZero, path::Path, thread};

use nightfold::memory::{Config, JudgeReport, LanguageModel, StanceJudge, ValidConfig, config::JudgeBy};
use nightfold_embed::{
    CachedJudge, LazyStanceModel, NliError, NliJudge, NliOptions, StanceOptions, VectorCache,
};
use nightfold_language::LanguageJudge;

use crate::{
    args::Common,
    choices::JudgeChoice,
    error::{CliError, Exit, message},
    models::files,
    vectors,
};

/// Returns the configuration with the named judge, if one is named.
pub(crate) fn chosen(named: Option<&JudgeChoice>, config: ValidConfig) -> Result<ValidConfig, CliError> {
    let Some(named) = named else { return Ok(config) };
    let mut changed = Config::clone(&config);
    changed.judge.by = match named {
        JudgeChoice::Model => JudgeBy::Model,
        JudgeChoice::Rules => JudgeBy::Rules,
        JudgeChoice::Language => JudgeBy::Language,
        JudgeChoice::Nli(folder) => {
            changed.judge.nli.clone_from(folder);
            JudgeBy::Nli
        }
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
        JudgeBy::Nli => {
            let most = NonZero::new(config.judge.nli_sessions).unwrap_or(NonZero::<usize>::MIN);
            let options = NliOptions {
                sessions: threads(common).min(most),
                max_tokens: config.judge.nli_tokens,
                max_bytes: config.judge.nli_bytes,
            };
            let runtime = files(common, config)?.runtime;
            let folder = Path::new(&config.judge.nli);
            Some(Box::new(NliJudge::open(folder, &runtime, options).map_err(open_error)?))
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

fn open_error(error: NliError) -> CliError {
    let hint = match &error {
        NliError::TooLarge { .. } => Some("a larger model is opened with --set judge.nli_bytes=N"),
        NliError::Folder { .. }
        | NliError::Missing { .. }
        | NliError::Labels { .. }
        | NliError::Shape { .. } => {
            Some("crates/embed/models/README.md says which classifiers fit, and how their files are made")
        }
        _ => None,
    };
    let cli = CliError::new(Exit::Model, error);
    match hint {
        Some(hint) => cli.hint(hint),
        None => cli,
    }
}

/// Checks that the judge answered at all.
///
/// # Errors
/// The judge was asked, or was to be asked, and answered no pair.
pub(crate) fn check_answered(report: Option<&JudgeReport>) -> Result<(), CliError> {
    let Some(report) = report.filter(|r| r.answered == 0 && r.asked + r.unaffordable + r.unasked > 0) else {
        return Ok(());
    };
    let kinds: Vec<&str> = report.failures.keys().map(String::as_str).collect();
    let why = if kinds.is_empty() { "nothing was affordable".to_owned() } else { kinds.join(", ") };
    Err(message(Exit::Model, format!("the judge {} answered nothing: {why}", report.judge))
        .hint("what is shown rests on the fail-safe; -v says what went wrong"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flag_overrides_the_configured_judge() {
        let mut config = Config::default();
        (config.judge.by, config.judge.nli) = (JudgeBy::Nli, "here".to_owned());
        let config = config.check().unwrap();
        let judge = |named: Option<&JudgeChoice>| chosen(named, config.clone()).unwrap().judge.clone();
        assert_eq!(judge(None), config.judge);
        assert_eq!(judge(Some(&JudgeChoice::Rules)).by, JudgeBy::Rules);
        assert_eq!(judge(Some(&JudgeChoice::Nli("there".into()))).nli, "there");
        assert!(chosen(Some(&JudgeChoice::Nli("x".repeat(5_000))), config.clone()).is_err());
    }
}

//! Who judges what two statements are to each other in this call: the rules, the language model, or a classifier.

use std::{fmt, num::NonZero, path::Path, str::FromStr, thread};

use nightfold::memory::{Config, JudgeBy, JudgeReport, LanguageModel, StanceJudge, ValidConfig};
use nightfold_embed::{
    CachedJudge, LazyStanceModel, NliError, NliJudge, NliOptions, StanceOptions, VectorCache,
};
use nightfold_language::LanguageJudge;

use crate::{
    args::Common,
    error::{CliError, Exit, message},
    models::{drawn, models},
    show::count,
    terminal::clean,
    vectors,
};

/// What `--judge` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Judge {
    /// The stance model that comes with the program.
    Model,
    /// The rules.
    Rules,
    /// The model that `--language` names.
    Language,
    /// A classifier of entailment, in a folder.
    Nli(String),
}

/// Why `--judge` names nobody.
#[derive(Debug)]
pub(crate) struct NoJudge;

impl fmt::Display for NoJudge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it must be `model`, `rules`, `language` or `nli:FOLDER`")
    }
}

impl std::error::Error for NoJudge {}

impl FromStr for Judge {
    type Err = NoJudge;

    fn from_str(named: &str) -> Result<Self, NoJudge> {
        match named.split_once(':') {
            None if named == "model" => Ok(Self::Model),
            None if named == "rules" => Ok(Self::Rules),
            None if named == "language" => Ok(Self::Language),
            Some(("nli", folder)) if !folder.is_empty() => Ok(Self::Nli(folder.into())),
            _ => Err(NoJudge),
        }
    }
}

/// The configuration with the judge that is named, if one is.
pub(crate) fn chosen(named: Option<&Judge>, config: ValidConfig) -> Result<ValidConfig, CliError> {
    let Some(named) = named else { return Ok(config) };
    let mut changed = Config::clone(&config);
    changed.judge.by = match named {
        Judge::Model => JudgeBy::Model,
        Judge::Rules => JudgeBy::Rules,
        Judge::Language => JudgeBy::Language,
        Judge::Nli(folder) => {
            changed.judge.nli.clone_from(folder);
            JudgeBy::Nli
        }
    };
    changed.check().map_err(|e| CliError::new(Exit::Usage, e))
}

/// Opens the judge of the configuration; `None` for the rules. `language` is the model of this call.
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
                    "name it with --language openai:URL, local:FILE or recorded:FILE, or judge by --set judge.by=rules",
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
            let files = drawn(|progress| models(common).provide(progress));
            let runtime = files.map_err(|e| CliError::new(Exit::Model, e))?.runtime;
            let folder = Path::new(&config.judge.nli);
            Some(Box::new(NliJudge::open(folder, &runtime, options).map_err(unopened)?))
        }
    })
}

/// The stance model behind this cache; without one, still no pair is judged twice as long as the judge lives. It is opened by the
/// first pair whose verdict is not kept.
pub(crate) fn model_behind(
    cache: Option<VectorCache>,
    config: &ValidConfig,
    common: &Common,
) -> Result<Box<dyn StanceJudge>, CliError> {
    let failed = |e| CliError::new(Exit::Model, e);
    let files = drawn(|progress| models(common).provide(progress));
    let files = files.map_err(|e| CliError::new(Exit::Model, e))?;
    let options = StanceOptions { sessions: threads(common), ..StanceOptions::default() };
    let model = LazyStanceModel::new(files, options);
    let of_this_call = || VectorCache::in_memory(config.embed.cache as u64);
    let cache = cache.map_or_else(of_this_call, Ok).map_err(failed)?;
    let made_by = model.made_by();
    Ok(Box::new(CachedJudge::new(model, cache, &made_by)))
}

/// Threads of this call.
fn threads(common: &Common) -> NonZero<usize> {
    let cores = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    common.threads.and_then(|n| usize::from(n).try_into().ok()).unwrap_or(cores)
}

fn unopened(error: NliError) -> CliError {
    let hint = match &error {
        NliError::TooLarge { .. } => Some("a larger model is opened with --set judge.nli_bytes=N"),
        NliError::Folder { .. }
        | NliError::Missing { .. }
        | NliError::Labels { .. }
        | NliError::Shape { .. } => {
            Some("models/README.md says which classifiers fit, and how their files are made")
        }
        _ => None,
    };
    let cli = CliError::new(Exit::Model, error);
    match hint {
        Some(hint) => cli.hint(hint),
        None => cli,
    }
}

/// How a judge was asked, on one line.
pub(crate) fn asked(report: &JudgeReport) -> String {
    let mut parts = vec![format!("{} of {} answered", report.answered, count(report.asked, "pair", "pairs"))];
    let counts = [
        (report.vetoed, "held apart by the rules though it said the same"),
        (report.unaffordable, "not affordable"),
        (report.unasked, "not asked"),
    ];
    parts.extend(counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")));
    if !report.failures.is_empty() {
        let kinds: Vec<String> = report.failures.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
        parts.push(format!("failed: {}", kinds.join(", ")));
    }
    if report.by_fail_safe > 0 {
        let merged = report.merged_by_fail_safe;
        parts.push(format!("{} by the fail-safe ({merged} merged)", report.by_fail_safe));
    }
    format!("judge {}: {}\n", clean(&report.judge), parts.join("; "))
}

/// The error of a call whose judge answered nothing at all, though it was to.
pub(crate) fn answered(report: Option<&JudgeReport>) -> Result<(), CliError> {
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
    fn a_judge_is_the_rules_a_language_model_or_a_folder() {
        let parsed = |text: &str| text.parse::<Judge>().ok();
        assert_eq!(parsed("model"), Some(Judge::Model));
        assert_eq!(parsed("rules"), Some(Judge::Rules));
        assert_eq!(parsed("language"), Some(Judge::Language));
        assert_eq!(parsed("nli:C:/models/nli"), Some(Judge::Nli("C:/models/nli".into())));
        for wrong in ["", "nli", "nli:", "Rules", "language:x", "rules:"] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_flag_goes_before_the_configuration() {
        let mut config = Config::default();
        (config.judge.by, config.judge.nli) = (JudgeBy::Nli, "here".to_owned());
        let config = config.check().unwrap();
        let judge = |named: Option<&Judge>| chosen(named, config.clone()).unwrap().judge.clone();
        assert_eq!(judge(None), config.judge);
        assert_eq!(judge(Some(&Judge::Rules)).by, JudgeBy::Rules);
        assert_eq!(judge(Some(&Judge::Nli("there".into()))).nli, "there");
        assert!(chosen(Some(&Judge::Nli("x".repeat(5_000))), config.clone()).is_err());
    }
}

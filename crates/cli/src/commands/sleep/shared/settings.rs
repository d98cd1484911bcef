//! Identity of a shared run: its input, and the settings on which its nights depend.

use std::path::Path;

use nightfold::memory::{ModelId, PLAN_FORMAT, ValidConfig};
use nightfold_formats::pack::Pack;
use serde_json::{Value, json};

use crate::{args::SleepArgs, choices::LanguageChoice, error::CliError};

/// Sections of the configuration, and keys of others, that no night depends on: they bound how it is slept.
const OF_THE_MACHINE: [&str; 2] = ["run", "review"];
const KEYS_OF_THE_MACHINE: [(&str, &str); 3] =
    [("input", "held_bytes"), ("embed", "cache"), ("embed", "file_cache")];

/// Most keys that a message names.
const NAMED: usize = 8;

/// Returns the identity of what a call sleeps.
pub(super) fn subject(args: &SleepArgs, pack: &Pack) -> String {
    let by_day = if args.days.by_day { ", by day" } else { "" };
    let until = args.days.until.map(|until| format!(", until {until}")).unwrap_or_default();
    format!("pack {}{by_day}{until}", pack.notes().identity())
}

/// Returns the settings that all workers of a run must share, as JSON.
pub(super) fn settings(args: &SleepArgs, config: &ValidConfig, model: &ModelId) -> Result<String, CliError> {
    let mut shared = serde_json::to_value(config)?;
    if let Some(sections) = shared.as_object_mut() {
        sections.retain(|section, _| !OF_THE_MACHINE.contains(&section.as_str()));
        for (section, key) in KEYS_OF_THE_MACHINE {
            let keys = sections.get_mut(section).and_then(Value::as_object_mut);
            keys.map(|keys| keys.remove(key));
        }
    }
    let language = match &args.language {
        LanguageChoice::Rules => "rules".to_owned(),
        // `language.model` says which; every worker may have a server of its own.
        LanguageChoice::Server(_) => "openai".to_owned(),
        LanguageChoice::Recorded(file) => format!("recorded:{}", file_name(file)),
    };
    let settings = json!({
        "config": shared,
        "language": language,
        "model": model.as_str(),
        "on_bad_line": format!("{:?}", args.days.memories.on_bad_line).to_lowercase(),
        "plan_format": PLAN_FORMAT,
    });
    Ok(settings.to_string())
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the keys whose values differ.
pub(super) fn changed_keys(theirs: &str, ours: &str) -> Vec<String> {
    let read = |settings| serde_json::from_str::<Value>(settings).unwrap_or_default();
    let mut keys = Vec::new();
    compare(&read(theirs), &read(ours), "", &mut keys);
    keys.truncate(NAMED);
    keys.iter().map(|key| key.strip_prefix("config.").unwrap_or(key).to_owned()).collect()
}

fn compare(theirs: &Value, ours: &Value, path: &str, keys: &mut Vec<String>) {
    match (theirs, ours) {
        (Value::Object(theirs), Value::Object(ours)) => {
            let mut names: Vec<&String> = theirs.keys().chain(ours.keys()).collect();
            names.sort_unstable();
            names.dedup();
            for name in names {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                let of = |side: &serde_json::Map<_, _>| side.get(name).cloned().unwrap_or_default();
                compare(&of(theirs), &of(ours), &path, keys);
            }
        }
        (theirs, ours) if theirs != ours => keys.push(path.to_owned()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_keys_are_named_as_in_the_configuration() {
        let theirs = r#"{"config":{"budget":{"storage":0.4,"tokens":5},"seed":1},"language":"rules"}"#;
        let ours = r#"{"config":{"budget":{"storage":0.5,"tokens":5},"seed":2},"language":"openai"}"#;
        assert_eq!(changed_keys(theirs, ours), ["budget.storage", "seed", "language"]);
        assert!(changed_keys(ours, ours).is_empty());
    }
}

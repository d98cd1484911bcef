//! Reading the memories of a scenario's days.

use std::{
    collections::BTreeSet,
    ops::Range,
    path::{Component, Path},
};

use nightfold_formats::jsonl::{LineProblem, check_bounds, parse};
use nightfold_memory::{Memory, NpcId, ValidConfig, config::InputConfig};
use serde_json::{Map, Value};
use strsim::levenshtein;
use toml::Spanned;

use super::{
    files::{check_inside, read_bounded},
    script::Script,
};
use crate::{
    diagnostic::{Diagnostic, Diagnostics, SourceFile},
    nearest::nearest,
};

/// Number of bad lines after which reading a file stops.
const BAD_LINES: usize = 20;

/// Keys of a memory's line.
const KEYS: [&str; 15] = [
    "id",
    "npc",
    "at",
    "timestamp",
    "kind",
    "text",
    "importance",
    "actors",
    "tags",
    "npc_tags",
    "pinned",
    "place",
    "emotion",
    "sources",
    "vector",
];

/// File of a day, with the line number of each memory.
pub(super) struct DayFile {
    pub(super) source: SourceFile,
    pub(super) memories: Vec<(usize, Memory)>,
}

/// Reads the files of each `[[days]]` table.
pub(super) fn read(script: &Script, config: &ValidConfig) -> Result<Vec<Vec<DayFile>>, Diagnostics> {
    let mut diagnostics = Vec::new();
    let mut days = Vec::new();
    for table in &script.file.days {
        let mut files = Vec::new();
        for path in &table.file.items {
            match source_of(script, path, config) {
                Ok(source) => files.push(memories(script, source, &config.input, &mut diagnostics)),
                Err(diagnostic) => diagnostics.push(diagnostic),
            }
        }
        days.push(files);
    }
    Diagnostics::refuse(diagnostics)?;
    Ok(days)
}

fn source_of(
    script: &Script,
    path: &Spanned<String>,
    config: &ValidConfig,
) -> Result<SourceFile, Diagnostic> {
    let relative = Path::new(path.get_ref());
    let stays = relative.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    let wrong = |what: String| script.source.diagnostic(path.span(), what);
    if !stays || path.get_ref().is_empty() {
        let diagnostic = wrong(format!("{:?} leads out of the scenario's folder", path.get_ref()));
        return Err(diagnostic.help("give a path inside it, such as \"days/1.jsonl\""));
    }
    let whole = script.folder.join(relative);
    if !whole.exists() {
        let diagnostic = wrong(format!("there is no file {:?}", path.get_ref()));
        return Err(diagnostic.suggest(path.get_ref(), &beside(script, relative)));
    }
    check_inside(&script.folder, &whole)?;
    let text = read_bounded(&whole, &config.input)?;
    Ok(SourceFile { path: whole, text })
}

/// Returns the files in the folder of a path, as that path would name them.
fn beside(script: &Script, path: &Path) -> Vec<String> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let Ok(entries) = script.folder.join(folder).read_dir() else { return Vec::new() };
    let mut names: Vec<String> = entries
        .filter_map(|entry| Some(folder.join(entry.ok()?.file_name()).to_string_lossy().into_owned()))
        .collect();
    names.sort();
    names
}

fn memories(
    script: &Script,
    source: SourceFile,
    limits: &InputConfig,
    diagnostics: &mut Vec<Diagnostic>,
) -> DayFile {
    let mut memories = Vec::new();
    let mut bad = 0;
    for (number, line) in (1..).zip(source.text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        match memory(&source, number, line, limits) {
            Ok(memory) => memories.push((number, memory)),
            Err(diagnostic) => {
                diagnostics.push(diagnostic);
                bad += 1;
            }
        }
        if bad == BAD_LINES {
            break;
        }
    }
    check_npcs(script, &source, &memories, diagnostics);
    if memories.is_empty() && bad == 0 {
        diagnostics.push(
            Diagnostic::of_file(&source.path, "holds no memories").help("write one JSON object a line"),
        );
    }
    DayFile { source, memories }
}

fn memory(
    source: &SourceFile,
    number: usize,
    line: &str,
    limits: &InputConfig,
) -> Result<Memory, Diagnostic> {
    if line.len() > limits.max_line_bytes {
        let problem = LineProblem::LongLine { most: limits.max_line_bytes };
        return Err(source.diagnostic_on(number, 0..1, problem.to_string()));
    }
    check_keys(source, number, line)?;
    let memory: Memory = parse(line).map_err(|error| of_line(source, number, line, &error.into()))?;
    check_bounds(&memory, limits).map_err(|problem| of_line(source, number, line, &problem))?;
    if memory.vector.is_some() {
        let what = "a scenario embeds its texts itself";
        return Err(source.diagnostic_on(number, key(line, "vector"), what).label("leave this out"));
    }
    Ok(memory)
}

/// Checks that every memory belongs to an NPC of the scenario. An unknown NPC is reported once.
fn check_npcs(
    script: &Script,
    source: &SourceFile,
    memories: &[(usize, Memory)],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let names: Vec<&str> = script.file.npcs.keys().map(NpcId::as_str).collect();
    let mut strangers = BTreeSet::new();
    for (number, memory) in memories {
        if script.file.npcs.contains_key(&memory.npc) || !strangers.insert(&memory.npc) {
            continue;
        }
        let what = format!("the scenario has no NPC of the name `{}`", memory.npc);
        let diagnostic = source
            .diagnostic_on(*number, value(source.line(*number), "npc"), what)
            .suggest(memory.npc.as_str(), &names)
            .help(format!("[npcs] of {} names everybody", script.source.path.display()));
        diagnostics.push(diagnostic);
    }
}

/// Checks the keys of a line: games may add their own, but one that is nearly a known key is a misspelling.
fn check_keys(source: &SourceFile, number: usize, line: &str) -> Result<(), Diagnostic> {
    let Ok(keys) = serde_json::from_str::<Map<String, Value>>(line) else { return Ok(()) };
    for given in keys.keys().filter(|given| !KEYS.contains(&given.as_str())) {
        let meant = nearest(given, &KEYS).filter(|near| {
            // Two edits turn any short word into any other.
            let short = given.chars().count().max(near.len()) <= 5;
            !short || levenshtein(given, near) <= 1
        });
        if let Some(near) = meant {
            let what = format!("there is no key `{given}` in a memory");
            return Err(source
                .diagnostic_on(number, key(line, given), what)
                .label(format!("did you mean `{near}`?"))
                .help("keys of the game's own are skipped, but this one is nearly one of ours"));
        }
    }
    Ok(())
}

/// Returns the diagnostic of a line, placed at the field concerned.
fn of_line(source: &SourceFile, number: usize, line: &str, problem: &LineProblem) -> Diagnostic {
    let (span, message) = match problem {
        LineProblem::Json(error) => {
            let first = error.field.as_deref().map(|f| f.split(['.', '[']).next().unwrap_or(f));
            let span = match first.map(|field| value(line, field)) {
                Some(span) if !span.is_empty() => span,
                _ => error.column.saturating_sub(1)..error.column.max(1),
            };
            let field = error.field.as_ref().map(|f| format!("field `{f}`: ")).unwrap_or_default();
            (span, format!("{field}{}", error.words()))
        }
        LineProblem::LongText { field, .. } | LineProblem::LongList { field, .. } => {
            (key(line, field), problem.to_string())
        }
        _ => (0..1, problem.to_string()),
    };
    source.diagnostic_on(number, span, message).rephrased()
}

/// Returns the bytes of a key with its quotes, or the line's first byte if the key is missing.
fn key(line: &str, name: &str) -> Range<usize> {
    let quoted = format!("\"{name}\"");
    // A value may be the same word: a key is followed by a colon.
    let is_key =
        |at: &usize| line.get(at + quoted.len()..).is_some_and(|rest| rest.trim_start().starts_with(':'));
    match line.match_indices(&quoted).map(|(at, _)| at).find(is_key) {
        Some(at) => at..at + quoted.len(),
        None => 0..1,
    }
}

/// Returns the bytes of a key's value; empty if the key is missing.
fn value(line: &str, name: &str) -> Range<usize> {
    let key = key(line, name);
    if key == (0..1) {
        return 0..0;
    }
    let rest = line.get(key.end..).unwrap_or_default();
    let written = rest.split_once(':').map_or(rest, |(_, written)| written).trim_start();
    let start = line.len() - written.len();
    let mut read = serde_json::Deserializer::from_str(written).into_iter::<Value>();
    match read.next() {
        Some(Ok(_)) => start..start + read.byte_offset(),
        _ => key,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_key_is_refused_and_keys_of_the_game_are_skipped() {
        let checked = |line: &str| {
            let source = SourceFile { path: "day.jsonl".into(), text: line.to_owned() };
            check_keys(&source, 1, line)
        };
        assert_eq!(checked(r#"{"npc_tags":["guard"],"weather":"rain"}"#), Ok(()));
        let refused = checked(r#"{"npc_tag":["guard"]}"#).unwrap_err();
        assert_eq!(refused.label, "did you mean `npc_tags`?");
    }
}

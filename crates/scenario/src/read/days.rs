//! Reading the memories of a scenario's days.

use std::{
    collections::BTreeSet,
    ops::Range,
    path::{Component, Path},
};

use nightfold_formats::jsonl::{LineProblem, check_bounds, parse};
use nightfold_memory::{InputConfig, Memory, NpcId, ValidConfig};
use serde::Deserialize;
use serde_json::{Map, Value};
use toml::Spanned;

use super::{
    script::{Script, read_bounded},
    worded::{meant, worded},
};
use crate::{
    mistake::{Mistake, Source},
    nearest::{distance, nearest},
};

/// After so many bad lines a file is not read on.
const BAD_LINES: usize = 20;

/// The keys of a memory's line.
const KEYS: [&str; 14] = [
    "id",
    "npc",
    "at",
    "timestamp",
    "kind",
    "text",
    "importance",
    "actors",
    "tags",
    "pinned",
    "place",
    "emotion",
    "sources",
    "vector",
];

/// A file of a day, with what stands on which line.
pub(super) struct DayFile {
    pub(super) source: Source,
    pub(super) memories: Vec<(usize, Memory)>,
}

/// What stands beside a memory in a file of labels.
#[derive(Debug, Deserialize)]
struct Label {
    npc: String,
    id: String,
    #[expect(dead_code, reason = "it must be there, and is read by who measures")]
    theme: String,
}

/// The files of each `[[days]]` table.
pub(super) fn read(script: &Script, config: &ValidConfig, mistakes: &mut Vec<Mistake>) -> Vec<Vec<DayFile>> {
    let mut days = Vec::new();
    for table in &script.file.days {
        let mut files = Vec::new();
        for path in &table.file.items {
            match source_of(script, path, config) {
                Ok(source) => files.push(memories(script, source, &config.input, mistakes)),
                Err(mistake) => mistakes.push(mistake),
            }
        }
        if let Some(path) = &table.labels {
            match source_of(script, path, config) {
                Ok(source) => check_labels(&source, &files, mistakes),
                Err(mistake) => mistakes.push(mistake),
            }
        }
        days.push(files);
    }
    days
}

fn source_of(script: &Script, path: &Spanned<String>, config: &ValidConfig) -> Result<Source, Mistake> {
    let relative = Path::new(path.get_ref());
    let stays = relative.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    if !stays || path.get_ref().is_empty() {
        let what = format!("{:?} leads out of the scenario's folder", path.get_ref());
        return Err(script
            .source
            .mistake(path.span(), what)
            .help("give a path inside it, such as \"days/1.jsonl\""));
    }
    let whole = script.folder.join(relative);
    if !whole.exists() {
        let what = format!("there is no file {:?}", path.get_ref());
        return Err(script
            .source
            .mistake(path.span(), what)
            .label(meant(path.get_ref(), &beside(script, relative))));
    }
    let text = read_bounded(&whole, config.replay.max_day_bytes, "replay.max_day_bytes")?;
    Ok(Source { path: whole, text })
}

/// The files of the folder that a path names, as that path would name them.
fn beside(script: &Script, path: &Path) -> Vec<String> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let Ok(entries) = script.folder.join(folder).read_dir() else { return Vec::new() };
    let mut names: Vec<String> = entries
        .filter_map(|entry| Some(folder.join(entry.ok()?.file_name()).to_string_lossy().into_owned()))
        .collect();
    names.sort();
    names
}

fn memories(script: &Script, source: Source, limits: &InputConfig, mistakes: &mut Vec<Mistake>) -> DayFile {
    let mut memories = Vec::new();
    let mut bad = 0;
    for (number, line) in (1..).zip(source.text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        match memory(&source, number, line, limits) {
            Ok(memory) => memories.push((number, memory)),
            Err(mistake) => {
                mistakes.push(mistake);
                bad += 1;
            }
        }
        if bad == BAD_LINES {
            break;
        }
    }
    check_npcs(script, &source, &memories, mistakes);
    if memories.is_empty() && bad == 0 {
        mistakes
            .push(Mistake::of_file(&source.path, "holds no memories").help("write one JSON object a line"));
    }
    DayFile { source, memories }
}

fn memory(source: &Source, number: usize, line: &str, limits: &InputConfig) -> Result<Memory, Mistake> {
    if line.len() > limits.max_line_bytes {
        let problem = LineProblem::LongLine { most: limits.max_line_bytes };
        return Err(source.mistake_on(number, 0..1, problem.to_string()));
    }
    check_keys(source, number, line)?;
    let memory: Memory = parse(line).map_err(|error| of_line(source, number, line, &error.into()))?;
    check_bounds(&memory, limits).map_err(|problem| of_line(source, number, line, &problem))?;
    if memory.vector.is_some() {
        let what = "a scenario embeds its texts itself";
        return Err(source.mistake_on(number, key(line, "vector"), what).label("leave this out"));
    }
    Ok(memory)
}

/// Every memory is somebody's of the story. A stranger is told of once.
fn check_npcs(script: &Script, source: &Source, memories: &[(usize, Memory)], mistakes: &mut Vec<Mistake>) {
    let names: Vec<&str> = script.file.npcs.keys().map(NpcId::as_str).collect();
    let mut strangers = BTreeSet::new();
    for (number, memory) in memories {
        if script.file.npcs.contains_key(&memory.npc) || !strangers.insert(&memory.npc) {
            continue;
        }
        let what = format!("the scenario has no NPC of the name `{}`", memory.npc);
        let mistake = source
            .mistake_on(*number, value(source.line(*number), "npc"), what)
            .label(meant(memory.npc.as_str(), &names))
            .help(format!("[npcs] of {} names everybody", script.source.path.display()));
        mistakes.push(mistake);
    }
}

/// Games write keys of their own; one that is nearly ours is a slip.
fn check_keys(source: &Source, number: usize, line: &str) -> Result<(), Mistake> {
    let Ok(keys) = serde_json::from_str::<Map<String, Value>>(line) else { return Ok(()) };
    for given in keys.keys().filter(|given| !KEYS.contains(&given.as_str())) {
        let meant = nearest(given, &KEYS).filter(|near| {
            // Two slips make any two short words of each other.
            let short = given.chars().count().max(near.len()) <= 5;
            !short || distance(given, near) <= 1
        });
        if let Some(near) = meant {
            let what = format!("there is no key `{given}` in a memory");
            return Err(source
                .mistake_on(number, key(line, given), what)
                .label(format!("did you mean `{near}`?"))
                .help("keys of the game's own are passed over, but this one is nearly one of ours"));
        }
    }
    Ok(())
}

/// A line's problem at the field it is about.
fn of_line(source: &Source, number: usize, line: &str, problem: &LineProblem) -> Mistake {
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
    let worded_at = message.find("unknown ").or_else(|| message.find("missing "));
    let (before, rest) = worded_at.and_then(|at| message.split_at_checked(at)).unwrap_or((&message, ""));
    if rest.is_empty() {
        return source.mistake_on(number, span, before);
    }
    let worded = worded(rest);
    let mistake = source.mistake_on(number, span, format!("{before}{}", worded.what()));
    worded.give(mistake)
}

/// The bytes of a key with its quotes; the line's first byte where it is not there.
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

/// The bytes of a key's value; empty where the key is not there.
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

/// Labels stand beside the memories: as many, in the same order.
fn check_labels(source: &Source, files: &[DayFile], mistakes: &mut Vec<Mistake>) {
    let memories: Vec<&Memory> = files.iter().flat_map(|f| f.memories.iter().map(|(_, m)| m)).collect();
    let lines = (1..).zip(source.text.lines()).filter(|(_, line)| !line.trim().is_empty());
    for ((number, line), memory) in lines.clone().zip(&memories) {
        let wrong = match parse::<Label>(line) {
            Err(error) => Some(of_line(source, number, line, &error.into())),
            Ok(label) if label.npc != memory.npc.as_str() || label.id != memory.id.as_str() => {
                let what = format!("the memory of this label is {} of {}", memory.id, memory.npc);
                Some(source.mistake_on(number, value(line, "id"), what))
            }
            Ok(_) => None,
        };
        if let Some(mistake) = wrong {
            // Where one line was left out all later ones are wrong.
            mistakes.push(mistake);
            return;
        }
    }
    let given = lines.count();
    if given != memories.len() {
        let what = format!("holds {given} labels for {} memories", memories.len());
        mistakes.push(Mistake::of_file(&source.path, what).help("give each memory one, in the same order"));
    }
}

//! Days of NPCs with a hand-labelled theme for every memory, such as `scenarios/riverbend`.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    fs,
    path::Path,
};

use nightfold_memory::{GameTime, Memory, MemoryId, NpcId};
use serde::Deserialize;

use super::{
    DataError,
    file::{TextFile, not_read},
};

/// Memory with a theme given by people.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelledMemory {
    /// Memory as recorded by the game.
    pub memory: Memory,
    /// Theme of the memory.
    pub theme: String,
}

/// Memories of one NPC on one day.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelledDay {
    /// Name of the NPC.
    pub npc: NpcId,
    /// Number of the day: the name of its file without the extension.
    pub day: String,
    /// Memories in the order of the file; at least one.
    pub memories: Vec<LabelledMemory>,
}

#[derive(Deserialize)]
struct ThemeLabelLine {
    npc: NpcId,
    id: MemoryId,
    at: GameTime,
    theme: String,
}

/// Reads the days of a scenario, ordered by the number of the day, then by the name of the NPC.
///
/// `days/N.jsonl` in `dir` holds the memories of day N, of any NPCs; `labels/N.jsonl` holds `{npc, id, at,
/// theme}` for each, in the same order. Ids may repeat: the order counts, and npc, id and at confirm it.
///
/// # Errors
/// [`DataError`] if a day has memories but no labels or labels but no memories; if a file has a
/// line that is no memory or no label, or is not named by a number; if a label belongs to another memory; or
/// if there is no memory at all.
pub fn scenario(dir: &Path) -> Result<Vec<LabelledDay>, DataError> {
    // Days present in only one folder are read from both, and so reported as missing.
    let mut days = days_in(dir, "days")?;
    days.append(&mut days_in(dir, "labels")?);
    let mut labelled = Vec::new();
    for (_, day) in days {
        for (npc, memories) in one_day(dir, &day)? {
            labelled.push(LabelledDay { npc, day: day.clone(), memories });
        }
    }
    if labelled.is_empty() {
        return Err(DataError::empty(dir));
    }
    Ok(labelled)
}

/// Returns the days of a folder, each with its number: day 2 comes before day 10.
fn days_in(dir: &Path, folder: &str) -> Result<BTreeSet<(u64, String)>, DataError> {
    let unread = |source| not_read(dir, folder, source);
    let mut days = BTreeSet::new();
    for entry in fs::read_dir(dir.join(folder)).map_err(unread)? {
        let path = entry.map_err(unread)?.path();
        if path.extension() != Some(OsStr::new("jsonl")) {
            continue;
        }
        let day = path.file_stem().and_then(OsStr::to_str);
        let Some((number, day)) = day.and_then(|day| Some((day.parse().ok()?, day.to_owned()))) else {
            let problem = "a day is named by a whole number, such as 1.jsonl".to_owned();
            return Err(DataError::File { path, problem });
        };
        days.insert((number, day));
    }
    Ok(days)
}

fn one_day(dir: &Path, day: &str) -> Result<BTreeMap<NpcId, Vec<LabelledMemory>>, DataError> {
    let days = TextFile::read(dir, &format!("days/{day}.jsonl"))?;
    let labels = TextFile::read(dir, &format!("labels/{day}.jsonl"))?;
    let memories: Vec<(usize, Memory)> = days.jsonl()?;
    let themes: Vec<(usize, ThemeLabelLine)> = labels.jsonl()?;
    let (given, expected) = (themes.len(), memories.len());

    let mut by_npc: BTreeMap<NpcId, Vec<LabelledMemory>> = BTreeMap::new();
    for ((_, memory), (line, label)) in memories.into_iter().zip(themes) {
        if let Some((field, label, memory)) = difference(&label, &memory) {
            let days = days.path.display();
            let problem =
                format!("field `{field}` is {label:?}; the memory beside it in {days} has {memory:?}");
            return Err(labels.wrong(line, problem));
        }
        let labelled = LabelledMemory { memory, theme: label.theme };
        by_npc.entry(label.npc).or_default().push(labelled);
    }
    // Checked last: if a line is missing in the middle, the first mismatch is more informative.
    if given != expected {
        let problem = format!("{given} labels for the {expected} memories of {}", days.path.display());
        return Err(DataError::File { path: labels.path, problem });
    }
    Ok(by_npc)
}

/// Returns the first field in which a label and a memory differ, with both values.
fn difference(label: &ThemeLabelLine, memory: &Memory) -> Option<(&'static str, String, String)> {
    if label.npc != memory.npc {
        Some(("npc", label.npc.to_string(), memory.npc.to_string()))
    } else if label.id != memory.id {
        Some(("id", label.id.to_string(), memory.id.to_string()))
    } else if label.at != memory.at {
        Some(("at", label.at.to_string(), memory.at.to_string()))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{super::fixture::folder, *};

    fn memory(npc: &str, id: &str, at: u32) -> String {
        format!(r#"{{"npc":"{npc}","id":"{id}","at":{at},"kind":"event","text":"t"}}"#)
    }

    fn label(npc: &str, id: &str, at: u32, theme: &str) -> String {
        format!(r#"{{"npc":"{npc}","id":"{id}","at":{at},"theme":"{theme}"}}"#)
    }

    fn read(files: &[(&str, Vec<String>)]) -> Result<Vec<LabelledDay>, DataError> {
        let files: Vec<_> = files.iter().map(|(file, lines)| (*file, lines.join("\n"))).collect();
        let files: Vec<_> = files.iter().map(|(file, text)| (*file, text.as_str())).collect();
        scenario(folder(&files).path())
    }

    fn one(memories: Vec<String>, labels: Vec<String>) -> String {
        read(&[("days/1.jsonl", memories), ("labels/1.jsonl", labels)]).unwrap_err().to_string()
    }

    #[test]
    fn memories_are_grouped_by_day_and_npc_with_day_2_before_day_10() {
        let days = read(&[
            ("days/10.jsonl", vec![memory("Tom", "t", 9)]),
            ("labels/10.jsonl", vec![label("Tom", "t", 9, "feud")]),
            ("days/2.jsonl", vec![memory("Tom", "t", 1), memory("Mara", "m", 3), memory("Tom", "t", 2)]),
            (
                "labels/2.jsonl",
                vec![
                    label("Tom", "t", 1, "idle"),
                    label("Mara", "m", 3, "inn-work"),
                    label("Tom", "t", 2, "feud"),
                ],
            ),
            ("days/notes.txt", vec!["no day".to_owned()]),
        ])
        .unwrap();
        let told: Vec<_> = days
            .iter()
            .map(|day| {
                let themes: Vec<_> = day.memories.iter().map(|m| m.theme.as_str()).collect();
                (day.day.as_str(), day.npc.as_str(), themes)
            })
            .collect();
        let expected = [
            ("2", "Mara", vec!["inn-work"]),
            ("2", "Tom", vec!["idle", "feud"]),
            ("10", "Tom", vec!["feud"]),
        ];
        assert_eq!(told, expected);
        assert_eq!(days[1].memories[1].memory.at.seconds(), 2);
    }

    #[test]
    fn label_of_another_memory_is_reported_with_both_values() {
        let memories = || vec![memory("Tom", "a", 1), memory("Tom", "b", 2)];
        for (second, expected) in [
            (label("Mara", "b", 2, "x"), r#"field `npc` is "Mara"; the memory beside it in "#),
            (label("Tom", "c", 2, "x"), r#"field `id` is "c"; the memory beside it in "#),
            (label("Tom", "b", 3, "x"), r#"field `at` is "3"; the memory beside it in "#),
        ] {
            let error = one(memories(), vec![label("Tom", "a", 1, "x"), second]);
            assert!(error.contains("1.jsonl:2: ") && error.contains(expected), "{error}");
        }
        let error = one(memories(), vec![label("Tom", "b", 2, "x")]);
        assert!(
            error.contains(r#"1.jsonl:1: field `id` is "b""#) && error.ends_with(r#"has "a""#),
            "{error}"
        );
    }

    #[test]
    fn too_few_or_too_many_labels_are_an_error() {
        let (m, l) = (memory("Tom", "a", 1), label("Tom", "a", 1, "x"));
        let error = one(vec![m.clone(), m.clone()], vec![l.clone()]);
        assert!(error.contains(": 1 labels for the 2 memories of "), "{error}");
        let error = one(vec![m], vec![l.clone(), l]);
        assert!(error.contains(": 2 labels for the 1 memories of "), "{error}");
    }

    #[test]
    fn day_without_labels_and_labels_without_day_are_errors() {
        let (m, l) = (vec![memory("Tom", "a", 1)], vec![label("Tom", "a", 1, "x")]);
        let whole = [("days/1.jsonl", m.clone()), ("labels/1.jsonl", l.clone())];
        for (extra, missing) in
            [(("days/2.jsonl", m), "labels/2.jsonl"), (("labels/2.jsonl", l), "days/2.jsonl")]
        {
            let error = read(&[&whole[..], &[extra]].concat()).unwrap_err().to_string();
            assert!(error.starts_with(&format!("there is no {missing} in ")), "{error}");
        }
        assert!(read(&[]).unwrap_err().to_string().starts_with("there is no days in "));
    }

    #[test]
    fn bad_memory_line_and_bad_day_name_are_reported() {
        let broken = vec![memory("Tom", "a", 1).replace("event", "dream")];
        let error = read(&[("days/1.jsonl", broken), ("labels/1.jsonl", vec![])]).unwrap_err();
        let DataError::Json { line, source, .. } = error else { panic!("{error:?}") };
        assert_eq!((line, source.field.as_deref()), (1, Some("kind")));

        let named = read(&[("days/monday.jsonl", vec![]), ("labels/1.jsonl", vec![])]).unwrap_err();
        assert!(named.to_string().contains("monday.jsonl: a day is named by a whole number"), "{named}");
    }

    #[test]
    fn scenario_without_memories_is_an_error() {
        let empty = read(&[("days/1.jsonl", vec![]), ("labels/1.jsonl", vec![])]);
        assert!(matches!(empty, Err(DataError::File { .. })));
    }
}

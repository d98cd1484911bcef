//! Days of NPCs with a hand-labelled theme for every memory, such as `scenarios/riverbend`.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context as _, Result, ensure};
use nightfold_memory::{GameTime, Memory, MemoryId, NpcId};
use serde::Deserialize;

use super::TextFile;

/// Memories of one NPC on one day, in the order of the file, each with its theme.
pub(crate) type LabelledDay = Vec<(Memory, String)>;

#[derive(Deserialize)]
struct ThemeLabel {
    npc: NpcId,
    id: MemoryId,
    at: GameTime,
    theme: String,
}

/// Reads the days of a scenario, ordered by the name of their file, then by the name of the NPC.
///
/// `labels/N.jsonl` in `dir` holds `{npc, id, at, theme}` for each memory of `days/N.jsonl`, in the same order. Ids may
/// repeat: the order counts, and npc, id and at confirm it.
///
/// # Errors
/// A file is missing or of another shape, or a label belongs to another memory.
pub(crate) fn labelled_days(dir: &Path) -> Result<Vec<LabelledDay>> {
    let labels = dir.join("labels");
    let entries = fs::read_dir(&labels).with_context(|| labels.display().to_string())?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    files.sort();
    let mut labelled = Vec::new();
    for file in files {
        let themes: Vec<ThemeLabel> = TextFile::read(&file)?.some_lines()?;
        let days = dir.join("days").join(file.file_name().unwrap_or_default());
        let memories: Vec<Memory> = TextFile::read(&days)?.lines()?;
        let fits = |(label, memory): (&ThemeLabel, &Memory)| {
            (&label.npc, &label.id, label.at) == (&memory.npc, &memory.id, memory.at)
        };
        let fitting = themes.iter().zip(&memories).take_while(|pair| fits(*pair)).count();
        ensure!(
            fitting == themes.len() && fitting == memories.len(),
            "{}:{}: this label is not that of the memory beside it in {}",
            file.display(),
            fitting + 1,
            days.display()
        );
        let mut by_npc: BTreeMap<NpcId, LabelledDay> = BTreeMap::new();
        for (label, memory) in themes.into_iter().zip(memories) {
            by_npc.entry(label.npc).or_default().push((memory, label.theme));
        }
        labelled.extend(by_npc.into_values());
    }
    Ok(labelled)
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

    fn read(memories: &[String], labels: &[String]) -> Result<Vec<LabelledDay>> {
        let files = [("days/1.jsonl", memories.join("\n")), ("labels/1.jsonl", labels.join("\n"))];
        labelled_days(folder(&files.each_ref().map(|(file, text)| (*file, text.as_str()))).path())
    }

    #[test]
    fn memories_are_grouped_by_npc() {
        let memories = [memory("Tom", "t", 1), memory("Mara", "m", 3), memory("Tom", "t", 2)];
        let labels =
            [label("Tom", "t", 1, "idle"), label("Mara", "m", 3, "inn"), label("Tom", "t", 2, "feud")];
        let days = read(&memories, &labels).unwrap();
        let told: Vec<Vec<_>> = days
            .iter()
            .map(|day| day.iter().map(|(m, theme)| (m.at.seconds(), theme.as_str())).collect())
            .collect();
        assert_eq!(told, [vec![(3, "inn")], vec![(1, "idle"), (2, "feud")]]);
    }

    #[test]
    fn label_of_another_memory_is_an_error() {
        let (a, b) = (memory("Tom", "a", 1), memory("Tom", "b", 2));
        let first = label("Tom", "a", 1, "x");
        let second = [label("Mara", "b", 2, "x"), label("Tom", "c", 2, "x"), label("Tom", "b", 3, "x")];
        for labels in
            second.map(|second| vec![first.clone(), second]).into_iter().chain([vec![first.clone()]])
        {
            let error = read(&[a.clone(), b.clone()], &labels).unwrap_err().to_string();
            assert!(error.contains("labels/1.jsonl:2: "), "{error}");
        }
        assert!(read(&[], &[]).unwrap_err().to_string().ends_with("nothing there is labelled"));
    }
}

//! Sets of natural language inference, as far as they are kept for test.

use std::path::{Path, PathBuf};

use nightfold_memory::Stance;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::{DataError, LabelledPair, LabelledPairs, file::TextFile};

/// The sets that the stance model is trained on; of these a seventh is kept for test.
const TRAINED_ON: &str = include_str!("../../../../training/stance/sets.tsv");

/// One part in so many of a set that is trained on is kept for test.
const KEPT_PART: u64 = 7;

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Label {
    Entailment,
    Contradiction,
    Neutral,
    Paraphrase,
    NotParaphrase,
}

#[derive(Deserialize)]
struct Line {
    a: String,
    b: String,
    label: Label,
    lang: Option<String>,
    #[serde(default)]
    split: String,
}

/// Every set below `dir` (or `nli` in it), in order of name: folders with a file `pairs.jsonl`, each line with texts `a` and
/// `b` and a `label`. The `split` of a line is the category of its pair.
/// English pairs alone; of sets that the stance model is trained on the part that it has not seen.
///
/// # Errors
/// [`DataError`] when there is no such folder, or a file is too large or not of this form.
pub fn inference_sets(dir: &Path) -> Result<Vec<LabelledPairs>, DataError> {
    let inner = dir.join("nli");
    let dir = if inner.is_dir() { inner } else { dir.to_owned() };
    let missing = || DataError::Missing { dir: dir.clone(), file: "pairs.jsonl".to_owned() };
    let folders = std::fs::read_dir(&dir).map_err(|_| missing())?;
    let mut folders: Vec<PathBuf> = folders
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("pairs.jsonl").is_file())
        .collect();
    folders.sort();
    let mut sets = Vec::new();
    for folder in folders {
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let trained = trained_on().any(|set| set == name);
        let file = TextFile::read(&folder, "pairs.jsonl")?;
        let lines: Vec<(usize, Line)> = file.jsonl()?;
        let pairs: Vec<LabelledPair> = lines
            .into_iter()
            .filter(|(_, line)| line.lang.as_deref().is_none_or(|lang| lang == "en"))
            .filter(|(_, line)| !trained || is_kept_for_test(&line.a))
            .filter(|(_, line)| !line.a.trim().is_empty() && !line.b.trim().is_empty())
            .map(|(_, line)| LabelledPair {
                a: line.a,
                b: line.b,
                stance: match line.label {
                    Label::Entailment | Label::Paraphrase => Stance::Same,
                    Label::Contradiction => Stance::Contradiction,
                    Label::Neutral | Label::NotParaphrase => Stance::Unrelated,
                },
                family: String::new(),
                category: line.split,
                cosine: None,
            })
            .collect();
        if !pairs.is_empty() {
            sets.push(LabelledPairs { name, pairs });
        }
    }
    if sets.is_empty() { Err(missing()) } else { Ok(sets) }
}

/// Names of the sets that are trained on.
fn trained_on() -> impl Iterator<Item = &'static str> {
    TRAINED_ON.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split('\t').next())
}

/// True if the pairs of a first text are not trained on: as `training/stance/prepare.py` decides it.
fn is_kept_for_test(first: &str) -> bool {
    let digest = Sha256::digest(first);
    let head = [digest[0], digest[1], digest[2], digest[3]];
    u64::from(u32::from_be_bytes(head)) % KEPT_PART == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read_in_english_and_only_unseen_parts_of_those_trained_on() {
        let dir = tempfile::tempdir().unwrap();
        let set = |name: &str, lines: &str| {
            std::fs::create_dir(dir.path().join(name)).unwrap();
            std::fs::write(dir.path().join(name).join("pairs.jsonl"), lines).unwrap();
        };
        let line = |a: usize| format!("{{\"a\":\"text {a}\",\"b\":\"b\",\"label\":\"neutral\"}}\n");
        let many: String = (0..70).map(line).collect();
        set(
            "other",
            &format!("{many}{}", "{\"a\":\"Hund\",\"b\":\"b\",\"label\":\"entailment\",\"lang\":\"de\"}\n"),
        );
        let trained = trained_on().next().unwrap();
        set(trained, &many);
        let sets = inference_sets(dir.path()).unwrap();
        let count = |name: &str| sets.iter().find(|s| s.name == name).unwrap().pairs.len();
        assert_eq!(count("other"), 70);
        assert!((1..30).contains(&count(trained)));
    }
}

//! Data sets of natural language inference, restricted to parts kept for testing.

use std::path::{Path, PathBuf};

use nightfold_memory::Stance;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::{
    DataError, LabelledPair, LabelledPairs,
    file::{TextFile, not_read},
};

/// Names of the sets that the stance model is trained on; a seventh of each is kept for testing.
const TRAINED_ON: &str = include_str!("../../data/stance/sets.tsv");

/// Divisor of the share that is kept for testing in each set used for training: one seventh.
const KEPT_PART: u64 = 7;

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum InferenceLabel {
    Entailment,
    Contradiction,
    Neutral,
    Paraphrase,
    NotParaphrase,
}

#[derive(Deserialize)]
struct InferencePairLine {
    a: String,
    b: String,
    label: InferenceLabel,
    lang: Option<String>,
    #[serde(default)]
    split: String,
}

/// Reads every set below `dir`, in order of name: folders with a file `pairs.jsonl`, each
/// line with texts `a` and `b` and a `label`. The `split` of a line becomes the category of its pair. Only
/// English pairs are read. From sets that the stance model is trained on, only the pairs kept for testing are
/// read.
///
/// # Errors
/// [`DataError`] if there is no such folder, or a file is not of this form.
pub fn inference_sets(dir: &Path) -> Result<Vec<LabelledPairs>, DataError> {
    let folders = std::fs::read_dir(dir).map_err(|source| not_read(dir, "", source))?;
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
        let lines: Vec<(usize, InferencePairLine)> = file.jsonl()?;
        let pairs: Vec<LabelledPair> = lines
            .into_iter()
            .filter(|(_, line)| line.lang.as_deref().is_none_or(|lang| lang == "en"))
            .filter(|(_, line)| !trained || is_kept_for_test(&line.a))
            .filter(|(_, line)| !line.a.trim().is_empty() && !line.b.trim().is_empty())
            .map(|(_, line)| {
                let stance = match line.label {
                    InferenceLabel::Entailment | InferenceLabel::Paraphrase => Stance::Same,
                    InferenceLabel::Contradiction => Stance::Contradiction,
                    InferenceLabel::Neutral | InferenceLabel::NotParaphrase => Stance::Unrelated,
                };
                LabelledPair { category: line.split, ..LabelledPair::new(line.a, line.b, stance) }
            })
            .collect();
        if !pairs.is_empty() {
            sets.push(LabelledPairs { name, pairs });
        }
    }
    if sets.is_empty() { Err(DataError::empty(dir)) } else { Ok(sets) }
}

/// Returns the names of the sets that are trained on.
fn trained_on() -> impl Iterator<Item = &'static str> {
    TRAINED_ON.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split('\t').next())
}

/// True if pairs with this first text are not trained on, as decided by `lab/training/stance/prepare.py`.
fn is_kept_for_test(first: &str) -> bool {
    let digest = Sha256::digest(first);
    let head = [digest[0], digest[1], digest[2], digest[3]];
    u64::from(u32::from_be_bytes(head)) % KEPT_PART == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_english_pairs_and_unseen_parts_of_training_sets_are_read() {
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

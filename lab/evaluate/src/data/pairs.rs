//! Pairs of texts that say the same, contradict each other, or neither.

use std::path::Path;

use anyhow::{Result, ensure};
use nightfold_memory::Stance;
use serde::Deserialize;

use super::TextFile;

/// Pair of texts with its stance.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct LabelledPair {
    /// First text; the older one of two memories.
    pub a: String,
    /// Second text; the newer one of two memories.
    pub b: String,
    /// Stance given by people.
    pub stance: Stance,
    /// Family of the pair, such as a subject or a writer; empty if the data names none. A family is wholly in
    /// one part of the data.
    #[serde(default)]
    pub family: String,
    /// Phenomenon shown by the pair, or the part of the set; empty if the data names none.
    #[serde(default)]
    pub category: String,
    /// Cosine of the vectors, if the data holds it.
    pub cosine: Option<f64>,
}

impl LabelledPair {
    /// Creates a pair without family, category and cosine.
    pub(crate) fn new(a: impl Into<String>, b: impl Into<String>, stance: Stance) -> Self {
        let (family, category) = (String::new(), String::new());
        Self { a: a.into(), b: b.into(), stance, family, category, cosine: None }
    }
}

fn named(label: &str) -> Option<Stance> {
    Stance::ALL.into_iter().find(|stance| stance.as_str() == label)
}

/// Set of pairs that is measured as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelledPairs {
    /// Name of the set in reports.
    pub name: String,
    /// Pairs in the order of their file.
    pub pairs: Vec<LabelledPair>,
}

/// Pairs written for this project: memories, chats and facts of NPCs.
const OWN: &str = include_str!("../../data/stance-pairs.tsv");

/// Parts of the project's own pairs: `dev`, on which the judge is trained; `held`, on which it is only
/// measured; `fresh`, written after its rules were finished. A family of pairs is wholly in one of them.
pub const OWN_SETS: [&str; 3] = ["dev", "held", "fresh"];

/// Pairs of an older and a newer memory, written by hand: those that the stance model is trained on, and
/// those kept for testing, by other authors and of other families; pairs from whole days of other NPCs, of
/// which a model took some for contradictions; and contrast sets, one for choosing thresholds and one kept
/// for testing. Of positions and of contractions the pairs are generated, from words that no training saw.
const OF_MEMORIES: [(&str, &str); 7] = [
    ("memories-train", include_str!("../../data/stance/train.tsv")),
    ("memories-test", include_str!("../../data/stance/test.tsv")),
    ("days-test", include_str!("../../data/stance/days-test.tsv")),
    ("contrasts-dev", include_str!("../../data/stance/contrasts-dev.tsv")),
    ("contrasts-test", include_str!("../../data/stance/contrasts-test.tsv")),
    ("positions-test", include_str!("../../data/stance/positions-test.tsv")),
    ("contractions-test", include_str!("../../data/stance/contractions-test.tsv")),
];

/// Returns the pairs of memories, both those trained on and those kept for testing: family is the subject, category
/// the phenomenon.
///
/// # Errors
/// A line of the program's own data is no pair.
pub(crate) fn memory_pairs() -> Result<Vec<LabelledPairs>> {
    let read = |(name, text): (&str, &str)| {
        let pairs = TextFile::embedded(name, text).cells(|cells| {
            let [family, category, label, older, newer] = *cells else { return None };
            let (family, category) = (family.to_owned(), category.to_owned());
            Some(LabelledPair { family, category, ..LabelledPair::new(older, newer, named(label)?) })
        })?;
        Ok(LabelledPairs { name: name.to_owned(), pairs })
    };
    OF_MEMORIES.into_iter().map(read).collect()
}

/// Returns the part of the project's own pairs called `set`.
///
/// # Errors
/// A line of the program's own data is no pair.
pub fn own_pairs(set: &str) -> Result<LabelledPairs> {
    let pairs = TextFile::embedded("stance-pairs.tsv", OWN).cells(|cells| {
        let [of, family, label, cosine, a, b] = *cells else { return None };
        let (family, cosine) = (family.to_owned(), Some(cosine.parse().ok()?));
        Some((of == set, LabelledPair { family, cosine, ..LabelledPair::new(a, b, named(label)?) }))
    })?;
    let pairs = pairs.into_iter().filter_map(|(is_of_set, pair)| is_of_set.then_some(pair)).collect();
    Ok(LabelledPairs { name: format!("own-{set}"), pairs })
}

/// Reads pairs from a JSONL file. Each line has texts `a` and `b`, the `stance` given by people, and
/// optionally a `family` and a `category`; other fields are skipped.
///
/// # Errors
/// The file is missing or empty, or a line is no pair.
pub(crate) fn labelled_pairs(path: &Path) -> Result<LabelledPairs> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(LabelledPairs { name, pairs: TextFile::read(path)?.some_lines()? })
}

/// Possible names of the files of SICK's parts.
const SICK: [&str; 4] =
    ["SICK_train.txt", "sts_sick2014_SICK_train.txt", "SICK_trial.txt", "sts_sick2014_SICK_trial.txt"];

/// SICK (Marelli et al. 2014), train and trial: sentences that entail or contradict each other, or neither.
///
/// Reads `SICK_train.txt` and `SICK_trial.txt`, tables with tabs below a line of names, in `dir`. A missing part is skipped.
///
/// # Errors
/// Both are missing, or one is no such table.
pub(crate) fn sick(dir: &Path) -> Result<LabelledPairs> {
    let mut pairs = Vec::new();
    for name in SICK {
        let Some(file) = TextFile::find(&dir.join(name))? else { continue };
        let rows = file.cells(|cells| {
            let [_, a, b, _, label] = *cells else { return None };
            let stance = match label {
                "entailment_judgment" => return Some(None),
                "ENTAILMENT" => Stance::Same,
                "CONTRADICTION" => Stance::Contradiction,
                "NEUTRAL" => Stance::Unrelated,
                _ => return None,
            };
            Some(Some(LabelledPair::new(a, b, stance)))
        })?;
        pairs.extend(rows.into_iter().flatten());
    }
    ensure!(!pairs.is_empty(), "there is no SICK_train.txt in {}", dir.display());
    Ok(LabelledPairs { name: "sick".to_owned(), pairs })
}

#[cfg(test)]
mod tests {
    use nightfold_english::English;
    use nightfold_memory::LanguagePack as _;
    use std::collections::BTreeSet;

    use super::{super::fixture::folder, *};

    #[test]
    fn own_pairs_are_distinct_and_families_stay_in_one_part() {
        let sets = OWN_SETS.map(|set| own_pairs(set).unwrap());
        let all = || sets.iter().flat_map(|s| &s.pairs);
        let lines = all().count();
        assert!(lines >= 300);
        let families = |p: &LabelledPairs| p.pairs.iter().map(|p| p.family.clone()).collect::<BTreeSet<_>>();
        let distinct: usize = sets.iter().map(|s| families(s).len()).sum();
        assert_eq!(sets.iter().flat_map(families).collect::<BTreeSet<_>>().len(), distinct);
        let keys = all().map(|p| (p.a.clone().min(p.b.clone()), p.a.clone().max(p.b.clone())));
        assert_eq!(keys.collect::<BTreeSet<_>>().len(), lines, "a pair that is there twice");
    }

    #[test]
    fn no_own_contradiction_is_judged_the_same() {
        for pair in OWN_SETS.map(|set| own_pairs(set).unwrap()).iter().flat_map(|s| &s.pairs) {
            let judged = English.judge(&pair.a, &pair.b, pair.cosine.unwrap()).stance;
            let merged = judged == Stance::Same && pair.stance == Stance::Contradiction;
            assert!(!merged, "{} / {}", pair.a, pair.b);
        }
    }

    #[test]
    fn users_pairs_are_read_line_by_line() {
        let told = |content: &str| {
            let dir = folder(&[("mine.jsonl", content)]);
            let read = labelled_pairs(&dir.path().join("mine.jsonl"));
            read.map(|set| (set.name, set.pairs.len())).map_err(|e| format!("{e:#}"))
        };
        let line = r#"{"a":"x","b":"y","stance":"contradiction","note":"mine"}"#;
        assert_eq!(told(&format!("{line}\n\n{line}\n")), Ok(("mine.jsonl".to_owned(), 2)));
        for (content, words) in [
            ("", "nothing there is labelled"),
            (r#"{"a":"x","b":"y"}"#, "missing field `stance`"),
            (r#"{"a":"x","b":"y","stance":"maybe"}"#, "field `stance`: there is no `maybe`"),
            ("{", "mine.jsonl:1: "),
        ] {
            let told = told(content).unwrap_err();
            assert!(told.contains(words), "{told}");
        }
    }

    #[test]
    fn parts_of_sick_are_one_set() {
        let told = |content: &str| {
            let read = sick(folder(&[("SICK_trial.txt", content)]).path());
            read.map(|set| set.pairs[0].stance).map_err(|error| error.to_string())
        };
        let header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n";
        let row = "1\tA dog runs\tNo dog runs\t4.5\tCONTRADICTION\n";
        assert_eq!(told(&format!("{header}{row}")), Ok(Stance::Contradiction));
        for (content, said) in [
            ("a\tb\n".to_owned(), "SICK_trial.txt:1: "),
            (format!("{header}1\ta\tb\t1\tMAYBE\n"), "SICK_trial.txt:2: "),
            (header.to_owned(), "there is no SICK_train.txt"),
        ] {
            let told = told(&content).unwrap_err();
            assert!(told.contains(said), "{told}");
        }
    }
}

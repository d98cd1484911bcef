//! Pairs of texts that say the same, contradict each other, or neither.

use std::path::Path;

use nightfold_memory::Stance;
use serde::Deserialize;

use super::{DataError, file::TextFile};

/// Pair of texts with its stance.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelledPair {
    /// First text; the older one of two memories.
    pub a: String,
    /// Second text; the newer one of two memories.
    pub b: String,
    /// Stance given by people.
    pub stance: Stance,
    /// Family of the pair, such as a subject or a writer; empty if the data names none. A family is wholly in
    /// one part of the data.
    pub family: String,
    /// Phenomenon shown by the pair, or the part of the set; empty if the data names none.
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
pub fn memory_pairs() -> [LabelledPairs; 7] {
    OF_MEMORIES.map(|(name, text)| {
        let rows = text.lines().filter(|line| !line.starts_with('#'));
        let pairs = rows.filter_map(|line| match line.split('\t').collect::<Vec<_>>()[..] {
            [family, category, label, older, newer] => Some(LabelledPair {
                family: family.to_owned(),
                category: category.to_owned(),
                ..LabelledPair::new(older, newer, named(label)?)
            }),
            _ => None,
        });
        LabelledPairs { name: name.to_owned(), pairs: pairs.collect() }
    })
}

/// Returns the part of the project's own pairs called `set`.
pub fn own_pairs(set: &str) -> LabelledPairs {
    let rows = OWN.lines().filter(|line| !line.starts_with('#'));
    let pairs = rows.filter_map(|line| match line.split('\t').collect::<Vec<_>>()[..] {
        [of, family, label, cosine, a, b] if of == set => {
            let (family, cosine) = (family.to_owned(), Some(cosine.parse().ok()?));
            Some(LabelledPair { family, cosine, ..LabelledPair::new(a, b, named(label)?) })
        }
        _ => None,
    });
    LabelledPairs { name: format!("own-{set}"), pairs: pairs.collect() }
}

/// Reads pairs from a JSONL file. Each line has texts `a` and `b`, the `stance` given by people, and
/// optionally a `family` and a `category`; other fields are skipped.
///
/// # Errors
/// [`DataError`] names the file, the line and the field that is wrong.
pub fn labelled_pairs(path: &Path) -> Result<LabelledPairs, DataError> {
    #[derive(Deserialize)]
    struct PairLine {
        a: String,
        b: String,
        stance: Stance,
        #[serde(default)]
        family: String,
        #[serde(default)]
        category: String,
    }
    let file = TextFile::at(path)?;
    let pair = |(_, PairLine { a, b, stance, family, category }): (usize, PairLine)| LabelledPair {
        family,
        category,
        ..LabelledPair::new(a, b, stance)
    };
    let pairs: Vec<LabelledPair> = file.jsonl()?.into_iter().map(pair).collect();
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if pairs.is_empty() { Err(DataError::empty(file.path)) } else { Ok(LabelledPairs { name, pairs }) }
}

const SICK_COLUMNS: &str = "pair_ID,sentence_A,sentence_B,relatedness_score,entailment_judgment";
/// Possible names of the files of SICK's parts.
const SICK_PARTS: [[&str; 2]; 2] =
    [["SICK_train.txt", "sts_sick2014_SICK_train.txt"], ["SICK_trial.txt", "sts_sick2014_SICK_trial.txt"]];

/// SICK (Marelli et al. 2014), train and trial: sentences that entail or contradict each other, or neither.
///
/// Reads `SICK_train.txt` and `SICK_trial.txt`, tables with tabs, in `dir`. A missing part is skipped.
///
/// # Errors
/// [`DataError`] if both are missing, or if one is no such table.
pub fn sick(dir: &Path) -> Result<LabelledPairs, DataError> {
    let mut pairs = Vec::new();
    for file in SICK_PARTS.iter().flatten() {
        match TextFile::read(dir, file) {
            Ok(file) => sick_part(&file, &mut pairs)?,
            Err(DataError::Missing { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    if pairs.is_empty() {
        return Err(DataError::Missing { dir: dir.to_owned(), file: SICK_PARTS[0][0].to_owned() });
    }
    Ok(LabelledPairs { name: "sick".to_owned(), pairs })
}

fn sick_part(file: &TextFile, pairs: &mut Vec<LabelledPair>) -> Result<(), DataError> {
    for (line, row) in (1..).zip(file.text().lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let cells: Vec<&str> = row.split('\t').collect();
        let stance = match cells.as_slice() {
            _ if line == 1 && cells.join(",") == SICK_COLUMNS => continue,
            [_, _, _, _, "ENTAILMENT"] => Stance::Same,
            [_, _, _, _, "CONTRADICTION"] => Stance::Contradiction,
            [_, _, _, _, "NEUTRAL"] => Stance::Unrelated,
            _ => return Err(file.wrong(line, format!("not a row of `{SICK_COLUMNS}`"))),
        };
        pairs.push(LabelledPair::new(cells[1], cells[2], stance));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use nightfold_english::English;
    use nightfold_memory::LanguagePack as _;
    use std::collections::BTreeSet;

    use super::{super::fixture::folder, *};

    #[test]
    fn own_pairs_are_distinct_and_families_stay_in_one_part() {
        let sets = OWN_SETS.map(own_pairs);
        let all = || sets.iter().flat_map(|s| &s.pairs);
        let lines = OWN.lines().filter(|l| !l.starts_with('#')).count();
        assert_eq!(all().count(), lines, "a line that cannot be read");
        assert!(lines >= 300);
        let families = |p: &LabelledPairs| p.pairs.iter().map(|p| p.family.clone()).collect::<BTreeSet<_>>();
        let distinct: usize = sets.iter().map(|s| families(s).len()).sum();
        assert_eq!(sets.iter().flat_map(families).collect::<BTreeSet<_>>().len(), distinct);
        let keys = all().map(|p| (p.a.clone().min(p.b.clone()), p.a.clone().max(p.b.clone())));
        assert_eq!(keys.collect::<BTreeSet<_>>().len(), lines, "a pair that is there twice");
    }

    #[test]
    fn no_own_contradiction_is_judged_the_same() {
        for pair in OWN_SETS.map(own_pairs).iter().flat_map(|s| &s.pairs) {
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
            read.map(|set| (set.name, set.pairs.len())).map_err(|e| match std::error::Error::source(&e) {
                Some(source) => format!("{e}: {source}"),
                None => e.to_string(),
            })
        };
        let line = r#"{"a":"x","b":"y","stance":"contradiction","note":"mine"}"#;
        assert_eq!(told(&format!("{line}\n\n{line}\n")), Ok(("mine.jsonl".to_owned(), 2)));
        for (content, words) in [
            ("", "nothing there is labelled"),
            (r#"{"a":"x","b":"y"}"#, "missing field `stance`"),
            (r#"{"a":"x","b":"y","stance":"maybe"}"#, "field `stance`: unknown variant `maybe`"),
            ("{", "mine.jsonl:1: "),
        ] {
            let told = told(content).unwrap_err();
            assert!(told.contains(words), "{told}");
        }
        assert!(matches!(labelled_pairs(Path::new("/nowhere/x.jsonl")), Err(DataError::Missing { .. })));
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
            ("a\tb\n".to_owned(), ":1: not a row of"),
            (format!("{header}1\ta\tb\t1\tMAYBE\n"), ":2: not a row of"),
            (header.to_owned(), "there is no SICK_train.txt"),
        ] {
            let told = told(&content).unwrap_err();
            assert!(told.contains(said), "{told}");
        }
    }
}

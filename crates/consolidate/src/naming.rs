//! Names of groups: the words that distinguish a group of texts from the rest of the day.

use std::collections::BTreeMap;

use nightfold_memory::Analysis;

/// Document frequencies: the number of texts of a day that contain each stem.
#[derive(Debug)]
pub(crate) struct DocumentFrequencies<'a> {
    texts: usize,
    by_stem: BTreeMap<&'a str, usize>,
}

impl<'a> DocumentFrequencies<'a> {
    pub(crate) fn of(day: &'a [Analysis]) -> Self {
        let mut by_stem: BTreeMap<&str, usize> = BTreeMap::new();
        day.iter().flat_map(|text| &text.content).for_each(|stem| *by_stem.entry(stem).or_default() += 1);
        Self { texts: day.len(), by_stem }
    }
}

/// Returns up to `most` words, the most distinctive first: those in many texts of `group` and in few other
/// texts of `day`. Each is spelled as at its first occurrence. Numbers and the words in `apart` are left out.
pub(crate) fn distinctive_terms(
    group: &[(&str, &Analysis)],
    day: &DocumentFrequencies<'_>,
    excluded: &Analysis,
    most: usize,
) -> Vec<String> {
    // Per stem: number of texts that contain it, its first spelling, index of the last such text.
    let mut found: BTreeMap<String, (usize, &str, usize)> = BTreeMap::new();
    for (at, (text, analysis)) in group.iter().enumerate() {
        for token in analysis.tokens.iter().filter(|t| t.names_theme) {
            let stem = token.stem.clone();
            if let Some((inside, _, last)) = found.get_mut(&stem) {
                *inside += usize::from(*last != at);
                *last = at;
            } else if excluded.content.binary_search(&stem).is_err() {
                found.insert(stem, (1, token.word(text), at));
            }
        }
    }
    let mut scored: Vec<(f64, &str)> = found
        .iter()
        .map(|(stem, &(inside, surface, _))| {
            let everywhere = day.by_stem.get(stem.as_str()).copied().unwrap_or(1);
            // Frequent inside, rare outside (tf-idf, Spärck Jones 1972), with documents as the unit.
            let score = inside as f64 * (1.0 + day.texts as f64 / everywhere as f64).ln();
            (score, surface)
        })
        .collect();
    // The map is sorted by stem, and the sort is stable: ties go by stem.
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(most).map(|(_, s)| s.to_owned()).collect()
}

/// Returns the words as a name for `text`: in the order of their first occurrence in it, absent ones last.
pub(crate) fn title(mut terms: Vec<String>, text: &str) -> String {
    terms.sort_by_key(|term| text.find(term.as_str()).unwrap_or(text.len()));
    let name = terms.join(" ");
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Joins words into an id: ASCII letters and digits in lower case, at most 24 of each word.
pub(crate) fn slug(terms: &[String]) -> String {
    let words: Vec<String> = terms
        .iter()
        .map(|t| t.chars().filter(char::is_ascii_alphanumeric).take(24).collect::<String>().to_lowercase())
        .filter(|w| !w.is_empty())
        .collect();
    if words.is_empty() { "memory".to_owned() } else { words.join("-") }
}

#[cfg(test)]
mod tests {
    use nightfold_english::English;
    use nightfold_memory::LanguagePack as _;

    use super::*;

    #[test]
    fn cluster_is_named_by_its_distinctive_words() {
        let day =
            ["Tom shouted about the axle", "Joss paid for the axle", "I swept the room", "I swept the yard"];
        let analyses: Vec<_> = day.iter().map(|t| English.analyze(t, &[])).collect();
        let group: Vec<_> = day[..2].iter().copied().zip(&analyses[..2]).collect();
        let me = English.analyze("Mara Thorne", &[]);
        assert_eq!(distinctive_terms(&group, &DocumentFrequencies::of(&analyses), &me, 1), ["axle"]);
        assert_eq!(
            title(vec!["axle".into(), "silver".into(), "broken".into()], "the broken axle"),
            "Broken axle silver"
        );
        assert_eq!(title(Vec::new(), "the broken axle"), "");
        assert_eq!(slug(&["Joss's".into(), "\u{1b}[31m".into()]), "josss-31m");
    }
}

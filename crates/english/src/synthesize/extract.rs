//! Synthesis by extraction, in any language: what is said is what a memory says, whole and as it was written. How often
//! it was so, and over what span of time, are values of the entry and no words of the text.

use std::{cmp::Reverse, collections::BTreeSet};

use nightfold_memory::{Analysis, SynthesisSource, text::contains_words};

/// Share of the text of the memories that a synthesis may have for a second one of them.
const MAX_SHARE: f64 = 0.6;
/// Minimum number of content words that a second memory adds.
const MIN_NEW_WORDS: usize = 2;
/// Marks that end a value of a status line.
const FIELD_ENDS: [char; 4] = [',', ';', ':', '.'];
/// Sign between the values of a status line, the first one first.
const COURSE: &str = " \u{2192} ";

/// True if the first of two memories stands for the second, whose point it makes if it `covers` it. Of two verbatim ones it
/// has to have its words.
pub(crate) fn stands_for(
    a: &SynthesisSource<'_>,
    b: &SynthesisSource<'_>,
    covers: impl Fn(&Analysis, &Analysis) -> bool,
) -> bool {
    (!b.verbatim || contains_words(a.text, b.text)) && covers(a.analysis, b.analysis)
}

/// Returns the most telling of some memories, in their order: those for which no other one stands, and a second one only
/// if it adds enough for its length.
pub(crate) fn most_telling<'a>(
    sources: &[SynthesisSource<'a>],
    covers: impl Fn(&Analysis, &Analysis) -> bool,
) -> Vec<&'a str> {
    let stands = |by: usize, at: usize| stands_for(&sources[by], &sources[at], &covers);
    let covered = |at: usize| (0..sources.len()).filter(|&other| stands(at, other)).count();
    let mut order: Vec<usize> = (0..sources.len()).collect();
    order.sort_by_cached_key(|&at| {
        let source = &sources[at];
        Reverse((covered(at), source.importance, words(source.analysis), Reverse(at)))
    });
    let mut chosen: Vec<usize> = Vec::new();
    for &at in &order {
        if !chosen.iter().any(|&by| stands(by, at)) {
            chosen.push(at);
        }
    }
    if let &[first] = chosen.as_slice() {
        chosen.extend(second(sources, first, &order));
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|at| sources[at].text.trim()).collect()
}

/// Returns the memory that adds most to the first one, if it adds enough for its length.
fn second(sources: &[SynthesisSource<'_>], first: usize, order: &[usize]) -> Option<usize> {
    let all: usize = sources.iter().map(|source| chars(source.text)).sum();
    let room = ((MAX_SHARE * all as f64) as usize).checked_sub(chars(sources[first].text))?;
    let told: BTreeSet<&String> = sources[first].analysis.content.iter().collect();
    let new = |at: usize| sources[at].analysis.content.iter().filter(|word| !told.contains(word)).count();
    let fits = |at: &usize| *at != first && chars(sources[*at].text) <= room && new(*at) >= MIN_NEW_WORDS;
    // Of those that add as much the most telling one is the last.
    order.iter().rev().copied().filter(fits).max_by_key(|&at| new(at))
}

/// Number of content words, names and numbers counted twice.
fn words(analysis: &Analysis) -> usize {
    analysis.content.len() + analysis.names.len() + analysis.numbers.len()
}

/// True if all content words of the second text are in the first.
pub(crate) fn holds_content(a: &Analysis, b: &Analysis) -> bool {
    !b.content.is_empty() && b.content.iter().all(|word| a.content.binary_search(word).is_ok())
}

/// Returns the readings of a status line as one line, in which each value that changed is given from first to last:
/// "Heron stock: 12 → 9 kegs, 31 loaves".
pub(crate) fn course(readings: &[&str]) -> String {
    let words: Vec<Vec<&str>> = readings.iter().map(|text| text.split_whitespace().collect()).collect();
    let lines: Vec<Vec<&[&str]>> = words
        .iter()
        .map(|words| words.split_inclusive(|word| word.ends_with(FIELD_ENDS)).collect())
        .collect();
    let shortest = lines.iter().map(Vec::len).min().unwrap_or_default();
    let is_same = |at: usize| lines.iter().all(|fields| fields[at] == lines[0][at]);
    let fields = if lines.iter().all(|fields| fields.len() == shortest) {
        shortest
    } else {
        // Without the same fields in all readings, what follows the title is one value.
        (0..shortest).take_while(|&at| is_same(at)).count()
    };
    let mut told: Vec<String> = (0..fields)
        .map(|at| field_course(&lines.iter().map(|fields| fields[at]).collect::<Vec<_>>()))
        .collect();
    let rest: Vec<Vec<&str>> = lines.iter().map(|line| line[fields..].concat()).collect();
    told.push(values(rest.iter().map(Vec::as_slice)));
    told.retain(|field| !field.is_empty());
    told.join(" ")
}

/// Returns a field with the values of its words that changed; the whole field is a value if it has not as many words in
/// each reading.
fn field_course(field: &[&[&str]]) -> String {
    let first = field.first().copied().unwrap_or_default();
    if field.iter().any(|words| words.len() != first.len()) {
        return values(field.iter().copied());
    }
    let is_same = |at: usize| field.iter().all(|words| words[at] == first[at]);
    let mut told: Vec<String> = Vec::new();
    let mut at = 0;
    while at < first.len() {
        let same = is_same(at);
        let end = (at..first.len()).find(|&next| is_same(next) != same).unwrap_or(first.len());
        told.push(values(field.iter().map(|words| &words[at..end])));
        at = end;
    }
    told.join(" ")
}

/// Returns values, each without its repetition, and the mark that ends the last one.
fn values<'a>(all: impl Iterator<Item = &'a [&'a str]>) -> String {
    let mut told: Vec<String> = all.map(|words| words.join(" ")).filter(|value| !value.is_empty()).collect();
    told.dedup_by(|b, a| without_end(a) == without_end(b));
    let last = told.pop();
    let before: Vec<&str> = told.iter().map(|value| without_end(value)).collect();
    before.into_iter().chain(last.as_deref()).collect::<Vec<_>>().join(COURSE)
}

fn without_end(text: &str) -> &str {
    text.trim().trim_end_matches(FIELD_ENDS)
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_are_one_line_with_all_values() {
        for (readings, told) in [
            (
                &["Heron stock: 12 kegs, 31 loaves", "Heron stock: 11 kegs, 9 loaves"][..],
                "Heron stock: 12 \u{2192} 11 kegs, 31 \u{2192} 9 loaves",
            ),
            (
                &["Tally: 4 at the quay, 2 lighters out.", "Tally: 4 at the quay, 1 lighter out."],
                "Tally: 4 at the quay, 2 lighters \u{2192} 1 lighter out.",
            ),
            (
                &["Watch: 0 in, 0 alerts", "Watch: 9 in, 1 alert", "Watch: 14 in, 0 alerts"],
                "Watch: 0 \u{2192} 9 \u{2192} 14 in, 0 alerts \u{2192} 1 alert \u{2192} 0 alerts",
            ),
            (&["Well status: full", "Well status: low, muddy"], "Well status: full \u{2192} low, muddy"),
            (&["Das Tor ist offen.", "Das Tor ist zu."], "Das Tor ist offen \u{2192} zu."),
            (
                &["Oven: cold", "Oven: hot", "Oven: hot", "Oven: cold"],
                "Oven: cold \u{2192} hot \u{2192} cold",
            ),
            (&["", "Oven"], "Oven"),
        ] {
            assert_eq!(course(readings), told);
        }
    }
}

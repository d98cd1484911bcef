//! Templates: lines that are equal except at ephemeral positions.
//!
//! Online template mining (Drain, He et al. 2017) treats lines as alike if most of their words are. Here
//! lines are merged only by position: a position that holds a number, an id, a path, a dotted name or a date
//! is ephemeral, and so is one that has at least three different words in lines that are equal everywhere
//! else. Two words are not enough: open and shut are two states of one door.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use nightfold_memory::text::part;

/// Minimum number of different words at one position of otherwise equal lines for the position to be
/// ephemeral.
const MIN_VALUES: usize = 3;

/// Minimum number of constant words in a template; with fewer, unrelated lines would match.
const MIN_CONSTANT_WORDS: usize = 2;

/// Placeholder of an ephemeral position.
const PLACEHOLDER: &str = "<*>";

const NAMES_OF_TIME: [&str; 19] = [
    "apr", "aug", "dec", "feb", "fri", "jan", "jul", "jun", "mar", "may", "mon", "nov", "oct", "sat", "sep",
    "sun", "thu", "tue", "wed",
];

/// A line split into words and separators, with tokens that look ephemeral replaced.
pub(super) type Skeleton = Vec<String>;

pub(super) fn skeleton(text: &str) -> Skeleton {
    let mut out = Skeleton::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if is_separator(first) {
            push_separator(&mut out, first);
            first.len_utf8()
        } else {
            let length = rest.find(|c: char| c.is_whitespace() || is_separator(c)).unwrap_or(rest.len());
            push_chunk(&mut out, part(rest, ..length));
            length
        };
        rest = part(rest, length..);
    }
    out
}

fn is_separator(c: char) -> bool {
    matches!(c, '=' | ',' | ';' | '(' | ')' | '[' | ']' | '{' | '}' | '"' | '\'' | '|' | '<' | '>')
}

/// Adds a run of text without spaces and brackets: a path or an address as a whole, or words around colons.
fn push_chunk(out: &mut Skeleton, chunk: &str) {
    let named = chunk.chars().any(char::is_alphanumeric);
    if named && chunk.contains(['/', '@']) {
        push_placeholder(out);
        return;
    }
    let mut rest = chunk;
    while let Some(first) = rest.chars().next() {
        let splits = |c: char| matches!(c, ':' | '&' | '#' | '/');
        let length = if splits(first) {
            push_separator(out, first);
            first.len_utf8()
        } else {
            let length = rest.find(splits).unwrap_or(rest.len());
            push_word(out, part(rest, ..length));
            length
        };
        rest = part(rest, length..);
    }
}

fn push_word(out: &mut Skeleton, word: &str) {
    let dotted = word.trim_matches('.').contains('.') && word.contains(char::is_alphabetic);
    let of_time = NAMES_OF_TIME.binary_search(&word.to_lowercase().as_str()).is_ok();
    if word.contains(|c: char| c.is_numeric()) || dotted || of_time {
        push_placeholder(out);
    } else {
        out.push(word.to_owned());
    }
}

/// Adds a placeholder. Adjacent placeholders are merged: `<*>:<*>` and `<*> <*>` are no more specific than
/// `<*>`.
fn push_placeholder(out: &mut Skeleton) {
    let joined = |s: &str| matches!(s, ":" | "/" | "," | "#");
    match out.as_slice() {
        [.., last] if last == PLACEHOLDER => {}
        [.., before, last] if before == PLACEHOLDER && joined(last) => {
            out.pop();
        }
        _ => out.push(PLACEHOLDER.to_owned()),
    }
}

fn push_separator(out: &mut Skeleton, c: char) {
    // Empty brackets count as one of their possible values.
    if matches!(c, ')' | ']' | '}') && out.last().is_some_and(|last| matches!(last.as_str(), "(" | "[" | "{"))
    {
        out.push(PLACEHOLDER.to_owned());
    }
    out.push(c.to_string());
}

/// Returns the template of each of these distinct skeletons: positions with many different words in otherwise
/// equal skeletons are replaced, repeatedly, until none is left.
pub(super) fn templates(skeletons: Vec<Skeleton>) -> Vec<Skeleton> {
    let mut template_of: Vec<usize> = (0..skeletons.len()).collect();
    let mut distinct = skeletons;
    loop {
        let replaced = replace_ephemeral(&distinct);
        if replaced.iter().all(Option::is_none) {
            return template_of.into_iter().map(|at| distinct[at].clone()).collect();
        }
        let mut next: Vec<Skeleton> = Vec::with_capacity(distinct.len());
        let mut known: BTreeMap<Skeleton, usize> = BTreeMap::new();
        let moved: Vec<usize> = distinct
            .into_iter()
            .zip(replaced)
            .map(|(old, new)| {
                let skeleton = new.unwrap_or(old);
                *known.entry(skeleton).or_insert_with_key(|skeleton| {
                    next.push(skeleton.clone());
                    next.len() - 1
                })
            })
            .collect();
        template_of.iter_mut().for_each(|at| *at = moved[*at]);
        distinct = next;
    }
}

/// Runs one round of replacement. Returns the new form of each skeleton that has an ephemeral position;
/// positions with the most values are replaced first.
fn replace_ephemeral(skeletons: &[Skeleton]) -> Vec<Option<Skeleton>> {
    // Grouped by position and the rest of the line.
    let mut alike: BTreeMap<(usize, u64), Vec<usize>> = BTreeMap::new();
    for (at, skeleton) in skeletons.iter().enumerate() {
        let constant = skeleton.iter().filter(|part| is_word(part)).count();
        if constant <= MIN_CONSTANT_WORDS {
            continue;
        }
        // The first word is never replaced, as it names the subject of the line.
        for position in (1..skeleton.len()).filter(|&p| is_word(&skeleton[p])) {
            let mut hasher = DefaultHasher::new();
            (&skeleton[..position], &skeleton[position + 1..]).hash(&mut hasher);
            alike.entry((position, hasher.finish())).or_default().push(at);
        }
    }
    let mut found: Vec<(usize, Vec<usize>)> =
        alike.into_iter().filter(|(_, at)| at.len() >= MIN_VALUES).map(|((p, _), at)| (p, at)).collect();
    found.sort_by(|(p, a), (q, b)| b.len().cmp(&a.len()).then(p.cmp(q)).then(a.cmp(b)));
    let mut replaced: Vec<Option<Skeleton>> = vec![None; skeletons.len()];
    for (position, rows) in found {
        let same_rest = |a: &Skeleton, b: &Skeleton| {
            a.len() == b.len() && a.iter().zip(b).enumerate().all(|(p, (x, y))| p == position || x == y)
        };
        // Hash collisions may group lines that differ.
        if !rows.iter().all(|&row| same_rest(&skeletons[row], &skeletons[rows[0]])) {
            continue;
        }
        for row in rows {
            replaced[row].get_or_insert_with(|| {
                let mut out = Skeleton::new();
                for (p, part) in skeletons[row].iter().enumerate() {
                    if p == position || part == PLACEHOLDER {
                        push_placeholder(&mut out);
                    } else {
                        out.push(part.clone());
                    }
                }
                out
            });
        }
    }
    replaced
}

fn is_word(part: &str) -> bool {
    part != PLACEHOLDER && part.contains(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn templates_of(lines: &[&str]) -> Vec<String> {
        let mut distinct: Vec<Skeleton> = lines.iter().map(|line| skeleton(line)).collect();
        distinct.sort();
        distinct.dedup();
        let found = templates(distinct.clone());
        let template = |line: &&str| {
            let at = distinct.iter().position(|s| *s == skeleton(line)).unwrap();
            found[at].join(" ")
        };
        lines.iter().map(template).collect()
    }

    #[test]
    fn ephemeral_looking_tokens_are_replaced() {
        assert_eq!(
            skeleton("Connection from 10.0.0.7:22 (host.example.org) at Sun Jul 10, /var/log/x.log")
                .join(" "),
            "Connection from <*> ( <*> ) at <*>"
        );
        assert_eq!(skeleton("ws () ready").join(" "), "ws ( <*> ) ready");
    }

    #[test]
    fn three_words_at_one_position_are_values_and_two_are_states() {
        let sessions =
            templates_of(&["session opened for cyrus", "session opened for news", "session opened for test"]);
        assert!(sessions.iter().all(|t| t == "session opened for <*>"), "{sessions:?}");
        let doors = templates_of(&["the gate is open", "the gate is shut"]);
        assert_ne!(doors[0], doors[1]);
        // The first word is never merged, however many values it has.
        let about = templates_of(&["bread is fresh today", "fish is fresh today", "milk is fresh today"]);
        assert_eq!(about[0], "bread is fresh today");
    }
}

//! Templates: lines that are equal except at ephemeral positions.
//!
//! Online template mining (Drain, He et al. 2017) treats lines as alike if most of their words are. Here
//! lines are merged only by position: a position that holds a number, an id, a path, a dotted name or a date
//! is ephemeral, and so is one that has at least three different words in lines that are equal everywhere
//! else. Two words are not enough: open and shut are two states of one door. Nor are a few words each of which
//! comes again and again: what is started, paused and resumed every hour is in one of three states, while one who
//! opens a session is one of many, some of whom come once.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use nightfold_memory::text::part;

/// Minimum number of different words at one position of otherwise equal lines for the position to be
/// ephemeral.
const MIN_VALUES: usize = 3;

/// Maximum number of different words at one position that may be the states of something.
const MAX_STATES: usize = 8;

/// Minimum number of lines with each of these words for them to be states.
const MIN_LINES_OF_A_STATE: usize = 3;

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
            // The first word names the subject of the line.
            let index = if out.is_empty() { 0 } else { index_length(part(rest, length..)) };
            if index > 0 {
                push_placeholder(&mut out);
            } else {
                push_chunk(&mut out, part(rest, ..length));
            }
            length + index
        };
        rest = part(rest, length..);
    }
    out
}

/// Length of a number in brackets that a text begins with, 0 if there is none. A name before it, as in `LOCAL(0)`,
/// is an element of something.
fn index_length(text: &str) -> usize {
    let Some(inside) = text.strip_prefix('(') else { return 0 };
    let digits = inside.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 && part(inside, digits..).starts_with(')') { digits + 2 } else { 0 }
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

/// A distinct skeleton with the number of lines that have it.
#[derive(Debug, Clone)]
pub(super) struct SkeletonLines {
    pub(super) skeleton: Skeleton,
    pub(super) lines: usize,
}

/// Returns the template of each of these distinct skeletons: positions with many different words in otherwise
/// equal skeletons are replaced, repeatedly, until none is left.
pub(super) fn templates(skeletons: Vec<SkeletonLines>) -> Vec<Skeleton> {
    let mut template_of: Vec<usize> = (0..skeletons.len()).collect();
    let mut distinct = skeletons;
    loop {
        let replaced = replace_ephemeral(&distinct);
        if replaced.iter().all(Option::is_none) {
            return template_of.into_iter().map(|at| distinct[at].skeleton.clone()).collect();
        }
        let mut next: Vec<SkeletonLines> = Vec::with_capacity(distinct.len());
        let mut known: BTreeMap<Skeleton, usize> = BTreeMap::new();
        let moved: Vec<usize> = distinct
            .into_iter()
            .zip(replaced)
            .map(|(old, new)| {
                let skeleton = new.unwrap_or(old.skeleton);
                let at = *known.entry(skeleton).or_insert_with_key(|skeleton| {
                    next.push(SkeletonLines { skeleton: skeleton.clone(), lines: 0 });
                    next.len() - 1
                });
                next[at].lines += old.lines;
                at
            })
            .collect();
        template_of.iter_mut().for_each(|at| *at = moved[*at]);
        distinct = next;
    }
}

/// Runs one round of replacement. Returns the new form of each skeleton that has an ephemeral position;
/// positions with the most values are replaced first.
fn replace_ephemeral(skeletons: &[SkeletonLines]) -> Vec<Option<Skeleton>> {
    // Grouped by position and the rest of the line.
    let mut alike: BTreeMap<(usize, u64), Vec<usize>> = BTreeMap::new();
    for (at, SkeletonLines { skeleton, .. }) in skeletons.iter().enumerate() {
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
    let are_states = |rows: &[usize]| {
        rows.len() <= MAX_STATES && rows.iter().all(|&row| skeletons[row].lines >= MIN_LINES_OF_A_STATE)
    };
    let mut found: Vec<(usize, Vec<usize>)> = alike
        .into_iter()
        .filter(|(_, rows)| rows.len() >= MIN_VALUES && !are_states(rows))
        .map(|((position, _), rows)| (position, rows))
        .collect();
    found.sort_by(|(p, a), (q, b)| b.len().cmp(&a.len()).then(p.cmp(q)).then(a.cmp(b)));
    let mut replaced: Vec<Option<Skeleton>> = vec![None; skeletons.len()];
    for (position, rows) in found {
        let same_rest = |a: &Skeleton, b: &Skeleton| {
            a.len() == b.len() && a.iter().zip(b).enumerate().all(|(p, (x, y))| p == position || x == y)
        };
        // Hash collisions may group lines that differ.
        let first = &skeletons[rows[0]].skeleton;
        if !rows.iter().all(|&row| same_rest(&skeletons[row].skeleton, first)) {
            continue;
        }
        for row in rows {
            replaced[row].get_or_insert_with(|| {
                let mut out = Skeleton::new();
                for (p, part) in skeletons[row].skeleton.iter().enumerate() {
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
        let mut counts: BTreeMap<Skeleton, usize> = BTreeMap::new();
        lines.iter().for_each(|line| *counts.entry(skeleton(line)).or_default() += 1);
        let distinct: Vec<SkeletonLines> =
            counts.into_iter().map(|(skeleton, lines)| SkeletonLines { skeleton, lines }).collect();
        let found = templates(distinct.clone());
        let template = |line: &&str| {
            let at = distinct.iter().position(|s| s.skeleton == skeleton(line)).unwrap();
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
        assert_eq!(
            skeleton("synchronized to LOCAL(0), stratum 10").join(" "),
            "synchronized to <*> , stratum <*>"
        );
        assert_eq!(skeleton("LOCAL(0) is up").join(" "), "LOCAL ( <*> ) is up");
        assert_eq!(skeleton("call of f(x) and (7").join(" "), "call of f ( x ) and ( <*>");
    }

    #[test]
    fn three_words_at_one_position_are_values_and_two_are_states() {
        let sessions =
            templates_of(&["session opened for cyrus", "session opened for news", "session opened for test"]);
        assert!(sessions.iter().all(|t| t == "session opened for <*>"), "{sessions:?}");
        let doors = templates_of(&["the gate is open", "the gate is shut"]);
        assert_ne!(doors[0], doors[1]);
        // Each comes again and again: what can be done with a session, not whose it is.
        let acts =
            ["session of the gate started", "session of the gate paused", "session of the gate resumed"];
        let often: Vec<&str> = acts.iter().cycle().take(3 * MIN_LINES_OF_A_STATE).copied().collect();
        assert_eq!(templates_of(&often)[0], acts[0]);
        assert_eq!(templates_of(&often[1..])[0], "session of the gate <*>", "one of them comes twice");
        // The first word is never merged, however many values it has.
        let about = templates_of(&["bread is fresh today", "fish is fresh today", "milk is fresh today"]);
        assert_eq!(about[0], "bread is fresh today");
    }
}

//! Set phrases that show how a text is meant. The lists are data: `data/phrases.txt`.

use std::sync::LazyLock;

/// A class of phrases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PhraseClass {
    /// Phrases that introduce a dream, a lie or a story.
    Fiction,
    /// Mark their clause as wished, feared, asked or only possible.
    Unasserted,
    /// Attribute a text to nobody in particular.
    Rumour,
    /// Attribute a text to somebody else.
    Attribution,
    /// Ask how things are at the moment.
    Present,
    /// Show that somebody is bound by a word given.
    Commitment,
    /// Show that something is owed or lent.
    Debt,
    /// Announce harm.
    Threat,
    /// Show that something is given for good.
    Gift,
    /// Show that something is hidden from others.
    Secret,
}

/// Names of the classes in the file, in the order of the variants.
const NAMES: [&str; 10] = [
    "fiction",
    "unasserted",
    "rumour",
    "attribution",
    "present",
    "commitments",
    "debts",
    "threats",
    "gifts",
    "secrets",
];

static PHRASES: LazyLock<[Vec<String>; NAMES.len()]> = LazyLock::new(|| {
    let mut phrases: [Vec<String>; NAMES.len()] = Default::default();
    let mut class = 0;
    let lines = include_str!("../../data/phrases.txt").lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix('[').map(|name| name.trim_end_matches(']')) {
            Some(name) => class = NAMES.iter().position(|known| *known == name).unwrap_or_default(),
            None => phrases[class].push(format!(" {line} ")),
        }
    }
    phrases
});

impl PhraseClass {
    /// True if a phrase of the class occurs among words in lower case, with one space around each.
    pub(crate) fn occurs_in(self, spaced: &str) -> bool {
        PHRASES[self as usize].iter().any(|phrase| spaced.contains(phrase.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_read_from_file() {
        let file = include_str!("../../data/phrases.txt");
        let named: Vec<&str> =
            file.lines().filter_map(|l| l.strip_prefix('[')).map(|l| l.trim_end_matches(']')).collect();
        assert_eq!(named, NAMES);
        assert_eq!(PhraseClass::Secret as usize, NAMES.len() - 1);
        assert!(PHRASES.iter().all(|phrases| phrases.len() > 10));
        assert!(PhraseClass::Rumour.occurs_in(" word is the gate is shut "));
        assert!(!PhraseClass::Rumour.occurs_in(" a sword is missing "), "only whole words");
    }
}

//! Names of NPCs that look alike, as a slip of the keyboard or a player's trick makes them: they are different NPCs, each
//! with memories of its own, and nobody sees it.

use std::collections::{BTreeMap, BTreeSet};

use nightfold::memory::NpcId;
use unicode_security::skeleton;

use crate::{logging, plural::count, terminal::clean};

/// Number of pairs that are named; the rest is counted.
const NAMED: usize = 8;

/// Names, with how they look. Takes time in proportion to the number of names.
#[derive(Debug, Default)]
pub(crate) struct ConfusableNames {
    known: BTreeSet<NpcId>,
    /// First name of each look.
    by_look: BTreeMap<String, NpcId>,
    pairs: Vec<(NpcId, NpcId)>,
}

impl ConfusableNames {
    /// Adds a name, and notes it if it looks like another one.
    pub(crate) fn add(&mut self, name: &NpcId) {
        if !self.known.contains(name) {
            self.compare_all(std::slice::from_ref(name));
            self.known.insert(name.clone());
            for look in looks(name) {
                self.by_look.entry(look).or_insert_with(|| name.clone());
            }
        }
    }

    /// Notes the names of a store that look like one that was added. Those that look like each other are none of this
    /// call's.
    pub(crate) fn compare_all(&mut self, names: &[NpcId]) {
        for name in names.iter().filter(|name| !self.known.contains(*name)) {
            if let Some(like) = looks(name).iter().find_map(|look| self.by_look.get(look)) {
                self.pairs.push((like.clone(), name.clone()));
            }
        }
    }

    /// Warns of the pairs that were noted since the last warning.
    pub(crate) fn warn(&mut self) {
        for (one, other) in self.pairs.iter().take(NAMED) {
            logging::note(&format!("warning: {}\n", clean(&difference(one, other))));
        }
        if let more @ 1.. = self.pairs.len().saturating_sub(NAMED) {
            let more = count(more, "more name looks", "more names look");
            logging::note(&format!("warning: {more} like that of another NPC\n"));
        }
        self.pairs.clear();
    }
}

/// Warns of names in a store that look alike.
pub(crate) fn warn_of(names: &[NpcId]) {
    let mut found = ConfusableNames::default();
    names.iter().for_each(|name| found.add(name));
    found.warn();
}

/// Returns how a name looks, as it is and in small letters: names that share one of these look alike.
///
/// The skeleton of UTS 39 takes letters of all scripts for those that they look like, and leaves out what is invisible. It
/// takes a zero for a capital O, so that small letters are compared once more in small letters.
fn looks(name: &NpcId) -> [String; 2] {
    let look = |name: &str| {
        let look: String = skeleton(name).collect();
        look.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    // An id may write a space as an underscore.
    let name = name.as_str().replace('_', " ");
    [look(&name), look(&name.to_lowercase()).to_lowercase()]
}

/// Returns a sentence about two names with the first character in which they differ.
fn difference(one: &NpcId, other: &NpcId) -> String {
    let shared = one.as_str().chars().zip(other.as_str().chars()).take_while(|(a, b)| a == b).count();
    let character = |name: &NpcId| match name.as_str().chars().nth(shared) {
        Some(c) => format!("U+{:04X}", u32::from(c)),
        None => "its end".to_owned(),
    };
    format!(
        "the NPCs `{one}` and `{other}` look alike and are two: character {} is {} and {}",
        shared + 1,
        character(one),
        character(other)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn npc(name: &str) -> NpcId {
        NpcId::new(name).unwrap()
    }

    fn pairs(names: &[&str]) -> Vec<(String, String)> {
        let mut found = ConfusableNames::default();
        names.iter().for_each(|name| found.add(&npc(name)));
        found.pairs.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect()
    }

    #[test]
    fn spaces_case_invisible_characters_and_letters_of_other_scripts_look_alike() {
        for other in [
            "Mara\u{a0}Thorne",
            "Mara  Thorne",
            "mara thorne",
            "Mara Thor\u{200b}ne",
            "M\u{430}ra Thorne",
            "Mara Th\u{3bf}rne",
            "Mara Thome",
            "Mara_Thorne",
            "Mara Th0rne",
        ] {
            assert_eq!(pairs(&["Mara Thorne", "Bran", other, "Bran", other]).len(), 1, "{other:?}");
        }
        assert_eq!(pairs(&["Ida", "lda"]).len(), 1);
        assert_eq!(pairs(&["Jos\u{e9}", "Jose\u{301}"]).len(), 1);
    }

    #[test]
    fn different_names_do_not_look_alike() {
        let names = [
            "Mara",
            "Maro",
            "Mara Thorne",
            "MaraThorn",
            "guard-1",
            "guard-2",
            "guard-11",
            "Мара",
            "麻良",
            "José",
            "Jose",
        ];
        assert_eq!(pairs(&names), []);
    }

    #[test]
    fn names_of_a_store_are_compared_with_those_of_the_input_alone() {
        let mut found = ConfusableNames::default();
        found.add(&npc("Mara"));
        found.compare_all(&["Mara", "M\u{430}ra", "Bran", "bran"].map(npc));
        assert_eq!(found.pairs, [(npc("Mara"), npc("M\u{430}ra"))]);
        let sentence = difference(&found.pairs[0].0, &found.pairs[0].1);
        assert!(sentence.ends_with("look alike and are two: character 2 is U+0061 and U+0430"), "{sentence}");
        assert!(difference(&npc("Mara"), &npc("Mara\u{200b}")).ends_with("is its end and U+200B"));
    }
}

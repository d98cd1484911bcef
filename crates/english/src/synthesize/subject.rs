//! Subjects of memories by grammar: things that are spoken of, without a guess from the words around them.

use nightfold_memory::grammar::{Grammar, Number, PartOfSpeech, Relation};

use crate::{
    lexicon::WordClass,
    text::{Analysis, NounGroup, Token, is_possessive, noun_groups, token_of, words_text},
};

/// Maximum length of the name of a thing, in words.
const MAX_PHRASE_WORDS: usize = 3;

/// A thing as named by a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NounPhrase {
    /// Stem of the noun.
    pub(super) stem: String,
    /// The noun and the words before it, as written.
    pub(super) words: Vec<String>,
    /// Number before it: "14" silver.
    pub(super) number: Option<String>,
    /// Owner: "Odo's" bed, "my" axle.
    pub(super) owner: Option<String>,
    /// Phrase behind it: girls "of twelve".
    pub(super) of_phrase: Option<String>,
    /// True if it has no article: "of feverfew".
    pub(super) without_article: bool,
    /// True if it is the place of an event, and not its subject.
    pub(super) is_place: bool,
    /// True if another mention may name its owner.
    pub(super) owner_open: bool,
    /// Index of its noun among the tokens of the memory.
    pub(super) noun_index: usize,
}

/// True for a determiner behind which another mention may name the owner: "his mark", "the mark".
fn may_have_owner(word: &str) -> bool {
    let mine = WordClass::FirstPerson.has(word);
    word == "the" || WordClass::Demonstrative.has(word) || WordClass::Possessive.has(word) && !mine
}

/// Returns the noun phrases of a memory that name things. `own` is the analysis of the NPC's name.
pub(super) fn noun_phrases(
    text: &str,
    analysis: &Analysis,
    grammar: &Grammar,
    own: &Analysis,
) -> Vec<NounPhrase> {
    let reader = Reader { text, analysis, grammar, own };
    noun_groups(grammar).iter().filter_map(|group| reader.phrase(group)).collect()
}

struct Reader<'a> {
    text: &'a str,
    analysis: &'a Analysis,
    grammar: &'a Grammar,
    own: &'a Analysis,
}

impl Reader<'_> {
    fn token(&self, word: usize) -> Option<&Token> {
        self.analysis.tokens.get(token_of(self.analysis, self.grammar, word)?)
    }

    fn phrase(&self, group: &NounGroup) -> Option<NounPhrase> {
        let noun_index = token_of(self.analysis, self.grammar, group.head)?;
        let head = self.analysis.tokens.get(noun_index)?;
        let word = self.grammar.words().get(group.head)?;
        let is_name = head.capital && self.analysis.names.binary_search(&head.lower).is_ok();
        let names_nothing = !head.names_theme || WordClass::Meal.has(&head.lower);
        if word.part_of_speech() != PartOfSpeech::Noun || is_name || names_nothing || self.describes(group) {
            return None;
        }
        let determiner = group.determiner.and_then(|at| self.token(at)).map(|t| t.lower.as_str());
        let owner = self.owner(group);
        let is_bare = group.number.is_none() && self.is_without_determiner(group);
        let number = group.number.as_ref().map(|number| words_text(self.text, self.grammar, number));
        let words = group.core.start..group.head + 1;
        Some(NounPhrase {
            stem: head.stem.clone(),
            words: words_text(self.text, self.grammar, &words).split(' ').map(str::to_owned).collect(),
            number,
            owner_open: match group.owner.as_ref().and_then(|owner| self.token(owner.start)) {
                Some(possessive) => owner.is_none() && may_have_owner(&possessive.lower),
                None => determiner.is_none_or(may_have_owner),
            },
            owner,
            of_phrase: group.tail.as_ref().map(|tail| words_text(self.text, self.grammar, tail)),
            without_article: is_bare && word.number() != Some(Number::Plural),
            is_place: self.is_place(group),
            noun_index,
        })
    }

    /// True if neither the grammar nor the word before the phrase knows a determiner or owner of it.
    fn is_without_determiner(&self, group: &NounGroup) -> bool {
        let first = token_of(self.analysis, self.grammar, group.core.start);
        let tokens = first.and_then(|first| self.analysis.tokens.get(first.saturating_sub(1)..=first));
        group.determiner.is_none()
            && group.owner.is_none()
            && tokens.unwrap_or_default().iter().all(|token| {
                !WordClass::Determiner.has(&token.lower)
                    && !WordClass::Attributive.has(&token.lower)
                    && !is_possessive(token.written(self.text))
            })
    }

    /// True for a noun that describes somebody: "Ida is a smith" mentions no smith.
    fn describes(&self, group: &NounGroup) -> bool {
        let article = group.determiner.and_then(|at| self.token(at));
        article.is_some_and(|article| matches!(article.lower.as_str(), "a" | "an"))
            && self.grammar.dependents(group.head).any(|(_, word)| word.relation() == Relation::Copula)
    }

    /// True for the place of an event: "at the mill".
    fn is_place(&self, group: &NounGroup) -> bool {
        let mut cases = self
            .grammar
            .dependents(group.head)
            .filter(|(at, word)| word.relation() == Relation::Case && *at < group.head);
        cases.any(|(at, _)| self.token(at).is_some_and(|token| WordClass::Place.has(&token.lower)))
    }

    /// Returns the owner as a text about several memories names it: "my" for the NPC itself, none for "his".
    fn owner(&self, group: &NounGroup) -> Option<String> {
        let owner = group.owner.as_ref()?;
        if group.is_owner_pronoun(self.grammar) {
            let pronoun = self.token(owner.start)?;
            return matches!(pronoun.lower.as_str(), "my" | "our").then(|| pronoun.lower.clone());
        }
        let named = owner.clone().filter_map(|at| self.token(at)).find(|t| t.capital)?;
        let mine = self.own.tokens.iter().any(|own| own.lower == named.lower);
        Some(if mine { "my".to_owned() } else { words_text(self.text, self.grammar, owner) })
    }
}

/// True if these mentions only say where something happened.
pub(super) fn are_all_places(mentions: &[&NounPhrase]) -> bool {
    mentions.iter().all(|t| t.is_place)
}

/// True if these mentions are all amounts: "9 silver" and "14 silver" need not be of one topic.
pub(super) fn are_all_amounts(mentions: &[&NounPhrase]) -> bool {
    mentions.iter().all(|t| t.number.is_some())
}

/// Returns the first value that occurs twice.
fn first_repeated<T: PartialEq + Clone>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut seen: Vec<T> = Vec::new();
    for value in values {
        if seen.contains(&value) {
            return Some(value);
        }
        seen.push(value);
    }
    None
}

/// Returns the name of a thing for a text about several memories; `mentions` come from different ones.
pub(super) fn phrase_for(mentions: &[&NounPhrase]) -> Option<String> {
    let first = mentions.first()?;
    // The longest words that two of them share: "the grey cloak".
    let suffix = |t: &NounPhrase, n: usize| {
        let from = t.words.len().checked_sub(n)?;
        Some(t.words[from..].iter().map(|w| w.to_lowercase()).collect::<Vec<_>>())
    };
    // All mentions must agree: "the chemistry exam" is not "the biology exam".
    let fits = |words: &Vec<String>| {
        mentions.iter().all(|t| {
            let n = words.len().min(t.words.len());
            suffix(t, n).is_some_and(|s| s == words[words.len() - n..])
        })
    };
    let longest = (1..=MAX_PHRASE_WORDS)
        .rev()
        .find_map(|n| first_repeated(mentions.iter().filter_map(|t| suffix(t, n))).filter(fits));
    let lower = longest.unwrap_or_else(|| suffix(first, 1).unwrap_or_default());
    // Names among the words keep their capitals.
    let named = mentions.iter().find_map(|t| {
        let from = t.words.len().checked_sub(lower.len())?;
        let words = &t.words[from..];
        let same = words.iter().zip(&lower).all(|(w, l)| w.to_lowercase() == *l);
        same.then(|| words.join(" "))
    })?;
    // "Joss's mark" if the other mentions only say "his mark".
    let owners = || mentions.iter().filter_map(|t| t.owner.as_ref());
    let owner = owners().next().filter(|one| {
        let same = |o: &String| o.to_lowercase() == one.to_lowercase();
        owners().all(same) && mentions.iter().all(|t| t.owner.is_some() || t.owner_open)
    });
    let number = first_repeated(mentions.iter().filter_map(|t| t.number.clone()));
    // If some mention one and some several, several are meant.
    let plural = |w: &str| w.ends_with('s') && !w.ends_with("ss");
    let last = |t: &NounPhrase| t.words.last().map(|w| w.to_lowercase()).unwrap_or_default();
    let several = mentions.iter().map(|t| last(t)).find(|w| plural(w));
    let named = match several {
        Some(several) if owner.is_none() && number.is_none() && lower.len() == 1 => several,
        _ => named,
    };
    let bare = mentions.iter().any(|t| t.without_article)
        && mentions.iter().all(|t| t.without_article || t.owner_open || t.number.is_none());
    let tail = first_repeated(mentions.iter().filter_map(|t| t.of_phrase.clone()));
    let phrase = match (owner, number) {
        (Some(owner), _) => format!("{owner} {named}"),
        (None, Some(number)) => format!("the {number} {named}"),
        (None, None) if bare && !plural(&named) => named,
        (None, None) => format!("the {named}"),
    };
    Some(tail.map_or_else(|| phrase.clone(), |tail| format!("{phrase} {tail}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{analyze, tagged};

    fn found(text: &str, tags: &str) -> Vec<NounPhrase> {
        let own = analyze("Ida Berg", ["Ida"]);
        let grammar = tagged(text, tags);
        noun_phrases(text, &analyze(text, ["Odo", "Rana"]), &grammar, &own)
    }

    fn named(memories: &[(&str, &str)], stem: &str) -> Option<String> {
        let found: Vec<Vec<NounPhrase>> = memories.iter().map(|(text, tags)| found(text, tags)).collect();
        let mentions: Vec<&NounPhrase> = found.iter().flatten().filter(|t| t.stem == stem).collect();
        phrase_for(&mentions)
    }

    const FEVER: (&str, &str) = (
        "Odo's fever rose.",
        "Odo/PROPN/nmod/3 's/PART/case/1 fever/NOUN/nsubj/4 rose/VERB/root/0 ./PUNCT/punct/4",
    );

    #[test]
    fn owner_is_named_where_other_mentions_leave_it_open() {
        let broke =
            ("His fever broke.", "His/PRON/nmod/2 fever/NOUN/nsubj/3 broke/VERB/root/0 ./PUNCT/punct/3");
        assert_eq!(named(&[FEVER, broke], "fever").unwrap(), "Odo's fever");
        let mine = ("My fever broke.", "My/PRON/nmod/2 fever/NOUN/nsubj/3 broke/VERB/root/0 ./PUNCT/punct/3");
        assert_eq!(named(&[FEVER, mine], "fever").unwrap(), "the fever");
    }

    #[test]
    fn verbs_and_descriptions_are_no_things() {
        assert!(found("She ran away.", "She/PRON/nsubj/2 ran/VERB/root/0 away/ADV/advmod/2").is_empty());
        let smith = "Rana/PROPN/nsubj/4 is/AUX/cop/4 a/DET/det/4 smith/NOUN/root/0";
        assert!(found("Rana is a smith", smith).is_empty());
    }

    #[test]
    fn noun_needs_no_cue() {
        let fed = ("I cut feverfew", "I/PRON/nsubj/2 cut/VERB/root/0 feverfew/NOUN/obj/2");
        let sold = ("We sold feverfew", "We/PRON/nsubj/2 sold/VERB/root/0 feverfew/NOUN/obj/2");
        assert_eq!(named(&[fed, sold], "feverfew").unwrap(), "feverfew");
    }

    #[test]
    fn place_of_an_event_is_no_topic() {
        let tags = "I/PRON/nsubj/2 sat/VERB/root/0 at/ADP/case/5 the/DET/det/5 mill/NOUN/obl/2";
        let found = found("I sat at the mill", tags);
        assert!(are_all_places(&found.iter().collect::<Vec<_>>()));
    }

    #[test]
    fn phrase_is_what_two_memories_share() {
        let kite =
            ("I saw a red kite", "I/PRON/nsubj/2 saw/VERB/root/0 a/DET/det/5 red/ADJ/amod/5 kite/NOUN/obj/2");
        let torn = ("The red kite tore", "The/DET/det/3 red/ADJ/amod/3 kite/NOUN/nsubj/4 tore/VERB/root/0");
        assert_eq!(named(&[kite, torn], "kite").unwrap(), "the red kite");
        let owes =
            ("He owes 12 florins", "He/PRON/nsubj/2 owes/VERB/root/0 12/NUM/nummod/4 florins/NOUN/obj/2");
        let has = ("I have 3 florins", "I/PRON/nsubj/2 have/VERB/root/0 3/NUM/nummod/4 florins/NOUN/obj/2");
        assert_eq!(named(&[owes, owes], "florin").unwrap(), "the 12 florins");
        assert_eq!(named(&[owes, has], "florin").unwrap(), "the florins");
        let (one, other) = (found(owes.0, owes.1), found(has.0, has.1));
        assert!(are_all_amounts(&[&one[0], &other[0]]));
    }
}

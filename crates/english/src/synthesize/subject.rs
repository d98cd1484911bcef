//! Subjects of memories: things, found by the function words around them, and people.
//!
//! A word counts as a noun behind an article, a possessive, a number or a preposition that asks for one, and
//! before a function word, a stop or the end. No vocabulary is used.

use std::collections::BTreeSet;

use crate::{
    lexicon::{WordClass, is_negation},
    text::{Analysis, Token, is_possessive, part},
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

/// True if only white space is between two words.
fn is_adjacent(text: &str, a: &Token, b: &Token) -> bool {
    part(text, a.end..b.start).chars().all(char::is_whitespace)
}

fn is_possessive_token(text: &str, token: &Token) -> bool {
    is_possessive(token.written(text))
}

fn is_content_word(token: &Token) -> bool {
    !WordClass::Stopword.has(&token.lower) && !is_negation(&token.lower) && !token.number
}

/// True for words of time and of counting, words for anything, and meals: they name no topic.
fn is_vague(word: &str) -> bool {
    WordClass::Vague.has(word) || WordClass::Meal.has(word)
}

/// True for a determiner behind which another mention may name the owner: "his mark", "the mark".
pub(super) fn may_have_owner(word: &str) -> bool {
    let mine = WordClass::FirstPerson.has(word);
    word == "the" || WordClass::Demonstrative.has(word) || WordClass::Possessive.has(word) && !mine
}

/// True for a word that may be no noun behind another word: "the wheel turning", "the river slowly".
fn may_be_verb_or_adverb(word: &str) -> bool {
    word.ends_with("ly") || (word.len() > 5 && (word.ends_with("ing") || word.ends_with("ed")))
}

/// True for a word that is not a noun unless an article precedes it: "thanks for coming", "it's used".
fn may_be_participle(word: &str) -> bool {
    word.len() > 3 && (word.ends_with("ing") || word.ends_with("ed") && !word.ends_with("eed"))
}

/// Returns the tokens behind a cue that may name one thing: the index of the first and of the one behind the
/// last.
fn phrase_range(text: &str, analysis: &Analysis, cue: usize) -> (usize, usize) {
    let tokens = &analysis.tokens;
    let follows = |i: usize| tokens.get(i).is_some_and(|t| is_adjacent(text, &tokens[i - 1], t));
    let mut first = cue + 1;
    while follows(first) && WordClass::Attributive.has(&tokens[first].lower) {
        first += 1;
    }
    let mut end = first;
    while follows(end) && end - first < MAX_PHRASE_WORDS && is_content_word(&tokens[end]) {
        end += 1;
        if is_possessive_token(text, &tokens[end - 1]) {
            // "The smith's hammer": the hammer is found behind its own cue, "smith's".
            return (first, first);
        }
    }
    if end - first > 1 && tokens[end - 1].lower == "each" {
        end -= 1;
    }
    // "The new drying", "the wheel turning": unclear which word is the noun.
    if end - first > 1 && may_be_verb_or_adverb(&tokens[end - 1].lower) {
        (first, first)
    } else {
        (first, end)
    }
}

/// Returns the stems of words that occur where only a noun can: alone behind an article, or behind the same
/// word twice, at least once of these after a preposition ("in a grey cloak").
pub(super) fn known_nouns<'a>(texts: impl Iterator<Item = (&'a str, &'a Analysis)>) -> BTreeSet<String> {
    let mut nouns: BTreeSet<String> = BTreeSet::new();
    let mut pairs: Vec<([String; 2], bool)> = Vec::new();
    for (text, analysis) in texts {
        let tokens = &analysis.tokens;
        let mut here: Vec<([String; 2], bool)> = Vec::new();
        for cue in (0..tokens.len()).filter(|&i| is_noun_cue(text, tokens, i)) {
            let (first, end) = phrase_range(text, analysis, cue);
            let behind = cue.checked_sub(1).map(|i| tokens[i].lower.as_str());
            let preposed = behind.is_some_and(|word| WordClass::Preposition.has(word));
            match &tokens[first..end] {
                [noun]
                    if !WordClass::PronominalDeterminer.has(&tokens[cue].lower)
                        && (!may_be_participle(&noun.lower)
                            || WordClass::Determiner.has(&tokens[cue].lower)) =>
                {
                    nouns.insert(noun.stem.clone());
                }
                [.., kind, noun] => here.push(([kind.stem.clone(), noun.stem.clone()], preposed)),
                _ => {}
            }
        }
        for (pair, preposed) in &here {
            if pairs.iter().any(|(other, also)| other == pair && (*preposed || *also)) {
                nouns.insert(pair[1].clone());
            }
        }
        pairs.append(&mut here);
    }
    nouns
}

/// True if a noun follows this word.
fn is_noun_cue(text: &str, tokens: &[Token], at: usize) -> bool {
    let word = tokens[at].lower.as_str();
    // "Ida is a smith" describes Ida and mentions no smith.
    let told_of =
        matches!(word, "a" | "an") && at.checked_sub(1).is_some_and(|i| WordClass::Be.has(&tokens[i].lower));
    !told_of
        && (WordClass::Determiner.has(word)
            || WordClass::Partitive.has(word)
            || tokens[at].number
            || is_possessive_token(text, &tokens[at]))
}

/// Returns the "of" phrase behind a noun that ends before `end`: "girls of twelve".
fn of_phrase(text: &str, analysis: &Analysis, end: usize) -> Option<String> {
    let tokens = &analysis.tokens;
    let of = tokens.get(end).filter(|t| t.lower == "of" && is_adjacent(text, &tokens[end - 1], t))?;
    let word = tokens
        .get(end + 1)
        .filter(|t| is_adjacent(text, of, t) && !WordClass::Stopword.has(&t.lower) && !t.capital)?;
    let ends =
        tokens.get(end + 2).is_none_or(|next| !is_adjacent(text, word, next) || !is_content_word(next));
    ends.then(|| part(text, of.start..word.end).to_owned())
}

fn is_name_of(analysis: &Analysis, token: &Token) -> bool {
    token.capital && analysis.names.binary_search(&token.lower).is_ok()
}

/// Returns the owner that the possessive at a token names, "my" for the NPC's own name; or, behind an article, the
/// word itself as part of a title: "the Valentine's Day party" has no owner.
fn owner_or_title(
    text: &str,
    analysis: &Analysis,
    own: &Analysis,
    at: usize,
) -> (Option<String>, Option<String>) {
    let tokens = &analysis.tokens;
    let is_name = |t: &Token| is_name_of(analysis, t);
    let cued = &tokens[at];
    if !is_possessive_token(text, cued) {
        return (matches!(cued.lower.as_str(), "my" | "our").then(|| cued.lower.clone()), None);
    }
    let mut from = at;
    while from > 0 && is_name(&tokens[from - 1]) && is_adjacent(text, &tokens[from - 1], &tokens[from]) {
        from -= 1;
    }
    if from > 0 && WordClass::Determiner.has(&tokens[from - 1].lower) {
        return (None, Some(cued.written(text).to_owned()));
    }
    if is_name(cued) {
        let mine = own.tokens.iter().any(|o| o.lower == cued.lower);
        let name = part(text, tokens[from].start..cued.end);
        return (Some(if mine { "my" } else { name }.to_owned()), None);
    }
    (matches!(cued.lower.as_str(), "my" | "our").then(|| cued.lower.clone()), None)
}

/// Returns nouns without any cue, as in "I cut feverfew": known from other memories, and without a word behind them
/// that they could modify. `found` are the phrases with a cue.
fn lone_nouns(
    text: &str,
    analysis: &Analysis,
    nouns: &BTreeSet<String>,
    found: &[NounPhrase],
) -> Vec<NounPhrase> {
    let tokens = &analysis.tokens;
    let is_lone = |&(i, token): &(usize, &Token)| {
        is_content_word(token)
            && !token.capital
            && !is_vague(&token.lower)
            && tokens.get(i + 1).is_none_or(|next| !is_adjacent(text, token, next) || !is_content_word(next))
            && !may_be_verb_or_adverb(&token.lower)
            && nouns.contains(&token.stem)
            && found.iter().all(|t| t.noun_index != i)
    };
    let phrase = |(i, token): (usize, &Token)| {
        let before = i.checked_sub(1).map(|b| &tokens[b]);
        NounPhrase {
            stem: token.stem.clone(),
            words: vec![token.written(text).to_owned()],
            number: before.filter(|b| b.number).map(|b| b.written(text).to_owned()),
            owner: None,
            of_phrase: of_phrase(text, analysis, i + 1),
            owner_open: true,
            without_article: false,
            is_place: before.is_some_and(|b| WordClass::Place.has(&b.lower)),
            noun_index: i,
        }
    };
    tokens.iter().enumerate().filter(is_lone).map(phrase).collect()
}

/// Returns the noun phrases of a memory that name things. `own` is the analysis of the NPC's name. `nouns`
/// are stems known as nouns.
pub(super) fn noun_phrases(
    text: &str,
    analysis: &Analysis,
    own: &Analysis,
    nouns: &BTreeSet<String>,
) -> Vec<NounPhrase> {
    let tokens = &analysis.tokens;
    let is_name = |t: &Token| is_name_of(analysis, t);
    let written = |t: &Token| t.written(text).to_owned();
    let mut found: Vec<NounPhrase> = Vec::new();
    for cue in (0..tokens.len()).filter(|&i| is_noun_cue(text, tokens, i)) {
        let (first, end) = phrase_range(text, analysis, cue);
        let Some(head) = tokens[first..end].last() else { continue };
        // "The river rises more": the last word counts only if it is known as a noun.
        if !nouns.contains(&head.stem.clone()) {
            continue;
        }
        let pale = is_vague(&head.lower) || head.lower.chars().count() < 3;
        if pale || is_name(head) || head.capital && !head.starts_sentence {
            continue;
        }
        let cued = &tokens[cue];
        let (owner, title) = owner_or_title(text, analysis, own, cue);
        let place = cue.checked_sub(1).is_some_and(|i| WordClass::Place.has(&tokens[i].lower))
            || WordClass::Place.has(&cued.lower);
        found.push(NounPhrase {
            stem: head.stem.clone(),
            words: title.into_iter().chain(tokens[first..end].iter().map(written)).collect(),
            number: cued.number.then(|| written(cued)),
            owner,
            of_phrase: of_phrase(text, analysis, end),
            owner_open: may_have_owner(&cued.lower),
            without_article: WordClass::Partitive.has(&cued.lower)
                && cued.lower != "for"
                && !head.lower.ends_with('s'),
            is_place: place,
            noun_index: end - 1,
        });
    }
    let lone = lone_nouns(text, analysis, nouns, &found);
    found.extend(lone);
    found.sort_by_key(|t| t.noun_index);
    found
}

/// True if these mentions only say where something happened.
pub(super) fn are_all_places(mentions: &[&NounPhrase]) -> bool {
    mentions.iter().all(|t| t.is_place)
}

/// True if these mentions are all amounts: "9 silver" and "14 silver" need not be of one topic.
pub(super) fn are_all_amounts(mentions: &[&NounPhrase]) -> bool {
    mentions.iter().all(|t| t.number.is_some())
}

/// True if both memories mention the same amount.
pub(super) fn share_amount(a: &[&NounPhrase], b: &[&NounPhrase]) -> bool {
    a.iter().any(|t| t.number.is_some() && b.iter().any(|u| u.number == t.number))
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
    use crate::text::analyze;

    fn found(texts: &[&str]) -> Vec<Vec<NounPhrase>> {
        let read: Vec<Analysis> = texts.iter().map(|t| analyze(t, [])).collect();
        let nouns = known_nouns(texts.iter().copied().zip(&read));
        texts
            .iter()
            .zip(&read)
            .map(|(t, a)| noun_phrases(t, a, &analyze("Ida Berg", ["Ida"]), &nouns))
            .collect()
    }

    fn stems(text: &str) -> Vec<String> {
        found(&[text]).remove(0).into_iter().map(|t| t.stem).collect()
    }

    fn of(texts: &[&str], stem: &str) -> Option<String> {
        let found = found(texts);
        let mentions: Vec<&NounPhrase> = found.iter().flatten().filter(|t| t.stem == stem).collect();
        phrase_for(&mentions)
    }

    #[test]
    fn nouns_are_found_between_function_words() {
        assert_eq!(stems("I gave the goat to a neighbour."), ["goat", "neighbour"]);
        assert_eq!(stems("Rana's kettle can hold 3 litres of tea"), ["kettl", "litr", "tea"]);
        assert_eq!(stems("She laughed and ran away quickly."), Vec::<String>::new());
    }

    #[test]
    fn word_after_known_noun_is_no_noun() {
        let found = found(&["the tide rises again", "I watched the tide"]);
        assert!(found.iter().flatten().all(|t| t.stem == "tide"), "{found:?}");
    }

    #[test]
    fn times_and_names_are_no_noun_phrases() {
        assert_eq!(stems("I slept the whole night in the Crown."), Vec::<String>::new());
    }

    #[test]
    fn phrase_is_shared_by_two_memories() {
        assert_eq!(
            of(&["I told Rana of a red kite.", "The red kite was torn."], "kite").unwrap(),
            "the red kite"
        );
        assert_eq!(
            of(&["He owes 12 florins.", "12 florins, said Ida."], "florin").unwrap(),
            "the 12 florins"
        );
        assert_eq!(of(&["He owes 12 florins.", "I have 3 florins."], "florin").unwrap(), "the florins");
        assert_eq!(of(&["a pinch of saffron", "we have no saffron"], "saffron").unwrap(), "saffron");
        assert_eq!(
            of(&["I sat by Rana's loom.", "Then Rana's loom was broken."], "loom").unwrap(),
            "Rana's loom"
        );
        assert_eq!(of(&["I sold my ring.", "They took my ring."], "ring").unwrap(), "my ring");
    }

    #[test]
    fn repeated_word_pair_ends_in_a_noun() {
        let cloaks = ["A man in a grey cloak was here.", "I told Rana about the grey cloak."];
        assert_eq!(of(&cloaks, "cloak").unwrap(), "the grey cloak");
        let falls = ["The tower fell.", "The tower fell, said Rana."];
        assert!(found(&falls).iter().flatten().all(|t| t.stem != "fell"));
    }

    #[test]
    fn predicative_nouns_are_no_noun_phrases() {
        assert!(found(&["Ida is a smith.", "Rana is a smith."]).iter().all(Vec::is_empty));
    }

    #[test]
    fn places_are_distinguished_from_topics() {
        let found = found(&["I sat at the mill.", "I bought the mill."]);
        assert!(are_all_places(&[&found[0][0]]) && !are_all_places(&[&found[0][0], &found[1][0]]));
    }
}

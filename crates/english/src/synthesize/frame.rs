//! Statements that are the same but for one place, as one statement with all values: "I served tables 1, 3 and 5."

use std::{collections::BTreeSet, ops::Range};

use nightfold_memory::grammar::{PartOfSpeech, Relation, Tense, Word};

use super::phrase::{end_sentence, inside_sentence, join_list};
use crate::{
    assertions::is_activity,
    lexicon::{
        WordClass, is_direction,
        wordnet::{Relation as Kind, lemmas, relation},
    },
    stance::is_episode,
    text::{Analysis, Token, part, quotations, singular, token_of},
};

/// Returns the statement that some texts make with different values, with these values in their order; `None` if they
/// differ in more than the name, noun or number in one place, or if it would say another thing of all values together
/// than of each.
pub(crate) fn frame(texts: &[(&str, &Analysis)]) -> Option<String> {
    let (&(text, first), others) = texts.split_first().filter(|(_, others)| !others.is_empty())?;
    if !texts.iter().all(|(text, analysis)| is_plain_event(text, analysis)) {
        return None;
    }
    let tokens = &first.tokens;
    let is_same =
        |(a, b): &(&Token, &Token)| a.lower == b.lower && a.word_end - a.start == b.word_end - b.start;
    let shared = |other: &[Token], reverse: bool| {
        if reverse {
            tokens.iter().rev().zip(other.iter().rev()).take_while(is_same).count()
        } else {
            tokens.iter().zip(other).take_while(is_same).count()
        }
    };
    let before = others.iter().map(|(_, other)| shared(&other.tokens, false)).min()?;
    let behind = others.iter().map(|(_, other)| shared(&other.tokens, true)).min()?;
    // A value is a whole noun phrase: "the menu", "my old boots", "table 1", "kitchen sink".
    let words: Vec<Option<&Word>> = words_of(first);
    let continues = |at: usize| words[at].is_some_and(is_in_phrase);
    let before = (0..before).rev().take_while(|&at| continues(at)).last().unwrap_or(before);
    let behind =
        (tokens.len() - behind..tokens.len()).take_while(|&at| words[at].is_some_and(Word::is_noun)).count();
    let behind = others.iter().map(|(_, other)| shared(&other.tokens, true)).min()? - behind;
    let mut values: Vec<Value> = Vec::new();
    for (text, analysis) in texts {
        let place = before..analysis.tokens.len().checked_sub(behind)?;
        let words = value(text, analysis, &place)?;
        // At the beginning a capital may be that of the sentence.
        let is_later = before == 0 && !values.is_empty();
        let words = if is_later { inside_sentence(words, analysis) } else { words.to_owned() };
        let is_content = |token: &&Token| analysis.content.binary_search(&token.stem).is_ok();
        let last = analysis.tokens.get(place.end - 1)?;
        let is_name = words_of(analysis)[place.end - 1]
            .is_some_and(|word| word.part_of_speech() == PartOfSpeech::ProperNoun);
        let stems =
            analysis.tokens[place].iter().filter(is_content).map(|token| token.stem.clone()).collect();
        values.push(Value { words, stems, noun: last.lower.clone(), is_name });
    }
    if !are_apart(&values) {
        return None;
    }
    // "To her car" and "to her class" are two ways.
    if before.checked_sub(1).is_some_and(|case| is_direction(&tokens[case].lower)) {
        return None;
    }
    let values = distinct(&values);
    let place = before..tokens.len() - behind;
    let rest = || tokens[..place.start].iter().chain(&tokens[place.end..]);
    // "A hat to Tom" and "a hat to Joss" are two hats.
    let is_quantity = |token: &Token| token.number || matches!(token.lower.as_str(), "a" | "an" | "another");
    if values.len() < 2 || rest().any(is_quantity) {
        return None;
    }
    let head = part(text, ..tokens[place.start].start);
    let tail = part(text, tokens[place.end - 1].end..);
    let tail = if is_subject(&words[place.clone()]) {
        let refers_back = rest().any(|token| WordClass::ThirdPerson.has(&token.lower));
        plural_verb(first, &words, place.end, tail).filter(|_| place.start == 0 && !refers_back)?
    } else {
        tail.to_owned()
    };
    Some(end_sentence(&format!("{head}{}{tail}", listed(&values))))
}

/// Words of a value, and the stems of those with content.
struct Value {
    words: String,
    stems: BTreeSet<String>,
    /// Last word in lower case, and whether it is a proper name.
    noun: String,
    is_name: bool,
}

/// True if no two values may be one: "her belongings" and "her things", "his wife" and "Jane".
fn are_apart(values: &[Value]) -> bool {
    let is_kin = |a: &str, b: &str| {
        lemmas(a).iter().any(|one| {
            lemmas(b)
                .iter()
                .any(|other| a != b && matches!(relation(one, other), Kind::Same | Kind::Synonym | Kind::IsA))
        })
    };
    let is_vague =
        |value: &Value| WordClass::Vague.has(&value.noun) || WordClass::Vague.has(&singular(&value.noun));
    values.iter().enumerate().all(|(at, one)| {
        !is_vague(one)
            && values[..at]
                .iter()
                .all(|other| one.is_name == other.is_name && !is_kin(&one.noun, &other.noun))
    })
}

/// Returns the values that say something that no other one says: "her old boots" beside "boots".
fn distinct(values: &[Value]) -> Vec<String> {
    let is_said = |(at, value): &(usize, &Value)| {
        let by = |(other, more): (usize, &Value)| {
            let is_less = value.stems.is_subset(&more.stems);
            other != *at && is_less && (other < *at || value.stems.len() < more.stems.len())
        };
        values.iter().enumerate().any(by)
    };
    let fresh = values.iter().enumerate().filter(|value| !is_said(value));
    fresh.map(|(_, value)| value.words.clone()).collect()
}

/// True for a text whose grammar is known and which tells plainly of a thing done: neither how something is, which can
/// change, nor a question, a denial or words of somebody.
fn is_plain_event(text: &str, analysis: &Analysis) -> bool {
    analysis.negations == 0
        && analysis.grammar.is_some()
        && !text.contains(['?', ';', ':', '(', '\n'])
        && quotations(text).is_empty()
        && (is_activity(text) || is_episode(text))
}

/// Returns the word of the grammar that each token is.
fn words_of(analysis: &Analysis) -> Vec<Option<&Word>> {
    let mut words = vec![None; analysis.tokens.len()];
    if let Some(grammar) = &analysis.grammar {
        for (at, word) in grammar.words().iter().enumerate().rev() {
            if let Some(token) = token_of(analysis, grammar, at) {
                words[token] = Some(word);
            }
        }
    }
    words
}

/// True for a word that can stand in a noun phrase before its noun, or for a noun.
fn is_in_phrase(word: &Word) -> bool {
    let owner =
        word.part_of_speech() == PartOfSpeech::Pronoun && word.relation() == Relation::NominalModifier;
    let before_noun = matches!(
        word.relation(),
        Relation::Determiner | Relation::AdjectivalModifier | Relation::Compound | Relation::NumericModifier
    );
    owner || word.is_noun() || before_noun && word.part_of_speech() != PartOfSpeech::Adposition
}

/// Returns the words in the place of a value; `None` if they are no noun phrase, or tell how much or what something is.
fn value<'a>(text: &'a str, analysis: &Analysis, place: &Range<usize>) -> Option<&'a str> {
    let words = words_of(analysis);
    let (tokens, words) = (analysis.tokens.get(place.clone())?, words.get(place.clone())?);
    let (first, last) = (tokens.first()?, tokens.last()?);
    let is_phrase = words
        .iter()
        .all(|word| word.is_some_and(|word| is_in_phrase(word) && word.relation() != Relation::Root));
    let label = tokens.len() > 1 && last.number && words[tokens.len() - 2].is_some_and(Word::is_noun);
    let noun = words.last()?.is_some_and(Word::is_noun);
    let numbers = tokens.iter().filter(|token| token.number).count();
    let value = part(text, first.start..last.end);
    let is_whole = !value.contains(|c: char| c.is_ascii_punctuation() && !matches!(c, '-' | '\''));
    (is_phrase && is_whole && numbers == usize::from(label) && (label || noun)).then_some(value)
}

fn is_subject(value: &[Option<&Word>]) -> bool {
    value.iter().flatten().any(|word| word.relation() == Relation::Subject)
}

/// Returns what follows several subjects: with the plural of a verb that has one.
fn plural_verb(first: &Analysis, words: &[Option<&Word>], verb: usize, tail: &str) -> Option<String> {
    let (token, word) = (first.tokens.get(verb)?, words.get(verb).copied().flatten()?);
    let plural = match token.lower.as_str() {
        "is" => "are",
        "was" => "were",
        "has" => "have",
        _ => return (word.tense() == Some(Tense::Past)).then(|| tail.to_owned()),
    };
    Some(tail.replacen(&token.lower, plural, 1))
}

/// Joins values: "the hearth and the oven", "tables 1, 3 and 5".
fn listed(values: &[String]) -> String {
    let label =
        |value: &'_ str| value.rsplit_once(' ').map(|(noun, number)| (noun.to_owned(), number.to_owned()));
    let labels: Option<Vec<(String, String)>> = values.iter().map(|value| label(value)).collect();
    let is_number = |number: &str| number.starts_with(|c: char| c.is_ascii_digit());
    match labels {
        Some(labels) if labels.iter().all(|(noun, number)| *noun == labels[0].0 && is_number(number)) => {
            let numbers: Vec<String> = labels.iter().map(|(_, number)| number.clone()).collect();
            format!("{} {}", plural(&labels[0].0), join_list(&numbers))
        }
        _ => join_list(values),
    }
}

/// Returns the plural of a noun that can have a number behind it: tables, boxes, galleries.
fn plural(noun: &str) -> String {
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if noun.ends_with(['s', 'x', 'z']) || noun.ends_with("ch") || noun.ends_with("sh") => {
            format!("{noun}es")
        }
        _ => format!("{noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{analyze, tagged};

    fn told(texts: &[(&str, &str)]) -> Option<String> {
        let read = |(text, tags): &(&str, &str)| Analysis {
            grammar: Some(tagged(text, tags)),
            ..analyze(text, ["Tom", "Joss"])
        };
        let analyses: Vec<Analysis> = texts.iter().map(read).collect();
        frame(&texts.iter().map(|(text, _)| *text).zip(&analyses).collect::<Vec<_>>())
    }

    #[test]
    fn values_are_listed_in_their_order() {
        let table = |number: u32| {
            (
                format!("I served table {number}."),
                format!(
                    "I/PRON/nsubj/2 served/VERB/root/0 table/NOUN/obj/2 {number}/NUM/nummod/3 ./PUNCT/punct/2"
                ),
            )
        };
        let tables = [8, 1, 3].map(table);
        let tables: Vec<(&str, &str)> =
            tables.iter().map(|(text, tags)| (text.as_str(), tags.as_str())).collect();
        assert_eq!(told(&tables).unwrap(), "I served tables 8, 1 and 3.");
        let swept = "I/PRON/nsubj/2 swept/VERB/root/0 the/DET/det/4 hall/NOUN/obj/2 twice/ADV/advmod/2";
        let swept =
            [("I swept the hall twice", swept), ("I swept the yard twice", &swept.replace("hall", "yard"))];
        assert_eq!(told(&swept).unwrap(), "I swept the hall and the yard twice.");
        let sink = "kitchen/NOUN/compound/2 sink/NOUN/nsubj/5 is/AUX/aux/5 being/AUX/aux/5 used/VERB/root/0";
        let sinks = [
            ("kitchen sink is being used", sink),
            ("bath sink is being used", &sink.replace("kitchen", "bath")),
        ];
        assert_eq!(told(&sinks).unwrap(), "kitchen sink and bath sink are being used.");
    }

    #[test]
    fn what_is_no_list_is_none() {
        let sold = "I/PRON/nsubj/2 sold/VERB/root/0 a/DET/det/4 hat/NOUN/obj/2 to/ADP/case/6 Tom/PROPN/obl/2";
        let paid = "I/PRON/nsubj/2 paid/VERB/root/0 3/NUM/nummod/4 coppers/NOUN/obj/2";
        let lost = "Tom/PROPN/nsubj/2 lost/VERB/root/0 his/PRON/nmod/4 hat/NOUN/obj/2";
        let gate = "The/DET/det/2 gate/NOUN/nsubj/5 is/AUX/cop/5 a/DET/det/5 ruin/NOUN/root/0";
        let lit = "I/PRON/nsubj/2 lit/VERB/root/0 the/DET/det/4 lamp/NOUN/obj/2";
        let well = "I/PRON/nsubj/2 slept/VERB/root/0 well/ADV/advmod/2";
        for (text, tags, word, other) in [
            ("I sold a hat to Tom", sold, "Tom", "Joss"),
            ("I paid 3 coppers", paid, "3", "5"),
            ("Tom lost his hat", lost, "Tom", "Joss"),
            ("The gate is a ruin", gate, "ruin", "wonder"),
            ("I lit the lamp", lit, "lit", "broke"),
            ("I slept well", well, "well", "badly"),
        ] {
            let (second, second_tags) = (text.replace(word, other), tags.replace(word, other));
            assert_eq!(told(&[(text, tags), (&second, &second_tags)]), None, "{text}");
        }
    }
}

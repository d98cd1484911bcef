//! Tests of names.

use nightfold_english::{English, Neutral};
use nightfold_memory::{
    LanguagePack,
    grammar::{PartOfSpeech, Relation, Word, WordTags},
};

use super::*;

/// Nouns of these tests.
const NOUNS: [&str; 9] = ["axle", "bark", "broth", "crow", "fence", "goats", "mill", "rain", "yard"];

/// Returns the grammar of a sentence of these tests: every noun is an object of the first other word.
fn grammar(analysis: &Analysis) -> Option<Grammar> {
    let tokens = &analysis.tokens;
    let lower = |at: usize| tokens[at].lower.as_str();
    let is_name = |at: usize| tokens[at].capital && analysis.names.iter().any(|name| name == lower(at));
    let is_noun = |at: usize| is_name(at) || NOUNS.contains(&lower(at));
    let root = (0..tokens.len())
        .find(|&at| !is_noun(at) && !matches!(lower(at), "i" | "the" | "broken" | "willow"))?;
    let words = (0..tokens.len()).map(|at| {
        let noun = (at..tokens.len()).find(|&behind| is_noun(behind)).unwrap_or(root);
        let (part_of_speech, relation, head) = match lower(at) {
            _ if at == root => (PartOfSpeech::Verb, Relation::Root, None),
            _ if is_name(at) && at > 0 && is_name(at - 1) => {
                (PartOfSpeech::ProperNoun, Relation::Flat, Some(at - 1))
            }
            _ if is_name(at) => (PartOfSpeech::ProperNoun, Relation::Object, Some(root)),
            _ if is_noun(at) => (PartOfSpeech::Noun, Relation::Object, Some(root)),
            "the" => (PartOfSpeech::Determiner, Relation::Determiner, Some(noun)),
            "broken" | "willow" => (PartOfSpeech::Adjective, Relation::AdjectivalModifier, Some(noun)),
            _ => (PartOfSpeech::Other, Relation::Dependency, Some(root)),
        };
        Word::new(tokens[at].start..tokens[at].end, WordTags::new(part_of_speech, relation, head))
    });
    Grammar::new(words.collect::<Result<Vec<_>, _>>().ok()?).ok()
}

/// Reads a day with its grammar.
fn analyze_day(pack: &dyn LanguagePack, day: &[&str], people: &[&str]) -> Vec<Analysis> {
    let read = pack.analyze_day(day, people).into_iter();
    read.map(|analysis| Analysis { grammar: grammar(&analysis), ..analysis }).collect()
}

/// Returns the name of the first `of` texts of a day.
fn name_by(pack: &dyn LanguagePack, day: &[&str], of: usize, told: Option<&str>) -> String {
    let analyses = analyze_day(pack, day, &["Joss", "Odo", "Elsbeth", "Tom Farrow"]);
    let group: Vec<_> = day.iter().copied().zip(&analyses).take(of).collect();
    let own = pack.analyze("Mara Thorne", &[]);
    Namer { day: &DocumentFrequencies::of(&analyses), own: &own, pack }.name(&group, told)
}

fn name(day: &[&str], of: usize) -> String {
    name_by(&English, day, of, None)
}

#[test]
fn what_half_of_the_texts_share_names_them() {
    let day = [
        "The broken axle is here",
        "Joss paid for the broken axle",
        "I swept the yard",
        "I saw a crow on the fence",
        "Rain fell",
    ];
    assert_eq!(name(&day, 2), "The broken axle");
    assert_eq!(name(&day, 4), "The broken axle");
    assert_eq!(name(&day, 5), "", "two of five are no half");
}

#[test]
fn texts_that_share_nothing_have_no_name() {
    assert_eq!(name(&["I swept the yard", "I saw a crow on the fence", "Joss came"], 2), "");
    assert_eq!(name(&["", "<random>"], 2), "");
    assert_eq!(name(&[], 0), "");
}

#[test]
fn two_things_that_no_text_joins_are_no_name() {
    let day = [
        "I mended the broken axle",
        "I greased the broken axle",
        "I fed the goats",
        "I counted the goats",
        "Rain fell",
        "Joss came",
    ];
    assert_eq!(name(&day, 4), "The broken axle");
    let joined = ["I hid the axle from the goats", "The axle fell on the goats", "Rain fell", "Joss came"];
    assert_eq!(name(&joined, 2), "The axle and the goats");
}

#[test]
fn person_is_named_with_a_thing_or_alone() {
    let day = ["I asked Joss about the axle", "Joss said that the axle is gone", "I swept the yard"];
    assert_eq!(name(&day, 2), "Joss and the axle");
    assert_eq!(name(&["I asked Joss about the axle", "Joss left the mill", "I swept the yard"], 2), "Joss");
}

#[test]
fn parts_of_one_name_are_one_person() {
    let day =
        ["Tom Farrow left the mill", "I spoke with Tom Farrow", "Tom came by", "Rain fell", "Odo slept"];
    assert_eq!(name(&day, 3), "Tom Farrow");
}

#[test]
fn what_all_of_the_day_has_tells_nothing() {
    let day = ["Joss swept", "Joss mended a bench", "Joss fed the goats", "Joss slept", "I saw Joss"];
    assert_eq!(name(&day, 2), "");
}

#[test]
fn whom_one_talks_with_all_day_tells_nothing() {
    let day = ["I thanked Joss", "I greeted Joss", "I slept well", "The rain fell"];
    let analyses = analyze_day(&English, &day, &["Joss"]);
    let group: Vec<_> = day.iter().copied().zip(&analyses).take(2).collect();
    let own = English.analyze("Mara", &[]);
    let name = |people: &[String]| {
        let all =
            DocumentFrequencies::of(&analyses).with_people(&analyses, day.iter().map(|_| people), &English);
        Namer { day: &all, own: &own, pack: &English }.name(&group, None)
    };
    assert_eq!(name(&[]), "Joss");
    assert_eq!(name(&["Joss".to_owned()]), "");
}

#[test]
fn own_name_names_nothing() {
    assert_eq!(name(&["Mara Thorne swept the yard", "Mara Thorne slept", "Rain fell"], 2), "");
}

#[test]
fn one_text_is_named_by_what_it_is_about() {
    assert_eq!(name(&["Joss paid for the broken axle", "Rain fell"], 1), "Joss and the broken axle");
}

#[test]
fn name_of_a_text_is_about_what_it_says_itself() {
    let day = ["I gave Odo the willow bark", "Odo took the willow bark and the broth", "I swept the yard"];
    assert_eq!(name_by(&English, &day, 2, Some("The broth did good. Odo drank all.")), "Odo and the broth");
    assert_eq!(name_by(&English, &day, 2, Some("I felt tired.")), "");
}

#[test]
fn pack_without_phrases_names_by_shared_words() {
    let day = ["puente derruido caido", "puente derruido reparado", "vino tinto"];
    assert_eq!(name_by(&Neutral, &day, 2, None), "derruido, puente");
    assert_eq!(name_by(&Neutral, &["puente caido", "vino tinto"], 2, None), "");
}

#[test]
fn single_characters_of_a_script_without_spaces_are_no_words() {
    let day =
        ["\u{8f66}\u{8f74}\u{65ad}\u{4e86}", "\u{8f66}\u{8f74}\u{4fee}\u{597d}\u{4e86}", "\u{4e0b}\u{96e8}"];
    assert_eq!(name_by(&Neutral, &day, 2, None), "");
}

#[test]
fn ids_are_made_of_the_words_of_a_name() {
    assert_eq!(slug("The debt of 14 silver", &English), "debt-14-silver");
    assert_eq!(slug("Odo's fever and the willow bark", &English), "odo-fever-willow");
    assert_eq!(slug("\u{1b}[31m \u{e9}", &English), "31m");
    assert_eq!(slug("", &English), "memory");
}

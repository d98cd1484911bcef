//! Tests of names.

use nightfold_english::{English, Neutral};
use nightfold_memory::{GameTime, Kind, LanguagePack};

use super::*;

/// Returns the name of the first `of` texts of a day.
fn name_by(
    pack: &dyn LanguagePack,
    day: &[&str],
    of: usize,
    told: Option<&str>,
    place: Option<&str>,
) -> String {
    let analyses = pack.analyze_day(day, &["Joss", "Odo", "Elsbeth"]);
    let group: Vec<_> = day.iter().copied().zip(&analyses).take(of).collect();
    let at = GameTime::from_seconds(8 * 3_600).unwrap();
    let occasion = Occasion { person: None, place, kind: Some(Kind::Event), from: at, to: at };
    let own = pack.analyze("Mara Thorne", &[]);
    Namer { day: &DocumentFrequencies::of(&analyses), own: &own, pack }.name(&group, told, Some(&occasion))
}

fn name(day: &[&str], of: usize) -> String {
    name_by(&English, day, of, None, None)
}

#[test]
fn shared_thing_names_texts() {
    let day =
        ["The broken axle is here", "Joss paid for the broken axle", "I swept the room", "I swept the yard"];
    assert_eq!(name(&day, 2), "The broken axle");
}

#[test]
fn person_is_named_with_a_thing() {
    let day = ["I asked Joss about the silver", "Joss said that the silver is gone", "I swept the yard"];
    assert_eq!(name(&day, 2), "Joss and the silver");
}

#[test]
fn nothing_shared_is_named_by_the_occasion_or_by_two_things() {
    let day = ["I swept the yard", "I saw a crow on the fence", "Joss came"];
    assert_eq!(name_by(&English, &day, 2, None, Some("the mill")), "The morning at the mill");
    assert_eq!(name(&day, 2), "A crow and the yard");
}

#[test]
fn name_of_a_text_is_about_what_it_says_first() {
    let day = ["I gave Odo the willow bark", "Odo took the willow bark and the broth", "I swept the yard"];
    let told = "The broth did good. Odo drank all.";
    assert_eq!(name_by(&English, &day, 2, Some(told), None), "Odo and the broth");
}

#[test]
fn pack_without_phrases_names_by_words() {
    let day = ["puente roto caido", "puente roto reparado", "vino tinto"];
    assert_eq!(name_by(&Neutral, &day, 2, None, None), "puente, roto, caido");
}

#[test]
fn texts_without_topics_have_no_name() {
    assert_eq!(name(&["", "<random>"], 2), "");
    assert_eq!(name(&[], 0), "");
}

#[test]
fn ids_are_made_of_the_words_of_a_name() {
    assert_eq!(slug("The debt of 14 silver", &English), "debt-14-silver");
    assert_eq!(slug("Odo's fever and the willow bark", &English), "odo-fever-willow");
    assert_eq!(slug("\u{1b}[31m \u{e9}", &English), "31m");
    assert_eq!(slug("", &English), "memory");
}

//! Names of texts: of one or two topics, or of an occasion.

use nightfold_memory::{Kind, Occasion};

use super::phrase::{PARTS_OF_DAY, join_list, part_of_day, upper_first};
use crate::{lexicon::WordClass, text::tokens};

/// Names of the parts of the day, in the order of [`PARTS_OF_DAY`], whose last is the whole day.
const NAMES_OF_PARTS: [&str; 4] = ["morning", "afternoon", "evening", "night"];

/// Longest name of a person or place that is part of a name, in characters.
const MAX_CHARS: usize = 32;

/// Returns the name of a text about these topics, each a noun phrase.
pub(crate) fn title(topics: &[&str]) -> String {
    let topics: Vec<String> = topics.iter().map(|&topic| topic.to_owned()).collect();
    upper_first(&join_list(&topics))
}

/// Returns the name of memories by who took part, where and when.
pub(crate) fn occasion_name(occasion: &Occasion<'_>) -> Option<String> {
    let place = occasion.place.and_then(place_name);
    if occasion.kind == Some(Kind::Chat)
        && let Some(person) = occasion.person.and_then(named)
    {
        return Some(format!("Talk with {person}"));
    }
    // A whole day is too wide to be a name.
    let opening = part_of_day(occasion.from, occasion.to)?;
    let part = NAMES_OF_PARTS.get(PARTS_OF_DAY.iter().position(|part| *part == opening)?)?;
    let what = match occasion.kind {
        Some(Kind::Thought) => return Some(format!("Thoughts of the {part}")),
        _ => format!("The {part}"),
    };
    place.map(|place| format!("{what} at {place}"))
}

/// Returns a name as written, if it is one: not too long, and without marks.
fn named(written: &str) -> Option<&str> {
    let written = written.trim();
    let is_name = written.starts_with(char::is_alphabetic)
        && written.chars().count() <= MAX_CHARS
        && written.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '\'' | '\u{2019}' | '-' | '.'))
        && tokens(written).iter().any(|token| token.names_theme || token.capital);
    is_name.then_some(written)
}

/// Returns the narrowest part of a place's name: "the mill" of "riverbend:the mill".
fn place_name(written: &str) -> Option<&str> {
    let narrowest = named(written.rsplit(':').next().unwrap_or(written))?;
    // "upstairs" and "at home" are no nouns behind "at".
    let first = narrowest.split(' ').next().unwrap_or_default().to_lowercase();
    (!WordClass::Preposition.has(&first)).then_some(narrowest)
}

#[cfg(test)]
mod tests {
    use nightfold_memory::GameTime;

    use super::*;

    fn occasion<'a>(person: Option<&'a str>, place: Option<&'a str>, kind: Kind) -> Occasion<'a> {
        let at = |hour: i64| GameTime::from_seconds(86_400 + hour * 3_600).unwrap();
        Occasion { person, place, kind: Some(kind), from: at(8), to: at(10) }
    }

    #[test]
    fn names_of_occasions_say_who_where_and_when() {
        let name = |person, place, kind| occasion_name(&occasion(person, place, kind));
        assert_eq!(name(Some("Joss"), Some("the mill"), Kind::Chat).as_deref(), Some("Talk with Joss"));
        let of_place = name(Some("Joss"), Some("riverbend:the mill"), Kind::Event);
        assert_eq!(of_place.as_deref(), Some("The morning at the mill"));
        assert_eq!(name(None, Some("in bed"), Kind::Event), None);
        assert_eq!(name(None, Some("<random>"), Kind::Event), None);
        assert_eq!(name(None, None, Kind::Thought).as_deref(), Some("Thoughts of the morning"));
    }

    #[test]
    fn titles_join_topics() {
        assert_eq!(title(&["the debt of 14 silver"]), "The debt of 14 silver");
        assert_eq!(title(&["Odo's fever", "the willow bark"]), "Odo's fever and the willow bark");
        assert_eq!(title(&[]), "");
    }
}

//! Positions: clauses that answer a question about a subject from a time on.
//!
//! "Joss is at the inn" holds until Joss is elsewhere; "I lit the lamp" tells that something happened, and nothing
//! that happens later undoes it. A clause is told from the other by its tense. A subject that only another sentence names
//! ("it", "that", "he") leaves open what the clause is about: such a clause holds no position.

use nightfold_memory::{Foundation, Kind};

use super::{
    reports::{is_clause, reported_content_start},
    split::is_activity,
};
use crate::{
    lexicon::{WordClass, is_negation},
    stance::{Tense, predicate, verbs},
    text::{Token, is_closing_mark, part, tokens},
};

/// Maximum number of words before the verb that are read as its subject; further ones are adverbial.
const MAX_SUBJECT_WORDS: usize = 12;

/// True if a clause of a statement of this kind and foundation states a position.
pub(super) fn is_position(kind: Kind, foundation: Foundation, clause: &str) -> bool {
    let all = tokens(clause);
    let told_from = told_from(clause, foundation, &all);
    let (frame, words) = all.split_at_checked(told_from).unwrap_or((&[], &all));
    let verbs = verbs(words);
    let Some((verb, tense)) = predicate(words, &verbs) else { return false };
    let by_speaker = words.iter().take(verb).any(|word| WordClass::FirstPerson.has(&word.lower));
    let lasts = match tense {
        // "Must" says what ought to be so.
        Tense::Present | Tense::Future => words[verb].lower != "must",
        // "Has not arrived" lasts; "has arrived" happened.
        Tense::Perfect => words.iter().skip(verb).take(2).any(|word| is_negation(&word.lower)),
        Tense::Past => false,
    };
    // What is told of a state stands in the past too: "Maud told me that the gate was shut".
    let lasts = lasts || !frame.is_empty() && WordClass::FiniteAuxiliary.has(&words[verb].lower);
    // "Harlan said he owns the cabin."
    let has_subject =
        names_subject(kind, clause, words, verb) || names_subject(kind, clause, frame, frame.len());
    // That something happened is a position if it was only told, unless by the one who did it.
    let is_report = frame.is_empty() && reported_content_start(clause).is_some();
    let is_told = !lasts && foundation < Foundation::Lived && !by_speaker && !is_report;
    let exclaimed = clause.trim_end().trim_end_matches(is_closing_mark).ends_with('!');
    let is_outcry = kind == Kind::Chat && exclaimed;
    let is_passing = tense == Tense::Present && is_activity(clause);
    // A clause that goes on with a deed would take it along when its position ends.
    let is_only_state = is_told || !goes_on_with_deed(words, &verbs, verb);
    (lasts || is_told) && is_only_state && has_subject && !is_outcry && !is_passing
}

/// True if a clause that begins with a state goes on with a happening: "I am at the inn and gave Wren my key".
fn goes_on_with_deed(words: &[Token], verbs: &[bool], verb: usize) -> bool {
    let joins = |at: &usize| WordClass::Coordinator.has(&words[at - 1].lower);
    (verb + 2..words.len()).filter(joins).any(|at| {
        let (rest, verbs) = (words.get(at..).unwrap_or_default(), verbs.get(at..).unwrap_or_default());
        matches!(predicate(rest, verbs), Some((_, Tense::Past | Tense::Perfect)))
    })
}

/// Returns the index of the first word of what is told, behind whoever tells it: "Tom says |the gate is shut", "Word is |the gate
/// is shut"; 0 if the clause has not this shape.
fn told_from(clause: &str, foundation: Foundation, words: &[Token]) -> usize {
    let behind = match reported_content_start(clause) {
        Some(start) => Some(words.partition_point(|word| word.start < start)),
        None if foundation == Foundation::Rumour => {
            let verb = predicate(words, &vec![false; words.len()]).map(|(verb, _)| verb + 1);
            verb.map(|verb| verb + usize::from(words.get(verb).is_some_and(|word| word.lower == "it")))
        }
        None => None,
    };
    behind.filter(|&from| words.get(from..).is_some_and(is_clause)).unwrap_or(0)
}

/// True if the words before the verb, from the last comma on, name what the clause is about; "there is" names it behind.
fn names_subject(kind: Kind, clause: &str, words: &[Token], verb: usize) -> bool {
    let all = words.get(verb.saturating_sub(MAX_SUBJECT_WORDS)..verb).unwrap_or_default();
    let parted = |two: &[Token]| part(clause, two[0].end..two[1].start).contains([',', ';', ':']);
    let from = all.windows(2).rposition(parted).map_or(0, |at| at + 1);
    let names = |word: &Token| {
        let is_person =
            WordClass::FirstPerson.has(&word.lower) || kind == Kind::Chat && WordClass::You.has(&word.lower);
        is_person || word.lower == "there" || !word.function && !word.negation
    };
    all.iter().skip(from).any(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_of_a_named_subject_are_positions() {
        for clause in [
            "The ford is not safe.",
            "Hartwig commands the watch.",
            "A loaf costs four pence at the mill.",
            "The captain of the watch is Maud.",
            "I owe Joss five silver.",
            "My sword is in the chest.",
            "The ship has not arrived.",
            "Bram will marry Ilse in summer.",
            "These days, the north gate is shut.",
            "There is no doctor in the village.",
        ] {
            assert!(is_position(Kind::Event, Foundation::Lived, clause), "{clause}");
        }
    }

    #[test]
    fn happenings_activities_and_unnamed_subjects_are_no_positions() {
        for clause in [
            "I hit Joss with the shovel.",
            "I climbed the hundred and twelve steps and did not light the lamp.",
            "The baby was born.",
            "The baby died.",
            "Wren is baking bread.",
            "It is cold.",
            "That is very kind of you.",
            "Odile moved from the mill to the brewery.",
            "A full cellar.",
            "I told Mara that Joss owes me five silver.",
            "I am at the inn and gave Wren my key.",
            "Lady Ysolde broke with Conrad and is betrothed to Emmerich.",
            "I have sold the mare and not the cart.",
            "I must keep one dose of feverfew back.",
        ] {
            assert!(!is_position(Kind::Event, Foundation::Lived, clause), "{clause}");
        }
    }

    #[test]
    fn told_happening_is_a_position_unless_the_speaker_did_it() {
        for (kind, clause, expected) in [
            (Kind::Chat, "Jory drowned off the Teeth two winters ago.", true),
            (Kind::Event, "Mister Harlan said he owns the cabin at Pine Bend.", true),
            (Kind::Event, "Maud told me that the gate was shut.", true),
            (Kind::Chat, "I sold the mare.", false),
            (Kind::Chat, "Thanks, that is great.", false),
            // An exclamation.
            (Kind::Chat, "The mayor is dead!", false),
        ] {
            assert_eq!(is_position(kind, Foundation::Told, clause), expected, "{clause}");
        }
    }
}

//! Positions: clauses that answer a question about a subject from a time on.
//!
//! "Joss is at the inn" holds until Joss is elsewhere; "I lit the lamp" tells that something happened, and nothing
//! that happens later undoes it. A clause is told from the other by its tense, and its subject are the words before
//! its verb. A subject that only another sentence names ("it", "that", "he") leaves open what the clause is about:
//! such a clause holds no position.

use nightfold_memory::{Assertion, Foundation, Kind};

use super::{
    foundation::{is_clause, reported_content_start},
    split::is_activity,
};
use crate::{
    lexicon::{WordClass, is_negation},
    stance::{Tense, is_verb, predicate},
    text::{Token, is_closing_mark, part, tokens},
};

/// Maximum number of words before the verb that are read as its subject; further ones are adverbial.
const MAX_SUBJECT_WORDS: usize = 12;

/// Reading of a clause: its subject and what it mentions, as stems.
pub(super) struct ClauseReading {
    /// True if it holds a position.
    pub(super) is_position: bool,
    /// True for a position that is a happening told by others.
    pub(super) is_told_happening: bool,
    pub(super) subject: Vec<String>,
    pub(super) mentions: Vec<String>,
}

/// Reads a clause of a statement of this kind and foundation.
pub(super) fn read_clause(kind: Kind, foundation: Foundation, clause: &str) -> ClauseReading {
    let all = tokens(clause);
    let told_from = told_from(clause, foundation, &all);
    let (frame, words) = all.split_at_checked(told_from).unwrap_or((&[], &all));
    let stems = |words: &[Token]| {
        let stem = |word: &Token| person_stem(kind, word).map_or_else(|| content_stem(word), Some);
        words.iter().filter_map(stem).collect::<Vec<_>>()
    };
    let mentions = stems(words);
    let verbs: Vec<bool> = (0..words.len()).map(|at| is_verb(words, at)).collect();
    let base_form = || verbs.iter().position(|verb| *verb).map(|at| (at, Tense::Present));
    let Some((verb, tense)) = predicate(words, &verbs).or_else(base_form) else {
        let (is_position, is_told_happening) = (false, false);
        return ClauseReading { is_position, is_told_happening, subject: Vec::new(), mentions };
    };
    let mut subject = stems(subject_words(clause, words, verb));
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
    if lasts
        && subject.is_empty()
        && words.first().is_some_and(|word| WordClass::ThirdPerson.has(&word.lower))
    {
        // "Harlan said he owns the cabin."
        subject = if frame.is_empty() { Vec::new() } else { stems(reporter(clause, frame)) };
    }
    // That something happened is a position if it was only told, unless by the one who did it.
    let is_report = frame.is_empty() && reported_content_start(clause).is_some();
    let is_told = !lasts && foundation < Foundation::Lived && !by_speaker && !is_report;
    let exclaimed = clause.trim_end().trim_end_matches(is_closing_mark).ends_with('!');
    let is_outcry = kind == Kind::Chat && exclaimed;
    let is_passing = tense == Tense::Present && is_activity(clause);
    // A clause that goes on with a deed would take it along when its position ends.
    let is_only_state = is_told || !goes_on_with_deed(words, &verbs, verb);
    let is_position = (lasts || is_told) && is_only_state && !subject.is_empty() && !is_outcry && !is_passing;
    ClauseReading { is_position, is_told_happening: is_position && is_told, subject, mentions }
}

/// True if a clause that begins with a state goes on with a happening: "I am at the inn and gave Wren my key".
fn goes_on_with_deed(words: &[Token], verbs: &[bool], verb: usize) -> bool {
    let joins = |at: &usize| WordClass::Coordinator.has(&words[at - 1].lower);
    (verb + 2..words.len()).filter(joins).any(|at| {
        let (rest, verbs) = (words.get(at..).unwrap_or_default(), verbs.get(at..).unwrap_or_default());
        matches!(predicate(rest, verbs), Some((_, Tense::Past | Tense::Perfect)))
    })
}

/// Returns the words that name who reports, given the words before what is reported.
fn reporter<'w>(clause: &str, frame: &'w [Token]) -> &'w [Token] {
    let verbs: Vec<bool> = (0..frame.len()).map(|at| is_verb(frame, at)).collect();
    let verb = predicate(frame, &verbs).map_or(frame.len(), |(verb, _)| verb);
    subject_words(clause, frame, verb)
}

/// Returns the index of the first word of what is told, behind whoever tells it: "I saw that |the gate is shut", "Tom says
/// |the gate is shut", "Word is |the gate is shut"; 0 if the clause has not this shape.
fn told_from(clause: &str, foundation: Foundation, words: &[Token]) -> usize {
    let is_own = words.first().is_some_and(|word| matches!(word.lower.as_str(), "i" | "we"));
    let that = words.iter().take(MAX_SUBJECT_WORDS).position(|word| word.lower == "that");
    let behind = match reported_content_start(clause) {
        Some(start) => Some(words.partition_point(|word| word.start < start)),
        None if is_own => that.filter(|&that| that > 1).map(|that| that + 1),
        None if foundation == Foundation::Rumour => {
            let verb = predicate(words, &vec![false; words.len()]).map(|(verb, _)| verb + 1);
            verb.map(|verb| verb + usize::from(words.get(verb).is_some_and(|word| word.lower == "it")))
        }
        None => None,
    };
    behind.filter(|&from| words.get(from..).is_some_and(is_clause)).unwrap_or(0)
}

/// Returns the words of the subject: the noun phrase before the verb, from the last comma on, without what describes it
/// behind ("the captain of the watch", "Garrick the brewer"); that behind the verb after "there".
fn subject_words<'w>(clause: &str, words: &'w [Token], verb: usize) -> &'w [Token] {
    let all = words.get(verb.saturating_sub(MAX_SUBJECT_WORDS)..verb).unwrap_or_default();
    let parted = |two: &[Token]| part(clause, two[0].end..two[1].start).contains([',', ';', ':']);
    let from = all.windows(2).rposition(parted).map_or(0, |at| at + 1);
    let own = all.get(from..).unwrap_or_default();
    let is_there = !own.is_empty() && own.iter().all(|word| word.lower == "there");
    let own = if is_there { words.get(verb + 1..).unwrap_or_default() } else { own };
    let named = own.iter().position(|word| !word.function).unwrap_or(own.len());
    let describes =
        |word: &Token| WordClass::Preposition.has(&word.lower) || WordClass::Determiner.has(&word.lower);
    let to = own.iter().skip(named).position(describes).map_or(own.len(), |at| named + at);
    own.get(..to).unwrap_or_default()
}

fn content_stem(word: &Token) -> Option<String> {
    (!word.function && !word.negation).then(|| word.stem.clone())
}

/// Returns the stem of the person that a pronoun of the first or second person means to the NPC.
fn person_stem(kind: Kind, word: &Token) -> Option<String> {
    let is_talk = kind == Kind::Chat;
    let person = match word.lower.as_str() {
        word if WordClass::FirstPerson.has(word) => {
            Some(if is_talk { Assertion::SPEAKER } else { Assertion::ONESELF })
        }
        word if WordClass::You.has(word) && is_talk => Some(Assertion::ONESELF),
        _ => None,
    };
    person.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(kind: Kind, foundation: Foundation, clause: &str) -> String {
        let read = read_clause(kind, foundation, clause);
        if read.is_position { read.subject.join(" ") } else { String::new() }
    }

    #[test]
    fn states_are_positions_about_their_subject() {
        for (clause, expected) in [
            ("The ford is not safe.", "ford"),
            ("Hartwig commands the watch.", "hartwig"),
            ("A loaf costs four pence at the mill.", "loaf"),
            ("The captain of the watch is Maud.", "captain"),
            ("I owe Joss five silver.", "(npc)"),
            ("My sword is in the chest.", "(npc) sword"),
            ("The ship has not arrived.", "ship"),
            ("Bram will marry Ilse in summer.", "bram"),
            ("These days, the north gate is shut.", "north gate"),
            ("There is no doctor in the village.", "doctor"),
            ("I saw that the bell hangs in its tower.", "bell"),
        ] {
            assert_eq!(subject(Kind::Event, Foundation::Lived, clause), expected, "{clause}");
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
            "I am at the inn and gave Wren my key.",
            "Lady Ysolde broke with Conrad and is betrothed to Emmerich.",
            "I have sold the mare and not the cart.",
            "I must keep one dose of feverfew back.",
        ] {
            assert_eq!(subject(Kind::Event, Foundation::Lived, clause), "", "{clause}");
        }
    }

    #[test]
    fn told_happening_is_a_position_unless_the_speaker_did_it() {
        let told = |clause| subject(Kind::Chat, Foundation::Told, clause);
        assert_eq!(told("Jory drowned off the Teeth two winters ago."), "jori");
        let reported = |clause| subject(Kind::Event, Foundation::Told, clause);
        assert_eq!(reported("Mister Harlan said he owns the cabin at Pine Bend."), "mister harlan");
        assert_eq!(reported("Maud told me that the gate was shut."), "gate");
        assert_eq!(told("I sold the mare."), "");
        assert_eq!(told("Thanks, that is great."), "");
        assert_eq!(told("The mayor is dead!"), "", "an exclamation");
    }

    #[test]
    fn persons_are_named_as_the_npc_sees_them() {
        let read = |kind, clause| read_clause(kind, Foundation::Told, clause);
        assert_eq!(read(Kind::Chat, "You owe me five silver.").subject, [Assertion::ONESELF]);
        assert!(
            read(Kind::Chat, "You owe me five silver.").mentions.contains(&Assertion::SPEAKER.to_owned())
        );
        assert!(read(Kind::Event, "I paid Joss.").mentions.contains(&Assertion::ONESELF.to_owned()));
    }
}

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
    lexicon::{
        WordClass, contraction, is_negation,
        wordnet::{self, PartOfSpeech},
    },
    stance::{Tense, predicate, verb_lemmas, verbs},
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
    let by_speaker = words.iter().take(verb + 1).any(|word| WordClass::FirstPerson.has(&word.lower));
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
    let has_subject = has_subject(kind, clause, words, verb) || frame.iter().any(|word| names(kind, word));
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

/// True if a word names something or somebody, the speaker included; "there" stands for what is named behind the verb.
fn names(kind: Kind, word: &Token) -> bool {
    let is_person =
        WordClass::FirstPerson.has(&word.lower) || kind == Kind::Chat && WordClass::You.has(&word.lower);
    is_person || word.lower == "there" || !word.function && !word.negation
}

/// True if the words before the verb are a subject that names what the clause is about.
///
/// A request ("let me know if you need help"), a participle ("chatting about the mill and the weir is busy") and a
/// dependent clause ("now that I am old") have a verb, but say nothing of a subject.
fn has_subject(kind: Kind, clause: &str, words: &[Token], verb: usize) -> bool {
    // "I'm" is both.
    let is_both = contraction(&words[verb].lower).is_some_and(|(head, _)| WordClass::Subject.has(head));
    let subject = subject(clause, words, if is_both { verb + 1 } else { verb });
    let is_subject = |word: &Token| {
        names(kind, word)
            && !WordClass::Accusative.has(&word.lower)
            && !is_only(word, &[PartOfSpeech::Adjective, PartOfSpeech::Adverb])
    };
    let is_dependent = |(at, word): (usize, &Token)| {
        WordClass::Subordinator.has(&word.lower)
            || WordClass::Relative.has(&word.lower) && (at > 0 || word.lower != "that")
            || WordClass::FiniteAuxiliary.has(&word.lower) && word.start < words[verb].start
    };
    subject.iter().any(is_subject)
        && !subject.iter().enumerate().any(is_dependent)
        && !opens_with_verb(subject)
        && !holds_clause(subject)
}

/// True if the dictionary has a word as these parts of speech alone; it need not have every noun.
fn is_only(word: &Token, parts: &[PartOfSpeech]) -> bool {
    let lemmas = wordnet::lemmas(&word.lower);
    !lemmas.is_empty() && lemmas.iter().all(|lemma| parts.contains(&lemma.part))
}

/// True if the first word is an infinitive or a participle and no noun: "chatting about", "let me", "remember to".
fn opens_with_verb(words: &[Token]) -> bool {
    let [first, rest @ ..] = words else { return false };
    let is_verb = verb_lemmas(&first.lower).any(|lemma| lemma == first.lower || first.lower.ends_with("ing"));
    // No noun stands before an object.
    let is_object =
        |next: &Token| WordClass::Determiner.has(&next.lower) || WordClass::Accusative.has(&next.lower);
    is_verb && (rest.first().is_some_and(is_object) || is_only(first, &[PartOfSpeech::Verb]))
}

/// True if words hold a clause of their own, to which the verb behind them may belong: "glad to hear my letter |helps", "I think
/// he |is ill".
fn holds_clause(words: &[Token]) -> bool {
    let is_base = |word: &Token| verb_lemmas(&word.lower).any(|lemma| lemma == word.lower);
    let opens = |two: &[Token]| {
        two[0].lower == "to" && is_base(&two[1])
            || two[0].lower == "that" && WordClass::Determiner.has(&two[1].lower)
            || WordClass::Nominative.has(&two[1].lower) && !WordClass::Coordinator.has(&two[0].lower)
    };
    words.windows(2).any(opens) || words.last().is_some_and(|last| last.lower == "to")
}

/// Returns the words before `end` that belong to the verb there: those behind the last comma, or before two that enclose an
/// apposition ("Maud, the captain, is at the inn"); none if a colon or a single comma parts them from the verb.
fn subject<'a>(clause: &str, words: &'a [Token], end: usize) -> &'a [Token] {
    let first = end.saturating_sub(MAX_SUBJECT_WORDS);
    let parted = |at: &usize, by: &[char]| {
        let next = words.get(*at).filter(|_| *at > first);
        next.is_some_and(|next| part(clause, words[at - 1].end..next.start).contains(by))
    };
    let last_cut = |end: usize| (first..end).rev().find(|at| parted(at, &[',', ';', ':'])).unwrap_or(first);
    if parted(&end, &[';', ':']) {
        return &[];
    }
    let end = if parted(&end, &[',']) { last_cut(end) } else { end };
    let subject = words.get(last_cut(end)..end).unwrap_or_default();
    let opens = |word: &&Token| WordClass::Coordinator.has(&word.lower) || WordClass::Adverb.has(&word.lower);
    &subject[subject.iter().take_while(opens).count()..]
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
            "Now I'm at the inn.",
            "Maud, the captain of the watch, is at the inn.",
            "Joss and I have the mill.",
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
            "For the feast: needs flour and two geese.",
            "Chatting about the mill and the weir is busy.",
            "Let me know if the miller needs help.",
            "Just remember to lock the gate.",
            "The fever would be a burden.",
            "But now that the winter is long.",
            "Glad to hear my letter makes a difference.",
            "I've sold the mare.",
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

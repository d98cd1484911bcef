//! Recurrence of a subject over recent nights, in words.

use crate::{lexicon::ordinals, text::analyze};

use super::phrase::upper_first;

/// Number of nights, the current one included, from which recurrence is mentioned.
const MIN_NIGHTS: usize = 3;

/// Words that came up on the earlier nights of a theme.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recurrence<'a> {
    /// Stems that came up on each night of the last `days` days.
    pub(crate) nights: &'a [Vec<String>],
    pub(crate) days: u16,
}

impl Recurrence<'_> {
    /// Returns "for the third time this week" if every word of the subject came up on enough nights,
    /// otherwise `None`.
    pub(crate) fn to_phrase(self, subject: &str) -> Option<String> {
        let words = analyze(subject, []).content;
        let nights = 1 + self.nights.iter().filter(|night| words.iter().all(|w| night.contains(w))).count();
        if words.is_empty() || nights < MIN_NIGHTS {
            return None;
        }
        let when = if self.days <= 7 { "this week" } else { "of late" };
        Some(match ordinals().get(nights - 1) {
            Some(ordinal) => format!("for the {ordinal} time {when}"),
            None => format!("again and again {when}"),
        })
    }
}

/// Sentiment or purpose of a sentence on a recurring subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sentiment {
    Plain,
    /// Felt badly.
    Negative,
    /// Felt well.
    Positive,
    /// An intention of the NPC.
    Intention,
    /// A statement with its reason.
    Reason,
}

impl Sentiment {
    /// Returns the wordings, in which `{t}` is the recurrence and `{T}` the recurrence at the start of a
    /// sentence.
    pub(crate) fn wordings(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &[
                "{S} kept coming up in my day, {t}.",
                "{T} my day kept coming back to {s}.",
                "I see that {s} ran through my day {t}.",
            ],
            Self::Negative => &[
                "{S} came up in my day {t}, and it sits ill with me.",
                "{T} I had to do with {s}, and it sits ill with me.",
            ],
            Self::Positive => &[
                "{S} came up in my day {t}, and it does me good.",
                "{T} my day brought me {s}, and I was glad of it.",
            ],
            Self::Intention => &[
                "{S} came up {t}, and I have made up my mind: {x}",
                "{T} I had to do with {s}, and this is what I say: {x}",
            ],
            Self::Reason => &[
                "{S} came up in my day {t}, and one thing comes with its reason: {x}",
                "{T} I heard or saw something of {s}, and one thing has its reason with it: {x}",
            ],
        }
    }
}

/// Fills in the recurrence; the other placeholders of the wording stay.
pub(crate) fn fill_recurrence(wording: &str, often: &str) -> String {
    wording.replace("{T}", &upper_first(often)).replace("{t}", often)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthesize::{
        check::{is_first_person, is_grounded},
        phrase::fill_wording,
    };

    fn often(nights: usize, days: u16) -> Option<String> {
        let nights = vec![vec!["kite".to_owned(), "otto".to_owned()]; nights - 1];
        Recurrence { nights: &nights, days }.to_phrase("Otto and the kite")
    }

    #[test]
    fn recurrence_is_counted_up_to_ten_nights() {
        assert_eq!(often(2, 7), None);
        assert_eq!(often(3, 7).unwrap(), "for the third time this week");
        assert_eq!(often(7, 3).unwrap(), "for the seventh time this week");
        assert_eq!(often(10, 14).unwrap(), "for the tenth time of late");
        assert_eq!(often(11, 31).unwrap(), "again and again of late");
    }

    #[test]
    fn recurrence_counts_nights_with_every_word_of_the_subject() {
        let nights = ["otto kite", "otto", "kite", "otto kite ferri"];
        let nights: Vec<Vec<String>> =
            nights.iter().map(|n| n.split(' ').map(str::to_owned).collect()).collect();
        let before = Recurrence { nights: &nights, days: 7 };
        assert_eq!(before.to_phrase("Otto and the kite").unwrap(), "for the third time this week");
        assert_eq!(before.to_phrase("the kite").unwrap(), "for the fourth time this week");
        assert_eq!(before.to_phrase("the ferry"), None);
        assert_eq!(before.to_phrase("them"), None, "what has no word of its own came up never");
    }

    #[test]
    fn wordings_are_first_person_and_grounded() {
        let own = analyze("Ida Berg", ["Ida Berg"]);
        let source = analyze("Otto tore the kite.", ["Otto"]);
        for manner in [
            Sentiment::Plain,
            Sentiment::Negative,
            Sentiment::Positive,
            Sentiment::Intention,
            Sentiment::Reason,
        ] {
            for wording in manner.wordings() {
                for often in (3..=12).filter_map(|nights| often(nights, 7)) {
                    let text = fill_wording(
                        &fill_recurrence(wording, &often),
                        "Otto and the kite",
                        "Otto tore the kite.",
                    );
                    assert!(!text.contains(['{', '}']), "{text}");
                    assert!(is_first_person(&text), "{text}");
                    assert!(is_grounded(&text, &[&source], &own), "{text}");
                    let read = analyze(&fill_recurrence(wording, &often), []);
                    assert_eq!((read.negations, read.numbers.len()), (0, 0), "{wording}");
                }
            }
        }
    }
}

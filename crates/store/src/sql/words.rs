//! Words that stores hold again and again: names of rules, of values, of kinds.

/// Words that are written as their place in this list, counted from 1. Stores hold the places: words may only be added, at the
/// end. A word that is missing here is spelled out, as the states are: statements compare them.
pub(super) const WORDS: &[&str] = &[
    "exact-repeat",
    "status-repeat",
    "blank",
    "pinned",
    "important",
    "already-known",
    "held-apart",
    "changes-belief",
    "similar",
    "over-budget-cohesive",
    "excerpt",
    "unimportant-incoherent",
    "over-budget",
    "within-budget",
    "over-text",
    "within-text",
    "novel",
    "cohesive-cluster",
    "concluded",
    "distilled",
    "drawn-again",
    "contradicted",
    "contested",
    "settled",
    "capped",
    "restored",
    "said-again",
    "declined",
    "abstracted",
    "faded",
    "over-most",
    "active_most",
    "after_days",
    "against",
    "age_days",
    "archived_by",
    "band_from",
    "budget",
    "came",
    "chars",
    "rivals_from",
    "cohesion",
    "cohesion_from",
    "conclusion",
    "contradiction",
    "contradiction_from",
    "cosine",
    "counter",
    "days",
    "days_from",
    "denied",
    "entries",
    "exact",
    "forget_below",
    "founded",
    "half_life_days",
    "importance",
    "important_from",
    "incoherent_below",
    "insights",
    "instead_of",
    "judged_by",
    "keep_score",
    "kept_as",
    "kept_chars",
    "least_worth",
    "lowest_kept",
    "memories",
    "month",
    "most",
    "near_copy_from",
    "nearest",
    "newer",
    "novel_below",
    "occasions",
    "occurrences",
    "of",
    "older",
    "period",
    "phase",
    "put_away_by",
    "readings",
    "reinforcement",
    "rests_on",
    "salience",
    "salience_about",
    "salience_added",
    "salience_calibrated",
    "salience_emotion",
    "salience_information",
    "salience_learned",
    "salience_meaning",
    "salience_opening",
    "salience_rated",
    "salience_surprise",
    "salience_tags",
    "salience_told",
    "same",
    "settles",
    "shared_from",
    "similar_from",
    "similarity",
    "strength",
    "subject",
    "theme",
    "times",
    "told_as_one",
    "touched",
    "unimportant_below",
    "week",
    "worth",
    "verbatim",
    "synthesis",
    "reflection",
    "event",
    "chat",
    "thought",
    "status",
    "normal",
    "high",
    "collapse",
    "store",
    "chunk",
    "prune",
    "reflect",
    "corroborate",
    "strengthen",
    "supersede",
    "contest",
    "archive",
    "restore",
    "forget",
    "ended",
    "end",
];

/// Returns the place of a word; `None` for one that is spelled out.
pub(crate) fn place(word: &str) -> Option<u64> {
    WORDS.iter().position(|known| *known == word).map(|place| place as u64 + 1)
}

/// Returns the word at a place.
pub(crate) fn at(place: u64) -> Option<&'static str> {
    let place = usize::try_from(place.checked_sub(1)?).ok()?;
    WORDS.get(place).copied()
}

#[cfg(test)]
mod tests {
    use nightfold_memory::{Change, Confidence, Kind, RecordKind, Rule};

    use super::*;

    #[test]
    fn frequent_words_have_a_place() {
        let rules = [Rule::ExactRepeat, Rule::OverBudget, Rule::OverMost, Rule::Abstracted].map(Rule::as_str);
        let kinds =
            [Kind::Event, Kind::Chat, Kind::Thought, Kind::Status, Kind::Reflection].map(Kind::as_str);
        let forms =
            [RecordKind::Verbatim, RecordKind::Synthesis, RecordKind::Reflection].map(RecordKind::as_str);
        let confidence = [Confidence::Normal, Confidence::High].map(Confidence::as_str);
        for word in rules.iter().chain(&kinds).chain(&forms).chain(&confidence).chain(&Change::VERBS) {
            assert_eq!(at(place(word).unwrap()), Some(*word));
        }
    }

    #[test]
    fn states_and_unknown_words_are_spelled_out() {
        assert_eq!([place("active"), place("archived"), place("a mill")], [None; 3]);
        assert_eq!([at(0), at(WORDS.len() as u64 + 1), at(u64::MAX)], [None; 3]);
    }

    #[test]
    fn every_word_occurs_once() {
        let distinct: std::collections::BTreeSet<_> = WORDS.iter().collect();
        assert_eq!(distinct.len(), WORDS.len());
    }
}

//! Wordings of reflections: the recurring subject and its state.

use nightfold_memory::{Kind, ReflectionKind, ReflectionSource, WordedReflection};

use super::{
    super::{
        phrase::{choose_wording, end_sentence, fill_wording, join_list},
        recurrence::{Recurrence, Sentiment, fill_recurrence},
    },
    MIN_FEELING, StatementKind, Topic,
};

/// Wordings for a recurring thing.
pub(super) const THING_WORDINGS: &[&str] = &[
    "{S} kept coming up in my day.",
    "My day kept coming back to {s}.",
    "I see that {s} ran through my day.",
    "I end the day with {s} on my mind.",
];
/// Wordings for recurring people.
pub(super) const PEOPLE_WORDINGS: &[&str] = &[
    "{S} kept coming up in my day.",
    "My day had much to do with {s}.",
    "My thoughts keep going back to {s}.",
    "I end the day with {s} on my mind.",
];
/// Wordings for a subject that was only talked of.
pub(super) const TALK_WORDINGS: &[&str] =
    &["The talk I had kept coming back to {s}.", "In all the talk I kept coming back to {s}."];
/// Wordings for a feeling that all memories share.
pub(super) const NEGATIVE_WORDINGS: &[&str] = &[
    "What goes on with {s} sits ill with me.",
    "{S} weighed on my day.",
    "It sits ill with me to think of {s}.",
];
pub(super) const POSITIVE_WORDINGS: &[&str] = &[
    "It does me good to think of {s}.",
    "My day was brighter for {s}.",
    "I think of {s} with a light heart.",
];
/// Wordings for the state of a subject.
pub(super) const STATE_WORDINGS: &[&str] =
    &["As it stands, {x}", "How things are: {x}", "For now it stands like this: {x}"];
pub(super) const LATEST_WORDINGS: &[&str] = &["The latest is that {x}", "So far it has come to this: {x}"];
pub(super) const PAST_STATE_WORDINGS: &[&str] =
    &["What counts is that {x}", "What stays with me is that {x}", "What I keep of it is that {x}"];
/// Wordings for subject and state in one sentence.
pub(super) const INTENTION_WORDINGS: &[&str] = &[
    "As for {s}, this is what I say: {x}",
    "When I think of {s}, I know one thing: {x}",
    "I have made up my mind about {s}: {x}",
    "About {s} I am clear: {x}",
];
pub(super) const REASON_WORDINGS: &[&str] = &[
    "In what I saw and heard of {s}, one thing comes with its reason: {x}",
    "Of all I know of {s}, one thing has its reason with it: {x}",
];

impl Topic<'_> {
    fn kind(&self) -> ReflectionKind {
        match self.statement_kind {
            StatementKind::Intent => ReflectionKind::Oneself,
            StatementKind::Reason => ReflectionKind::Causal,
            _ if self.about_someone => ReflectionKind::Social,
            _ => ReflectionKind::Pattern,
        }
    }

    pub(super) fn into_reflection(self, before: Recurrence<'_>) -> WordedReflection {
        let kind = self.kind();
        let subject = join_list(&self.subject);
        let often = before.to_phrase(&subject);
        let choose = |from: &'static [&'static str]| choose_wording(from, &[&subject, &self.statement]);
        let spoken = |manner, once| match &often {
            Some(often) => fill_recurrence(choose(manner), often),
            None => choose(once).to_owned(),
        };
        let text = match kind {
            ReflectionKind::Oneself => spoken(Sentiment::Intention.wordings(), INTENTION_WORDINGS),
            ReflectionKind::Causal => spoken(Sentiment::Reason.wordings(), REASON_WORDINGS),
            _ => format!(
                "{} {}",
                spoken(self.sentiment().wordings(), self.recurrence_wordings()),
                choose(self.state_wordings())
            ),
        };
        WordedReflection {
            kind,
            text: end_sentence(&fill_wording(&text, &subject, &self.statement)),
            rows: self.rows,
        }
    }

    /// Returns the feeling that all cited memories share.
    fn sentiment(&self) -> Sentiment {
        let all = |f: fn(&ReflectionSource<'_>) -> bool| self.cited.iter().all(|s| f(s.source));
        if all(|g| g.feeling <= -MIN_FEELING) {
            Sentiment::Negative
        } else if all(|g| g.feeling >= MIN_FEELING) {
            Sentiment::Positive
        } else {
            Sentiment::Plain
        }
    }

    fn recurrence_wordings(&self) -> &'static [&'static str] {
        let talk = self.cited.iter().all(|s| s.source.kind == Kind::Chat);
        match self.sentiment() {
            Sentiment::Negative => NEGATIVE_WORDINGS,
            Sentiment::Positive => POSITIVE_WORDINGS,
            _ if talk => TALK_WORDINGS,
            _ if !self.people.is_empty() => PEOPLE_WORDINGS,
            _ => THING_WORDINGS,
        }
    }

    fn state_wordings(&self) -> &'static [&'static str] {
        match self.statement_kind {
            StatementKind::State if self.is_latest => STATE_WORDINGS,
            _ if self.is_latest => LATEST_WORDINGS,
            _ => PAST_STATE_WORDINGS,
        }
    }
}

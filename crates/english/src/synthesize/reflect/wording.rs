//! Wordings of reflections: the recurring subject and its state.

use nightfold_memory::{Kind, ReflectionKind, ReflectionSource, WordedReflection};

use super::{
    super::{
        phrase::{fill, list, pick, stop},
        recurrence::{Recurrence, Sentiment, again},
    },
    FELT, Matter, StatementKind,
};

/// Wordings for a recurring thing.
pub(super) const RECURS: &[&str] = &[
    "{S} kept coming up in my day.",
    "My day kept coming back to {s}.",
    "I see that {s} ran through my day.",
    "I end the day with {s} on my mind.",
];
/// Wordings for recurring people.
pub(super) const MET: &[&str] = &[
    "{S} kept coming up in my day.",
    "My day had much to do with {s}.",
    "My thoughts keep going back to {s}.",
    "I end the day with {s} on my mind.",
];
/// Wordings for a subject that was only talked of.
pub(super) const TALK: &[&str] =
    &["The talk I had kept coming back to {s}.", "In all the talk I kept coming back to {s}."];
/// Wordings for a feeling that all memories share.
pub(super) const ILL: &[&str] = &[
    "What goes on with {s} sits ill with me.",
    "{S} weighed on my day.",
    "It sits ill with me to think of {s}.",
];
pub(super) const WELL: &[&str] = &[
    "It does me good to think of {s}.",
    "My day was brighter for {s}.",
    "I think of {s} with a light heart.",
];
/// Wordings for the state of a subject.
pub(super) const HOLDS: &[&str] =
    &["As it stands, {x}", "How things are: {x}", "For now it stands like this: {x}"];
pub(super) const LATEST: &[&str] = &["The latest is that {x}", "So far it has come to this: {x}"];
pub(super) const WEIGHS: &[&str] =
    &["What counts is that {x}", "What stays with me is that {x}", "What I keep of it is that {x}"];
/// Wordings for subject and state in one sentence.
pub(super) const INTENDS: &[&str] = &[
    "As for {s}, this is what I say: {x}",
    "When I think of {s}, I know one thing: {x}",
    "I have made up my mind about {s}: {x}",
    "About {s} I am clear: {x}",
];
pub(super) const BECAUSE: &[&str] = &[
    "In what I saw and heard of {s}, one thing comes with its reason: {x}",
    "Of all I know of {s}, one thing has its reason with it: {x}",
];

impl Matter<'_> {
    fn kind(&self) -> ReflectionKind {
        match self.standing {
            StatementKind::Intent => ReflectionKind::Oneself,
            StatementKind::Reason => ReflectionKind::Causal,
            _ if self.about_someone => ReflectionKind::Social,
            _ => ReflectionKind::Pattern,
        }
    }

    pub(super) fn insight(self, before: Recurrence<'_>) -> WordedReflection {
        let kind = self.kind();
        let subject = list(&self.subject);
        let often = before.often(&subject);
        let choose = |from: &'static [&'static str]| pick(from, &[&subject, &self.said]);
        let spoken = |manner, once| match &often {
            Some(often) => again(choose(manner), often),
            None => choose(once).to_owned(),
        };
        let text = match kind {
            ReflectionKind::Oneself => spoken(Sentiment::Intends.wordings(), INTENDS),
            ReflectionKind::Causal => spoken(Sentiment::Because.wordings(), BECAUSE),
            _ => format!("{} {}", spoken(self.manner().wordings(), self.recurs()), choose(self.stands())),
        };
        WordedReflection { kind, text: stop(&fill(&text, &subject, &self.said)), rows: self.rows }
    }

    /// Returns the feeling that all cited memories share.
    fn manner(&self) -> Sentiment {
        let all = |f: fn(&ReflectionSource<'_>) -> bool| self.cited.iter().all(|s| f(s.ground));
        if all(|g| g.feeling <= -FELT) {
            Sentiment::Ill
        } else if all(|g| g.feeling >= FELT) {
            Sentiment::Well
        } else {
            Sentiment::Plain
        }
    }

    fn recurs(&self) -> &'static [&'static str] {
        let talk = self.cited.iter().all(|s| s.ground.kind == Kind::Chat);
        match self.manner() {
            Sentiment::Ill => ILL,
            Sentiment::Well => WELL,
            _ if talk => TALK,
            _ if !self.people.is_empty() => MET,
            _ => RECURS,
        }
    }

    fn stands(&self) -> &'static [&'static str] {
        match self.standing {
            StatementKind::Holds if self.latest => HOLDS,
            _ if self.latest => LATEST,
            _ => WEIGHS,
        }
    }
}

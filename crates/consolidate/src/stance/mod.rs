//! Whether two statements say the same, contradict each other, or are about different things. Without a language model.
//!
//! Vectors alone cannot tell: on adversarial pairs most contradictions lie as close together as paraphrases do. So a
//! text is read into claims (`claim`), the words of two texts are laid side by side by WordNet (`align`), and then
//!
//! 1. two claims that cannot both hold make a contradiction (`opposed`);
//! 2. a fact in which the texts differ forbids that they are the same (`differences`): numbers, names, who does what
//!    to whom, negation, opposites, days, tense, doubt, quantity, direction;
//! 3. of what differs in no fact, a small learned head says how likely it is the same (`head`).
//!
//! The head never sees a pair that a fact holds apart. Nor is anybody else believed who says that such a pair is the same
//! (`heed`): a language model or a classifier may judge in place of the head, never in place of the facts.

mod align;
mod claim;
mod claim_book;
mod classes;
mod differences;
mod features;
mod grammar;
mod group;
mod head;
mod heed;
mod lexicon;
mod number;
mod opposed;
mod word;

pub use nightfold_memory::Stance;
use nightfold_memory::{Reason, Value};

pub(crate) use self::claim_book::ClaimBook;
use self::claim_book::Read;
pub(crate) use self::group::conflicting;
pub use self::heed::{fall_back, heed};
use self::{align::Alignment, claim::Claim};
use crate::text::tokens;

/// Whether a text tells of something that happened once, and not only of how things are.
pub(crate) fn is_episode(text: &str) -> bool {
    claim::claims(&claim::sentences(text), &claim::Spelling::of(&tokens(text))).iter().any(Claim::is_episode)
}

/// How likely the same two texts must be to be merged.
pub const LIKELY: f64 = 0.5;

/// Texts further apart are never the same, whatever their words: a vector sees what is left unsaid.
pub const CLOSE: f64 = 0.8;

/// A stance, and what decided it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// What one is to the other.
    pub stance: Stance,
    /// What decided.
    pub ground: Ground,
}

/// What decided a judgement.
#[derive(Debug, Clone, PartialEq)]
pub enum Ground {
    /// The very same words.
    Words,
    /// Whoever was asked, such as a language model, said so.
    Asked,
    /// Whoever was asked did not answer: the cosine from which on the same is taken, where no fact differs.
    FailSafe(f64),
    /// Two claims that cannot both hold: in what they differ, and by which words.
    Opposed {
        /// The name of the difference, such as `negation`.
        by: &'static str,
        /// The word of the one and of the other, where the difference is one of words.
        words: Option<(String, String)>,
    },
    /// Facts in which they differ, by name.
    Facts(String),
    /// A text too long to be compared, or without a word that tells anything.
    Unread,
    /// Too far apart: their cosine.
    Apart(f64),
    /// How likely they are the same, 0 to 1.
    Likelihood(f64),
}

impl Judgement {
    fn of_equal_words() -> Self {
        Self { stance: Stance::Same, ground: Ground::Words }
    }

    /// Whether the rules found why the texts cannot be the same, or could not read them.
    pub(crate) fn holds_apart(&self) -> bool {
        matches!(self.ground, Ground::Opposed { .. } | Ground::Facts(_) | Ground::Unread)
    }

    /// What decided, as reasons give it: `judged_by`, and by what that was.
    pub fn values(&self) -> Vec<(&'static str, Value)> {
        let by = |name: &str| ("judged_by", Value::from(name));
        match &self.ground {
            Ground::Words => vec![by("words")],
            Ground::Asked => vec![by("model")],
            Ground::FailSafe(from) => vec![by("fail-safe"), ("fail_safe_from", (*from).into())],
            Ground::Opposed { by: difference, words } => {
                let differs = words.iter().map(|(a, b)| ("differs", format!("{a} / {b}").as_str().into()));
                [by(difference)].into_iter().chain(differs).collect()
            }
            Ground::Facts(facts) => vec![by(facts)],
            Ground::Unread => vec![by("nothing")],
            Ground::Apart(_) => vec![by("cosine"), ("close_from", CLOSE.into())],
            Ground::Likelihood(p) => {
                vec![by("likelihood"), ("likelihood", (*p).into()), ("likelihood_from", LIKELY.into())]
            }
        }
    }

    /// Adds what decided to the reason of a change.
    pub(crate) fn explain(&self, reason: Reason) -> Reason {
        self.values().into_iter().fold(reason, |reason, (name, value)| reason.with(name, value))
    }
}

/// Judges two texts of the given cosine.
///
/// The order of the texts does not matter.
///
/// ```
/// use nightfold_consolidate::{Stance, judge};
///
/// let fallen = "The bridge at Stonewater has fallen.";
/// assert_eq!(judge(fallen, "The bridge at Stonewater has not fallen.", 0.9), Stance::Contradiction);
/// assert_eq!(judge(fallen, "The bridge at Stonewater has fallen", 1.0), Stance::Same);
/// assert_ne!(judge("I paid 3 coppers for salt", "I paid 5 coppers for salt", 0.95), Stance::Same);
/// ```
pub fn judge(a: &str, b: &str, cosine: f64) -> Stance {
    weigh(a, b, cosine).stance
}

/// Judges two texts of the given cosine, and says what decided.
///
/// ```
/// use nightfold_consolidate::stance::{Ground, weigh};
///
/// let judged = weigh("Joss owes Tom 14 silver", "Tom owes Joss 14 silver", 0.98);
/// assert_eq!(judged.ground, Ground::Facts("role".to_owned()));
/// ```
pub fn weigh(a: &str, b: &str, cosine: f64) -> Judgement {
    let (a, b) = (a.trim().min(b.trim()), a.trim().max(b.trim()));
    if a == b {
        return Judgement::of_equal_words();
    }
    let (a, b) = read(a, b);
    weigh_read(&a, &b, cosine)
}

fn weigh_read(a: &Read, b: &Read, cosine: f64) -> Judgement {
    let unrelated = |ground| Judgement { stance: Stance::Unrelated, ground };
    if let Some(found) = contradiction_between(a.told(), b.told()) {
        return found;
    }
    let Some(laid) = laid(a, b) else { return unrelated(Ground::Unread) };
    let found = differences::differences(a.claims(), b.claims(), &laid);
    if !found.is_empty() {
        return unrelated(Ground::Facts(opposed::named(found)));
    }
    if cosine < CLOSE {
        return unrelated(Ground::Apart(cosine));
    }
    let likely = head::likelihood(&features::features(&laid, cosine));
    let stance = if likely >= LIKELY { Stance::Same } else { Stance::Unrelated };
    Judgement { stance, ground: Ground::Likelihood(likely) }
}

/// The contradiction between what two texts tell, if there is one, whatever else they tell.
fn contradiction_between(a: &[Claim], b: &[Claim]) -> Option<Judgement> {
    let found = opposed::opposed(a, b)?;
    let ground = Ground::Opposed { by: found.by.as_str(), words: found.words };
    Some(Judgement { stance: Stance::Contradiction, ground })
}

/// The names of what the learned head looks at.
pub const FEATURES: [&str; features::COUNT] = features::NAMES;

/// What the learned head sees of two texts; `None` where the rules decide and it is never asked.
pub fn measured(a: &str, b: &str, cosine: f64) -> Option<[f64; FEATURES.len()]> {
    let (a, b) = (a.trim().min(b.trim()), a.trim().max(b.trim()));
    let (x, y) = read(a, b);
    let laid = laid(&x, &y)?;
    let free = a != b
        && contradiction_between(x.told(), y.told()).is_none()
        && differences::differences(x.claims(), y.claims(), &laid).is_empty();
    free.then(|| features::features(&laid, cosine))
}

/// Two texts, read side by side: how one writes its words tells what are names in the other.
fn read(a: &str, b: &str) -> (Read, Read) {
    let spelling = claim::Spelling::of([a, b].into_iter().flat_map(tokens).collect::<Vec<_>>().iter());
    (Read::of(a, &spelling), Read::of(b, &spelling))
}

/// The words side by side; `None` where there are none, or too many.
fn laid<'a>(a: &'a Read, b: &'a Read) -> Option<Alignment<'a>> {
    let count = |claims: &[Claim]| claims.iter().map(|c| c.words.len()).sum::<usize>();
    let fits = |n: usize| (1..=align::WORDS).contains(&n);
    (fits(count(a.claims())) && fits(count(b.claims()))).then(|| {
        Alignment::of(a.claims().iter().flat_map(|c| &c.words), b.claims().iter().flat_map(|c| &c.words))
    })
}

#[cfg(test)]
mod tests;

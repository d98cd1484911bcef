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
//! The head never sees a pair that a fact holds apart. A judge beside the rules, such as the stance model, takes the place of the
//! head, and finds contradictions that the rules do not; a verdict of *same* is rejected all the same where numbers, names,
//! roles or negations differ (`verdict`).

mod align;
mod claim;
mod claim_book;
mod classes;
mod differences;
mod features;
mod grammar;
mod group;
mod head;
mod lexicon;
mod number;
mod opposed;
mod verdict;
mod word;

pub use nightfold_memory::Stance;
use nightfold_memory::{JudgeConfig, Reason, Value, Verdict};

pub(crate) use self::claim_book::ClaimBook;
use self::claim_book::Read;
pub(crate) use self::group::conflicting;
use self::verdict::AGREEING;
pub use self::verdict::{accept_verdict, fallback_verdict};
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
    pub evidence: Evidence,
    /// Probabilities given by the judge that was asked, also where the rules decided otherwise; `None` if none answered.
    pub verdict: Option<Verdict>,
}

/// What decided a judgement.
#[derive(Debug, Clone, PartialEq)]
pub enum Evidence {
    /// The very same words.
    Words,
    /// The verdict of a judge that was asked, such as the stance model.
    Asked,
    /// A judge found a contradiction that needs the rules beside it, and they find none: why it needs them.
    Unconfirmed(&'static str),
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
    /// The judgement of the rules, or of what takes their place.
    fn new(stance: Stance, evidence: Evidence) -> Self {
        Self { stance, evidence, verdict: None }
    }

    fn of_equal_words() -> Self {
        Self::new(Stance::Same, Evidence::Words)
    }

    /// Whether the rules found why the texts cannot be the same, or could not read them.
    pub(crate) fn holds_apart(&self) -> bool {
        matches!(self.evidence, Evidence::Opposed { .. } | Evidence::Facts(_) | Evidence::Unread)
    }

    /// Evidence as reasons give it: `judged_by` and by what that was, the probabilities of a judge that was asked, and the
    /// thresholds (`*_from`) that these were held against.
    pub fn values(&self, settings: &JudgeConfig) -> Vec<(&'static str, Value)> {
        let by = |name: &str| ("judged_by", Value::from(name));
        let (same_from, contradiction_from) = (
            ("same_from", settings.same_from.into()),
            ("contradiction_from", settings.contradiction_from.into()),
        );
        let mut values = match &self.evidence {
            Evidence::Words => vec![by("words")],
            Evidence::Asked => match self.stance {
                Stance::Same => vec![by("model"), same_from],
                Stance::Contradiction => vec![by("model"), contradiction_from],
                Stance::Unrelated => vec![by("model"), same_from, contradiction_from],
            },
            Evidence::Unconfirmed(why) => {
                vec![by("model"), contradiction_from, ("unconfirmed", (*why).into())]
            }
            Evidence::FailSafe(from) => vec![by("fail-safe"), ("fail_safe_from", (*from).into())],
            Evidence::Opposed { by: difference, words } => {
                let differs = words.iter().map(|(a, b)| ("differs", format!("{a} / {b}").as_str().into()));
                // Where the rules find the contradiction too, half of the probability is enough.
                let from = AGREEING * settings.contradiction_from;
                let agrees = self.verdict.filter(|verdict| verdict.contradiction >= from);
                let agrees = agrees.map(|_| ("contradiction_from", from.into()));
                [by(difference)].into_iter().chain(differs).chain(agrees).collect()
            }
            Evidence::Facts(facts) => vec![by(facts)],
            Evidence::Unread => vec![by("nothing")],
            Evidence::Apart(_) => vec![by("cosine"), ("close_from", CLOSE.into())],
            Evidence::Likelihood(p) => {
                vec![by("likelihood"), ("likelihood", (*p).into()), ("likelihood_from", LIKELY.into())]
            }
        };
        if let Some(verdict) = self.verdict {
            values.push(("same", verdict.same.into()));
            values.push(("contradiction", verdict.contradiction.into()));
        }
        values
    }

    /// Adds what decided to the reason of a change.
    pub(crate) fn explain(&self, reason: Reason, settings: &JudgeConfig) -> Reason {
        self.values(settings).into_iter().fold(reason, |reason, (name, value)| reason.with(name, value))
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
/// use nightfold_consolidate::stance::{Evidence, weigh};
///
/// let judged = weigh("Joss owes Tom 14 silver", "Tom owes Joss 14 silver", 0.98);
/// assert_eq!(judged.evidence, Evidence::Facts("role".to_owned()));
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
    let unrelated = |evidence| Judgement::new(Stance::Unrelated, evidence);
    if let Some(found) = contradiction_between(a.told(), b.told()) {
        return found;
    }
    let Some(laid) = laid(a, b) else { return unrelated(Evidence::Unread) };
    let found = differences::differences(a.claims(), b.claims(), &laid);
    if !found.is_empty() {
        return unrelated(Evidence::Facts(opposed::named(found)));
    }
    if cosine < CLOSE {
        return unrelated(Evidence::Apart(cosine));
    }
    let likely = head::likelihood(&features::features(&laid, cosine));
    let stance = if likely >= LIKELY { Stance::Same } else { Stance::Unrelated };
    Judgement::new(stance, Evidence::Likelihood(likely))
}

/// The contradiction between what two texts tell, if there is one, whatever else they tell.
fn contradiction_between(a: &[Claim], b: &[Claim]) -> Option<Judgement> {
    let found = opposed::opposed(a, b)?;
    let evidence = Evidence::Opposed { by: found.by.as_str(), words: found.words };
    Some(Judgement::new(Stance::Contradiction, evidence))
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

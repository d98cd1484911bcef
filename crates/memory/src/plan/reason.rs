//! Why a change is in the plan.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

/// The rule that decided a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The same text more than once.
    ExactRepeat,
    /// A status line that repeats but for its numbers.
    StatusRepeat,
    /// Nothing in the text.
    Blank,
    /// The game pinned it.
    Pinned,
    /// As important as what is always kept.
    Important,
    /// Says what long-term memory already says.
    AlreadyKnown,
    /// Known already by the rules, but not by the judge that was asked. Of plans of earlier versions.
    HeldApart,
    /// Contradicts what the NPC believed: the news is kept whatever the budget.
    ChangesBelief,
    /// In a group of similar memories.
    Similar,
    /// Over budget in a cluster that hangs together: told with the others.
    OverBudgetCohesive,
    /// Unimportant, in a cluster that does not hang together.
    UnimportantIncoherent,
    /// Over budget, with one of the lowest keep scores.
    OverBudget,
    /// Within its cluster's budget.
    WithinBudget,
    /// Loose, and unlike anything else.
    Novel,
    /// Drawn from a cluster that hangs together.
    CohesiveCluster,
    /// A reflection that stands already, drawn again from other memories.
    DrawnAgain,
    /// Contradicted by something newer.
    Contradicted,
    /// Contradicted by something less well founded; both stay.
    Contested,
    /// Somebody decided between contested entries.
    Settled,
    /// More insights on one subject than are kept, and this one was touched before those.
    Capped,
    /// Somebody asked for it back.
    Restored,
    /// Archived for want of worth or room, and said again on a later night.
    SaidAgain,
    /// Somebody who reviewed the plan declined what else was to become of it.
    Declined,
    /// Old and unimportant: told in short with what is like it.
    Abstracted,
    /// Weaker than what is remembered.
    Faded,
    /// One of the weakest, where there are more than may be active.
    OverMost,
}

impl Rule {
    /// The rules that archive for want of worth or room: what they archive was neither replaced nor found wrong.
    pub const LETTING_GO: [Self; 4] =
        [Self::UnimportantIncoherent, Self::OverBudget, Self::Faded, Self::OverMost];

    /// True for a rule that archives for want of worth or room ([`Rule::LETTING_GO`]).
    pub fn lets_go(self) -> bool {
        Self::LETTING_GO.contains(&self)
    }

    /// The name used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ExactRepeat => "exact-repeat",
            Self::StatusRepeat => "status-repeat",
            Self::Blank => "blank",
            Self::Pinned => "pinned",
            Self::Important => "important",
            Self::AlreadyKnown => "already-known",
            Self::HeldApart => "held-apart",
            Self::ChangesBelief => "changes-belief",
            Self::Similar => "similar",
            Self::OverBudgetCohesive => "over-budget-cohesive",
            Self::UnimportantIncoherent => "unimportant-incoherent",
            Self::OverBudget => "over-budget",
            Self::WithinBudget => "within-budget",
            Self::Novel => "novel",
            Self::CohesiveCluster => "cohesive-cluster",
            Self::DrawnAgain => "drawn-again",
            Self::Contradicted => "contradicted",
            Self::Contested => "contested",
            Self::Settled => "settled",
            Self::Capped => "capped",
            Self::Restored => "restored",
            Self::SaidAgain => "said-again",
            Self::Declined => "declined",
            Self::Abstracted => "abstracted",
            Self::Faded => "faded",
            Self::OverMost => "over-most",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A value that a rule looked at: a measured one or the threshold it was held against.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A count.
    Count(u64),
    /// A score, to four decimals.
    Score(f64),
    /// A name.
    Name(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(n) => write!(f, "{n}"),
            Self::Score(x) => write!(f, "{x:.2}"),
            Self::Name(s) => f.write_str(s),
        }
    }
}

impl From<usize> for Value {
    fn from(n: usize) -> Self {
        Self::Count(n as u64)
    }
}

impl From<u32> for Value {
    fn from(n: u32) -> Self {
        Self::Count(u64::from(n))
    }
}

impl From<f64> for Value {
    fn from(x: f64) -> Self {
        // Four decimals are what a reader can use, and keep a plan's bytes short. No negative zero.
        Self::Score((x * 1e4).round() / 1e4 + 0.0)
    }
}

impl From<f32> for Value {
    fn from(x: f32) -> Self {
        Self::from(f64::from(x))
    }
}

impl From<&str> for Value {
    fn from(s: &str) -> Self {
        Self::Name(s.to_owned())
    }
}

/// The rule that decided a change, with what it looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// Which rule.
    pub rule: Rule,
    /// The measured values and the thresholds, by name.
    pub values: BTreeMap<String, Value>,
}

impl Reason {
    /// A reason without values yet.
    pub fn new(rule: Rule) -> Self {
        Self { rule, values: BTreeMap::new() }
    }

    /// With one more value.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.values.insert(name.to_owned(), value.into());
        self
    }

    fn name(&self, name: &str) -> Option<&str> {
        match self.values.get(name)? {
            Value::Name(value) => Some(value),
            Value::Count(_) | Value::Score(_) => None,
        }
    }

    /// The ids of the two statements whose comparison decided, the older one first; `None` if the rule compared no two, or the
    /// plan is of an earlier version.
    pub fn compared(&self) -> Option<(&str, &str)> {
        self.name("older").zip(self.name("newer"))
    }

    /// The comparison of two statements in words: each probability and the cosine with the threshold it was held against, then
    /// how well founded the newer one is against the older one. `None` if the rule compared no two.
    ///
    /// ```
    /// use nightfold_memory::{Reason, Rule};
    ///
    /// let reason = Reason::new(Rule::Contradicted)
    ///     .with("judged_by", "model")
    ///     .with("contradiction", 0.97)
    ///     .with("contradiction_from", 0.8)
    ///     .with("cosine", 0.86)
    ///     .with("band_from", 0.83)
    ///     .with("founded", "lived")
    ///     .with("against", "told");
    /// let told = "contradiction 0.97 ≥ 0.80 by model, cosine 0.86 ≥ 0.83, lived against told";
    /// assert_eq!(reason.comparison().as_deref(), Some(told));
    /// ```
    pub fn comparison(&self) -> Option<String> {
        let mut parts = vec![comparison_of(|name| self.values.get(name))?];
        if let Some((founded, against)) = self.name("founded").zip(self.name("against")) {
            parts.push(format!("{founded} against {against}"));
        }
        parts.extend(self.name("came").map(|came| format!("came {came}")));
        parts.extend(self.name("settles").map(|id| format!("confirms {id}, with which it was contested")));
        Some(parts.join(", "))
    }

    /// Values that [`Reason::comparison`] does not tell, by name.
    pub fn beside_comparison(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.values
            .iter()
            .map(|(name, value)| (name.as_str(), value))
            .filter(|(name, _)| !TOLD.contains(name))
    }
}

/// The values that a comparison in words tells.
const TOLD: [&str; 19] = [
    "against",
    "band_from",
    "came",
    "claims_from",
    "close_from",
    "contradiction",
    "contradiction_from",
    "cosine",
    "differs",
    "fail_safe_from",
    "founded",
    "judged_by",
    "likelihood",
    "likelihood_from",
    "newer",
    "older",
    "same",
    "same_from",
    "settles",
];

/// Judgement of two statements in words, from the values of a judgement and their cosine: probabilities first, each
/// with its threshold. `None` if nothing was judged.
pub fn comparison_of<'v>(value: impl Fn(&str) -> Option<&'v Value>) -> Option<String> {
    let judged_by = value("judged_by")?.to_string();
    let number = |name: &str| match value(name)? {
        Value::Score(score) => Some(*score),
        Value::Count(count) => Some(*count as f64),
        Value::Name(_) => None,
    };
    // A number with the first of these thresholds that there is.
    let held = |name: &str, thresholds: &[&str]| {
        let own = number(name)?;
        let from = thresholds.iter().find_map(|from| number(from));
        Some(match from {
            Some(from) if own >= from => format!("{name} {own:.2} ≥ {from:.2}"),
            Some(from) => format!("{name} {own:.2} < {from:.2}"),
            None => format!("{name} {own:.2}"),
        })
    };
    let (same, contradiction) =
        (held("same", &["same_from"]), held("contradiction", &["contradiction_from"]));
    // What decided comes first; what was only said is left out where something else decided.
    let (decides_same, decides_not) = (number("same_from").is_some(), number("contradiction_from").is_some());
    let probabilities: Vec<String> = match (decides_same, decides_not) {
        (true, false) => same.into_iter().collect(),
        (false, true) => contradiction.into_iter().collect(),
        _ => contradiction.into_iter().chain(same).collect(),
    };
    let cosine = held("cosine", &["band_from", "claims_from"]);
    let mut parts = Vec::new();
    match judged_by.as_str() {
        "model" => {
            parts.push(format!("{} by model", probabilities.join(", ")));
            parts.extend(value("unconfirmed").map(|why| format!("which the rules do not confirm ({why})")));
            parts.extend(cosine);
        }
        "words" => parts.push("the same words".to_owned()),
        "fail-safe" => parts.extend(
            held("cosine", &["fail_safe_from"]).map(|cosine| format!("{cosine}, without a judge's answer")),
        ),
        "cosine" => parts.extend(held("cosine", &["close_from"])),
        "likelihood" => parts.extend(held("likelihood", &["likelihood_from"]).into_iter().chain(cosine)),
        "nothing" => parts.push("too long to be compared, or without telling words".to_owned()),
        difference => {
            let words = value("differs").map_or_else(String::new, |words| format!(" ({words})"));
            parts.push(format!("they differ in {difference}{words}"));
            parts.extend(
                (!probabilities.is_empty()).then(|| format!("{} by model", probabilities.join(", "))),
            );
            parts.extend(cosine);
        }
    }
    Some(parts.join(", "))
}

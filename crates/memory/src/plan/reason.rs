//! Reasons of changes: the rule that decided, with its values.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

/// Rule that decided a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The same text occurs more than once.
    ExactRepeat,
    /// A status line repeats except for its numbers.
    StatusRepeat,
    /// The text holds nothing to remember.
    Blank,
    /// The memory is pinned by the game.
    Pinned,
    /// The importance is at least `triage.important`.
    Important,
    /// Long-term memory says the same already.
    AlreadyKnown,
    /// The memory contradicts an entry of the NPC, and is kept regardless of the budget.
    ChangesBelief,
    /// The memory belongs to a group of similar memories.
    Similar,
    /// The night is over budget: the memory is synthesized with others that are rather similar.
    OverBudgetCohesive,
    /// The importance is below `triage.unimportant`, and the memory is in no theme.
    UnimportantLoose,
    /// The cluster is over budget, and the memory has one of the lowest keep scores.
    OverBudget,
    /// The day has more distinct memories than `cluster.max_distinct`, and others are more salient or of senders with
    /// fewer memories; it was not read.
    OverDistinct,
    /// The memory is one of a flood of one pattern (`cluster.flood`), and has no word that those before it lack; it was
    /// not read.
    Flood,
    /// The memory is within its cluster's budget.
    WithinBudget,
    /// The memory is unrated talk, and it is worth too little for its length (`budget.text`).
    OverText,
    /// The memory is unrated talk, and it is worth its length (`budget.text`).
    WithinText,
    /// The memory is condensed already, and one of the most salient such memories of the day (`budget.condensed`).
    Condensed,
    /// The reflection is derived from a cohesive cluster.
    CohesiveCluster,
    /// The reflection is concluded from several memories, of earlier nights too.
    Concluded,
    /// The reflection is distilled from similar memories of several days.
    Distilled,
    /// The reflection exists already and was derived again from other memories.
    DrawnAgain,
    /// A newer statement contradicts the entry.
    Contradicted,
    /// A less well-founded statement contradicts the entry; both statements stay.
    Contested,
    /// A newer statement ends a position of the entry; the rest of the entry stays.
    Ended,
    /// A person decided between contested entries.
    Settled,
    /// A newer reflection on the same matter stands in the place of this one.
    Replaced,
    /// The subject has more reflections than the cap, and this reflection was touched less recently than the
    /// kept ones.
    Capped,
    /// A person asked to restore the entry.
    Restored,
    /// The entry came faintly to mind since the last night.
    Recalled,
    /// A person who reviewed the plan declined another change to the memory.
    Declined,
    /// The entry is old and unimportant, and is summarised with similar entries.
    Abstracted,
    /// The strength of the entry is below `maintain.forget_below`.
    Faded,
    /// The entry is one of the weakest, and the NPC has more active entries than `maintain.max_active`.
    OverMost,
}

impl Rule {
    /// Rules that archive what was neither superseded nor found wrong, and that no other entry says in the same words. An
    /// entry archived by one of them may come faintly to mind.
    pub const FAINT: [Self; 9] = [
        Self::UnimportantLoose,
        Self::OverBudget,
        Self::OverText,
        Self::Similar,
        Self::OverBudgetCohesive,
        Self::Abstracted,
        Self::Distilled,
        Self::Faded,
        Self::OverMost,
    ];

    /// Returns the name used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ExactRepeat => "exact-repeat",
            Self::StatusRepeat => "status-repeat",
            Self::Blank => "blank",
            Self::Pinned => "pinned",
            Self::Important => "important",
            Self::AlreadyKnown => "already-known",
            Self::ChangesBelief => "changes-belief",
            Self::Similar => "similar",
            Self::OverBudgetCohesive => "over-budget-cohesive",
            Self::UnimportantLoose => "unimportant-loose",
            Self::OverBudget => "over-budget",
            Self::OverDistinct => "over-distinct",
            Self::Flood => "flood",
            Self::WithinBudget => "within-budget",
            Self::OverText => "over-text",
            Self::WithinText => "within-text",
            Self::Condensed => "condensed",
            Self::CohesiveCluster => "cohesive-cluster",
            Self::Concluded => "concluded",
            Self::Distilled => "distilled",
            Self::DrawnAgain => "drawn-again",
            Self::Contradicted => "contradicted",
            Self::Contested => "contested",
            Self::Ended => "ended",
            Self::Settled => "settled",
            Self::Replaced => "replaced",
            Self::Capped => "capped",
            Self::Restored => "restored",
            Self::Recalled => "recalled",
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

/// Value that a rule looked at: a measured value, or the threshold it was compared with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// Reason of a change: the rule that decided it, with the values it looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reason {
    /// Rule that decided.
    pub rule: Rule,
    /// Measured values and thresholds, by name.
    pub values: BTreeMap<String, Value>,
}

impl Reason {
    /// Returns a reason without values.
    pub fn new(rule: Rule) -> Self {
        Self { rule, values: BTreeMap::new() }
    }

    /// Returns the reason with one more value.
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

    /// Returns the ids of the two statements whose comparison decided, the older one first; `None` if the
    /// rule compared no statements.
    pub fn compared(&self) -> Option<(&str, &str)> {
        self.name("older").zip(self.name("newer"))
    }

    /// Returns the comparison of two statements in words: each probability and the cosine with its threshold,
    /// then the foundations of the newer and the older statement. `None` if the rule compared no statements.
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

    /// True for the name of a value that [`Reason::comparison`] puts in words.
    pub(super) fn is_compared(name: &str) -> bool {
        COMPARISON_VALUES.contains(&name)
    }
}

/// Names of the values that a comparison in words contains.
const COMPARISON_VALUES: [&str; 18] = [
    "against",
    "aligned",
    "aligned_from",
    "band_from",
    "came",
    "close_from",
    "contradiction",
    "contradiction_from",
    "cosine",
    "differs",
    "fail_safe_from",
    "founded",
    "judged_by",
    "newer",
    "older",
    "same",
    "same_from",
    "settles",
];

/// Returns a judgement of two statements in words, from its values and the cosine: probabilities first, each
/// with its threshold. `None` if nothing was judged.
pub fn comparison_of<'v>(value: impl Fn(&str) -> Option<&'v Value>) -> Option<String> {
    let judged_by = value("judged_by")?.to_string();
    let number = |name: &str| match value(name)? {
        Value::Score(score) => Some(*score),
        Value::Count(count) => Some(*count as f64),
        Value::Name(_) => None,
    };
    // A number, compared with the first of these thresholds that is present.
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
    // If one probability decided, the other one is left out.
    let (decides_same, decides_not) = (number("same_from").is_some(), number("contradiction_from").is_some());
    let probabilities: Vec<String> = match (decides_same, decides_not) {
        (true, false) => same.into_iter().collect(),
        (false, true) => contradiction.into_iter().collect(),
        _ => contradiction.into_iter().chain(same).collect(),
    };
    let cosine = held("cosine", &["band_from"]);
    let mut parts = Vec::new();
    match judged_by.as_str() {
        "model" => {
            parts.push(format!("{} by model", probabilities.join(", ")));
            parts.extend(cosine);
        }
        "words" => parts.push("the same words".to_owned()),
        "fail-safe" => parts.extend(
            held("cosine", &["fail_safe_from"]).map(|cosine| format!("{cosine}, without a judge's answer")),
        ),
        "cosine" => parts.extend(held("cosine", &["close_from"])),
        "aligned" => parts.extend(held("aligned", &["aligned_from"]).into_iter().chain(cosine)),
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

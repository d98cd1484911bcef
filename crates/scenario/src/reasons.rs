//! Reasons as sentences.

use nightfold_memory::{Reason, Rule, Value};

/// Number of letters of a text that are shown.
const SHOWN: usize = 90;

/// Returns the beginning of a text, in quotes.
pub(crate) fn quoted(text: &str) -> String {
    let text = text.trim();
    let shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() { format!("“{shown}…”") } else { format!("“{shown}”") }
}

/// Describes the values that a rule used: `importance 2 < 3 and cohesion 0.21 < 0.35`.
pub(crate) fn rule_sentence(reason: &Reason) -> String {
    let value = |name: &str| reason.values.get(name).map_or_else(|| "?".to_owned(), told);
    let known = || {
        let cosine = || format!("cosine {} ≥ {}", value("cosine"), value("band_from"));
        reason.comparison().unwrap_or_else(cosine)
    };
    match reason.rule {
        Rule::ExactRepeat => "the text is the same".to_owned(),
        Rule::StatusRepeat => {
            format!("the same status with other numbers ({} of them)", either(reason, "readings", "entries"))
        }
        Rule::Blank => "there is nothing in it".to_owned(),
        Rule::Pinned => "it is pinned".to_owned(),
        Rule::Important => format!("importance {} ≥ {}", value("importance"), value("important_from")),
        Rule::AlreadyKnown => known(),
        Rule::HeldApart => "the judge held it apart from what is known".to_owned(),
        Rule::ChangesBelief => "it contradicts what was believed".to_owned(),
        Rule::Similar => {
            format!("similarity {} ≥ {}, each to each", value("similarity"), value("similar_from"))
        }
        Rule::OverBudgetCohesive => format!(
            "over the budget of {}, in a theme that hangs together (cohesion {}), with similarity {} ≥ {}",
            value("budget"),
            value("cohesion"),
            value("similarity"),
            value("similar_from")
        ),
        Rule::Excerpt => format!(
            "of {} characters of talk the {} that tell most are kept",
            value("chars"),
            value("kept_chars")
        ),
        Rule::UnimportantIncoherent => format!(
            "importance {} < {} and cohesion {} < {}",
            value("importance"),
            value("unimportant_below"),
            value("cohesion"),
            value("incoherent_below")
        ),
        Rule::OverBudget if value("budget") == "0" => {
            "a trifle, and its theme has no room tonight: what is worth more takes it".to_owned()
        }
        Rule::OverBudget => format!(
            "over the budget of {}, and its keep score {} is below the last that fits ({})",
            value("budget"),
            value("keep_score"),
            value("lowest_kept")
        ),
        Rule::WithinBudget => {
            format!("within the budget of {}, keep score {}", value("budget"), value("keep_score"))
        }
        Rule::OverText => format!(
            "keep score {} for {} characters, by its length {}, is below the least that has room ({})",
            value("keep_score"),
            value("chars"),
            value("worth"),
            value("least_worth")
        ),
        Rule::WithinText => {
            format!(
                "talk worth its length: keep score {} for {} characters",
                value("keep_score"),
                value("chars")
            )
        }
        Rule::Novel => {
            format!("nothing of the day is closer than {} < {}", value("nearest"), value("novel_below"))
        }
        Rule::CohesiveCluster => {
            format!("the theme hangs together: cohesion {} ≥ {}", value("cohesion"), value("cohesion_from"))
        }
        Rule::DrawnAgain => reason
            .comparison()
            .unwrap_or_else(|| format!("cosine {} to what other memories say", value("cosine"))),
        Rule::Contradicted if reason.values.contains_key("rests_on") => {
            format!("it rests on {}, which is superseded", value("rests_on"))
        }
        Rule::Contradicted => {
            let from = either(reason, "band_from", "claims_from");
            reason.comparison().unwrap_or_else(|| format!("cosine {} ≥ {from}", value("cosine")))
        }
        Rule::Contested => {
            let comparison = reason.comparison().map_or_else(String::new, |told| format!(": {told}"));
            format!("one contradicts the other and neither is superseded{comparison}")
        }
        Rule::Settled => "somebody decided between them".to_owned(),
        Rule::Capped => {
            format!("{} insights on {}, of which {} stay", value("insights"), value("subject"), value("most"))
        }
        Rule::Restored => "somebody asked for it to be restored".to_owned(),
        Rule::SaidAgain => format!("it was archived ({}) and is repeated: {}", value("archived_by"), known()),
        Rule::Declined => "somebody declined what else was to become of it".to_owned(),
        Rule::Abstracted => format!(
            "{} entries of one {} are old and alike (similarity {} ≥ {})",
            value("entries"),
            value("period"),
            value("similarity"),
            value("similar_from")
        ),
        Rule::Faded => format!(
            "strength {} < {} after {} days, with a half-life of {}",
            value("strength"),
            value("forget_below"),
            value("age_days"),
            value("half_life_days")
        ),
        Rule::OverMost => {
            format!(
                "one of the weakest (strength {}) beyond the {} that may be active",
                value("strength"),
                value("active_most")
            )
        }
    }
}

fn told(value: &Value) -> String {
    value.to_string()
}

fn either(reason: &Reason, one: &str, other: &str) -> String {
    reason.values.get(one).or_else(|| reason.values.get(other)).map_or_else(|| "?".to_owned(), told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_sentence_shows_values_and_thresholds() {
        let reason = Reason::new(Rule::UnimportantIncoherent)
            .with("importance", 2_u32)
            .with("unimportant_below", 3_u32)
            .with("cohesion", 0.21)
            .with("incoherent_below", 0.35);
        assert_eq!(rule_sentence(&reason), "importance 2 < 3 and cohesion 0.21 < 0.35");
        // Plans of other versions may lack a value.
        assert_eq!(rule_sentence(&Reason::new(Rule::Important)), "importance ? ≥ ?");
    }
}

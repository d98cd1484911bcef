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
    let fill = |template: &str| filled(template, reason);
    let comparison = || reason.comparison();
    match reason.rule {
        Rule::ExactRepeat => fill("the text is the same"),
        Rule::StatusRepeat => {
            format!("the same status with other numbers ({} of them)", either(reason, "readings", "entries"))
        }
        Rule::Blank => fill("there is nothing in it"),
        Rule::Pinned => fill("it is pinned"),
        Rule::Important => fill("importance {importance} ≥ {important_from}"),
        Rule::AlreadyKnown => known(reason),
        Rule::ChangesBelief => fill("it contradicts what was believed"),
        Rule::Similar => fill("similarity {similarity} ≥ {similar_from}, each to each"),
        Rule::OverBudgetCohesive => fill(
            "the night is over its budget (of this theme {budget}), similarity {similarity} ≥ {similar_from}, each to each",
        ),
        Rule::UnimportantLoose => fill("importance {importance} < {unimportant_below} and in no theme"),
        Rule::OverBudget if value(reason, "budget") == "0" => {
            fill("a trifle, and its theme has no room tonight: what is worth more takes it")
        }
        Rule::OverBudget => fill(
            "over the budget of {budget}, and its keep score {keep_score} is below the last that fits ({lowest_kept})",
        ),
        Rule::OverDistinct => fill(
            "the day holds {distinct} distinct memories, {of_sender} of them of its sender, and {max_distinct} are allowed",
        ),
        Rule::Flood => fill(
            "one of {alike} memories of which each word is in {with_each_word} or more of the day, and none of its words is new",
        ),
        Rule::WithinBudget => fill("within the budget of {budget}, keep score {keep_score}"),
        Rule::OverText => fill(
            "talk that tells too little for its length: keep score {keep_score} in {chars} characters, weighed {worth}; \
             what stays has {least_worth} or more",
        ),
        Rule::WithinText => {
            fill("talk that is worth its length: keep score {keep_score} in {chars} characters")
        }
        Rule::Condensed => fill("a paragraph of {chars} characters, condensed already"),
        Rule::CohesiveCluster => fill("the theme hangs together: cohesion {cohesion} ≥ {cohesion_from}"),
        Rule::DrawnAgain => {
            comparison().unwrap_or_else(|| fill("cosine {cosine} to what other memories say"))
        }
        Rule::Concluded => fill("{conclusion} on {occasions} of {of} occasions, {counter} against it"),
        Rule::Distilled => fill(
            "{occasions} of {of} similar memories, on {days} days (similarity {similarity} ≥ {similar_from})",
        ),
        Rule::Contradicted if reason.values.contains_key("rests_on") => {
            fill("it rests on {rests_on}, which is superseded")
        }
        Rule::Contradicted => comparison().unwrap_or_else(|| format!("cosine {}", value(reason, "cosine"))),
        Rule::Contested => {
            let comparison = comparison().map_or_else(String::new, |told| format!(": {told}"));
            format!("one contradicts the other and neither is superseded{comparison}")
        }
        Rule::Ended => {
            let comparison = comparison().map_or_else(String::new, |told| format!(": {told}"));
            format!("a newer statement ends a part of it and leaves the rest{comparison}")
        }
        Rule::Settled => fill("somebody decided between them"),
        Rule::Replaced => fill("a newer reflection on {subject} takes its place"),
        Rule::Capped => fill("{insights} insights on {subject}, of which {most} stay"),
        Rule::Restored => fill("somebody asked for it to be restored"),
        Rule::Recalled => fill("it came faintly to mind since the last night"),
        Rule::Declined => fill("somebody declined what else was to become of it"),
        Rule::Abstracted => fill(
            "{entries} entries of one {period} are old and alike (similarity {similarity} ≥ {similar_from})",
        ),
        Rule::Faded => fill(
            "strength {strength} < {forget_below} after {age_days} days, with a half-life of {half_life_days}",
        ),
        Rule::OverMost => {
            fill("one of the weakest (strength {strength}) beyond the {active_most} that may be active")
        }
    }
}

/// Describes why a statement counts as known.
fn known(reason: &Reason) -> String {
    reason.comparison().unwrap_or_else(|| filled("cosine {cosine} ≥ {band_from}", reason))
}

/// Returns a template with each `{name}` replaced by the value of that name.
fn filled(template: &str, reason: &Reason) -> String {
    let mut parts = template.split('{');
    let mut sentence = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once('}').unwrap_or((part, ""));
        sentence.push_str(&value(reason, name));
        sentence.push_str(rest);
    }
    sentence
}

fn value(reason: &Reason, name: &str) -> String {
    reason.values.get(name).map_or_else(|| "?".to_owned(), told)
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
        let reason =
            Reason::new(Rule::UnimportantLoose).with("importance", 2_u32).with("unimportant_below", 3_u32);
        assert_eq!(rule_sentence(&reason), "importance 2 < 3 and in no theme");
        // Plans of other versions may lack a value.
        assert_eq!(rule_sentence(&Reason::new(Rule::Important)), "importance ? ≥ ?");
    }
}

//! Reasons in words: comparisons, salience, and all further values by name.

use super::{Reason, Value};

/// Beginning of the names of the values that [`Reason::salience`] puts in words.
const SALIENCE: &str = "salience";

/// Parts that are added to the importance or to what the text tells, in the order in which they are shown.
const ADDED: [&str; 7] = ["emotion", "surprise", "meaning", "repetition", "actors", "kind", "tags"];

/// Parts of what the text tells.
const TOLD: [&str; 3] = ["information", "learned", "opening"];

impl Reason {
    /// Returns the salience of a memory with its parts in words; `None` if the reason has none.
    ///
    /// ```
    /// use nightfold_memory::{Reason, Rule};
    ///
    /// let reason = Reason::new(Rule::WithinBudget)
    ///     .with("salience", 4.32)
    ///     .with("salience_told", 4.02)
    ///     .with("salience_information", 3.9)
    ///     .with("salience_learned", 4.14)
    ///     .with("salience_meaning", 0.3)
    ///     .with("salience_about", "debt");
    /// let told = "salience 4.32 = told 4.02 (information 3.90, learned 4.14) + meaning 0.30 (debt)";
    /// assert_eq!(reason.salience().as_deref(), Some(told));
    /// ```
    pub fn salience(&self) -> Option<String> {
        let total = self.values.get(SALIENCE)?;
        let part = |name: &str| self.values.get(&format!("{SALIENCE}_{name}"));
        let mut base = Vec::new();
        base.extend(part("rated").map(|rated| format!("rated {rated}")));
        base.extend(part("calibrated").map(|calibrated| format!("calibrated {calibrated}")));
        if let Some(told) = part("told") {
            let of: Vec<String> =
                TOLD.into_iter().filter_map(|name| Some(format!("{name} {}", part(name)?))).collect();
            base.push(format!("told {told} ({})", of.join(", ")));
        }
        let mut words = format!("salience {total} = {}", base.join(", "));
        for name in ADDED {
            let Some(points) = part(name) else { continue };
            match points {
                Value::Score(points) if *points < 0.0 => words.push_str(&format!(" − {name} {:.2}", -points)),
                points => words.push_str(&format!(" + {name} {points}")),
            }
            if name == "meaning" {
                words.extend(part("about").map(|about| format!(" ({about})")));
            }
        }
        words.extend(part("added").map(|most| format!(" (up to repetition at most {most})")));
        Some(words)
    }

    /// Returns everything that the rule looked at in words: the comparison of two statements, the further values by
    /// name, and the salience.
    pub fn details(&self) -> Vec<String> {
        let value = |(name, value): (&str, &Value)| format!("{} {value}", name.replace('_', " "));
        let comparison = self.comparison();
        let compared = comparison.is_some();
        let rest = self.values.iter().map(|(name, value)| (name.as_str(), value));
        let rest = rest.filter(|(name, _)| !name.starts_with(SALIENCE));
        let rest = rest.filter(|(name, _)| !compared || !Self::is_compared(name));
        comparison.into_iter().chain(rest.map(value)).chain(self.salience()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Rule;

    #[test]
    fn details_list_values_by_name_and_salience_in_one_part() {
        let reason = Reason::new(Rule::OverBudget)
            .with("keep_score", 2.1)
            .with("lowest_kept", 3.0)
            .with("salience", 1.1)
            .with("salience_rated", 2.0)
            .with("salience_emotion", 0.1)
            .with("salience_tags", -1.0);
        assert_eq!(
            reason.details(),
            ["keep score 2.10", "lowest kept 3.00", "salience 1.10 = rated 2.00 + emotion 0.10 − tags 1.00"]
        );
        assert_eq!(Reason::new(Rule::Pinned).details(), Vec::<String>::new());
    }

    #[test]
    fn bound_of_the_added_parts_is_named() {
        let reason = Reason::new(Rule::WithinBudget)
            .with("salience", 5.8)
            .with("salience_rated", 5.0)
            .with("salience_emotion", 0.5)
            .with("salience_meaning", 0.4)
            .with("salience_added", 0.8);
        let told = "salience 5.80 = rated 5.00 + emotion 0.50 + meaning 0.40 (up to repetition at most 0.80)";
        assert_eq!(reason.salience().as_deref(), Some(told));
    }
}

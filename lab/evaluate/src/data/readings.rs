//! Changes of beliefs that a person read one by one.

use std::collections::BTreeMap;

use anyhow::Result;

use super::TextFile;

/// Verdicts of a person on changes: right or not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ChangeReadings(BTreeMap<[String; 4], bool>);

/// Kinds of changes that are counted and read, by the names of plans.
pub(crate) const READ_CHANGES: [&str; 4] = ["supersede", "end", "contest", "corroborate"];

const OWN: &str = include_str!("../../data/beliefs/readings.tsv");

impl ChangeReadings {
    /// Returns the project's own readings.
    ///
    /// # Errors
    /// A line has another shape.
    pub(crate) fn own() -> Result<Self> {
        Self::parse(OWN)
    }

    /// Reads lines of set, change, `right` or `wrong`, older and newer id.
    ///
    /// # Errors
    /// A line has another shape.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let rows = TextFile::embedded("readings.tsv", text).cells(|cells| {
            let [set, change, verdict @ ("right" | "wrong"), older, newer] = *cells else { return None };
            let key = [set, change, older, newer].map(str::to_owned);
            READ_CHANGES.contains(&change).then_some((key, verdict == "right"))
        })?;
        Ok(Self(rows.into_iter().collect()))
    }

    /// Returns true if a change was read as right, false if as wrong. The sides of a contest have no order.
    pub(crate) fn verdict(&self, set: &str, change: &str, older: &str, newer: &str) -> Option<bool> {
        let of = |older: &str, newer: &str| self.0.get(&[set, change, older, newer].map(str::to_owned));
        of(older, newer).or_else(|| (change == "contest").then(|| of(newer, older))?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_of_a_contest_have_no_order_and_other_lines_are_refused() {
        assert!(ChangeReadings::own().is_ok());
        let read =
            ChangeReadings::parse("# head\nlocomo\tcontest\tright\ta\tb\nlocomo\tend\twrong\ta#0\tb\n")
                .unwrap();
        assert_eq!(read.verdict("locomo", "contest", "b", "a"), Some(true));
        assert_eq!(read.verdict("locomo", "end", "a#0", "b"), Some(false));
        assert_eq!(read.verdict("locomo", "end", "b", "a#0"), None);
        for line in ["locomo\tend\t?\ta\tb", "locomo\tkeep\tright\ta\tb", "locomo end right a b"] {
            let error = ChangeReadings::parse(line).unwrap_err().to_string();
            assert!(error.starts_with("readings.tsv:1: "), "{error}");
        }
    }
}

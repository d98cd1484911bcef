//! Changes of beliefs that a person read one by one.

use std::collections::BTreeMap;

use super::{DataError, file::TextFile};

/// Verdicts of a person on changes: right or not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangeReadings(BTreeMap<[String; 4], bool>);

/// Kinds of changes that are counted and read, by the names of plans.
pub const READ_CHANGES: [&str; 4] = ["supersede", "end", "contest", "corroborate"];

const OWN: &str = include_str!("../../data/beliefs/readings.tsv");

impl ChangeReadings {
    /// Returns the project's own readings.
    ///
    /// # Errors
    /// [`DataError::Line`] for a line of another shape.
    pub fn own() -> Result<Self, DataError> {
        Self::parse(OWN)
    }

    /// Reads lines of readings; those that begin with `#` are skipped.
    ///
    /// # Errors
    /// [`DataError::Line`] for a line of another shape.
    pub fn parse(text: &str) -> Result<Self, DataError> {
        let file = TextFile::embedded("readings.tsv", text);
        let mut verdicts = BTreeMap::new();
        for (line, row) in
            (1..).zip(file.text().lines()).filter(|(_, row)| !row.is_empty() && !row.starts_with('#'))
        {
            let wrong = || {
                file.wrong(
                    line,
                    format!("{row:?} is not set, change, `right` or `wrong`, older and newer id"),
                )
            };
            let &[set, change, verdict, older, newer] = row.split('\t').collect::<Vec<_>>().as_slice() else {
                return Err(wrong());
            };
            if !READ_CHANGES.contains(&change) || !["right", "wrong"].contains(&verdict) {
                return Err(wrong());
            }
            verdicts.insert([set, change, older, newer].map(str::to_owned), verdict == "right");
        }
        Ok(Self(verdicts))
    }

    /// Returns true if a change was read as right, false if as wrong. The sides of a contest have no order.
    pub fn verdict(&self, set: &str, change: &str, older: &str, newer: &str) -> Option<bool> {
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

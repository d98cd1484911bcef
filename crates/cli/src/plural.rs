//! Numbers with their nouns.

use nightfold::consolidate::review;
pub(crate) use nightfold::consolidate::review::noun;

/// Returns a number with its noun in the singular or the plural.
pub(crate) fn count(n: impl TryInto<usize>, one: &str, many: &str) -> String {
    review::count(n.try_into().unwrap_or(usize::MAX), one, many)
}

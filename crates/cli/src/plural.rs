//! Numbers with their nouns.

/// Returns a number with its noun: `1 memory`, `3 memories`.
pub(crate) fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", noun(n, one, many))
}

/// Returns the noun alone, for numbers that are set apart: `memory` of 1, `memories` of 3.
pub(crate) fn noun<'a>(n: usize, one: &'a str, many: &'a str) -> &'a str {
    if n == 1 { one } else { many }
}

//! Numbers with their nouns.

/// Returns a number with its noun: `1 memory`, `3 memories`.
pub(crate) fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", noun(n, one, many))
}

/// Returns the noun without the number, for numbers that are printed separately: `memory` of 1, `memories` of
/// 3.
pub(crate) fn noun<'a>(n: usize, one: &'a str, many: &'a str) -> &'a str {
    if n == 1 { one } else { many }
}

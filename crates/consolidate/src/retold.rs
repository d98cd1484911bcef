//! How much of a memory still stands in what was told of it.

use crate::text::Analysis;

/// How much of a source another text keeps, as far as words tell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retold {
    /// The share of its content words, by stem, 0 to 1; 1 where it has none.
    pub content: f64,
    /// Whether all its names and numbers are there.
    pub marks: bool,
}

/// Holds a telling against one of its sources.
///
/// ```
/// use nightfold_consolidate::retold;
///
/// let told = retold("Joss owes me 14 silver.", "Over the day I asked Joss for the 14 silver he owes me.");
/// assert!(told.marks && told.content == 1.0);
/// assert!(!retold("Joss owes me 14 silver.", "Joss owes me silver.").marks);
/// ```
pub fn retold(source: &str, told: &str) -> Retold {
    let source = Analysis::new(source, []);
    let told = Analysis::new(told, source.names.iter().map(String::as_str));
    let held = source.content.iter().filter(|w| told.content.binary_search(w).is_ok()).count();
    let content = if source.content.is_empty() { 1.0 } else { held as f64 / source.content.len() as f64 };
    let names = source.names.iter().all(|name| told.tokens.iter().any(|t| t.lower == *name));
    let numbers = source.numbers.iter().all(|number| told.numbers.binary_search(number).is_ok());
    Retold { content, marks: names && numbers }
}

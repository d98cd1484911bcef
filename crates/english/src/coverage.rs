//! Coverage of one text by another.

use nightfold_memory::Coverage;

use crate::text::{analyze, statements};

/// Measures the share of a source that another text keeps.
pub(crate) fn coverage(source: &str, told: &str) -> Coverage {
    let source = analyze(source, []);
    let told = analyze(told, source.names.iter().map(String::as_str));
    let held = source.content.iter().filter(|w| told.content.binary_search(w).is_ok()).count();
    let content = if source.content.is_empty() { 1.0 } else { held as f64 / source.content.len() as f64 };
    let names = source.names.iter().all(|name| told.tokens.iter().any(|t| t.lower == *name));
    let numbers = source.numbers.iter().all(|number| told.numbers.binary_search(number).is_ok());
    Coverage { content, names_and_numbers: names && numbers }
}

/// Minimum share of a sentence's content words that a statement must hold to be restated by it. The rest are
/// the reflection's own words: "as it stands", "what counts is".
const MIN_RESTATED_SHARE: f64 = 0.6;

/// True if a sentence of a reflection says, for the most part, what a statement says.
pub(crate) fn restates(insight: &str, statement: &str) -> bool {
    let statement = analyze(statement, []).content;
    statements(insight).any(|sentence| {
        let said = analyze(sentence.text, []).content;
        let shared = said.iter().filter(|word| statement.binary_search(word).is_ok()).count();
        shared >= 2 && shared as f64 >= MIN_RESTATED_SHARE * said.len() as f64
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reflection_restates_its_source() {
        let chart = "The chart of the Narrows is in my drawer.";
        assert!(restates(
            "The chart kept coming up in my day. How things are: the chart of the Narrows is in my drawer.",
            chart
        ));
        assert!(restates("For now it stands like this: the chart is in my drawer.", chart));
        assert!(!restates("Ilse and Corin came up in my day for the third time this week.", chart));
        assert!(!restates("What counts is that Corin asked twice after the chart.", chart));
    }

    #[test]
    fn coverage_requires_every_number() {
        let whole =
            coverage("Joss owes me 14 silver.", "Over the day I asked Joss for the 14 silver he owes me.");
        assert!(whole.names_and_numbers && whole.content > 0.999);
        assert!(!coverage("Joss owes me 14 silver.", "Joss owes me silver.").names_and_numbers);
    }
}

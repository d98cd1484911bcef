//! What every new text must hold to before it is believed, whoever wrote it.

use crate::text::{Analysis, Token, holds_words, is_stopword};

/// Words that open a sentence and are no names, beside those of the closed classes.
const OPENERS: &[&str] = &[
    "another",
    "both",
    "each",
    "even",
    "every",
    "everyone",
    "everything",
    "few",
    "lately",
    "many",
    "maybe",
    "nobody",
    "nothing",
    "often",
    "perhaps",
    "people",
    "several",
    "someone",
    "something",
    "sometimes",
    "somehow",
    "though",
    "today",
    "tomorrow",
    "tonight",
    "whenever",
    "without",
    "word",
    "yesterday",
];

/// Whether every number and every name in the text stands in one of its sources, or is the NPC's own. Any word with a
/// capital counts as a name, unless it opens a sentence and is plainly none.
pub(crate) fn grounded(text: &str, sources: &[&Analysis], own: &Analysis) -> bool {
    let stands = |token: &Token| {
        let is_it = |t: &Token| t.lower == token.lower;
        own.tokens.iter().any(is_it) || sources.iter().any(|s| s.tokens.iter().any(is_it))
    };
    Analysis::new(text, []).tokens.iter().all(|token| {
        let plain = token.opens && OPENERS.contains(&token.lower.as_str());
        let is_me = token.lower == "i" || token.lower.starts_with("i'");
        let named = token.capital && !is_stopword(&token.lower) && !plain && !is_me;
        !(named || token.is_number()) || stands(token)
    })
}

/// Whether the text speaks as the NPC itself.
pub(crate) fn first_person(text: &str) -> bool {
    Analysis::new(text, []).tokens.iter().any(|t| {
        matches!(
            t.lower.split('\'').next(),
            Some("i" | "me" | "my" | "mine" | "myself" | "we" | "our" | "us")
        )
    })
}

/// The share of a source's content words that a synthesis must hold to be about it at all.
const ABOUT: f64 = 0.5;

/// Whether a synthesis keeps what its sources say: half of their content, their names and numbers, no less negation
/// than the source that has most of it and no more than all have together, and the very words of those that may not
/// be changed.
pub(crate) fn keeps<'a>(
    text: &str,
    sources: impl Iterator<Item = (&'a str, &'a Analysis, bool)> + Clone,
) -> bool {
    let said = Analysis::new(text, []);
    let negations: usize = sources.clone().map(|(_, analysis, _)| analysis.negations).sum();
    let stands = |word: &String| said.tokens.iter().any(|t| t.lower == *word);
    let is_kept = |(source, analysis, verbatim): (&str, &Analysis, bool)| {
        let held = analysis.content.iter().filter(|w| said.content.binary_search(w).is_ok()).count();
        analysis.names.iter().all(stands)
            && analysis.numbers.iter().all(stands)
            && held as f64 >= ABOUT * analysis.content.len() as f64
            && said.negations >= analysis.negations
            && (!verbatim || holds_words(text, source))
    };
    !said.tokens.is_empty() && said.negations <= negations && sources.into_iter().all(is_kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_no_source_is_found() {
        let own = Analysis::new("Mara", ["Mara"]);
        let source = Analysis::new("I asked Joss for 14 silver", []);
        assert!(grounded("Joss keeps his 14 silver, I think", &[&source], &own));
        assert!(!grounded("I asked Tom for it", &[&source], &own));
        assert!(!grounded("I asked Joss for 15 silver", &[&source], &own));
        assert!(!grounded("Aldric stole my 14 silver", &[&source], &own));
        assert!(grounded("Perhaps I should not have asked", &[&source], &own));
    }

    #[test]
    fn a_synthesis_that_loses_a_fact_is_refused() {
        let text = "I did not pay Joss the 14 silver.";
        let source = Analysis::new(text, []);
        let keeps = |told| keeps(told, [(text, &source, false)].into_iter());
        assert!(keeps("Not one of the 14 silver did I pay to Joss"));
        assert!(!keeps("") && !keeps("."));
        assert!(!keeps("I never did not pay Joss the 14 silver"));
        assert!(!keeps("I paid Joss the 14 silver"));
        assert!(!keeps("I did not pay Joss"));
        assert!(!keeps("I did not pay the 14 silver"));
    }
}

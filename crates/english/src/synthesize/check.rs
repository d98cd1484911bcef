//! Checks of a new text, whoever wrote it.

use nightfold_memory::{CheckedSource, Fault, Foundation, Kind, TextBounds};

use crate::{
    assertions::foundation,
    lexicon::WordClass,
    text::{Analysis, Token, analyze, contains_words, jaccard, part, statements, tokens},
};

/// True if every number and every name in the text is in one of its sources, or is the NPC's own. Any
/// capitalised word counts as a name, unless it starts a sentence and is plainly none.
pub(crate) fn is_grounded(text: &str, sources: &[&Analysis], own: &Analysis) -> bool {
    let stands = |token: &Token| {
        let is_it = |t: &Token| t.lower == token.lower;
        own.tokens.iter().any(is_it) || sources.iter().any(|s| s.tokens.iter().any(is_it))
    };
    tokens(text).iter().all(|token| {
        let plain = token.starts_sentence && WordClass::SentenceOpener.has(&token.lower);
        let is_me = token.lower == "i" || token.lower.starts_with("i'");
        let named = token.capital && !WordClass::Stopword.has(&token.lower) && !plain && !is_me;
        !(named || token.number) || stands(token)
    })
}

/// True if the text is in the first person.
pub(crate) fn is_first_person(text: &str) -> bool {
    tokens(text).iter().any(|t| t.speaker)
}

/// True if the text has characters that could steer a terminal or break a line of a log.
fn has_control_characters(text: &str) -> bool {
    text.chars().any(|c| c.is_control() && !c.is_whitespace())
}

/// Minimum share of a source's content words that a synthesis must hold to be about it.
const MIN_SOURCE_SHARE: f64 = 0.5;

/// Returns the fault of a synthesis, if any. It must keep of each source half of the content and all names
/// and numbers, and the exact words of sources that may not be changed; it must reverse no statement and add
/// nothing.
pub(crate) fn synthesis_fault(
    text: &str,
    sources: &[CheckedSource<'_>],
    bounds: TextBounds<'_>,
) -> Option<Fault> {
    let said = analyze(text, []);
    let stands = |word: &String| said.tokens.iter().any(|t| t.lower == *word);
    let loses = |&CheckedSource { text: source, analysis, verbatim, .. }: &CheckedSource<'_>| {
        let held = analysis.content.iter().filter(|w| said.content.binary_search(w).is_ok()).count();
        !analysis.names.iter().all(stands)
            || !analysis.numbers.iter().all(stands)
            || (held as f64) < MIN_SOURCE_SHARE * analysis.content.len() as f64
            || (verbatim && !contains_words(text, source))
    };
    let analyses: Vec<&Analysis> = sources.iter().map(|source| source.analysis).collect();
    [
        (said.tokens.is_empty(), Fault::Empty),
        (has_control_characters(text), Fault::Malformed),
        (text.chars().count() > bounds.max_chars, Fault::TooLong),
        (reverses_statement(text, sources), Fault::Contradicted),
        (sources.iter().any(loses), Fault::LosesFact),
        (!is_grounded(text, &analyses, bounds.own_name), Fault::Ungrounded),
    ]
    .into_iter()
    .find_map(|(wrong, fault)| wrong.then_some(fault))
}

/// Overlap of content (Jaccard) from which a reflection counts as a copy of a source.
const COPY_OVERLAP: f64 = 0.8;
/// Minimum number of a statement's content words in a clause for the clause to count as being about the statement.
const MIN_SHARED_WORDS: usize = 2;
/// Minimum share of them.
const MIN_STATEMENT_SHARE: f64 = 0.6;

/// Returns the fault of a reflection that rests on these sources, if any.
pub(crate) fn reflection_fault(
    text: &str,
    cited: &[CheckedSource<'_>],
    bounds: TextBounds<'_>,
) -> Option<Fault> {
    let said = analyze(text, []);
    let sources: Vec<&Analysis> = cited.iter().map(|source| source.analysis).collect();
    let in_sources = |list: fn(&Analysis) -> &[String], word: &String| {
        sources.iter().any(|s| list(s).binary_search(word).is_ok())
    };
    let shares_content = said.content.iter().any(|word| in_sources(|a| &a.content, word));
    let names_someone = said.tokens.iter().any(|t| in_sources(|a| &a.names, &t.lower));
    let copies = |source: &&&Analysis| jaccard(&said.content, &source.content) >= COPY_OVERLAP;
    [
        (said.tokens.is_empty(), Fault::Empty),
        (has_control_characters(text), Fault::Malformed),
        (text.chars().count() > bounds.max_chars, Fault::TooLong),
        (sources.len() < 2, Fault::TooFewCited),
        (!is_first_person(text), Fault::NotFirstPerson),
        (!is_grounded(text, &sources, bounds.own_name), Fault::Ungrounded),
        (reverses_statement(text, cited), Fault::Contradicted),
        (states_heard_as_own(text, cited), Fault::HeardOnly),
        (!shares_content && !names_someone, Fault::EmptyTalk),
        (sources.iter().find(copies).is_some(), Fault::NearCopy),
    ]
    .into_iter()
    .find_map(|(wrong, fault)| wrong.then_some(fault))
}

/// Returns the clauses of a statement: its parts between marks and before the words that open a clause.
fn clauses(statement: &str) -> Vec<&str> {
    let words = tokens(statement);
    let opens =
        words.iter().filter(|token| WordClass::ClauseOpener.has(&token.lower)).map(|token| token.start);
    let starts: Vec<usize> = std::iter::once(0).chain(opens).collect();
    let ends = starts.iter().skip(1).copied().chain([statement.len()]);
    let parts = starts.iter().zip(ends).map(|(&start, end)| part(statement, start..end));
    parts.flat_map(|part| part.split([',', ';', ':', '\u{2014}'])).collect()
}

/// True if a clause holds most of a statement's content.
fn is_about(clause: &Analysis, statement: &Analysis) -> bool {
    let about = statement.content.iter().filter(|w| clause.content.binary_search(w).is_ok()).count();
    about >= MIN_SHARED_WORDS && about as f64 >= MIN_STATEMENT_SHARE * statement.content.len() as f64
}

/// Returns the statements of some sources.
fn stated<'a>(sources: impl Iterator<Item = &'a CheckedSource<'a>>) -> Vec<Analysis> {
    sources.flat_map(|source| statements(source.text)).map(|s| analyze(s.text, [])).collect()
}

/// True if a clause of the text negates what a statement of a source affirms, or affirms what it negates: the clause
/// is about the statement, and exactly one of the two is negated.
fn reverses_statement(text: &str, sources: &[CheckedSource<'_>]) -> bool {
    let stated = stated(sources.iter());
    let clauses = statements(text).flat_map(|s| clauses(s.text));
    clauses.map(|clause| analyze(clause, [])).any(|clause| {
        let reverses = |s: &Analysis| is_about(&clause, s) && clause.negations % 2 != s.negations % 2;
        stated.iter().any(reverses)
    })
}

/// True if a sentence of the text states what talk of others tells, which no other source tells: it neither says that it
/// was said nor doubts it.
fn states_heard_as_own(text: &str, sources: &[CheckedSource<'_>]) -> bool {
    let heard = stated(sources.iter().filter(|source| source.is_heard));
    let lived = stated(sources.iter().filter(|source| !source.is_heard));
    statements(text).filter(|said| foundation(Kind::Thought, said.text) == Foundation::Lived).any(|said| {
        let said = analyze(said.text, []);
        let is_about = |told: &Vec<Analysis>| told.iter().any(|statement| is_about(&said, statement));
        is_about(&heard) && !is_about(&lived)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ungrounded_names_and_numbers_are_found() {
        let own = analyze("Mara", ["Mara"]);
        let source = analyze("I asked Joss for 14 silver", []);
        assert!(is_grounded("Joss keeps his 14 silver, I think", &[&source], &own));
        assert!(!is_grounded("I asked Tom for it", &[&source], &own));
        assert!(!is_grounded("I asked Joss for 15 silver", &[&source], &own));
        assert!(!is_grounded("Aldric stole my 14 silver", &[&source], &own));
        assert!(is_grounded("Perhaps I should not have asked", &[&source], &own));
    }

    #[test]
    fn synthesis_that_loses_or_adds_a_fact_is_a_fault() {
        let text = "I did not pay Joss the 14 silver.";
        let source = analyze(text, []);
        let own = analyze("Mara", ["Mara"]);
        let bounds = TextBounds { max_chars: 60, own_name: &own };
        let fault = |told: &str| {
            synthesis_fault(
                told,
                &[CheckedSource { text, analysis: &source, verbatim: false, is_heard: false }],
                bounds,
            )
        };
        assert_eq!(fault("Not one of the 14 silver did I pay to Joss"), None);
        assert_eq!(fault("."), Some(Fault::Empty));
        assert_eq!(fault("I did not pay Joss the 14 silver\u{1b}c"), Some(Fault::Malformed));
        assert_eq!(fault("I never did not pay Joss the 14 silver"), Some(Fault::Contradicted));
        assert_eq!(fault("I paid Joss the 14 silver"), Some(Fault::Contradicted));
        assert_eq!(fault("I did not pay Joss"), Some(Fault::LosesFact));
        assert_eq!(fault("I did not pay the 14 silver"), Some(Fault::LosesFact));
        assert_eq!(fault("I did not pay Joss the 14 silver of Tom"), Some(Fault::Ungrounded));
        assert_eq!(
            fault(&format!("I did not pay Joss the 14 silver{}", " now".repeat(20))),
            Some(Fault::TooLong)
        );
    }

    #[test]
    fn synthesis_that_drops_a_near_negation_is_a_fault() {
        let own = analyze("Mara", ["Mara"]);
        for negation in ["seldom", "rarely", "hardly", "never"] {
            let text = format!("Joss {negation} pays Tom the silver");
            let source = analyze(&text, []);
            let bounds = TextBounds { max_chars: 60, own_name: &own };
            let checked = CheckedSource { text: &text, analysis: &source, verbatim: false, is_heard: false };
            let fault = |told: &str| synthesis_fault(told, &[checked], bounds);
            assert_eq!(fault("Joss pays Tom the silver"), Some(Fault::Contradicted), "{negation}");
            assert_eq!(fault(&format!("The silver Joss {negation} pays to Tom")), None, "{negation}");
        }
    }

    #[test]
    fn faults_of_a_reflection_are_named() {
        let own = analyze("Mara", ["Mara"]);
        let bounds = TextBounds { max_chars: 100, own_name: &own };
        let texts = ["Joss owes Tom 14 silver for the axle", "Joss will not pay Tom before harvest"];
        let read = texts.map(|text| analyze(text, []));
        let both: Vec<CheckedSource<'_>> = texts
            .iter()
            .zip(&read)
            .map(|(text, analysis)| CheckedSource { text, analysis, verbatim: false, is_heard: false })
            .collect();
        let fault = |text: &str| reflection_fault(text, &both, bounds);
        assert_eq!(fault("I doubt that Tom sees his silver from Joss soon"), None);
        assert_eq!(fault("I think Joss owes Tom the 14 silver because the axle did not hold"), None);
        assert_eq!(fault(" "), Some(Fault::Empty));
        assert_eq!(fault("I doubt that Tom sees his silver from Joss soon\u{1b}c"), Some(Fault::Malformed));
        assert_eq!(fault("Joss and Tom quarrel about silver"), Some(Fault::NotFirstPerson));
        assert_eq!(fault("I think Joss owes Tom 15 silver"), Some(Fault::Ungrounded));
        assert_eq!(fault("I know that Joss will pay Tom before harvest"), Some(Fault::Contradicted));
        assert_eq!(fault("I know Joss does not owe Tom 14 silver for the axle"), Some(Fault::Contradicted));
        assert_eq!(fault("I believe that every day brings its own lesson"), Some(Fault::EmptyTalk));
        assert_eq!(fault("I say: Joss owes Tom 14 silver for the axle"), Some(Fault::NearCopy));
        assert_eq!(reflection_fault("I doubt Joss", &both[..1], bounds), Some(Fault::TooFewCited));
    }

    #[test]
    fn what_was_only_heard_is_said_as_heard() {
        let own = analyze("Mara", ["Mara"]);
        let bounds = TextBounds { max_chars: 120, own_name: &own };
        let texts = ["The key is under the first barrel", "I met Joss at the mill"];
        let read = texts.map(|text| analyze(text, ["Joss"]));
        let fault = |text: &str, heard: [bool; 2]| {
            let sources = texts.iter().zip(&read).zip(heard);
            let sources: Vec<CheckedSource<'_>> = sources
                .map(|((text, analysis), is_heard)| CheckedSource {
                    text,
                    analysis,
                    verbatim: false,
                    is_heard,
                })
                .collect();
            reflection_fault(text, &sources, bounds)
        };
        for own in [
            "I know now that the key is under the first barrel, and Joss does too",
            "The first barrel hides the key, as I saw with Joss",
        ] {
            assert_eq!(fault(own, [true, false]), Some(Fault::HeardOnly), "{own}");
            assert_eq!(fault(own, [false, true]), None, "{own}");
        }
        for said in [
            "Joss told me that the key is under the first barrel of the mill",
            "Joss at the mill says the key is under the first barrel, and I do not trust him",
            "I doubt that the key is under the first barrel, as I met Joss",
            "I met Joss where the grain is ground",
        ] {
            assert_eq!(fault(said, [true, false]), None, "{said}");
        }
    }
}

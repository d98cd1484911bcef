//! Reports: what somebody else says, in words or in quotation marks, and who says it.

use crate::{
    lexicon::{WordClass, is_negation, is_reported_by, is_speech_verb},
    stance::{predicate, verb_lemmas, verbs},
    text::{Token, is_closing_mark, is_quotation_mark, part, quotations, sentences, spaced, tokens},
};

/// True if a clause is wished, feared or only possible.
pub(super) fn is_hedged(clause: &str) -> bool {
    WordClass::Unasserted.occurs_in(&spaced(clause))
}

/// Maximum number of words before the verb of a report: "the captain of the guard said"; before a mark there may be more.
const MAX_REPORT_SUBJECT_WORDS: usize = 6;
/// Maximum number of words of a speaker's label: "The old player:".
const MAX_LABEL_WORDS: usize = 4;
/// Minimum number of words of a quotation that states something; fewer are a name or a title.
const MIN_QUOTED_WORDS: usize = 3;

/// Returns the byte offset at which reported content begins in a clause: "Tom told me that |the gate is
/// shut", "A note reads: |The gate is shut." `None` if nobody else reports anything, or if the report is
/// negated or subordinate.
///
/// A report has the shape of somebody, a verb, and what: behind any verb what is reported stands behind "that", a colon
/// or a quotation mark; behind a verb of speech it may follow at once.
pub(crate) fn reported_content_start(clause: &str) -> Option<usize> {
    let words = tokens(clause);
    let lower = |at: usize| words.get(at).map_or("", |w| w.lower.as_str());
    (1..words.len()).find_map(|verb| {
        // "Keeps saying".
        let goes_on = lower(verb).ends_with("ing")
            && is_speech_verb(lower(verb))
            && verb_lemmas(lower(verb - 1)).next().is_some();
        let is_speech = goes_on || is_reported_by(lower(verb));
        let is_passive = WordClass::Be.has(lower(verb - 1));
        if !is_speech && (is_passive || !is_verb_of_saying(lower(verb))) || is_own(&words, verb) {
            return None;
        }
        let mut next = verb + 1;
        if lower(next) == "to" {
            next += 1;
        }
        let named = words.get(next).is_some_and(|w| w.capital) && lower(next + 1) == "that";
        if is_hearer(lower(next)) || named {
            next += 1;
        }
        let is_marked = |&at: &usize| {
            let behind = |word: &Token| part(clause, words[at - 1].end..word.start).contains(opens_report);
            words.get(at).is_some_and(behind)
        };
        // "Told the room: …".
        next = (next..next + 4).find(|at| is_speech && is_marked(at)).unwrap_or(next);
        // "Yelled across the yard that …", "made clear to me that …".
        let phrase = WordClass::Preposition.has(lower(next)) && is_speech;
        let behind_phrase = |&at: &usize| lower(at) == "that" && (phrase || is_hearer(lower(at - 1)));
        next = (next + 1..next + 5).find(behind_phrase).unwrap_or(next);
        let that = lower(next) == "that";
        let from = words.get(next + usize::from(that))?.start;
        let behind = part(clause, words[next - 1].end..from);
        let mark = behind.rfind(|c: char| opens_report(c) || is_closing_mark(c));
        let content = words.get(next + usize::from(that)..).unwrap_or_default();
        if let Some(mark) = mark.filter(|_| is_speech || is_clause(content)) {
            let length = behind.get(mark..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
            let opens = if behind.get(mark..).is_some_and(|rest| rest.starts_with(':')) { length } else { 0 };
            return Some(words[next - 1].end + mark + opens);
        }
        if verb > MAX_REPORT_SUBJECT_WORDS {
            return None;
        }
        let said = matches!(lower(verb), "said" | "says") && next == verb + 1;
        (that && (is_speech || is_clause(content))
            || is_speech && !behind.contains(',') && (said || is_clause(content)))
        .then_some(from)
    })
}

/// True for a mark behind which something reported may follow.
fn opens_report(c: char) -> bool {
    is_quotation_mark(c) || c == ':'
}

/// True for a clause with a subject and a verb of its own: "the gate is shut", but not "a story that was long".
pub(super) fn is_clause(words: &[Token]) -> bool {
    let verbs = verbs(words);
    let links = |word: &Token| {
        WordClass::Relative.has(&word.lower)
            || WordClass::Coordinator.has(&word.lower)
            || word.lower == "that"
    };
    predicate(words, &verbs).is_some_and(|(verb, _)| verb > 0 && !words.iter().take(verb).any(links))
}

/// True for a form of a verb, other than "be" and the auxiliaries, that "that" or a quotation may follow.
fn is_verb_of_saying(word: &str) -> bool {
    !WordClass::Function.has(word) && !word.ends_with("ing") && verb_lemmas(word).any(|lemma| lemma != word)
}

/// True if the words before a verb make it no report of somebody else: the NPC itself speaks, or the report is negated or
/// subordinate.
fn is_own(words: &[Token], verb: usize) -> bool {
    let is_other = |word: &str| {
        is_negation(word)
            || matches!(word, "i" | "we" | "who" | "what" | "when" | "as" | "if" | "it" | "that")
    };
    words.iter().take(verb).any(|word| is_other(&word.lower))
}

/// True for a word, other than a name, for a person who is told something.
fn is_hearer(word: &str) -> bool {
    WordClass::Accusative.has(word) || matches!(word, "all" | "everybody" | "everyone" | "her")
}

/// True if the words behind a quotation only attribute it: "said Tom", "the captain told me".
pub(super) fn is_attribution(words: &str) -> bool {
    let words = tokens(words);
    let verbs = words.iter().filter(|w| is_reported_by(&w.lower)).count();
    let other = |w: &str| is_negation(w) || matches!(w, "i" | "we" | "and" | "but" | "if");
    verbs == 1 && words.len() <= MAX_REPORT_SUBJECT_WORDS && !words.iter().any(|w| other(&w.lower))
}

/// True if a text is attributed to somebody else: by a report, a label, a quotation or a set phrase. A statement of the
/// NPC about itself ("I said that …") is its own.
pub(super) fn is_attributed(text: &str, words: &str) -> bool {
    let reports = |sentence: &str| {
        reported_content_start(sentence).is_some() || has_label(sentence) || ends_in_attribution(sentence)
    };
    WordClass::Attribution.occurs_in(words)
        || sentences(text).any(|sentence| reports(sentence.text))
        || quotes_somebody_else(text)
}

/// True if a sentence begins with its speaker: "The player: the gate is shut".
fn has_label(sentence: &str) -> bool {
    let Some((label, said)) = sentence.split_once(':') else { return false };
    let is_one_word = !label.trim().contains(char::is_whitespace);
    let (label, said) = (tokens(label), tokens(said));
    let names = |word: &Token| {
        word.capital
            || WordClass::Determiner.has(&word.lower)
            || WordClass::Preposition.has(&word.lower)
            || word.names_theme
    };
    (1..=MAX_LABEL_WORDS).contains(&label.len())
        && said.len() >= MIN_QUOTED_WORDS
        && !is_own(&label, label.len())
        && (is_one_word || label.iter().all(names))
}

/// True if the last clause of a sentence only names who said the rest: "The gate is shut, the player whispered."
fn ends_in_attribution(sentence: &str) -> bool {
    sentence.rsplit_once([',', '\u{2014}', '\u{2013}']).is_some_and(|(said, who)| {
        tokens(said).len() >= MIN_QUOTED_WORDS && tokens(who).len() > 1 && is_attribution(who)
    })
}

/// True if words before a quotation make it the NPC's own: "I told him".
pub(super) fn is_own_speech(frame: &str) -> bool {
    let words = tokens(frame);
    words.windows(2).any(|two| matches!(two[0].lower.as_str(), "i" | "we") && is_reported_by(&two[1].lower))
}

/// True if a text quotes a statement, and not the NPC's own ("I told him: …").
fn quotes_somebody_else(text: &str) -> bool {
    let quotations = quotations(text);
    let mut outside = 0;
    let frames = quotations.iter().map(|quote| {
        let frame = part(text, outside..quote.start);
        outside = quote.end;
        frame
    });
    let own: Vec<bool> = frames.map(is_own_speech).collect();
    quotations
        .iter()
        .zip(own)
        .any(|(quote, own)| !own && tokens(part(text, quote.clone())).len() >= MIN_QUOTED_WORDS)
}

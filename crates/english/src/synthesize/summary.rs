//! Summaries of many old records by rules: the period, the number of occurrences, what the records have in
//! common, the weightiest record in its own words, and of the others the sentences that add most to it.
//!
//! If all records start alike ("I swept the common room"), these words are repeated; otherwise only their
//! common terms are named. A summary thus claims nothing that the records do not contain.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{
    Calendar, SummaryFrame, SummaryParts, SummaryPeriod, SummarySource, SummaryText, civil,
};

use super::phrase::{end_sentence, join_list};
use crate::{
    lexicon::{
        WordClass,
        wordnet::{PartOfSpeech, has_part_of_speech},
    },
    stance::is_episode,
    text::{Analysis, analyze, is_quotation_mark, quotations, sentences, without_full_stop, word_starts},
};

/// End of the lead, which says when and how often and holds nothing from memory.
const LEAD_END: &str = " times in all: ";
/// Start of the quotations.
const QUOTE_START: &str = " What stood out: \u{201c}";
const QUOTE_END: &str = "\u{201d}";
/// Gap between two quotations.
const QUOTE_GAP: &str = "\u{201d} \u{201c}";
/// Share of the records' text that is quoted, if the weightiest record is no longer by itself.
const QUOTED_SHARE: f64 = 0.5;
/// Minimum number of words, names and numbers counted twice, that a further quotation adds.
const MIN_NEW_WORDS: usize = 3;
/// Length of a sentence at which its words count half as much as in the shortest.
const HALF_DENSITY_CHARS: f64 = 40.0;
/// Phrases for records that start differently: with terms in common, and with none.
const TERMS_PHRASE: &str = "things to do with ";
const MOSTLY_PHRASE: &str = "mostly ";
const NO_TERMS_PHRASE: &str = "this and that";
/// Minimum number of content words of a statement.
const MIN_CONTENT_WORDS: usize = 2;
/// Splits the text of a record into what was going on and what can be quoted; in a summary both follow its
/// lead.
pub(crate) fn split_record(text: &str, is_summary: bool) -> SummaryParts<'_> {
    let (what, words) = what_and_words(text, is_summary);
    SummaryParts { happening: what, quotable: words, joined: analysed_text(what, words) }
}

fn what_and_words(text: &str, summary: bool) -> (&str, &str) {
    let Some((_, told)) = text.split_once(LEAD_END).filter(|_| summary) else {
        return (text, text);
    };
    match told.split_once(QUOTE_START) {
        Some((what, words)) => (what, words.strip_suffix(QUOTE_END).unwrap_or(words)),
        None => (told, told),
    }
}

/// Returns the summary of a group of records.
pub(crate) fn summary(group: &[&SummarySource<'_>], terms: &[String], frame: SummaryFrame) -> SummaryText {
    let SummaryFrame { period, calendar, max_chars: most } = frame;
    let lead = lead(group, period, calendar);
    let holds = |s: &&SummarySource<'_>, term: &String| holds_all(&s.analysis, &analyze(term, []).content);
    let terms: Vec<String> = terms.iter().filter(|term| names_topic(term)).cloned().collect();
    // Each term is in more than half of the records.
    let mostly = if group.iter().all(|s| terms.iter().any(|t| holds(s, t))) { "" } else { MOSTLY_PHRASE };
    let named = || {
        if terms.is_empty() {
            NO_TERMS_PHRASE.to_owned()
        } else {
            format!("{mostly}{TERMS_PHRASE}{}", join_list(&terms))
        }
    };
    let what = common_opening(group).unwrap_or_else(named);
    let what = if chars(&lead) + chars(&what) < most { what } else { named() };
    let text = format!("{lead}{}", end_sentence(&what));
    let mut order: Vec<usize> = (0..group.len()).collect();
    // The sort is stable: of equal weights the first in time comes first.
    order.sort_by_key(|&i| std::cmp::Reverse(group[i].weight));
    let room = most.saturating_sub(chars(&text) + chars(QUOTE_START) + chars(QUOTE_END));
    let quotable = |i: &usize| {
        let words = group[*i].parts.quotable.trim();
        // Words of an older summary that only name terms represent no record.
        let said = chars(words) <= room && !words.is_empty() && !words.chars().any(char::is_control);
        said && !only_names_terms(words) && without_full_stop(words) != without_full_stop(&what)
    };
    match order.into_iter().find(quotable) {
        Some(quoted) => {
            let words = group[quoted].parts.quotable.trim();
            let more = further_quotations(group, quoted, room, &text);
            let words: Vec<&str> = [words].into_iter().chain(more).collect();
            let quotations = words.join(QUOTE_GAP);
            SummaryText { text: format!("{text}{QUOTE_START}{quotations}{QUOTE_END}"), quoted: Some(quoted) }
        }
        None => SummaryText { text, quoted: None },
    }
}

/// Sentence of a record that could be quoted beside the weightiest record.
struct QuotableSentence<'a> {
    text: &'a str,
    /// Stems of its content words, each true for a name or a number.
    words: BTreeMap<String, bool>,
    /// Factor of its record's importance.
    weight: f64,
}

impl QuotableSentence<'_> {
    /// Returns the number of words that are not told yet; names and numbers count twice.
    fn new_words(&self, told: &BTreeSet<String>) -> usize {
        let new = self.words.iter().filter(|(stem, _)| !told.contains(*stem));
        new.map(|(_, marked)| 1 + usize::from(*marked)).sum()
    }

    fn density(&self, told: &BTreeSet<String>) -> f64 {
        self.weight * self.new_words(told) as f64 / (chars(self.text) as f64 + HALF_DENSITY_CHARS)
    }
}

/// Returns the sentences of the other records that add most words for their length to the text and the record that is
/// `quoted`, in the order of the records, as far as there is room.
fn further_quotations<'a>(
    group: &[&'a SummarySource<'_>],
    quoted: usize,
    room: usize,
    text: &str,
) -> Vec<&'a str> {
    let all: usize = group.iter().map(|s| chars(s.parts.quotable)).sum();
    let share = ((all as f64 * QUOTED_SHARE) as usize).min(room);
    let first = group[quoted].parts.quotable.trim();
    let mut left = share.saturating_sub(chars(first));
    let mut told: BTreeSet<String> = analyze(text, []).content.into_iter().collect();
    told.extend(analyze(first, []).content);
    let mut open: Vec<(usize, QuotableSentence<'_>)> = Vec::new();
    for source in group.iter().enumerate().filter(|(i, _)| *i != quoted).map(|(_, source)| source) {
        let weight = 1.0 + f64::from(source.weight.0) / 5.0;
        let said = sentences(source.parts.quotable).filter(|sentence| !sentence.is_question());
        for text in said.filter_map(|sentence| without_half_quotations(sentence.text)) {
            if !text.chars().any(char::is_control) && !only_names_terms(text) {
                open.push((open.len(), QuotableSentence { text, words: marked_words(text, source), weight }));
            }
        }
    }
    let mut chosen: Vec<(usize, &str)> = Vec::new();
    loop {
        let needed = |s: &QuotableSentence<'_>| chars(s.text) + chars(QUOTE_GAP);
        open.retain(|(_, s)| needed(s) <= left && s.new_words(&told) >= MIN_NEW_WORDS);
        // Of equal densities the first in time goes first.
        let best = open
            .iter()
            .enumerate()
            .max_by(|(i, a), (j, b)| a.1.density(&told).total_cmp(&b.1.density(&told)).then(j.cmp(i)));
        let Some((at, _)) = best else { break };
        let (order, sentence) = open.remove(at);
        left -= needed(&sentence);
        chosen.push((order, sentence.text));
        told.extend(sentence.words.into_keys());
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|(_, text)| text).collect()
}

/// Returns a sentence without the marks of the quotation that it begins or ends, as those of a summary do; `None` if
/// it would still hold half a quotation.
fn without_half_quotations(sentence: &str) -> Option<&str> {
    let is_whole = |text: &&str| text.matches('\u{201c}').count() == text.matches('\u{201d}').count();
    let trimmed = || {
        sentence
            .trim_start_matches(['\u{201c}', '\u{201d}', ' '])
            .trim_end_matches(['\u{201c}', '\u{201d}', ' '])
    };
    Some(sentence)
        .filter(is_whole)
        .or_else(|| Some(trimmed()).filter(is_whole))
        .filter(|text| !text.is_empty())
}

/// Returns the content words of a sentence of a record, each true for a name or a number.
fn marked_words(sentence: &str, source: &SummarySource<'_>) -> BTreeMap<String, bool> {
    let read = analyze(sentence, []);
    let mut words = BTreeMap::new();
    for token in read.tokens.iter().filter(|t| read.content.binary_search(&t.stem).is_ok()) {
        let marked = token.number || source.analysis.names.binary_search(&token.lower).is_ok();
        *words.entry(token.stem.clone()).or_default() |= marked;
    }
    words
}

/// True for a word that says what records are about: a noun or a name, and neither a price nor the act of selling.
fn names_topic(term: &str) -> bool {
    let lower = term.to_lowercase();
    let is_of_trade = WordClass::Trade.has(&lower) || WordClass::Money.has(&lower);
    !is_of_trade && (lower != term || has_part_of_speech(&lower, PartOfSpeech::Noun))
}

/// True if a text only names terms.
fn only_names_terms(text: &str) -> bool {
    text.trim_start_matches(MOSTLY_PHRASE).starts_with(TERMS_PHRASE)
        || without_full_stop(text) == NO_TERMS_PHRASE
}

fn holds_all(analysis: &Analysis, stems: &[String]) -> bool {
    stems.iter().all(|stem| analysis.content.binary_search(stem).is_ok())
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

/// Returns the lead: the period and the number of occurrences.
fn lead(group: &[&SummarySource<'_>], period: SummaryPeriod, calendar: Calendar) -> String {
    let first = group.iter().map(|s| s.first).min().unwrap_or_default();
    let last = group.iter().map(|s| s.last).max().unwrap_or_default();
    let times = group.iter().map(|s| s.times).fold(0, u32::saturating_add);
    let mut known: Vec<i64> = group.iter().flat_map(|s| [s.first, s.last]).collect();
    if period == SummaryPeriod::Month {
        known.iter_mut().for_each(|day| *day = calendar.period(SummaryPeriod::Week, *day));
    }
    known.sort_unstable();
    known.dedup();
    // Of a recurring record only the first and the last day are known.
    let more = group.iter().any(|s| s.last > s.first && s.times > 2);
    let unit = if period == SummaryPeriod::Week { "days" } else { "weeks" };
    let on = match (known.len(), period) {
        (1, _) => String::new(),
        (n, SummaryPeriod::Week) if more => format!(", on at least {n} {unit}"),
        (n, SummaryPeriod::Week) => format!(", on {n} {unit}"),
        (n, SummaryPeriod::Month) => format!(", in {n} {unit}"),
    };
    format!("{}{on}, {times}{LEAD_END}", period_phrase(calendar, first, last))
}

/// Returns the period: `On 3 May 1204`, `From 3 to 9 May 1204`, `From day 3 to day 9`.
fn period_phrase(calendar: Calendar, first: i64, last: i64) -> String {
    if !calendar.dated {
        return if first == last {
            format!("On day {first}")
        } else {
            format!("From day {first} to day {last}")
        };
    }
    let ((y, m, d), (year, month, day)) = (civil(first), civil(last));
    let until = format!("{day} {} {year}", month_name(month));
    if first == last {
        format!("On {until}")
    } else if (y, m) == (year, month) {
        format!("From {d} to {until}")
    } else if y == year {
        format!("From {d} {} to {until}", month_name(m))
    } else {
        format!("From {d} {} {y} to {until}", month_name(m))
    }
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

fn month_name(month: i64) -> &'static str {
    MONTHS[(month - 1).rem_euclid(12) as usize]
}

/// Returns the text of a record for its analysis.
fn analysed_text(what: &str, words: &str) -> String {
    if words.ends_with(what) { words.to_owned() } else { format!("{} {words}", end_sentence(what.trim())) }
}

/// Returns the statement with which all records start, if it can stand alone.
fn common_opening(group: &[&SummarySource<'_>]) -> Option<String> {
    let texts: Vec<Vec<&str>> =
        group.iter().map(|s| s.parts.happening.split_whitespace().collect()).collect();
    let first = texts.first()?;
    let plain = |word: &str| word.trim_end_matches(['.', ',', ';']).to_owned();
    let shared = (0..first.len())
        .take_while(|&i| texts.iter().all(|t| t.get(i).is_some_and(|w| plain(w) == plain(first[i]))))
        .count();
    let whole = |n: usize| {
        texts.iter().all(|t| {
            let rest = &t[n..];
            let ended = t[n - 1].ends_with(['.', ',', ';']);
            let goes_on =
                rest.first().is_none_or(|word| ended || WordClass::Adjunct.has(&word.to_lowercase()));
            goes_on && analyze(&rest.join(" "), []).negations == 0 && !rest.iter().any(|w| w.contains('?'))
        })
    };
    let told = |n: usize| {
        let words: Vec<&str> = first[..n]
            .iter()
            .enumerate()
            .map(|(i, w)| if i + 1 == n { w.trim_end_matches(['.', ',', ';']) } else { *w })
            .collect();
        words.join(" ")
    };
    // The speaker, or that something is asked, must not be lost.
    let marked = |text: &str| text.contains(|c| is_quotation_mark(c) || matches!(c, ':' | '?' | '('));
    let what = group.first()?.parts.happening;
    let quoted = quotations(what).first().map_or(what.len(), |quotation| quotation.start);
    let unquoted = word_starts(what).take_while(|&start| start < quoted).count();
    (3..=shared.min(unquoted)).rev().filter(|&n| whole(n)).map(told).find(|text| {
        let said = analyze(text, []);
        // "The old mill" tells nothing that happened.
        let tells = text.starts_with("I ") || is_episode(text) || only_names_terms(text);
        !marked(text) && tells && said.content.len() >= MIN_CONTENT_WORDS
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str, day: i64, importance: u8, summary: bool) -> SummarySource<'_> {
        let parts = split_record(text, summary);
        let analysis = analyze(&parts.joined, []);
        SummarySource { parts, analysis, first: day, last: day, times: 1, weight: (importance, 0) }
    }

    fn told(texts: &[(&str, i64, u8)], terms: &[&str], period: SummaryPeriod, most: usize) -> String {
        let summary = period == SummaryPeriod::Month;
        let sources: Vec<SummarySource<'_>> =
            texts.iter().map(|&(t, d, i)| source(t, d, i, summary)).collect();
        let group: Vec<&SummarySource<'_>> = sources.iter().collect();
        let now: nightfold_memory::MemoryRecord = serde_json::from_value(serde_json::json!({
            "npc": "Mara", "id": "a", "form": "verbatim", "kind": "event", "text": "x", "at": 0, "last_at": 0,
            "importance": 1, "occurrences": 1, "sources": [], "state": "active", "corroborations": 0,
            "confidence": "normal", "touched_at": 0, "night": "day-0",
        }))
        .unwrap();
        let terms: Vec<String> = terms.iter().map(|term| (*term).to_owned()).collect();
        let frame = SummaryFrame { period, calendar: Calendar::of(&now, 0), max_chars: most };
        super::summary(&group, &terms, frame).text
    }

    const SWEPT: [(&str, i64, u8); 3] = [
        ("I swept the common room before opening.", 3, 2),
        ("I swept the common room again after the noon crowd.", 4, 2),
        ("I swept the common room and found Joss's 2 coppers.", 4, 4),
    ];

    #[test]
    fn common_opening_is_rendered_once_and_most_important_record_quoted() {
        assert_eq!(
            told(&SWEPT, &[], SummaryPeriod::Week, 800),
            "From day 3 to day 4, on 2 days, 3 times in all: I swept the common room. What stood out: \u{201c}I swept the \
             common room and found Joss's 2 coppers.\u{201d}"
        );
        // Too long a quotation gives way to a shorter one, then to none.
        assert!(told(&SWEPT, &[], SummaryPeriod::Week, 140).ends_with("before opening.\u{201d}"));
        assert!(told(&SWEPT, &[], SummaryPeriod::Week, 100).ends_with("the common room."));
    }

    #[test]
    fn sentences_that_add_most_are_quoted_beside_the_weightiest_record() {
        let texts = [
            (
                "I spoke with Joss about the mill. How are you? Well, well, it was good to talk to him as we always did.",
                1,
                3,
            ),
            (
                "The mill wheel broke and Joss asked 14 silver for a new axle, which I cannot pay before harvest.",
                2,
                5,
            ),
            (
                "We talked at the mill for a long while and it was nice. Bran the carter leaves for Keth on the 9th.",
                4,
                3,
            ),
        ];
        let text = told(&texts, &["mill"], SummaryPeriod::Week, 800);
        let quotations = "\u{201c}The mill wheel broke and Joss asked 14 silver for a new axle, which I cannot pay before \
                          harvest.\u{201d} \u{201c}Bran the carter leaves for Keth on the 9th.\u{201d}";
        assert!(text.ends_with(quotations), "{text}");
        assert!(!text.contains("How are you") && !text.contains("good to talk"), "{text}");
    }

    #[test]
    fn prices_and_sales_are_no_common_terms() {
        let texts = [("A nun bought salt for 12 pence", 0, 5), ("Salt was sold, 13 pence a sack", 24, 5)];
        let of = |terms: &[&str]| told(&texts, terms, SummaryPeriod::Week, 400);
        assert!(of(&["bought", "salt", "pence"]).contains("things to do with salt."), "{}", of(&["salt"]));
        assert!(of(&["sold", "pence"]).contains("this and that"));
    }

    #[test]
    fn different_openings_leave_only_common_terms() {
        let hearth = [
            ("Wren lit the hearth", 1, 2),
            ("I cleaned the hearth of ash", 2, 2),
            ("the hearth smoked all evening", 2, 3),
        ];
        let text = told(&hearth, &["hearth"], SummaryPeriod::Week, 800);
        assert!(
            text.starts_with("From day 1 to day 2, on 2 days, 3 times in all: things to do with hearth. "),
            "{text}"
        );
        assert!(text.ends_with("\u{201c}the hearth smoked all evening\u{201d}"), "{text}");
        let mixed = [("Wren sang", 1, 2), ("the goat ran off", 1, 2), ("bread was dear", 1, 2)];
        assert!(
            told(&mixed, &[], SummaryPeriod::Week, 800)
                .starts_with("On day 1, 3 times in all: this and that. ")
        );
    }

    #[test]
    fn statements_are_not_cut_before_a_restriction() {
        for rest in ["unless it rained", "but never well", "in no hurry", "if Tom let me"] {
            let late = format!("I swept the common room {rest}");
            let texts =
                [("I swept the common room at dawn", 1, 2), ("I swept the common room", 1, 2), (&late, 1, 2)];
            let text = told(&texts, &[], SummaryPeriod::Week, 800);
            assert!(!text.contains("in all: I swept"), "{text}");
        }
    }

    #[test]
    fn quotations_are_not_cut() {
        for (open, close) in [
            ("\"", "\""),
            ("'", "'"),
            ("\u{201c}", "\u{201d}"),
            ("\u{ab}", "\u{bb}"),
            ("\u{201e}", "\u{201c}"),
        ] {
            let said = |rest: &str| format!("I told Joss {open}I know it. {rest}{close}");
            let texts = [said("And I want it."), said("I still want the other."), said("At noon.")];
            let told = told(
                &[(&texts[0], 1, 2), (&texts[1], 2, 4), (&texts[2], 3, 2)],
                &[],
                SummaryPeriod::Week,
                800,
            );
            assert!(!told.contains("in all: I told"), "{told}");
            assert!(told.contains(&texts[1]), "{told}");
        }
    }

    #[test]
    fn month_summary_drops_dates_of_its_weeks() {
        let weeks: Vec<String> = [3, 10, 17]
            .iter()
            .map(|&d| told(&SWEPT.map(|(t, i, w)| (t, d + i, w)), &[], SummaryPeriod::Week, 800))
            .collect();
        let weeks = [(weeks[0].as_str(), 3, 2), (weeks[1].as_str(), 10, 3), (weeks[2].as_str(), 17, 2)];
        assert_eq!(
            told(&weeks, &[], SummaryPeriod::Month, 800),
            "From day 3 to day 17, in 3 weeks, 3 times in all: I swept the common room. What stood out: \u{201c}I swept the \
             common room and found Joss's 2 coppers.\u{201d}"
        );
    }
}

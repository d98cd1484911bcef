//! Many old entries told in short, by rules: when, how often, what they have in common, and one of them in its own words.
//!
//! What they have in common is said in their words where all of them begin alike ("I swept the common room"); else only
//! what it had to do with is named. So nothing is claimed of an entry that it does not say.

use super::period::{Calendar, Level};
use crate::{
    stance::is_episode,
    synthesize::phrase::{list, stop},
    text::{Analysis, Frequencies, bare, is_quotation_mark, quotations, telling_terms, word_starts},
};

/// What ends the part of a summary that says when and how often. It holds nothing that was remembered.
const IN_ALL: &str = " times in all: ";
/// What begins the words of one entry.
const STOOD_OUT: &str = " What stood out: \u{201c}";
const STOOD_OUT_END: &str = "\u{201d}";
/// What is said of entries that begin differently but share words, and of those that share none.
const THINGS: &str = "things to do with ";
const MOSTLY: &str = "mostly ";
const ANYTHING: &str = "this and that";
/// How syntheses of nights begin.
const HOURS: &[&str] =
    &["Over the day ", "In the morning ", "In the afternoon ", "In the evening ", "In the night "];
/// Longer words name nothing.
const MOST_OF_A_TERM: usize = 32;
/// Fewer words of content are no statement.
const STATEMENT: usize = 2;
/// A statement may end before these: what comes after them adds to it and takes nothing back.
const GOES_ON: &[&str] = &[
    "after", "again", "and", "at", "before", "behind", "beside", "by", "during", "in", "near", "on", "once",
    "past", "then", "this", "today", "tonight", "twice", "under",
];

/// What a summary is told from.
pub(super) struct Source<'a> {
    /// What it says was going on.
    pub(super) what: &'a str,
    /// What can be quoted of it, in somebody's own words.
    pub(super) words: &'a str,
    /// Both, read.
    pub(super) analysis: Analysis,
    pub(super) first: i64,
    pub(super) last: i64,
    /// How often it was lived through.
    pub(super) times: u32,
    /// What is weightier is quoted rather.
    pub(super) weight: (u8, u16),
}

/// The parts of an entry's text: what was going on, and what can be quoted. Of a summary they stand behind its lead.
pub(super) fn parts(text: &str, summary: bool) -> (&str, &str) {
    let Some((_, told)) = text.split_once(IN_ALL).filter(|_| summary) else {
        return (without_hour(text), text);
    };
    match told.split_once(STOOD_OUT) {
        Some((what, words)) => (what, words.strip_suffix(STOOD_OUT_END).unwrap_or(words)),
        None => (told, told),
    }
}

/// What somebody did, without the hour that a night's synthesis begins with.
fn without_hour(text: &str) -> &str {
    let done = HOURS.iter().find_map(|hour| text.strip_prefix(hour));
    done.filter(|rest| rest.starts_with("I ")).unwrap_or(text)
}

/// A group of sources in short. `others` is everything of the same time, against which a group's words are telling.
pub(super) fn tell(
    group: &[&Source<'_>],
    others: &[Analysis],
    own: &Analysis,
    level: Level,
    calendar: Calendar,
    most: usize,
) -> (String, Vec<String>, Option<usize>) {
    let lead = lead(group, level, calendar);
    let terms = common_terms(group, others, own);
    let holds = |s: &&Source<'_>, term: &String| holds_all(&s.analysis, &Analysis::new(term, []).content);
    // More than half of them hold each of the words.
    let mostly = if group.iter().all(|s| terms.iter().any(|t| holds(s, t))) { "" } else { MOSTLY };
    let named = || {
        if terms.is_empty() { ANYTHING.to_owned() } else { format!("{mostly}{THINGS}{}", list(&terms)) }
    };
    let what = common(group).unwrap_or_else(named);
    let what = if chars(&lead) + chars(&what) < most { what } else { named() };
    let text = format!("{lead}{}", stop(&what));
    let mut order: Vec<usize> = (0..group.len()).collect();
    // The sort is stable: of equals the first in time.
    order.sort_by_key(|&i| std::cmp::Reverse(group[i].weight));
    let room = most.saturating_sub(chars(&text) + chars(STOOD_OUT) + chars(STOOD_OUT_END));
    let quotable = |i: &usize| {
        let words = group[*i].words.trim();
        // Words of another's summary that say only what it had to do with stand for nobody.
        let said = chars(words) <= room && !words.is_empty() && !words.chars().any(char::is_control);
        said && !is_vague(words) && bare(words) != bare(&what)
    };
    match order.into_iter().find(quotable) {
        Some(quoted) => {
            let words = group[quoted].words.trim();
            (format!("{text}{STOOD_OUT}{words}{STOOD_OUT_END}"), terms, Some(quoted))
        }
        None => (text, terms, None),
    }
}

/// Whether it says only what something had to do with.
fn is_vague(text: &str) -> bool {
    text.trim_start_matches(MOSTLY).starts_with(THINGS) || bare(text) == ANYTHING
}

fn holds_all(analysis: &Analysis, stems: &[String]) -> bool {
    stems.iter().all(|stem| analysis.content.binary_search(stem).is_ok())
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

/// When, and how often.
fn lead(group: &[&Source<'_>], level: Level, calendar: Calendar) -> String {
    let first = group.iter().map(|s| s.first).min().unwrap_or_default();
    let last = group.iter().map(|s| s.last).max().unwrap_or_default();
    let times = group.iter().map(|s| s.times).fold(0, u32::saturating_add);
    let mut known: Vec<i64> = group.iter().flat_map(|s| [s.first, s.last]).collect();
    if level == Level::Month {
        known.iter_mut().for_each(|day| *day = calendar.period(Level::Week, *day));
    }
    known.sort_unstable();
    known.dedup();
    // Of what came again nothing is known but its first and its last day.
    let more = group.iter().any(|s| s.last > s.first && s.times > 2);
    let unit = if level == Level::Week { "days" } else { "weeks" };
    let on = match (known.len(), level) {
        (1, _) => String::new(),
        (n, Level::Week) if more => format!(", on at least {n} {unit}"),
        (n, Level::Week) => format!(", on {n} {unit}"),
        (n, Level::Month) => format!(", in {n} {unit}"),
    };
    format!("{}{on}, {times}{IN_ALL}", calendar.span(first, last))
}

/// The most telling words, as far as more than half of the group hold each.
fn common_terms(group: &[&Source<'_>], others: &[Analysis], own: &Analysis) -> Vec<String> {
    let texts: Vec<(String, &Analysis)> =
        group.iter().map(|s| (joined(s.what, s.words), &s.analysis)).collect();
    let told: Vec<(&str, &Analysis)> =
        texts.iter().map(|(text, analysis)| (text.as_str(), *analysis)).collect();
    let mut terms = telling_terms(&told, &Frequencies::of(others), own, 6);
    terms.retain(|term| {
        let stems = Analysis::new(term, []).content;
        let held = group.iter().filter(|s| holds_all(&s.analysis, &stems)).count();
        !stems.is_empty() && chars(term) <= MOST_OF_A_TERM && 2 * held > group.len()
    });
    terms.truncate(3);
    terms
}

/// The text that an analysis is read from.
pub(super) fn joined(what: &str, words: &str) -> String {
    if words.ends_with(what) { words.to_owned() } else { format!("{} {words}", stop(what.trim())) }
}

/// The statement that all of them begin with, if it can stand alone.
fn common(group: &[&Source<'_>]) -> Option<String> {
    let texts: Vec<Vec<&str>> = group.iter().map(|s| s.what.split_whitespace().collect()).collect();
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
                rest.first().is_none_or(|word| ended || GOES_ON.contains(&word.to_lowercase().as_str()));
            goes_on
                && Analysis::new(&rest.join(" "), []).negations == 0
                && !rest.iter().any(|w| w.contains('?'))
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
    // Whose words these are, or that something is asked, must not be lost.
    let marked = |text: &str| text.contains(|c| is_quotation_mark(c) || matches!(c, ':' | '?' | '('));
    let what = group.first()?.what;
    let quoted = quotations(what).first().map_or(what.len(), |quotation| quotation.start);
    let unquoted = word_starts(what).take_while(|&start| start < quoted).count();
    (3..=shared.min(unquoted)).rev().filter(|&n| whole(n)).map(told).find(|text| {
        let said = Analysis::new(text, []);
        // "The old mill" tells nothing that happened.
        let tells = text.starts_with("I ") || is_episode(text) || is_vague(text);
        !marked(text) && tells && said.content.len() >= STATEMENT
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str, day: i64, importance: u8, summary: bool) -> Source<'_> {
        let (what, words) = parts(text, summary);
        let analysis = Analysis::new(&joined(what, words), []);
        Source { what, words, analysis, first: day, last: day, times: 1, weight: (importance, 0) }
    }

    fn told(texts: &[(&str, i64, u8)], level: Level, most: usize) -> String {
        let summary = level == Level::Month;
        let sources: Vec<Source<'_>> = texts.iter().map(|&(t, d, i)| source(t, d, i, summary)).collect();
        let group: Vec<&Source<'_>> = sources.iter().collect();
        let others: Vec<Analysis> = sources.iter().map(|s| s.analysis.clone()).collect();
        let now: nightfold_memory::LongTermMemory = serde_json::from_value(serde_json::json!({
            "npc": "Mara", "id": "a", "form": "verbatim", "kind": "event", "text": "x", "at": 0, "last_at": 0,
            "importance": 1, "occurrences": 1, "sources": [], "state": "active", "corroborations": 0,
            "confidence": "normal", "touched_at": 0, "night": "day-0",
        }))
        .unwrap();
        tell(&group, &others, &Analysis::new("Mara", ["Mara"]), level, Calendar::of(&now, 0), most).0
    }

    const SWEPT: [(&str, i64, u8); 3] = [
        ("I swept the common room before opening.", 3, 2),
        ("I swept the common room again after the noon crowd.", 4, 2),
        ("I swept the common room and found Joss's 2 coppers.", 4, 4),
    ];

    #[test]
    fn what_all_begin_with_is_said_once_and_the_weightiest_is_quoted() {
        assert_eq!(
            told(&SWEPT, Level::Week, 800),
            "From day 3 to day 4, on 2 days, 3 times in all: I swept the common room. What stood out: \u{201c}I swept the \
             common room and found Joss's 2 coppers.\u{201d}"
        );
        // Too long a quotation gives way to a shorter one, then to none.
        assert!(told(&SWEPT, Level::Week, 140).ends_with("before opening.\u{201d}"));
        assert!(told(&SWEPT, Level::Week, 100).ends_with("the common room."));
    }

    #[test]
    fn where_they_begin_differently_only_what_it_had_to_do_with_is_named() {
        let hearth = [
            ("Wren lit the hearth", 1, 2),
            ("I cleaned the hearth of ash", 2, 2),
            ("the hearth smoked all evening", 2, 3),
        ];
        let text = told(&hearth, Level::Week, 800);
        assert!(
            text.starts_with("From day 1 to day 2, on 2 days, 3 times in all: things to do with hearth. "),
            "{text}"
        );
        assert!(text.ends_with("\u{201c}the hearth smoked all evening\u{201d}"), "{text}");
        let mixed = [("Wren sang", 1, 2), ("the goat ran off", 1, 2), ("bread was dear", 1, 2)];
        assert!(told(&mixed, Level::Week, 800).starts_with("On day 1, 3 times in all: this and that. "));
    }

    #[test]
    fn no_statement_is_cut_where_it_is_taken_back() {
        for rest in ["unless it rained", "but never well", "in no hurry", "if Tom let me"] {
            let late = format!("I swept the common room {rest}");
            let texts =
                [("I swept the common room at dawn", 1, 2), ("I swept the common room", 1, 2), (&late, 1, 2)];
            let text = told(&texts, Level::Week, 800);
            assert!(!text.contains("in all: I swept"), "{text}");
        }
    }

    #[test]
    fn no_quotation_is_cut() {
        for (open, close) in [
            ("\"", "\""),
            ("'", "'"),
            ("\u{201c}", "\u{201d}"),
            ("\u{ab}", "\u{bb}"),
            ("\u{201e}", "\u{201c}"),
        ] {
            let said = |rest: &str| format!("I told Joss {open}I know it. {rest}{close}");
            let texts = [said("And I want it."), said("I still want the other."), said("At noon.")];
            let told = told(&[(&texts[0], 1, 2), (&texts[1], 2, 4), (&texts[2], 3, 2)], Level::Week, 800);
            assert!(!told.contains("in all: I told"), "{told}");
            assert!(told.contains(&texts[1]), "{told}");
        }
    }

    #[test]
    fn a_month_is_told_from_its_weeks_without_their_dates() {
        let weeks: Vec<String> = [3, 10, 17]
            .iter()
            .map(|&d| told(&SWEPT.map(|(t, i, w)| (t, d + i, w)), Level::Week, 800))
            .collect();
        let weeks = [(weeks[0].as_str(), 3, 2), (weeks[1].as_str(), 10, 3), (weeks[2].as_str(), 17, 2)];
        assert_eq!(
            told(&weeks, Level::Month, 800),
            "From day 3 to day 17, in 3 weeks, 3 times in all: I swept the common room. What stood out: \u{201c}I swept the \
             common room and found Joss's 2 coppers.\u{201d}"
        );
    }
}

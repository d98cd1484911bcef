//! Summaries of many old records by rules: the period, the number of occurrences, the weightiest record in its own
//! words, and of the others the sentences that add most to it. All but period and number was written by somebody.

use std::{cmp::Reverse, collections::BTreeSet};

use nightfold_memory::{Calendar, SummaryFrame, SummaryPeriod, SummarySource, SummaryText, civil};

use crate::text::{analyze, sentences};

/// End of the lead, which says when and how often and holds nothing from memory, and start of the quotations.
const LEAD_END: &str = " times; of these: \u{201c}";
/// End of the lead where nothing is quoted.
const NOTHING_QUOTED: &str = " times.";
const QUOTE_END: &str = "\u{201d}";
/// Gap between two quotations.
const QUOTE_GAP: &str = "\u{201d} \u{201c}";
/// Share of the records' text that is quoted, if the weightiest record is no longer by itself.
const QUOTED_SHARE: f64 = 0.5;
/// Minimum number of words, names and numbers counted twice, that a further quotation adds.
const MIN_NEW_WORDS: usize = 3;
/// Length of a sentence at which its words count half as much as in the shortest.
const HALF_DENSITY_CHARS: f64 = 40.0;

/// Returns the words of a record that can be quoted; in a summary they follow its lead.
pub(crate) fn quotable_words(text: &str, is_summary: bool) -> &str {
    let told = text.split_once(LEAD_END).filter(|_| is_summary).map_or(text, |(_, told)| told);
    told.strip_suffix(QUOTE_END).filter(|_| is_summary).unwrap_or(told)
}

/// Returns the summary of a group of records.
pub(crate) fn summary(group: &[&SummarySource<'_>], frame: SummaryFrame) -> SummaryText {
    let lead = lead(group, frame.period, frame.calendar);
    let room = frame.max_chars.saturating_sub(chars(&lead) + chars(LEAD_END) + chars(QUOTE_END));
    let fits = |at: &usize| {
        let words = group[*at].text.trim();
        !words.is_empty() && chars(words) <= room && !words.chars().any(char::is_control)
    };
    // Of equal weights the first in time comes first.
    match (0..group.len()).filter(fits).min_by_key(|&at| Reverse(group[at].weight)) {
        Some(quoted) => {
            let first = std::iter::once(group[quoted].text.trim());
            let words: Vec<&str> = first.chain(further_quotations(group, quoted, room)).collect();
            let text = format!("{lead}{LEAD_END}{}{QUOTE_END}", words.join(QUOTE_GAP));
            SummaryText { text, quoted: Some(quoted) }
        }
        None => SummaryText { text: format!("{lead}{NOTHING_QUOTED}"), quoted: None },
    }
}

/// Sentence of a record that could be quoted beside the weightiest record.
struct QuotableSentence<'a> {
    text: &'a str,
    /// Stems of its content words; names and numbers stand there twice.
    words: BTreeSet<String>,
    /// Factor of its record's importance.
    weight: f64,
}

impl QuotableSentence<'_> {
    fn density(&self) -> f64 {
        self.weight * self.words.len() as f64 / (chars(self.text) as f64 + HALF_DENSITY_CHARS)
    }
}

/// Returns the sentences of the other records that add most words for their length to the record that is `quoted`, in
/// the order of the records, as far as there is room.
fn further_quotations<'a>(group: &[&'a SummarySource<'_>], quoted: usize, room: usize) -> Vec<&'a str> {
    let all: usize = group.iter().map(|s| chars(s.text)).sum();
    let share = ((all as f64 * QUOTED_SHARE) as usize).min(room);
    let first = group[quoted].text.trim();
    let mut left = share.saturating_sub(chars(first));
    let mut open: Vec<(usize, QuotableSentence<'_>)> = Vec::new();
    for source in group.iter().enumerate().filter(|(i, _)| *i != quoted).map(|(_, source)| source) {
        let weight = 1.0 + f64::from(source.weight.0) / 5.0;
        let said = sentences(source.text).filter(|sentence| !sentence.is_question());
        for text in said.filter_map(|sentence| without_half_quotations(sentence.text)) {
            let words = words(text, &source.analysis.names);
            open.push((open.len(), QuotableSentence { text, words, weight }));
        }
    }
    open.retain(|(_, sentence)| !sentence.text.chars().any(char::is_control));
    let mut chosen: Vec<(usize, &str)> = Vec::new();
    let mut told = words(first, &group[quoted].analysis.names);
    loop {
        let needed = |s: &QuotableSentence<'_>| chars(s.text) + chars(QUOTE_GAP);
        open.iter_mut().for_each(|(_, s)| s.words.retain(|word| !told.contains(word)));
        open.retain(|(_, s)| needed(s) <= left && s.words.len() >= MIN_NEW_WORDS);
        // Of equal densities the first in time goes first.
        let best = open.iter().rev().max_by(|(_, a), (_, b)| a.density().total_cmp(&b.density()));
        let Some(order) = best.map(|(order, _)| *order) else { break };
        let at = open.partition_point(|(other, _)| *other < order);
        let (_, sentence) = open.remove(at);
        left -= needed(&sentence);
        chosen.push((order, sentence.text));
        told = sentence.words;
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|(_, text)| text).collect()
}

/// Returns a sentence without the marks of the quotation that it begins or ends, as those of a summary do; `None` if
/// it would still hold half a quotation.
fn without_half_quotations(sentence: &str) -> Option<&str> {
    let is_whole = |text: &&str| text.matches('\u{201c}').count() == text.matches('\u{201d}').count();
    let trimmed = sentence.trim_matches(['\u{201c}', '\u{201d}', ' ']);
    [sentence, trimmed].into_iter().find(is_whole).filter(|text| !text.is_empty())
}

/// Returns the stems of the content words of a text; names and numbers stand there a second time, as they are.
fn words(text: &str, names: &[String]) -> BTreeSet<String> {
    let read = analyze(text, names.iter().map(String::as_str));
    let marked = read.names.iter().chain(&read.numbers).map(|word| format!("{word}!"));
    marked.chain(read.content.iter().cloned()).collect()
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

/// Returns the period and the number of occurrences.
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
    format!("{}{on}, {times}", period_phrase(calendar, first, last))
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

const MONTHS: &str = "January February March April May June July August September October November December";

fn month_name(month: i64) -> &'static str {
    MONTHS.split(' ').nth((month - 1).rem_euclid(12) as usize).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str, day: i64, importance: u8, summary: bool) -> SummarySource<'_> {
        let text = quotable_words(text, summary);
        let analysis = analyze(text, []);
        SummarySource { text, analysis, first: day, last: day, times: 1, weight: (importance, 0) }
    }

    fn told(texts: &[(&str, i64, u8)], period: SummaryPeriod, most: usize) -> String {
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
        let frame = SummaryFrame { period, calendar: Calendar::of(&now, 0), max_chars: most };
        super::summary(&group, frame).text
    }

    const SWEPT: [(&str, i64, u8); 3] = [
        ("I swept the common room before opening.", 3, 2),
        ("I swept the common room again after the noon crowd.", 4, 2),
        ("I swept the common room and found Joss's 2 coppers.", 4, 4),
    ];

    #[test]
    fn most_important_record_is_quoted_as_far_as_there_is_room() {
        assert_eq!(
            told(&SWEPT, SummaryPeriod::Week, 800),
            "From day 3 to day 4, on 2 days, 3 times; of these: \u{201c}I swept the common room and found Joss's 2 \
             coppers.\u{201d}"
        );
        // Too long a quotation gives way to a shorter one, then to none.
        assert!(told(&SWEPT, SummaryPeriod::Week, 100).ends_with("before opening.\u{201d}"));
        assert_eq!(told(&SWEPT, SummaryPeriod::Week, 60), "From day 3 to day 4, on 2 days, 3 times.");
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
        let text = told(&texts, SummaryPeriod::Week, 800);
        let quotations = "\u{201c}The mill wheel broke and Joss asked 14 silver for a new axle, which I cannot pay before \
                          harvest.\u{201d} \u{201c}Bran the carter leaves for Keth on the 9th.\u{201d}";
        assert!(text.ends_with(quotations), "{text}");
        assert!(!text.contains("How are you") && !text.contains("good to talk"), "{text}");
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
            let told =
                told(&[(&texts[0], 1, 2), (&texts[1], 2, 4), (&texts[2], 3, 2)], SummaryPeriod::Week, 800);
            assert!(told.contains(&texts[1]), "{told}");
        }
    }

    #[test]
    fn month_summary_drops_dates_of_its_weeks() {
        let weeks: Vec<String> = [3, 10, 17]
            .iter()
            .map(|&d| told(&SWEPT.map(|(t, i, w)| (t, d + i, w)), SummaryPeriod::Week, 800))
            .collect();
        let weeks = [(weeks[0].as_str(), 3, 2), (weeks[1].as_str(), 10, 3), (weeks[2].as_str(), 17, 2)];
        assert_eq!(
            told(&weeks, SummaryPeriod::Month, 800),
            "From day 3 to day 17, in 3 weeks, 3 times; of these: \u{201c}I swept the common room and found Joss's 2 \
             coppers.\u{201d}"
        );
    }
}

//! Parts of a night in words.

use std::borrow::Cow;

use nightfold_memory::{ClusterReport, GameTime, ImportantEnded, Reason, clean};
use unicode_segmentation::UnicodeSegmentation;

/// Number of letters that are shown of a position that ended: a player may have written a page.
const POSITION: usize = 200;

/// Number of letters that are shown of each of two compared texts.
const COMPARED: usize = 120;

/// Returns a text of more than `most` characters shortened to at most that length, with a mark for the
/// omitted rest.
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    if text.char_indices().nth(most).is_none() {
        return Cow::Borrowed(text);
    }
    let room = text.char_indices().nth(most.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    // Letters with marks and joined emoji stay whole, unless the first of them alone is too long.
    let starts = text.grapheme_indices(true).map(|(at, _)| at).take_while(|at| *at <= room);
    let end = starts.last().filter(|at| *at > 0).unwrap_or(room);
    Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default()))
}

/// Returns a number with its noun: `1 memory`, `3 memories`.
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", noun(n, one, many))
}

/// Returns the noun without the number, for numbers that are printed separately: `memory` of 1, `memories` of
/// 3.
pub fn noun<'a>(n: usize, one: &'a str, many: &'a str) -> &'a str {
    if n == 1 { one } else { many }
}

/// Returns a reason in words: the rule and the values it looked at. The text is safe to show.
pub fn reason_words(reason: &Reason) -> String {
    let looked = reason.details();
    let text = if looked.is_empty() {
        reason.rule.to_string()
    } else {
        format!("{}: {}", reason.rule, looked.join(", "))
    };
    clean(&text).into_owned()
}

/// Returns two compared texts, each with its id and shortened: `compared [a] “…” with [b] “…”`. The text is safe to
/// show.
pub fn compared_words(older: (&str, &str), newer: (&str, &str)) -> String {
    let quoted = |(id, text): (&str, &str)| match text.trim() {
        "" => format!("[{id}]"),
        text => format!("[{id}] “{}”", shortened(text, COMPARED)),
    };
    clean(&format!("compared {} with {}", quoted(newer), quoted(older))).into_owned()
}

/// Returns the words about a position that ended.
pub fn ended_words(since: GameTime, position: &str) -> String {
    format!("no longer holds since {since}: “{}”", shortened(position.trim(), POSITION))
}

/// Returns the words about something important that ended.
pub fn important_ended_words(ended: &ImportantEnded) -> String {
    format!("important, and ended this night: [{}] “{}”", ended.id, shortened(ended.text.trim(), POSITION))
}

/// Returns the words about the strength of a theme and what it earns: `hangs together 0.61: 8 of 11 places, 640 tokens`.
/// The places are the entries that it may keep, of as many as it has memories.
pub fn strength_words(theme: &ClusterReport) -> String {
    let ClusterReport { size, storage_budget, kept, token_budget, reflection_slots, recurred, .. } = *theme;
    let more = [
        (kept != storage_budget).then(|| format!("{kept} kept")),
        (token_budget > 0).then(|| count(token_budget, "token", "tokens")),
        (reflection_slots > 0).then(|| format!("up to {}", count(reflection_slots, "insight", "insights"))),
        (recurred > 0).then(|| format!("known from {}", count(recurred, "earlier night", "earlier nights"))),
    ];
    let more: String = more.into_iter().flatten().map(|one| format!(", {one}")).collect();
    format!("hangs together {:.2}: {storage_budget} of {size} places{more}", theme.cohesion)
}

/// Returns a time to the minute if it is a date, else in seconds of the game.
pub(super) fn when(at: GameTime) -> String {
    let text = at.to_string();
    match text.split_once('T') {
        Some((date, time)) => format!("{date} {}", time.get(..5).unwrap_or(time)),
        None => format!("second {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_shown_as_date_or_seconds() {
        let at = |json: &str| serde_json::from_str::<GameTime>(json).unwrap();
        assert_eq!(when(at("\"1204-05-03T06:10:59Z\"")), "1204-05-03 06:10");
        assert_eq!(when(at("22200")), "second 22200");
    }

    #[test]
    fn long_text_is_cut_between_graphemes() {
        assert_eq!(shortened("It rained", 9), "It rained");
        assert_eq!(shortened("It rained", 6), "It ra…");
        // An e with an acute accent, as two characters, and a family of three, as five.
        assert_eq!(shortened("cafe\u{301}s", 5), "caf…");
        assert_eq!(shortened("ab👨\u{200d}👩\u{200d}👧cd", 5), "ab…");
        assert_eq!(shortened("ab👨\u{200d}👩\u{200d}👧cd", 8), "ab👨\u{200d}👩\u{200d}👧…");
    }

    #[test]
    fn text_of_one_endless_grapheme_is_cut_too() {
        let text = format!("a{}", "\u{301}".repeat(10_000));
        assert_eq!(shortened(&text, 10).chars().count(), 10);
    }
}

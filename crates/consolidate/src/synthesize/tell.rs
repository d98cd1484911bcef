//! Several memories told as one, by rules.
//!
//! Nothing is invented and nothing that carries a fact is left out: what the memories share is said once, what
//! differs is listed in order of time, and the words of important ones are quoted as they stand.

use nightfold_memory::GameTime;

use super::phrase::{inside, list, stop, when};
use crate::text::{Analysis, bare, holds_words};

/// A memory as the rules see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    pub(crate) analysis: &'a Analysis,
    /// Its words may not be changed.
    pub(crate) verbatim: bool,
    pub(crate) occurrences: usize,
    /// It is one reading of a status: a value that comes back is told again.
    pub(crate) reading: bool,
    pub(crate) at: GameTime,
    pub(crate) last_at: GameTime,
}

/// The share of a text's words that must be common to all for the rest to read as a list.
const FRAME_SHARE: f64 = 0.3;
/// What belongs to the word after it.
const ARTICLES: &[&str] = &["a", "an", "another", "her", "his", "its", "my", "our", "the", "their", "your"];
/// The longest thing that reads as an item of a list, in words.
const ITEM_WORDS: usize = 14;

/// Tells memories, which come in order of time, as one.
pub(crate) fn tell(sources: &[Source<'_>]) -> String {
    let sources = &without_echoes(sources);
    if sources.iter().any(|s| s.verbatim) {
        return stop(&quoted(sources));
    }
    let body = framed(sources).unwrap_or_else(|| narrated(sources));
    let body = begin(&body, sources);
    let often = sources.iter().all(|s| s.occurrences > 1);
    stop(&if often { format!("{body}, again and again") } else { body })
}

/// Leaves out what another source says in the same words: "X." beside "X". What may not be changed stands in the
/// words of one that stays.
fn without_echoes<'a>(sources: &[Source<'a>]) -> Vec<Source<'a>> {
    let said_in = |a: &Source<'_>, b: &Source<'_>| {
        if a.verbatim {
            b.verbatim && holds_words(b.text, a.text)
        } else {
            holds_words(&b.text.to_lowercase(), &bare(a.text).to_lowercase())
        }
    };
    let mut kept: Vec<Source<'a>> = Vec::with_capacity(sources.len());
    for (i, source) in sources.iter().enumerate() {
        // Of two that say the same the first stays.
        let echo = sources
            .iter()
            .enumerate()
            .any(|(j, other)| j != i && said_in(source, other) && (j < i || !said_in(other, source)));
        let echo = echo && !source.reading;
        if !echo {
            kept.push(*source);
        }
    }
    kept
}

/// "In the morning I …", "In the morning, Wren …".
fn begin(body: &str, sources: &[Source<'_>]) -> String {
    let from = sources.iter().map(|s| s.at).min();
    let to = sources.iter().map(|s| s.last_at).max();
    let when = from.zip(to).map_or("Over the day", |(from, to)| when(from, to));
    let names = sources.iter().flat_map(|s| s.analysis.names.iter().map(String::as_str));
    let body = inside(body, &Analysis::new(body, names));
    if body.starts_with("I ") { format!("{when} {body}") } else { format!("{when}, {body}") }
}

/// Says what all texts share once, and lists what differs; `None` when they share too little.
fn framed(sources: &[Source<'_>]) -> Option<String> {
    let texts: Vec<Vec<&str>> = sources.iter().map(|s| bare(s.text).split_whitespace().collect()).collect();
    let shortest = texts.iter().map(Vec::len).min()?;
    let first = texts.first()?;
    let same = |i: usize, a: &str, b: &str| if i == 0 { a.eq_ignore_ascii_case(b) } else { a == b };
    let mut head = (0..shortest).take_while(|&i| texts.iter().all(|t| same(i, t[i], first[i]))).count();
    // "The forge, the bellows and the anvil": each keeps its article.
    while head > 0 && ARTICLES.contains(&first[head - 1].to_ascii_lowercase().as_str()) {
        head -= 1;
    }
    // "Forge status: coal 40 stone …; then coal 37 stone …": a title goes before what it is the title of.
    let title = first[..head].iter().position(|w| w.ends_with(':')).map(|at| at + 1);
    head = title.unwrap_or(head);
    // With a beginning in common the items keep their ends, so that no "12 kegs, 31" loses its "loaves".
    let mut tail = (1..=shortest - head)
        .take_while(|&i| head == 0 && texts.iter().all(|t| t[t.len() - i] == first[first.len() - i]))
        .count();
    if let Some(verb) = first[first.len() - tail..].iter().position(|w| ["is", "was", "has"].contains(w)) {
        // "The bathroom sink and the kitchen sink are …": what is shared begins with the verb.
        tail -= verb;
    }
    let longest = texts.iter().map(Vec::len).max()?;
    let mut items: Vec<String> = Vec::new();
    for (text, source) in texts.iter().zip(sources) {
        let item = text[head..text.len() - tail].join(" ");
        let item = if head == 0 && !items.is_empty() { inside(&item, source.analysis) } else { item };
        let said = if source.reading { items.last() == Some(&item) } else { items.contains(&item) };
        if !item.is_empty() && !said {
            items.push(item);
        }
    }
    let shared = head + tail;
    let readable = (title.is_some() || (shared >= 2 && shared as f64 >= FRAME_SHARE * longest as f64))
        && items.iter().all(|i| i.split(' ').count() <= ITEM_WORDS);
    if !readable {
        return None;
    }
    if tail == 0 {
        // What comes last can be told as it went on.
        let then = if items.iter().any(|i| i.contains([',', ';'])) { "; then " } else { ", then " };
        return Some(format!("{} {}", first[..head].join(" "), items.join(then)));
    }
    // Several subjects share one verb now.
    let after = match &first[first.len() - tail..] {
        ["is", rest @ ..] => ["are", &rest.join(" ")].join(" "),
        ["was", rest @ ..] => ["were", &rest.join(" ")].join(" "),
        ["has", rest @ ..] => ["have", &rest.join(" ")].join(" "),
        unchanged => unchanged.join(" "),
    };
    Some(format!("{} {after}", list(&items)))
}

/// One thing after the other.
fn narrated(sources: &[Source<'_>]) -> String {
    let mut out = String::new();
    let mut after_i = false;
    for (i, source) in sources.iter().enumerate() {
        let text = inside(source.text, source.analysis);
        // "I lit the hearth; then swept the room": what I go on doing needs no second "I".
        let rest = text.strip_prefix("I ").filter(|r| !r.starts_with("and ") && !r.starts_with("am "));
        let link = match i {
            0 => "",
            _ if i + 1 == sources.len() => "; and ",
            _ => "; then ",
        };
        out.push_str(link);
        out.push_str(match rest {
            Some(rest) if after_i => rest,
            _ => &text,
        });
        after_i = rest.is_some();
    }
    out
}

/// Important words as they stand, the others around them.
fn quoted(sources: &[Source<'_>]) -> String {
    let (kept, told): (Vec<&Source<'_>>, Vec<&Source<'_>>) = sources.iter().partition(|s| s.verbatim);
    let quotes: Vec<String> = kept.iter().map(|s| format!("\u{201c}{}\u{201d}", s.text.trim())).collect();
    let quotes = match quotes.as_slice() {
        [one] => format!("I keep this as it was: {one}"),
        [first, rest @ ..] => {
            format!(
                "I keep these together, word for word: {first}; and, close to it, {}",
                rest.join("; and ")
            )
        }
        [] => String::new(),
    };
    let around: Vec<String> = told.iter().map(|s| inside(s.text, s.analysis)).collect();
    if around.is_empty() { quotes } else { format!("{quotes}; with it goes that {}", around.join("; and ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(texts: &[(&str, bool)], hours: &[i64]) -> String {
        let analyses: Vec<Analysis> = texts.iter().map(|(t, _)| Analysis::new(t, [])).collect();
        let sources: Vec<Source<'_>> = texts
            .iter()
            .zip(&analyses)
            .zip(hours)
            .map(|((&(text, verbatim), analysis), &hour)| {
                let at = GameTime::from_seconds(hour * 3600).unwrap();
                Source { text, analysis, verbatim, occurrences: 1, reading: false, at, last_at: at }
            })
            .collect();
        tell(&sources)
    }

    #[test]
    fn what_is_shared_is_said_once() {
        let idle =
            [("the forge is idle", false), ("the bellows is idle", false), ("the anvil is idle", false)];
        assert_eq!(
            told(&idle, &[8, 9, 10]),
            "In the morning, the forge, the bellows and the anvil are idle."
        );
        let swept = [
            ("I swept the common room before opening.", false),
            ("I swept the common room again after the noon crowd.", false),
        ];
        assert_eq!(
            told(&swept, &[6, 13]),
            "Over the day I swept the common room before opening, then again after the noon crowd."
        );
    }

    #[test]
    fn readings_are_told_in_order_with_all_their_numbers() {
        let stock = [("Heron stock: 12 kegs, 31 loaves", false), ("Heron stock: 11 kegs, 9 loaves", false)];
        assert_eq!(
            told(&stock, &[6, 20]),
            "Over the day, Heron stock: 12 kegs, 31 loaves; then 11 kegs, 9 loaves."
        );
    }

    #[test]
    fn different_sentences_become_a_story() {
        let day = [
            ("I lit the kitchen hearth.", false),
            ("I did not serve Joss.", false),
            ("Wren brought 31 loaves.", false),
        ];
        assert_eq!(
            told(&day, &[6, 7, 8]),
            "In the morning I lit the kitchen hearth; then did not serve Joss; and Wren brought 31 loaves."
        );
    }

    #[test]
    fn an_echo_is_not_told_twice() {
        let twice = [("Maria is planning something.", true), ("Maria is planning something", true)];
        assert_eq!(
            told(&twice, &[8, 9]),
            "I keep this as it was: \u{201c}Maria is planning something.\u{201d}"
        );
        let more = [("bed is used", false), ("bed is used by someone", false)];
        assert_eq!(told(&more, &[8, 9]), "In the morning, bed is used by someone.");
    }

    #[test]
    fn important_words_stand_as_they_are() {
        let day = [("Joss owes me 14 silver.", true), ("I asked him for it.", false)];
        let text = told(&day, &[9, 10]);
        assert!(
            text.contains("\u{201c}Joss owes me 14 silver.\u{201d}") && text.contains("I asked him for it"),
            "{text}"
        );
    }
}

//! Synthesis of several memories by rules.
//!
//! Nothing is invented: words that the memories share are said once, differences are listed in order of time, and
//! important memories are quoted verbatim. Unimportant ones lose clauses beside the point, but no name, number or
//! negation.

use nightfold_memory::{
    GameTime, Kind, SynthesisSource,
    grammar::{Grammar, PartOfSpeech, Relation, Tense},
};

use super::{
    brief::brief,
    phrase::{days_opening, end_sentence, inside_sentence, join_list, span_opening, upper_first},
    small_talk::without_small_talk,
};
use crate::{
    lexicon::WordClass,
    text::{
        Analysis, analyze, contains_words, is_quoted, quotations, singular, without_full_stop, word_starts,
    },
};

/// A memory as the rules see it.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
struct RenderSource<'a> {
    text: &'a str,
    analysis: &'a Analysis,
    /// True if its words may not be changed.
    verbatim: bool,
    /// True if its first word is no name.
    starts_common: bool,
    /// True if it may lose what is beside the point.
    brief: bool,
    occurrences: usize,
    /// True if the source is a reading of a status line, whose value is listed even if an earlier reading had
    /// the same value.
    reading: bool,
    at: GameTime,
    last_at: GameTime,
}

/// Minimum share of common words for the rest to read as a list.
const MIN_COMMON_SHARE: f64 = 0.3;
/// Maximum length of an item of a list, in words.
const MAX_ITEM_WORDS: usize = 14;

/// Synthesizes memories, which come in order of time, into one text. Chat loses its small talk, unless its
/// words may not be changed.
pub(crate) fn synthesis(sources: &[SynthesisSource<'_>]) -> String {
    let text = |source: &SynthesisSource<'_>| match source {
        SynthesisSource { verbatim: true, .. } => source.text.to_owned(),
        SynthesisSource { kind: Kind::Chat, .. } => {
            without_small_talk(source.text, source.analysis).into_owned()
        }
        SynthesisSource { brief: true, .. } => brief(source.text, source.analysis),
        _ => source.text.to_owned(),
    };
    let texts: Vec<String> = sources.iter().map(text).collect();
    let told: Vec<RenderSource<'_>> = sources
        .iter()
        .zip(&texts)
        .map(|(source, text)| RenderSource {
            text,
            analysis: source.analysis,
            verbatim: source.verbatim,
            brief: source.brief,
            starts_common: starts_common(source.text, source.analysis) && begins_alike(text, source.text),
            occurrences: source.occurrences,
            reading: source.reading,
            at: source.at,
            last_at: source.last_at,
        })
        .collect();
    render(&told)
}

/// Renders memories, which come in order of time, as one text.
fn render(sources: &[RenderSource<'_>]) -> String {
    let sources = &without_echoes(sources);
    if sources.iter().any(|s| s.verbatim) {
        return end_sentence(&render_verbatim(sources));
    }
    let body = render_list(sources).unwrap_or_else(|| render_sequence(sources));
    end_sentence(&with_span(&body, sources))
}

/// Drops sources whose words another source contains, such as "X." next to "X". A verbatim source is dropped
/// only if another verbatim source contains its words.
fn without_echoes<'a>(sources: &[RenderSource<'a>]) -> Vec<RenderSource<'a>> {
    let said_in = |a: &RenderSource<'_>, b: &RenderSource<'_>| {
        if a.verbatim {
            b.verbatim && contains_words(b.text, a.text)
        } else {
            contains_words(&b.text.to_lowercase(), &without_full_stop(a.text).to_lowercase())
        }
    };
    let mut kept: Vec<RenderSource<'a>> = Vec::with_capacity(sources.len());
    for (i, source) in sources.iter().enumerate() {
        // If two sources say the same, the first stays.
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

/// Minimum number of times that each memory was experienced for "again and again".
const MIN_OFTEN: usize = 3;

/// Puts the time span before the text, if it says something: "In the morning I …", "Over 3 days, Wren …". Of what is
/// unimportant the part of the day is left out.
fn with_span(body: &str, sources: &[RenderSource<'_>]) -> String {
    let from = sources.iter().map(|s| s.at).min();
    let to = sources.iter().map(|s| s.last_at).max();
    // "In the morning I boiled rags all morning": it is said already.
    let said = |when: &String| when.rsplit(' ').next().is_some_and(|part| contains_words(body, part));
    let opening = if sources.iter().all(|s| s.brief) { days_opening } else { span_opening };
    let when = from.zip(to).and_then(|(from, to)| opening(from, to)).filter(|when| !said(when));
    let often = sources.iter().all(|s| s.occurrences >= MIN_OFTEN);
    let Some(when) = when.map_or(often.then(|| "Again and again".to_owned()), |when| {
        Some(if often { format!("{when}, again and again") } else { when })
    }) else {
        return upper_first(body);
    };
    let names = sources.iter().flat_map(|s| s.analysis.names.iter().map(String::as_str));
    let mut read = analyze(body, names);
    read.starts_common |= sources.first().is_some_and(|s| s.starts_common && begins_alike(body, s.text));
    let body = inside_sentence(body, &read);
    let comma = if body.starts_with("I ") && !often { "" } else { "," };
    format!("{when}{comma} {body}")
}

/// True if both texts begin with the same word.
fn begins_alike(a: &str, b: &str) -> bool {
    let first = |text: &str| text.split_whitespace().next().map(str::to_lowercase);
    first(a).is_some() && first(a) == first(b)
}

/// True if the grammar knows the first word of a text, and it is no name: "Ferried the cart", "People cross".
fn starts_common(text: &str, analysis: &Analysis) -> bool {
    let first = analysis.grammar.as_ref().and_then(|grammar| grammar.words().first());
    analysis.starts_common
        || first.is_some_and(|word| {
            let written = word.written(text);
            word.part_of_speech() != PartOfSpeech::ProperNoun
                && text.starts_with(written)
                && analysis.names.binary_search(&written.to_lowercase()).is_err()
        })
}

/// Renders common words once and lists the differences; `None` if the texts share too little.
fn render_list(sources: &[RenderSource<'_>]) -> Option<String> {
    let texts: Vec<Vec<&str>> =
        sources.iter().map(|s| without_full_stop(s.text).split_whitespace().collect()).collect();
    let shortest = texts.iter().map(Vec::len).min()?;
    let first = texts.first()?;
    let same = |i: usize, a: &str, b: &str| if i == 0 { a.eq_ignore_ascii_case(b) } else { a == b };
    let mut head = (0..shortest).take_while(|&i| texts.iter().all(|t| same(i, t[i], first[i]))).count();
    // "The forge, the bellows and the anvil", "at noon, then at dusk": each keeps its article and preposition.
    let opens_item = |word: &str| {
        let word = word.to_ascii_lowercase();
        WordClass::Determiner.has(&word) || WordClass::Preposition.has(&word)
    };
    while head > 0 && opens_item(first[head - 1]) {
        head -= 1;
    }
    // "Forge status: coal 40 stone …; then coal 37 stone …": a title stays before its items.
    let title = first[..head].iter().position(|w| w.ends_with(':')).map(|at| at + 1);
    head = title.unwrap_or(head);
    // If the texts begin alike, the items keep their ends, so that "12 kegs, 31 loaves" keeps its "loaves".
    let mut tail = (1..=shortest - head)
        .take_while(|&i| head == 0 && texts.iter().all(|t| t[t.len() - i] == first[first.len() - i]))
        .count();
    if let Some(verb) = first[first.len() - tail..].iter().position(|w| plural_verb(w).is_some()) {
        // "The bathroom sink and the kitchen sink are …": what is shared begins with the verb.
        tail -= verb;
    }
    if sources.iter().any(|source| splits_quotation(without_full_stop(source.text), head, tail)) {
        return None;
    }
    let longest = texts.iter().map(Vec::len).max()?;
    let mut items: Vec<String> = Vec::new();
    for (text, source) in texts.iter().zip(sources) {
        let item = text[head..text.len() - tail].join(" ");
        let item =
            if head == 0 && !items.is_empty() { inside_sentence(&item, source.analysis) } else { item };
        let said = if source.reading { items.last() == Some(&item) } else { items.contains(&item) };
        let item = if title.is_none() && head > 0 { aside(item) } else { item };
        if !item.is_empty() && !said {
            items.push(item);
        }
    }
    let shared = head + tail;
    // "I checked the shelves, then and made a list": no item may continue words of another. Nor may an item
    // hold two statements: "then" would refer to either.
    let whole = |i: &String| {
        let first = i.split(' ').next().unwrap_or_default();
        // "Packing his bag, then up his things": a particle belongs to its verb.
        let joined = WordClass::Coordinator.has(first) || head > 0 && WordClass::Particle.has(first);
        !joined && (title.is_some() || !i.contains(';'))
    };
    let readable = (title.is_some() || (shared >= 2 && shared as f64 >= MIN_COMMON_SHARE * longest as f64))
        && items.iter().all(|i| whole(i) && i.split(' ').count() <= MAX_ITEM_WORDS);
    // One text alone is no list.
    if !readable || items.is_empty() {
        return None;
    }
    if title.is_some() && sources.iter().all(|source| source.reading) {
        items = changes_of_readings(&items);
    }
    if tail == 0 {
        // Without a common end the items are a sequence.
        let then = if items.iter().any(|i| i.contains([',', ';'])) { "; then " } else { ", then " };
        return Some(format!("{} {}", first[..head].join(" "), items.join(then)));
    }
    // Several subjects need the plural of the verb.
    let (verb, rest) = first[first.len() - tail..].split_first()?;
    let after = [&[plural_verb(verb).unwrap_or(verb)], rest].concat().join(" ");
    Some(format!("{} {after}", join_list(&items)))
}

/// Puts a remark behind a semicolon in brackets, so that it stays with its item: "at noon; no gull cried" becomes
/// "at noon (no gull cried)".
fn aside(item: String) -> String {
    match item.split_once("; ") {
        Some((what, remark)) if !remark.contains([';', '(', ')']) && !what.contains(['(', ')']) => {
            format!("{what} ({remark})")
        }
        _ => item,
    }
}

/// Returns the first reading whole, and of each further one only the values that differ from the reading before it: "12 kegs, 31
/// loaves" and "12 kegs, 9 loaves" become "12 kegs, 31 loaves" and "9 loaves". Readings with other fields stay whole.
fn changes_of_readings(readings: &[String]) -> Vec<String> {
    let fields = |reading: &str| -> Vec<String> { reading.split(", ").map(str::to_owned).collect() };
    let label = |field: &String| -> Vec<String> {
        let is_word = |word: &&str| !word.contains(|c: char| c.is_ascii_digit());
        field.split(' ').filter(is_word).map(singular).collect()
    };
    let mut told: Vec<String> = readings.first().cloned().into_iter().collect();
    for (before, now) in readings.iter().zip(readings.iter().skip(1)) {
        let (before, fields) = (fields(before), fields(now));
        let same_fields = before.iter().map(label).eq(fields.iter().map(label));
        let changed: Vec<String> = if same_fields {
            fields.into_iter().zip(before).filter(|(now, before)| now != before).map(|(now, _)| now).collect()
        } else {
            fields
        };
        if !changed.is_empty() {
            told.push(changed.join(", "));
        }
    }
    told
}

/// Returns the plural of a verb that may have several subjects.
fn plural_verb(singular: &str) -> Option<&'static str> {
    match singular {
        "is" => Some("are"),
        "was" => Some("were"),
        "has" => Some("have"),
        _ => None,
    }
}

/// Returns true if removing the first `head` and the last `tail` words of a text would split a quotation.
fn splits_quotation(text: &str, head: usize, tail: usize) -> bool {
    let quotations = quotations(text);
    if quotations.is_empty() {
        return false;
    }
    let starts: Vec<usize> = word_starts(text).collect();
    let split = |at: usize| starts.get(at).is_some_and(|&start| is_quoted(&quotations, start));
    split(head) || split(starts.len().saturating_sub(tail))
}

/// Renders each memory in a sentence of its own; consecutive actions of the NPC share a sentence while they
/// are short and plain.
fn render_sequence(sources: &[RenderSource<'_>]) -> String {
    let mut out = String::new();
    // Number of the NPC's actions in the current sentence.
    let mut doing = 0;
    for source in sources {
        let text = inside_sentence(source.text, source.analysis);
        let plain = is_plain(&text);
        // "I lit the hearth, then swept the room": a second action needs no second "I".
        let done = text.strip_prefix("I ").filter(|rest| !needs_subject(rest, source.analysis));
        match done {
            Some(rest) if plain && (1..MAX_ACTIONS).contains(&doing) => {
                out.push_str(", then ");
                out.push_str(rest);
                doing += 1;
            }
            _ if out.is_empty() => {
                out.clone_from(&text);
                doing = usize::from(plain && done.is_some());
            }
            _ => {
                out = end_sentence(&out);
                out.push(' ');
                out.push_str(&as_sentence(source.text));
                doing = usize::from(plain && done.is_some());
            }
        }
    }
    out
}

/// Maximum number of the NPC's actions in one sentence.
const MAX_ACTIONS: usize = 3;
/// True for words behind "I" that cannot do without it, or are no action that has its time: "am glad", "and Wren went",
/// "must keep one", "fetch water every hour".
fn needs_subject(words: &str, analysis: &Analysis) -> bool {
    let first = words.split(' ').next().unwrap_or_default();
    let states = [
        WordClass::BeFinite,
        WordClass::HavePresent,
        WordClass::PresentModal,
        WordClass::FiniteAuxiliary,
        WordClass::Coordinator,
    ];
    let not_past = |grammar: &Grammar| {
        let main = grammar.words().iter().find(|word| word.relation() == Relation::Root);
        main.is_some_and(|word| word.tense() == Some(Tense::Present))
    };
    first != "did" && states.iter().any(|class| class.has(first))
        || analysis.grammar.as_ref().is_some_and(not_past)
}

/// True if another statement can follow in the same sentence: it has no comma and no "and".
fn is_plain(text: &str) -> bool {
    !text.contains([',', ';', ':', '.', '!', '?', '"', '\u{201c}']) && !text.contains(" and ")
}

/// Returns a text as a sentence of its own, without its closing full stop.
fn as_sentence(text: &str) -> String {
    upper_first(without_full_stop(text))
}

/// Quotes the verbatim memories and puts the others behind them.
fn render_verbatim(sources: &[RenderSource<'_>]) -> String {
    let (kept, told): (Vec<&RenderSource<'_>>, Vec<&RenderSource<'_>>) =
        sources.iter().partition(|s| s.verbatim);
    let quotes: Vec<String> = kept.iter().map(|s| format!("\u{201c}{}\u{201d}", s.text.trim())).collect();
    let quotes = match quotes.as_slice() {
        [one] => format!("I keep this as it was: {one}"),
        several => format!("I keep these as they were: {}", join_list(several)),
    };
    let told: Vec<RenderSource<'_>> = told.into_iter().copied().collect();
    if told.is_empty() {
        return quotes;
    }
    let around = if told.len() > 1 { render_list(&told) } else { None };
    let around = around.unwrap_or_else(|| render_sequence(&told));
    let with = if kept.len() == 1 { "With it goes this" } else { "With them goes this" };
    format!("{} {with}: {around}", end_sentence(&quotes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tagged;

    fn told(texts: &[(&str, bool)], hours: &[i64]) -> String {
        let analyses: Vec<Analysis> = texts.iter().map(|(t, _)| analyze(t, [])).collect();
        let sources: Vec<RenderSource<'_>> = texts
            .iter()
            .zip(&analyses)
            .zip(hours)
            .map(|((&(text, verbatim), analysis), &hour)| {
                let at = GameTime::from_seconds(hour * 3600).unwrap();
                let reading = text.contains(" stock:");
                RenderSource {
                    brief: false,
                    text,
                    analysis,
                    verbatim,
                    starts_common: starts_common(text, analysis),
                    occurrences: 1,
                    reading,
                    at,
                    last_at: at,
                }
            })
            .collect();
        render(&sources)
    }

    #[test]
    fn shared_words_are_rendered_once() {
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
            "I swept the common room before opening, then again after the noon crowd."
        );
    }

    #[test]
    fn text_that_says_all_stands_alone() {
        let water = [("I fetched water.", false), ("I fetched water twice.", false)];
        assert_eq!(told(&water, &[8, 8]), "In the morning I fetched water twice.");
    }

    #[test]
    fn readings_are_listed_in_order_with_all_numbers() {
        let stock = [("Heron stock: 12 kegs, 31 loaves", false), ("Heron stock: 11 kegs, 9 loaves", false)];
        assert_eq!(told(&stock, &[6, 20]), "Heron stock: 12 kegs, 31 loaves; then 11 kegs, 9 loaves.");
        let stock = [
            ("Heron stock: 12 kegs, 31 loaves, 2 rooms", false),
            ("Heron stock: 12 kegs, 27 loaves, 2 rooms", false),
            ("Heron stock: 11 kegs, 27 loaves, 1 room", false),
        ];
        assert_eq!(
            told(&stock, &[6, 12, 20]),
            "Heron stock: 12 kegs, 31 loaves, 2 rooms; then 27 loaves; then 11 kegs, 1 room."
        );
    }

    #[test]
    fn span_is_told_as_it_is() {
        let swept = [("I swept the common room well", false), ("I swept the common room badly", false)];
        let text = |hours: &[i64]| told(&swept, hours);
        assert_eq!(text(&[8, 9]), "In the morning I swept the common room well, then badly.");
        assert_eq!(text(&[8, 18]), "I swept the common room well, then badly.");
        assert_eq!(text(&[8, 8 + 4 * 24]), "Over 5 days I swept the common room well, then badly.");
    }

    #[test]
    fn capitals_inside_a_sentence_are_of_names() {
        let text = "People cross the street.";
        let tags = "People/NOUN/nsubj/2 cross/VERB/root/0 the/DET/det/4 street/NOUN/obj/2 ./PUNCT/punct/2";
        let people = Analysis { grammar: Some(tagged(text, tags)), ..analyze(text, []) };
        assert!(starts_common(text, &people));
        let rana = Analysis { names: vec!["people".to_owned()], ..people.clone() };
        assert!(!starts_common(text, &rana));
        let at = GameTime::from_seconds(8 * 3600).unwrap();
        let source = RenderSource {
            brief: false,
            text,
            analysis: &people,
            verbatim: false,
            starts_common: true,
            occurrences: 1,
            reading: false,
            at,
            last_at: at,
        };
        assert_eq!(with_span(text, &[source]), "In the morning, people cross the street");
    }

    #[test]
    fn only_past_actions_share_a_subject() {
        let day = [
            ("I gave Odo willow bark", false),
            ("I must keep one dose", false),
            ("I could slip the rope", false),
        ];
        assert_eq!(
            told(&day, &[8, 12, 19]),
            "I gave Odo willow bark. I must keep one dose. I could slip the rope."
        );
        let packing =
            [("Abe is packing his bag for class", false), ("Abe is packing up his things there", false)];
        assert!(!told(&packing, &[8, 19]).contains("then up"));
    }

    #[test]
    fn common_words_do_not_split_quotations() {
        let said = [
            ("Tom told me \"I will come. Wait here.\"", false),
            ("Tom told me \"I will come. Go home.\"", false),
            ("Tom told me \"I will come. Sit.\"", false),
        ];
        let text = told(&said, &[8, 9, 10]);
        assert!(said.iter().all(|(words, _)| text.contains(words.split_once('"').unwrap().1)), "{text}");
        let whole = [("Tom said \"no\" to me at noon", false), ("Tom said \"no\" to me at dusk", false)];
        assert_eq!(told(&whole, &[12, 19]), "Tom said \"no\" to me at noon, then at dusk.");
        for (open, close) in [("'", "'"), ("\u{ab} ", " \u{bb}"), ("\u{201e}", "\u{201c}")] {
            let text = |end: &str| format!("Tom told me {open}I will come. {end}{close}");
            let (wait, go) = (text("Wait here."), text("Go home."));
            let text = told(&[(&wait, false), (&go, false)], &[8, 9]);
            assert!(
                text.contains(&format!("Go home.{close}")) && text.matches("I will come").count() == 2,
                "{text}"
            );
        }
    }

    #[test]
    fn different_sentences_are_rendered_in_sequence() {
        let day = [
            ("I lit the kitchen hearth.", false),
            ("I did not serve Joss.", false),
            ("Wren brought 31 loaves.", false),
        ];
        assert_eq!(
            told(&day, &[6, 7, 8]),
            "In the morning I lit the kitchen hearth, then did not serve Joss. Wren brought 31 loaves."
        );
    }

    #[test]
    fn long_memories_get_sentences_of_their_own() {
        let fed = [
            ("I fed the goat 2 turnips and brushed it.", false),
            ("I fed the hens at dusk, and 3 ran off.", false),
            ("Rana mended the gate; it will not hold.", false),
        ];
        assert_eq!(
            told(&fed, &[8, 18, 20]),
            "I fed the goat 2 turnips and brushed it. I fed the hens at dusk, and 3 ran off. Rana mended the gate; it \
             will not hold."
        );
    }

    #[test]
    fn items_do_not_continue_other_items() {
        let lists =
            [("Rana is counting jars and lids", false), ("Rana is counting jars for the fair", false)];
        let text = told(&lists, &[8, 9]);
        assert!(!text.contains("then and") && text.contains("lids") && text.contains("fair"), "{text}");
        let walks =
            [("I walked the dyke at noon; no gull cried.", false), ("I walked the dyke at dusk.", false)];
        assert_eq!(told(&walks, &[12, 19]), "I walked the dyke at noon (no gull cried), then at dusk.");
    }

    #[test]
    fn repeated_texts_are_rendered_once() {
        let twice = [("Maria is planning something.", true), ("Maria is planning something", true)];
        assert_eq!(
            told(&twice, &[8, 9]),
            "I keep this as it was: \u{201c}Maria is planning something.\u{201d}"
        );
        let more = [("bed is used", false), ("bed is used by someone", false)];
        assert_eq!(told(&more, &[8, 9]), "In the morning, bed is used by someone.");
    }

    #[test]
    fn verbatim_memories_are_quoted() {
        let day = [("Joss owes me 14 silver.", true), ("I asked him for it.", false)];
        let text = told(&day, &[9, 10]);
        assert!(
            text.contains("\u{201c}Joss owes me 14 silver.\u{201d}") && text.contains("I asked him for it"),
            "{text}"
        );
    }
}

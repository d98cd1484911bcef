//! The neutral pack, for text in a language that no other pack reads.

use std::{
    borrow::Cow,
    ops::{Range, RangeInclusive},
};

use nightfold_memory::{
    Analysis, Assertion, CheckedSource, Conclusion, ConclusionSources, Coverage, Distillate,
    DistillationSources, Evidence, FactRules, Fault, Foundation, Judgement, Kind, LanguagePack, Meaning,
    NormalForm, PatternText, Stance, SummaryFrame, SummarySource, SummaryText, SynthesisSource, TextBounds,
    ThemePattern, Token, TopicForm, TopicPhrase, civil, text::contains_words,
};
use unicode_segmentation::UnicodeSegmentation;

use crate::synthesize::extract::{course, most_telling, stands_for};

/// A pack for text in any language, which only splits words by the Unicode rules (UAX #29).
///
/// Only equal texts are the same and nothing is superseded by words; a synthesis is the memory that has all words of the
/// others, and there are no reflections.
///
/// ```
/// use nightfold_english::Neutral;
/// use nightfold_memory::{LanguagePack, Stance};
///
/// let open = "Das Stadttor ist offen.";
/// assert_eq!(Neutral.judge(open, "Das Stadttor ist nicht offen.", 0.99).stance, Stance::Unrelated);
/// assert_eq!(Neutral.judge(open, " Das Stadttor ist offen.", 1.0).stance, Stance::Same);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Neutral;

/// Minimum number of letters of a word that can name a theme, in scripts with capitals: most shorter words
/// are function words.
const MIN_THEME_LETTERS: usize = 4;

/// Minimum number of letters of a word that names something by itself. Shorter ones are mostly function words; so
/// are single characters of scripts without spaces, which may be no words at all.
const MIN_TOPIC_LETTERS: usize = 6;
/// The same of a word with a capital inside a sentence, and of a Japanese word from abroad.
const MIN_NAME_LETTERS: usize = 2;
const KATAKANA: RangeInclusive<char> = '\u{30a1}'..='\u{30fa}';

/// Separator between the texts of a list.
const SEPARATOR: &str = " \u{b7} ";

/// End of the lead of a summary.
const LEAD_END: &str = ": ";

fn token((start, word): (usize, &str)) -> Token {
    let lower = word.to_lowercase();
    let number = lower.chars().any(char::is_numeric);
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let cased = word.chars().any(|c| c.is_lowercase() || c.is_uppercase());
    let end = start + word.len();
    Token {
        start,
        end,
        word_end: end,
        stem: lower.clone(),
        lower,
        capital: word.chars().next().is_some_and(char::is_uppercase),
        starts_sentence: false,
        number,
        function: false,
        negation: false,
        speaker: false,
        names_theme: !number && letters >= if cased { MIN_THEME_LETTERS } else { 1 },
    }
}

fn sorted(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut words: Vec<String> = words.collect();
    words.sort_unstable();
    words.dedup();
    words
}

fn analyze_text(text: &str) -> Analysis {
    let tokens: Vec<Token> = text.unicode_word_indices().map(token).collect();
    let of = |wanted: fn(&Token) -> bool| sorted(tokens.iter().filter(|t| wanted(t)).map(|t| t.stem.clone()));
    Analysis {
        content: of(|t| t.names_theme || t.number),
        numbers: of(|t| t.number),
        plain_content: of(|t| t.names_theme),
        tokens,
        ..Analysis::default()
    }
}

/// Judges two texts by their words alone: the same if they are equal, otherwise unread.
fn judge_by_equality(a: &str, b: &str) -> Judgement {
    if a.trim() == b.trim() {
        Judgement::of_equal_words()
    } else {
        Judgement::new(Stance::Unrelated, Evidence::Unreadable)
    }
}

struct EqualWords;

impl<'t> FactRules<'t> for EqualWords {
    fn judge(&mut self, a: &'t str, b: &'t str, _: f64) -> Judgement {
        judge_by_equality(a, b)
    }
}

/// Returns the day in a summary's lead: a date, or a number if days are only counted.
fn lead_day(day: i64, dated: bool) -> String {
    if !dated {
        return day.to_string();
    }
    let (year, month, date) = civil(day);
    format!("{year:04}-{month:02}-{date:02}")
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

/// True if two texts have the same words in the same order: any other word may be a denial.
fn are_equal(a: &Analysis, b: &Analysis) -> bool {
    a.tokens.iter().map(|token| &token.lower).eq(b.tokens.iter().map(|token| &token.lower))
}

impl LanguagePack for Neutral {
    fn name(&self) -> &'static str {
        "neutral"
    }

    fn understands(&self) -> bool {
        false
    }

    fn analyze(&self, text: &str, _: &[&str]) -> Analysis {
        analyze_text(text)
    }

    fn analyze_day(&self, texts: &[&str], _: &[&str]) -> Vec<Analysis> {
        texts.iter().map(|text| analyze_text(text)).collect()
    }

    fn title(&self, topics: &[&str]) -> String {
        topics.join(", ")
    }

    /// Returns words alone: a grammar is read as English, whatever the language of the text.
    fn topics(&self, text: &str, analysis: &Analysis) -> Vec<TopicPhrase> {
        let first_words: Vec<usize> = self
            .sentences(text)
            .iter()
            .filter_map(|span| Some(analysis.tokens_in(span).first()?.start))
            .collect();
        let names = |token: &&Token| {
            let is_name = token.capital && !first_words.contains(&token.start)
                || token.lower.starts_with(|c| KATAKANA.contains(&c));
            let least = if is_name { MIN_NAME_LETTERS } else { MIN_TOPIC_LETTERS };
            !token.number && token.lower.chars().filter(|c| c.is_alphabetic()).count() >= least
        };
        let topic = |token: &Token| {
            let written = token.word(text).to_owned();
            let form = TopicForm {
                named: written.clone(),
                text: written,
                stems: vec![token.stem.clone()],
                stands_alone: true,
            };
            TopicPhrase { forms: vec![form], is_name: false, is_central: true }
        };
        analysis.tokens.iter().filter(names).map(topic).collect()
    }

    fn content_stems(&self, text: &str, take: &mut dyn FnMut(&str)) {
        let tokens = text.unicode_word_indices().map(token);
        tokens.filter(|token| token.names_theme || token.number).for_each(|token| take(&token.stem));
    }

    fn sentences(&self, text: &str) -> Vec<Range<usize>> {
        let trimmed = |(start, sentence): (usize, &str)| {
            let from = start + sentence.len() - sentence.trim_start().len();
            from..from + sentence.trim().len()
        };
        text.split_sentence_bound_indices().map(trimmed).filter(|span| !span.is_empty()).collect()
    }

    fn base_form(&self, word: &str) -> String {
        word.to_lowercase()
    }

    fn is_filler(&self, _: &str) -> bool {
        false
    }

    fn is_generic(&self, _: &str) -> bool {
        false
    }

    fn meanings(&self, _: &str) -> Vec<Meaning> {
        Vec::new()
    }

    fn foundation(&self, kind: Kind, _: &str) -> Foundation {
        if kind == Kind::Chat { Foundation::Told } else { Foundation::Lived }
    }

    fn assertions(&self, _: Kind, _: &str) -> Vec<Assertion> {
        Vec::new()
    }

    fn join_assertions(&self, _: &str, assertions: &[Assertion]) -> Vec<Assertion> {
        assertions.to_vec()
    }

    fn write_out<'t>(&self, text: &'t str) -> Cow<'t, str> {
        Cow::Borrowed(text)
    }

    fn normal_form(&self, _: Kind, _: &str, _: &str) -> Option<NormalForm> {
        None
    }

    fn fact_rules<'t>(&self) -> Box<dyn FactRules<'t> + 't> {
        Box::new(EqualWords)
    }

    fn judge(&self, a: &str, b: &str, _: f64) -> Judgement {
        judge_by_equality(a, b)
    }

    fn is_in_present(&self, _: &str) -> bool {
        false
    }

    fn asks_about_present(&self, _: &str) -> bool {
        false
    }

    fn cannot_link(&self, _: &Analysis, _: &Analysis) -> bool {
        // A summary is a list of unchanged texts: no fact can become another.
        false
    }

    fn can_synthesize(&self, a: &SynthesisSource<'_>, b: &SynthesisSource<'_>) -> bool {
        stands_for(a, b, are_equal)
    }

    fn restates(&self, _: &str, _: &str) -> bool {
        false
    }

    fn coverage(&self, source: &str, text: &str) -> Coverage {
        let (source, text) = (analyze_text(source), analyze_text(text));
        let held = source.content.iter().filter(|word| text.content.binary_search(word).is_ok()).count();
        let all = source.content.len();
        Coverage {
            content: if all == 0 { 1.0 } else { held as f64 / all as f64 },
            names_and_numbers: source.numbers.iter().all(|number| text.numbers.binary_search(number).is_ok()),
        }
    }

    fn synthesis(&self, sources: &[SynthesisSource<'_>]) -> String {
        if sources.iter().all(|source| source.reading && !source.verbatim) {
            return course(&sources.iter().map(|source| source.text).collect::<Vec<_>>());
        }
        most_telling(sources, are_equal).join(SEPARATOR)
    }

    fn pattern(&self, _: &ThemePattern<'_>) -> Option<PatternText> {
        None
    }

    fn distillates(&self, _: &DistillationSources<'_>) -> Vec<Distillate> {
        Vec::new()
    }

    fn conclusions(&self, _: &ConclusionSources<'_>, _: usize) -> Vec<Conclusion> {
        Vec::new()
    }

    fn quotable_words<'t>(&self, text: &'t str, is_summary: bool) -> &'t str {
        text.split_once(LEAD_END).filter(|_| is_summary).map_or(text, |(_, told)| told)
    }

    fn summary(&self, group: &[&SummarySource<'_>], frame: SummaryFrame) -> SummaryText {
        let first = group.iter().map(|source| source.first).min().unwrap_or_default();
        let last = group.iter().map(|source| source.last).max().unwrap_or_default();
        let times = group.iter().map(|source| source.times).fold(0, u32::saturating_add);
        let (from, until) = (lead_day(first, frame.calendar.dated), lead_day(last, frame.calendar.dated));
        let span = if first == last { from } else { format!("{from} \u{2013} {until}") };
        let lead = format!("{span}, \u{d7}{times}{LEAD_END}");
        let mut order: Vec<usize> = (0..group.len()).collect();
        // The sort is stable: of equal weights the first in time comes first.
        order.sort_by_key(|&at| std::cmp::Reverse(group[at].weight));
        let mut room = frame.max_chars.saturating_sub(chars(&lead));
        let mut kept: Vec<usize> = Vec::new();
        for at in order {
            let text = group[at].text.trim();
            let fresh = kept.iter().all(|&other| group[other].text.trim() != text);
            let needed = chars(text) + if kept.is_empty() { 0 } else { chars(SEPARATOR) };
            if fresh && !text.chars().any(char::is_control) && needed <= room {
                room -= needed;
                kept.push(at);
            }
        }
        let quoted = kept.first().copied();
        kept.sort_unstable();
        let texts: Vec<&str> = kept.iter().map(|&at| group[at].text.trim()).collect();
        SummaryText { text: format!("{lead}{}", texts.join(SEPARATOR)).trim_end().to_owned(), quoted }
    }

    fn synthesis_fault(
        &self,
        text: &str,
        sources: &[CheckedSource<'_>],
        bounds: TextBounds<'_>,
    ) -> Option<Fault> {
        let said = analyze_text(text);
        let loses = |source: &CheckedSource<'_>| {
            let numbers = source.analysis.numbers.iter().all(|n| said.numbers.binary_search(n).is_ok());
            !numbers || source.verbatim && !contains_words(text, source.text)
        };
        fault(text, &said, sources, bounds).or_else(|| sources.iter().any(loses).then_some(Fault::LosesFact))
    }

    fn reflection_fault(
        &self,
        text: &str,
        sources: &[CheckedSource<'_>],
        bounds: TextBounds<'_>,
    ) -> Option<Fault> {
        fault(text, &analyze_text(text), sources, bounds)
    }
}

/// Returns a fault that can be found without reading: no words, control characters, length, numbers without a
/// source.
fn fault(
    text: &str,
    said: &Analysis,
    sources: &[CheckedSource<'_>],
    bounds: TextBounds<'_>,
) -> Option<Fault> {
    let stands = |number: &String| {
        let holds = |analysis: &Analysis| analysis.numbers.binary_search(number).is_ok();
        holds(bounds.own_name) || sources.iter().any(|source| holds(source.analysis))
    };
    [
        (said.tokens.is_empty(), Fault::Empty),
        (text.chars().any(|c| c.is_control() && !c.is_whitespace()), Fault::Malformed),
        (chars(text) > bounds.max_chars, Fault::TooLong),
        (!said.numbers.iter().all(stands), Fault::Ungrounded),
    ]
    .into_iter()
    .find_map(|(wrong, fault)| wrong.then_some(fault))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_equal_words_and_readings_become_one_text() {
        let said = |texts: &[&str], reading: bool| {
            let analyses: Vec<Analysis> = texts.iter().map(|text| analyze_text(text)).collect();
            let sources: Vec<SynthesisSource<'_>> = texts
                .iter()
                .zip(&analyses)
                .map(|(text, analysis)| SynthesisSource {
                    text,
                    analysis,
                    importance: 3,
                    verbatim: false,
                    reading,
                })
                .collect();
            (Neutral.can_synthesize(&sources[0], &sources[1]), Neutral.synthesis(&sources))
        };
        assert_eq!(
            said(&["Ich habe gefegt.", "Ich habe gefegt"], false),
            (true, "Ich habe gefegt.".to_owned())
        );
        assert!(!said(&["Ich habe gefegt.", "Ich habe die Stube gefegt."], false).0);
        // A word that another text lacks may be a denial.
        let texts = ["Das Tor ist offen.", "Das Tor ist nicht offen."];
        assert_eq!(said(&texts, false), (false, texts.join(SEPARATOR)));
        assert_eq!(
            said(&["Das Tor ist offen.", "Das Tor ist zu."], true).1,
            "Das Tor ist offen \u{2192} zu."
        );
    }

    #[test]
    fn topics_are_names_and_long_words() {
        let found = |text: &str| -> Vec<String> {
            let topics = Neutral.topics(text, &Neutral.analyze(text, &[]));
            topics.into_iter().flat_map(|topic| topic.forms).map(|form| form.named).collect()
        };
        assert_eq!(
            found("Heute hat Odo die Achse nicht bezahlt. Habe gefegt."),
            ["Odo", "Achse", "bezahlt", "gefegt"]
        );
        assert_eq!(found("\u{8f66}\u{8f74}\u{65ad}\u{4e86}"), [""; 0]);
        assert_eq!(found("\u{30aa}\u{30c9}\u{306e}\u{71b1}"), ["\u{30aa}\u{30c9}"]);
    }

    #[test]
    fn words_are_found_in_scripts_without_spaces() {
        let read = Neutral.analyze("\u{57ce}\u{9580}\u{304c}3\u{56de}\u{958b}\u{3044}\u{305f}", &[]);
        assert!(read.numbers.iter().any(|number| number.contains('3')), "{read:?}");
        assert!(read.plain_content.len() > 1, "{read:?}");
    }

    #[test]
    fn edited_text_keeps_numbers_and_verbatim_words() {
        let own = Neutral.analyze("Ilse", &[]);
        let text = "Ich schulde Jost 14 Taler.";
        let read = Neutral.analyze(text, &[]);
        let bounds = TextBounds { max_chars: 60, own_name: &own };
        let fault = |told: &str, verbatim| {
            Neutral.synthesis_fault(
                told,
                &[CheckedSource { text, analysis: &read, verbatim, is_heard: false }],
                bounds,
            )
        };
        assert_eq!(fault("Jost bekommt 14 Taler.", false), None);
        assert_eq!(fault("Jost bekommt 14 Taler.", true), Some(Fault::LosesFact));
        assert_eq!(fault("Jost bekommt 15 Taler.", false), Some(Fault::Ungrounded));
        assert_eq!(fault("Jost bekommt Taler.", false), Some(Fault::LosesFact));
    }
}

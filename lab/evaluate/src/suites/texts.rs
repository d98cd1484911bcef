//! Texts that nights write: their length and their words, measured without people.
//!
//! These measures find what is certainly wrong. Whether a text is worth saying is rated by people.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use nightfold_english::English;
use nightfold_memory::{Analysis, LanguagePack as _};

use super::{
    CorrectCount,
    written::{WrittenForm, WrittenNight, WrittenText, written_nights},
};
use crate::{
    lab::Lab,
    report::{Cell, Report, Section, row},
    suite::Suite,
};

/// Importance from which a memory is worth a reflection.
const WORTH_REFLECTION: u8 = 5;

/// Greatest mean length of syntheses of unimportant memories, as a share of their sources'.
const LENGTH: f64 = 0.6;
/// Greatest share of titles that name nothing or a name from nowhere.
const BAD_TITLES: f64 = 0.05;
/// Least share of nights with a reflection, of those that have two memories worth one.
const REFLECTING: f64 = 0.5;

pub(crate) struct Texts;

impl Suite for Texts {
    fn name(&self) -> &'static str {
        "texts"
    }

    fn measures(&self) -> &'static str {
        "Length, words and names of the texts that nights write. Falls short if syntheses of unimportant memories are longer than \
         0.6 of their sources, if more than 5 % of names are faulty, or if too few nights reflect"
    }

    fn data(&self) -> &'static str {
        "all scenarios"
    }

    fn run(&self, lab: &Lab) -> Result<Report> {
        let (mut scores, mut all) = (Vec::new(), Vec::new());
        let measure = |nights: &[WrittenNight]| texts(nights, lab.config.triage.important);
        for folder in lab.scenarios()? {
            let (scenario, replayed) = lab.replay(&folder)?;
            let nights: Vec<_> = replayed.nights.into_iter().flatten().collect();
            let written = written_nights(&nights);
            scores.push((scenario.name(), measure(&written)));
            all.extend(written);
        }
        scores.push(("all".to_owned(), measure(&all)));
        let columns = [String::new()].into_iter().chain(scores.iter().map(|(name, _)| name.clone()));
        let mut section = Section::new("texts of nights", columns);
        for (name, value) in ROWS {
            section.row([row![name], scores.iter().map(|(_, score)| value(score)).collect()].concat());
        }
        let mut report = Report { sections: vec![section], ..Report::default() };
        if let Some((_, all)) = scores.pop() {
            report.shortfalls = falls_short(&all);
            report.mistakes = all.faulty;
        }
        Ok(report)
    }
}

/// Name of a measure, and its value in a score.
type Row = (&'static str, fn(&TextScore) -> Cell);

const ROWS: [Row; 17] = [
    ("nights", |s| s.nights.into()),
    ("with a reflection", |s| Cell::Share(s.reflecting.share())),
    ("  of those worth one", |s| s.reflecting_where_worth.into()),
    ("syntheses", |s| s.syntheses.texts.into()),
    ("length, of the sources'", |s| s.length.into()),
    ("  of unimportant ones", |s| s.length_of_unimportant.into()),
    ("  repeated triples", |s| Cell::Share(s.syntheses.repeated_trigrams)),
    ("  words from nowhere", |s| Cell::Share(s.syntheses.unsupported_words)),
    ("  with a name from nowhere", |s| s.syntheses.unsupported_names.into()),
    ("reflections", |s| s.reflections.texts.into()),
    ("  by kind", |s| {
        s.kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect::<Vec<_>>().join(", ").into()
    }),
    ("  repeated triples", |s| Cell::Share(s.reflections.repeated_trigrams)),
    ("  words from nowhere", |s| Cell::Share(s.reflections.unsupported_words)),
    ("  with a name from nowhere", |s| s.reflections.unsupported_names.into()),
    ("titles and names of themes, missing", |s| {
        Cell::Of(s.titles.missing, s.titles.titles + s.titles.missing)
    }),
    ("  that name nothing", |s| s.titles.empty.into()),
    ("  with a name from nowhere", |s| s.titles.unsupported.into()),
];

/// Returns the limits that are broken.
fn falls_short(score: &TextScore) -> Vec<String> {
    let bad = score.titles.empty + score.titles.unsupported;
    let bad_titles = CorrectCount { right: bad, all: score.titles.titles };
    let worth = score.reflecting_where_worth;
    let limits = [
        ("mean length of syntheses of unimportant memories", score.length_of_unimportant, LENGTH),
        ("share of bad titles", bad_titles.share(), BAD_TITLES),
    ];
    let above = limits.into_iter().filter(|(_, value, limit)| value > limit);
    let mut short: Vec<String> =
        above.map(|(what, value, limit)| format!("{what}: {value:.3}, above {limit}")).collect();
    if worth.all > 0 && worth.share() < REFLECTING {
        let share = worth.share();
        short.push(format!(
            "share of nights with a reflection, where one is worth it: {share:.3}, below {REFLECTING}"
        ));
    }
    short
}

/// Measures of all texts of some nights.
#[derive(Debug, Default)]
struct TextScore {
    /// Number of nights, of one NPC each.
    nights: usize,
    /// Nights with a reflection.
    reflecting: CorrectCount,
    /// Nights with a reflection, of those with two memories of [`WORTH_REFLECTION`] or more.
    reflecting_where_worth: CorrectCount,
    /// Number of reflections by kind.
    kinds: BTreeMap<&'static str, usize>,
    syntheses: KindScore,
    reflections: KindScore,
    /// Mean length of syntheses, as a share of their sources' length.
    length: f64,
    /// The same for syntheses of unimportant memories alone.
    length_of_unimportant: f64,
    /// Measures of titles and names of themes.
    titles: TitleScore,
    /// Texts and titles with faults.
    faulty: Vec<String>,
}

/// Measures of texts of one form.
#[derive(Debug, Default)]
struct KindScore {
    texts: usize,
    /// Share of the word triples that occurred before, in any text of the form.
    repeated_trigrams: f64,
    /// Share of content words that no source has.
    unsupported_words: f64,
    /// Texts with a proper name that no source has.
    unsupported_names: usize,
}

/// Measures of titles.
#[derive(Debug, Default)]
struct TitleScore {
    /// Number of titles of texts and names of themes.
    titles: usize,
    /// Texts and themes without one.
    missing: usize,
    /// Titles without a word that names something, or with a placeholder.
    empty: usize,
    /// Titles with a proper name that no source has.
    unsupported: usize,
}

/// Measures the texts of nights.
fn texts(nights: &[WrittenNight], important_from: u8) -> TextScore {
    let of = |is_form: fn(WrittenForm) -> bool| -> Vec<&WrittenText> {
        nights.iter().flat_map(|night| &night.texts).filter(|text| is_form(text.form)).collect()
    };
    let syntheses = of(|form| form == WrittenForm::Synthesis);
    let reflections = of(|form| matches!(form, WrittenForm::Reflection(_)));
    let mut score = TextScore::default();
    for night in nights.iter().filter(|night| !night.importances.is_empty()) {
        score.count_night(night);
    }
    for text in &reflections {
        if let WrittenForm::Reflection(kind) = text.form {
            *score.kinds.entry(kind.as_str()).or_default() += 1;
        }
    }
    score.length = mean_length(syntheses.iter().copied());
    score.length_of_unimportant =
        mean_length(syntheses.iter().copied().filter(|text| text.importance < important_from));
    score.syntheses = score.measure(&syntheses);
    score.reflections = score.measure(&reflections);
    score.measure_titles(nights);
    score
}

/// Returns the mean length of texts as a share of that of their sources.
fn mean_length<'a>(texts: impl Iterator<Item = &'a WrittenText>) -> f64 {
    let chars = |text: &str| text.chars().count();
    let shares: Vec<f64> = texts
        .map(|text| (chars(&text.text), text.sources.iter().map(|source| chars(source)).sum::<usize>()))
        .filter(|(_, told)| *told > 0)
        .map(|(own, told)| own as f64 / told as f64)
        .collect();
    shares.iter().sum::<f64>() / shares.len().max(1) as f64
}

/// Returns the share of word triples that occurred before.
fn repeated_trigrams<'a>(texts: impl Iterator<Item = &'a Analysis>) -> f64 {
    let mut seen = BTreeSet::new();
    let (mut all, mut repeated) = (0_usize, 0_usize);
    for analysis in texts {
        for triple in analysis.tokens.windows(3) {
            all += 1;
            let words = [&triple[0].lower, &triple[1].lower, &triple[2].lower];
            repeated += usize::from(!seen.insert(words));
        }
    }
    repeated as f64 / all.max(1) as f64
}

/// Stems and names of sources.
struct Support {
    stems: BTreeSet<String>,
    words: BTreeSet<String>,
}

impl Support {
    fn of(sources: &[String]) -> Self {
        let analyses: Vec<Analysis> = sources.iter().map(|source| English.analyze(source, &[])).collect();
        let tokens = || analyses.iter().flat_map(|analysis| &analysis.tokens);
        Self {
            stems: tokens().map(|token| token.stem.clone()).collect(),
            words: tokens().map(|token| token.lower.clone()).collect(),
        }
    }

    /// True if a text has a proper name that no source has.
    fn lacks_name(&self, text: &Analysis) -> bool {
        text.names.iter().any(|name| !self.words.contains(name))
    }
}

impl TextScore {
    fn count_night(&mut self, night: &WrittenNight) {
        let is_reflection = |text: &WrittenText| matches!(text.form, WrittenForm::Reflection(_));
        let reflects = night.texts.iter().any(is_reflection);
        self.nights += 1;
        self.reflecting.count(reflects);
        if night.importances.iter().filter(|importance| **importance >= WORTH_REFLECTION).count() > 1 {
            self.reflecting_where_worth.count(reflects);
        }
    }

    fn mark(&mut self, fault: &str, text: &str) {
        self.faulty.push(format!("{fault}: {text:?}"));
    }

    fn measure(&mut self, texts: &[&WrittenText]) -> KindScore {
        let analyses: Vec<Analysis> = texts.iter().map(|text| English.analyze(&text.text, &[])).collect();
        let mut score = KindScore {
            texts: texts.len(),
            repeated_trigrams: repeated_trigrams(analyses.iter()),
            ..KindScore::default()
        };
        let (mut words, mut unsupported) = (0, 0);
        for (text, analysis) in texts.iter().zip(&analyses) {
            let support = Support::of(&text.sources);
            words += analysis.content.len();
            unsupported += analysis.content.iter().filter(|stem| !support.stems.contains(*stem)).count();
            if support.lacks_name(analysis) {
                score.unsupported_names += 1;
                self.mark("a name from nowhere", &text.text);
            }
        }
        score.unsupported_words = unsupported as f64 / words.max(1) as f64;
        score
    }

    fn measure_titles(&mut self, nights: &[WrittenNight]) {
        let texts = || nights.iter().flat_map(|night| &night.texts);
        let themes = nights.iter().flat_map(|night| &night.themes);
        for title in texts().map(|text| &text.title).chain(themes) {
            if title.is_empty() {
                self.titles.missing += 1;
                continue;
            }
            self.titles.titles += 1;
            if is_empty(title) {
                self.titles.empty += 1;
                self.mark("a title that names nothing", title);
            }
        }
        for text in texts() {
            // The first word has a capital in any case.
            let behind_first = text.title.split_once(' ').map_or("", |(_, rest)| rest);
            let names = English.analyze(&format!("of {behind_first}"), &[]);
            if Support::of(&text.sources).lacks_name(&names) {
                self.titles.unsupported += 1;
                self.mark("a title with a name from nowhere", &text.title);
            }
        }
    }
}

/// True for a title without a word that names something, or with a placeholder.
fn is_empty(title: &str) -> bool {
    let names = English.analyze(title, &[]).tokens.iter().any(|token| token.names_theme || token.number);
    !names || title.contains(['<', '>', '[', ']', '{', '}'])
}

#[cfg(test)]
mod tests {
    use nightfold_memory::ReflectionKind;

    use super::WrittenForm::{Reflection, Synthesis};

    use super::*;

    fn text(title: &str, text: &str, form: WrittenForm, sources: &[&str]) -> WrittenText {
        WrittenText {
            title: title.to_owned(),
            text: text.to_owned(),
            form,
            importance: 3,
            sources: sources.iter().map(|&source| source.to_owned()).collect(),
        }
    }

    fn score(texts_of_night: Vec<WrittenText>) -> TextScore {
        let night =
            WrittenNight { texts: texts_of_night, themes: vec![String::new()], importances: vec![5, 6] };
        texts(&[night, WrittenNight::default()], 6)
    }

    #[test]
    fn lengths_and_words_are_compared_with_the_sources() {
        let sources = ["I swept the room at dawn.", "I swept the room at dusk."];
        let score = score(vec![text("The room", "I swept the room twice.", Synthesis, &sources)]);
        assert!((score.length - 23.0 / 50.0).abs() < 1e-9, "{}", score.length);
        assert!((score.length_of_unimportant - score.length).abs() < 1e-9);
        assert_eq!((score.syntheses.texts, score.syntheses.unsupported_names), (1, 0));
        assert_eq!((score.titles.titles, score.titles.missing), (1, 1));
    }

    #[test]
    fn names_and_titles_from_nowhere_are_found() {
        let sources = ["I swept the room."];
        let score = score(vec![
            text("The <random>", "I swept with Odo.", Reflection(ReflectionKind::Social), &sources),
            text("Of the", "I swept.", Synthesis, &sources),
            text("Rounds with Joss", "I swept.", Synthesis, &sources),
        ]);
        assert_eq!((score.reflections.unsupported_names, score.titles.empty), (1, 2));
        assert_eq!(score.titles.unsupported, 1);
        assert_eq!((score.reflecting.right, score.reflecting.all), (1, 1));
        assert_eq!((score.reflecting_where_worth.right, score.reflecting_where_worth.all), (1, 1));
        assert_eq!(score.kinds["social"], 1);
    }

    #[test]
    fn repeated_words_are_a_share_of_all() {
        let score = score(vec![
            text("", "I swept the room", Synthesis, &[]),
            text("", "I swept the yard", Synthesis, &[]),
        ]);
        assert!((score.syntheses.repeated_trigrams - 0.25).abs() < 1e-9);
    }

    #[test]
    fn ratings_beside_the_rubric_are_complete() {
        let titles = include_str!("../../data/texts/titles.jsonl");
        let nights = include_str!("../../data/texts/nights.jsonl");
        for line in titles.lines().chain(nights.lines()) {
            let rating: serde_json::Value = serde_json::from_str(line).unwrap();
            for question in ["true", "grounded", "grammatical", "sayable", "worth"] {
                assert!(rating[question].as_u64().is_some_and(|given| given <= 2), "{line}");
            }
        }
    }
}

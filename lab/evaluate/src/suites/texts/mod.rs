//! Texts that nights write: their length, their words and their forms, measured without people, and a sample of them for
//! people to rate.
//!
//! The measures find what is certainly wrong. Whether a text is worth saying is rated by people.

mod ratings;
mod sheet;
mod written;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use anyhow::Result;
use nightfold::days_by_night;
use nightfold_english::English;
use nightfold_memory::{Analysis, Day, LanguagePack as _, NpcNight, ReflectionKind};
use nightfold_store::SqliteStore;

pub use self::ratings::ratings;
use self::{
    sheet::write_sheet,
    written::{WrittenForm, WrittenNight, WrittenSource, WrittenText, written_nights},
};
use super::CorrectCount;
use crate::{
    data::{conversations, simulated},
    lab::{Half, Lab},
    report::{Cell, Report, Section, row},
    suite::Suite,
};

/// Number of different memories from which a day is expected to be reflected on.
const FULL_DAY: usize = 10;
/// Greatest number of reflections for so many memories.
const REFLECTIONS: usize = 3;

/// Greatest mean length of syntheses of unimportant memories, as a share of their sources'.
const LENGTH: f64 = 0.6;
/// Greatest share of titles that name nothing or a name from nowhere.
const BAD_TITLES: f64 = 0.05;
/// Least share of full days with a reflection.
const REFLECTING: f64 = 0.8;
/// Kinds of reflections that stories give occasion to, and the least share of each over all of them.
const KINDS: [ReflectionKind; 5] = [
    ReflectionKind::Pattern,
    ReflectionKind::Causal,
    ReflectionKind::Social,
    ReflectionKind::Oneself,
    ReflectionKind::Connection,
];
const KIND: f64 = 0.03;
/// Greatest share of one form of reflection.
const FORM: f64 = 1.0 / 3.0;

/// Names of the origins of texts.
const STORIES: &str = "stories";
const SIMULATED: &str = "generative_agents";
const TALK: &str = "talk";
/// Conversations whose speakers are NPCs.
const CONVERSATIONS: [&str; 2] = ["locomo", "realtalk"];

pub(crate) struct Texts;

impl Suite for Texts {
    fn name(&self) -> &'static str {
        "texts"
    }

    fn measures(&self) -> &'static str {
        "Length, words, names and forms of the texts that nights write. Falls short if syntheses of unimportant memories are longer than \
         0.6 of their sources, if more than 5 % of names are faulty, if fewer than 80 % of the days of ten memories or more are reflected \
         on, if a night has more than three reflections for ten memories, or if kinds or forms over the stories are one-sided"
    }

    fn data(&self) -> &'static str {
        "all scenarios; of --data one --half of generative_agents (NPCs of each file), locomo and realtalk (conversations). --sheet \
         writes a sample for readers: of the stories from that half of their nights"
    }

    fn run(&self, lab: &Lab) -> Result<Report> {
        let mut scores = Vec::new();
        let mut sampled: BTreeMap<&str, Vec<WrittenText>> = BTreeMap::new();
        let measure = |nights: &[WrittenNight]| texts(nights, lab.config.triage.important);
        let half = lab.options.half.unwrap_or(Half::First);
        let mut stories = Vec::new();
        for folder in lab.scenarios()? {
            let (scenario, replayed) = lab.replay(&folder)?;
            let nights = replayed.nights.len();
            let in_half = |at: &usize| half.of(&(0..nights).collect::<Vec<_>>()).contains(at);
            let places: Vec<usize> = (0..)
                .zip(&replayed.nights)
                .flat_map(|(at, of_night)| of_night.iter().map(move |_| at))
                .collect();
            let written = written_nights(&replayed.nights.into_iter().flatten().collect::<Vec<_>>());
            scores.push((scenario.name(), measure(&written)));
            let drawn = places.iter().zip(&written).filter(|(at, _)| in_half(at));
            sampled.entry(STORIES).or_default().extend(drawn.flat_map(|(_, night)| night.texts.clone()));
            stories.extend(written);
        }
        let stories = measure(&stories);
        let mut report = Report::default();
        stories.check(STORIES, &mut report.shortfalls);
        stories.check_variety(&mut report.shortfalls);
        scores.push((STORIES.to_owned(), stories));
        for (origin, nights) in others(lab, half)? {
            let score = measure(&nights);
            score.check(origin, &mut report.shortfalls);
            scores.push((origin.to_owned(), score));
            sampled.entry(origin).or_default().extend(nights.into_iter().flat_map(|night| night.texts));
        }
        if let Some(dir) = &lab.options.sheet {
            write_sheet(dir, lab.config.seed.0, sampled)?;
        }
        let columns = [String::new()].into_iter().chain(scores.iter().map(|(name, _)| name.clone()));
        let mut section = Section::new("texts of nights", columns);
        for (name, value) in ROWS {
            section.row([row![name], scores.iter().map(|(_, score)| value(score)).collect()].concat());
        }
        let kinds = shares("reflections by kind", &scores, |score| &score.kinds);
        let forms = shares("reflections by form", &scores, |score| &score.forms);
        report.sections = vec![section, kinds, forms];
        report.mistakes = scores.into_iter().flat_map(|(_, score)| score.faulty).collect();
        Ok(report)
    }
}

/// Lives through a half of the days of simulated people and of conversations, where they are given; returns what their nights
/// wrote, by origin.
fn others(lab: &Lab, half: Half) -> Result<Vec<(&'static str, Vec<WrittenNight>)>> {
    let mut others = Vec::new();
    if let Some(dir) = lab.options.data.as_ref().map(|dir| dir.join(SIMULATED)).filter(|dir| dir.is_dir()) {
        let mut nights = Vec::new();
        for memories in simulated(&dir)? {
            let of_npcs: Vec<Vec<Day>> = days_by_night(memories, None, &lab.config).into_values().collect();
            let mut days = half.of(&of_npcs).concat();
            days.sort_by(|a, b| (&a.night, &a.npc).cmp(&(&b.night, &b.npc)));
            nights.extend(lived(lab, &dir, &days)?);
        }
        others.push((SIMULATED, nights));
    }
    let folders = lab.conversation_folders();
    let mut nights = Vec::new();
    for folder in CONVERSATIONS.iter().filter_map(|name| folders.get(*name)) {
        for conversation in half.of(&conversations(folder)?) {
            nights.extend(lived(lab, folder, &conversation.days)?);
        }
    }
    if !nights.is_empty() {
        others.push((TALK, nights));
    }
    Ok(others)
}

fn lived(lab: &Lab, folder: &Path, days: &[Day]) -> Result<Vec<WrittenNight>> {
    let nights: Vec<NpcNight> = lab.live(&folder.display().to_string(), &SqliteStore::in_memory()?, days)?;
    Ok(written_nights(&nights))
}

/// Name of a measure, and its value in a score.
type Row = (&'static str, fn(&TextScore) -> Cell);

const ROWS: [Row; 20] = [
    ("nights", |s| s.nights.into()),
    ("of ten memories or more, with a reflection", |s| s.reflecting.into()),
    ("reflections for ten memories", |s| {
        (10.0 * s.reflections.texts as f64 / s.memories.max(1) as f64).into()
    }),
    ("  nights with more than three", |s| s.crowded.into()),
    ("syntheses", |s| s.syntheses.texts.into()),
    ("length, of the sources'", |s| s.length.into()),
    ("  of unimportant ones", |s| s.length_of_unimportant.into()),
    ("  sentences that a source has", |s| s.sourced_sentences.into()),
    ("  repeated triples", |s| Cell::Share(s.syntheses.repeated_trigrams)),
    ("  words from nowhere", |s| Cell::Share(s.syntheses.unsupported_words)),
    ("  with a name from nowhere", |s| s.syntheses.unsupported_names.into()),
    ("reflections", |s| s.reflections.texts.into()),
    ("  repeated triples", |s| Cell::Share(s.reflections.repeated_trigrams)),
    ("  words from nowhere", |s| Cell::Share(s.reflections.unsupported_words)),
    ("  with a name from nowhere", |s| s.reflections.unsupported_names.into()),
    ("records", |s| s.records.texts.into()),
    ("  words from nowhere", |s| Cell::Share(s.records.unsupported_words)),
    ("titles and names of themes, missing", |s| {
        Cell::Of(s.titles.missing, s.titles.titles + s.titles.missing)
    }),
    ("  that name nothing", |s| s.titles.empty.into()),
    ("  with a name from nowhere", |s| s.titles.unsupported.into()),
];

/// Returns a table of shares among the reflections: a row a name, a column a set.
fn shares<'s>(
    title: &str,
    scores: &'s [(String, TextScore)],
    counts: fn(&TextScore) -> &BTreeMap<String, usize>,
) -> Section {
    let columns = [String::new()].into_iter().chain(scores.iter().map(|(name, _)| name.clone()));
    let mut section = Section::new(title, columns);
    let names: BTreeSet<&'s String> = scores.iter().flat_map(|(_, score)| counts(score).keys()).collect();
    for name in names {
        let share = |(_, score): &(String, TextScore)| {
            let count = counts(score).get(name).copied().unwrap_or_default();
            Cell::Share(count as f64 / score.reflections.texts.max(1) as f64)
        };
        section.row([row![name], scores.iter().map(share).collect()].concat());
    }
    section
}

/// Measures of all texts of some nights.
#[derive(Debug, Default)]
struct TextScore {
    /// Number of nights, of one NPC each.
    nights: usize,
    /// Number of different memories.
    memories: usize,
    /// Nights with a reflection, of those with [`FULL_DAY`] different memories or more.
    reflecting: CorrectCount,
    /// Nights with more than [`REFLECTIONS`] for each [`FULL_DAY`] memories begun.
    crowded: usize,
    /// Number of reflections by kind.
    kinds: BTreeMap<String, usize>,
    /// Number of reflections by the form of their wording.
    forms: BTreeMap<String, usize>,
    syntheses: KindScore,
    reflections: KindScore,
    records: KindScore,
    /// Mean length of syntheses, as a share of their sources' length.
    length: f64,
    /// The same for syntheses of unimportant memories alone.
    length_of_unimportant: f64,
    /// Sentences of syntheses that are a sentence of a source.
    sourced_sentences: CorrectCount,
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
            *score.kinds.entry(kind.as_str().to_owned()).or_default() += 1;
            *score.forms.entry(text.wording.clone()).or_default() += 1;
        }
    }
    score.length = mean_length(syntheses.iter().copied());
    score.length_of_unimportant =
        mean_length(syntheses.iter().copied().filter(|text| text.importance < important_from));
    score.syntheses = score.measure(&syntheses);
    score.reflections = score.measure(&reflections);
    score.records = score.measure(&of(|form| matches!(form, WrittenForm::Record(_))));
    score.measure_sentences(&syntheses);
    score.measure_titles(nights);
    score
}

/// Returns the mean length of texts as a share of that of their sources.
fn mean_length<'a>(texts: impl Iterator<Item = &'a WrittenText>) -> f64 {
    let chars = |text: &str| text.chars().count();
    let shares: Vec<f64> = texts
        .map(|text| (chars(&text.text), text.sources.iter().map(|source| chars(&source.text)).sum::<usize>()))
        .filter(|(_, told)| *told > 0)
        .map(|(own, told)| own as f64 / told as f64)
        .collect();
    shares.iter().fold(0.0, |sum, share| sum + share) / shares.len().max(1) as f64
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
    fn of(sources: &[WrittenSource]) -> Self {
        let analyses: Vec<Analysis> =
            sources.iter().map(|source| English.analyze(&source.text, &[])).collect();
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
        let is_reflection = |text: &&WrittenText| matches!(text.form, WrittenForm::Reflection(_));
        let reflections = night.texts.iter().filter(is_reflection).count();
        self.nights += 1;
        self.memories += night.distinct;
        if night.distinct >= FULL_DAY {
            self.reflecting.count(reflections > 0);
        }
        self.crowded += usize::from(reflections > REFLECTIONS * night.distinct.div_ceil(FULL_DAY));
    }

    /// Adds the limits that are broken.
    fn check(&self, origin: &str, shortfalls: &mut Vec<String>) {
        let bad_titles =
            CorrectCount { right: self.titles.empty + self.titles.unsupported, all: self.titles.titles };
        let limits = [
            ("mean length of syntheses of unimportant memories", self.length_of_unimportant, LENGTH),
            ("share of bad titles", bad_titles.share(), BAD_TITLES),
            ("nights with more than three reflections for ten memories", self.crowded as f64, 0.0),
        ];
        let above = limits.into_iter().filter(|(_, value, limit)| value > limit);
        shortfalls
            .extend(above.map(|(what, value, limit)| format!("{origin}: {what}: {value:.3}, above {limit}")));
        let reflecting = self.reflecting.share();
        if self.reflecting.all > 0 && reflecting < REFLECTING {
            shortfalls.push(format!(
                "{origin}: share of days of ten memories or more with a reflection: {reflecting:.3}, below {REFLECTING}"
            ));
        }
    }

    /// Adds the kinds that are rare and the forms that are common.
    fn check_variety(&self, shortfalls: &mut Vec<String>) {
        let all = self.reflections.texts.max(1) as f64;
        for kind in KINDS.map(ReflectionKind::as_str) {
            let share = self.kinds.get(kind).copied().unwrap_or_default() as f64 / all;
            if share < KIND {
                shortfalls.push(format!("share of {kind} among the reflections: {share:.3}, below {KIND}"));
            }
        }
        for (form, count) in &self.forms {
            let share = *count as f64 / all;
            if share > FORM {
                shortfalls.push(format!(
                    "share of the form {form} among the reflections: {share:.3}, above a third"
                ));
            }
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

    fn measure_sentences(&mut self, syntheses: &[&WrittenText]) {
        let sentences = |text: &str| -> Vec<String> {
            let spans = English.sentences(text).into_iter();
            spans.map(|span| bare(text.get(span).unwrap_or_default())).collect()
        };
        for text in syntheses {
            let told: BTreeSet<String> =
                text.sources.iter().flat_map(|source| sentences(&source.text)).collect();
            for sentence in sentences(&text.text) {
                let is_sourced = told.contains(&sentence);
                self.sourced_sentences.count(is_sourced);
                if !is_sourced {
                    self.mark("a sentence that no source has", &sentence);
                }
            }
        }
    }

    fn measure_titles(&mut self, nights: &[WrittenNight]) {
        for WrittenText { title, sources, .. } in nights.iter().flat_map(|night| &night.texts) {
            if title.is_empty() {
                self.titles.missing += 1;
                continue;
            }
            self.titles.titles += 1;
            if is_empty(title) {
                self.titles.empty += 1;
                self.mark("a title that names nothing", title);
            }
            // The first word has a capital in any case.
            let behind_first = title.split_once(' ').map_or("", |(_, rest)| rest);
            let names = English.analyze(&format!("of {behind_first}"), &[]);
            if Support::of(sources).lacks_name(&names) {
                self.titles.unsupported += 1;
                self.mark("a title with a name from nowhere", title);
            }
        }
    }
}

/// Returns a sentence without the marks at its end, its first letter small.
fn bare(sentence: &str) -> String {
    let words = sentence.trim_end_matches(|c: char| !c.is_alphanumeric()).trim_start();
    let mut chars = words.chars();
    chars.next().into_iter().flat_map(char::to_lowercase).chain(chars).collect()
}

/// True for a title without a word that names something, or with a placeholder.
fn is_empty(title: &str) -> bool {
    let names = English.analyze(title, &[]).tokens.iter().any(|token| token.names_theme || token.number);
    !names || title.contains(['<', '>', '[', ']', '{', '}'])
}

#[cfg(test)]
mod tests {
    use nightfold_memory::GameTime;

    use super::{
        WrittenForm::{Reflection, Synthesis, Theme},
        *,
    };

    fn text(title: &str, text: &str, form: WrittenForm, sources: &[&str]) -> WrittenText {
        let source = |text: &&str| WrittenSource { at: GameTime::ZERO, text: (*text).to_owned() };
        WrittenText {
            npc: "Bo".to_owned(),
            title: title.to_owned(),
            text: text.to_owned(),
            form,
            wording: "course".to_owned(),
            importance: 3,
            occurrences: 1,
            sources: sources.iter().map(source).collect(),
        }
    }

    fn score(mut texts_of_night: Vec<WrittenText>) -> TextScore {
        texts_of_night.push(text("", "", Theme, &[]));
        let night = WrittenNight { texts: texts_of_night, importances: vec![5; 12], distinct: 11 };
        texts(&[night, WrittenNight::default()], 6)
    }

    #[test]
    fn lengths_and_sentences_are_compared_with_the_sources() {
        let sources = ["I swept the room at dawn.", "I swept the room at dusk."];
        let score = score(vec![text("The room", "I swept the room twice.", Synthesis, &sources)]);
        assert!((score.length - 23.0 / 50.0).abs() < 1e-9, "{}", score.length);
        assert!((score.length_of_unimportant - score.length).abs() < 1e-9);
        assert_eq!((score.syntheses.texts, score.syntheses.unsupported_names), (1, 0));
        assert_eq!((score.titles.titles, score.titles.missing), (1, 1));
        assert_eq!((score.sourced_sentences.right, score.sourced_sentences.all), (0, 1));
    }

    #[test]
    fn names_and_titles_from_nowhere_are_found() {
        let sources = ["I swept the room."];
        let score = score(vec![
            text("The <random>", "I swept with Odo.", Reflection(ReflectionKind::Social), &sources),
            text("Of the", "I swept the room!", Synthesis, &sources),
            text("Rounds with Joss", "I swept.", Synthesis, &sources),
        ]);
        assert_eq!((score.reflections.unsupported_names, score.titles.empty), (1, 2));
        assert_eq!(score.titles.unsupported, 1);
        assert_eq!((score.reflecting.right, score.reflecting.all), (1, 1));
        assert_eq!((score.sourced_sentences.right, score.sourced_sentences.all), (1, 2));
        assert_eq!((score.kinds["social"], score.forms["course"]), (1, 1));
        let mut shortfalls = Vec::new();
        score.check_variety(&mut shortfalls);
        assert_eq!(shortfalls.len(), 5, "{shortfalls:?}");
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
        let titles = include_str!("../../../data/texts/titles.jsonl");
        let nights = include_str!("../../../data/texts/nights.jsonl");
        for line in titles.lines().chain(nights.lines()) {
            let rating: serde_json::Value = serde_json::from_str(line).unwrap();
            for question in ["true", "grounded", "grammatical", "sayable", "worth"] {
                assert!(rating[question].as_u64().is_some_and(|given| given <= 2), "{line}");
            }
        }
    }
}

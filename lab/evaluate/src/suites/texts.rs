//! Texts that nights write: their length, their words and their grammar, measured without people.
//!
//! These measures find what is certainly wrong. Whether a text is worth saying is rated by people.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_english::English;
use nightfold_memory::{
    Analysis, Grammar, LanguagePack,
    grammar::{PartOfSpeech, Relation, VerbForm},
};

use super::{
    CorrectCount,
    grammar_faults::GrammarFaults,
    written::{WrittenForm, WrittenNight, WrittenText, written_nights},
};
use crate::{
    error::EvaluateError,
    lab::Lab,
    report::{Cell, Report, Section, row},
    suite::Suite,
};

/// Importance from which a memory is worth a reflection.
const WORTH_REFLECTION: u8 = 5;

/// Greatest mean length of syntheses of unimportant memories, as a share of their sources'.
const LENGTH: f64 = 0.6;
/// Greatest share of texts with a fault of grammar.
const UNGRAMMATICAL: f64 = 0.05;
/// Greatest share of titles that name nothing or are clauses.
const BAD_TITLES: f64 = 0.05;
/// Least share of nights with a reflection, of those that have two memories worth one.
const REFLECTING: f64 = 0.5;

pub(crate) struct Texts;

impl Suite for Texts {
    fn name(&self) -> &'static str {
        "texts"
    }

    fn measures(&self) -> &'static str {
        "Length, words, grammar and names of the texts that nights write. Falls short if syntheses of unimportant memories are longer than \
         0.6 of their sources, if more than 5 % of texts or names are faulty, or if too few nights reflect"
    }

    fn data(&self) -> &'static str {
        "all scenarios"
    }

    fn run(&self, lab: &Lab) -> Result<Report, EvaluateError> {
        let (mut scores, mut all) = (Vec::new(), Vec::new());
        let measure = |nights: &[WrittenNight]| {
            texts(nights, &English, lab.config.triage.important, |texts| {
                Ok::<_, EvaluateError>(lab.embedder.embed(texts)?.grammar)
            })
        };
        for folder in lab.scenarios()? {
            let (scenario, replayed) = lab.replay(&folder)?;
            let nights: Vec<_> = replayed.nights.into_iter().flatten().collect();
            let written = written_nights(&nights);
            scores.push((scenario.name(), measure(&written)?));
            all.extend(written);
        }
        scores.push(("all".to_owned(), measure(&all)?));
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

const ROWS: [Row; 20] = [
    ("nights", |s| s.nights.into()),
    ("with a reflection", |s| Cell::Share(s.reflecting.share())),
    ("  of those worth one", |s| s.reflecting_where_worth.into()),
    ("syntheses", |s| s.syntheses.texts.into()),
    ("length, of the sources'", |s| s.length.into()),
    ("  of unimportant ones", |s| s.length_of_unimportant.into()),
    ("  repeated triples", |s| Cell::Share(s.syntheses.repeated_trigrams)),
    ("  words from nowhere", |s| Cell::Share(s.syntheses.unsupported_words)),
    ("  with a name from nowhere", |s| s.syntheses.unsupported_names.into()),
    ("  with a fault of grammar", |s| s.syntheses.faulty().into()),
    ("reflections", |s| s.reflections.texts.into()),
    ("  by kind", |s| {
        s.kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect::<Vec<_>>().join(", ").into()
    }),
    ("  repeated triples", |s| Cell::Share(s.reflections.repeated_trigrams)),
    ("  words from nowhere", |s| Cell::Share(s.reflections.unsupported_words)),
    ("  with a name from nowhere", |s| s.reflections.unsupported_names.into()),
    ("  with a fault of grammar", |s| s.reflections.faulty().into()),
    ("titles and names of themes, missing", |s| {
        Cell::Of(s.titles.missing, s.titles.titles + s.titles.missing)
    }),
    ("  that name nothing", |s| s.titles.empty.into()),
    ("  that are clauses", |s| s.titles.clauses.into()),
    ("  with a name from nowhere", |s| s.titles.unsupported.into()),
];

/// Returns the limits that are broken.
fn falls_short(score: &TextScore) -> Vec<String> {
    let (syntheses, reflections) = (score.syntheses.faulty(), score.reflections.faulty());
    let ungrammatical =
        CorrectCount { right: syntheses.right + reflections.right, all: syntheses.all + reflections.all };
    let bad = score.titles.empty + score.titles.clauses + score.titles.unsupported;
    let bad_titles = CorrectCount { right: bad, all: score.titles.titles };
    let worth = score.reflecting_where_worth;
    let limits = [
        ("mean length of syntheses of unimportant memories", score.length_of_unimportant, LENGTH),
        ("share of texts with a fault of grammar", ungrammatical.share(), UNGRAMMATICAL),
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
    /// Texts with a fault of grammar that their sources do not have.
    ungrammatical: usize,
}

impl KindScore {
    /// Returns the texts with a fault of grammar among all.
    fn faulty(&self) -> CorrectCount {
        CorrectCount { right: self.ungrammatical, all: self.texts }
    }
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
    clauses: usize,
    /// Titles with a proper name that no source has.
    unsupported: usize,
}

/// Measures the texts of nights. `read` reads the grammar of texts, one for each.
fn texts<E>(
    nights: &[WrittenNight],
    pack: &dyn LanguagePack,
    important_from: u8,
    mut read: impl FnMut(&[&str]) -> Result<Vec<Option<Grammar>>, E>,
) -> Result<TextScore, E> {
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
    score.syntheses = score.measure(&syntheses, pack, &mut read)?;
    score.reflections = score.measure(&reflections, pack, &mut read)?;
    score.measure_titles(nights, pack, &mut read)?;
    Ok(score)
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
    fn of(sources: &[String], pack: &dyn LanguagePack) -> Self {
        let analyses: Vec<Analysis> = sources.iter().map(|source| pack.analyze(source, &[])).collect();
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

    fn measure<E>(
        &mut self,
        texts: &[&WrittenText],
        pack: &dyn LanguagePack,
        read: &mut impl FnMut(&[&str]) -> Result<Vec<Option<Grammar>>, E>,
    ) -> Result<KindScore, E> {
        let written: Vec<&str> = texts.iter().map(|text| text.text.as_str()).collect();
        let analyses: Vec<Analysis> = written.iter().map(|text| pack.analyze(text, &[])).collect();
        let mut score = KindScore {
            texts: texts.len(),
            repeated_trigrams: repeated_trigrams(analyses.iter()),
            ..KindScore::default()
        };
        let (mut words, mut unsupported) = (0, 0);
        for (text, analysis) in texts.iter().zip(&analyses) {
            let support = Support::of(&text.sources, pack);
            words += analysis.content.len();
            unsupported += analysis.content.iter().filter(|stem| !support.stems.contains(*stem)).count();
            if support.lacks_name(analysis) {
                score.unsupported_names += 1;
                self.mark("a name from nowhere", &text.text);
            }
        }
        score.unsupported_words = f64::from(unsupported as u32) / f64::from(words.max(1) as u32);
        for (text, grammar) in texts.iter().zip(read(&written)?) {
            let own = grammar.map(|grammar| GrammarFaults::of(&text.text, &grammar)).unwrap_or_default();
            if own.any() && own.beyond(faults_of(&text.sources, read)?) {
                score.ungrammatical += 1;
                self.mark("grammar", &text.text);
            }
        }
        Ok(score)
    }

    fn measure_titles<E>(
        &mut self,
        nights: &[WrittenNight],
        pack: &dyn LanguagePack,
        read: &mut impl FnMut(&[&str]) -> Result<Vec<Option<Grammar>>, E>,
    ) -> Result<(), E> {
        let texts = || nights.iter().flat_map(|night| &night.texts);
        let themes = nights.iter().flat_map(|night| &night.themes);
        let named: Vec<&str> = texts().map(|text| &text.title).chain(themes).map(String::as_str).collect();
        let written: Vec<&str> = named.iter().copied().filter(|title| !title.is_empty()).collect();
        self.titles.titles = written.len();
        self.titles.missing = named.len() - written.len();
        for (title, grammar) in written.iter().zip(read(&written)?) {
            if is_empty(title, pack) {
                self.titles.empty += 1;
                self.mark("a title that names nothing", title);
            }
            if grammar.is_some_and(|grammar| is_clause(&grammar)) {
                self.titles.clauses += 1;
                self.mark("a title that is a clause", title);
            }
        }
        for text in texts() {
            // The first word has a capital in any case.
            let behind_first = text.title.split_once(' ').map_or("", |(_, rest)| rest);
            let names = pack.analyze(&format!("of {behind_first}"), &[]);
            if Support::of(&text.sources, pack).lacks_name(&names) {
                self.titles.unsupported += 1;
                self.mark("a title with a name from nowhere", &text.title);
            }
        }
        Ok(())
    }
}

/// Returns the faults of sources, which a text of them may repeat.
fn faults_of<E>(
    sources: &[String],
    read: &mut impl FnMut(&[&str]) -> Result<Vec<Option<Grammar>>, E>,
) -> Result<GrammarFaults, E> {
    let texts: Vec<&str> = sources.iter().map(String::as_str).collect();
    let read = read(&texts)?.into_iter().zip(&texts);
    let each = read.filter_map(|(grammar, text)| Some(GrammarFaults::of(text, &grammar?)));
    Ok(each.fold(GrammarFaults::default(), GrammarFaults::and))
}

/// True for a title without a word that names something, or with a placeholder.
fn is_empty(title: &str, pack: &dyn LanguagePack) -> bool {
    let names = pack.analyze(title, &[]).tokens.iter().any(|token| token.names_theme || token.number);
    !names || title.contains(['<', '>', '[', ']', '{', '}'])
}

/// True for a title with a subject and its finite verb.
fn is_clause(grammar: &Grammar) -> bool {
    let words = grammar.words();
    let is_finite = |head: usize| {
        words[head].part_of_speech() == PartOfSpeech::Verb
            && words[head].verb_form() == Some(VerbForm::Finite)
    };
    words.iter().any(|word| word.relation() == Relation::Subject && word.head().is_some_and(is_finite))
}

#[cfg(test)]
mod tests {
    use nightfold_english::English;
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
        let nothing = |texts: &[&str]| Ok::<_, ()>(vec![None; texts.len()]);
        texts(&[night, WrittenNight::default()], &English, 6, nothing).unwrap()
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

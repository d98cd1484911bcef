//! Texts that nights write: their length, their words and their grammar, measured without people.
//!
//! These measures find what is certainly wrong. Whether a text is worth saying is rated by people.

mod checks;
mod written;

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{
    Analysis, Grammar, LanguagePack,
    grammar::{PartOfSpeech, Relation, VerbForm},
};
use serde::Serialize;

pub use checks::GrammarFaults;
pub use written::{WrittenForm, WrittenNight, WrittenText, written_nights};

use super::CorrectCount;

/// Importance from which a memory is worth a reflection.
pub const WORTH_REFLECTION: u8 = 5;

/// Measures of all texts of some nights.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TextScore {
    /// Number of nights, of one NPC each.
    pub nights: usize,
    /// Number of summaries of weeks and months. Their titles are measured with the others.
    pub summaries: usize,
    /// Nights with a reflection.
    pub reflecting: CorrectCount,
    /// Nights with a reflection, of those with two memories of [`WORTH_REFLECTION`] or more.
    pub reflecting_where_worth: CorrectCount,
    /// Number of reflections by kind.
    pub kinds: BTreeMap<&'static str, usize>,
    /// Measures of syntheses.
    pub syntheses: KindScore,
    /// Measures of reflections.
    pub reflections: KindScore,
    /// Mean length of syntheses, as a share of their sources' length.
    pub length: f64,
    /// The same for syntheses of unimportant memories alone.
    pub length_of_unimportant: f64,
    /// Measures of titles and names of themes.
    pub titles: TitleScore,
    /// Texts and titles with faults.
    pub faulty: Vec<FaultyText>,
}

/// Measures of texts of one form.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KindScore {
    /// Number of texts.
    pub texts: usize,
    /// Share of the word triples that occurred before, in any text of the form.
    pub repeated_trigrams: f64,
    /// Share of content words that no source has.
    pub unsupported_words: f64,
    /// Texts with a proper name that no source has.
    pub unsupported_names: usize,
    /// Faults of grammar that the sources do not have.
    pub grammar: GrammarFaults,
    /// Texts with at least one fault of grammar.
    pub ungrammatical: usize,
}

/// Measures of titles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TitleScore {
    /// Number of titles of texts and names of themes.
    pub titles: usize,
    /// Texts and themes without one.
    pub missing: usize,
    /// Titles without a word that names something, or with a placeholder.
    pub empty: usize,
    /// Titles that are clauses.
    pub clauses: usize,
    /// Titles with a proper name that no source has.
    pub unsupported: usize,
    /// Length of the longest, in characters.
    pub longest: usize,
}

/// Text or title with a fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FaultyText {
    /// Name of the fault.
    pub fault: &'static str,
    /// The text.
    pub text: String,
}

/// Measures the texts of nights. `read` reads the grammar of texts, one for each.
///
/// # Errors
/// Any error of `read`.
pub fn texts<E>(
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
    score.summaries = of(|form| form == WrittenForm::Summary).len();
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
        let reflects = usize::from(night.texts.iter().any(is_reflection));
        self.nights += 1;
        self.reflecting.all += 1;
        self.reflecting.right += reflects;
        if night.importances.iter().filter(|importance| **importance >= WORTH_REFLECTION).count() > 1 {
            self.reflecting_where_worth.all += 1;
            self.reflecting_where_worth.right += reflects;
        }
    }

    fn mark(&mut self, fault: &'static str, text: &str) {
        self.faulty.push(FaultyText { fault, text: text.to_owned() });
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
            let faults = if own.all() > 0 { own.without(faults_of(&text.sources, read)?) } else { own };
            score.grammar.without_verb += faults.without_verb;
            score.grammar.doubled_determiners += faults.doubled_determiners;
            score.grammar.dangling += faults.dangling;
            score.grammar.disagreeing += faults.disagreeing;
            if faults.all() > 0 {
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
        self.titles.longest = written.iter().map(|title| title.chars().count()).max().unwrap_or(0);
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
        assert_eq!((score.titles.titles, score.titles.missing, score.titles.longest), (1, 1, 8));
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

//! The English pack: English as a [`LanguagePack`].

use std::{borrow::Cow, ops::Range};

use nightfold_memory::{
    Analysis, Assertion, CheckedSource, Conclusion, ConclusionSources, Coverage, Distillate,
    DistillationSources, FactRules, Fault, Foundation, Judgement, Kind, LanguagePack, Meaning, NormalForm,
    PatternText, SummaryFrame, SummarySource, SummaryText, SynthesisSource, TextBounds, ThemePattern,
    TopicPhrase,
};

use crate::{
    assertions, coverage,
    lexicon::{self, WordClass},
    meaning,
    stance::{self, ClaimCache},
    synthesize::{self, check},
    text::{self, Spelling, read_tokens},
};

/// English: closed classes of words, WordNet, and wordings in the first person.
///
/// ```
/// use nightfold_english::English;
/// use nightfold_memory::{LanguagePack, Stance};
///
/// let fallen = "The bridge at Stonewater has fallen.";
/// let stands = "The bridge at Stonewater has not fallen.";
/// assert_eq!(English.judge(fallen, stands, 0.9).stance, Stance::Contradiction);
/// assert_eq!(English.analyze("Tom paid Joss 14 silver", &["Tom"]).numbers, ["14"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct English;

impl LanguagePack for English {
    fn name(&self) -> &'static str {
        "english"
    }

    fn understands(&self) -> bool {
        true
    }

    fn analyze(&self, text: &str, names: &[&str]) -> Analysis {
        text::analyze(text, names.iter().copied())
    }

    fn analyze_day(&self, texts: &[&str], people: &[&str]) -> Vec<Analysis> {
        let read: Vec<_> = texts.iter().map(|text| read_tokens(text)).collect();
        let day = Spelling::of(people.iter().copied(), read.iter().flatten());
        read.into_iter().map(|text| text::analyze_within(text, &day)).collect()
    }

    fn topics(&self, text: &str, analysis: &Analysis) -> Vec<TopicPhrase> {
        synthesize::topics(text, analysis)
    }

    fn title(&self, topics: &[&str]) -> String {
        synthesize::title(topics)
    }

    fn content_stems(&self, text: &str, take: &mut dyn FnMut(&str)) {
        text::content_stems(text, take);
    }

    fn sentences(&self, text: &str) -> Vec<Range<usize>> {
        text::sentences(text).map(|sentence| sentence.span).collect()
    }

    fn base_form(&self, word: &str) -> String {
        text::singular(word)
    }

    fn is_filler(&self, word: &str) -> bool {
        lexicon::is_filler(word)
    }

    fn is_generic(&self, word: &str) -> bool {
        WordClass::ItemKind.has(word)
    }

    fn meanings(&self, text: &str) -> Vec<Meaning> {
        meaning::meanings(text)
    }

    fn foundation(&self, kind: Kind, text: &str) -> Foundation {
        assertions::foundation(kind, text)
    }

    fn assertions(&self, kind: Kind, text: &str) -> Vec<Assertion> {
        assertions::assertions(kind, text)
    }

    fn join_assertions(&self, text: &str, assertions: &[Assertion]) -> Vec<Assertion> {
        assertions::join_adjacent(text, assertions)
    }

    fn write_out<'t>(&self, text: &'t str) -> Cow<'t, str> {
        text::write_out_contractions(text)
    }

    fn normal_form(&self, kind: Kind, text: &str, name: &str) -> Option<NormalForm> {
        text::normal_form(kind, text, name)
    }

    fn fact_rules<'t>(&self) -> Box<dyn FactRules<'t> + 't> {
        Box::new(ClaimCache::default())
    }

    fn judge(&self, a: &str, b: &str, cosine: f64) -> Judgement {
        stance::judge_texts(a, b, cosine)
    }

    fn asks_about_present(&self, question: &str) -> bool {
        WordClass::PresentQuestion.occurs_in(&text::spaced(question))
    }

    fn is_in_present(&self, question: &str) -> bool {
        stance::is_in_present(question)
    }

    fn cannot_link(&self, a: &Analysis, b: &Analysis) -> bool {
        stance::cannot_link(a, b)
    }

    fn can_synthesize(&self, a: &SynthesisSource<'_>, b: &SynthesisSource<'_>) -> bool {
        synthesize::can_synthesize(a, b)
    }

    fn restates(&self, reflection: &str, statement: &str) -> bool {
        coverage::restates(reflection, statement)
    }

    fn coverage(&self, source: &str, text: &str) -> Coverage {
        coverage::coverage(source, text)
    }

    fn synthesis(&self, sources: &[SynthesisSource<'_>]) -> String {
        synthesize::synthesis(sources)
    }

    fn pattern(&self, theme: &ThemePattern<'_>) -> Option<PatternText> {
        synthesize::pattern(theme)
    }

    fn distillates(&self, sources: &DistillationSources<'_>) -> Vec<Distillate> {
        synthesize::distillates(sources)
    }

    fn conclusions(&self, known: &ConclusionSources<'_>, most: usize) -> Vec<Conclusion> {
        synthesize::conclude(known, most)
    }

    fn quotable_words<'t>(&self, text: &'t str, is_summary: bool) -> &'t str {
        synthesize::quotable_words(text, is_summary)
    }

    fn summary(&self, group: &[&SummarySource<'_>], frame: SummaryFrame) -> SummaryText {
        synthesize::summary(group, frame)
    }

    fn synthesis_fault(
        &self,
        text: &str,
        sources: &[CheckedSource<'_>],
        bounds: TextBounds<'_>,
    ) -> Option<Fault> {
        check::synthesis_fault(text, sources, bounds)
    }

    fn reflection_fault(
        &self,
        text: &str,
        sources: &[CheckedSource<'_>],
        bounds: TextBounds<'_>,
    ) -> Option<Fault> {
        check::reflection_fault(text, sources, bounds)
    }
}

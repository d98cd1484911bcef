//! Language packs: all code that reads or writes a natural language.

use std::{borrow::Cow, fmt, ops::Range};

use crate::{
    calendar::{Calendar, SummaryPeriod},
    foundation::Foundation,
    judgement::Judgement,
    meaning::Meaning,
    memory::Kind,
    normal_form::NormalForm,
    plan::ReflectionKind,
    ports::Fault,
    text::Analysis,
    time::GameTime,
};

/// Reads and writes the texts of one language.
///
/// A night computes with the values that a pack reads (stems, names, numbers, facts) and stores the texts
/// that it writes (syntheses, reflections, summaries); the rest of a night is independent of the language. A
/// pack may use word lists or learned models.
///
/// Contract:
/// - pure: the same arguments have the same result, on any thread; no I/O, no clock;
/// - no text causes a panic; returned byte ranges lie on character boundaries of the given text;
/// - a text that a pack cannot read is kept separate: [`LanguagePack::judge`] returns *unrelated*,
///   [`LanguagePack::assertions`] is empty.
pub trait LanguagePack: fmt::Debug + Send + Sync {
    /// Returns the name of the pack, as used in `language.pack` and reports.
    fn name(&self) -> &'static str;

    /// True if the pack understands statements. With a pack that does not, only equal texts are merged, no
    /// judge and no language model is asked, and texts are only written as lists of the sources' own words.
    fn understands(&self) -> bool;

    // Reading

    /// Reads a single text. `names` are names known from elsewhere, such as the actors of a memory.
    fn analyze(&self, text: &str, names: &[&str]) -> Analysis;

    /// Reads the texts of a day together, since one text shows which words of another are names. Returns one
    /// analysis for each text, in order. `people` are the names of the participants.
    fn analyze_day(&self, texts: &[&str], people: &[&str]) -> Vec<Analysis>;

    /// Returns the phrases that can name the subject of a text, in order. A pack that finds phrases by grammar returns
    /// none if [`Analysis::grammar`] is missing; a pack that knows no phrases returns words, or none.
    fn topics(&self, text: &str, analysis: &Analysis) -> Vec<TopicPhrase>;

    /// Calls `take` with the stem of every content word of a text, in order. This is cheaper than an
    /// analysis, for the thousands of archived texts that a night scans.
    fn content_stems(&self, text: &str, take: &mut dyn FnMut(&str));

    /// Returns the byte ranges of the sentences, in order. A quotation is not cut, and every word is in one of them.
    fn sentences(&self, text: &str) -> Vec<Range<usize>>;

    /// Returns a word of a status line or id in lower case and without its plural ending.
    fn base_form(&self, word: &str) -> String;

    /// True for a [base form](Self::base_form) without meaning in a status line ("the", "is").
    fn is_filler(&self, word: &str) -> bool;

    /// True for a [base form](Self::base_form) in an id that names a kind of thing ("note"), not a subject.
    fn is_generic(&self, word: &str) -> bool;

    /// Returns the matters of a text that people remember, each once and in order: commitments, debts, gifts, harm,
    /// secrets, threats. A pack that does not recognise them returns none.
    fn meanings(&self, text: &str) -> Vec<Meaning>;

    // Facts

    /// Returns the foundation of a memory, by its kind and words.
    fn foundation(&self, kind: Kind, text: &str) -> Foundation;

    /// Returns the parts of a statement that are asserted as true, in order; none if all of it is asked,
    /// dreamt, supposed or a lie.
    fn assertions(&self, kind: Kind, text: &str) -> Vec<Assertion>;

    /// Joins short assertions that follow each other in `text`, and returns all further assertions unchanged.
    fn join_assertions(&self, text: &str, assertions: &[Assertion]) -> Vec<Assertion>;

    /// Returns a statement as it is judged, with its contractions written out.
    fn write_out<'t>(&self, text: &'t str) -> Cow<'t, str>;

    /// Returns a memory of the NPC `name` as it is embedded and measured: in the first person, and without a label before it, so
    /// that nothing depends on who wrote it down. `None` if it is written so.
    fn normal_form(&self, kind: Kind, text: &str, name: &str) -> Option<NormalForm>;

    /// Returns rules that judge many pairs of texts and cache their readings.
    fn fact_rules<'t>(&self) -> Box<dyn FactRules<'t> + 't>;

    /// Judges two texts of the given cosine by rules. The order of the texts does not matter.
    fn judge(&self, a: &str, b: &str, cosine: f64) -> Judgement;

    /// True if a question asks in so many words how things are now: "does Joss still owe you?"
    fn asks_about_present(&self, question: &str) -> bool;

    /// True if the verb of a question is in the present: "is the bridge standing?"
    fn is_in_present(&self, question: &str) -> bool;

    /// True if the two memories must not be merged (a cannot-link constraint, Wagstaff et al. 2001): opposed
    /// statements, different actors in one role, different numbers of one fact.
    fn cannot_link(&self, a: &Analysis, b: &Analysis) -> bool;

    /// True if one text can say what two memories say, without a difference that matters: [`LanguagePack::synthesis`] of
    /// the two drops details at most.
    fn can_synthesize(&self, a: &SynthesisSource<'_>, b: &SynthesisSource<'_>) -> bool;

    /// True if a sentence of a reflection says mostly the same as a statement.
    fn restates(&self, reflection: &str, statement: &str) -> bool;

    /// Returns the share of a source that another text keeps.
    fn coverage(&self, source: &str, text: &str) -> Coverage;

    // Wording

    /// Returns what several memories, given in order of time, say as one text: the most telling of them whole, verbatim
    /// ones in any case, or one statement with all the values in which they differ. How often and when it was so is not
    /// said.
    fn synthesis(&self, sources: &[SynthesisSource<'_>]) -> String;

    /// Writes the sentence that says how much of a day was about a theme, or the part of its name that most memories
    /// mention; `None` if too few do, and from a pack that writes no sentences.
    fn pattern(&self, theme: &ThemePattern<'_>) -> Option<PatternText>;

    /// Returns up to `most` conclusions from the memories of the day together with those of earlier nights, the
    /// best first. Each one rests on at least one memory of the day and on two memories in all, and says how
    /// many occasions support it and how many do not. A pack that cannot draw any returns none.
    fn conclusions(&self, known: &ConclusionSources<'_>, most: usize) -> Vec<Conclusion>;

    /// Returns what similar memories of several days teach: for each group at most one record, in order of the groups.
    /// A pack that cannot tell returns none.
    fn distillates(&self, sources: &DistillationSources<'_>) -> Vec<Distillate>;

    /// Returns the words of a record that a summary can quote. `is_summary` is true for a text written by
    /// [`LanguagePack::summary`].
    fn quotable_words<'t>(&self, text: &'t str, is_summary: bool) -> &'t str;

    /// Writes a summary of many old records: when, how often, and some of their sentences in their own words.
    fn summary(&self, group: &[&SummarySource<'_>], frame: SummaryFrame) -> SummaryText;

    /// Returns the name of a text about one or two topics: "Odo's fever and the willow bark".
    fn title(&self, topics: &[&str]) -> String;

    // Checks

    /// Returns the fault of a synthesis of some sources; `None` if it is acceptable.
    fn synthesis_fault(
        &self,
        text: &str,
        sources: &[CheckedSource<'_>],
        bounds: TextBounds<'_>,
    ) -> Option<Fault>;

    /// Returns the fault of a reflection that rests on some sources; `None` if it is acceptable.
    fn reflection_fault(
        &self,
        text: &str,
        sources: &[CheckedSource<'_>],
        bounds: TextBounds<'_>,
    ) -> Option<Fault>;
}

/// Noun phrase that can name the subject of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicPhrase {
    /// The phrase as written, from the longest form ("Odo's fever of the lungs") to the noun alone; at least one.
    pub forms: Vec<TopicForm>,
    /// True for a proper name, of a person or a place.
    pub is_name: bool,
    /// True for what the text is about: subject or object of a main clause, or the main word.
    pub is_central: bool,
}

impl TopicPhrase {
    /// True if its longest form has all these stems.
    pub fn says(&self, stems: &[String]) -> bool {
        let whole = self.forms.first().map_or(&[][..], |form| &form.stems);
        stems.iter().all(|stem| whole.contains(stem))
    }
}

/// Form of a noun phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicForm {
    /// Words, without an article before them.
    pub text: String,
    /// The same with its article, if it needs one: "the axle" also for "my axle".
    pub named: String,
    /// Stems of its content words, sorted and distinct.
    pub stems: Vec<String>,
    /// False if it names something only where two texts share it: "9 silver", "cat in the way".
    pub stands_alone: bool,
}

/// Rules that compare many texts. Reading a text is expensive, so each one is read as rarely as possible.
pub trait FactRules<'t> {
    /// Judges two texts as [`LanguagePack::judge`] does.
    fn judge(&mut self, a: &'t str, b: &'t str, cosine: f64) -> Judgement;
}

/// Part of a statement that is asserted as true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assertion {
    /// Byte range of its words.
    pub span: Range<usize>,
    /// Foundation of the statement.
    pub foundation: Foundation,
    /// True if it holds a *position*: an answer to a question about a subject from a time on, such as where somebody is,
    /// whose something is, what it costs. An *episode* tells that something happened. Later statements can end a
    /// position and what an episode left behind, never the episode.
    pub is_position: bool,
}

/// Share of a source that another text keeps, judged by words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coverage {
    /// Share of its content words, by stem, 0 to 1; 1 if it has none.
    pub content: f64,
    /// True if all its names and numbers are kept.
    pub names_and_numbers: bool,
}

/// Source of a synthesis.
#[derive(Debug, Clone, Copy)]
pub struct SynthesisSource<'a> {
    /// Text of the memory.
    pub text: &'a str,
    /// Analysis of the text.
    pub analysis: &'a Analysis,
    /// Importance, 1 to 10.
    pub importance: u8,
    /// True if its words may not be left out.
    pub verbatim: bool,
    /// True for a reading of a status line.
    pub reading: bool,
}

/// Theme of a day, of which a pack says how much of the day it was.
#[derive(Debug, Clone, Copy)]
pub struct ThemePattern<'a> {
    /// Name of the theme, written by [`LanguagePack::title`].
    pub name: &'a str,
    /// Memories of the theme that count, in order of time.
    pub sources: &'a [ReflectionSource<'a>],
    /// Number of the day's memories.
    pub of: usize,
}

/// Sentence on a theme, with what it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternText {
    /// The sentence.
    pub text: String,
    /// Whom or what it names.
    pub subject: String,
    /// Indices of the sources that mention it, ascending.
    pub sources: Vec<usize>,
}

/// Memory that a reflection may rest on.
#[derive(Debug, Clone, Copy)]
pub struct ReflectionSource<'a> {
    /// Row of the memory among the day's distinct ones.
    pub row: usize,
    /// Text of the memory.
    pub text: &'a str,
    /// Analysis of the text.
    pub analysis: &'a Analysis,
    /// Kind of the memory.
    pub kind: Kind,
    /// Importance, 1 to 10.
    pub importance: u8,
    /// Valence (−1 to 1) times intensity (0 to 1) of its emotion; without one as read from the vector, where one reading
    /// is not sure.
    pub feeling: f32,
    /// True if the game gave the emotion.
    pub is_felt: bool,
    /// Names of the participants.
    pub actors: &'a [String],
    /// True for talk of others, whose "I" is somebody else and which may be a lie.
    pub is_heard: bool,
    /// Time of its first occurrence.
    pub at: GameTime,
    /// Unit vector of the text; empty if there is none.
    pub vector: &'a [f32],
}

/// Memories that conclusions are drawn from.
#[derive(Debug, Clone, Copy)]
pub struct ConclusionSources<'a> {
    /// Memories of the day, in order of time.
    pub today: &'a [ReflectionSource<'a>],
    /// Memories of earlier nights that are still known in their own words, in order of time.
    pub earlier: &'a [EarlierSource<'a>],
    /// Statements that the NPC no longer believes since today.
    pub changes: &'a [BeliefChange],
    /// Analysis of the NPC's name.
    pub own_name: &'a Analysis,
    /// Names of everyone who took part in the day.
    pub people: &'a [&'a str],
}

/// Memories of several days from which typed records are distilled.
#[derive(Debug, Clone, Copy)]
pub struct DistillationSources<'a> {
    /// Memories in their own words, in order of time.
    pub known: &'a [DistilledMemory<'a>],
    /// Groups of similar ones among them, as ascending indices.
    pub groups: &'a [Vec<usize>],
    /// Analysis of the NPC's name.
    pub own_name: &'a Analysis,
    /// Minimum number of days that a record rests on.
    pub min_days: usize,
}

/// Memory that a record may be distilled from.
#[derive(Debug, Clone, Copy)]
pub struct DistilledMemory<'a> {
    /// Text of the memory.
    pub text: &'a str,
    /// Analysis of the text.
    pub analysis: &'a Analysis,
    /// Kind of the memory.
    pub kind: Kind,
    /// Valence (−1 to 1) times intensity (0 to 1) of its emotion; 0 without one.
    pub feeling: f32,
    /// Place, if it is known.
    pub place: Option<&'a str>,
    /// Day, counted from 1 January 1970.
    pub day: i64,
}

/// Typed record that a group of memories teaches, without a vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distillate {
    /// Type of the record: pattern, preference, caution, skill, person or place.
    pub kind: ReflectionKind,
    /// Text: one sentence.
    pub text: String,
    /// Indices of the memories that support it, ascending.
    pub sources: Vec<usize>,
    /// Number of memories of the group that were lived through, supporting ones included.
    pub of: usize,
}

/// Memory of an earlier night.
#[derive(Debug, Clone, Copy)]
pub struct EarlierSource<'a> {
    /// Text of the memory.
    pub text: &'a str,
    /// Kind of the memory.
    pub kind: Kind,
    /// Importance, 1 to 10.
    pub importance: u8,
    /// Valence (−1 to 1) times intensity (0 to 1) of its emotion; without one as read from the vector, where one reading
    /// is not sure.
    pub feeling: f32,
    /// True if the game gave the emotion.
    pub is_felt: bool,
    /// Names of the participants.
    pub actors: &'a [String],
    /// True for talk of others, whose "I" is somebody else and which may be a lie.
    pub is_heard: bool,
    /// True if a position that it states has ended.
    pub has_ended: bool,
    /// Time of its first occurrence.
    pub at: GameTime,
    /// Unit vector of the text; empty if there is none.
    pub vector: &'a [f32],
}

/// Statement that is superseded by a memory of the day.
#[derive(Debug, Clone, Copy)]
pub struct BeliefChange {
    /// Index of the statement among the earlier memories.
    pub earlier: usize,
    /// Row of the memory that supersedes it.
    pub row: usize,
}

/// Conclusion as text, with the count of what supports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conclusion {
    /// Kind of the reflection.
    pub kind: ReflectionKind,
    /// Name of the form of the conclusion, such as `when-then`.
    pub form: &'static str,
    /// Whom or what it is about; empty if that has no name.
    pub subject: String,
    /// Text: one sentence.
    pub text: String,
    /// Rows of the memories of the day that it rests on, in order of time.
    pub rows: Vec<usize>,
    /// Indices of the earlier memories that it rests on, in order of time.
    pub earlier: Vec<usize>,
    /// Number of occasions that support it.
    pub occasions: usize,
    /// Number of occasions on which it could have shown itself, supporting ones included.
    pub of: usize,
}

/// Reflection as text, without a vector.
#[derive(Debug, Clone, PartialEq)]
pub struct WordedReflection {
    /// Kind of the reflection.
    pub kind: ReflectionKind,
    /// Text, in the first person.
    pub text: String,
    /// Rows of the memories it rests on, in order of time.
    pub rows: Vec<usize>,
}

/// Record from which a summary is written.
#[derive(Debug, Clone)]
pub struct SummarySource<'a> {
    /// Words of it that can be quoted.
    pub text: &'a str,
    /// Analysis of these words.
    pub analysis: Analysis,
    /// Day of its first occurrence, counted from 1 January 1970.
    pub first: i64,
    /// Day of its last occurrence, counted from 1 January 1970.
    pub last: i64,
    /// Number of times it was experienced.
    pub times: u32,
    /// Importance, and emotional intensity in thousandths; the record with the greatest weight is quoted.
    pub weight: (u8, u16),
}

/// Period, calendar and length of a summary.
#[derive(Debug, Clone, Copy)]
pub struct SummaryFrame {
    /// Period that the summary covers.
    pub period: SummaryPeriod,
    /// Calendar of the period.
    pub calendar: Calendar,
    /// Maximum number of characters of the text.
    pub max_chars: usize,
}

/// Summary as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryText {
    /// Text of the summary.
    pub text: String,
    /// Index in the group of the record that is quoted, if any.
    pub quoted: Option<usize>,
}

/// Source that a new text is checked against.
#[derive(Debug, Clone, Copy)]
pub struct CheckedSource<'a> {
    /// Text of the memory.
    pub text: &'a str,
    /// Analysis of the text.
    pub analysis: &'a Analysis,
    /// True if its words may not be changed.
    pub verbatim: bool,
    /// True for talk of others, which may be a lie.
    pub is_heard: bool,
}

/// Limits of a new text that do not depend on its sources.
#[derive(Debug, Clone, Copy)]
pub struct TextBounds<'a> {
    /// Maximum number of characters.
    pub max_chars: usize,
    /// Analysis of the NPC's name.
    pub own_name: &'a Analysis,
}

/// Value of `language.pack` that chooses the pack by the language of the texts.
const AUTO: &str = "auto";

/// Error for a language pack that the program does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("language.pack is `{asked}`; it must be auto or one of: {known}")]
pub struct UnknownPack {
    /// Name that was asked for.
    pub asked: String,
    /// Names of the available packs.
    pub known: String,
}

/// Language packs of a program.
pub trait LanguagePacks: fmt::Debug + Send + Sync {
    /// Returns the pack with a name; `None` if there is none.
    fn named(&self, name: &str) -> Option<&dyn LanguagePack>;

    /// Returns the names of all packs, in order.
    fn names(&self) -> Vec<&'static str>;

    /// Returns the pack for the language of texts that belong together, such as those of an NPC's day. The
    /// result depends only on the texts and their order.
    fn detect(&self, texts: &mut dyn Iterator<Item = &str>) -> &dyn LanguagePack;

    /// Returns the pack for a value of `language.pack`: a pack by name, or the detected one for `auto`.
    ///
    /// # Errors
    /// [`UnknownPack`] if there is no pack with this name.
    fn resolve(
        &self,
        setting: &str,
        texts: &mut dyn Iterator<Item = &str>,
    ) -> Result<&dyn LanguagePack, UnknownPack> {
        if setting == AUTO {
            return Ok(self.detect(texts));
        }
        self.named(setting)
            .ok_or_else(|| UnknownPack { asked: setting.to_owned(), known: self.names().join(", ") })
    }
}

//! Language packs: everything that reads or writes a natural language.

use std::{fmt, ops::Range};

use crate::{
    Analysis, Calendar, Fault, Foundation, GameTime, Judgement, Kind, ReflectionKind, SummaryPeriod,
};

/// Reads and words the texts of one language.
///
/// A night computes with what a pack reads (stems, names, numbers, facts) and stores what it words (syntheses, reflections,
/// summaries); everything else of a night knows no language. What a pack knows may come from lists of words or from learned
/// models: the night sees only the values.
///
/// Contract:
/// - pure: the same arguments give the same result, on any thread; no I/O, no clock;
/// - no text panics; byte ranges that are returned lie on character boundaries of the text that was given;
/// - what a pack cannot read it leaves apart: [`LanguagePack::judge`] says *unrelated*, [`LanguagePack::assertions`] is empty.
pub trait LanguagePack: fmt::Debug + Send + Sync {
    /// Name of the pack, as `language.pack` and reports have it.
    fn name(&self) -> &'static str;

    /// True if the pack reads what statements say. Of texts that it does not read only equal ones are merged, no judge and no
    /// language model is asked about them, and nothing is worded but as a list of their own words.
    fn understands(&self) -> bool;

    // Reading

    /// Reads a text on its own. `names` are names known from elsewhere, such as the actors of a memory.
    fn analyze(&self, text: &str, names: &[&str]) -> Analysis;

    /// Reads the texts of a day together: one text says which words of another are names. Returns one analysis for each
    /// text, in order. `people` are the names of those who took part.
    fn analyze_day(&self, texts: &[&str], people: &[&str]) -> Vec<Analysis>;

    /// Hands over the stem of every word of a text that carries meaning, in order. Cheaper than an analysis: thousands of
    /// archived texts are looked through in a night.
    fn content_stems(&self, text: &str, take: &mut dyn FnMut(&str));

    /// Returns the byte ranges of the sentences that tell something, which leaves out what is only asked.
    fn telling_sentences(&self, text: &str) -> Vec<Range<usize>>;

    /// Returns a word of a status line or of an id in lower case and without the ending of its plural.
    fn base_form(&self, word: &str) -> String;

    /// True for a [base form](Self::base_form) that says nothing in a status line ("the", "is").
    fn is_filler(&self, word: &str) -> bool;

    /// True for a [base form](Self::base_form) in an id that says of which kind something is ("note"), not what it is about.
    fn is_generic(&self, word: &str) -> bool;

    // Facts

    /// Returns how well a memory is founded, by its kind and its words.
    fn foundation(&self, kind: Kind, text: &str) -> Foundation;

    /// Returns the parts of a statement that are put forward as true, in order; none where all of it is asked, dreamt,
    /// supposed or a lie.
    fn assertions(&self, kind: Kind, text: &str) -> Vec<Assertion>;

    /// Returns short assertions that follow each other in `text` as one, the others as they are.
    fn join_assertions(&self, text: &str, assertions: &[Assertion]) -> Vec<Assertion>;

    /// Returns rules that judge many pairs of texts, and keep what they read of each.
    fn fact_rules<'t>(&self) -> Box<dyn FactRules<'t> + 't>;

    /// Judges two texts of the given cosine by rules, and says what decided. The order of the texts does not matter.
    fn judge(&self, a: &str, b: &str, cosine: f64) -> Judgement;

    /// True if a text tells of something that happened once, and not only of how things are.
    fn is_episode(&self, text: &str) -> bool;

    /// True if one text may not stand for both memories (a cannot-link constraint, Wagstaff et al. 2001): opposed
    /// statements, different actors in one role, different numbers of one fact.
    fn cannot_link(&self, a: &Analysis, b: &Analysis) -> bool;

    /// True if a sentence of a reflection says, for the most part, what a statement says.
    fn restates(&self, reflection: &str, statement: &str) -> bool;

    /// Measures how much of a source another text keeps.
    fn coverage(&self, source: &str, text: &str) -> Coverage;

    // Wording

    /// Words several memories, which come in order of time, as one text. Nothing is invented, nothing that carries a fact
    /// is left out, and verbatim sources are quoted as they stand.
    fn synthesis(&self, sources: &[SynthesisSource<'_>]) -> String;

    /// Words up to `most` reflections from memories of one theme, the most telling first. Every one holds to
    /// [`LanguagePack::reflection_fault`]. A pack that cannot word any returns none.
    fn reflections(&self, theme: &ReflectionTheme<'_>, most: usize) -> Vec<WordedReflection>;

    /// Takes the text of a record apart, so that a summary can be worded from it. `is_summary` is true for a text of
    /// [`LanguagePack::summary`].
    fn summary_parts<'t>(&self, text: &'t str, is_summary: bool) -> SummaryParts<'t>;

    /// Words many old records in short: when, how often, what they have in common, and one of them in its own words.
    /// `terms` are the words that tell the group, the most telling first.
    fn summary(&self, group: &[&SummarySource<'_>], terms: &[String], frame: SummaryFrame) -> SummaryText;

    // Checks

    /// Returns what is wrong with a synthesis of some sources; `None` if it may be believed.
    fn synthesis_fault(
        &self,
        text: &str,
        sources: &[CheckedSource<'_>],
        bounds: TextBounds<'_>,
    ) -> Option<Fault>;

    /// Returns what is wrong with a reflection that rests on some sources; `None` if it may be believed.
    fn reflection_fault(&self, text: &str, sources: &[&Analysis], bounds: TextBounds<'_>) -> Option<Fault>;
}

/// Rules that hold many texts against each other: reading one is dear, so each is read as seldom as can be.
pub trait FactRules<'t> {
    /// Judges two texts as [`LanguagePack::judge`] does.
    fn judge(&mut self, a: &'t str, b: &'t str, cosine: f64) -> Judgement;
}

/// A part of a statement that is put forward as true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assertion {
    /// Byte range of its words.
    pub span: Range<usize>,
    /// Foundation of the statement.
    pub foundation: Foundation,
    /// True if it says what somebody is doing at a moment ("Wren is baking"): two of these are two occasions.
    pub activity: bool,
}

/// Share of a source that another text keeps, as far as words tell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coverage {
    /// Share of its content words, by stem, 0 to 1; 1 where it has none.
    pub content: f64,
    /// True if all its names and numbers are there.
    pub marks: bool,
}

/// A memory that a synthesis is worded from.
#[derive(Debug, Clone, Copy)]
pub struct SynthesisSource<'a> {
    /// Its text.
    pub text: &'a str,
    /// The text, read.
    pub analysis: &'a Analysis,
    /// Kind of the memory: of talk, greetings need not be told.
    pub kind: Kind,
    /// True if its words may not be changed.
    pub verbatim: bool,
    /// Number of times it was lived through in the same words, 1 or more.
    pub occurrences: usize,
    /// True for one reading of a status: a value that comes back is told again.
    pub reading: bool,
    /// Moment at which it was lived through first.
    pub at: GameTime,
    /// Moment at which it was lived through last.
    pub last_at: GameTime,
}

/// Memories of one theme, from which reflections are worded.
#[derive(Debug, Clone, Copy)]
pub struct ReflectionTheme<'a> {
    /// The memories, in order of time.
    pub sources: &'a [ReflectionSource<'a>],
    /// The NPC's name, read.
    pub own: &'a Analysis,
    /// Names of everyone met that day.
    pub people: &'a [&'a str],
    /// Stems that came up on each of the earlier nights that saw the theme.
    pub earlier_nights: &'a [Vec<String>],
    /// Number of days within which these nights lie.
    pub days: u16,
}

/// A memory that a reflection may rest on.
#[derive(Debug, Clone, Copy)]
pub struct ReflectionSource<'a> {
    /// Row of the memory among the day's distinct ones.
    pub row: usize,
    /// Its text.
    pub text: &'a str,
    /// The text, read.
    pub analysis: &'a Analysis,
    /// Kind of the memory.
    pub kind: Kind,
    /// Importance, 1 to 10.
    pub importance: u8,
    /// Valence (−1 to 1) times intensity (0 to 1) of its emotion; 0 without one.
    pub feeling: f32,
    /// Names of those who took part.
    pub actors: &'a [String],
}

/// A reflection in words, before it has a vector.
#[derive(Debug, Clone, PartialEq)]
pub struct WordedReflection {
    /// Kind of the reflection.
    pub kind: ReflectionKind,
    /// Its text, in the first person.
    pub text: String,
    /// Rows it rests on, in order of time.
    pub rows: Vec<usize>,
}

/// Parts of a record's text that a summary is worded from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryParts<'t> {
    /// What was going on.
    pub what: &'t str,
    /// Words that can be quoted, in somebody's own words.
    pub words: &'t str,
    /// Both as one text.
    pub joined: String,
}

/// A record that a summary is worded from.
#[derive(Debug, Clone)]
pub struct SummarySource<'a> {
    /// Its text, taken apart.
    pub parts: SummaryParts<'a>,
    /// [`SummaryParts::joined`], read.
    pub analysis: Analysis,
    /// Day on which it was lived through first, counted from 1 January 1970.
    pub first: i64,
    /// Day on which it was lived through last.
    pub last: i64,
    /// Number of times it was lived through.
    pub times: u32,
    /// Importance and emotional intensity (in thousandths): the weightiest record is quoted.
    pub weight: (u8, u16),
}

/// Length and calendar of a summary.
#[derive(Debug, Clone, Copy)]
pub struct SummaryFrame {
    /// Stretch of time that the summary covers.
    pub period: SummaryPeriod,
    /// Calendar by which days are counted.
    pub calendar: Calendar,
    /// Most characters of the text.
    pub max_chars: usize,
}

/// A summary in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryText {
    /// Its text.
    pub text: String,
    /// Place in the group of the record that is quoted, if one is.
    pub quoted: Option<usize>,
}

/// A memory that a synthesis is checked against.
#[derive(Debug, Clone, Copy)]
pub struct CheckedSource<'a> {
    /// Its text.
    pub text: &'a str,
    /// The text, read.
    pub analysis: &'a Analysis,
    /// True if its words may not be changed.
    pub verbatim: bool,
}

/// Bounds of a new text, beside what its sources say.
#[derive(Debug, Clone, Copy)]
pub struct TextBounds<'a> {
    /// Most characters.
    pub chars: usize,
    /// The NPC's name, read.
    pub own: &'a Analysis,
}

/// Setting by which the pack is chosen by the language of the texts.
const AUTO: &str = "auto";

/// A language pack that the program does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("language.pack is `{asked}`; it must be auto or one of: {known}")]
pub struct UnknownPack {
    /// Name that was asked for.
    pub asked: String,
    /// Names of the packs that there are.
    pub known: String,
}

/// The language packs that a program has.
pub trait LanguagePacks: fmt::Debug + Send + Sync {
    /// Returns the pack of a name; `None` if there is none.
    fn named(&self, name: &str) -> Option<&dyn LanguagePack>;

    /// Names of all packs, in order.
    fn names(&self) -> Vec<&'static str>;

    /// Returns the pack for texts that belong together, such as those of an NPC's day, by the language they are in. Follows
    /// from the texts alone, in the order given.
    fn detect(&self, texts: &mut dyn Iterator<Item = &str>) -> &dyn LanguagePack;

    /// Returns the pack that a setting (`language.pack`) asks for: one by name, or the detected one where it is `auto`.
    ///
    /// # Errors
    /// [`UnknownPack`] when there is no pack of this name.
    fn chosen(
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

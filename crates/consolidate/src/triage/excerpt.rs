//! Excerpts: of unrated talk only the sentences that tell most for their length are kept, so that the night's text
//! shrinks with its entries. A sentence is quoted whole or not at all.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use nightfold_memory::{Analysis, Reason, Rule, Token, text::part};

use super::{
    talk::{Talk, TalkText},
    triager::{Bucket, ChunkGroup, TriageDecision, Triager},
};

/// Byte ranges of the kept sentences of each memory that is not kept whole, in order.
pub(crate) type Excerpts = BTreeMap<usize, Vec<Range<usize>>>;

/// Length in characters at which the words of a sentence count half as much as in the shortest.
const HALF_DENSITY_CHARS: f64 = 40.0;

/// Points of a sentence with a number, for each of up to three names, for speaking of oneself, and for a question, a
/// greeting, or what needs the sentence before it.
const NUMBER_POINTS: f64 = 0.6;
const NAME_POINTS: f64 = 0.3;
const MAX_NAMES: usize = 3;
const SPEAKER_POINTS: f64 = 0.4;
const WEAK_POINTS: f64 = -1.0;

/// Minimum number of content words, beside names, of a sentence that says something.
const MIN_CONTENT: usize = 2;

/// Share of a memory's content words that an excerpt tells at least.
const MIN_TOLD: f64 = 0.6;

/// Share of a memory's characters from which it is kept whole.
const NEARLY_WHOLE: f64 = 0.8;

/// Returns the text of an excerpt.
pub(crate) fn excerpt_text(text: &str, sentences: &[Range<usize>]) -> String {
    let quoted: Vec<&str> = sentences.iter().map(|span| part(text, span.clone())).collect();
    quoted.join(" ")
}

/// A sentence of talk.
struct RatedSentence {
    row: usize,
    span: Range<usize>,
    chars: usize,
    density: f64,
    /// True if it says something, and does not only greet or agree.
    says_something: bool,
}

impl RatedSentence {
    /// Orders by descending density, then as the sentences stand in the day.
    fn denser(&self, other: &Self) -> Ordering {
        let place = |sentence: &Self| (sentence.row, sentence.span.start);
        other.density.total_cmp(&self.density).then_with(|| place(self).cmp(&place(other)))
    }
}

/// Words of a memory that its excerpt does not tell yet. It is told with [`MIN_TOLD`] of its content words and all its
/// names and numbers.
struct UncoveredRows<'a> {
    content: BTreeSet<&'a str>,
    /// Number of content words that may stay uncovered.
    spare: usize,
    marks: BTreeSet<&'a str>,
}

impl<'a> UncoveredRows<'a> {
    fn of(analysis: &'a Analysis) -> Self {
        let content: BTreeSet<&str> = analysis.content.iter().map(String::as_str).collect();
        let spare = ((1.0 - MIN_TOLD) * content.len() as f64) as usize;
        let is_mark = |token: &&Token| token.number || analysis.names.binary_search(&token.lower).is_ok();
        let marks = analysis.tokens.iter().filter(is_mark).map(|token| token.lower.as_str()).collect();
        Self { content, spare, marks }
    }

    fn is_told(&self) -> bool {
        self.marks.is_empty() && self.content.len() <= self.spare
    }

    fn tell(&mut self, tokens: &[Token]) {
        for token in tokens {
            self.content.remove(token.stem.as_str());
            self.marks.remove(token.lower.as_str());
        }
    }
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

/// Sentences of a memory of talk, the densest first.
pub(super) struct TalkSentences {
    /// Those that tell it ([`UncoveredRows`]).
    telling: Vec<RatedSentence>,
    /// The others.
    further: Vec<RatedSentence>,
    whole_chars: usize,
    says_something: bool,
}

impl TalkSentences {
    /// True if a sentence of the memory says something.
    pub(super) fn says_something(&self) -> bool {
        self.says_something
    }

    /// Returns the length of the memory.
    pub(super) fn whole_chars(&self) -> usize {
        self.whole_chars
    }

    /// Returns the number of characters that the memory takes at least, if it is kept.
    pub(super) fn least_chars(&self) -> usize {
        let telling: usize = self.telling.iter().map(|sentence| sentence.chars).sum();
        if is_nearly_whole(telling, self.whole_chars) { self.whole_chars } else { telling }
    }
}

/// True if an excerpt would hold nearly all of a memory, which is then kept whole.
fn is_nearly_whole(chars: usize, whole_chars: usize) -> bool {
    chars as f64 >= NEARLY_WHOLE * whole_chars as f64
}

impl Triager<'_> {
    /// Takes the talk that stays apart: the sentences that tell each memory, and of the others the densest of all talk,
    /// as far as there is room. A memory that would be stored and loses sentences becomes a group of its own, whose
    /// text quotes the others. Returns the excerpts and the lengths of all talk.
    pub(super) fn excerpt(
        &self,
        buckets: &[Bucket],
        talk: Talk,
        fates: &mut [TriageDecision],
        groups: &mut Vec<ChunkGroup>,
    ) -> (Excerpts, TalkText) {
        let mut length = TalkText { chars: talk.chars(), kept: 0 };
        let in_excerpts = talk.in_excerpts;
        let (sentences, spare_chars) = talk.into_sentences(buckets);
        let rows: Vec<usize> = sentences.keys().copied().collect();
        let mut excerpts = densest_sentences(sentences, spare_chars);
        for row in rows {
            let text = &self.distinct[row].text;
            let left = excerpts.get(&row).map_or(0, |kept| chars(&excerpt_text(text, kept)));
            if !in_excerpts || is_nearly_whole(left, chars(text)) {
                excerpts.remove(&row);
                length.kept += chars(text);
                continue;
            }
            length.kept += left;
            if let TriageDecision::Store(kept) = &fates[row] {
                let reason = Reason::new(Rule::Excerpt)
                    .with("kept_as", kept.rule.as_str())
                    .with("kept_chars", left)
                    .with("chars", chars(text));
                fates[row] = TriageDecision::Chunk(groups.len());
                let cluster =
                    buckets.iter().find(|bucket| bucket.members.contains(&row)).and_then(Bucket::cluster);
                groups.push(ChunkGroup { members: vec![row], cluster, reason });
            }
        }
        (excerpts, length)
    }

    /// Returns the sentences of some memories.
    pub(super) fn talk_sentences(&self, rows: &[usize]) -> BTreeMap<usize, TalkSentences> {
        let mut texts_with: BTreeMap<&str, usize> = BTreeMap::new();
        for stem in self.analyses.iter().flat_map(|analysis| &analysis.content) {
            *texts_with.entry(stem).or_default() += 1;
        }
        let all = self.distinct.len() as f64 + 1.0;
        let rarity = |stem: &str| (all / (texts_with.get(stem).copied().unwrap_or(0) as f64 + 0.5)).ln();
        let of = |&row: &usize| {
            let mut uncovered = UncoveredRows::of(&self.analyses[row]);
            let (mut telling, mut further) = (Vec::new(), Vec::new());
            let sentences = self.rated_sentences(row, &rarity);
            let says_something = sentences.iter().any(|sentence| sentence.says_something);
            for sentence in sentences {
                if uncovered.is_told() && !telling.is_empty() {
                    further.push(sentence);
                } else {
                    uncovered.tell(self.analyses[row].tokens_in(&sentence.span));
                    telling.push(sentence);
                }
            }
            (
                row,
                TalkSentences {
                    telling,
                    further,
                    whole_chars: chars(&self.distinct[row].text),
                    says_something,
                },
            )
        };
        rows.iter().map(of).collect()
    }

    /// Returns the sentences of a memory, the densest first, with what they tell for their length: their words by rarity in the day (idf,
    /// Spärck Jones 1972), names, numbers, and speaking of oneself; a question, a
    /// greeting, and what needs the sentence before it tell least.
    fn rated_sentences(&self, row: usize, rarity: &impl Fn(&str) -> f64) -> Vec<RatedSentence> {
        let (text, analysis) = (&self.distinct[row].text, &self.analyses[row]);
        let declarative = self.pack.declarative_sentences(text);
        let rated = |span: Range<usize>| {
            let tokens = analysis.tokens_in(&span);
            let content =
                |stem: &&str| analysis.content.binary_search_by(|other| other.as_str().cmp(stem)).is_ok();
            let stems: BTreeSet<&str> = tokens.iter().map(|t| t.stem.as_str()).filter(content).collect();
            let names: BTreeSet<&str> = tokens
                .iter()
                .filter(|t| analysis.names.binary_search(&t.lower).is_ok())
                .map(|t| t.lower.as_str())
                .collect();
            let asks = !declarative.iter().any(|told| told.start < span.end && span.start < told.end);
            let chars = chars(part(text, span.clone()));
            let says_something = stems.len() >= MIN_CONTENT + names.len();
            let words: f64 = stems.into_iter().map(rarity).sum();
            let mut density = words * HALF_DENSITY_CHARS / (chars as f64 + HALF_DENSITY_CHARS);
            density += NAME_POINTS * names.len().min(MAX_NAMES) as f64;
            density += if tokens.iter().any(|t| t.number) { NUMBER_POINTS } else { 0.0 };
            density += if tokens.iter().any(|t| t.speaker) { SPEAKER_POINTS } else { 0.0 };
            let is_weak = asks || !says_something || self.pack.points_back(part(text, span.clone()));
            density += if is_weak { WEAK_POINTS } else { 0.0 };
            RatedSentence { row, span, chars, density, says_something }
        };
        let mut sentences: Vec<RatedSentence> = self.pack.sentences(text).into_iter().map(rated).collect();
        sentences.sort_by(RatedSentence::denser);
        sentences
    }
}

/// Returns the sentences that tell each memory, and the densest others of all of them in at most `spare_chars`
/// characters.
fn densest_sentences(memories: BTreeMap<usize, TalkSentences>, spare_chars: usize) -> Excerpts {
    let (mut kept, mut further, mut left) = (Excerpts::new(), Vec::new(), spare_chars);
    for (row, sentences) in memories {
        kept.entry(row).or_default().extend(sentences.telling.into_iter().map(|sentence| sentence.span));
        further.extend(sentences.further);
    }
    further.sort_by(RatedSentence::denser);
    for sentence in further {
        if let Some(rest) = left.checked_sub(sentence.chars) {
            left = rest;
            kept.entry(sentence.row).or_default().push(sentence.span);
        }
    }
    kept.values_mut().for_each(|spans| spans.sort_by_key(|span| span.start));
    kept
}

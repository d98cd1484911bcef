//! Names of groups of texts: what at least half of them share.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    slice,
};

use nightfold_memory::{
    Analysis, LanguagePack, MemoryId, Token, TopicForm, TopicPhrase,
    grammar::{Grammar, VerbForm},
};
use sha2::{Digest, Sha256};

/// Document frequencies: the number of texts of a day that contain each stem.
#[derive(Debug)]
pub(crate) struct DocumentFrequencies<'a> {
    texts: usize,
    by_stem: BTreeMap<Cow<'a, str>, usize>,
}

impl<'a> DocumentFrequencies<'a> {
    pub(crate) fn of(day: &'a [Analysis]) -> Self {
        let mut by_stem: BTreeMap<Cow<'_, str>, usize> = BTreeMap::new();
        let stems = day.iter().flat_map(|text| &text.content);
        stems.for_each(|stem| *by_stem.entry(Cow::Borrowed(stem)).or_default() += 1);
        Self { texts: day.len(), by_stem }
    }

    /// Counts people where they are present, too, even if the text does not say so: whom one talks with all day is not
    /// the subject of a talk. `present` are the participants of each text.
    pub(crate) fn with_people<'p>(
        mut self,
        day: &[Analysis],
        present: impl Iterator<Item = &'p [String]>,
        pack: &dyn LanguagePack,
    ) -> Self {
        for (text, people) in day.iter().zip(present) {
            let stems = people.iter().flat_map(|name| pack.analyze(name, &[]).content);
            let unsaid: BTreeSet<String> =
                stems.filter(|stem| text.content.binary_search(stem).is_err()).collect();
            unsaid.into_iter().for_each(|stem| *self.by_stem.entry(Cow::Owned(stem)).or_default() += 1);
        }
        self
    }

    /// Returns how rare a stem is in the day (inverse document frequency, Spärck Jones 1972).
    pub(crate) fn rareness(&self, stem: &str) -> f64 {
        let everywhere = self.by_stem.get(stem).copied().unwrap_or(1);
        (1.0 + self.texts as f64 / everywhere as f64).ln()
    }
}

/// Longest name of two topics, in characters.
const MAX_TITLE_CHARS: usize = 72;
/// Number of words in an id that is made from a name.
const SLUG_WORDS: usize = 3;
/// Weights of a text that is about a topic, and of one that only mentions it: what half of the texts are about is
/// shared, and so is what three quarters mention.
const ABOUT: f64 = 1.0;
const MENTIONED: f64 = ABOUT * 2.0 / 3.0;

/// Namer of groups of a day's texts.
pub(crate) struct Namer<'a> {
    pub(crate) day: &'a DocumentFrequencies<'a>,
    /// The NPC's own name, which names nothing.
    pub(crate) own: &'a Analysis,
    pub(crate) pack: &'a dyn LanguagePack,
}

impl Namer<'_> {
    /// Names a group of texts by the most telling topic that at least half of them share, and by a second one if two
    /// texts have both. A text about the group, if one is `told`, is named by topics of the group that it says itself.
    /// Returns nothing if nothing is shared.
    pub(crate) fn name(&self, group: &[(&str, &Analysis)], told: Option<&str>) -> String {
        let least = group.len().min(2).max(group.len().div_ceil(2));
        let read: Vec<_> = group.iter().map(|(text, analysis)| self.pack.topics(text, analysis)).collect();
        let said = told.map(|told| self.pack.analyze(told, &[]).content);
        let mut topics = self.topics(&read, group);
        topics.retain(|topic| match &said {
            Some(said) => topic.stems.iter().all(|stem| said.binary_search(stem).is_ok()),
            None => topic.texts.len() >= least && self.tells(topic, group.len()),
        });
        let score = |topic: &SharedTopic<'_>| {
            topic.weight() * topic.stems.iter().map(|stem| self.day.rareness(stem)).sum::<f64>()
        };
        // The topics are sorted, and the sort is stable: ties go by stem.
        topics.sort_by(|a, b| score(b).total_cmp(&score(a)));
        let is_about = |topic: &SharedTopic<'_>| told.is_some() || 2.0 * topic.weight() >= group.len() as f64;
        // An amount alone says nothing, nor does what only sharing makes a name.
        let is_named = |form: &&TopicForm| {
            form.stands_alone || (group.len() > 1 && !form.text.starts_with(|c: char| c.is_ascii_digit()))
        };
        let is_first = |topic: &&SharedTopic<'_>| is_about(topic) && topic.forms.iter().any(is_named);
        let Some(first) = topics.iter().find(is_first) else { return String::new() };
        let joined = if told.is_some() { 0 } else { least.min(2) };
        // A person alone says little: with a thing more than with another person.
        let may_follow = |other: &&SharedTopic<'_>| {
            first.goes_with(other, joined, &read, group)
                && (is_about(other) || first.is_name && !other.is_name)
        };
        let rank = |other: &&SharedTopic<'_>| (!is_about(other), other.is_name == first.is_name);
        let second = topics.iter().filter(may_follow).min_by_key(rank);
        // People come first: "Joss and the axle".
        let mut parts: Vec<&SharedTopic<'_>> = std::iter::once(first).chain(second).collect();
        parts.sort_by_key(|topic| !topic.is_name);
        let title = self.pack.title(&parts.iter().map(|topic| topic.named()).collect::<Vec<_>>());
        if title.chars().count() > MAX_TITLE_CHARS { self.pack.title(&[first.named()]) } else { title }
    }

    /// Returns the topics of a group without those that contain the NPC's own name.
    fn topics<'t>(&self, read: &'t [Vec<TopicPhrase>], group: &[(&str, &Analysis)]) -> Vec<SharedTopic<'t>> {
        let mut by_words: BTreeMap<(&[String], bool), Vec<&TopicForm>> = BTreeMap::new();
        for phrase in read.iter().flatten() {
            for form in &phrase.forms {
                by_words.entry((&form.stems, phrase.is_name)).or_default().push(form);
            }
        }
        let is_own = |stem: &String| self.own.content.binary_search(stem).is_ok();
        by_words.retain(|(stems, _), _| !stems.iter().any(is_own));
        let topic = |((stems, is_name), forms): ((&'t [String], bool), Vec<&'t TopicForm>)| {
            let texts = read.iter().zip(group).enumerate().filter_map(|(at, (phrases, (_, text)))| {
                Some((
                    at,
                    if is_name { name_weight(stems, phrases, text) } else { weight(stems, phrases, text) }?,
                ))
            });
            SharedTopic { stems, is_name, forms, texts: texts.collect() }
        };
        by_words.into_iter().map(topic).collect()
    }

    /// True if the group has the topic at least as often as the rest of the day, and a name half again as often: who
    /// is there all day tells nothing.
    fn tells(&self, topic: &SharedTopic<'_>, group: usize) -> bool {
        let everywhere = topic.stems.iter().filter_map(|stem| self.day.by_stem.get(stem.as_str())).min();
        let inside = topic.texts.len();
        let outside = everywhere.map_or(0, |everywhere| everywhere.saturating_sub(inside));
        let others = self.day.texts.saturating_sub(group);
        let (least, of) = if topic.is_name { (3, 2) } else { (1, 1) };
        of * inside * others >= least * outside * group
    }
}

/// Returns how much a text is about a thing. A single word may also stand in another phrase, or be what is done:
/// "painting", but not "I paint".
fn weight(stems: &[String], phrases: &[TopicPhrase], text: &Analysis) -> Option<f64> {
    let said = phrases.iter().filter(|phrase| !phrase.is_name && phrase.says(stems));
    let is_verb = |token: &Token| {
        let words = text.grammar.as_ref().map_or(&[][..], Grammar::words);
        words.iter().any(|word| {
            word.span().start == token.start
                && matches!(word.verb_form(), Some(VerbForm::Finite | VerbForm::Infinitive))
        })
    };
    let is_word = || matches!(stems, [stem] if text.tokens.iter().any(|t| t.stem == *stem && !is_verb(t)));
    said.map(|phrase| if phrase.is_central { ABOUT } else { MENTIONED })
        .reduce(f64::max)
        .or_else(|| is_word().then_some(MENTIONED))
}

/// Returns the weight of a text that has a name. A grammar often takes a name apart: one word of it must be read as a
/// name, the others must be there.
fn name_weight(stems: &[String], phrases: &[TopicPhrase], text: &Analysis) -> Option<f64> {
    let is_written = |stem: &String| text.tokens.iter().any(|token| token.capital && token.stem == *stem);
    let is_read = |stem| phrases.iter().any(|phrase| phrase.is_name && phrase.says(slice::from_ref(stem)));
    (stems.iter().any(is_read) && stems.iter().all(is_written)).then_some(ABOUT)
}

/// Topic in one of its forms, with the texts of a group that have it.
struct SharedTopic<'t> {
    /// Stems of the form.
    stems: &'t [String],
    is_name: bool,
    /// Ways in which it is written.
    forms: Vec<&'t TopicForm>,
    /// Weight of each text that says it.
    texts: BTreeMap<usize, f64>,
}

impl<'t> SharedTopic<'t> {
    fn weight(&self) -> f64 {
        self.texts.values().sum()
    }

    /// True for another topic that at least `joined` texts have beside this one, if it is no part of it: their words are
    /// not akin, no phrase has both, and they are not one name, as "Tom" and "Farrow" are.
    fn goes_with(
        &self,
        other: &Self,
        joined: usize,
        read: &[Vec<TopicPhrase>],
        group: &[(&str, &Analysis)],
    ) -> bool {
        let is_akin = |stem: &String| {
            other.stems.iter().any(|next| next.starts_with(stem.as_str()) || stem.starts_with(next.as_str()))
        };
        let is_of_both = |phrase: &TopicPhrase| phrase.says(self.stems) && phrase.says(other.stems);
        let has = |topic: &Self, token: &Token| token.capital && topic.stems.contains(&token.stem);
        let is_one_name = |two: &[Token]| match two {
            [one, next] => (has(self, one) && has(other, next)) || (has(other, one) && has(self, next)),
            _ => false,
        };
        let is_one = || {
            if self.is_name {
                group.iter().any(|(_, text)| text.tokens.windows(2).any(is_one_name))
            } else {
                read.iter().flatten().any(is_of_both)
            }
        };
        !self.stems.iter().any(is_akin)
            && self.texts.keys().filter(|at| other.texts.contains_key(at)).count() >= joined
            && !(self.is_name == other.is_name && is_one())
    }

    /// Returns the topic as it is written most often, with its article if it mostly has one: of "axle", "an axle" and "the
    /// axle" the longest, but a name without.
    fn named(&self) -> &'t str {
        let times =
            |is_same: &dyn Fn(&TopicForm) -> bool| self.forms.iter().filter(|other| is_same(other)).count();
        let rank = |form: &&&TopicForm| {
            let has_article = form.named != form.text;
            let (written, named) =
                (times(&|other| other.text == form.text), times(&|other| other.named == form.named));
            (written, form.stands_alone, named, has_article != self.is_name, form.named.len())
        };
        self.forms.iter().max_by_key(rank).map_or("", |form| &form.named)
    }
}

/// Joins the words of a name into an id, without articles and the like: ASCII letters and digits in lower case, at
/// most 24 of each word.
pub(crate) fn slug(name: &str, pack: &dyn LanguagePack) -> String {
    let word = |written: &str| {
        let lower = written.to_lowercase().replace('\u{2019}', "'");
        let base = lower.strip_suffix("'s").unwrap_or(&lower);
        let kept: String = base.chars().filter(char::is_ascii_alphanumeric).take(24).collect();
        (!kept.is_empty() && !pack.is_filler(base) && base != "and").then_some(kept)
    };
    let written = name.split(|c: char| c.is_whitespace() || matches!(c, ',' | '-'));
    let words: Vec<String> = written.filter_map(word).take(SLUG_WORDS).collect();
    if words.is_empty() { "memory".to_owned() } else { words.join("-") }
}

/// Returns words followed by the beginning of a hash, in hex. The words are those of a [slug], perhaps with a prefix.
pub(crate) fn hashed(words: &str, hash: Sha256) -> String {
    let hex: String = hash.finalize()[..4].iter().map(|b| format!("{b:02x}")).collect();
    format!("{words}-{hex}")
}

/// Returns the words with a hash of an entry's text and sources.
pub(crate) fn hashed_entry(words: &str, text: &str, sources: &[MemoryId]) -> String {
    let mut hash = Sha256::new();
    hash.update(text);
    for source in sources {
        hash.update([0]);
        hash.update(source.as_str());
    }
    hashed(words, hash)
}

/// Returns an unused id made of hashed words: themselves, or numbered if they are taken.
pub(crate) fn unused_id(hashed: String, taken: &dyn Fn(&MemoryId) -> bool) -> MemoryId {
    // At most a prefix, three words of 24 letters and eight digits: always a valid id.
    let id = MemoryId::new(hashed).unwrap_or_else(|_| unreachable!("a slug is printable and short"));
    let mut free = id.clone();
    let mut number = 1;
    while taken(&free) {
        number += 1;
        free = id.numbered(number);
    }
    free
}

#[cfg(test)]
mod tests;

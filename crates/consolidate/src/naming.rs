//! Names of groups: the phrases or words that distinguish a group of texts from the rest of the day.

use std::collections::BTreeMap;

use nightfold_memory::{Analysis, LanguagePack, MemoryId, Occasion, TopicForm, TopicPhrase};
use sha2::{Digest, Sha256};

/// Document frequencies: the number of texts of a day that contain each stem.
#[derive(Debug)]
pub(crate) struct DocumentFrequencies<'a> {
    texts: usize,
    by_stem: BTreeMap<&'a str, usize>,
}

impl<'a> DocumentFrequencies<'a> {
    pub(crate) fn of(day: &'a [Analysis]) -> Self {
        let mut by_stem: BTreeMap<&str, usize> = BTreeMap::new();
        day.iter().flat_map(|text| &text.content).for_each(|stem| *by_stem.entry(stem).or_default() += 1);
        Self { texts: day.len(), by_stem }
    }

    /// Returns the score of a stem that `inside` texts of a group contain: frequent inside, rare outside (tf-idf,
    /// Spärck Jones 1972), with documents as the unit.
    fn score(&self, stem: &str, inside: usize) -> f64 {
        let everywhere = self.by_stem.get(stem).copied().unwrap_or(1);
        inside as f64 * (1.0 + self.texts as f64 / everywhere as f64).ln()
    }
}

/// Returns up to `most` words, the most distinctive first: those in many texts of `group` and in few other
/// texts of `day`. Each is spelled as at its first occurrence. Numbers and the words in `excluded` are left out.
pub(crate) fn distinctive_terms(
    group: &[(&str, &Analysis)],
    day: &DocumentFrequencies<'_>,
    excluded: &Analysis,
    most: usize,
) -> Vec<String> {
    // Per stem: number of texts that contain it, its first spelling, index of the last such text.
    let mut found: BTreeMap<String, (usize, &str, usize)> = BTreeMap::new();
    for (at, (text, analysis)) in group.iter().enumerate() {
        for token in analysis.tokens.iter().filter(|t| t.names_theme) {
            let stem = token.stem.clone();
            if let Some((inside, _, last)) = found.get_mut(&stem) {
                *inside += usize::from(*last != at);
                *last = at;
            } else if excluded.content.binary_search(&stem).is_err() {
                found.insert(stem, (1, token.word(text), at));
            }
        }
    }
    let mut scored: Vec<(f64, &str)> =
        found.iter().map(|(stem, &(inside, surface, _))| (day.score(stem, inside), surface)).collect();
    // The map is sorted by stem, and the sort is stable: ties go by stem.
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(most).map(|(_, s)| s.to_owned()).collect()
}

/// Longest name, in characters; a longer one is made of nouns alone.
const MAX_TITLE_CHARS: usize = 72;
/// Number of words in an id that is made from a name.
const SLUG_WORDS: usize = 3;
/// Number of words that name a group if the pack knows no phrases.
const NAME_WORDS: usize = 3;
/// Weights of a topic in a text: what the text is about, what is mentioned beside, a word within another phrase.
const CENTRAL: f64 = 1.0;
const BESIDE: f64 = 0.55;
const WITHIN: f64 = 0.3;
/// Least sum of weights by which two texts share a topic: one of them is about it, or both mention it.
const SHARED: f64 = 1.1;
/// Weight of the second topic's texts that the first one covers already.
const COVERED: f64 = 0.6;

/// Namer of groups of a day's texts.
pub(crate) struct Namer<'a> {
    pub(crate) day: &'a DocumentFrequencies<'a>,
    /// The NPC's own name, which names nothing.
    pub(crate) own: &'a Analysis,
    pub(crate) pack: &'a dyn LanguagePack,
}

impl Namer<'_> {
    /// Names a group of texts: by the topic that its texts share, or by two of them; by its occasion if they share
    /// none; otherwise by the main topics of two texts. `told` is the text that is named, if there is one: what it
    /// says first matters most. Returns nothing if nothing distinguishes the group.
    pub(crate) fn name(
        &self,
        group: &[(&str, &Analysis)],
        told: Option<&str>,
        occasion: Option<&Occasion<'_>>,
    ) -> String {
        let mut found: Vec<(usize, TopicPhrase)> = Vec::new();
        let mut knows_phrases = false;
        for (at, (text, analysis)) in group.iter().enumerate() {
            if let Some(topics) = self.pack.topics(text, analysis) {
                knows_phrases = true;
                found.extend(topics.into_iter().map(|topic| (at, topic)));
            }
        }
        if !knows_phrases {
            let words = distinctive_terms(group, self.day, self.own, NAME_WORDS);
            return self.pack.title(&words.iter().map(String::as_str).collect::<Vec<_>>());
        }
        found.retain(|(_, topic)| self.own.content.binary_search(&topic.stem).is_err());
        let topics = self.ranked(&found, group, &Focus::of(told, self.pack));
        let shared = topics.iter().position(|topic| topic.is_shared(group.len()));
        let texts: Vec<&str> = group.iter().map(|(text, _)| *text).collect();
        let of_occasion = || occasion.and_then(|occasion| self.pack.occasion_name(occasion));
        match shared {
            None if group.len() > 1 => of_occasion().unwrap_or_else(|| self.title(&topics, 0, &texts)),
            None => self.title(&topics, 0, &texts),
            Some(first) => self.title(&topics, first, &texts),
        }
    }

    /// Returns the topics with the form by which the group speaks of each, the most distinctive first.
    fn ranked<'t>(
        &self,
        found: &'t [(usize, TopicPhrase)],
        group: &[(&str, &Analysis)],
        focus: &Focus,
    ) -> Vec<SharedTopic<'t>> {
        let mut by_stem: BTreeMap<&str, Vec<(usize, &TopicPhrase)>> = BTreeMap::new();
        for (at, topic) in found {
            by_stem.entry(&topic.stem).or_default().push((*at, topic));
        }
        let words = GroupWords::of(group);
        let topic = |(stem, mentions): (&'t str, Vec<(usize, &'t TopicPhrase)>)| {
            let weights = weights(stem, &mentions, group);
            let (form, phrase) = words.common_form(&mentions)?;
            let named = mentions.iter().flat_map(|(_, phrase)| &phrase.forms);
            // A name has an article only if it always has; a thing is a definite one if it ever is: of "axle",
            // "an axle" and "the axle" the longest.
            let is_name = mentions.iter().any(|(_, phrase)| phrase.is_name);
            let same = named.filter(|other| other.text == form.text);
            let length = |form: &&TopicForm| form.named.len();
            let form =
                if is_name { same.min_by_key(length) } else { same.max_by_key(length) }.unwrap_or(form);
            let stems = self.pack.analyze(&form.text, &[]).content;
            // The score of one text, times the weights of all.
            let score = self.day.score(stem, 1) * focus.factor(stem);
            Some(SharedTopic { form, noun: phrase.forms.last()?, stem, stems, is_name, weights, score })
        };
        let mut topics: Vec<SharedTopic<'t>> = by_stem.into_iter().filter_map(topic).collect();
        // The map is sorted by stem, and the sort is stable: ties go by stem.
        topics.sort_by(|a, b| b.rank().total_cmp(&a.rank()));
        topics
    }

    /// Returns the name by the topic at `first`, and by another one if that alone says too little. `texts` are those of
    /// the group.
    fn title(&self, topics: &[SharedTopic<'_>], first: usize, texts: &[&str]) -> String {
        let Some(mut first) = topics.get(first) else { return String::new() };
        // "7 pence and blankets": an amount alone belongs to what its own text tells of.
        let fits = |one: &SharedTopic<'_>, other: &SharedTopic<'_>| {
            !(one.is_amount() || other.is_amount()) || one.meets(other)
        };
        if first.is_amount() {
            first = topics.iter().find(|topic| !topic.is_amount()).unwrap_or(first);
        }
        // "Odo's fever" says more than "Odo".
        let says_more = |other: &&SharedTopic<'_>| {
            let least = if first.is_name { first.covered() / 2 } else { first.covered() };
            let is_other = other.stem != first.stem && other.says(first.stem);
            is_other && other.covered() >= least && 2.5 * other.rank() >= first.rank()
        };
        if let Some(more) = topics.iter().find(says_more) {
            first = more;
        }
        let second = first.wants_more().and_then(|least| {
            let others = topics.iter().filter(|other| {
                let is_apart = !first.says(other.stem) && !other.says(first.stem);
                is_apart && fits(first, other) && !first.is_one_name_with(other, texts)
            });
            let ranked =
                others.map(|other| (other.rank_beside(first), other)).filter(|(rank, _)| *rank > 0.0);
            let best = ranked.reduce(|best, next| if next.0 > best.0 { next } else { best });
            best.map(|(_, other)| other).filter(|other| other.covered() >= least)
        });
        // People come first: "Joss and the axle".
        let mut parts: Vec<&SharedTopic<'_>> = std::iter::once(first).chain(second).collect();
        parts.sort_by_key(|topic| !topic.is_name);
        let join = |forms: Vec<&str>| self.pack.title(&forms);
        let title = join(parts.iter().map(|topic| topic.form.named.as_str()).collect());
        if title.chars().count() <= MAX_TITLE_CHARS {
            title
        } else {
            join(parts.iter().map(|topic| topic.noun.text.as_str()).collect())
        }
    }
}

/// Returns how much each text of the group is about a topic.
fn weights(stem: &str, mentions: &[(usize, &TopicPhrase)], group: &[(&str, &Analysis)]) -> Vec<f64> {
    let weight = |at: usize, analysis: &Analysis| {
        let in_text = || mentions.iter().filter(|(text, _)| *text == at);
        let is_within = || analysis.content.iter().any(|content| content == stem);
        if in_text().any(|(_, phrase)| phrase.is_central) {
            CENTRAL
        } else if in_text().next().is_some() {
            BESIDE
        } else if is_within() {
            WITHIN
        } else {
            0.0
        }
    };
    group.iter().enumerate().map(|(at, (_, analysis))| weight(at, analysis)).collect()
}

/// Stems that the named text says, those that it says first among them.
struct Focus {
    is_told: bool,
    first: Vec<String>,
    all: Vec<String>,
}

impl Focus {
    fn of(told: Option<&str>, pack: &dyn LanguagePack) -> Self {
        let text = told.unwrap_or_default();
        let first = pack.sentences(text).first().and_then(|span| text.get(span.clone())).unwrap_or_default();
        let stems = |text: &str| pack.analyze(text, &[]).content;
        Self { is_told: told.is_some(), first: stems(first), all: stems(text) }
    }

    fn factor(&self, stem: &str) -> f64 {
        let says = |stems: &[String]| stems.iter().any(|said| said == stem);
        match self.is_told {
            false => 1.0,
            true if says(&self.first) => 3.0,
            true if says(&self.all) => 1.0,
            true => 0.3,
        }
    }
}

/// Topic of a group of texts.
struct SharedTopic<'t> {
    /// Form by which the group speaks of it.
    form: &'t TopicForm,
    /// The noun alone.
    noun: &'t TopicForm,
    /// Stem of the noun.
    stem: &'t str,
    /// Stems of the form.
    stems: Vec<String>,
    is_name: bool,
    /// Weight of it in each text of the group.
    weights: Vec<f64>,
    /// Rareness in the day.
    score: f64,
}

impl SharedTopic<'_> {
    fn says(&self, stem: &str) -> bool {
        self.stem == stem || self.stems.iter().any(|said| said == stem)
    }

    fn rank(&self) -> f64 {
        self.score * self.weights.iter().sum::<f64>()
    }

    /// Returns the rank as the second topic of a name: what the first one does not cover counts most, and what
    /// several texts share. Of two names the second says less than a thing, and so does an amount.
    fn rank_beside(&self, first: &Self) -> f64 {
        let weights = self.weights.iter().zip(&first.weights);
        let sum: f64 = weights.map(|(own, known)| if *known > 0.0 { COVERED * own } else { *own }).sum();
        let says_less = (self.is_name && first.is_name) || !self.form.stands_alone;
        let is_common = self.covered() > 1;
        self.score * sum * if says_less { 0.6 } else { 1.0 } * if is_common { 1.5 } else { 1.0 }
    }

    fn is_amount(&self) -> bool {
        self.form.text.starts_with(|c: char| c.is_ascii_digit())
    }

    /// True if a text has both topics.
    fn meets(&self, other: &Self) -> bool {
        self.weights.iter().zip(&other.weights).any(|(own, of_other)| *own > 0.0 && *of_other > 0.0)
    }

    /// True for two parts of one name: "Kit" and "Farrow".
    fn is_one_name_with(&self, other: &Self, texts: &[&str]) -> bool {
        let (one, other_name) = (&self.noun.text, &other.noun.text);
        let both = [format!("{one} {other_name}"), format!("{other_name} {one}")];
        self.is_name && other.is_name && texts.iter().any(|text| both.iter().any(|name| text.contains(name)))
    }

    fn covered(&self) -> usize {
        self.weights.iter().filter(|weight| **weight > 0.0).count()
    }

    /// True if several texts, and not too few of all, share it.
    fn is_shared(&self, texts: usize) -> bool {
        let covered = self.covered();
        texts == 1 || (covered > 1 && 3 * covered >= texts && self.weights.iter().sum::<f64>() >= SHARED)
    }

    /// Returns the number of texts that a second topic must cover, if one is wanted: a person or an amount
    /// alone says little, and so does what only a part of the texts is about.
    fn wants_more(&self) -> Option<usize> {
        let (covered, texts) = (self.covered(), self.weights.len());
        let is_full = self.stems.len() > 1 && 3 * covered >= 2 * texts;
        match (self.is_name, covered == texts) {
            _ if self.is_amount() => Some(1),
            (true, _) => Some(if self.stems.len() == 1 { 1 } else { 2 }),
            _ if is_full => None,
            (_, true) => Some(2),
            (_, false) => Some(1),
        }
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

/// Words of a group of texts, as far as they say something: in how many of its texts each occurs.
struct GroupWords<'a>(BTreeMap<&'a str, WordUse>);

struct WordUse {
    texts: usize,
    function: bool,
    last: usize,
}

impl<'a> GroupWords<'a> {
    fn of(group: &[(&str, &'a Analysis)]) -> Self {
        let mut words: BTreeMap<&str, WordUse> = BTreeMap::new();
        for (at, (_, analysis)) in group.iter().enumerate() {
            for token in &analysis.tokens {
                let new = WordUse { texts: 0, function: token.function, last: usize::MAX };
                let word = words.entry(&token.lower).or_insert(new);
                word.texts += usize::from(word.last != at);
                word.last = at;
            }
        }
        Self(words)
    }

    /// True if each word of a phrase is in several texts of the group, or says nothing by itself.
    fn are_common(&self, phrase: &str, noun: &str) -> bool {
        phrase.split(|c: char| c.is_whitespace() || c == '-').all(|written| {
            let lower = written.to_lowercase();
            let word = lower.trim_end_matches("'s").trim_end_matches("\u{2019}s");
            noun.to_lowercase() == lower
                || self.0.get(word).is_some_and(|word| word.function || word.texts > 1)
        })
    }

    /// Returns the form by which the group speaks of a thing, and a phrase that has it: the longest that two
    /// mentions share, or whose words the group has in common, or that of the only mention that says more than the
    /// noun; otherwise the noun alone.
    fn common_form<'t>(
        &self,
        mentions: &[(usize, &'t TopicPhrase)],
    ) -> Option<(&'t TopicForm, &'t TopicPhrase)> {
        let same = |a: &TopicForm, b: &TopicForm| a.text.to_lowercase() == b.text.to_lowercase();
        let holds = |phrase: &TopicPhrase, form: &TopicForm| phrase.forms.iter().any(|one| same(one, form));
        let texts_with = |is_in: &dyn Fn(&TopicPhrase) -> bool| {
            let mut texts: Vec<usize> =
                mentions.iter().filter(|(_, phrase)| is_in(phrase)).map(|(at, _)| *at).collect();
            texts.dedup();
            texts.len()
        };
        let all = texts_with(&|_| true);
        let is_shared = |form: &TopicForm| {
            let sharing = texts_with(&|phrase| holds(phrase, form));
            sharing > 1 && 3 * sharing >= all
        };
        let forms =
            || mentions.iter().flat_map(|(_, phrase)| phrase.forms.iter().map(move |form| (form, *phrase)));
        let is_noun = |form: &TopicForm, phrase: &TopicPhrase| phrase.forms.last() == Some(form);
        let longer = || forms().filter(|(form, phrase)| !is_noun(form, phrase));
        // Of equally long forms the first.
        let longest = |found: &mut dyn Iterator<Item = (&'t TopicForm, &'t TopicPhrase)>| {
            found.reduce(|best, next| if next.0.text.len() > best.0.text.len() { next } else { best })
        };
        let common = |(form, phrase): &(&TopicForm, &TopicPhrase)| {
            form.stands_alone && self.are_common(&form.text, &phrase.forms.last().unwrap_or(form).text)
        };
        let only = || {
            let mut whole = mentions.iter().filter(|(_, phrase)| phrase.forms.len() > 1);
            let (_, phrase) = whole.next()?;
            let form = phrase.forms.iter().find(|form| form.stands_alone)?;
            whole.all(|(_, other)| holds(other, form)).then_some((form, *phrase))
        };
        longest(&mut longer().filter(|(form, _)| is_shared(form)))
            .or_else(|| longest(&mut longer().filter(common)))
            .or_else(only)
            .or_else(|| forms().find(|(form, phrase)| is_noun(form, phrase)))
    }
}

#[cfg(test)]
mod tests;

//! Typed records: what similar memories of several days teach.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{Distillate, DistillationSources, ReflectionKind, ReflectionSource};

use super::{
    subjects::{Subject, people},
    timeline::Timeline,
    wording::{span, times},
};
use crate::{
    lexicon::{
        WordClass, is_reported_by,
        wordnet::{PartOfSpeech, lemmas},
    },
    synthesize::{
        check::{is_first_person, is_grounded},
        phrase::{end_sentence, inside_sentence, upper_first},
    },
    text::{Analysis, Token, names_in, part, sentences, tokens},
};

/// Minimum share of the memories that have the subject in common, or that show what the record is about.
const MIN_SHARE: f64 = 0.75;
/// Minimum strength of a feeling that counts as good or bad.
const MIN_FEELING: f32 = 0.15;
/// Number of memories that a record tells in their own words.
const MAX_TOLD: usize = 3;
/// Maximum number of words of a thing.
const MAX_WORDS: usize = 3;
/// Number of words among which the NPC is named in a memory of what it did.
const MAX_OPENING_WORDS: usize = 4;
/// Maximum number of characters of a record.
const MAX_CHARS: usize = 420;

/// Returns for each group at most one record: a caution if most of its memories tell of trouble, a preference if the
/// NPC likes it, a skill if it practises, otherwise what it knows of a person or a place, or a pattern.
pub(crate) fn distillates(sources: &DistillationSources<'_>) -> Vec<Distillate> {
    let life = Timeline::of_known(sources.known, sources.own_name);
    let groups = sources.groups.iter().filter(|group| group.iter().all(|&at| at < life.seen.len()));
    groups.filter_map(|group| Episodes::of(&life, sources, group)?.distillate()).collect()
}

/// Similar memories, one of each occasion, with what they have in common.
struct Episodes<'a> {
    life: &'a Timeline<'a>,
    /// Memories in order of time.
    members: Vec<usize>,
    subject: Subject,
    is_place: bool,
    min_days: usize,
}

impl<'a> Episodes<'a> {
    fn of(life: &'a Timeline<'a>, sources: &DistillationSources<'_>, group: &[usize]) -> Option<Self> {
        let members = life.occasions(group);
        let (subject, is_place) = subject(life, sources, &members)?;
        Some(Self { life, members, subject, is_place, min_days: sources.min_days })
    }

    fn distillate(&self) -> Option<Distillate> {
        let kinds = [ReflectionKind::Caution, ReflectionKind::Preference, ReflectionKind::Skill];
        let (kind, shown) = kinds
            .into_iter()
            .map(|kind| (kind, self.members.iter().copied().filter(|&at| self.shows(at, kind)).collect()))
            .find(|(_, shown): &(_, Vec<usize>)| is_most(shown.len(), self.members.len()))
            .unwrap_or_else(|| (self.kind_of_subject(), self.members.clone()));
        let is_lived = match kind {
            ReflectionKind::Pattern => is_most(self.count(&shown, Self::is_own), shown.len()),
            ReflectionKind::Caution => is_most(self.count(&shown, Self::is_first_hand), shown.len()),
            _ => true,
        };
        if !is_lived {
            return None;
        }
        if shown.len() < self.min_days || self.life.days(&shown) < self.min_days {
            return None;
        }
        let against = self.occasions_against(kind, &shown);
        let told = self.told(&shown)?;
        let lead = self.lead(kind, &shown, against);
        let text = (1..=told.len())
            .rev()
            .map(|most| {
                // What is counted and not told is not passed off as told.
                let is_counted = !matches!(kind, ReflectionKind::Person | ReflectionKind::Place);
                let opening = if is_counted && most < shown.len() { ". I think of this:" } else { ":" };
                format!("{lead}{opening} {}", ends_of(&told, most).join("; "))
            })
            .find(|text| text.chars().count() <= MAX_CHARS)?;
        let sources: Vec<&Analysis> = shown.iter().map(|&at| self.life.analysis(at)).collect();
        let is_sound = is_first_person(&text)
            && told
                .iter()
                .chain([&self.subject.phrase])
                .all(|told| is_grounded(told, &sources, self.life.own));
        is_sound.then(|| Distillate {
            kind,
            subject: self.subject.phrase.clone(),
            text: end_sentence(&text),
            occasions: shown.len(),
            of: shown.len() + against,
            sources: shown,
        })
    }

    /// Returns the number of other occasions with the subject; of a caution, preference or skill only those that do not
    /// show it: what shows it and is not alike enough to be told counts neither for nor against it.
    fn occasions_against(&self, kind: ReflectionKind, shown: &[usize]) -> usize {
        let with_subject: Vec<usize> =
            (0..self.life.seen.len()).filter(|&at| self.subject.is_in(&self.life.seen[at])).collect();
        let occasions = self.life.occasions(&with_subject);
        match kind {
            ReflectionKind::Caution | ReflectionKind::Preference | ReflectionKind::Skill => {
                occasions.into_iter().filter(|at| !shown.contains(at) && !self.shows(*at, kind)).count()
            }
            _ => occasions.len().saturating_sub(shown.len()),
        }
    }

    /// Returns the number of memories for which this holds.
    fn count(&self, shown: &[usize], holds: fn(&Self, usize) -> bool) -> usize {
        shown.iter().filter(|&&at| holds(self, at)).count()
    }

    /// True for a memory of what the NPC itself did or met with.
    fn is_own(&self, at: usize) -> bool {
        let opening = self.life.analysis(at).tokens.iter().take(MAX_OPENING_WORDS);
        self.is_first_hand(at) && opening.clone().any(|t| t.speaker)
    }

    /// True unless a memory tells what was heard or said.
    fn is_first_hand(&self, at: usize) -> bool {
        !self
            .life
            .analysis(at)
            .tokens
            .iter()
            .any(|t| WordClass::Hearing.has(&t.stem) || is_reported_by(&t.lower))
    }

    fn kind_of_subject(&self) -> ReflectionKind {
        match () {
            () if self.subject.is_person => ReflectionKind::Person,
            () if self.is_place => ReflectionKind::Place,
            () => ReflectionKind::Pattern,
        }
    }

    /// True if a memory tells of trouble, of liking or of practice.
    fn shows(&self, at: usize, kind: ReflectionKind) -> bool {
        let seen = &self.life.seen[at];
        let has = |class: WordClass| {
            seen.analysis.negations == 0 && seen.analysis.tokens.iter().any(|t| class.has(&t.lower))
        };
        let is_own = || seen.analysis.tokens.iter().any(|t| t.speaker);
        match kind {
            ReflectionKind::Caution => {
                seen.feeling <= -MIN_FEELING || seen.feeling < MIN_FEELING && has(WordClass::Trouble)
            }
            ReflectionKind::Preference => {
                !self.subject.is_person && seen.feeling > -MIN_FEELING && is_own() && has(WordClass::Liking)
            }
            ReflectionKind::Skill => !self.subject.is_person && is_own() && has(WordClass::Practice),
            _ => true,
        }
    }

    fn lead(&self, kind: ReflectionKind, shown: &[usize], against: usize) -> String {
        let phrase = &self.subject.phrase;
        // What was not kept is not counted.
        let counted = format!("At least {} in {}", times(shown.len()), span(self.life.span(shown)));
        let otherwise = match against {
            0 => String::new(),
            count => format!(", and {} I had none", times(count)),
        };
        match kind {
            ReflectionKind::Caution => format!("{counted} I had trouble with {phrase}{otherwise}"),
            ReflectionKind::Preference => format!("{counted} I was glad of {phrase}"),
            ReflectionKind::Skill => format!("{counted} I worked at {phrase}"),
            ReflectionKind::Person | ReflectionKind::Place => format!("This I remember of {phrase}"),
            _ => format!("{counted} I had to do with {phrase}"),
        }
    }

    /// Returns what memories say of the subject, in order of time, without what others say already.
    fn told(&self, shown: &[usize]) -> Option<Vec<String>> {
        let mut told: Vec<String> = Vec::new();
        for &at in shown {
            let noted = || self.life.noted(at).filter(|note| self.subject.is_told_by(note));
            let said = match self.life.told(at) {
                Some(text) if sentences(&text).count() == 1 => {
                    Some(text).filter(|text| self.subject.is_told_by(text))
                }
                _ => self.life.statement_on(at, &self.subject).or_else(noted),
            };
            // "Only three doses are left" holds until the next memory of it.
            let is_latest = Some(&at) == shown.last();
            let fits = |said: &String| !is_open(said, &self.subject) && (is_latest || !tells_state(said));
            if let Some(said) = said.filter(fits).filter(|said| !told.contains(said)) {
                let opens = told.is_empty();
                let analysis = self.life.analysis(at);
                told.push(if opens { said } else { inside_sentence(&said, analysis) });
            }
        }
        (told.len() > 1).then(|| ends_of(&told, MAX_TOLD))
    }
}

/// True for a statement of what is, can be or will be.
fn tells_state(said: &str) -> bool {
    tokens(said).iter().take(MAX_OPENING_WORDS + 3).any(|t| {
        WordClass::BePresent.has(&t.lower)
            || WordClass::HavePresent.has(&t.lower)
            || WordClass::PresentModal.has(&t.lower)
            || WordClass::Future.has(&t.lower)
            || WordClass::Hedge.has(&t.lower)
            || matches!(t.lower.as_str(), "hope" | "wonder" | "costs")
    })
}

/// True if a statement points to what another one tells: "Tom accepted it", "the same man".
fn is_open(said: &str, subject: &Subject) -> bool {
    let mut knows = false;
    tokens(said).iter().any(|t| {
        let points = matches!(t.lower.as_str(), "it" | "they" | "them" | "same" | "both");
        knows |= t.names_theme && !t.capital && !subject.words.contains(&t.stem);
        t.lower == "same" || points && !knows
    })
}

fn is_most(count: usize, of: usize) -> bool {
    count as f64 >= MIN_SHARE * of as f64
}

/// Returns the first of some texts and the last ones, `most` in all.
fn ends_of(told: &[String], most: usize) -> Vec<String> {
    let last = told.len().saturating_sub(most.saturating_sub(1)).max(1);
    let first = told.first().into_iter();
    first.chain(told.get(last..).unwrap_or_default()).cloned().collect()
}

/// Returns who or what most of some memories have in common, and if it is a place.
fn subject(
    life: &Timeline<'_>,
    sources: &DistillationSources<'_>,
    members: &[usize],
) -> Option<(Subject, bool)> {
    let told: Vec<ReflectionSource<'_>> = members.iter().map(|&at| reflection_source(life, at)).collect();
    let everybody: Vec<&str> =
        sources.known.iter().flat_map(|source| source.actors).map(String::as_str).collect();
    let covered = |subject: &Subject| members.iter().filter(|&&at| subject.is_in(&life.seen[at])).count();
    let is_shared = |subject: &Subject| is_most(covered(subject), members.len());
    // Trouble with the axle is no trouble with whoever talks of it: things come first, if all share one.
    let names: BTreeSet<String> = names_in(everybody.iter().copied()).collect();
    let thing = thing(life, members, &names);
    let is_of_all = |subject: &Subject| covered(subject) == members.len();
    let person = || people(&told, life.own, &everybody).into_iter().find(is_shared);
    let subject = match thing {
        Some(thing) if is_of_all(&thing) => thing,
        thing => person().or(thing)?,
    };
    let is_place = {
        let is_at = |at: &&usize| {
            let place = sources.known[**at].place.map(tokens).unwrap_or_default();
            !place.is_empty() && subject.words.iter().all(|word| place.iter().any(|t| t.stem == *word))
        };
        !subject.is_person && is_most(members.iter().filter(is_at).count(), members.len())
    };
    Some((subject, is_place))
}

fn reflection_source<'a>(life: &'a Timeline<'_>, at: usize) -> ReflectionSource<'a> {
    let seen = &life.seen[at];
    ReflectionSource {
        row: at,
        text: seen.text,
        analysis: &seen.analysis,
        kind: seen.kind,
        importance: seen.importance,
        feeling: seen.feeling,
        actors: seen.actors,
        at: seen.at,
        vector: &[],
    }
}

/// Returns the thing that most of some memories name in the same words, the one with most words. `names` are words of
/// people's names, which name no thing.
fn thing(life: &Timeline<'_>, members: &[usize], names: &BTreeSet<String>) -> Option<Subject> {
    // By stems: the memories that have them beside each other, and the longest form in which one writes them.
    let mut found: BTreeMap<Vec<String>, (Vec<usize>, String)> = BTreeMap::new();
    for &at in members {
        let seen = &life.seen[at];
        let words = &seen.analysis.tokens;
        let runs = (0..words.len()).flat_map(|from| (1..=MAX_WORDS).map(move |length| from..from + length));
        for run in runs {
            let is_of_person = |t: &Token| names.contains(&t.lower) || life.own.names.contains(&t.lower);
            let may_name = |run: &&[Token]| may_name_thing(run, seen.text) && !run.iter().any(is_of_person);
            let Some(named) = words.get(run.clone()).filter(may_name) else { continue };
            let stems = named.iter().map(|t| t.stem.clone()).collect();
            let (holders, written) = found.entry(stems).or_default();
            if holders.last() != Some(&at) {
                holders.push(at);
            }
            // The form with an article says most: "the sauce" rather than "sauce".
            let form = as_written(words, run.start, named, seen.text);
            if form.chars().count() > written.chars().count() {
                *written = form;
            }
        }
    }
    let shared = found.into_iter().filter(|(_, (holders, _))| is_most(holders.len(), members.len()));
    let (words, (_, phrase)) = shared.max_by_key(|(stems, (holders, _))| (holders.len(), stems.len()))?;
    let phrase = if is_name(life, &words) { upper_first(&phrase) } else { phrase };
    Some(Subject { phrase, words, is_person: false, is_measure: false, members: Vec::new() })
}

/// True for a word that has a capital wherever it stands inside a sentence: "Button" the mule.
fn is_name(life: &Timeline<'_>, stems: &[String]) -> bool {
    let [stem] = stems else { return false };
    let tokens = life.seen.iter().flat_map(|seen| &seen.analysis.tokens);
    let mut inside = tokens.filter(|t| t.stem == *stem && !t.starts_sentence).peekable();
    inside.peek().is_some() && inside.all(|t| t.capital)
}

/// True for words beside each other of which the last one may be the noun of a thing.
fn may_name_thing(words: &[Token], text: &str) -> bool {
    let are_adjacent = words.windows(2).all(|pair| part(text, pair[0].end..pair[1].start) == " ");
    let says_something = |t: &Token| {
        t.names_theme
            && ![WordClass::Trouble, WordClass::Time, WordClass::Money, WordClass::Measure]
                .iter()
                .any(|class| class.has(&t.lower))
    };
    let is_noun = |t: &Token| {
        let known = lemmas(&t.lower);
        known.is_empty() || known.iter().any(|lemma| lemma.part == PartOfSpeech::Noun)
    };
    // "The auth middleware failed": a form that is a verb too names nothing behind another noun.
    let is_verb = |t: &Token| {
        let ends = t.lower.ends_with("ed") || t.lower.ends_with("ing");
        ends && lemmas(&t.lower).iter().any(|lemma| lemma.part == PartOfSpeech::Verb)
    };
    are_adjacent
        && words.iter().all(says_something)
        && words.last().is_some_and(|t| is_noun(t) && !is_verb(t))
}

/// Returns words as written inside a sentence, with the article before them.
fn as_written(all: &[Token], from: usize, named: &[Token], text: &str) -> String {
    let mut words: Vec<String> = named
        .iter()
        .map(|t| if t.starts_sentence { t.lower.clone() } else { t.word(text).to_owned() })
        .collect();
    if let Some(article) = article_before(all, from, text) {
        words.insert(0, article.to_owned());
    }
    words.join(" ")
}

/// Returns the article of a noun phrase to which a word belongs: "my" and "our" stay, whatever else makes it one of
/// several, or somebody's, becomes "the".
fn article_before<'t>(all: &'t [Token], at: usize, text: &str) -> Option<&'t str> {
    let mut behind = all.get(at)?;
    for before in all.get(..at)?.iter().rev() {
        if part(text, before.end..behind.start) != " " {
            return None;
        }
        if before.number
            || WordClass::Determiner.has(&before.lower)
            || WordClass::Possessive.has(&before.lower)
        {
            let is_own = matches!(before.lower.as_str(), "my" | "our");
            return Some(if is_own { before.lower.as_str() } else { "the" });
        }
        if before.function || before.negation {
            return None;
        }
        behind = before;
    }
    None
}

#[cfg(test)]
mod tests;

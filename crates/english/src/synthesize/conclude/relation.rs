//! Relations of people to the NPC, by their acts: help, harm, promises, and things told.

use nightfold_memory::{Meaning, ReflectionKind};

use super::{
    Candidate,
    life::Life,
    subjects::Subject,
    wording::{span, times},
};
use crate::{
    lexicon::{
        WordClass, is_reported_by,
        wordnet::{self, PartOfSpeech},
    },
    meaning::meanings,
    text::{Token, analyze, jaccard, tokens},
};

/// Minimum number of acts of one kind.
const MIN_ACTS: usize = 2;
/// Minimum number of times that somebody told something.
const MIN_TOLD: usize = 3;
/// Minimum importance of the memory of an act.
const MIN_IMPORTANCE: u8 = 3;
/// Number of words behind the verb among which the NPC is named.
const REACH: usize = 4;
/// Overlap of content (Jaccard) from which two acts are one.
const MAX_OVERLAP: f64 = 0.5;
const WEIGHT: u32 = 18;

/// Kind of an act towards the NPC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Helps,
    Harms,
    Promises,
    Tells,
}

pub(super) fn candidates(life: &Life<'_>) -> Vec<Candidate> {
    let people = || life.subjects.iter().filter(|subject| subject.is_person);
    let acts = [Act::Helps, Act::Harms, Act::Promises, Act::Tells];
    acts.into_iter()
        .flat_map(|act| people().filter_map(move |subject| candidate(life, subject, act)))
        .collect()
}

/// An act of somebody towards the NPC.
struct Deed {
    at: usize,
    said: String,
    act: Act,
}

fn candidate(life: &Life<'_>, subject: &Subject, act: Act) -> Option<Candidate> {
    let all = deeds(life, subject);
    let same: Vec<&Deed> = all.iter().filter(|deed| deed.act == act).collect();
    let least = if act == Act::Tells { MIN_TOLD } else { MIN_ACTS };
    let (first, newest) = (same.first()?, same.last().filter(|deed| life.is_of_today(deed.at))?);
    // Who does good and harm is neither good nor bad to the NPC.
    let against = match act {
        Act::Helps => all.iter().filter(|deed| deed.act == Act::Harms).count(),
        Act::Harms => all.iter().filter(|deed| deed.act == Act::Helps).count(),
        Act::Promises | Act::Tells => 0,
    };
    if same.len() < least || against > 0 {
        return None;
    }
    let seen: Vec<usize> = same.iter().map(|deed| deed.at).collect();
    let days = life.span(&seen);
    let within = if days > 1 { format!("in {}", span(days)) } else { "today".to_owned() };
    let (name, counted) = (&subject.phrase, times(same.len()));
    let text = match act {
        Act::Helps => {
            format!("{name} is good to me, {counted} {within}: {}; and {}", first.said, newest.said)
        }
        Act::Harms => {
            format!("{name} does me harm, {counted} {within}: {}; and {}", first.said, newest.said)
        }
        Act::Promises => {
            format!("I have more than one promise of {name}: {}; and {}", first.said, newest.said)
        }
        Act::Tells => format!(
            "It is {name} from whom I hear things, {counted} {within}. The latest is that {}",
            newest.said
        ),
    };
    let told = if act == Act::Tells { vec![] } else { vec![first.said.clone()] };
    Some(Candidate {
        form: "relation",
        kind: ReflectionKind::Social,
        text,
        told: told.into_iter().chain([name.clone(), newest.said.clone()]).collect(),
        occasions: same.len(),
        of: all.len(),
        about: subject.words.clone(),
        weight: WEIGHT + 2 * same.len().min(4) as u32 - if act == Act::Tells { 8 } else { 0 },
        seen,
    })
}

/// Returns the acts of a person towards the NPC, one of each occasion, without those that say the same.
fn deeds(life: &Life<'_>, subject: &Subject) -> Vec<Deed> {
    let mut done: Vec<Deed> = Vec::new();
    for &at in subject.members.iter().filter(|&&at| life.seen[at].importance >= MIN_IMPORTANCE) {
        let found =
            life.statements(at).iter().find_map(|said| Some((act_on_me(said, subject)?, said.clone())));
        let Some((act, said)) = found else { continue };
        let again = done.iter().any(|deed| {
            jaccard(&analyze(&deed.said, []).content, &analyze(&said, []).content) >= MAX_OVERLAP
        });
        if !again {
            done.push(Deed { at, said, act });
        }
    }
    let occasions = life.occasions(&done.iter().map(|deed| deed.at).collect::<Vec<_>>());
    done.retain(|deed| occasions.contains(&deed.at));
    done
}

/// Returns what the person does to or for the NPC in a statement that begins with the person.
fn act_on_me(said: &str, subject: &Subject) -> Option<Act> {
    let words = tokens(said);
    let named = words.iter().take_while(|t| t.capital && !t.speaker).count();
    let is_subject = words.iter().take(named).any(|t| subject.words.contains(&t.lower));
    let verb = words.get(named).filter(|verb| is_subject && is_verb(verb))?;
    let behind = words.get(named + 1..)?;
    let on_me = behind.iter().take(REACH).any(|t| matches!(t.lower.as_str(), "me" | "us" | "my" | "our"));
    let is_denied = words.iter().any(|t| t.negation);
    let forms = wordnet::lemmas(&verb.lower);
    let is = |listed: fn(&str) -> bool| {
        forms.iter().any(|lemma| lemma.part == PartOfSpeech::Verb && listed(lemma.word))
    };
    match () {
        () if !on_me || is_denied => None,
        () if is(promises) => Some(Act::Promises),
        () if is_reported_by(&verb.lower) || is(|lemma| WordClass::Speech.has(lemma)) => Some(Act::Tells),
        () if is(harms) || meanings(said).contains(&Meaning::Harm) => Some(Act::Harms),
        () if is(helps) => Some(Act::Helps),
        () => None,
    }
}

fn is_verb(token: &Token) -> bool {
    !token.capital
        && !token.number
        && !token.lower.ends_with("ing")
        && wordnet::lemmas(&token.lower).iter().any(|lemma| lemma.part == PartOfSpeech::Verb)
}

/// True for a verb by which somebody gets something good or is spared something.
fn helps(lemma: &str) -> bool {
    matches!(
        lemma,
        "give"
            | "bring"
            | "lend"
            | "help"
            | "save"
            | "feed"
            | "thank"
            | "praise"
            | "comfort"
            | "heal"
            | "gift"
    )
}

fn harms(lemma: &str) -> bool {
    matches!(
        lemma,
        "hit"
            | "strike"
            | "beat"
            | "cheat"
            | "insult"
            | "mock"
            | "rob"
            | "threaten"
            | "hurt"
            | "wound"
            | "curse"
    )
}

fn promises(lemma: &str) -> bool {
    matches!(lemma, "promise" | "swear" | "vow")
}

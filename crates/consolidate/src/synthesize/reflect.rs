//! Insights by rules: first person, from what happened, in its own words.

use nightfold_memory::{Kind, ReflectionKind};

use super::phrase::{inside, stop};
use crate::text::{Analysis, bare, split_sentences};

/// A memory that an insight may rest on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ground<'a> {
    pub(crate) row: usize,
    pub(crate) text: &'a str,
    pub(crate) analysis: &'a Analysis,
    pub(crate) kind: Kind,
    pub(crate) importance: u8,
    /// −1 to 1, times intensity.
    pub(crate) feeling: f32,
    pub(crate) actors: &'a [String],
}

/// An insight before it has a vector.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Insight {
    pub(crate) kind: ReflectionKind,
    pub(crate) text: String,
    /// Rows it rests on, in order of time.
    pub(crate) cites: Vec<usize>,
}

/// Longer sentences are no insight but a report.
const SENTENCE_CHARS: usize = 160;
/// Someone must be in this many memories to be on the NPC's mind.
const ON_MY_MIND: usize = 3;
/// A feeling this strong colours what is said.
const FELT: f32 = 0.1;

/// Up to `slots` insights from memories of one theme in order of time, the most telling kinds first.
pub(crate) fn reflect(grounds: &[Ground<'_>], own: &Analysis, slots: usize) -> Vec<Insight> {
    let mut found: Vec<Insight> = [causal(grounds), social(grounds, own), oneself(grounds), pattern(grounds)]
        .into_iter()
        .flatten()
        .collect();
    // Two insights from the same memories are one insight said twice.
    let mut kept: Vec<Insight> = Vec::new();
    found.retain(|i| i.cites.len() >= 2);
    for insight in found {
        if kept.len() < slots && !kept.iter().any(|k| k.cites == insight.cites) {
            kept.push(insight);
        }
    }
    kept
}

/// One sentence of a memory, short enough to stand inside another.
fn sentence(ground: &Ground<'_>) -> Option<String> {
    let whole = bare(ground.text);
    let text = if whole.chars().count() <= SENTENCE_CHARS {
        whole
    } else {
        split_sentences(whole).into_iter().next().filter(|s| s.chars().count() <= SENTENCE_CHARS)?
    };
    // A sentence cut inside quoted speech would open quotes that nothing closes.
    let balanced = text.matches('"').count() % 2 == 0;
    balanced.then(|| inside(text, ground.analysis))
}

/// The most important grounds that can be said in a sentence, in order of time.
fn weightiest<'a, 'b>(
    grounds: impl Iterator<Item = &'b Ground<'a>>,
    most: usize,
) -> Vec<(&'b Ground<'a>, String)>
where
    'a: 'b,
{
    let mut sayable: Vec<_> = grounds.filter_map(|g| sentence(g).map(|s| (g, s))).collect();
    sayable.sort_by_key(|(g, _)| (std::cmp::Reverse(g.importance), g.row));
    sayable.truncate(most);
    sayable.sort_by_key(|(g, _)| g.row);
    sayable
}

fn rows(cited: &[(&Ground<'_>, String)]) -> Vec<usize> {
    cited.iter().map(|(g, _)| g.row).collect()
}

fn shared(a: &Analysis, b: &Analysis) -> usize {
    a.content.iter().filter(|w| b.content.binary_search(w).is_ok()).count()
}

/// "Because": where a memory says so itself, with the memory that shares most with it.
fn causal(grounds: &[Ground<'_>]) -> Option<Insight> {
    let says_why = |g: &&Ground<'_>| {
        g.analysis.tokens.iter().skip(1).any(|t| matches!(t.lower.as_str(), "because" | "since" | "whenever"))
    };
    let (why, reason) = weightiest(grounds.iter().filter(says_why), 1).into_iter().next()?;
    let (with, other) = grounds
        .iter()
        .filter(|g| g.row != why.row)
        .filter_map(|g| sentence(g).map(|s| (g, s)))
        .filter(|(g, _)| shared(g.analysis, why.analysis) >= 2)
        .max_by_key(|(g, _)| (shared(g.analysis, why.analysis), g.importance, std::cmp::Reverse(g.row)))?;
    let mut cites = vec![why.row, with.row];
    cites.sort_unstable();
    let text =
        stop(&format!("I begin to see why things go as they do: {reason}; and to that belongs that {other}"));
    Some(Insight { kind: ReflectionKind::Causal, text, cites })
}

/// Someone who is in much of what happened.
fn social(grounds: &[Ground<'_>], own: &Analysis) -> Option<Insight> {
    let mut people: Vec<(usize, &str)> = Vec::new();
    for actor in grounds.iter().flat_map(|g| g.actors) {
        let named = Analysis::new(actor, [actor.as_str()]);
        if people.iter().any(|(_, p)| p == actor) || named.names.iter().any(|n| own.names.contains(n)) {
            continue;
        }
        people.push((grounds.iter().filter(|g| about(g, &named)).count(), actor));
    }
    // Most often first; of equals the one met first.
    let (count, person) = people.into_iter().rev().max_by_key(|(count, _)| *count)?;
    if count < ON_MY_MIND {
        return None;
    }
    let named = Analysis::new(person, [person]);
    let cited = weightiest(grounds.iter().filter(|g| about(g, &named)), 2);
    let [(first, a), (second, b)] = cited.as_slice() else { return None };
    // The name as the memories write it: a full name may stand in none of them.
    let name = spoken_name(first, &named)?;
    let feeling = first.feeling + second.feeling;
    let opening = if feeling <= -FELT {
        format!("{name} weighs on me")
    } else if feeling >= FELT {
        format!("I am glad to have {name} about")
    } else {
        format!("My thoughts keep going back to {name}")
    };
    let text = stop(&format!("{opening}: {a}, and {b}"));
    Some(Insight { kind: ReflectionKind::Social, text, cites: rows(&cited) })
}

/// Whether the person is named in the text itself.
fn about(ground: &Ground<'_>, person: &Analysis) -> bool {
    spoken_name(ground, person).is_some()
}

fn spoken_name(ground: &Ground<'_>, person: &Analysis) -> Option<String> {
    let tokens = &ground.analysis.tokens;
    let is_part = |i: usize| tokens[i].capital && person.names.contains(&tokens[i].lower);
    let first = (0..tokens.len()).find(|&i| is_part(i))?;
    let last = (first..tokens.len()).take_while(|&i| is_part(i)).last()?;
    let name = &ground.text[tokens[first].start..tokens[last].end];
    Some(name.trim_end_matches("'s").trim_end_matches("\u{2019}s").to_owned())
}

/// A thought about oneself, with what gave rise to it.
fn oneself(grounds: &[Ground<'_>]) -> Option<Insight> {
    let inward = |g: &&Ground<'_>| {
        let mine = g
            .analysis
            .tokens
            .iter()
            .any(|t| matches!(t.lower.as_str(), "i" | "my" | "me" | "i'm" | "myself"));
        g.kind == Kind::Thought && mine && (g.feeling.abs() >= FELT || g.importance >= 4)
    };
    let (thought, said) = weightiest(grounds.iter().filter(inward), 1).into_iter().next()?;
    let (cause, happened) = grounds
        .iter()
        .filter(|g| g.row != thought.row && g.kind != Kind::Thought)
        .filter_map(|g| sentence(g).map(|s| (g, s)))
        .filter(|(g, _)| shared(g.analysis, thought.analysis) >= 1)
        .max_by_key(|(g, _)| {
            (shared(g.analysis, thought.analysis), g.importance, std::cmp::Reverse(g.row))
        })?;
    let mut cites = vec![thought.row, cause.row];
    cites.sort_unstable();
    let text = stop(&format!("I learn something about myself: when {happened}, what I think is that {said}"));
    Some(Insight { kind: ReflectionKind::Oneself, text, cites })
}

/// Something that went through the day from one end to the other.
fn pattern(grounds: &[Ground<'_>]) -> Option<Insight> {
    if grounds.len() < 3 {
        return None;
    }
    let cited = weightiest(grounds.iter(), 3);
    let [(_, first), (_, second), (_, third)] = cited.as_slice() else { return None };
    let text = stop(&format!("I see one thread in my day: {first}; then {second}; and in the end {third}"));
    Some(Insight { kind: ReflectionKind::Pattern, text, cites: rows(&cited) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_insight_cites_what_it_says_and_names_no_one_else() {
        let texts = [
            "Tom asked Joss for the 14 silver.",
            "Joss would not look at me, because he owes Tom 14 silver.",
            "Joss left without paying.",
        ];
        let analyses: Vec<_> = texts.iter().map(|t| Analysis::new(t, ["Joss Millard"])).collect();
        let actors = ["Joss Millard".to_owned()];
        let grounds: Vec<Ground<'_>> = texts
            .iter()
            .zip(&analyses)
            .enumerate()
            .map(|(row, (text, analysis))| Ground {
                row,
                text,
                analysis,
                kind: Kind::Event,
                importance: if row == 2 { 7 } else { 5 },
                feeling: -0.2,
                actors: &actors,
            })
            .collect();
        let insights = reflect(&grounds, &Analysis::new("Mara", ["Mara"]), 2);
        let kinds: Vec<_> = insights.iter().map(|i| i.kind).collect();
        assert_eq!(kinds, [ReflectionKind::Causal, ReflectionKind::Social]);
        for insight in &insights {
            assert!(insight.cites.len() >= 2);
            let said = Analysis::new(&insight.text, ["Joss", "Tom"]);
            assert!(said.names.iter().all(|n| n == "joss" || n == "tom"), "{}", insight.text);
        }
        assert!(insights[1].text.starts_with("Joss weighs on me"), "{}", insights[1].text);
    }
}

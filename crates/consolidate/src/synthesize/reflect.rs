//! Insights by rules: first person, from what happened, in its own words.

use nightfold_memory::{Kind, ReflectionKind};

use super::phrase::{inside, stop};
use crate::text::{Analysis, Token, bare, jaccard, split_sentences};

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
/// What a sentence that leans on the one before it begins with.
const DANGLING: &[&str] =
    &["and", "but", "he", "it", "or", "she", "so", "that", "then", "these", "they", "this", "those"];
/// Someone must be in this many memories to be on the NPC's mind.
const ON_MY_MIND: usize = 3;
/// Below this importance a reason is small talk.
const WORTH_A_REASON: u8 = 4;
/// A feeling this strong colours what is said.
const FELT: f32 = 0.1;
/// Sentences that share this much of their content (Jaccard) are one sentence said twice.
const ECHO: f64 = 0.6;

/// Up to `slots` insights from memories of one theme in order of time, the most telling kinds first. `people` are
/// the names of everyone met that day.
pub(crate) fn reflect(grounds: &[Ground<'_>], own: &Analysis, people: &[&str], slots: usize) -> Vec<Insight> {
    let found = [causal(grounds), social(grounds, own, people), oneself(grounds), pattern(grounds)];
    let mut kept: Vec<Insight> = Vec::new();
    for insight in found.into_iter().flatten() {
        // Two insights from the same memories are one insight said twice.
        if kept.len() < slots && insight.cites.len() >= 2 && !kept.iter().any(|k| k.cites == insight.cites) {
            kept.push(insight);
        }
    }
    kept
}

/// A memory that can be said inside a sentence: it is a single one itself, and short enough.
fn sentence(ground: &Ground<'_>) -> Option<String> {
    let text = bare(ground.text);
    // "She talks of nothing else": outside its day nobody knows who.
    let dangles = ground.analysis.tokens.first().is_none_or(|t| DANGLING.contains(&t.lower.as_str()));
    let sayable = text.chars().count() <= SENTENCE_CHARS && split_sentences(text).len() == 1 && !dangles;
    sayable.then(|| inside(text, ground.analysis))
}

/// The most important grounds that can be said in a sentence and do not repeat each other, in order of time.
fn weightiest<'a, 'b>(
    grounds: impl Iterator<Item = &'b Ground<'a>>,
    most: usize,
) -> Vec<(&'b Ground<'a>, String)>
where
    'a: 'b,
{
    let mut sayable: Vec<_> = grounds.filter_map(|g| sentence(g).map(|s| (g, s))).collect();
    sayable.sort_by_key(|(g, _)| (std::cmp::Reverse(g.importance), g.row));
    let mut chosen: Vec<(&Ground<'_>, String)> = Vec::new();
    for (ground, said) in sayable {
        let echoes =
            chosen.iter().any(|(c, _)| jaccard(&c.analysis.content, &ground.analysis.content) >= ECHO);
        if chosen.len() < most && !echoes {
            chosen.push((ground, said));
        }
    }
    chosen.sort_by_key(|(g, _)| g.row);
    chosen
}

fn rows(cited: &[(&Ground<'_>, String)]) -> Vec<usize> {
    cited.iter().map(|(g, _)| g.row).collect()
}

/// How many things both speak of.
fn shared(a: &Ground<'_>, b: &Ground<'_>) -> usize {
    a.analysis.content.iter().filter(|w| b.analysis.content.binary_search(w).is_ok()).count()
}

/// The other memory that speaks most of what this one speaks of, without repeating it.
fn companion<'a, 'b>(
    of: &Ground<'_>,
    grounds: impl Iterator<Item = &'b Ground<'a>>,
    least: usize,
) -> Option<(&'b Ground<'a>, String)>
where
    'a: 'b,
{
    grounds
        .filter(|g| g.row != of.row && shared(g, of) >= least)
        .filter(|g| jaccard(&g.analysis.content, &of.analysis.content) < ECHO)
        .filter_map(|g| sentence(g).map(|s| (g, s)))
        .max_by_key(|(g, _)| (shared(g, of), g.importance, std::cmp::Reverse(g.row)))
}

/// "Because": where a memory says so itself, put beside the memory that shares most with it.
fn causal(grounds: &[Ground<'_>]) -> Option<Insight> {
    let says_why = |g: &&Ground<'_>| g.importance >= WORTH_A_REASON && gives_reason(g.analysis);
    let (why, reason) = weightiest(grounds.iter().filter(says_why), 1).into_iter().next()?;
    let (with, other) = companion(why, grounds.iter(), 2)?;
    let mut cites = vec![why.row, with.row];
    cites.sort_unstable();
    let text = stop(&format!("I see a reason behind it: {reason}. I put that beside this: {other}"));
    Some(Insight { kind: ReflectionKind::Causal, text, cites })
}

/// "Because", but not "because of": a cause that is told, not only named.
fn gives_reason(analysis: &Analysis) -> bool {
    let words = &analysis.tokens;
    (1..words.len()).any(|i| match words[i].lower.as_str() {
        "because" => words.get(i + 1).is_some_and(|next| next.lower != "of"),
        "whenever" => true,
        _ => false,
    })
}

/// Someone who is in much of what happened.
fn social(grounds: &[Ground<'_>], own: &Analysis, people: &[&str]) -> Option<Insight> {
    let mut met: Vec<(usize, Vec<String>)> = Vec::new();
    for actor in grounds.iter().flat_map(|g| g.actors) {
        let called = called(actor, own, people);
        if !called.is_empty() && !met.iter().any(|(_, c)| *c == called) {
            met.push((grounds.iter().filter(|g| spoken_name(g, &called).is_some()).count(), called));
        }
    }
    // Most often first; of equals the one met first.
    let (count, called) = met.into_iter().rev().max_by_key(|(count, _)| *count)?;
    if count < ON_MY_MIND {
        return None;
    }
    let cited = weightiest(grounds.iter().filter(|g| spoken_name(g, &called).is_some()), 2);
    let [(first, a), (second, b)] = cited.as_slice() else { return None };
    let name = spoken_name(first, &called)?;
    // Both felt alike: then it is the matter that is felt so, not the person.
    let opening = if first.feeling <= -FELT && second.feeling <= -FELT {
        format!("What passed with {name} sits ill with me")
    } else if first.feeling >= FELT && second.feeling >= FELT {
        format!("What passed with {name} does me good")
    } else {
        format!("My thoughts keep going back to {name}")
    };
    let text = stop(&format!("{opening}: {a}; and {b}"));
    Some(Insight { kind: ReflectionKind::Social, text, cites: rows(&cited) })
}

/// The words of a person's name that call no one else: a family name is shared, a first name is not.
fn called(person: &str, own: &Analysis, people: &[&str]) -> Vec<String> {
    let words = |name: &str| -> Vec<String> { Analysis::new(name, [name]).names };
    let others: Vec<String> = people
        .iter()
        .filter(|p| **p != person)
        .flat_map(|p| words(p))
        .chain(own.names.iter().cloned())
        .collect();
    words(person).into_iter().filter(|w| !others.contains(w)).collect()
}

/// The name as the memory writes it: a full name may stand in none.
fn spoken_name(ground: &Ground<'_>, called: &[String]) -> Option<String> {
    let tokens = &ground.analysis.tokens;
    let at = tokens.iter().position(|t| t.capital && called.contains(&t.lower))?;
    let is_name = |t: &Token| t.capital && ground.analysis.names.binary_search(&t.lower).is_ok();
    // "Tom Aldous", and no further than the words follow each other with nothing but a space between.
    let mut last = at;
    while let Some(next) = tokens.get(last + 1)
        && is_name(next)
        && ground.text[tokens[last].end..next.start].trim().is_empty()
    {
        last += 1;
    }
    let name = &ground.text[tokens[at].start..tokens[last].end];
    Some(name.trim_end_matches("'s").trim_end_matches("\u{2019}s").to_owned())
}

/// A thought about oneself, beside what it has to do with.
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
    let (cause, happened) = companion(thought, grounds.iter().filter(|g| g.kind != Kind::Thought), 2)?;
    let mut cites = vec![thought.row, cause.row];
    cites.sort_unstable();
    let text = stop(&format!("I notice what stays with me: {said}. It goes with this: {happened}"));
    Some(Insight { kind: ReflectionKind::Oneself, text, cites })
}

/// Whether two memories are of one matter: they share someone, or two things beside.
fn one_matter(a: &Ground<'_>, b: &Ground<'_>) -> bool {
    let common = |x: &[String], y: &[String]| x.iter().filter(|w| y.binary_search(w).is_ok()).count();
    let things = common(&a.analysis.frame, &b.analysis.frame);
    things >= 2 || (things >= 1 && common(&a.analysis.names, &b.analysis.names) >= 1)
}

/// One matter that went through the day: what weighs most, and what speaks of the same.
fn pattern(grounds: &[Ground<'_>]) -> Option<Insight> {
    let (pivot, _) = weightiest(grounds.iter(), 1).into_iter().next()?;
    let cited = weightiest(grounds.iter().filter(|g| g.row == pivot.row || one_matter(g, pivot)), 3);
    let [(_, first), between @ .., (_, last)] = cited.as_slice() else { return None };
    let between: String = between.iter().map(|(_, s)| format!("; then {s}")).collect();
    let text = stop(&format!("I see one matter going through my day: {first}{between}; and then {last}"));
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
        let insights = reflect(&grounds, &Analysis::new("Mara", ["Mara"]), &["Joss Millard"], 2);
        let kinds: Vec<_> = insights.iter().map(|i| i.kind).collect();
        assert_eq!(kinds, [ReflectionKind::Causal, ReflectionKind::Social]);
        for insight in &insights {
            assert!(insight.cites.len() >= 2);
            let said = Analysis::new(&insight.text, ["Joss", "Tom"]);
            assert!(said.names.iter().all(|n| n == "joss" || n == "tom"), "{}", insight.text);
        }
        assert!(
            insights[1].text.starts_with("What passed with Joss sits ill with me"),
            "{}",
            insights[1].text
        );
    }
}

//! Recall of the facts that answer questions to NPCs, after the last night of their scenario.

use std::collections::BTreeMap;

use anyhow::Result;
use nightfold::{pack_for_entries, recallable};
use nightfold_consolidate::{RecallIndex, RecallQuery, Recalled};
use nightfold_english::Packs;
use nightfold_memory::{GameTime, MemoryId, MemoryReader as _, MemorySnapshot, NpcId};
use nightfold_scenario::{Replayed, Scenario};

use super::CorrectCount;
use crate::{
    data::{self, PARTS, QuestionKind, ScenarioQuestion},
    lab::Lab,
    report::{Report, Section, row},
    suite::Suite,
};

/// Number of recalled texts among which the answer must be.
const ANSWER_WITHIN: usize = 3;

/// The set of questions that may be looked at.
const SHOWN: &str = PARTS[0];

pub(crate) struct Recall;

impl Suite for Recall {
    fn name(&self) -> &'static str {
        "recall"
    }

    fn measures(&self) -> &'static str {
        "Share of 132 questions to the NPCs of the project's scenarios that one of the first three recalled entries answers after the last \
         night"
    }

    fn data(&self) -> &'static str {
        "the project's questions and scenarios"
    }

    fn run(&self, lab: &Lab) -> Result<Report> {
        let mut report = Report::default();
        let mut lives: BTreeMap<String, (Scenario, Replayed)> = BTreeMap::new();
        for set in PARTS {
            let questions = data::scenario_questions(set)?;
            for question in &questions {
                if !lives.contains_key(&question.story) {
                    let life = lab.replay(&lab.options.scenarios.join(&question.story))?;
                    lives.insert(question.story.clone(), life);
                }
            }
            let nights = recall(&questions, |q| after_nights(lab, q, &lives[&q.story].1))?;
            let everything = recall(&questions, |q| by_cosine(lab, q, &lives[&q.story].0))?;
            let columns = ["kind", "after the nights", "everything, by cosine"];
            let mut section = Section::new(format!("questions answered, {set}"), columns);
            for (kind, count) in &nights.right {
                section.row(row![
                    kind.as_str(),
                    *count,
                    everything.right.get(kind).copied().unwrap_or_default()
                ]);
            }
            section.row(row!["all with an answer", nights.answerable(), everything.answerable()]);
            section.row(row!["outdated answer first", nights.stale_first, everything.stale_first]);
            section.row(row![
                "entries of an answer, median",
                nights.median_length(),
                everything.median_length()
            ]);
            report.sections.push(section);
            if set == SHOWN {
                report.mistakes.extend(nights.wrong);
            }
        }
        Ok(report)
    }
}

/// Text that came to an NPC's mind.
struct RecalledText {
    /// Id of the entry or memory.
    id: MemoryId,
    text: String,
}

/// Recalls the entries that answer a question after the last night.
fn after_nights(lab: &Lab, question: &ScenarioQuestion, life: &Replayed) -> Result<Vec<RecalledText>> {
    let MemorySnapshot { entries, npc_tags, .. } = life.store.snapshot(&question.npc)?;
    let settings = &lab.config.for_npc(&question.npc, &npc_tags).recall;
    let now = entries.iter().map(|memory| memory.touched_at).max().unwrap_or(GameTime::ZERO);
    let pack = pack_for_entries(&entries, &Packs, &lab.config)?;
    let vectors = lab.embedder.embed(&[&question.question])?.vectors;
    let query = RecallQuery::new(&question.question, vectors.row(0), pack);
    let index = RecallIndex::new(recallable(&life.store, &question.npc, entries, settings)?, pack);
    let found = index.recall(&query, now, settings);
    let text = |recalled: &Recalled<'_>| RecalledText {
        id: recalled.memory.entry.id.clone(),
        text: recalled.memory.entry.text.clone(),
    };
    Ok(found.iter().map(text).collect())
}

/// Returns the memories of an NPC's whole life that are closest to a question.
fn by_cosine(lab: &Lab, question: &ScenarioQuestion, scenario: &Scenario) -> Result<Vec<RecalledText>> {
    let own = |npc: &NpcId| *npc == question.npc;
    let days = scenario.nights.iter().flat_map(|night| &night.days).filter(|(npc, _)| own(npc));
    let memories: Vec<RecalledText> = days
        .flat_map(|(_, day)| &day.memories)
        .filter(|memory| !memory.is_blank())
        .map(|memory| RecalledText { id: memory.id.clone(), text: memory.text.clone() })
        .collect();
    let mut texts: Vec<&str> = memories.iter().map(|memory| memory.text.as_str()).collect();
    texts.push(&question.question);
    let vectors = lab.embedder.embed(&texts)?.vectors;
    let asked = vectors.row(memories.len());
    let cosine = |row: &[f32]| row.iter().zip(asked).map(|(a, b)| a * b).sum::<f32>();
    let mut found: Vec<(f32, RecalledText)> = vectors.rows().map(cosine).zip(memories).collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.id.cmp(&b.1.id)));
    Ok(found.into_iter().map(|(_, memory)| memory).collect())
}

/// Result of a set of questions.
#[derive(Default)]
struct RecallScore {
    /// Questions answered among the first [`ANSWER_WITHIN`] texts, by kind. A question of kind
    /// [`QuestionKind::Nothing`] is answered if nothing is recalled.
    right: BTreeMap<QuestionKind, CorrectCount>,
    /// Number of questions with an outdated answer among the first [`ANSWER_WITHIN`] texts and before the right one.
    stale_first: usize,
    /// Number of recalled texts of each question that has an answer.
    lengths: Vec<usize>,
    /// Questions that were not answered or with an outdated answer first, with what was recalled.
    wrong: Vec<String>,
}

impl RecallScore {
    /// Returns the median number of recalled texts of the questions that have an answer.
    fn median_length(&self) -> usize {
        let mut lengths = self.lengths.clone();
        lengths.sort_unstable();
        lengths.get(lengths.len() / 2).copied().unwrap_or(0)
    }

    /// Returns the count of all questions that have an answer.
    fn answerable(&self) -> CorrectCount {
        let answerable = self.right.iter().filter(|(kind, _)| **kind != QuestionKind::Nothing);
        answerable.fold(CorrectCount::default(), |sum, (_, count)| CorrectCount {
            right: sum.right + count.right,
            all: sum.all + count.all,
        })
    }
}

/// Asks each question by `ask`, which returns the recalled texts, best first, and counts the answers.
fn recall(
    questions: &[ScenarioQuestion],
    mut ask: impl FnMut(&ScenarioQuestion) -> Result<Vec<RecalledText>>,
) -> Result<RecallScore> {
    let mut score = RecallScore::default();
    for question in questions {
        let mut recalled = ask(question)?;
        if question.kind != QuestionKind::Nothing {
            score.lengths.push(recalled.len());
        }
        recalled.truncate(ANSWER_WITHIN);
        let answer = recalled.iter().position(|found| question.is_answered_by(&found.text));
        let stale = recalled
            .iter()
            .position(|found| question.stale.contains(&found.id) && !question.is_answered_by(&found.text));
        let is_stale_first = stale.is_some_and(|stale| answer.is_none_or(|answer| stale < answer));
        score.stale_first += usize::from(is_stale_first);
        let right = match question.kind {
            QuestionKind::Nothing => recalled.is_empty(),
            _ => answer.is_some(),
        };
        score.right.entry(question.kind).or_default().count(right);
        if !right || is_stale_first {
            let found = recalled.iter().map(|found| format!("\n    {}: {:?}", found.id, found.text));
            let (kind, facts) = (question.kind.as_str(), question.fact.join(", "));
            let outdated = if is_stale_first { ", outdated first" } else { "" };
            let told =
                format!("{kind}{outdated}: {} ({facts}){}", question.question, found.collect::<String>());
            score.wrong.push(told);
        }
    }
    Ok(score)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn question(kind: &str, fact: &[&str], stale: &[&str]) -> ScenarioQuestion {
        serde_json::from_value(json!({
            "story": "s", "npc": "Mara", "kind": kind, "question": "?", "answer": [], "fact": fact, "stale": stale
        }))
        .unwrap()
    }

    fn found(texts: &[(&str, &str)]) -> Vec<RecalledText> {
        let recalled = |(id, text): &(&str, &str)| RecalledText {
            id: MemoryId::new(*id).unwrap(),
            text: (*text).to_owned(),
        };
        texts.iter().map(recalled).collect()
    }

    #[test]
    fn answer_counts_among_the_first_three() {
        let asked = [question("state", &["nine", "silver"], &["old"]), question("nothing", &[], &[])];
        let of = |recalled: &[(&str, &str)]| {
            let score = recall(&asked, |_| Ok(found(recalled))).unwrap();
            (score.answerable().right, score.right[&QuestionKind::Nothing].right, score.stale_first)
        };
        assert_eq!(of(&[("new", "Nine silver"), ("old", "14 silver")]), (1, 0, 0));
        assert_eq!(of(&[("old", "14 silver"), ("new", "nine silver")]), (1, 0, 1));
        assert_eq!(of(&[("a", ""), ("b", ""), ("c", ""), ("new", "nine silver")]), (0, 0, 0));
        assert_eq!(of(&[]), (0, 1, 0));
    }
}

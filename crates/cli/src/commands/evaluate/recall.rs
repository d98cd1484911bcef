//! `nightfold evaluate recall`: measures whether NPCs answer questions after the last night of their scenario.

use std::collections::BTreeMap;

use nightfold::{
    NoObserver,
    consolidate::{RecallIndex, RecallQuery},
    english::Packs,
    memory::{Embedder, GameTime, MemoryReader, MemorySnapshot, NpcId, StanceJudge, ValidConfig},
    pack_for_entries,
};
use nightfold_evaluate::{
    data::{self, QUESTION_SETS, ScenarioQuestion},
    suites::{ANSWER_WITHIN, CorrectCount, RecallScore, RecalledText, recall},
};
use nightfold_scenario::{Replay, Replayed, Scenario, Script};
use schemars::JsonSchema;
use serde::Serialize;

use super::sets::MANY_TEXTS;
use crate::{
    args::{Common, RecallSuiteArgs},
    error::{CliError, Exit, message},
    judge,
    models::embedder,
    output,
    show::TextTable,
    terminal::clean,
};

/// The set of questions that may be looked at.
const SHOWN: &str = "dev";

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RecallReport {
    /// Scores by set of questions.
    sets: BTreeMap<&'static str, SetReport>,
}

/// Scores of one set of questions, by what is searched.
#[derive(Debug, Serialize, JsonSchema)]
struct SetReport {
    /// Entries that the nights left, by recall.
    nights: RecallScore,
    /// All memories of the NPC, by the cosine alone.
    everything: RecallScore,
}

pub(super) fn run(args: &RecallSuiteArgs, config: &ValidConfig, common: &Common) -> Result<(), CliError> {
    let embedder = embedder(common, config, MANY_TEXTS)?;
    let judge = judge::open(None, config, common)?;
    let mut sets = Vec::new();
    for set in QUESTION_SETS {
        sets.push((set, data::scenario_questions(set)?));
    }
    let mut lives: BTreeMap<String, (Scenario, Replayed)> = BTreeMap::new();
    for question in sets.iter().flat_map(|(_, questions)| questions) {
        if !lives.contains_key(&question.story) {
            let script = Script::read(&args.scenarios.join(&question.story), &config.replay)?;
            let scenario = script.stage(config)?;
            let replayed = replay(&scenario, &embedder, judge.as_deref())?;
            lives.insert(question.story.clone(), (scenario, replayed));
        }
    }
    let mut report = RecallReport { sets: BTreeMap::new() };
    for (set, questions) in &sets {
        let of = |question: &ScenarioQuestion| &lives[&question.story];
        let nights = recall(questions, |q| after_nights(q, &of(q).1, &embedder, config))?;
        let everything = recall(questions, |q| by_cosine(q, &of(q).0, &embedder))?;
        report.sets.insert(set, SetReport { nights, everything });
    }
    if args.json { output::json(&report) } else { output::text(&render(&report, args.wrong)) }
}

fn replay(
    scenario: &Scenario,
    embedder: &dyn Embedder,
    judge: Option<&dyn StanceJudge>,
) -> Result<Replayed, CliError> {
    let replayed = Replay { scenario, embedder, judge, observer: &NoObserver }.run()?;
    match replayed.failures.first() {
        Some(failure) => Err(message(Exit::Input, format!("{}: {}", clean(&scenario.name()), failure.error))),
        None => Ok(replayed),
    }
}

/// Recalls the entries that answer a question after the last night.
fn after_nights(
    question: &ScenarioQuestion,
    life: &Replayed,
    embedder: &dyn Embedder,
    config: &ValidConfig,
) -> Result<Vec<RecalledText>, CliError> {
    let MemorySnapshot { entries, npc_tags, .. } = life.store.snapshot(&question.npc)?;
    let now = entries.iter().map(|memory| memory.touched_at).max().unwrap_or(GameTime::ZERO);
    let pack = pack_for_entries(&entries, &Packs, config)?;
    let vectors = embedder.embed(&[&question.question])?.vectors;
    let query = RecallQuery::new(&question.question, vectors.row(0), pack);
    let index = RecallIndex::new(entries, pack);
    let found = index.recall(&query, now, &config.for_npc(&question.npc, &npc_tags).recall);
    let text = |recalled: &nightfold::consolidate::Recalled<'_>| RecalledText {
        id: recalled.memory.entry.id.clone(),
        text: recalled.memory.entry.text.clone(),
    };
    Ok(found.iter().map(text).collect())
}

/// Returns the memories of an NPC's whole life that are closest to a question.
fn by_cosine(
    question: &ScenarioQuestion,
    scenario: &Scenario,
    embedder: &dyn Embedder,
) -> Result<Vec<RecalledText>, CliError> {
    let own = |npc: &NpcId| *npc == question.npc;
    let days = scenario.nights.iter().flat_map(|night| &night.days).filter(|(npc, _)| own(npc));
    let memories: Vec<RecalledText> = days
        .flat_map(|(_, day)| &day.memories)
        .filter(|memory| !memory.is_blank())
        .map(|memory| RecalledText { id: memory.id.clone(), text: memory.text.clone() })
        .collect();
    let mut texts: Vec<&str> = memories.iter().map(|memory| memory.text.as_str()).collect();
    texts.push(&question.question);
    let vectors = embedder.embed(&texts)?.vectors;
    let asked = vectors.row(memories.len());
    let cosine = |row: &[f32]| row.iter().zip(asked).map(|(a, b)| a * b).sum::<f32>();
    let mut found: Vec<(f32, RecalledText)> = vectors.rows().map(cosine).zip(memories).collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.id.cmp(&b.1.id)));
    Ok(found.into_iter().take(ANSWER_WITHIN).map(|(_, memory)| memory).collect())
}

fn render(report: &RecallReport, wrong: usize) -> String {
    let mut out = format!("questions answered by one of the first {ANSWER_WITHIN} texts\n");
    for (set, scores) in &report.sets {
        let mut table = TextTable::new([*set, "after the nights", "everything, by cosine"]);
        let cell = |count: CorrectCount| format!("{} of {}", count.right, count.all);
        for (kind, count) in &scores.nights.right {
            let everything = scores.everything.right.get(kind).copied().unwrap_or_default();
            table.row([format!("{kind:?}").to_lowercase(), cell(*count), cell(everything)]);
        }
        let (nights, everything) = (&scores.nights, &scores.everything);
        table.row([
            "all with an answer".to_owned(),
            cell(nights.answerable()),
            cell(everything.answerable()),
        ]);
        table.row([
            "outdated answer first".to_owned(),
            nights.stale_first.to_string(),
            everything.stale_first.to_string(),
        ]);
        out.push_str(&table.render());
        for miss in nights.wrong.iter().take(if *set == SHOWN { wrong } else { 0 }) {
            out.push_str(&format!(
                "{:?}: {} ({})\n",
                miss.kind,
                clean(&miss.question),
                clean(&miss.fact.join(", "))
            ));
            for recalled in &miss.recalled {
                out.push_str(&format!("    {}: {}\n", clean(recalled.id.as_str()), clean(&recalled.text)));
            }
        }
        out.push('\n');
    }
    out
}

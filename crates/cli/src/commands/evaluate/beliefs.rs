//! `nightfold evaluate beliefs`: measures the share of right beliefs of NPCs at the end of stories.

use std::collections::BTreeMap;

use nightfold::english::Packs;
use nightfold::{
    NoObserver, Sleep,
    memory::{
        Day, Embedder, GameTime, Memory, MemoryId, MemoryReader, MemoryRecord, NightLabel, NpcId,
        StanceJudge, ValidConfig,
    },
};
use nightfold_evaluate::{
    data::{self, BeliefStory, STORY_SETS},
    suites::{BeliefScore, WrongBelief, beliefs},
};
use nightfold_store::InMemoryStore;
use schemars::JsonSchema;
use serde::Serialize;

use super::sets::{MANY_TEXTS, with};
use crate::{
    args::{Common, StoriesArgs},
    error::{CliError, Exit, message},
    judge, language,
    models::embedder,
    output,
    show::TextTable,
    terminal::clean,
};

/// Least share of right beliefs in the set that decides.
const RIGHT: f64 = 0.9;

/// The set that decides: the unseen one.
const HELD_TO: &str = "test";

/// Number of seconds in a day, and between two statements on the same day.
const DAY: i64 = 86_400;
const BETWEEN: i64 = 1_800;
/// Time of day of the first statement, and of sleep, in seconds.
const MORNING: i64 = 8 * 3_600;
const NIGHT: i64 = 22 * 3_600;

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct BeliefsReport {
    /// Scores by set of stories.
    sets: BTreeMap<String, BeliefScore>,
}

pub(super) fn run(args: &StoriesArgs, config: &ValidConfig, common: &Common) -> Result<(), CliError> {
    let mut sets: Vec<(String, Vec<BeliefStory>)> = Vec::new();
    match &args.file {
        Some(file) => sets.push((file.display().to_string(), data::stories(file)?)),
        None => {
            for set in STORY_SETS {
                sets.push((set.to_owned(), data::own_stories(set)?));
            }
        }
    }
    let config = &judge::chosen(args.judging.judge.as_ref(), config.clone())?;
    // Beliefs are measured, not budgets: no memory is pruned for lack of room.
    let config = &with(config, |c| c.budget.storage = 1.0)?;
    let language = language::open(&args.judging.language, args.judging.record.as_ref(), config)?;
    let judge = judge::open(language.as_deref(), config, common)?;
    let embedder = embedder(common, config, MANY_TEXTS)?;
    let mut report = BeliefsReport { sets: BTreeMap::new() };
    for (name, stories) in &sets {
        let score = beliefs(stories, |story| live(story, &embedder, judge.as_deref(), config))?;
        report.sets.insert(name.clone(), score);
    }
    if args.json {
        output::json(&report)?;
    } else {
        output::text(&render(&report, args.wrong))?;
    }
    let short: Vec<String> = report
        .sets
        .iter()
        .filter(|(name, _)| *name == HELD_TO)
        .flat_map(|(_, score)| falls_short(score))
        .collect();
    if short.is_empty() { Ok(()) } else { Err(message(Exit::Check, short.join("; "))) }
}

/// Returns all records of a story's NPC after its last night.
fn live(
    story: &BeliefStory,
    embedder: &dyn Embedder,
    judge: Option<&dyn StanceJudge>,
    config: &ValidConfig,
) -> Result<Vec<MemoryRecord>, CliError> {
    let wrong = |e| CliError::new(Exit::Input, e);
    let npc = NpcId::new(story.npc.clone()).map_err(wrong)?;
    let store = InMemoryStore::new();
    let sleep = Sleep {
        config,
        packs: &Packs,
        embedder,
        store: &store,
        language: None,
        judge,
        observer: &NoObserver,
    };
    let last = story.statements.iter().map(|s| s.night).max().unwrap_or(0);
    for night in 1..=last {
        let mut memories = Vec::new();
        for (place, said) in (0..).zip(&story.statements).filter(|(_, s)| s.night == night) {
            memories.push(
                Memory::new(
                    npc.clone(),
                    MemoryId::new(said.id.clone()).map_err(|e| CliError::new(Exit::Input, e))?,
                    moment(said.at_night.unwrap_or(night), MORNING + place * BETWEEN)?,
                    said.kind,
                    said.text.clone(),
                )
                .with(|memory| {
                    memory.importance = said.importance;
                    memory.actors.clone_from(&said.actors);
                }),
            );
        }
        if memories.is_empty() {
            continue;
        }
        let until = moment(night, NIGHT)?;
        let label = NightLabel::new(night.to_string()).map_err(|e| CliError::new(Exit::Input, e))?;
        let day = Day::new(npc.clone(), label, until, memories);
        let slept = sleep.apply(&store, BTreeMap::from([(npc.clone(), vec![day])]))?;
        if let Some(failure) = slept.failures.first() {
            return Err(message(Exit::Input, format!("story {}: {}", clean(&story.id), failure.error)));
        }
    }
    Ok(store.entries(&npc)?)
}

/// Returns a moment of a story: `seconds` into the day before a night.
fn moment(night: u32, seconds: i64) -> Result<GameTime, CliError> {
    let seconds = i64::from(night) * DAY + seconds;
    GameTime::from_seconds(seconds)
        .ok_or_else(|| message(Exit::Input, format!("night {night} is too far away")))
}

fn falls_short(score: &BeliefScore) -> Vec<String> {
    let mut lines = Vec::new();
    let share = score.beliefs.right as f64 / score.beliefs.all.max(1) as f64;
    if share < RIGHT {
        lines.push(format!("{:.1} % of beliefs are right, below {:.0} %", share * 100.0, RIGHT * 100.0));
    }
    if score.news_lost > 0 {
        lines.push(format!("{} newer statements are lost to older ones", score.news_lost));
    }
    lines
}

fn render(report: &BeliefsReport, wrong: usize) -> String {
    let mut out = String::new();
    for (name, score) in &report.sets {
        let mut table = TextTable::new([name.as_str(), "right", "of"]);
        for (category, right) in &score.categories {
            table.row([category.clone(), right.right.to_string(), right.all.to_string()]);
        }
        let all = score.beliefs;
        let share = format!("{:.1} %", 100.0 * all.right as f64 / all.all.max(1) as f64);
        table.row(["beliefs".to_owned(), format!("{} ({share})", all.right), all.all.to_string()]);
        table.row(["stories".to_owned(), score.stories.right.to_string(), score.stories.all.to_string()]);
        out.push_str(&table.render());
        out.push_str(&format!("news lost to the old: {}\n", score.news_lost));
        let mut worst: Vec<&WrongBelief> = score.wrong.iter().collect();
        worst.sort_by_key(|w| !w.news_lost);
        for w in worst.into_iter().take(wrong) {
            let found =
                w.found.map_or_else(|| "archived".to_owned(), |end| format!("{end:?}").to_lowercase());
            out.push_str(&format!(
                "{} {}/{}: {} instead of {}: {}\n",
                clean(&w.category),
                clean(&w.story),
                clean(&w.statement),
                found,
                format!("{:?}", w.expected).to_lowercase(),
                clean(&w.text)
            ));
        }
        out.push('\n');
    }
    out
}

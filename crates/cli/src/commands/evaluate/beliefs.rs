//! `nightfold evaluate beliefs`: measures the share of right beliefs of NPCs at the end of stories, endings in lives
//! against their keys, and changes of beliefs in talk against what a person read of them.

use std::collections::{BTreeMap, BTreeSet};

use nightfold::english::Packs;
use nightfold::{
    Days, NoObserver, Sleep, days_by_night,
    memory::{
        Change, Day, Embedder, GameTime, Memory, MemoryId, MemoryReader, MemoryRecord, NightLabel, NpcId,
        StanceJudge, ValidConfig,
    },
};
use nightfold_evaluate::{
    data::{self, BeliefStory, ChangeReadings, KeyedLife, READ_CHANGES, STORY_SETS},
    suites::{BeliefScore, KeyedScore, NpcChanges, TalkScore, WrongBelief, beliefs, lives, talk},
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

/// Greatest share of false endings among all endings in lives, of memories and of syntheses: a memory that is lost to
/// news that does not concern it is worse than an outdated one that stays.
const FALSE_ENDINGS: f64 = 0.02;

/// The set that decides: the unseen one.
const HELD_TO: &str = "test";

/// Number of seconds in a day, and between two statements on the same day.
const DAY: i64 = 86_400;
const BETWEEN: i64 = 1_800;
/// Time of day of the first statement, and of sleep, in seconds.
const MORNING: i64 = 8 * 3_600;
const NIGHT: i64 = 22 * 3_600;

#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct BeliefsReport {
    /// Scores by set of stories.
    sets: BTreeMap<String, BeliefScore>,
    /// Scores by life; empty if other stories were given.
    lives: BTreeMap<String, KeyedScore>,
    /// Sum of all lives; zero if other stories were given.
    all_lives: KeyedScore,
    /// Scores by set of talk and of real days; `null` if no folder was given.
    talk: Option<BTreeMap<String, TalkScore>>,
}

pub(super) fn run(args: &StoriesArgs, config: &ValidConfig, common: &Common) -> Result<(), CliError> {
    let (mut sets, mut keyed): (Vec<(String, Vec<BeliefStory>)>, _) = (Vec::new(), Vec::new());
    if let Some(file) = &args.file {
        sets.push((file.display().to_string(), data::stories(file)?));
    } else {
        for set in STORY_SETS {
            sets.push((set.to_owned(), data::own_stories(set)?));
        }
        keyed = data::own_lives()?;
    }
    let talk_sets = args.data.as_deref().map(data::talk_sets).transpose()?;
    let readings = ChangeReadings::own()?;
    let config = &judge::chosen(args.judging.judge.as_ref(), config.clone())?;
    // Beliefs are measured, not budgets: no memory is pruned for lack of room.
    let config = &with(config, |c| c.budget.storage = 1.0)?;
    let language = language::open(&args.judging.language, args.judging.record.as_ref(), config)?;
    let judge = judge::open(language.as_deref(), config, common)?;
    let embedder = embedder(common, config, MANY_TEXTS)?;
    let nights = Nights { embedder: &embedder, judge: judge.as_deref(), config };
    let (lives, all_lives) = lives(&keyed, |life| nights.life(life))?;
    let mut report = BeliefsReport { lives, all_lives, ..BeliefsReport::default() };
    for (name, stories) in &sets {
        report.sets.insert(name.clone(), beliefs(stories, |story| nights.story(story))?);
    }
    for set in talk_sets.iter().flatten() {
        let live =
            |memories: &[Memory]| nights.live(set.name, days_by_night(memories.to_vec(), None, config));
        let score = talk(set, &readings, live)?;
        report.talk.get_or_insert_default().insert(set.name.to_owned(), score);
    }
    if args.json {
        output::json(&report)?;
    } else {
        output::text(&render(&report, args.wrong))?;
    }
    let short = falls_short(&report);
    if short.is_empty() { Ok(()) } else { Err(message(Exit::Check, short.join("; "))) }
}

/// Parts of a night that are the same for all NPCs.
struct Nights<'a> {
    embedder: &'a dyn Embedder,
    judge: Option<&'a dyn StanceJudge>,
    config: &'a ValidConfig,
}

impl Nights<'_> {
    /// Runs all nights of these days in an empty store. Errors call the days `name`.
    fn live(&self, name: &str, days: Days) -> Result<Vec<NpcChanges>, CliError> {
        let &Self { embedder, judge, config } = self;
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
        let mut changes: BTreeMap<NpcId, Vec<Change>> =
            days.keys().map(|npc| (npc.clone(), Vec::new())).collect();
        let slept = sleep.apply(&store, days)?;
        if let Some(failure) = slept.failures.first() {
            return Err(message(Exit::Input, format!("{}: {}", clean(name), failure.error)));
        }
        for night in slept.plan.nights {
            changes.entry(night.npc).or_default().extend(night.changes);
        }
        changes
            .into_iter()
            .map(|(npc, changes)| Ok(NpcChanges { records: store.entries(&npc)?, npc, changes }))
            .collect()
    }

    /// Returns all records of a story's NPC after its last night.
    fn story(&self, story: &BeliefStory) -> Result<Vec<MemoryRecord>, CliError> {
        let lived = self.live(&format!("story {}", story.id), days_of(story)?)?;
        Ok(lived.into_iter().flat_map(|npc| npc.records).collect())
    }

    /// Returns all changes of a life, which has a night for each date.
    fn life(&self, life: &KeyedLife) -> Result<Vec<Change>, CliError> {
        let days = days_by_night(life.memories.clone(), None, self.config);
        let lived = self.live(&format!("life {}", life.name), days)?;
        Ok(lived.into_iter().flat_map(|npc| npc.changes).collect())
    }
}

/// Returns the days of a story, without nights on which it states nothing.
fn days_of(story: &BeliefStory) -> Result<Days, CliError> {
    let wrong = |e| CliError::new(Exit::Input, e);
    let npc = NpcId::new(story.npc.clone()).map_err(wrong)?;
    let mut days = Vec::new();
    for night in story.statements.iter().map(|s| s.night).collect::<BTreeSet<u32>>() {
        let mut memories = Vec::new();
        for (place, said) in (0..).zip(&story.statements).filter(|(_, s)| s.night == night) {
            memories.push(
                Memory::new(
                    npc.clone(),
                    MemoryId::new(said.id.clone()).map_err(wrong)?,
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
        let label = NightLabel::new(night.to_string()).map_err(wrong)?;
        days.push(Day::new(npc.clone(), label, moment(night, NIGHT)?, memories));
    }
    Ok(BTreeMap::from([(npc, days)]))
}

/// Returns a moment of a story: `seconds` into the day before a night.
fn moment(night: u32, seconds: i64) -> Result<GameTime, CliError> {
    let seconds = i64::from(night) * DAY + seconds;
    GameTime::from_seconds(seconds)
        .ok_or_else(|| message(Exit::Input, format!("night {night} is too far away")))
}

fn falls_short(report: &BeliefsReport) -> Vec<String> {
    let mut lines = Vec::new();
    for score in report.sets.iter().filter(|(name, _)| *name == HELD_TO).map(|(_, score)| score) {
        let share = score.beliefs.right as f64 / score.beliefs.all.max(1) as f64;
        if share < RIGHT {
            lines.push(format!("{:.1} % of beliefs are right, below {:.0} %", share * 100.0, RIGHT * 100.0));
        }
        if score.news_lost > 0 {
            lines.push(format!("{} newer statements are lost to older ones", score.news_lost));
        }
    }
    let share = report.all_lives.false_share();
    if share > FALSE_ENDINGS {
        let (share, most) = (share * 100.0, FALSE_ENDINGS * 100.0);
        lines.push(format!("{share:.1} % of endings in lives are false, above {most:.0} %"));
    }
    lines
}

fn render(report: &BeliefsReport, wrong: usize) -> String {
    let mut out = render_lives(report);
    match &report.talk {
        Some(sets) => out.push_str(&render_talk(sets, wrong)),
        None => out.push_str("talk: not measured without --data\n\n"),
    }
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

fn render_lives(report: &BeliefsReport) -> String {
    if report.lives.is_empty() {
        return "lives: not measured with --stories\n\n".to_owned();
    }
    let headings =
        ["lives", "memories", "false endings", "of syntheses", "false contests", "corroborated", "found"];
    let mut table = TextTable::new(headings);
    let all = ("all".to_owned(), &report.all_lives);
    for (name, score) in report.lives.iter().map(|(name, score)| (name.clone(), score)).chain([all]) {
        let [ended, of_syntheses, contested] = [score.ended, score.ended_syntheses, score.contested]
            .map(|count| format!("{} of {}", count.wrong, count.all));
        let found = format!("{} of {}", score.changes.found, score.changes.all);
        let (memories, corroborated) = (score.memories.to_string(), score.corroborations.to_string());
        table.row([name, memories, ended, of_syntheses, contested, corroborated, found]);
    }
    let mut questions = TextTable::new(["changes in lives", "found", "or contested", "of"]);
    let all = ("all".to_owned(), &report.all_lives.changes);
    let by_question = report.all_lives.questions.iter().map(|(question, count)| (question.clone(), count));
    for (question, count) in by_question.chain([all]) {
        let counts = [count.found, count.found_or_contested, count.all].map(|n| n.to_string());
        questions.row([question].into_iter().chain(counts));
    }
    format!("{}\n{}\n", table.render(), questions.render())
}

fn render_talk(sets: &BTreeMap<String, TalkScore>, wrong: usize) -> String {
    let mut table =
        TextTable::new(["talk", "memories", "change", "false", "read", "unread", "all", "per 1,000"]);
    for (name, score) in sets {
        for (change, count) in READ_CHANGES.iter().filter_map(|change| score.changes.get_key_value(*change)) {
            let counts = [count.wrong, count.read, count.unread, count.all].map(|n| n.to_string());
            let of = [name.clone(), score.memories.to_string(), change.clone()].into_iter();
            table.row(of.chain(counts).chain([format!("{:.2}", count.per_1000)]));
        }
    }
    let mut out = table.render();
    for (name, score) in sets {
        for pair in score.wrong.iter().take(wrong) {
            // The line as it is kept among the readings, and the texts.
            let verdict = if pair.read_as_false { "wrong" } else { "?" };
            let line =
                [name, &pair.change, verdict, &clean(&pair.older), &clean(pair.newer.as_str())].join("\t");
            let (older, newer) = (clean(&pair.older_text), clean(&pair.newer_text));
            out.push_str(&format!("{line}\n    {older}\n    {newer}\n"));
        }
    }
    out.push('\n');
    out
}

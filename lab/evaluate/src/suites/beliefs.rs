//! Beliefs of NPCs at the end of stories, endings in lives against their keys, and changes in talk against readings.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use nightfold::{Days, days_by_night};
use nightfold_memory::{
    Change, Day, GameTime, Memory, MemoryId, MemoryReader as _, MemoryRecord, NightLabel, NpcId, RecordKind,
    State, ValidConfig,
};
use nightfold_store::SqliteStore;

use super::{
    CorrectCount,
    lives::{KeyedScore, lives},
    talk::{NpcChanges, TalkScore, talk},
};
use crate::{
    data::{self, BeliefStatus, BeliefStory, ChangeReadings, PARTS, READ_CHANGES},
    lab::Lab,
    report::{Cell, Report, Section, row},
    suite::Suite,
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

pub(crate) struct Beliefs;

impl Suite for Beliefs {
    fn name(&self) -> &'static str {
        "beliefs"
    }

    fn measures(&self) -> &'static str {
        "Beliefs at the end of short stories, right or wrong; endings in lives, and changes in talk. Falls short if too few are right, \
         a newer statement is lost to an older one, or more than 2 % of the endings in lives are false"
    }

    fn data(&self) -> &'static str {
        "the project's stories (or --stories) and lives; of --data locomo, realtalk, topical_chat, generative_agents"
    }

    fn run(&self, lab: &Lab) -> Result<Report> {
        // Beliefs are measured, not budgets: no memory is pruned for lack of room.
        let nights = Nights { lab, config: lab.with(|c| c.budget.storage = 1.0)? };
        let mut report = Report::default();
        if let Some(file) = &lab.options.stories {
            let score = beliefs(&data::stories(file)?, |story| nights.story(story))?;
            score.report(&file.display().to_string(), &mut report);
        } else {
            let (by_life, all) = lives(&data::own_lives()?, |life| {
                let days = days_by_night(life.memories.clone(), None, &nights.config);
                let lived = nights.live(&format!("life {}", life.name), days)?;
                Ok(lived.into_iter().flat_map(|npc| npc.changes).collect())
            })?;
            report_lives(&by_life, &all, &mut report);
            if let Some(dir) = &lab.options.data {
                let mut scores = BTreeMap::new();
                for set in data::talk_sets(dir)? {
                    let live = |memories: &[Memory]| {
                        nights.live(set.name, days_by_night(memories.to_vec(), None, &nights.config))
                    };
                    scores.insert(set.name, talk(&set, &ChangeReadings::own()?, live)?);
                }
                report_talk(&scores, &mut report);
            }
            for set in PARTS {
                beliefs(&data::own_stories(set)?, |story| nights.story(story))?.report(set, &mut report);
            }
        }
        Ok(report)
    }
}

/// Statement with an unexpected status at the end of a story.
#[derive(Debug)]
struct WrongBelief {
    news_lost: bool,
    told: String,
}

/// Result of a set of stories.
#[derive(Debug, Default)]
struct BeliefScore {
    beliefs: CorrectCount,
    /// Stories in which every belief is right.
    stories: CorrectCount,
    /// Newer statements that are not believed while an older one that they replace still is.
    news_lost: usize,
    /// Beliefs by the phenomenon of the story.
    categories: BTreeMap<String, CorrectCount>,
    wrong: Vec<WrongBelief>,
}

impl BeliefScore {
    fn report(mut self, set: &str, report: &mut Report) {
        let mut section = Section::new(format!("beliefs, {set}"), ["category", "right", "share"]);
        let all = [("beliefs".to_owned(), self.beliefs), ("stories".to_owned(), self.stories)];
        for (name, count) in self.categories.into_iter().chain(all) {
            section.row(row![name, count, Cell::Share(count.share())]);
        }
        section.row(row!["news lost to the old", self.news_lost]);
        report.sections.push(section);
        self.wrong.sort_by_key(|wrong| !wrong.news_lost);
        report.mistakes.extend(self.wrong.into_iter().map(|wrong| wrong.told));
        if set == HELD_TO {
            if self.beliefs.share() < RIGHT {
                let (share, least) = (100.0 * self.beliefs.share(), 100.0 * RIGHT);
                report.shortfalls.push(format!("{share:.1} % of beliefs are right, below {least:.0} %"));
            }
            if self.news_lost > 0 {
                report.shortfalls.push(format!("{} newer statements are lost to older ones", self.news_lost));
            }
        }
    }
}

/// Runs each story by `live`, which returns all records of its NPC at the end, and compares the beliefs.
fn beliefs(
    stories: &[BeliefStory],
    mut live: impl FnMut(&BeliefStory) -> Result<Vec<MemoryRecord>>,
) -> Result<BeliefScore> {
    let mut score = BeliefScore::default();
    for story in stories {
        let records = live(story)?;
        let found: BTreeMap<&str, Option<BeliefStatus>> =
            story.end.keys().map(|id| (id.as_str(), status(id, &records))).collect();
        let still =
            |end: Option<BeliefStatus>| matches!(end, Some(BeliefStatus::Holds | BeliefStatus::Contested));
        // True if an outdated statement is still believed.
        let stale = story
            .end
            .iter()
            .any(|(id, end)| *end == BeliefStatus::Gone && found[id.as_str()] == Some(BeliefStatus::Holds));
        let mut all_right = true;
        for (id, &expected) in &story.end {
            let found = found[id.as_str()];
            let right = found == Some(expected);
            all_right &= right;
            score.beliefs.count(right);
            score.categories.entry(story.category.clone()).or_default().count(right);
            if !right {
                let news_lost = expected == BeliefStatus::Holds && !still(found) && stale;
                score.news_lost += usize::from(news_lost);
                let text = story.statements.iter().find(|s| s.id == *id).map_or("", |s| s.text.as_str());
                let found = found.map_or("archived", BeliefStatus::as_str);
                let (category, story, expected) = (&story.category, &story.id, expected.as_str());
                let told = format!("{category} {story}/{id}: {found} instead of {expected}: {text:?}");
                score.wrong.push(WrongBelief { news_lost, told });
            }
        }
        score.stories.count(all_right);
    }
    Ok(score)
}

/// Nights of this suite, which prune nothing.
struct Nights<'a> {
    lab: &'a Lab,
    config: ValidConfig,
}

impl Nights<'_> {
    /// Runs all nights of these days in an empty store. Errors call the days `name`.
    fn live(&self, name: &str, days: Days) -> Result<Vec<NpcChanges>> {
        let store = SqliteStore::in_memory()?;
        let mut changes: BTreeMap<NpcId, Vec<Change>> =
            days.keys().map(|npc| (npc.clone(), Vec::new())).collect();
        for night in self.lab.sleep(name, &self.config, self.lab.judge.as_deref(), &store, days)? {
            changes.entry(night.npc).or_default().extend(night.changes);
        }
        let npc = |(npc, changes)| Ok(NpcChanges { records: store.entries(&npc)?, changes });
        changes.into_iter().map(npc).collect()
    }

    /// Returns all records of a story's NPC after its last night.
    fn story(&self, story: &BeliefStory) -> Result<Vec<MemoryRecord>> {
        let lived = self.live(&format!("story {}", story.id), days_of(story)?)?;
        Ok(lived.into_iter().flat_map(|npc| npc.records).collect())
    }
}

/// Returns the days of a story, without nights on which it states nothing.
fn days_of(story: &BeliefStory) -> Result<Days> {
    let name = || format!("story {}", story.id);
    let moment = |night: u32, seconds: i64| {
        let moment = GameTime::from_seconds(i64::from(night) * DAY + seconds);
        moment.with_context(|| format!("{}: night {night} is too far away", name()))
    };
    let npc = NpcId::new(story.npc.clone()).with_context(name)?;
    let mut days = Vec::new();
    for night in story.statements.iter().map(|s| s.night).collect::<BTreeSet<u32>>() {
        let mut memories = Vec::new();
        for (place, said) in (0..).zip(&story.statements).filter(|(_, s)| s.night == night) {
            let at = moment(said.at_night.unwrap_or(night), MORNING + place * BETWEEN)?;
            let id = MemoryId::new(said.id.clone()).with_context(name)?;
            memories.push(Memory::new(npc.clone(), id, at, said.kind, said.text.clone()).with(|memory| {
                memory.importance = said.importance;
                memory.actors.clone_from(&said.actors);
            }));
        }
        let label = NightLabel::new(night.to_string()).with_context(name)?;
        days.push(Day::new(npc.clone(), label, moment(night, NIGHT)?, memories));
    }
    Ok(BTreeMap::from([(npc, days)]))
}

fn report_lives(lives: &BTreeMap<String, KeyedScore>, all: &KeyedScore, report: &mut Report) {
    let columns =
        ["life", "memories", "false endings", "of syntheses", "false contests", "corroborated", "found"];
    let mut section = Section::new("lives", columns);
    let mut questions = Section::new("changes in lives", ["question", "found", "or contested", "of"]);
    let everything = "all".to_owned();
    for (name, score) in lives.iter().chain([(&everything, all)]) {
        let [ended, of_syntheses, contested] = [score.ended, score.ended_syntheses, score.contested];
        let (corroborated, found) = (score.corroborations, Cell::Of(score.changes.found, score.changes.all));
        section.row(row![name, score.memories, ended, of_syntheses, contested, corroborated, found]);
    }
    for (question, count) in all.questions.iter().chain([(&everything, &all.changes)]) {
        questions.row(row![question, count.found, count.found_or_contested, count.all]);
    }
    report.sections.extend([section, questions]);
    if all.false_share() > FALSE_ENDINGS {
        let (share, most) = (100.0 * all.false_share(), 100.0 * FALSE_ENDINGS);
        report.shortfalls.push(format!("{share:.1} % of endings in lives are false, above {most:.0} %"));
    }
}

fn report_talk(sets: &BTreeMap<&'static str, TalkScore>, report: &mut Report) {
    let columns = ["set", "memories", "change", "false", "read", "unread", "all", "per 1,000"];
    let mut section = Section::new("changes in talk", columns);
    for (name, score) in sets {
        for change in READ_CHANGES {
            let count = score.changes.get(change).copied().unwrap_or_default();
            let per_1000 = format!("{:.2}", 1000.0 * count.all as f64 / score.memories.max(1) as f64);
            let counts = (count.wrong, count.read, count.all - count.read, count.all);
            section.row(row![
                *name,
                score.memories,
                change,
                counts.0,
                counts.1,
                counts.2,
                counts.3,
                per_1000
            ]);
        }
        report.mistakes.extend(score.wrong.iter().map(|pair| pair.told(name)));
    }
    report.sections.push(section);
}

/// Returns the status of a statement, from the record that carries it: its own, one that it corroborated, or
/// a synthesis. A statement is gone once a position that it holds has ended.
fn status(id: &str, records: &[MemoryRecord]) -> Option<BeliefStatus> {
    let own = records.iter().find(|r| r.entry.id.as_str() == id)?;
    let of = |record: &MemoryRecord| match (record.state, record.contested_with.is_empty()) {
        (State::Active, _) if !record.ended.is_empty() => Some(BeliefStatus::Gone),
        (State::Active, true) => Some(BeliefStatus::Holds),
        (State::Active, false) => Some(BeliefStatus::Contested),
        (State::Archived, _) => record.superseded_by.is_some().then_some(BeliefStatus::Gone),
    };
    if own.state == State::Active || own.superseded_by.is_some() {
        return of(own);
    }
    let carriers =
        records.iter().filter(|r| r.entry.id != own.entry.id && r.entry.sources.contains(&own.entry.id));
    // A believed carrier takes precedence over one that no longer is.
    carriers.filter(|r| r.entry.form != RecordKind::Reflection).filter_map(of).min()
}

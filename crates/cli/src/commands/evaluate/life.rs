//! `nightfold evaluate life`: measures the evidence for later questions that is found after a whole life.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use nightfold::{
    Maintenance, MaintenanceTasks, NoObserver, Sleep, apply_plan,
    english::Packs,
    memory::{
        Day, Embedder, GameTime, MemoryId, MemoryReader, MemoryRecord, NpcId, RecordKind, StanceJudge, State,
        ValidConfig,
    },
};
use nightfold_evaluate::{
    data::{self, Conversation},
    suites::{AT_TEN, CUTS, LifeError, LifeScore, LifeStore, LivedEntry, life},
};
use nightfold_store::InMemoryStore;
use schemars::JsonSchema;
use serde::Serialize;

use super::sets::MANY_TEXTS;
use crate::{
    args::{Common, ConversationsArgs},
    error::{CliError, Exit, message},
    judge,
    models::embedder,
    output,
    show::TextTable,
    terminal::clean,
};

/// Seconds between two rounds of maintenance.
const WEEK: i64 = 7 * 86_400;

/// Share of the full store's recall that the life must reach, at the cut of ten.
const SHARE_OF_FULL: f64 = 0.9;

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct LifeReport {
    /// Number of conversations.
    conversations: usize,
    /// Number of turns.
    turns: usize,
    /// Number of questions.
    questions: usize,
    /// Scores by store.
    scores: Vec<LifeScore>,
}

pub(super) fn run(args: &ConversationsArgs, config: &ValidConfig, common: &Common) -> Result<(), CliError> {
    let conversations = data::conversations(Path::new(&args.data))?;
    let embedder = embedder(common, config, MANY_TEXTS)?;
    let judge = judge::open(None, config, common)?;
    let scores = life(&conversations, &embedder, config, |c| live(c, &embedder, judge.as_deref(), config))
        .map_err(|error| match error {
            LifeError::Embedder(error) => error.into(),
            LifeError::Life(error) => error,
            other => CliError::new(Exit::Input, other),
        })?;
    let report = LifeReport {
        conversations: conversations.len(),
        turns: conversations.iter().flat_map(Conversation::turns).count(),
        questions: conversations.iter().map(|c| c.questions.len()).sum(),
        scores,
    };
    if args.json {
        output::json(&report)?;
    } else {
        output::text(&render(&report))?;
    }
    falls_short(&report.scores).map_or(Ok(()), |line| Err(message(Exit::Check, line)))
}

/// Lives through a conversation, night by night into one store with weekly maintenance; returns what is active then.
fn live(
    conversation: &Conversation,
    embedder: &dyn Embedder,
    judge: Option<&dyn StanceJudge>,
    config: &ValidConfig,
) -> Result<Vec<LivedEntry>, CliError> {
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
    let mut maintained: Option<GameTime> = None;
    for session in conversation.days.chunk_by(|a, b| a.night == b.night) {
        let now = session.iter().map(|day| day.until).max().unwrap_or(GameTime::ZERO);
        let since = *maintained.get_or_insert(now);
        if now.seconds() - since.seconds() >= WEEK {
            maintain(&store, embedder, now, config)?;
            maintained = Some(now);
        }
        let days: BTreeMap<NpcId, Vec<Day>> =
            session.iter().map(|day| (day.npc.clone(), vec![day.clone()])).collect();
        let slept = sleep.apply(&store, days)?;
        if let Some(failure) = slept.failures.first() {
            let text = format!("{}: {}", clean(&conversation.name), failure.error);
            return Err(message(Exit::Input, text));
        }
    }
    let npcs: BTreeSet<&NpcId> = conversation.days.iter().map(|day| &day.npc).collect();
    let end = conversation.days.iter().map(|day| day.until).max().unwrap_or(GameTime::ZERO);
    maintain(&store, embedder, end, config)?;
    let mut lived = Vec::new();
    for npc in npcs {
        let records = store.entries(npc)?;
        let by_id: BTreeMap<&MemoryId, &MemoryRecord> = records.iter().map(|r| (&r.entry.id, r)).collect();
        let active = |r: &&MemoryRecord| r.state == State::Active && r.entry.form != RecordKind::Reflection;
        lived.extend(records.iter().filter(active).map(|record| LivedEntry {
            npc: npc.clone(),
            text: record.entry.text.clone(),
            turns: turns_of(record, &by_id),
        }));
    }
    Ok(lived)
}

/// Runs all maintenance that is due for everybody in the store.
fn maintain(
    store: &InMemoryStore,
    embedder: &dyn Embedder,
    now: GameTime,
    config: &ValidConfig,
) -> Result<(), CliError> {
    let tasks = MaintenanceTasks { now: Some(now), ..MaintenanceTasks::ALL };
    let npcs = store.npcs()?;
    let planned = Maintenance { config, packs: &Packs, store }.plan_embedded(
        &npcs,
        tasks,
        config.embed.window,
        |_| Ok::<_, CliError>(embedder),
    )?;
    apply_plan(store, &planned.plan)?;
    Ok(())
}

/// Returns the turns that an entry stands for: itself, and the sources of its sources.
fn turns_of(record: &MemoryRecord, by_id: &BTreeMap<&MemoryId, &MemoryRecord>) -> Vec<MemoryId> {
    let mut open = vec![&record.entry.id];
    let mut seen: BTreeSet<&MemoryId> = BTreeSet::new();
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            open.extend(by_id.get(id).into_iter().flat_map(|record| &record.entry.sources));
        }
    }
    seen.into_iter().cloned().collect()
}

fn title(store: LifeStore) -> &'static str {
    match store {
        LifeStore::Full => "full store",
        LifeStore::Random => "random turns (10 seeds)",
        LifeStore::Longest => "longest turns",
        LifeStore::Newest => "newest turns",
        LifeStore::Life => "after the life",
    }
}

fn render(report: &LifeReport) -> String {
    let mut out = format!(
        "recall of evidence after a life: {} questions about {} turns of {} conversations, weekly maintenance, as much text \
         read of each store as k average turns have\n",
        report.questions, report.turns, report.conversations
    );
    let headings = ["store", "entries", "text", "@5", "@10", "95 % of @10", "@25", "words @10"];
    let mut table = TextTable::new(headings);
    let share = |share: f64| format!("{share:.3}");
    for s in &report.scores {
        let [low, high] = s.interval;
        table.row([
            title(s.store).to_owned(),
            format!("{:.0}", s.entries),
            format!("{:.1} %", 100.0 * s.text),
            share(s.recall[0]),
            share(s.recall[AT_TEN]),
            format!("{low:.3} to {high:.3}"),
            share(s.recall[2]),
            share(s.answer_words[AT_TEN]),
        ]);
    }
    out.push_str(&table.render());
    let mut table = TextTable::new(["@10 by the age of the evidence"]);
    let ages = report.scores.first().map_or(&[][..], |score| &score.by_age);
    let ages = ages.iter().map(|age| format!("≥ {} days ({})", age.from_days, age.evidence));
    table.row(std::iter::once(String::new()).chain(ages));
    for s in &report.scores {
        let shares = s.by_age.iter().map(|age| share(age.recall));
        table.row(std::iter::once(title(s.store).to_owned()).chain(shares));
    }
    out.push_str(&table.render());
    for (s, changes) in report.scores.iter().filter_map(|s| Some((s, s.changes?))) {
        out.push_str(&format!(
            "{}: of {} statements that changed or were contradicted, the later one is there {} times and comes first {} times\n",
            title(s.store),
            changes.questions,
            changes.stands,
            changes.first
        ));
    }
    out
}

/// Returns the comparison that fails, if one does.
fn falls_short(scores: &[LifeScore]) -> Option<String> {
    let of = |store| scores.iter().find(|s| s.store == store).map_or(0.0, |s| s.recall[AT_TEN]);
    let (life, full) = (of(LifeStore::Life), of(LifeStore::Full));
    let cut = CUTS[AT_TEN];
    if life < SHARE_OF_FULL * full {
        let share = life / full.max(f64::MIN_POSITIVE);
        return Some(format!(
            "recall@{cut} after the life is {life:.4}, {share:.3} of the full store's {full:.4}; it must be {SHARE_OF_FULL}"
        ));
    }
    [LifeStore::Random, LifeStore::Longest, LifeStore::Newest]
        .into_iter()
        .find(|other| life <= of(*other))
        .map(|other| {
            format!(
                "recall@{cut} after the life is {life:.4}, not above that of {}: {:.4}",
                title(other),
                of(other)
            )
        })
}

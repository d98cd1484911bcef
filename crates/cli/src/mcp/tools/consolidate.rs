//! `consolidate`: plans the night of a day, or what the episodes in the store teach, and shows it. The plan is not kept;
//! only the command line applies.

use std::collections::BTreeSet;

use nightfold::english::Packs;
use nightfold::{
    Maintenance, MaintenanceTasks, NoObserver, Sleep,
    memory::{Counts, GameTime, Memory, NightLabel, NightPlan, NpcId, NpcNight, RunReport, TokenReport},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::request::{ToolRequest, WIDTH};
use crate::{
    commands::sleep,
    days::InputDays,
    error::CliError,
    failures::failure_lines,
    input::MemoryReading,
    mcp::{
        refusal::CallError,
        reply::{BoundedData, ToolReply},
        state::ServerState,
    },
    npcs::chosen,
    show::{Detail, DiffView, nights, text},
    terminal::Terminal,
};

/// Last line of a diff.
const DRY_RUN: &str = "dry run: nothing was written, and this server cannot write\n";

const MORE: &str = "verbose: true shows every change with its reason";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ConsolidateRequest {
    /// Day as JSONL, one memory a line, or as a JSON array of memories. A memory is {"id", "npc", "at": RFC 3339 or seconds,
    /// "kind": event|chat|thought|status|reflection, "text", "importance"?: 1 to 10, …}. Left out: the INPUT files the server was
    /// started with.
    memories: Option<String>,
    /// Only these NPCs. Left out: all of the day.
    #[serde(default)]
    npcs: Vec<NpcId>,
    /// A night for each date, instead of one for all.
    #[serde(default)]
    by_day: bool,
    /// Moment of sleep; memories after it wait for another night.
    until: Option<GameTime>,
    /// Show every change, with its reason.
    #[serde(default)]
    verbose: bool,
    /// Plan what the episodes in the store teach, instead of a day.
    #[serde(default)]
    episodes: bool,
}

impl ToolRequest for ConsolidateRequest {
    const NAME: &'static str = "consolidate";
    const SAYS: &'static str = "Plan the night of NPCs and show it as a diff: what each would keep word for word, join in \
    syntheses, corroborate, conclude and prune, with totals and an estimate of tokens. A dry run: nothing is written, \
    and no tool of this server can apply it. Show it to the user, who applies it with `nightfold sleep … --apply`. With \
    `episodes: true` no day is planned: similar episodes of several days that the store holds are grouped, each group with \
    the typed record (pattern, preference, caution, skill, person or place) that it teaches; the user applies it with \
    `nightfold maintain --only distill --apply`.";

    fn run(&self, state: &ServerState) -> Result<ToolReply, CliError> {
        if self.episodes {
            return distilled(state, self);
        }
        let memories = day(state, self.memories.as_deref(), &self.npcs)?;
        let store = state.store()?;
        let reader = store.of(memories.iter().map(|memory| &memory.npc))?;
        let lived = InputDays::of(memories, self.by_day, self.until, &state.config)?;
        let (embedder, judge) = (state.embedder()?, state.judge()?);
        let (config, observer) = (&state.config, &NoObserver);
        let sleep = Sleep { config, packs: &Packs, embedder, store: reader, language: None, judge, observer };
        let left_for_later = lived.left_for_later.clone();
        let slept = sleep.plan(lived.all(config)?)?;

        let view = self.view();
        let mut text = sleep::render(&slept, reader, view)?;
        text.push_str(&left_for_later.unwrap_or_default());
        text.push_str(&failure_lines(&slept.failures));
        text.push_str(DRY_RUN);
        reply(&slept.plan, slept.failures.len(), text)
    }
}

impl ConsolidateRequest {
    fn view(&self) -> DiffView {
        let detail = if self.verbose { Detail::Reasons } else { Detail::Changes };
        DiffView { terminal: Terminal::plain(WIDTH), detail, more: MORE }
    }
}

/// Plans what the episodes in the store teach the NPCs in scope.
fn distilled(state: &ServerState, asked: &ConsolidateRequest) -> Result<ToolReply, CliError> {
    if asked.memories.is_some() || asked.by_day || asked.until.is_some() {
        return Err(CallError::EpisodesAndDay.into());
    }
    asked.npcs.iter().try_for_each(|npc| state.scope.check(npc))?;
    let (store, embedder) = (state.store()?, state.embedder()?);
    let npcs = chosen(&asked.npcs, store.npcs()?.into_iter().collect(), "the store")?;
    let (npcs, reader) = (npcs.iter().cloned().collect::<Vec<_>>(), store.of(&npcs)?);
    let tasks = MaintenanceTasks { distil: true, ..MaintenanceTasks::default() };
    let planned = Maintenance { config: &state.config, packs: &Packs, store: reader }.plan_worded(
        &npcs,
        tasks,
        None,
        |_| Ok::<_, CliError>(embedder),
    )?;
    let mut text = nights(&planned.plan.nights, Some(reader), asked.view(), text)?;
    if planned.plan.nights.is_empty() {
        text.push_str("no episodes of several days teach anything that is not known\n");
    }
    text.push_str(&failure_lines(&planned.failures));
    text.push_str(DRY_RUN);
    reply(&planned.plan, planned.failures.len(), text)
}

/// Returns the memories to consolidate: those that the call brings, or those of the files, of the NPCs in
/// scope that are asked for.
fn day(state: &ServerState, given: Option<&str>, npcs: &[NpcId]) -> Result<Vec<Memory>, CliError> {
    npcs.iter().try_for_each(|npc| state.scope.check(npc))?;
    let reading = MemoryReading::new(&state.memories, &state.config, &state.common);
    let mut memories = match given {
        Some(text) => {
            let memories = reading.text("memories", text)?;
            memories.iter().try_for_each(|memory| state.scope.check(&memory.npc))?;
            memories
        }
        None if state.memories.inputs.is_empty() => return Err(CallError::NoInput.into()),
        None => reading.all()?,
    };
    memories.retain(|memory| state.scope.has(&memory.npc));
    let there: BTreeSet<NpcId> = memories.iter().map(|memory| memory.npc.clone()).collect();
    let npcs = chosen(npcs, there, "the day")?;
    memories.retain(|memory| npcs.contains(&memory.npc));
    let most = state.config.input.max_memories;
    if memories.len() > most {
        return Err(CallError::Many { given: memories.len(), most }.into());
    }
    Ok(memories)
}

/// Data of the result.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ConsolidateData<'a> {
    /// False: nothing was written.
    applied: bool,
    /// Sums over all nights.
    totals: &'a RunReport,
    /// Number of nights that could not be planned.
    failures: usize,
    /// Nights in numbers.
    nights: Vec<NightNumbers<'a>>,
}

impl BoundedData for ConsolidateData<'_> {
    const LIST: &'static str = "nights";
}

/// One night in numbers.
#[derive(Serialize, JsonSchema)]
struct NightNumbers<'a> {
    /// NPC that the night belongs to.
    npc: &'a NpcId,
    /// Label of the night.
    night: &'a NightLabel,
    /// Number of its changes.
    changes: usize,
    #[serde(flatten)]
    counts: Counts,
    /// Language model tokens: estimated and spent.
    tokens: TokenReport,
}

fn reply(plan: &NightPlan, failures: usize, text: String) -> Result<ToolReply, CliError> {
    let nights = plan.nights.iter().map(numbers).collect();
    let data = ConsolidateData { applied: false, totals: &plan.report, failures, nights };
    let mut reply = ToolReply::new(text, &data)?;
    reply.failed = plan.nights.is_empty() && failures > 0;
    Ok(reply)
}

fn numbers(night: &NpcNight) -> NightNumbers<'_> {
    let NpcNight { npc, night, changes, report, .. } = night;
    NightNumbers { npc, night, changes: changes.len(), counts: report.counts, tokens: report.tokens }
}

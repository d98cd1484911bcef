//! `why`: explains where a memory comes from, what became of it, and why.

use nightfold::memory::{LogLine, MemoryId, MemoryRecord, NpcId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::request::{ToolRequest, WIDTH};
use crate::{
    commands::why::{EntryHistory, WhyOutput},
    error::CliError,
    mcp::{
        reply::{BoundedData, ToolReply},
        state::ServerState,
    },
    terminal::Terminal,
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WhyRequest {
    /// Id of the entry, as `recall` and `consolidate` show it in brackets.
    id: MemoryId,
    /// NPC that has it; needed where several NPCs have a memory of this id.
    npc: Option<NpcId>,
}

/// Data of the result.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WhyData {
    /// The entry.
    memory: MemoryRecord,
    /// Changes to it, in the order of nights.
    log: Vec<LogLine>,
    /// Entries that it comes from, that were made from it, or that contradict it.
    related: Vec<RelatedEntry>,
}

impl BoundedData for WhyData {
    const LIST: &'static str = "related";
}

/// Neighbour of an entry.
#[derive(Serialize, JsonSchema)]
struct RelatedEntry {
    /// `from` (a source), `into` (derived from the entry) or `contested`.
    #[schemars(extend("enum" = ["from", "into", "contested"]))]
    is: &'static str,
    /// The neighbour.
    entry: MemoryRecord,
}

impl ToolRequest for WhyRequest {
    const NAME: &'static str = "why";
    const SAYS: &'static str = "Explain one memory or entry by its id: what happened to it in which night and by which rule, \
    what it was made from, and what was made from it, archived entries included.";

    fn run(&self, state: &ServerState) -> Result<ToolReply, CliError> {
        let store = state.store()?;
        let npc = store.owner(&self.id, self.npc.as_ref())?;
        let history = EntryHistory::of(store.of([&npc])?, &self.id, npc)?;
        let text = history.text(Terminal::plain(WIDTH))?;
        let WhyOutput { memory, log, from, into, contested } = history.output();
        let neighbours = [("from", from), ("into", into), ("contested", contested)].into_iter();
        let related = neighbours
            .flat_map(|(is, entries)| entries.into_iter().map(move |entry| RelatedEntry { is, entry }))
            .collect();
        ToolReply::new(text, &WhyData { memory, log, related })
    }
}

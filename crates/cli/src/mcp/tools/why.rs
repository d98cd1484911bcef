//! `why`: explains where a memory comes from, what became of it, and why.

use nightfold::memory::{MemoryId, NpcId};
use serde::Deserialize;
use serde_json::json;

use super::schema::ArgumentSchema;
use crate::{
    commands::why::EntryHistory,
    error::CliError,
    mcp::{
        reply::{ToolReply, data},
        state::ServerState,
    },
    terminal::Terminal,
};

pub(super) const NAME: &str = "why";

pub(super) const SAYS: &str = "Explain one memory or entry by its id: what happened to it in which night and by which rule, \
    what it was made from, and what was made from it, archived entries included.";

const WIDTH: usize = 80;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WhyRequest {
    id: MemoryId,
    npc: Option<NpcId>,
}

pub(super) fn takes() -> ArgumentSchema {
    let properties = json!({
        "id": {"type": "string", "description": "The id, as `recall` and `consolidate` show it in brackets."},
        "npc": {"type": "string", "description": "Whose it is; needed where several NPCs have a memory of this id."},
    });
    ArgumentSchema { properties, required: &["id"] }
}

pub(super) fn run(state: &ServerState, asked: &WhyRequest) -> Result<ToolReply, CliError> {
    let store = state.store()?;
    if let Some(npc) = &asked.npc {
        state.known(&store, npc)?;
    }
    let history = EntryHistory::of(&store, &asked.id, asked.npc.as_ref())?;
    let text = history.text(Terminal::plain(WIDTH))?;
    let output = history.output();
    let mut related = Vec::new();
    for (what, entries) in [("from", &output.from), ("into", &output.into), ("contested", &output.contested)]
    {
        for entry in entries {
            related.push(json!({ "is": what, "entry": data(entry)? }));
        }
    }
    let mut reply = ToolReply::new(text, "related", related);
    reply.fact("memory", &output.memory)?;
    reply.fact("log", &output.log)?;
    Ok(reply)
}

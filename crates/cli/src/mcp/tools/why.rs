//! `why`: where a memory comes from, what became of it, and why.

use nightfold::memory::{MemoryId, NpcId};
use serde::Deserialize;
use serde_json::json;

use super::Takes;
use crate::{
    commands::why::Story,
    error::CliError,
    mcp::{
        desk::Desk,
        reply::{Reply, data},
    },
    terminal::Terminal,
};

pub(super) const NAME: &str = "why";

pub(super) const SAYS: &str = "Explain one memory or entry by its id: what happened to it in which night and by which rule, \
    what it was made from, and what was made from it, archived entries included.";

const WIDTH: usize = 80;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    id: MemoryId,
    npc: Option<NpcId>,
}

pub(super) fn takes() -> Takes {
    let properties = json!({
        "id": {"type": "string", "description": "The id, as `recall` and `consolidate` show it in brackets."},
        "npc": {"type": "string", "description": "Whose it is; needed where several NPCs have a memory of this id."},
    });
    Takes { properties, required: &["id"] }
}

pub(super) fn run(desk: &Desk, asked: &Asked) -> Result<Reply, CliError> {
    let store = desk.store()?;
    if let Some(npc) = &asked.npc {
        desk.known(&store, npc)?;
    }
    let story = Story::of(&store, &asked.id, asked.npc.as_ref())?;
    let text = story.text(Terminal::plain(WIDTH))?;
    let told = story.told();
    let mut related = Vec::new();
    for (what, entries) in [("from", &told.from), ("into", &told.into), ("contested", &told.contested)] {
        for entry in entries {
            related.push(json!({ "is": what, "entry": data(entry)? }));
        }
    }
    let mut reply = Reply::new(text, "related", related);
    reply.fact("memory", &told.memory)?;
    reply.fact("log", &told.log)?;
    Ok(reply)
}

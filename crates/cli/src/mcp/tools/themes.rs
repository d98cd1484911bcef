//! `themes`: what occupies an NPC night after night.

use nightfold::memory::NpcId;
use serde::Deserialize;
use serde_json::json;

use super::Takes;
use crate::{
    commands::themes,
    error::CliError,
    mcp::{
        desk::Desk,
        reply::{Reply, data},
    },
    terminal::Terminal,
};

pub(super) const NAME: &str = "themes";

pub(super) const SAYS: &str = "What occupies an NPC night after night: its themes, the last seen first, each with its telling \
    words, the nights it came up on, and how many memories it had in each.";

const WIDTH: usize = 80;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    npc: NpcId,
}

pub(super) fn takes() -> Takes {
    Takes {
        properties: json!({"npc": {"type": "string", "description": "Whose themes."}}),
        required: &["npc"],
    }
}

pub(super) fn run(desk: &Desk, asked: &Asked) -> Result<Reply, CliError> {
    let store = desk.store()?;
    desk.known(&store, &asked.npc)?;
    let themes = themes::themes(&store, &asked.npc)?;
    let text = themes::text(&store, &asked.npc, &themes, Terminal::plain(WIDTH))?;
    let mut reply = Reply::new(text, "themes", themes.iter().map(data).collect::<Result<_, _>>()?);
    reply.fact("npc", &asked.npc)?;
    Ok(reply)
}

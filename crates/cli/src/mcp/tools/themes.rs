//! `themes`: shows an NPC's themes and the nights on which each was seen.

use nightfold::memory::{NpcId, ThemeHistory};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::schema::ArgumentSchema;
use crate::{
    commands::themes,
    error::CliError,
    mcp::{
        reply::{BoundedData, ToolReply},
        state::ServerState,
    },
    terminal::Terminal,
};

pub(super) const NAME: &str = "themes";

pub(super) const SAYS: &str = "What occupies an NPC night after night: its themes, the last seen first, each with its telling \
    words, the nights it came up on, and how many memories it had in each.";

const WIDTH: usize = 80;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ThemesRequest {
    npc: NpcId,
}

/// Data of the result.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ThemesData<'a> {
    /// NPC that has the themes.
    npc: &'a NpcId,
    /// Themes of the NPC, the last seen first.
    themes: Vec<ThemeHistory>,
}

impl BoundedData for ThemesData<'_> {
    const LIST: &'static str = "themes";
}

pub(super) fn takes() -> ArgumentSchema {
    ArgumentSchema {
        properties: json!({"npc": {"type": "string", "description": "Whose themes."}}),
        required: &["npc"],
    }
}

pub(super) fn run(state: &ServerState, asked: &ThemesRequest) -> Result<ToolReply, CliError> {
    let store = state.store()?;
    state.known(&store, &asked.npc)?;
    let themes = themes::themes(&store, &asked.npc)?;
    let text = themes::text(&store, &asked.npc, &themes, Terminal::plain(WIDTH))?;
    ToolReply::new(text, &ThemesData { npc: &asked.npc, themes })
}

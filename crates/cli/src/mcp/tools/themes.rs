//! `themes`: shows an NPC's themes and the nights on which each was seen.

use nightfold::memory::{NpcId, ThemeHistory};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::request::{ToolRequest, WIDTH};
use crate::{
    commands::themes,
    error::CliError,
    mcp::{
        reply::{BoundedData, ToolReply},
        state::ServerState,
    },
    terminal::Terminal,
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ThemesRequest {
    /// NPC that has the themes.
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

impl ToolRequest for ThemesRequest {
    const NAME: &'static str = "themes";
    const SAYS: &'static str = "Show what occupies an NPC night after night: its themes, the last seen first, each with its telling \
    words, the nights it came up on, and how many memories it had in each.";

    fn run(&self, state: &ServerState) -> Result<ToolReply, CliError> {
        let store = state.store()?;
        let reader = store.of_known(&self.npc)?;
        let themes = themes::themes(reader, &self.npc)?;
        let text = themes::text(reader, &self.npc, &themes, Terminal::plain(WIDTH))?;
        ToolReply::new(text, &ThemesData { npc: &self.npc, themes })
    }
}

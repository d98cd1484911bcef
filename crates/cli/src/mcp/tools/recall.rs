//! `recall`: queries an NPC's memory. Nothing is touched: a query from here does not keep an entry recent.

use nightfold::{Recall, RecallPorts, RecallScope, consolidate::Recalled, english::Packs, memory::NpcId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::request::{ToolRequest, WIDTH};
use crate::{
    commands::recall::recall_text,
    error::CliError,
    mcp::{
        refusal::CallError,
        reply::{BoundedData, ToolReply},
        state::ServerState,
    },
    terminal::Terminal,
};

/// Largest limit of entries.
const MOST: usize = 1000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RecallRequest {
    /// NPC whose memory is asked.
    npc: NpcId,
    /// Query, in words.
    query: String,
    /// Number of entries at most. Default: recall.limit of the configuration.
    #[schemars(range(min = 1, max = MOST))]
    limit: Option<u64>,
}

/// Data of the result.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RecallData<'a> {
    /// NPC that was asked.
    npc: &'a NpcId,
    /// Entries that the query recalls, best first.
    entries: Vec<Recalled<'a>>,
}

impl BoundedData for RecallData<'_> {
    const LIST: &'static str = "entries";
}

impl ToolRequest for RecallRequest {
    const NAME: &'static str = "recall";
    const SAYS: &'static str = "Ask an NPC's long-term memory: the entries that come to mind at a query, by how close \
    they are to it, how recent and how important; archived ones come faintly. Asking changes nothing.";

    fn run(&self, state: &ServerState) -> Result<ToolReply, CliError> {
        let limit = |given| match usize::try_from(given) {
            Ok(limit) if (1..=MOST).contains(&limit) => Ok(limit),
            _ => Err(CallError::Range { name: "limit", given, least: 1, most: MOST, key: "recall.limit" }),
        };
        let limit = self.limit.map(limit).transpose()?;
        if self.query.trim().is_empty() {
            return Err(CallError::Blank.into());
        }
        let most = state.config.input.max_text_bytes;
        if self.query.len() > most {
            let (given, key) = (self.query.len() as u64, "input.max_text_bytes");
            return Err(CallError::Range { name: "query (bytes)", given, least: 1, most, key }.into());
        }
        let store = state.store()?;
        let ports =
            RecallPorts { store: store.of_known(&self.npc)?, embedder: state.embedder()?, packs: &Packs };
        let mut recall = Recall::new(ports, &state.config, &self.npc, &self.query, RecallScope::Remembered)?;
        recall.settings.limit = limit.unwrap_or(recall.settings.limit);
        let text = recall_text(&recall, false, Terminal::plain(WIDTH));
        ToolReply::new(text, &RecallData { npc: &self.npc, entries: recall.found() })
    }
}

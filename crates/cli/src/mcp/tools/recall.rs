//! `recall`: queries an NPC's memory. Nothing is touched: a query from here does not keep an entry recent.

use nightfold::{consolidate::Recalled, memory::NpcId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::schema::ArgumentSchema;
use crate::{
    commands::recall::{AskedAt, PreparedRecall},
    error::CliError,
    mcp::{
        call::CallError,
        reply::{BoundedData, ToolReply},
        state::ServerState,
    },
    terminal::Terminal,
};

pub(super) const NAME: &str = "recall";

pub(super) const SAYS: &str = "Ask an NPC's long-term memory: the active entries that come to mind at a query, by how close \
    they are to it, how recent and how important. Asking changes nothing.";

const MOST: usize = 1000;
const WIDTH: usize = 80;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecallRequest {
    npc: NpcId,
    query: String,
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

pub(super) fn takes() -> ArgumentSchema {
    let limit = format!("How many entries, 1 to {MOST}. Default: recall.limit of the configuration.");
    let properties = json!({
        "npc": {"type": "string", "description": "Whose memory is asked."},
        "query": {"type": "string", "description": "What about, in words."},
        "limit": {"type": "integer", "minimum": 1, "maximum": MOST, "description": limit},
    });
    ArgumentSchema { properties, required: &["npc", "query"] }
}

pub(super) fn run(state: &ServerState, asked: &RecallRequest) -> Result<ToolReply, CliError> {
    let limit = match asked.limit.map(|given| (given, usize::try_from(given))) {
        None => None,
        Some((_, Ok(limit))) if (1..=MOST).contains(&limit) => Some(limit),
        Some((given, _)) => {
            return Err(
                CallError::Range { name: "limit", given, least: 1, most: MOST, key: "recall.limit" }.into()
            );
        }
    };
    if asked.query.trim().is_empty() {
        return Err(CallError::Blank.into());
    }
    let most = state.config.input.max_text_bytes;
    if asked.query.len() > most {
        let (given, key) = (asked.query.len() as u64, "input.max_text_bytes");
        return Err(CallError::Range { name: "query (bytes)", given, least: 1, most, key }.into());
    }
    let store = state.store()?;
    state.known(&store, &asked.npc)?;
    let recall = PreparedRecall::new(
        &store,
        state.embedder()?,
        (&state.config, limit),
        &asked.npc,
        &asked.query,
        AskedAt::LatestNight,
    )?;
    let found = recall.found();
    let text = recall.text(&found, false, Terminal::plain(WIDTH));
    ToolReply::new(text, &RecallData { npc: &asked.npc, entries: found })
}

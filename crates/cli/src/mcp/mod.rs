//! The MCP server: lets an assistant read NPCs' memory, and change nothing.
//!
//! | what | is ensured by |
//! |---|---|
//! | nothing is written | [`scope::ScopedStore`] opens the store for reading only, anew for each call; no tool applies |
//! | no NPC outside the scope is seen | [`scope::ScopedStore`] hands its reader out for NPCs in scope alone |
//! | sizes are bounded | [`transport`] for messages, [`state`] for calls, [`reply`] for results: `[mcp]` |
//! | memory text is data | [`reply`] cleans every string and says whose text it is |

mod nights;
mod refusal;
mod reply;
mod scope;
mod server;
mod state;
mod tools;
mod transport;

use self::reply::bounded_schema;
pub(crate) use self::{scope::Scope, server::serve, state::ServerState};
use crate::output_schema::OutputSchema;

/// Data that the server returns, by tool, and of its resources.
pub(crate) const SCHEMAS: &[OutputSchema] = &[
    OutputSchema {
        name: "mcp-consolidate",
        title: "Data of the tool consolidate: a plan in numbers",
        calls: &["mcp"],
        schema: bounded_schema::<tools::ConsolidateData<'_>>,
    },
    OutputSchema {
        name: "mcp-recall",
        title: "Data of the tool recall: entries that a query recalls",
        calls: &["mcp"],
        schema: bounded_schema::<tools::RecallData<'_>>,
    },
    OutputSchema {
        name: "mcp-why",
        title: "Data of the tool why: an entry with its log and its neighbours",
        calls: &["mcp"],
        schema: bounded_schema::<tools::WhyData>,
    },
    OutputSchema {
        name: "mcp-themes",
        title: "Data of the tool themes: themes of an NPC",
        calls: &["mcp"],
        schema: bounded_schema::<tools::ThemesData<'_>>,
    },
    OutputSchema {
        name: "mcp-night",
        title: "Data of a resource: an applied night",
        calls: &["mcp"],
        schema: bounded_schema::<nights::NightData>,
    },
];

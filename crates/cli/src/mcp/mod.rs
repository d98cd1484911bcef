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
use crate::output_schema::SchemaMaker;

/// Data that the server returns, by tool, and of its resources.
pub(crate) const SCHEMAS: &[(&str, SchemaMaker)] = &[
    ("mcp-consolidate", bounded_schema::<tools::ConsolidateData<'_>>),
    ("mcp-recall", bounded_schema::<tools::RecallData<'_>>),
    ("mcp-why", bounded_schema::<tools::WhyData>),
    ("mcp-themes", bounded_schema::<tools::ThemesData<'_>>),
    ("mcp-night", bounded_schema::<nights::NightData>),
];

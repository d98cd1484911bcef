//! The MCP server: lets an assistant read NPCs' memory, and change nothing.
//!
//! | what | is ensured by |
//! |---|---|
//! | nothing is written | [`scope::ScopedStore`] opens the store for reading only, anew for each call; no tool applies |
//! | no NPC outside the scope is seen | tools are given [`scope::ScopedStore`] in place of the store: for it the others have no memory |
//! | sizes are bounded | [`transport`] for messages, [`state`] for calls, [`call`] for arguments, [`reply`] for results: `[mcp]` |
//! | memory text is data | [`reply`] cleans every string and says whose text it is |

mod call;
mod id_finder;

mod nights;
mod reply;
mod scope;
mod server;
mod state;
mod tools;
mod transport;

pub(crate) use self::{scope::Scope, server::serve, state::ServerState};

//! The MCP server: what an assistant may ask of NPCs' memory, and nothing it could change.
//!
//! | what | is ensured by |
//! |---|---|
//! | nothing is written | [`scope::Scoped`] opens the store for reading only, anew for each call; no tool applies |
//! | no NPC outside the scope is seen | tools are given [`scope::Scoped`] in place of the store: for it the others have no memory |
//! | sizes are bounded | [`lines`] for messages, [`desk`] for calls, [`call`] for arguments, [`reply`] for results: `[mcp]` |
//! | memory text is data | [`reply`] cleans every string and says whose text it is |

mod call;
mod desk;
mod lines;
mod long_line;
mod nights;
mod reply;
mod scope;
mod server;
mod tools;

pub(crate) use self::{desk::Desk, scope::Scope, server::serve};

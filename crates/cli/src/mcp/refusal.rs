//! Refusals of calls.

use std::collections::BTreeSet;

use nightfold::memory::NpcId;

use crate::{
    error::{CliError, Exit},
    npcs::listed,
};

/// Refusal of a call. Each variant names what is allowed, because the client sees nothing else.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallError {
    #[error("there is no tool `{name}`; there are {tools}")]
    Tool { name: String, tools: String },
    #[error("arguments of `{tool}`: {problem}")]
    Arguments { tool: &'static str, problem: serde_path_to_error::Error<serde_json::Error> },
    #[error("this server does not answer for `{npc}`, only for {}", listed(npcs))]
    Scope { npc: NpcId, npcs: BTreeSet<NpcId> },
    #[error("the store has no NPC `{npc}`; {known}")]
    Stranger { npc: NpcId, known: String },
    #[error("argument `{name}` is {given}; it must lie between {least} and {most} ({key})")]
    Range { name: &'static str, given: u64, least: usize, most: usize, key: &'static str },
    #[error("argument `query` is blank; it needs a word at least")]
    Blank,
    #[error(
        "{given} memories; one call may sleep on {most} (input.max_memories): choose NPCs with `npcs`, or bring fewer"
    )]
    Many { given: usize, most: usize },
    #[error(
        "there is nothing to sleep on: give `memories`, since this server was started without INPUT files"
    )]
    NoInput,
    #[error(
        "`episodes: true` plans what the episodes in the store teach: leave out `memories`, `by_day` and `until`"
    )]
    EpisodesAndDay,
    #[error("{most} calls are at work or waiting already; ask again when one is answered")]
    Busy { most: u32 },
    #[error("the call failed inside the server; what it is about is on the server's standard error")]
    Failed,
}

impl From<CallError> for CliError {
    fn from(error: CallError) -> Self {
        Self::new(Exit::Usage, error)
    }
}

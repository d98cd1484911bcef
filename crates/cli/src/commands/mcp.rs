//! `nightfold mcp`: serves NPCs' memory to assistants, on standard input and output.

use std::{collections::BTreeSet, path::Path};

use nightfold::memory::{NpcId, config::JudgeBy};

use crate::{
    args::{Common, McpArgs},
    config,
    error::{CliError, Exit, message},
    input::MemoryReading,
    mcp::{Scope, ServerState, serve},
    models::use_threads,
    npcs::chosen,
    store,
};

pub(crate) fn run(args: &McpArgs, common: &Common) -> Result<(), CliError> {
    let config = config::load(common)?;
    use_threads(common)?;
    if args.memories.inputs.iter().any(|path| path == Path::new("-")) {
        return Err(message(Exit::Usage, "standard input carries the protocol, and cannot be an INPUT")
            .hint("name a file"));
    }
    if config.judge.by == JudgeBy::Language {
        return Err(message(
            Exit::Usage,
            "a language model is to judge (judge.by), and this server asks none",
        )
        .hint("judge by the rules: --set judge.by=rules"));
    }
    // What is wrong with the store or the input is said at once, to the one who starts the server.
    let mut known: BTreeSet<NpcId> = store::read_only(&args.store)?.npcs()?.into_iter().collect();
    if !args.memories.inputs.is_empty() {
        let lived = MemoryReading::new(&args.memories, &config, common).all()?;
        known.extend(lived.into_iter().map(|memory| memory.npc));
    }
    let scope = if args.npc.is_empty() {
        Scope::All
    } else {
        Scope::Only(chosen(&args.npc, known, "the store or the input")?)
    };
    serve(ServerState::new(config, common.clone(), args.store.clone(), scope, args.memories.clone()))
}

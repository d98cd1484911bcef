//! `nightfold mcp`: serves NPCs' memory to assistants, on standard input and output.

use std::{collections::BTreeSet, path::Path};

use nightfold::memory::{NpcId, config::JudgeBy};
use nightfold_formats::jsonl::VectorRule;

use crate::{
    args::{Common, McpArgs, OnBadLine},
    config,
    error::{CliError, Exit, message},
    input::memories,
    mcp::{Scope, ServerState, serve},
    models::{models, use_threads},
    npcs::chosen,
    store,
};

pub(crate) fn run(args: &McpArgs, common: &Common) -> Result<(), CliError> {
    let config = config::load(common)?;
    use_threads(common)?;
    if args.inputs.iter().any(|path| path == Path::new("-")) {
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
    if !args.inputs.is_empty() {
        let models = models(common, &config);
        let vectors = VectorRule {
            given: args.vector_model.as_deref(),
            model: models.model_id(),
            dimensions: nightfold_embed::DIMENSIONS,
        };
        let lived = memories(&args.inputs, &config, OnBadLine::Stop, &vectors)?;
        known.extend(lived.into_iter().map(|memory| memory.npc));
    }
    let scope = if args.npc.is_empty() {
        Scope::All
    } else {
        Scope::Only(chosen(&args.npc, known, "the store or the input")?)
    };
    let (store, inputs) = (args.store.clone(), args.inputs.clone());
    serve(ServerState::new(config, common.clone(), store, scope, inputs, args.vector_model.clone()))
}

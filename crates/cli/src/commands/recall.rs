//! `nightfold recall`: what comes to an NPC's mind.

use nightfold::{
    consolidate::RecallIndex,
    memory::{Embedder, MemoryId, MemoryStore},
};

use crate::{
    args::{Common, Recall},
    config,
    error::{CliError, Exit, message},
    models::embedder,
    output,
    show::{entry_line, hang},
    store,
    terminal::{Role, Terminal},
};

pub(crate) fn run(args: &Recall, common: &Common) -> Result<(), CliError> {
    let config = config::load(common)?;
    let store = if args.touch { store::existing(&args.store, None)? } else { store::read_only(&args.store)? };
    store::npcs(&store, std::slice::from_ref(&args.npc))?;
    let past = store.past(&args.npc)?;
    let embedder = embedder(common, &config, 1)?;
    if let Some(stored) = past.model.as_ref().filter(|m| *m != embedder.model()) {
        let text =
            format!("the store's vectors are of {stored}, and the query's would be of {}", embedder.model());
        return Err(message(Exit::Store, text));
    }
    let now = match args.now {
        Some(now) => now,
        None => match past.entries.iter().map(|m| m.touched_at).max() {
            Some(latest) => latest,
            None => return output::text("nothing is remembered\n"),
        },
    };
    let query = embedder.embed(&[args.query.as_str()])?;
    let mut settings = config.recall.clone();
    if let Some(limit) = args.limit {
        settings.limit = usize::from(limit);
    }
    let index = RecallIndex::new(past.entries);
    let found = index.recall(query.vectors.row(0), now, &settings);
    if args.touch {
        let ids: Vec<MemoryId> = found.iter().map(|r| r.memory.entry.id.clone()).collect();
        store.touch(&args.npc, &ids, now)?;
    }
    if args.json {
        return output::json(&found);
    }
    let terminal = Terminal::stdout();
    let mut out = String::new();
    for recalled in &found {
        out.push_str(&entry_line(recalled.memory, terminal));
        if args.explain {
            let parts = format!(
                "score {:.3} = relevance {:.3} × {}, recency {:.3} × {}, importance {:.3} × {}",
                recalled.score,
                recalled.relevance,
                settings.relevance,
                recalled.recency,
                settings.recency,
                recalled.importance,
                settings.importance
            );
            out.push_str(&terminal.paint(Role::Faint, &hang("      ", 6, &parts, terminal.width)));
        }
    }
    output::text(&out)
}

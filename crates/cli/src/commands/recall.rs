//! `nightfold recall`: queries an NPC's memory.

use std::collections::BTreeMap;

use nightfold::{
    consolidate::{RecallIndex, Recalled},
    memory::{
        Embedder, GameTime, MemoryId, MemoryReader, MemoryStore as _, NpcId, Vectors, config::RecallConfig,
    },
};

use crate::{
    args::{Common, RecallArgs},
    config,
    error::{CliError, Exit, message},
    models::embedder,
    output,
    show::{contested_lines, entry_line, hang},
    store,
    terminal::{Terminal, TextRole},
};

pub(crate) fn run(args: &RecallArgs, common: &Common) -> Result<(), CliError> {
    let config = config::load(common)?;
    let store = if args.touch { store::existing(&args.store, None)? } else { store::read_only(&args.store)? };
    store::npcs(&store, std::slice::from_ref(&args.npc))?;
    let mut settings = config.recall.clone();
    settings.limit = args.limit.map_or(settings.limit, usize::from);
    let embedder = embedder(common, &config, 1)?;
    let recall = PreparedRecall::new(&store, &embedder, settings, &args.npc, &args.query, args.now)?;
    let found = recall.found();
    if let (true, Some(now)) = (args.touch, recall.now) {
        let ids: Vec<MemoryId> = found.iter().map(|r| r.memory.entry.id.clone()).collect();
        store.touch(&args.npc, &ids, now)?;
    }
    if args.json {
        output::json(&found)
    } else {
        output::text(&recall.text(&found, args.explain, Terminal::stdout()))
    }
}

/// Query to an NPC's long-term memory, ready to be answered.
pub(crate) struct PreparedRecall {
    index: RecallIndex,
    query: Vectors,
    /// Moment of the query; none if the NPC has no entries.
    now: Option<GameTime>,
    settings: RecallConfig,
    /// Texts of contested entries by id.
    contested: BTreeMap<MemoryId, String>,
}

impl PreparedRecall {
    /// Prepares a query at a moment, or at the NPC's latest night.
    pub(crate) fn new(
        store: &dyn MemoryReader,
        embedder: &dyn Embedder,
        settings: RecallConfig,
        npc: &NpcId,
        query: &str,
        now: Option<GameTime>,
    ) -> Result<Self, CliError> {
        let past = store.snapshot(npc)?;
        if let Some(stored) = past.model.as_ref().filter(|m| *m != embedder.model()) {
            let text = format!(
                "the store's vectors are of {stored}, and the query's would be of {}",
                embedder.model()
            );
            return Err(message(Exit::Store, text));
        }
        let now = now.or_else(|| past.entries.iter().map(|m| m.touched_at).max());
        let query = embedder.embed(&[query])?.vectors;
        let contested = past.entries.iter().filter(|m| !m.contested_with.is_empty());
        let contested = contested.map(|m| (m.entry.id.clone(), m.entry.text.clone())).collect();
        Ok(Self { index: RecallIndex::new(past.entries), query, now, settings, contested })
    }

    /// Returns the entries found, best first.
    pub(crate) fn found(&self) -> Vec<Recalled<'_>> {
        self.now.map_or_else(Vec::new, |now| self.index.recall(self.query.row(0), now, &self.settings))
    }

    /// Returns the entries as text.
    pub(crate) fn text(&self, found: &[Recalled<'_>], explain: bool, terminal: Terminal) -> String {
        if self.now.is_none() {
            return "nothing is remembered\n".to_owned();
        }
        let mut out = String::new();
        for recalled in found {
            out.push_str(&entry_line(recalled.memory, terminal));
            let text = |id: &_| self.contested.get(id).map(String::as_str);
            out.push_str(&contested_lines(recalled.memory, text, terminal));
            if explain {
                let parts = format!(
                    "score {:.3} = relevance {:.3} × {}, recency {:.3} × {}, importance {:.3} × {}",
                    recalled.score,
                    recalled.relevance,
                    self.settings.relevance,
                    recalled.recency,
                    self.settings.recency,
                    recalled.importance,
                    self.settings.importance
                );
                out.push_str(&terminal.paint(TextRole::Faint, &hang("      ", 6, &parts, terminal.width)));
            }
        }
        out
    }
}

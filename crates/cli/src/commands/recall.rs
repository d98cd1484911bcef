//! `nightfold recall`: queries an NPC's memory.

use std::collections::BTreeMap;

use nightfold::{
    consolidate::{ContextLimits, RecallIndex, RecallQuery, Recalled, themes::recall_theme},
    english::Packs,
    entries_at,
    memory::{
        Embedder, GameTime, LanguagePack, MemoryId, MemoryReader, MemoryRecord, NpcId, ThemeId, ValidConfig,
        config::RecallConfig,
    },
    pack_for_entries, recallable,
};

use crate::{
    args::{Common, RecallArgs},
    commands::themes,
    config,
    error::{CliError, Exit, message},
    models::embedder,
    output,
    show::{entry_line, mark_lines, wrap_hanging},
    store,
    terminal::{Terminal, TextRole},
};

pub(crate) fn run(args: &RecallArgs, common: &Common) -> Result<(), CliError> {
    let config = config::load(common)?;
    let store = store::open_to(&args.write.store, args.touch, args.write.wait)?;
    store::npcs(store.as_ref(), std::slice::from_ref(&args.npc))?;
    let limit = args.limit.map(usize::from);
    let Some(query) = &args.query else {
        return args.theme.as_ref().map_or(Ok(()), |theme| of_theme(store.as_ref(), args, theme, &config));
    };
    let embedder = embedder(common, &config, 1)?;
    let moment = match (args.at, args.now) {
        (Some(at), _) => AskedAt::Past(at),
        (None, Some(now)) => AskedAt::At(now),
        (None, None) => AskedAt::LatestNight,
    };
    let searched = if args.all { Searched::All } else { Searched::Recallable };
    let recall = PreparedRecall::new(
        store.as_ref(),
        &embedder,
        (&config, limit),
        &args.npc,
        query,
        (moment, searched),
    )?;
    let found = recall.found();
    if let (true, Some(now)) = (args.touch, recall.now) {
        let ids: Vec<MemoryId> = found.iter().map(|r| r.memory.entry.id.clone()).collect();
        store.touch(&args.npc, &ids, now)?;
    }
    if let Some(tokens) = args.context {
        let turns_at = config.day.turns_at;
        output::text(&recall.context(ContextLimits { tokens: tokens as usize, turns_at }))
    } else if args.json {
        output::json(&found)
    } else {
        output::text(&recall.text(&found, args.explain, Terminal::stdout()))
    }
}

/// Prints the entries of a theme, and those that the nearest themes bring.
fn of_theme(
    store: &dyn MemoryReader,
    args: &RecallArgs,
    id: &ThemeId,
    config: &ValidConfig,
) -> Result<(), CliError> {
    let records = store.entries(&args.npc)?;
    let tags = store.latest_night(&args.npc)?.map_or_else(Vec::new, |night| night.npc_tags);
    let limit = args.limit.map_or_else(|| config.for_npc(&args.npc, &tags).recall.limit, usize::from);
    let related = themes::related(store, &args.npc, &records)?;
    let Some(recalled) = recall_theme(id, &related, &records, limit) else {
        let text = format!("{} has no theme `{id}`", args.npc);
        return Err(message(Exit::Usage, text).hint("`nightfold themes` lists them"));
    };
    if args.json {
        return output::json(&recalled);
    }
    let terminal = Terminal::stdout();
    let mut out = String::new();
    for theme in recalled {
        let name = themes::headline(theme.words, theme.id);
        let head = match theme.relation {
            Some(relation) => format!("near: {name}: {}", themes::reasons(relation)),
            None => name,
        };
        out.push_str(&terminal.paint(TextRole::Title, &wrap_hanging("", 0, &head, terminal.width)));
        theme.entries.iter().for_each(|memory| out.push_str(&entry_line(memory, terminal)));
    }
    output::text(&out)
}

/// Returns all entries of an NPC, with their vectors where they have one.
fn all_entries(store: &dyn MemoryReader, npc: &NpcId) -> Result<Vec<MemoryRecord>, CliError> {
    let mut entries = Vec::new();
    for record in store.entries(npc)? {
        entries.extend(store.entry(npc, &record.entry.id)?);
    }
    Ok(entries)
}

/// Returns a moment, if the ages of an NPC's entries can be counted from it on.
fn checked_now(store: &dyn MemoryReader, npc: &NpcId, now: GameTime) -> Result<GameTime, CliError> {
    match store.latest_night(npc)? {
        Some(latest) if !latest.allows_now(now) => {
            let text = format!(
                "{npc} cannot be asked as of {now}: its latest night was at {}, and ages are counted from there on",
                latest.at
            );
            Err(message(Exit::Usage, text).hint("`--at TIME` asks what the NPC knew at an earlier moment"))
        }
        _ => Ok(now),
    }
}

/// Moment of a query.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AskedAt {
    /// The NPC's latest night.
    LatestNight,
    /// A moment at which the entries of today are searched.
    At(GameTime),
    /// A moment in the past, at which the entries of that time are searched.
    Past(GameTime),
}

/// Entries that a query searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Searched {
    /// The active entries and those that may come faintly to mind.
    Recallable,
    /// All entries that have a vector or a sketch.
    All,
}

/// Query to an NPC's long-term memory, ready to be answered.
pub(crate) struct PreparedRecall {
    index: RecallIndex,
    query: RecallQuery,
    pack: &'static dyn LanguagePack,
    /// Moment of the query; none if the NPC has no entries.
    now: Option<GameTime>,
    settings: RecallConfig,
    /// Texts of contested entries by id.
    contested: BTreeMap<MemoryId, String>,
}

impl PreparedRecall {
    /// Prepares a query of at most `limit` entries; without a limit, of as many as the NPC's configuration says.
    pub(crate) fn new(
        store: &dyn MemoryReader,
        embedder: &dyn Embedder,
        (config, limit): (&ValidConfig, Option<usize>),
        npc: &NpcId,
        query: &str,
        (moment, searched): (AskedAt, Searched),
    ) -> Result<Self, CliError> {
        let mut past = store.snapshot(npc)?;
        let mut settings = config.for_npc(npc, &past.npc_tags).recall.clone();
        settings.limit = limit.unwrap_or(settings.limit);
        if let Some(stored) = past.model.as_ref().filter(|m| *m != embedder.model()) {
            let text = format!(
                "the store's vectors are of {stored}, and the query's would be of {}",
                embedder.model()
            );
            return Err(message(Exit::Store, text));
        }
        let now = match moment {
            AskedAt::At(now) => Some(checked_now(store, npc, now)?),
            AskedAt::LatestNight => past.entries.iter().map(|m| m.touched_at).max(),
            AskedAt::Past(at) => {
                past.entries = entries_at(store, npc, at)?;
                (!past.entries.is_empty()).then_some(at)
            }
        };
        let vectors = embedder.embed(&[query])?.vectors;
        let pack = pack_for_entries(&past.entries, &Packs, config)?;
        let query = RecallQuery::new(query, vectors.row(0), pack);
        let contested = past.entries.iter().filter(|m| !m.contested_with.is_empty());
        let contested = contested.map(|m| (m.entry.id.clone(), m.entry.text.clone())).collect();
        let index = match (moment, searched) {
            (AskedAt::Past(_), _) => RecallIndex::new(past.entries, pack),
            (_, Searched::Recallable) => {
                RecallIndex::new(recallable(store, npc, past.entries, &settings)?, pack)
            }
            (_, Searched::All) => RecallIndex::of_history(all_entries(store, npc)?, pack),
        };
        Ok(Self { index, query, pack, now, settings, contested })
    }

    /// Returns the entries found as a text for a prompt.
    fn context(&self, limits: ContextLimits) -> String {
        self.now.map_or_else(String::new, |now| {
            self.index.context(&self.query, now, &self.settings, self.pack, limits)
        })
    }

    /// Returns the entries found, best first.
    pub(crate) fn found(&self) -> Vec<Recalled<'_>> {
        self.now.map_or_else(Vec::new, |now| self.index.recall(&self.query, now, &self.settings))
    }

    /// Returns the entries as text.
    pub(crate) fn text(&self, found: &[Recalled<'_>], explain: bool, terminal: Terminal) -> String {
        let Some(now) = self.now else { return "nothing is remembered\n".to_owned() };
        let mut out = String::new();
        if found.is_empty() {
            out.push_str("nothing comes to mind\n");
            if let Some(nearest) = self.index.nearest(&self.query, now, &self.settings) {
                let (relevance, least) = (nearest.relevance, self.settings.min_relevance);
                let head =
                    format!("nearest, at a relevance of {relevance:.2} (recall.min_relevance is {least}):\n");
                out.push_str(&terminal.paint(TextRole::Faint, &head));
                out.push_str(&entry_line(nearest.memory, terminal));
            }
        }
        for recalled in found {
            out.push_str(&entry_line(recalled.memory, terminal));
            let text = |id: &_| self.contested.get(id).map(String::as_str);
            out.push_str(&mark_lines(recalled.memory, text, terminal));
            if explain {
                let parts = format!(
                    "score {:.3} = relevance {:.3} × {}, recency {:.3} × {}, importance {:.3} × {}; relevance = cosine {:.3}, words {:.3} × {}",
                    recalled.score,
                    recalled.relevance,
                    self.settings.relevance,
                    recalled.recency,
                    self.settings.recency,
                    recalled.importance,
                    self.settings.importance,
                    recalled.cosine,
                    recalled.words,
                    self.settings.words
                );
                out.push_str(
                    &terminal.paint(TextRole::Faint, &wrap_hanging("      ", 6, &parts, terminal.width)),
                );
            }
        }
        out
    }
}

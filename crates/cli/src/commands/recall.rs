//! `nightfold recall`: queries an NPC's memory.

use nightfold::{
    Recall, RecallPorts, RecallScope,
    consolidate::themes::recall_theme,
    english::Packs,
    memory::{GameTime, MemoryId, MemoryReader, NpcId, ThemeId, ValidConfig},
};

use crate::{
    args::{Common, RecallArgs},
    commands::themes,
    config,
    error::{CliError, Exit, message},
    models::embedder,
    output,
    show::{entry_line, mark_lines, wrap_hanging},
    store, suggest,
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
    let scope = match (args.at, args.all) {
        (Some(at), _) => RecallScope::At(at),
        (None, true) => RecallScope::History,
        (None, false) => RecallScope::Remembered,
    };
    let ports = RecallPorts { store: store.as_ref(), embedder: &embedder, packs: &Packs };
    let mut recall = Recall::new(ports, &config, &args.npc, query, scope)?;
    recall.settings.limit = limit.unwrap_or(recall.settings.limit);
    if let Some(now) = args.now {
        recall.now = checked_now(store.as_ref(), &args.npc, now)?;
    }
    if args.touch {
        let ids: Vec<MemoryId> = recall.found().iter().map(|r| r.memory.entry.id.clone()).collect();
        store.touch(&args.npc, &ids, recall.now)?;
    }
    if let Some(tokens) = args.context {
        let context = recall.context(tokens as usize);
        if context.is_empty() {
            output::note(&format!("note: nothing comes to mind that fits into {tokens} tokens\n"));
        }
        output::text(&context)
    } else if args.json {
        output::json(&recall.found())
    } else {
        output::text(&recall_text(&recall, args.explain, Terminal::stdout()))
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
        let ids: Vec<&str> = related.iter().map(|theme| theme.theme.id.as_str()).collect();
        let hint = suggest::hint(id.as_str(), &ids, "`nightfold themes` lists them".to_owned());
        return Err(message(Exit::Usage, text).hint(hint));
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

/// Returns a query's text for a person: the entries found, or what was nearest.
pub(crate) fn recall_text(recall: &Recall<'_>, explain: bool, terminal: Terminal) -> String {
    let (index, settings) = (&recall.index, &recall.settings);
    if index.is_empty() {
        return "nothing is remembered, so nothing can come to mind; `nightfold list --all` shows what is archived\n"
            .to_owned();
    }
    let found = recall.found();
    let mut out = String::new();
    if found.is_empty() {
        out.push_str("nothing comes to mind\n");
        if let Some(nearest) = index.nearest(&recall.query, recall.now, settings) {
            let (relevance, least) = (nearest.relevance, settings.min_relevance);
            let head =
                format!("nearest, at a relevance of {relevance:.2} (recall.min_relevance is {least}):\n");
            out.push_str(&terminal.paint(TextRole::Faint, &head));
            out.push_str(&entry_line(nearest.memory, terminal));
        }
    }
    for recalled in found {
        out.push_str(&entry_line(recalled.memory, terminal));
        let text = |id: &_| index.get(id).map(|contested| contested.entry.text.as_str());
        out.push_str(&mark_lines(recalled.memory, text, terminal));
        if explain {
            let parts = format!(
                "score {:.3} = relevance {:.3} × {}, recency {:.3} × {}, importance {:.3} × {}; relevance = cosine {:.3}, words {:.3} × {}",
                recalled.score,
                recalled.relevance,
                settings.relevance,
                recalled.recency,
                settings.recency,
                recalled.importance,
                settings.importance,
                recalled.cosine,
                recalled.words,
                settings.words
            );
            out.push_str(
                &terminal.paint(TextRole::Faint, &wrap_hanging("      ", 6, &parts, terminal.width)),
            );
        }
    }
    out
}

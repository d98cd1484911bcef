//! `nightfold themes`: shows an NPC's themes and the nights on which each was seen.

use nightfold::{
    consolidate::themes::{RelatedTheme, ThemeRelation},
    memory::{
        AppliedNight, MAINTENANCE_SUFFIX, MemoryId, MemoryReader, MemoryRecord, NpcId, ThemeHistory, ThemeId,
    },
};

use crate::{
    args::ThemesArgs,
    error::CliError,
    output,
    show::{count, history_line, wrap_hanging},
    store,
    terminal::{Terminal, TextRole, clean},
};

/// Number of the last nights that a history line shows.
const NIGHTS: usize = 14;

pub(crate) fn run(args: &ThemesArgs) -> Result<(), CliError> {
    let store = store::read_only(&args.read.store)?;
    store::npcs(store.as_ref(), std::slice::from_ref(&args.npc))?;
    if args.graph {
        let themes = related(store.as_ref(), &args.npc, &store.entries(&args.npc)?)?;
        if args.read.json {
            return output::json(&themes);
        }
        return output::text(&graph(&args.npc, &themes, Terminal::stdout()));
    }
    let themes = themes(store.as_ref(), &args.npc)?;
    if args.read.json {
        return output::json(&themes);
    }
    output::text(&text(store.as_ref(), &args.npc, &themes, Terminal::stdout())?)
}

/// Returns an NPC's themes, the last seen first.
pub(crate) fn themes(store: &dyn MemoryReader, npc: &NpcId) -> Result<Vec<ThemeHistory>, CliError> {
    let mut themes = store.themes(npc)?;
    // The store returns the themes of one night by name; here the weightiest come first.
    themes.sort_by(|a, b| {
        (b.last_at, b.nights, b.memories, &a.id).cmp(&(a.last_at, a.nights, a.memories, &b.id))
    });
    Ok(themes)
}

/// Returns an NPC's themes with the nearest of each; `records` are its entries in every state.
pub(crate) fn related(
    store: &dyn MemoryReader,
    npc: &NpcId,
    records: &[MemoryRecord],
) -> Result<Vec<RelatedTheme>, CliError> {
    Ok(RelatedTheme::of_npc(npc, themes(store, npc)?, records))
}

fn graph(npc: &NpcId, themes: &[RelatedTheme], terminal: Terminal) -> String {
    let mut out = title(npc, themes.len(), terminal);
    for RelatedTheme { theme, related } in themes {
        out.push_str(&wrap_hanging("  ", 2, &headline(&theme.words, &theme.id), terminal.width));
        for relation in related {
            let named = themes.iter().find(|other| other.theme.id == relation.id);
            let name = headline(named.map_or(&[], |other| &other.theme.words), &relation.id);
            let near = format!("{name}: {}", reasons(relation));
            out.push_str(&terminal.paint(TextRole::Faint, &wrap_hanging("      ", 6, &near, terminal.width)));
        }
    }
    out
}

/// Returns why two themes are related.
pub(crate) fn reasons(relation: &ThemeRelation) -> String {
    let shares = (!relation.people.is_empty()).then(|| format!("shares {}", relation.people.join(", ")));
    let ids: Vec<&str> = relation.reflections.iter().map(MemoryId::as_str).collect();
    let joined = (!ids.is_empty()).then(|| format!("joined by {}", ids.join(", ")));
    let reasons: Vec<String> = shares.into_iter().chain(joined).collect();
    clean(&reasons.join("; ")).into_owned()
}

/// Returns the words of a theme and its id.
pub(crate) fn headline(words: &[String], id: &ThemeId) -> String {
    let words = if words.is_empty() { "(no telling words)".to_owned() } else { words.join(", ") };
    clean(&format!("{words}  [{id}]")).into_owned()
}

fn title(npc: &NpcId, themes: usize, terminal: Terminal) -> String {
    let title = format!("{npc} · {}", count(themes, "theme", "themes"));
    format!("{}\n", terminal.paint(TextRole::Title, &clean(&title)))
}

/// Returns themes as text, with a bar for each night.
pub(crate) fn text(
    store: &dyn MemoryReader,
    npc: &NpcId,
    themes: &[ThemeHistory],
    terminal: Terminal,
) -> Result<String, CliError> {
    let nights = labels(store.nights(Some(npc))?);
    let last = &nights[nights.len().saturating_sub(NIGHTS)..];
    let most = themes.iter().flat_map(|theme| counts(theme, last)).max().unwrap_or(0);
    let mut out = title(npc, themes.len(), terminal);
    if themes.is_empty() {
        let none = "no day has had memories that hang together: a theme begins with two that do";
        out.push_str(&wrap_hanging("  ", 2, none, terminal.width));
    } else {
        let shown =
            format!("memories of the last {}, the newest on the right", count(last.len(), "night", "nights"));
        out.push_str(&terminal.paint(TextRole::Faint, &wrap_hanging("  ", 2, &shown, terminal.width)));
    }
    for theme in themes {
        out.push_str(&theme_text(theme, last, most, terminal));
    }
    Ok(out)
}

/// Returns the labels of an NPC's nights, each once and oldest first, without maintenance.
fn labels(nights: Vec<AppliedNight>) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for night in nights.into_iter().map(|night| night.night.to_string()) {
        if !night.ends_with(MAINTENANCE_SUFFIX) && !labels.contains(&night) {
            labels.push(night);
        }
    }
    labels
}

/// Returns the number of memories of a theme in each night. A night that was slept twice counts once.
fn counts(theme: &ThemeHistory, nights: &[String]) -> Vec<usize> {
    let of = |night: &String| {
        let points = theme.history.iter().filter(|point| point.night.as_str() == night);
        points.map(|point| point.members.len()).sum()
    };
    nights.iter().map(of).collect()
}

fn theme_text(theme: &ThemeHistory, nights: &[String], most: usize, terminal: Terminal) -> String {
    let line = history_line(&counts(theme, nights), most);
    let indent = nights.len() + 4;
    let words = if theme.words.is_empty() { "(no telling words)".to_owned() } else { theme.words.join(", ") };
    let lead = format!("  {}  ", terminal.paint(TextRole::Insight, &line));
    let about = format!(
        "{} since {}, last {}, {}  [{}]",
        count(theme.nights as usize, "night", "nights"),
        theme.first_at,
        theme.last_at,
        count(theme.memories, "memory", "memories"),
        theme.id
    );
    let about = wrap_hanging(&" ".repeat(indent), indent, &about, terminal.width);
    format!(
        "{}{}",
        wrap_hanging(&lead, indent, &words, terminal.width),
        terminal.paint(TextRole::Faint, &about)
    )
}

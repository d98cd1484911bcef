//! `nightfold why`: explains where a memory comes from, what became of it, and why.

mod graph;

use std::collections::{BTreeMap, BTreeSet};

use nightfold::memory::{LogFilter, LogLine, MemoryId, MemoryReader, MemoryRecord, NpcId};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    args::WhyArgs,
    error::{CliError, Exit, message},
    output,
    show::{compared, entry_line, entry_title, mark_lines, reason, wrap_hanging},
    store,
    terminal::{Terminal, TextRole, clean},
};

/// Depth to which the tree of provenance is drawn.
const DEPTH: usize = 6;

/// Number of lines of a tree; further entries are counted.
const LINES: usize = 300;

/// JSON output: one entry with its log and its neighbours.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WhyOutput {
    /// The entry.
    pub(crate) memory: MemoryRecord,
    /// Changes to it, in the order of nights.
    pub(crate) log: Vec<LogLine>,
    /// Sources of the entry.
    pub(crate) from: Vec<MemoryRecord>,
    /// Entries derived from it.
    pub(crate) into: Vec<MemoryRecord>,
    /// Active entries that it contradicts while both stay.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) contested: Vec<MemoryRecord>,
}

pub(crate) fn run(args: &WhyArgs) -> Result<(), CliError> {
    let store = store::read_only(&args.read.store)?;
    let npc = store::owner(store.as_ref(), &args.id, args.npc.as_ref())?;
    let history = EntryHistory::of(store.as_ref(), &args.id, npc)?;
    if args.graph {
        return output::product(&history.dot()?);
    }
    if args.read.json {
        output::json(&history.output())
    } else {
        output::text(&history.text(Terminal::stdout())?)
    }
}

/// An entry with its log, its sources, and the entries derived from it.
pub(crate) struct EntryHistory<'a> {
    store: &'a dyn MemoryReader,
    npc: NpcId,
    /// All records of the NPC.
    known: BTreeMap<MemoryId, MemoryRecord>,
    memory: MemoryRecord,
    log: Vec<LogLine>,
    from: Vec<MemoryId>,
    into: Vec<MemoryId>,
}

impl<'a> EntryHistory<'a> {
    /// Looks up an entry of an NPC.
    pub(crate) fn of(store: &'a dyn MemoryReader, id: &MemoryId, npc: NpcId) -> Result<Self, CliError> {
        let known = store::by_id(store, &npc)?;
        let Some(memory) = known.get(id).cloned() else {
            return Err(message(Exit::Usage, format!("{npc} has no memory {id}")));
        };
        let log = store.log(&npc, LogFilter::Entry(id))?;
        let (from, into) = (store.sources(&npc, id)?, store.derived(&npc, id)?);
        Ok(Self { store, npc, known, memory, log, from, into })
    }

    /// Returns the entry with its neighbours, one step far.
    pub(crate) fn output(&self) -> WhyOutput {
        let pick = |ids: &[MemoryId]| ids.iter().filter_map(|id| self.known.get(id).cloned()).collect();
        let (memory, log) = (self.memory.clone(), self.log.clone());
        let contested = pick(&memory.contested_with);
        WhyOutput { memory, log, from: pick(&self.from), into: pick(&self.into), contested }
    }

    /// Returns the whole history as text.
    pub(crate) fn text(&self, terminal: Terminal) -> Result<String, CliError> {
        let Self { store, npc, known, memory, .. } = self;
        let mut out = format!("{}\n", terminal.paint(TextRole::Title, &clean(npc.as_str())));
        out.push_str(&entry_line(memory, terminal));
        let words = |id: &_| known.get(id).map(|other| other.entry.text.as_str());
        out.push_str(&mark_lines(memory, words, terminal));
        for line in &self.log {
            let done = match line.reason.values.get("times") {
                Some(times) if line.verb == "corroborate" => format!("corroborated (×{times})"),
                Some(times) if line.verb == "strengthen" => format!("drawn again (×{times})"),
                _ => line.verb.clone(),
            };
            let text = format!("night of {}: {done} — {}", line.night, reason(&line.reason));
            out.push_str(&wrap_hanging("    · ", 6, &text, terminal.width));
            if let Some((older, newer)) = line.reason.compared() {
                let words = |id: &str| {
                    let entry = MemoryId::new(id).ok().and_then(|id| known.get(&id));
                    entry.map_or("", |entry| entry.entry.text.as_str())
                };
                let text = compared((older, words(older)), (newer, words(newer)));
                out.push_str(&wrap_hanging("      ", 6, &text, terminal.width));
            }
        }
        out.push_str(&canonical_log(*store, memory, &self.into, terminal)?);
        let tree = |next| {
            let (store, expanded) = (*store, BTreeSet::new());
            Tree { store, npc, known, terminal, next, expanded, left: 0 }
        };
        let sources = |id: &MemoryId| Ok(store.sources(npc, id)?);
        let derived = |id: &MemoryId| Ok(store.derived(npc, id)?);
        out.push_str(&tree(&sources).render("made from", &memory.entry.id)?);
        out.push_str(&tree(&derived).render("and made into", &memory.entry.id)?);
        Ok(out)
    }
}

/// Returns the log lines of the canonical entries of this entry: if a repeat was collapsed into another
/// entry, only the log of that entry mentions the repeat.
fn canonical_log(
    store: &dyn MemoryReader,
    memory: &MemoryRecord,
    into: &[MemoryId],
    terminal: Terminal,
) -> Result<String, CliError> {
    let id = &memory.entry.id;
    let mut out = String::new();
    for canonical in into {
        for line in store.log(&memory.npc, LogFilter::Entry(canonical))? {
            // A synthesis has the same edge to its sources, and may stand for other entries since.
            let of_its_day = line.night == memory.night;
            let stands = of_its_day || memory.superseded_by.as_ref() == Some(canonical);
            if line.verb == "collapse" && stands {
                let why = reason(&line.reason);
                let text = format!("night of {}: {canonical} stands for {id} — {why}", line.night);
                out.push_str(&wrap_hanging("    · ", 6, &text, terminal.width));
            }
        }
    }
    Ok(out)
}

/// Step of a walk: the neighbours of an entry.
type NextEntries<'a> = &'a dyn Fn(&MemoryId) -> Result<Vec<MemoryId>, CliError>;

/// Tree of provenance. Sources come with the memories, so it may have cycles and be as wide as the day.
struct Tree<'a> {
    store: &'a dyn MemoryReader,
    npc: &'a NpcId,
    known: &'a BTreeMap<MemoryId, MemoryRecord>,
    terminal: Terminal,
    next: NextEntries<'a>,
    /// Entries whose branches are drawn, or will be.
    expanded: BTreeSet<MemoryId>,
    /// Number of entries that were left out.
    left: usize,
}

impl Tree<'_> {
    fn render(mut self, heading: &str, id: &MemoryId) -> Result<String, CliError> {
        let mut out = String::new();
        self.expanded.insert(id.clone());
        self.branches(&mut out, id, 1)?;
        if self.left > 0 {
            out.push_str(&format!("    … and {} more\n", self.left));
        }
        Ok(if out.is_empty() { out } else { format!("  {heading}\n{out}") })
    }

    fn branches(&mut self, out: &mut String, id: &MemoryId, depth: usize) -> Result<(), CliError> {
        for other in (self.next)(id)? {
            let Some(memory) = self.known.get(&other) else { continue };
            let seen = self.expanded.contains(&other);
            if self.left == 0 && out.lines().count() < LINES {
                self.entry(out, memory, depth, seen)?;
            } else {
                self.left += 1;
            }
            if !seen && depth < DEPTH {
                self.expanded.insert(other.clone());
                self.branches(out, &other, depth + 1)?;
            }
        }
        Ok(())
    }

    fn entry(
        &self,
        out: &mut String,
        memory: &MemoryRecord,
        depth: usize,
        seen: bool,
    ) -> Result<(), CliError> {
        let (id, width) = (&memory.entry.id, self.terminal.width);
        let lead = format!("  {}└ ", "  ".repeat(depth));
        let indent = " ".repeat(lead.chars().count());
        if seen {
            out.push_str(&wrap_hanging(&lead, indent.len(), &format!("{id} (above)"), width));
            return Ok(());
        }
        let text = format!("{}  [{}]", memory.entry.text.trim(), entry_title(memory));
        out.push_str(&wrap_hanging(&lead, indent.len(), &text, width));
        let mut notes = Vec::new();
        if let Some(last) = self.store.log(self.npc, LogFilter::Entry(id))?.last() {
            notes.push(reason(&last.reason));
        }
        if depth == DEPTH && !(self.next)(id)?.is_empty() {
            notes.push(format!("goes on: `nightfold why {id}`"));
        }
        for note in notes {
            let note = wrap_hanging(&indent, indent.len(), &note, width);
            out.push_str(&self.terminal.paint(TextRole::Faint, &note));
        }
        Ok(())
    }
}

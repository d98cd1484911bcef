//! `nightfold why`: where a memory comes from, what became of it, and why.

use nightfold::memory::{LogLine, LongTermMemory, MemoryId, MemoryStore, NpcId};
use serde::Serialize;

use crate::{
    args::Why,
    error::{CliError, Exit, message},
    output,
    show::{entry_line, entry_title, hang, reason},
    store,
    terminal::{Role, Terminal, clean},
};

/// How deep provenance is followed; nothing that is made is made of what is made of more than this.
const DEPTH: usize = 6;

/// Everything known about one entry.
#[derive(Debug, Serialize)]
struct Told {
    memory: LongTermMemory,
    log: Vec<LogLine>,
    /// What it was made from.
    from: Vec<LongTermMemory>,
    /// What was made from it.
    into: Vec<LongTermMemory>,
}

pub(crate) fn run(args: &Why) -> Result<(), CliError> {
    let store = store::read_only(&args.store)?;
    let npc = owner(&store, args)?;
    let known = store::by_id(&store, &npc)?;
    let Some(memory) = known.get(&args.id).cloned() else {
        return Err(message(Exit::Usage, format!("{npc} has no memory {}", args.id)));
    };
    let log = store.log(&npc, &args.id)?;
    let into_ids = store.derived(&npc, &args.id)?;
    let pick = |ids: &[MemoryId]| ids.iter().filter_map(|id| known.get(id).cloned()).collect::<Vec<_>>();
    if args.json {
        let (from, into) = (pick(&memory.entry.sources), pick(&into_ids));
        return output::json(&Told { memory, log, from, into });
    }
    let terminal = Terminal::stdout();
    let mut out = format!("{}\n", terminal.paint(Role::Title, &clean(npc.as_str())));
    out.push_str(&entry_line(&memory, terminal));
    for line in &log {
        let text = format!("night of {}: {} — {}", line.night, line.verb, reason(&line.reason));
        out.push_str(&hang("    · ", 6, &text, terminal.width));
    }
    let tree = Tree { store: &store, npc: &npc, known: &known, terminal };
    out.push_str(&tree.render("made from", &args.id, &|id| Ok(tree.sources(id)))?);
    out.push_str(&tree.render("and made into", &args.id, &|id| Ok(store.derived(&npc, id)?))?);
    output::text(&out)
}

fn owner(store: &dyn MemoryStore, args: &Why) -> Result<NpcId, CliError> {
    if let Some(npc) = &args.npc {
        store::npcs(store, std::slice::from_ref(npc))?;
        return Ok(npc.clone());
    }
    let mut owners = Vec::new();
    for npc in store.npcs()? {
        if !store.log(&npc, &args.id)?.is_empty() || store::by_id(store, &npc)?.contains_key(&args.id) {
            owners.push(npc);
        }
    }
    match owners.as_slice() {
        [] => Err(message(Exit::Usage, format!("no NPC has a memory {}", args.id))
            .hint("`nightfold list --all` shows every id")),
        [one] => Ok(one.clone()),
        many => {
            let names: Vec<&str> = many.iter().map(NpcId::as_str).collect();
            Err(message(Exit::Usage, format!("several NPCs have a memory {}: {}", args.id, names.join(", ")))
                .hint("choose one with --npc"))
        }
    }
}

struct Tree<'a> {
    store: &'a dyn MemoryStore,
    npc: &'a NpcId,
    known: &'a std::collections::BTreeMap<MemoryId, LongTermMemory>,
    terminal: Terminal,
}

impl Tree<'_> {
    fn sources(&self, id: &MemoryId) -> Vec<MemoryId> {
        self.known.get(id).map_or_else(Vec::new, |m| m.entry.sources.clone())
    }

    fn render(
        &self,
        heading: &str,
        id: &MemoryId,
        next: &dyn Fn(&MemoryId) -> Result<Vec<MemoryId>, CliError>,
    ) -> Result<String, CliError> {
        let mut out = String::new();
        self.branch(&mut out, id, 1, next)?;
        Ok(if out.is_empty() { out } else { format!("  {heading}\n{out}") })
    }

    fn branch(
        &self,
        out: &mut String,
        id: &MemoryId,
        depth: usize,
        next: &dyn Fn(&MemoryId) -> Result<Vec<MemoryId>, CliError>,
    ) -> Result<(), CliError> {
        if depth > DEPTH {
            return Ok(());
        }
        for other in next(id)? {
            let Some(memory) = self.known.get(&other) else { continue };
            let lead = format!("  {}└ ", "  ".repeat(depth));
            let text = format!("{}  [{}]", memory.entry.text.trim(), entry_title(memory));
            out.push_str(&hang(&lead, lead.chars().count(), &text, self.terminal.width));
            if let Some(last) = self.store.log(self.npc, &other)?.last() {
                let indent = " ".repeat(lead.chars().count());
                let why = hang(&indent, indent.len(), &reason(&last.reason), self.terminal.width);
                out.push_str(&self.terminal.paint(Role::Faint, &why));
            }
            self.branch(out, &other, depth + 1, next)?;
        }
        Ok(())
    }
}

//! `nightfold list`: lists the entries of long-term memory.

use nightfold::memory::{MemoryRecord, State};

use crate::{
    args::ListArgs,
    confusables,
    error::CliError,
    output,
    show::{count, entry_line, mark_lines},
    store,
    terminal::{Terminal, TextRole, clean},
};

pub(crate) fn run(args: &ListArgs) -> Result<(), CliError> {
    let store = store::read_only(&args.read.store)?;
    let terminal = Terminal::stdout();
    let mut all: Vec<MemoryRecord> = Vec::new();
    let mut out = String::new();
    let npcs = store::npcs(store.as_ref(), &args.npc)?;
    confusables::warn_of(&npcs);
    for npc in npcs {
        let mut entries = store.entries(&npc)?;
        let known = entries.len();
        entries.retain(|m| args.all || m.state == State::Active);
        if args.read.json {
            all.extend(entries);
            continue;
        }
        let archived = match known - entries.len() {
            0 => String::new(),
            n => format!(" (and {n} archived: --all lists them)"),
        };
        let title = format!("{npc} · {}{archived}", count(entries.len(), "entry", "entries"));
        out.push_str(&format!("{}\n", terminal.paint(TextRole::Title, &clean(&title))));
        entries.sort_by(|a, b| (a.entry.at, &a.entry.id).cmp(&(b.entry.at, &b.entry.id)));
        for memory in &entries {
            out.push_str(&entry_line(memory, terminal));
            let text = |id: &_| entries.iter().find(|m| m.entry.id == *id).map(|m| m.entry.text.as_str());
            out.push_str(&mark_lines(memory, text, terminal));
        }
        out.push('\n');
    }
    if args.read.json {
        return output::json(&all);
    }
    if out.is_empty() {
        return output::text(
            "nobody has slept into this store yet: `nightfold sleep INPUT --store FILE --apply` writes a night\n",
        );
    }
    output::long_text(&out)
}

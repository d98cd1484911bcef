//! A long-term entry on a line.

use nightfold::memory::{Confidence, Form, LongTermMemory, State};

use super::hang;
use crate::terminal::{Role, Terminal, clean};

/// What an entry is, in a few words.
pub(crate) fn entry_title(memory: &LongTermMemory) -> String {
    let entry = &memory.entry;
    let mut parts = vec![entry.id.to_string(), entry.at.to_string()];
    parts.push(format!("importance {}", entry.importance.get()));
    if entry.form != Form::Verbatim {
        parts.push(entry.form.as_str().to_owned());
    }
    if memory.corroborations > 0 {
        parts.push(format!("said again {}×", memory.corroborations));
    }
    if memory.confidence == Confidence::High {
        parts.push("sure".to_owned());
    }
    if let Some(rule) = &memory.archived_by {
        parts.push(format!("archived: {rule}"));
    }
    if let Some(by) = &memory.superseded_by {
        parts.push(format!("superseded by {by}"));
    }
    clean(&parts.join(", ")).into_owned()
}

/// An entry with its title below it.
pub(crate) fn entry_line(memory: &LongTermMemory, terminal: Terminal) -> String {
    let (role, mark) = match (memory.state, memory.entry.form) {
        (State::Archived, _) => (Role::Gone, "-"),
        (State::Active, Form::Verbatim) => (Role::Kept, "+"),
        (State::Active, Form::Synthesis) => (Role::Told, "~"),
        (State::Active, Form::Reflection) => (Role::Insight, "*"),
    };
    let text = if memory.entry.text.trim().is_empty() { "(blank)" } else { memory.entry.text.trim() };
    let lead = format!("  {} ", terminal.paint(role, mark));
    let title = hang("      ", 6, &entry_title(memory), terminal.width);
    format!("{}{}", hang(&lead, 4, text, terminal.width), terminal.paint(Role::Faint, &title))
}

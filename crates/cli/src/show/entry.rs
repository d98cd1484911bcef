//! An entry of long-term memory on a line.

use nightfold::{
    consolidate::review::important_ended_words,
    memory::{
        Confidence, ImportantEnded, MemoryId, MemoryRecord, NightLabel, NpcId, NpcNight, RecordKind, State,
    },
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{ended_words, wrap_hanging};
use crate::terminal::{Terminal, TextRole, clean, shortened};

/// Number of letters that are shown of a contested entry: a player may have written a page.
const LETTERS: usize = 200;

/// Something important that ended on a night of an NPC.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EndedOnNight {
    /// NPC of the night.
    npc: NpcId,
    /// Label of the night.
    night: NightLabel,
    #[serde(flatten)]
    ended: ImportantEnded,
}

impl EndedOnNight {
    /// Returns what was important and ended on a night.
    pub(crate) fn of(night: &NpcNight) -> impl Iterator<Item = Self> {
        let (npc, label) = (&night.npc, &night.night);
        night.report.important_ended.iter().map(|ended| Self {
            npc: npc.clone(),
            night: label.clone(),
            ended: ended.clone(),
        })
    }

    /// Returns it as a line.
    pub(crate) fn line(&self) -> String {
        clean(&format!("{} · {}: {}", self.npc, self.night, important_ended_words(&self.ended))).into_owned()
    }
}

/// Returns a description of an entry in a few words.
pub(crate) fn entry_title(memory: &MemoryRecord) -> String {
    let entry = &memory.entry;
    let mut parts = vec![entry.id.to_string(), entry.at.to_string()];
    parts.push(format!("importance {}", entry.importance.get()));
    if entry.form != RecordKind::Verbatim {
        parts.push(entry.form.as_str().to_owned());
    }
    if entry.occurrences > 1 {
        parts.push(format!("{} times until {}", entry.occurrences, entry.last_at));
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
    if !memory.contested_with.is_empty() {
        parts.push("contested".to_owned());
    }
    if !memory.ended.is_empty() {
        parts.push("ended in part".to_owned());
    }
    clean(&parts.join(", ")).into_owned()
}

/// Returns an entry with its title below it.
pub(crate) fn entry_line(memory: &MemoryRecord, terminal: Terminal) -> String {
    let (role, mark) = match (memory.state, memory.entry.form) {
        (State::Archived, _) => (TextRole::Gone, "-"),
        (State::Active, RecordKind::Verbatim) => (TextRole::Kept, "+"),
        (State::Active, RecordKind::Synthesis) => (TextRole::Told, "~"),
        (State::Active, RecordKind::Reflection) => (TextRole::Insight, "*"),
    };
    let text = if memory.entry.text.trim().is_empty() { "(blank)" } else { memory.entry.text.trim() };
    let lead = format!("  {} ", terminal.paint(role, mark));
    let title = wrap_hanging("      ", 6, &entry_title(memory), terminal.width);
    format!("{}{}", wrap_hanging(&lead, 4, text, terminal.width), terminal.paint(TextRole::Faint, &title))
}

/// Returns the entries that an entry is contested with and its positions that ended, one per line; `text` returns the text
/// of an entry.
pub(crate) fn mark_lines<'t>(
    memory: &MemoryRecord,
    text: impl Fn(&MemoryId) -> Option<&'t str>,
    terminal: Terminal,
) -> String {
    let lead = format!("      {} ", terminal.paint(TextRole::Replaced, "?"));
    let line = |id: &MemoryId| {
        let words =
            text(id).map_or_else(String::new, |words| format!(": {}", shortened(words.trim(), LETTERS)));
        wrap_hanging(&lead, 8, &format!("contested with {id}{words}"), terminal.width)
    };
    let contested = memory.contested_with.iter().map(line);
    let lead = format!("      {} ", terminal.paint(TextRole::Replaced, "/"));
    let ended = memory.ended.iter().map(|ended| {
        let words = format!("{} (because of {})", ended_words(ended.since, &ended.text), ended.by);
        wrap_hanging(&lead, 8, &words, terminal.width)
    });
    contested.chain(ended).collect()
}

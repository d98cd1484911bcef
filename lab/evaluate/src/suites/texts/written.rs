//! Texts that nights wrote, with their sources as they stood.

use std::collections::BTreeMap;

use nightfold_memory::{
    Change, Entry, GameTime, Importance, MemoryId, NpcId, NpcNight, ReflectionKind, Rule,
};
use nightfold_memory::{Reason, Value};
use serde::{Deserialize, Serialize};

/// Form of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum WrittenForm {
    /// Synthesis of a day's memories.
    Synthesis,
    /// Summary of a week or month.
    Summary,
    /// Reflection.
    Reflection(ReflectionKind),
    /// Record that maintenance distilled.
    Record(ReflectionKind),
    /// Name of a theme; its text is empty.
    Theme,
}

/// Memory or entry that a text is made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WrittenSource {
    /// Time at which it happened.
    pub(super) at: GameTime,
    /// Its text.
    pub(super) text: String,
}

/// Text that a night wrote.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WrittenText {
    /// Name of the NPC.
    pub(super) npc: String,
    /// Name of the text; may be empty.
    pub(super) title: String,
    /// The text.
    pub(super) text: String,
    /// Form of the text.
    pub(super) form: WrittenForm,
    /// Name of the rule that wrote it, or of the form of its conclusion.
    pub(super) wording: String,
    /// Importance, 1 to 10; 0 for the name of a theme.
    pub(super) importance: u8,
    /// Number of times that it was experienced.
    pub(super) occurrences: u32,
    /// Texts that it is made from, those folded into one of them included.
    pub(super) sources: Vec<WrittenSource>,
}

/// Texts that one night of one NPC wrote.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct WrittenNight {
    /// Syntheses, reflections, records, and the names of the themes that were seen.
    pub(super) texts: Vec<WrittenText>,
    /// Importance of each memory of the day; none for maintenance.
    pub(super) importances: Vec<u8>,
    /// Number of different memories of the day.
    pub(super) distinct: usize,
}

/// Returns the texts of nights in one store; they are in order of time for each NPC.
pub(super) fn written_nights(nights: &[NpcNight]) -> Vec<WrittenNight> {
    let mut known: BTreeMap<(&NpcId, &MemoryId), (GameTime, &str)> = BTreeMap::new();
    let mut folded: BTreeMap<(&NpcId, &MemoryId), &[MemoryId]> = BTreeMap::new();
    let mut written = Vec::new();
    for night in nights {
        let mut distinct = night.memories.len();
        for memory in &night.memories {
            known.insert((&night.npc, &memory.id), (memory.at, &memory.text));
        }
        for change in &night.changes {
            match change {
                Change::Collapse { id, sources, .. } => {
                    let of_today = sources.iter().filter(|id| night.memories.iter().any(|m| m.id == **id));
                    distinct -= of_today.count();
                    folded.insert((&night.npc, id), sources);
                }
                Change::Chunk { entry, .. } | Change::Store { entry, .. } | Change::Reflect { entry, .. } => {
                    known.insert((&night.npc, &entry.id), (entry.at, &entry.text));
                }
                _ => {}
            }
        }
        let sources = |ids: &[MemoryId]| -> Vec<WrittenSource> {
            let within = ids.iter().flat_map(|id| folded.get(&(&night.npc, id)).copied().unwrap_or_default());
            let told = ids.iter().chain(within).filter_map(|id| known.get(&(&night.npc, id)));
            told.map(|&(at, text)| WrittenSource { at, text: text.to_owned() }).collect()
        };
        let of_entry = |entry: &Entry, title: &str, form, reason: &Reason| WrittenText {
            npc: night.npc.to_string(),
            title: title.to_owned(),
            text: entry.text.clone(),
            form,
            wording: wording(reason),
            importance: entry.importance.get(),
            occurrences: entry.occurrences,
            sources: sources(&entry.sources),
        };
        let texts = night.changes.iter().filter_map(|change| match change {
            Change::Chunk { entry, name, reason } => {
                let is_summary = reason.rule == Rule::Abstracted;
                let form = if is_summary { WrittenForm::Summary } else { WrittenForm::Synthesis };
                Some(of_entry(entry, name, form, reason))
            }
            Change::Reflect { entry, name, reflection, reason } => {
                let is_record = reason.rule == Rule::Distilled;
                let form = if is_record { WrittenForm::Record } else { WrittenForm::Reflection };
                Some(of_entry(entry, name, form(*reflection), reason))
            }
            _ => None,
        });
        let themes = night.themes.iter().map(|seen| WrittenText {
            npc: night.npc.to_string(),
            title: seen.theme.words.join(", "),
            text: String::new(),
            form: WrittenForm::Theme,
            wording: String::new(),
            importance: 0,
            occurrences: 1,
            sources: sources(&seen.members),
        });
        written.push(WrittenNight {
            texts: texts.chain(themes).collect(),
            importances: night.memories.iter().map(|m| m.importance.map_or(0, Importance::get)).collect(),
            distinct,
        });
    }
    written
}

/// Returns the form of a conclusion, or the name of the rule.
fn wording(reason: &Reason) -> String {
    match reason.values.get("conclusion") {
        Some(Value::Name(form)) => form.clone(),
        _ => reason.rule.to_string(),
    }
}

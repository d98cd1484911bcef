//! Texts that nights wrote, with the texts of their sources.

use std::collections::BTreeMap;

use nightfold_memory::{Change, Entry, Importance, MemoryId, NpcId, NpcNight, ReflectionKind, Rule};

/// Form of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WrittenForm {
    /// Synthesis of a day's memories.
    Synthesis,
    /// Summary of a week or month.
    Summary,
    /// Reflection.
    Reflection(ReflectionKind),
}

/// Text that a night wrote.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WrittenText {
    /// Name of the text; may be empty.
    pub(super) title: String,
    /// The text.
    pub(super) text: String,
    /// Form of the text.
    pub(super) form: WrittenForm,
    /// Importance, 1 to 10.
    pub(super) importance: u8,
    /// Texts that it is made from, those folded into one of them included.
    pub(super) sources: Vec<String>,
}

/// Texts that one night of one NPC wrote.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct WrittenNight {
    /// Syntheses and reflections.
    pub(super) texts: Vec<WrittenText>,
    /// Names of the themes that were seen.
    pub(super) themes: Vec<String>,
    /// Importance of each memory of the day; none for maintenance.
    pub(super) importances: Vec<u8>,
}

/// Returns what nights wrote; they are in order of time for each NPC.
pub(super) fn written_nights(nights: &[NpcNight]) -> Vec<WrittenNight> {
    let mut known: BTreeMap<(&NpcId, &MemoryId), &str> = BTreeMap::new();
    let mut folded: BTreeMap<(&NpcId, &MemoryId), &[MemoryId]> = BTreeMap::new();
    let mut written = Vec::new();
    for night in nights {
        for memory in &night.memories {
            known.insert((&night.npc, &memory.id), &memory.text);
        }
        for change in &night.changes {
            match change {
                Change::Collapse { id, sources, .. } => {
                    folded.insert((&night.npc, id), sources);
                }
                Change::Chunk { entry, .. } | Change::Store { entry, .. } | Change::Reflect { entry, .. } => {
                    known.insert((&night.npc, &entry.id), &entry.text);
                }
                _ => {}
            }
        }
        let text = |entry: &Entry, title: &str, form| {
            let own = entry.sources.iter();
            let within =
                own.clone().flat_map(|id| folded.get(&(&night.npc, id)).copied().unwrap_or_default());
            let told = own.chain(within).filter_map(|id| known.get(&(&night.npc, id)));
            WrittenText {
                title: title.to_owned(),
                text: entry.text.clone(),
                form,
                importance: entry.importance.get(),
                sources: told.map(|text| (*text).to_owned()).collect(),
            }
        };
        let texts = night.changes.iter().filter_map(|change| match change {
            Change::Chunk { entry, name, reason } if reason.rule == Rule::Abstracted => {
                Some(text(entry, name, WrittenForm::Summary))
            }
            Change::Chunk { entry, name, .. } => Some(text(entry, name, WrittenForm::Synthesis)),
            Change::Reflect { entry, name, reflection, .. } => {
                Some(text(entry, name, WrittenForm::Reflection(*reflection)))
            }

            _ => None,
        });
        written.push(WrittenNight {
            texts: texts.collect(),
            themes: night.themes.iter().map(|seen| seen.theme.words.join(", ")).collect(),
            importances: night.memories.iter().map(|m| m.importance.map_or(0, Importance::get)).collect(),
        });
    }
    written
}

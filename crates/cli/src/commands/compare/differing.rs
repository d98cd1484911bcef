//! Memories whose fate depends on the setting.

use std::{cmp::Reverse, collections::BTreeMap};

use nightfold::{
    consolidate::review::{EarlierEntries, MemoryFate, NightView},
    memory::{MemoryId, NightLabel, NpcId, NpcNight},
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    show::{count, shown, wrap_hanging},
    terminal::{Terminal, shortened},
};

/// Number of letters that are shown of a memory.
const LETTERS: usize = 100;

/// A memory with its fate under each setting.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DifferingMemory {
    /// NPC of the memory.
    npc: NpcId,
    /// Night of the memory.
    night: NightLabel,
    /// Id of the memory.
    id: MemoryId,
    /// Importance, 1 to 10.
    importance: u8,
    /// Text of the memory.
    text: String,
    /// Fate under each setting, in their order; `null` if another memory represents it.
    fates: Vec<Option<MemoryFate>>,
}

/// Fates of all memories under the settings so far.
#[derive(Debug, Default)]
pub(super) struct ComparedFates {
    settings: usize,
    memories: BTreeMap<(NpcId, NightLabel, MemoryId), DifferingMemory>,
}

impl ComparedFates {
    /// Adds the fates under one more setting.
    pub(super) fn add(&mut self, nights: &[NpcNight]) {
        let before = EarlierEntries::new();
        for night in nights {
            for memory in NightView::of(night, &before).sections.iter().flat_map(|section| &section.memories)
            {
                let key = (night.npc.clone(), night.night.clone(), memory.id.clone());
                let found = self.memories.entry(key).or_insert_with_key(|(npc, night, id)| DifferingMemory {
                    npc: npc.clone(),
                    night: night.clone(),
                    id: id.clone(),
                    importance: memory.importance,
                    text: memory.text.to_owned(),
                    fates: Vec::new(),
                });
                found.fates.resize(self.settings, None);
                found.fates.push(Some(memory.fate));
            }
        }
        self.settings += 1;
    }

    /// Returns the memories with several fates, the most important first.
    pub(super) fn differing(self) -> Vec<DifferingMemory> {
        let mut memories: Vec<_> = self.memories.into_values().collect();
        memories.iter_mut().for_each(|memory| memory.fates.resize(self.settings, None));
        memories.retain(|memory| memory.fates.windows(2).any(|two| two[0] != two[1]));
        memories.sort_by_key(|memory| Reverse(memory.importance));
        memories
    }
}

/// Returns the memories as text, each with its fates: the first of them, or all.
pub(super) fn listed(memories: &[DifferingMemory], settings: &[&str], verbose: bool) -> String {
    let width = Terminal::stdout().width;
    let mut out = match memories.len() {
        0 => return "every memory has the same fate under all settings\n".to_owned(),
        n => format!("{}, the most important first:\n", count(n, "memory differs", "memories differ")),
    };
    for memory in memories.iter().take(shown(verbose)) {
        let DifferingMemory { npc, night, id, importance, text, .. } = memory;
        let text = shortened(text, LETTERS);
        let about = format!("[{id}] “{text}” ({npc}, {night}, importance {importance})");
        out.push_str(&wrap_hanging("  ", 2, &about, width));
        let mut under: BTreeMap<Option<MemoryFate>, Vec<&str>> = BTreeMap::new();
        for (fate, setting) in memory.fates.iter().zip(settings) {
            under.entry(*fate).or_default().push(setting);
        }
        let fates = under.into_iter().map(|(fate, settings)| {
            format!("{} under {}", fate.map_or("a repeat", MemoryFate::means), settings.join(", "))
        });
        let fates = fates.collect::<Vec<_>>().join("; ");
        out.push_str(&wrap_hanging("    ", 4, &fates, width));
    }
    if memories.len() > shown(verbose) {
        out.push_str(&format!("  … and {} more; -v shows all\n", memories.len() - shown(verbose)));
    }
    out
}

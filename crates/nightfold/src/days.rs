//! Grouping of memories into days, by NPC and by the night that closes the day.

use std::collections::BTreeMap;

use nightfold_memory::{Day, GameTime, Memory, NightLabel, NpcId, ValidConfig};

/// The days of each NPC, in order of time.
pub type Days = BTreeMap<NpcId, Vec<Day>>;

/// Returns one day for each NPC: all its memories up to the moment of sleep. `until` is that moment; later memories are
/// left out. Without it, each NPC falls asleep at its last memory.
pub fn days(memories: Vec<Memory>, until: Option<GameTime>, config: &ValidConfig) -> Days {
    let mut by_npc: BTreeMap<NpcId, Vec<Memory>> = BTreeMap::new();
    for memory in memories.into_iter().filter(|m| until.is_none_or(|until| m.at <= until)) {
        by_npc.entry(memory.npc.clone()).or_default().push(memory);
    }
    by_npc
        .into_iter()
        .filter_map(|(npc, memories)| {
            let until = until.or_else(|| memories.iter().map(|m| m.at).max())?;
            let night = until.night(config.day.turns_at);
            Some((npc.clone(), vec![Day::new(npc, night, until, memories)]))
        })
        .collect()
}

/// Returns one day for each NPC and date: dates change at `day.turns_at`, and each day ends at its last memory.
pub fn days_by_night(memories: Vec<Memory>, until: Option<GameTime>, config: &ValidConfig) -> Days {
    let mut by_night: BTreeMap<(NpcId, NightLabel), Vec<Memory>> = BTreeMap::new();
    for memory in memories.into_iter().filter(|m| until.is_none_or(|until| m.at <= until)) {
        let night = memory.at.night(config.day.turns_at);
        by_night.entry((memory.npc.clone(), night)).or_default().push(memory);
    }
    let mut days = Days::new();
    for ((npc, night), memories) in by_night {
        if let Some(until) = memories.iter().map(|m| m.at).max() {
            days.entry(npc.clone()).or_default().push(Day::new(npc, night, until, memories));
        }
    }
    // Labels such as `day-10` do not sort by time.
    days.values_mut().for_each(|d| d.sort_by_key(|d| d.until));
    days
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(npc: &str, at: i64) -> Memory {
        serde_json::from_value(serde_json::json!({
            "id": format!("{npc}-{at}"), "npc": npc, "at": at, "kind": "event", "text": "x"
        }))
        .unwrap()
    }

    #[test]
    fn days_are_ordered_by_time_beyond_the_tenth() {
        let memories: Vec<_> = (0..12).rev().map(|d| memory("n", d * 86_400 + 5)).collect();
        let days = days_by_night(memories, None, &ValidConfig::default());
        let labels: Vec<_> = days.values().flatten().map(|d| d.night.as_str().to_owned()).collect();
        assert_eq!(labels[1], "day-1");
        assert_eq!(labels[10], "day-10");
    }

    #[test]
    fn memories_after_the_time_of_sleep_are_excluded() {
        let until = GameTime::from_seconds(10);
        let days =
            days(vec![memory("a", 5), memory("a", 15), memory("b", 20)], until, &ValidConfig::default());
        assert_eq!(days.len(), 1);
        let day = &days.values().next().unwrap()[0];
        assert_eq!((day.memories.len(), day.until.seconds()), (1, 10));
    }
}

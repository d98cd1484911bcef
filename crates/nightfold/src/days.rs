//! Grouping of memories into days, by NPC and by the night that closes the day.

use std::collections::BTreeMap;

use nightfold_consolidate::DayClock;
use nightfold_memory::{Day, GameTime, Memory, NightLabel, NpcId, ValidConfig};

/// The days of each NPC, in order of time.
pub type Days = BTreeMap<NpcId, Vec<Day>>;

/// Returns one day for each NPC: all its memories up to the moment of sleep. `until` is that moment; later memories are
/// left out. Without it, each NPC falls asleep at its last memory, of those whose times are of one clock ([`DayClock`]);
/// the night sets the others apart.
pub fn days(memories: Vec<Memory>, until: Option<GameTime>, config: &ValidConfig) -> Days {
    let mut days = Days::new();
    for (npc, memories) in by_npc(memories, until) {
        let Some(clock) = clock_of(&memories, until, config) else { continue };
        let night = clock.until().night(config.day.turns_at);
        let mut day = Day::new(npc.clone(), night, clock.until(), memories);
        day.until_last_memory = until.is_none();
        days.insert(npc, vec![day]);
    }
    days
}

/// Returns one day for each NPC and date: dates change at `day.turns_at`, and each day ends at its last memory. Memories
/// whose times are of another clock than the NPC's others ([`DayClock`]) make no day of their own: they go into its last
/// one, which sets them apart.
pub fn days_by_night(memories: Vec<Memory>, until: Option<GameTime>, config: &ValidConfig) -> Days {
    let mut days = Days::new();
    for (npc, memories) in by_npc(memories, until) {
        let Some(clock) = clock_of(&memories, until, config) else { continue };
        let (mut strays, mut by_night) = (Vec::new(), BTreeMap::<NightLabel, Vec<Memory>>::new());
        for memory in memories {
            if clock.is_stray(memory.at) {
                strays.push(memory);
            } else {
                by_night.entry(memory.at.night(config.day.turns_at)).or_default().push(memory);
            }
        }
        let day = |(night, memories): (NightLabel, Vec<Memory>)| {
            let until = memories.iter().map(|m| m.at).max()?;
            Some(Day::new(npc.clone(), night, until, memories))
        };
        let mut of_npc: Vec<Day> = by_night.into_iter().filter_map(day).collect();
        // Labels such as `day-10` do not sort by time.
        of_npc.sort_by_key(|day| day.until);
        // Days of several dates agree on the clock; a single one may be of another clock than the last night.
        let single = of_npc.len() == 1 && until.is_none();
        if of_npc.is_empty() {
            let night = clock.until().night(config.day.turns_at);
            of_npc.push(Day::new(npc.clone(), night, clock.until(), Vec::new()));
        }
        if let Some(last) = of_npc.last_mut() {
            last.strays = strays;
            last.until_last_memory = single;
        }
        days.insert(npc, of_npc);
    }
    days
}

/// Returns the memories of each NPC, without those that wait for another night.
fn by_npc(memories: Vec<Memory>, until: Option<GameTime>) -> BTreeMap<NpcId, Vec<Memory>> {
    let mut by_npc: BTreeMap<NpcId, Vec<Memory>> = BTreeMap::new();
    for memory in memories.into_iter().filter(|memory| !waits(memory.at, until)) {
        by_npc.entry(memory.npc.clone()).or_default().push(memory);
    }
    by_npc
}

/// True for a memory that waits for a night after the moment of sleep. One of another clock does not: no night would
/// ever come for it.
pub fn waits(at: GameTime, until: Option<GameTime>) -> bool {
    until.is_some_and(|until| at > until && at.is_date() == until.is_date())
}

/// Returns the clock of an NPC's memories: that of the given moment of sleep, or else that of most of them.
fn clock_of(memories: &[Memory], until: Option<GameTime>, config: &ValidConfig) -> Option<DayClock> {
    match until {
        Some(until) => Some(DayClock::at(until, config)),
        None => DayClock::of_most(memories.iter().map(|memory| memory.at), None, config),
    }
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

    fn dated(id: &str, at: &str) -> Memory {
        serde_json::from_value(serde_json::json!({
            "id": id, "npc": "n", "at": at, "kind": "event", "text": "x"
        }))
        .unwrap()
    }

    #[test]
    fn stray_clock_makes_no_day_and_moves_no_moment_of_sleep() {
        let config = ValidConfig::default();
        let mut memories = vec![
            dated("a", "1204-05-01T08:00:00Z"),
            dated("b", "1204-05-02T08:00:00Z"),
            dated("c", "1204-05-02T09:00:00Z"),
            dated("stray", "2024-05-02T09:00:00Z"),
        ];
        memories.push(memory("n", 22_200));
        let nightly = days_by_night(memories.clone(), None, &config);
        let shape = |day: &Day| (day.night.to_string(), day.memories.len(), day.strays.len());
        let shapes: Vec<_> = nightly.values().flatten().map(shape).collect();
        assert_eq!(shapes, [("1204-05-01".to_owned(), 1, 0), ("1204-05-02".to_owned(), 2, 2)]);
        let one = &days(memories.clone(), None, &config)[&memories[0].npc][0];
        assert_eq!((one.until.to_string().as_str(), one.memories.len()), ("1204-05-02T09:00:00Z", 5));
        let until = Some(memories[1].at);
        let waiting = days(memories.clone(), until, &config);
        let ids = waiting[&memories[0].npc][0].memories.iter().map(|m| m.id.as_str());
        assert_eq!(ids.collect::<Vec<_>>(), ["a", "b", "n-22200"], "seconds wait for no date");
        let seconds_alone = days_by_night(vec![memory("n", 5)], until, &config);
        let day = &seconds_alone[&memories[0].npc][0];
        assert_eq!(shape(day), ("1204-05-02".to_owned(), 0, 1), "it is named, and not lost");
    }
}

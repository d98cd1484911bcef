//! Collapse of one day's repeats: equal texts, and status lines with new numbers.
//!
//! The readings of one status line become one memory, which is synthesized with its values. A value that
//! returns counts as a new reading: "3 guards, then none, then 3".

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{GameTime, LanguagePack, Memory, ValidConfig};

use super::{
    Significance, StatusCollapse, StatusGroup, StatusRecord,
    exact::{DistinctMemory, Readings, collapse_exact, count_mixed_importance},
    status::strict_context,
};

/// Collapses a day's memories, which must be in canonical order and not blank. Returns the result in that
/// order, and the number of texts that occur with more than one importance.
pub(crate) fn collapse(
    memories: &[&Memory],
    config: &ValidConfig,
    pack: &dyn LanguagePack,
) -> (Vec<DistinctMemory>, usize) {
    let (mut rows, lines) = collapse_status(memories, config, pack);
    let others = memories.iter().copied().filter(|m| !lines.contains(m.id.as_str()));
    rows.extend(collapse_exact(others));
    rows.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
    (rows, count_mixed_importance(memories.iter().copied()))
}

/// Collapses the status lines among the memories. Returns the representatives, and the ids of all collapsed
/// memories.
///
/// Pinned and important memories take no part: their words could be lost under another memory's, or their
/// triage decision replaced by another's.
fn collapse_status<'a>(
    memories: &[&'a Memory],
    config: &ValidConfig,
    pack: &dyn LanguagePack,
) -> (Vec<DistinctMemory>, BTreeSet<&'a str>) {
    let mut status = StatusCollapse::new(&config.collapse, pack);
    let is_eligible = |m: &&&Memory| {
        let must = m.pinned || m.importance().get() >= config.triage.important;
        config.collapse.day && !must && config.collapse.kinds.contains(&m.kind)
    };
    for memory in memories.iter().filter(is_eligible) {
        status.push(StatusRecord {
            id: memory.id.as_str(),
            text: &memory.text,
            context: &strict_context(
                memory.kind,
                memory.place.as_deref(),
                &memory.actors,
                &memory.text,
                pack,
            ),
            significance: Significance::of(memory.importance().get(), memory.pinned),
            reinforcement: 1,
            created_at: memory.at,
        });
    }
    let by_id: BTreeMap<&str, &'a Memory> = memories.iter().map(|m| (m.id.as_str(), *m)).collect();
    let mut lines = BTreeSet::new();
    let mut rows = Vec::new();
    for group in status.finish().groups {
        let members: Vec<&'a Memory> = group.members().filter_map(|id| by_id.get(id).copied()).collect();
        lines.extend(members.iter().map(|m| m.id.as_str()));
        rows.extend(representative(&members, &group));
    }
    (rows, lines)
}

/// Builds the memory that represents a group, whose canonical member comes first.
fn representative(members: &[&Memory], group: &StatusGroup) -> Option<DistinctMemory> {
    let (first, others) = members.split_first()?;
    if others.iter().all(|m| m.text.trim() == first.text.trim()) {
        // Nothing changed: the group is an ordinary exact repeat.
        let mut members = members.to_vec();
        members.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
        return collapse_exact(members).pop();
    }
    let mut row = DistinctMemory::of(first);
    let others: Vec<DistinctMemory> = others.iter().map(|m| DistinctMemory::of(m)).collect();
    others.iter().for_each(|other| row.merge_attributes(other));
    row.readings = Some(Readings { phase: group.phase, others });
    Some(row)
}

impl DistinctMemory {
    /// Returns the memory and the readings it represents, in order of time.
    pub(crate) fn all_readings(&self) -> Vec<&DistinctMemory> {
        let mut all: Vec<&DistinctMemory> = std::iter::once(self).chain(self.other_readings()).collect();
        all.sort_by_key(|d| (d.at, &d.id));
        all
    }

    /// Returns the readings that the memory represents, without itself.
    pub(crate) fn other_readings(&self) -> impl Iterator<Item = &DistinctMemory> {
        self.readings.iter().flat_map(|r| &r.others)
    }

    /// Returns the time of its first reading.
    pub(crate) fn first_at(&self) -> GameTime {
        self.other_readings().map(|d| d.at).fold(self.at, Ord::min)
    }

    /// Returns the readings to include in a synthesis, in order of time: always the first, the last and the
    /// representative, and an even selection of those in between that changed the value. The selection is
    /// limited to `max_readings` readings and `max_chars` characters in total.
    pub(crate) fn selected_readings(&self, most: usize, chars: usize) -> Vec<&DistinctMemory> {
        let all = self.all_readings();
        // An unchanged value adds nothing.
        let new = |i: usize| i == 0 || all[i].text.trim() != all[i - 1].text.trim();
        let last = (0..all.len()).rev().find(|&i| new(i)).unwrap_or(0);
        let must: BTreeSet<usize> =
            (0..all.len()).filter(|&i| i == 0 || i == last || all[i].id == self.id).collect();
        let between: Vec<usize> = (0..last).filter(|i| new(*i) && !must.contains(i)).collect();
        let mut room = most.saturating_sub(must.len()).min(between.len());
        loop {
            let evenly = (0..room).map(|i| between[(2 * i + 1) * between.len() / (2 * room)]);
            let told: BTreeSet<usize> = must.iter().copied().chain(evenly).collect();
            let told: Vec<&DistinctMemory> = told.into_iter().map(|i| all[i]).collect();
            if room == 0 || told.iter().map(|d| d.text.chars().count()).sum::<usize>() <= chars {
                return told;
            }
            room -= 1;
        }
    }

    /// Returns the number of different texts that the memory represents.
    pub(crate) fn distinct_texts(&self) -> usize {
        let texts: BTreeSet<&str> = self.all_readings().iter().map(|d| d.text.trim()).collect();
        texts.len()
    }
}

#[cfg(test)]
mod tests {
    use nightfold_english::English;
    use nightfold_memory::Config;

    use super::*;

    fn memories(lines: &serde_json::Value) -> Vec<Memory> {
        let lines = lines.as_array().unwrap();
        lines
            .iter()
            .zip(0..)
            .map(|(line, at)| {
                let mut memory = serde_json::json!({"id": format!("m{at:02}"), "npc": "n", "at": at, "kind": "status",
                                                    "importance": 2});
                memory.as_object_mut().unwrap().extend(line.as_object().unwrap().clone());
                serde_json::from_value(memory).unwrap()
            })
            .collect()
    }

    fn day(lines: &serde_json::Value) -> Vec<DistinctMemory> {
        let memories = memories(lines);
        collapse(&memories.iter().collect::<Vec<_>>(), &ValidConfig::default(), &English).0
    }

    fn ids(rows: &[DistinctMemory]) -> Vec<&str> {
        rows.iter().map(|d| d.id.as_str()).collect()
    }

    fn selected(row: &DistinctMemory, most: usize, chars: usize) -> Vec<&str> {
        row.selected_readings(most, chars).iter().map(|d| d.id.as_str()).collect()
    }

    #[test]
    fn most_significant_reading_represents_its_group() {
        let rows = day(&serde_json::json!([
            {"text": "gate status: 3 patrols"},
            {"text": "I mended the gate", "kind": "event"},
            {"text": "gate status: 5 patrols", "tags": ["watch"]},
            {"text": "gate status: 5 patrols"},
            {"text": "gate status: 4 patrols", "importance": 4},
        ]));
        // m04 is noteworthy, the others are routine.
        assert_eq!(ids(&rows), ["m01", "m04"]);
        let gate = &rows[1];
        assert_eq!((gate.occurrences(), gate.distinct_texts(), gate.first_at().seconds()), (4, 3, 0));
        assert_eq!(gate.tags, ["watch"]);
        let order: Vec<&str> = gate.all_readings().iter().map(|d| d.id.as_str()).collect();
        assert_eq!(order, ["m00", "m02", "m03", "m04"]);
    }

    #[test]
    fn unchanged_status_line_is_an_exact_repeat() {
        let rows = day(&serde_json::json!([
            {"text": "gate status: 3 patrols", "importance": 2},
            {"text": "gate status: 3 patrols", "importance": 4},
            {"text": "gate status: 3 patrols", "importance": 2},
        ]));
        assert_eq!((rows.len(), rows[0].id.as_str(), rows[0].repeats.len()), (1, "m00", 2));
        assert_eq!((rows[0].readings.is_none(), rows[0].importance.get()), (true, 4));
    }

    #[test]
    fn important_pinned_chat_and_other_context_lines_are_not_collapsed() {
        let rows = day(&serde_json::json!([
            {"text": "gate status: 3 patrols", "importance": 7},
            {"text": "gate status: 4 patrols", "pinned": true},
            {"text": "gate status: 5 patrols", "place": "the hill"},
            {"text": "gate status: 6 patrols", "place": "the river"},
            {"text": "gate status: 7 patrols", "actors": ["Odo"]},
            {"text": "gate status: 8 patrols", "kind": "chat"},
            {"text": "gate status: 9 patrols", "kind": "chat"},
            {"text": "shift alert 1: Joss attacked Tom"},
            {"text": "shift alert 2: Tom attacked Joss"},
            {"text": "post-north-1 status: 3 guards"},
            {"text": "post-south-2 status: 0 guards"},
        ]));
        assert_eq!(rows.len(), 11);
    }

    #[test]
    fn chat_does_not_collapse_with_readings_of_equal_text() {
        let rows = day(&serde_json::json!([
            {"text": "gate status: 0 guards", "kind": "chat", "actors": ["Player"]},
            {"text": "gate status: 3 guards"},
            {"text": "gate status: 0 guards"},
        ]));
        assert_eq!(ids(&rows), ["m00", "m01"]);
        assert_eq!(selected(&rows[1], 8, 800), ["m01", "m02"]);
    }

    #[test]
    fn returning_value_is_selected_again() {
        let rows = day(&serde_json::json!([
            {"text": "gate status: 3 guards"}, {"text": "gate status: 3 guards"}, {"text": "gate status: 0 guards"},
            {"text": "gate status: 3 guards"}, {"text": "gate status: 3 guards"},
        ]));
        assert_eq!(selected(&rows[0], 8, 800), ["m00", "m02", "m03"]);
    }

    #[test]
    fn selection_includes_first_last_and_most_significant_reading() {
        let mut lines: Vec<_> =
            (0..24).map(|n| serde_json::json!({"text": format!("gate status: {n} patrols")})).collect();
        let rows = day(&lines.clone().into());
        assert_eq!(selected(&rows[0], 4, 1000), ["m00", "m06", "m17", "m23"]);
        assert_eq!(selected(&rows[0], 4, 50), ["m00", "m23"]);
        assert_eq!(selected(&rows[0], 100, 10_000).len(), 24);
        lines[7]["importance"] = 6.into();
        let rows = day(&lines.into());
        assert_eq!((rows[0].id.as_str(), selected(&rows[0], 3, 1000)), ("m07", vec!["m00", "m07", "m23"]));
    }

    #[test]
    fn collapse_of_a_day_can_be_disabled() {
        let mut config = Config::default();
        config.collapse.day = false;
        let lines = memories(&serde_json::json!([
            {"text": "gate status: 1 patrol"}, {"text": "gate status: 2 patrols"}, {"text": "gate status: 1 patrol"},
        ]));
        let lines: Vec<&Memory> = lines.iter().collect();
        assert_eq!(ids(&collapse(&lines, &config.check().unwrap(), &English).0), ["m00", "m01"]);
        assert_eq!(collapse(&lines, &ValidConfig::default(), &English).0.len(), 1);
    }
}

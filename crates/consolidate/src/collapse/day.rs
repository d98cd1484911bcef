//! Status lines of one day: the readings of one thing become one memory, which is told with its values.

use std::collections::BTreeMap;

use nightfold_memory::{GameTime, Kind, MemoryId, ValidConfig};

use super::{
    Distinct, Significance, StatusCollapse, StatusGroup, StatusRecord, exact::Readings, status::context,
};
use crate::gather::unite;

/// Puts the readings of each status line under its canonical one. Rows stay in their order.
///
/// What must be kept word for word takes no part: its words would be lost under another's, or its fate be another's.
pub(crate) fn readings(distinct: Vec<Distinct>, config: &ValidConfig) -> Vec<Distinct> {
    if !config.collapse.day {
        return distinct;
    }
    let mut status = StatusCollapse::new(&config.collapse);
    let takes_part = |d: &&Distinct| {
        let must = d.pinned || d.importance.get() >= config.triage.important;
        !must && d.kind != Kind::Reflection
    };
    for line in distinct.iter().filter(takes_part) {
        status.push(StatusRecord {
            id: line.id.as_str(),
            text: &line.text,
            context: &context(line.kind, line.place.as_deref(), &line.actors),
            significance: Significance::of(line.importance.get(), line.pinned),
            reinforcement: line.occurrences(),
            created_at: line.at,
        });
    }
    let groups = status.finish().groups;
    let canonical: BTreeMap<&str, &StatusGroup> =
        groups.iter().flat_map(|g| g.duplicates.iter().map(move |id| (id.as_str(), g))).collect();
    let mut put_under: BTreeMap<&str, Readings> = BTreeMap::new();
    let mut rows = Vec::with_capacity(distinct.len());
    for line in distinct {
        match canonical.get(line.id.as_str()) {
            Some(group) => {
                let readings = put_under
                    .entry(&group.canonical)
                    .or_insert_with(|| Readings { phase: group.phase, others: Vec::new() });
                readings.others.push(line);
            }
            None => rows.push(line),
        }
    }
    for row in &mut rows {
        if let Some(readings) = put_under.remove(row.id.as_str()) {
            take_over(row, readings);
        }
    }
    rows
}

/// The canonical reading knows what all of them know.
fn take_over(canonical: &mut Distinct, readings: Readings) {
    for other in &readings.others {
        canonical.importance = canonical.importance.max(other.importance);
        canonical.last_at = canonical.last_at.max(other.last_at);
        canonical.emotion = canonical.emotion.or(other.emotion);
        unite(&mut canonical.tags, &other.tags);
        unite(&mut canonical.sources, &other.sources);
    }
    canonical.readings = Some(readings);
}

impl Distinct {
    /// It and the readings it stands for, in order of time.
    pub(crate) fn all_readings(&self) -> Vec<&Distinct> {
        let mut all: Vec<&Distinct> = std::iter::once(self).chain(self.others()).collect();
        all.sort_by_key(|d| (d.at, &d.id));
        all
    }

    /// The readings it stands for.
    pub(crate) fn others(&self) -> impl Iterator<Item = &Distinct> {
        self.readings.iter().flat_map(|r| &r.others)
    }

    /// When the first of its readings was taken.
    pub(crate) fn first_at(&self) -> GameTime {
        self.others().map(|d| d.at).fold(self.at, Ord::min)
    }

    /// The readings that are told: the first, the last and others evenly between them, at most `most` of them and, but
    /// for these two, no more than `chars` characters in all.
    pub(crate) fn told_readings(&self, most: usize, chars: usize) -> Vec<&Distinct> {
        let all = self.all_readings();
        let mut take = all.len().min(most.max(2));
        loop {
            let last = all.len() - 1;
            let picked: Vec<&Distinct> = (0..take).map(|i| all[i * last / (take - 1).max(1)]).collect();
            if take <= 2 || picked.iter().map(|d| d.text.chars().count()).sum::<usize>() <= chars {
                return picked;
            }
            take -= 1;
        }
    }

    /// Every memory that stands under this one for the same reason, with the one it stands under.
    pub(crate) fn repeats_by_reading(&self) -> impl Iterator<Item = (&MemoryId, &[MemoryId])> {
        let with_repeats = |d: &&Distinct| !d.repeats.is_empty();
        std::iter::once(self).chain(self.others()).filter(with_repeats).map(|d| (&d.id, d.repeats.as_slice()))
    }
}

#[cfg(test)]
mod tests {
    use nightfold_memory::{Config, Memory};

    use super::*;
    use crate::collapse::collapse;

    fn day(lines: &serde_json::Value) -> Vec<Distinct> {
        let memories: Vec<Memory> = lines
            .as_array()
            .unwrap()
            .iter()
            .zip(0..)
            .map(|(line, at)| {
                let mut memory = serde_json::json!({"id": format!("m{at:02}"), "npc": "n", "at": at, "kind": "status",
                                                    "importance": 2});
                memory.as_object_mut().unwrap().extend(line.as_object().unwrap().clone());
                serde_json::from_value(memory).unwrap()
            })
            .collect();
        let mut distinct = collapse(memories.iter()).0;
        distinct = readings(distinct, &ValidConfig::default());
        distinct
    }

    fn ids(rows: &[Distinct]) -> Vec<&str> {
        rows.iter().map(|d| d.id.as_str()).collect()
    }

    #[test]
    fn readings_stand_under_the_first_one_with_their_own_repeats() {
        let rows = day(&serde_json::json!([
            {"text": "gate status: 3 patrols"},
            {"text": "I mended the gate"},
            {"text": "gate status: 5 patrols", "tags": ["watch"]},
            {"text": "gate status: 5 patrols"},
            {"text": "gate status: 4 patrols", "importance": 4},
        ]));
        // m04 signifies more than the others (noteworthy), so it stands for them.
        assert_eq!(ids(&rows), ["m01", "m04"]);
        let gate = &rows[1];
        assert_eq!((gate.occurrences(), gate.at.seconds(), gate.last_at.seconds()), (4, 4, 4));
        assert_eq!(gate.tags, ["watch"]);
        let order: Vec<&str> = gate.all_readings().iter().map(|d| d.id.as_str()).collect();
        assert_eq!(order, ["m00", "m02", "m04"]);
        let repeats: Vec<_> = gate.repeats_by_reading().map(|(id, r)| (id.as_str(), r.len())).collect();
        assert_eq!(repeats, [("m02", 1)]);
    }

    #[test]
    fn what_is_important_pinned_or_of_another_place_or_person_is_left_alone() {
        let rows = day(&serde_json::json!([
            {"text": "gate status: 3 patrols", "importance": 7},
            {"text": "gate status: 4 patrols", "pinned": true},
            {"text": "gate status: 5 patrols", "place": "the hill"},
            {"text": "gate status: 6 patrols", "place": "the river"},
            {"text": "gate status: 7 patrols", "actors": ["Odo"]},
            {"text": "gate status: 8 patrols", "kind": "chat"},
        ]));
        assert_eq!(rows.len(), 6);
    }

    #[test]
    fn of_many_readings_the_first_and_the_last_are_told() {
        let lines: Vec<_> =
            (0..24).map(|n| serde_json::json!({"text": format!("gate status: {n} patrols")})).collect();
        let rows = day(&lines.into());
        let told = |most, chars| -> Vec<String> {
            rows[0].told_readings(most, chars).iter().map(|d| d.id.to_string()).collect()
        };
        assert_eq!(told(4, 1000), ["m00", "m07", "m15", "m23"]);
        assert_eq!(told(4, 50), ["m00", "m23"]);
        assert_eq!(told(100, 10_000).len(), 24);
    }

    #[test]
    fn a_day_can_be_left_as_it_is() {
        let mut config = Config::default();
        config.collapse.day = false;
        let line = |id: &str, n: i64| -> Memory {
            serde_json::from_value(serde_json::json!({"id": id, "npc": "n", "at": n, "kind": "status",
                "text": format!("gate status: {n} patrols")}))
            .unwrap()
        };
        let memories = [line("a", 1), line("b", 2)];
        let distinct = collapse(memories.iter()).0;
        assert_eq!(readings(distinct.clone(), &config.check().unwrap()), distinct);
        assert_eq!(readings(distinct, &ValidConfig::default()).len(), 1);
    }
}

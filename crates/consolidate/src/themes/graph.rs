//! Relations of themes: who is in both, and what was concluded from both.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use nightfold_memory::{
    MemoryId, MemoryRecord, MemorySnapshot, NpcId, RecordKind, State, ThemeHistory, ThemeId,
};
use serde::Serialize;

/// Maximum number of themes to which a theme is related.
const MOST_RELATED: usize = 3;
/// Maximum number of entries that a recalled theme brings of each related one.
const MOST_BROUGHT: usize = 2;

/// Relation of a theme to another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThemeRelation {
    /// Id of the other theme.
    pub id: ThemeId,
    /// Actors of memories of both, by name.
    pub people: Vec<String>,
    /// Ids of the active reflections that rest on memories of both, in order.
    pub reflections: Vec<MemoryId>,
}

/// Theme with the nearest others.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RelatedTheme {
    /// The theme.
    #[serde(flatten)]
    pub theme: ThemeHistory,
    /// Up to three related themes: those that most reflections join come first, then those that share most people.
    pub related: Vec<ThemeRelation>,
}

impl RelatedTheme {
    /// Relates an NPC's themes, of which only the first [`MemorySnapshot::MAX_THEMES`] are taken. `records` are the NPC's
    /// entries in every state.
    pub fn of_npc(npc: &NpcId, mut themes: Vec<ThemeHistory>, records: &[MemoryRecord]) -> Vec<Self> {
        themes.truncate(MemorySnapshot::MAX_THEMES);
        let mut themes_of: BTreeMap<&MemoryId, Vec<usize>> = BTreeMap::new();
        for (number, theme) in themes.iter().enumerate() {
            members(theme).for_each(|id| themes_of.entry(id).or_default().push(number));
        }
        let mut people: Vec<BTreeSet<&str>> = vec![BTreeSet::new(); themes.len()];
        let mut joined: BTreeMap<(usize, usize), Vec<&MemoryId>> = BTreeMap::new();
        for MemoryRecord { entry, state, .. } in records {
            for &theme in themes_of.get(&entry.id).into_iter().flatten() {
                people[theme]
                    .extend(entry.actors.iter().map(String::as_str).filter(|name| *name != npc.as_str()));
            }
            if entry.form == RecordKind::Reflection && *state == State::Active {
                let of = entry.sources.iter().filter_map(|source| themes_of.get(source)).flatten();
                let of: BTreeSet<usize> = of.copied().collect();
                let pairs = of.iter().flat_map(|&one| of.iter().map(move |&other| (one, other)));
                pairs.for_each(|pair| joined.entry(pair).or_default().push(&entry.id));
            }
        }
        let relation = |one: usize, other: usize| ThemeRelation {
            id: themes[other].id.clone(),
            people: people[one].intersection(&people[other]).map(|name| (*name).to_owned()).collect(),
            reflections: joined.get(&(one, other)).into_iter().flatten().map(|id| (*id).clone()).collect(),
        };
        let related = |one: usize| {
            let others = (0..themes.len()).filter(|&other| other != one).map(|other| relation(one, other));
            let mut related: Vec<ThemeRelation> =
                others.filter(|r| !r.people.is_empty() || !r.reflections.is_empty()).collect();
            // Stable: of equally near themes the first.
            related.sort_by_key(|r| Reverse((r.reflections.len(), r.people.len())));
            related.truncate(MOST_RELATED);
            related
        };
        let related: Vec<Vec<ThemeRelation>> = (0..themes.len()).map(related).collect();
        themes.into_iter().zip(related).map(|(theme, related)| Self { theme, related }).collect()
    }
}

/// Theme with the entries that an NPC has of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecalledTheme<'a> {
    /// Id of the theme.
    pub id: &'a ThemeId,
    /// Words of the theme, as in [`ThemeHistory`].
    pub words: &'a [String],
    /// Relation to the theme that was asked for; left out for that theme itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<&'a ThemeRelation>,
    /// Active entries that tell or rest on its memories, the most important and among these the newest first.
    pub entries: Vec<&'a MemoryRecord>,
}

/// Returns up to `limit` entries of a theme, and after it the best two of each related theme that the ones before do not
/// have; `None` if no theme has the id. `records` are the entries from which `themes` were related.
pub fn recall_theme<'a>(
    id: &ThemeId,
    themes: &'a [RelatedTheme],
    records: &'a [MemoryRecord],
    limit: usize,
) -> Option<Vec<RecalledTheme<'a>>> {
    let of = |id: &ThemeId| themes.iter().find(|related| related.theme.id == *id);
    let asked = of(id)?;
    let nearest = asked.related.iter().filter_map(|relation| Some((of(&relation.id)?, Some(relation))));
    let mut told: BTreeSet<&MemoryId> = BTreeSet::new();
    let recalled =
        std::iter::once((asked, None)).chain(nearest).map(|(RelatedTheme { theme, .. }, relation)| {
            let members: BTreeSet<&MemoryId> = members(theme).collect();
            let is_of_theme = |record: &&MemoryRecord| {
                let rests_on = || record.entry.sources.iter().any(|source| members.contains(source));
                record.state == State::Active && (members.contains(&record.entry.id) || rests_on())
            };
            let mut entries: Vec<&MemoryRecord> = records
                .iter()
                .filter(is_of_theme)
                .filter(|record| !told.contains(&record.entry.id))
                .collect();
            entries.sort_by_key(|record| {
                (Reverse((record.entry.importance, record.entry.last_at)), &record.entry.id)
            });
            entries.truncate(if relation.is_some() { limit.min(MOST_BROUGHT) } else { limit });
            told.extend(entries.iter().map(|record| &record.entry.id));
            RecalledTheme { id: &theme.id, words: &theme.words, relation, entries }
        });
    Some(recalled.collect())
}

/// Returns the memories of a theme over all nights.
fn members(theme: &ThemeHistory) -> impl Iterator<Item = &MemoryId> {
    theme.history.iter().flat_map(|point| &point.members)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(id: &str, form: &str, importance: u8, actors: &[&str], sources: &[&str]) -> MemoryRecord {
        let kind = if form == "reflection" { "reflection" } else { "event" };
        serde_json::from_value(json!({
            "npc": "Mara", "id": id, "form": form, "kind": kind, "text": id, "at": 0, "last_at": 0,
            "importance": importance, "occurrences": 1, "sources": sources, "actors": actors, "state": "active",
            "corroborations": 0, "confidence": "normal", "touched_at": 0, "night": "day-0",
        }))
        .unwrap()
    }

    fn theme(id: &str, members: &[&str]) -> ThemeHistory {
        serde_json::from_value(json!({
            "id": id, "words": [id], "memories": members.len(), "nights": 1, "first_at": 0, "last_at": 0,
            "history": [{"night": "day-0", "at": 0, "members": members, "importance": 5.0}],
        }))
        .unwrap()
    }

    fn town() -> (Vec<RelatedTheme>, Vec<MemoryRecord>) {
        let records = vec![
            record("debt", "verbatim", 6, &["Joss", "Mara"], &[]),
            record("blow", "verbatim", 7, &["Joss", "Tib"], &[]),
            record("flour", "verbatim", 5, &["Joss"], &[]),
            record("wheel", "verbatim", 4, &["Mara"], &[]),
            record("rain", "verbatim", 3, &["Mara"], &[]),
            record("idea", "reflection", 8, &[], &["debt", "rain"]),
        ];
        let themes = vec![
            theme("feud", &["debt", "blow"]),
            theme("mill", &["flour", "wheel"]),
            theme("weather", &["rain", "purged"]),
        ];
        (RelatedTheme::of_npc(&"Mara".parse().unwrap(), themes, &records), records)
    }

    #[test]
    fn themes_are_related_by_people_and_reflections() {
        let (themes, _) = town();
        let related = |n: usize| -> Vec<(&str, &[String], usize)> {
            let of = |r: &'_ ThemeRelation| r.reflections.len();
            themes[n].related.iter().map(|r| (r.id.as_str(), r.people.as_slice(), of(r))).collect()
        };
        let joss = ["Joss".to_owned()];
        // The NPC is in all of its memories, which relates nothing.
        assert_eq!(related(0), [("weather", &[] as &[String], 1), ("mill", &joss, 0)]);
        assert_eq!(related(1), [("feud", joss.as_slice(), 0)]);
        assert_eq!(related(2), [("feud", &[] as &[String], 1)]);
    }

    #[test]
    fn recalled_theme_brings_the_nearest_ones() {
        let (themes, records) = town();
        let told = |id: &str, limit| -> Vec<(String, Vec<&str>)> {
            let recalled = recall_theme(&id.parse().unwrap(), &themes, &records, limit).unwrap();
            let ids = |r: &RecalledTheme<'_>| {
                let entries = records.iter().filter(|one| r.entries.contains(one));
                (r.id.to_string(), entries.map(|one| one.entry.id.as_str()).collect())
            };
            recalled.iter().map(ids).collect()
        };
        let all = told("feud", 10);
        let of = |id: &str, entries: &[&'static str]| (id.to_owned(), entries.to_vec());
        assert_eq!(
            all,
            [
                of("feud", &["debt", "blow", "idea"]),
                of("weather", &["rain"]),
                of("mill", &["flour", "wheel"])
            ]
        );
        assert_eq!(told("mill", 1), [of("mill", &["flour"]), of("feud", &["idea"])]);
        assert_eq!(recall_theme(&"none".parse().unwrap(), &themes, &records, 1), None);
    }
}

//! Collapse of status entries in long-term memory that say the same, as changes of a plan.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{
    Change, GameTime, LanguagePack, MemoryId, MemoryRecord, MergedState, Reason, RecordKind, Rule,
    ValidConfig, config::CollapseConfig,
};

use super::{
    Phase, Significance, StatusCollapse, StatusGroup, StatusRecord, StatusReport,
    status::{fuzzy::FUZZY_SHARED, strict_context},
};
use crate::merged::moved;

/// Collects the active entries of one NPC, page by page, and groups the status lines among them at the end.
/// It keeps only some attributes of each status line, and no text except each distinct signature once.
///
/// ```
/// use nightfold_consolidate::collapse::EntryCollapse;
/// use nightfold_english::English;
/// use nightfold_memory::{MemoryRecord, ValidConfig};
///
/// let entry = |id: &str, at: i64, text: &str| -> MemoryRecord {
///     serde_json::from_value(serde_json::json!({
///         "npc": "Bran", "id": id, "form": "verbatim", "kind": "status", "text": text, "at": at, "last_at": at,
///         "importance": 2, "occurrences": 1, "sources": [], "state": "active", "corroborations": 0,
///         "confidence": "normal", "touched_at": at, "night": "day-0",
///     })).unwrap()
/// };
/// let config = ValidConfig::default();
/// let mut collapse = EntryCollapse::new(&config, &English);
/// collapse.push(&entry("a", 1, "gate status: 3 patrols"));
/// collapse.push(&entry("b", 2, "gate status: 5 patrols"));
/// let found = collapse.finish();
/// // No other entry in this long-term memory refers to these two.
/// let changes = found.changes(|_| Ok::<_, std::convert::Infallible>(vec![]))?;
/// assert_eq!((changes[0].id().as_str(), changes[0].sources()[0].as_str()), ("a", "b"));
/// # Ok::<(), std::convert::Infallible>(())
/// ```
pub struct EntryCollapse<'a> {
    important: u8,
    settings: &'a CollapseConfig,
    /// True if entries of every kind are considered, not only those of `collapse.kinds`.
    all_kinds: bool,
    pack: &'a dyn LanguagePack,
    status: StatusCollapse<'a>,
    lines: BTreeMap<String, CollapsibleEntry>,
}

/// Attributes of a status entry that are transferred when it is collapsed.
struct CollapsibleEntry {
    id: MemoryId,
    /// True if the entry must stay active: it is pinned or important.
    required: bool,
    occurrences: u32,
    corroborations: u32,
    last_at: GameTime,
    touched_at: GameTime,
    tags: Vec<String>,
    sources: Vec<MemoryId>,
}

impl CollapsibleEntry {
    /// Returns the total number of times it was experienced or corroborated.
    fn reinforcement(&self) -> u32 {
        self.occurrences.saturating_add(self.corroborations)
    }
}

/// Groups of one NPC's status entries with the same meaning.
pub struct EntriesCollapsed<'a> {
    settings: &'a CollapseConfig,
    report: StatusReport,
    groups: Vec<StatusGroup>,
    lines: BTreeMap<String, CollapsibleEntry>,
}

impl<'a> EntryCollapse<'a> {
    /// Creates a collapse that considers only operational entries of the kinds in `collapse.kinds`.
    pub fn new(config: &'a ValidConfig, pack: &'a dyn LanguagePack) -> Self {
        Self::with(config, StatusCollapse::new(&config.collapse, pack), pack, false)
    }

    /// Creates a collapse that treats every entry, of any kind, as a status line.
    pub fn unfiltered(config: &'a ValidConfig, pack: &'a dyn LanguagePack) -> Self {
        Self::with(config, StatusCollapse::unfiltered(&config.collapse, pack), pack, true)
    }

    fn with(
        config: &'a ValidConfig,
        status: StatusCollapse<'a>,
        pack: &'a dyn LanguagePack,
        all_kinds: bool,
    ) -> Self {
        let (important, settings) = (config.triage.important, &config.collapse);
        Self { important, settings, pack, all_kinds, status, lines: BTreeMap::new() }
    }

    /// Adds the next active entry. Reflections are never status lines, whatever their text.
    pub fn push(&mut self, memory: &MemoryRecord) {
        let entry = &memory.entry;
        let kind = self.all_kinds || self.settings.kinds.contains(&entry.kind);
        if entry.form == RecordKind::Reflection || !kind {
            return;
        }
        let line = CollapsibleEntry {
            id: entry.id.clone(),
            required: entry.pinned || entry.importance.get() >= self.important,
            occurrences: entry.occurrences,
            corroborations: memory.corroborations,
            last_at: entry.last_at,
            touched_at: memory.last_touched(),
            tags: entry.tags.clone(),
            sources: entry.sources.clone(),
        };
        let is_status = self.status.push(StatusRecord {
            id: entry.id.as_str(),
            text: &entry.text,
            context: &strict_context(
                entry.kind,
                entry.place.as_deref(),
                &entry.actors,
                &entry.text,
                self.pack,
            ),
            significance: Significance::of(entry.importance.get(), entry.pinned),
            reinforcement: line.reinforcement(),
            created_at: entry.at,
        });
        if is_status {
            self.lines.insert(entry.id.as_str().to_owned(), line);
        }
    }

    /// Groups the entries added so far. The result does not depend on their order.
    pub fn finish(self) -> EntriesCollapsed<'a> {
        let lines = &self.lines;
        let found = self.status.finish_where(|duplicate, canonical| {
            let (duplicate, canonical) = (&lines[duplicate], &lines[canonical]);
            // A source of the canonical entry that is active nevertheless has been restored.
            !duplicate.required && !canonical.sources.contains(&duplicate.id)
        });
        EntriesCollapsed {
            settings: self.settings,
            report: found.report,
            groups: found.groups,
            lines: self.lines,
        }
    }
}

impl EntriesCollapsed<'_> {
    /// Returns the report of a dry run.
    pub fn report(&self) -> &StatusReport {
        &self.report
    }

    /// Returns the groups of two or more entries, by the time and id of their canonical entry. An important
    /// or pinned entry may be canonical but is never a duplicate; nor is an entry that was restored after the
    /// same canonical entry had replaced it.
    pub fn groups(&self) -> &[StatusGroup] {
        &self.groups
    }

    /// Returns the changes that reduce each group to one entry. `referring` returns the entries that name a
    /// given one as a source or as their successor; these are redirected to the canonical entry.
    ///
    /// # Errors
    /// Errors of `referring`.
    pub fn changes<E>(
        &self,
        mut referring: impl FnMut(&MemoryId) -> Result<Vec<MemoryId>, E>,
    ) -> Result<Vec<Change>, E> {
        let mut changes = Vec::new();
        for group in &self.groups {
            let duplicates: Vec<&CollapsibleEntry> =
                group.duplicates.iter().map(|id| &self.lines[id]).collect();
            let canonical = &self.lines[&group.canonical];
            let all = || std::iter::once(canonical).chain(duplicates.iter().copied());
            let taken = duplicates.iter().map(|line| line.reinforcement().max(1));
            let corroborations = taken.fold(canonical.corroborations, u32::saturating_add);
            let mut reason = Reason::new(Rule::StatusRepeat)
                .with("phase", group.phase.as_str())
                .with("entries", 1 + duplicates.len())
                .with("reinforcement", canonical.occurrences.saturating_add(corroborations));
            if group.phase == Phase::Fuzzy {
                reason = reason
                    .with("similar_from", self.settings.fuzzy_similarity)
                    .with("shared_from", FUZZY_SHARED);
            }
            changes.push(Change::Collapse {
                id: canonical.id.clone(),
                sources: duplicates.iter().map(|line| line.id.clone()).collect(),
                standing: Some(MergedState {
                    corroborations,
                    last_at: all().map(|line| line.last_at).fold(canonical.last_at, Ord::max),
                    touched_at: all().map(|line| line.touched_at).fold(canonical.touched_at, Ord::max),
                    tags: all()
                        .flat_map(|line| &line.tags)
                        .cloned()
                        .collect::<BTreeSet<_>>()
                        .into_iter()
                        .collect(),
                    moved: moved(duplicates.iter().map(|line| &line.id), &canonical.id, &mut referring)?,
                }),
                reason,
            });
        }
        Ok(changes)
    }

    /// Returns the report after applying `changes`, which must be those of [`EntriesCollapsed::changes`].
    pub fn report_after(self, changes: &[Change]) -> StatusReport {
        let mut report = self.report;
        report.dry_run = false;
        for change in changes {
            let Change::Collapse { id, sources, standing: Some(standing), .. } = change else { continue };
            report.groups_collapsed += 1;
            report.duplicates_removed += sources.len();
            let before = self.lines.get(id.as_str()).map_or(0, |line| line.corroborations);
            report.reinforcements_applied += u64::from(standing.corroborations.saturating_sub(before));
        }
        report
    }
}

#[cfg(test)]
mod tests {
    use nightfold_english::English;
    use std::convert::Infallible;

    use super::*;

    fn entry(id: &str, at: i64, importance: u8, corroborations: u32, text: &str) -> MemoryRecord {
        serde_json::from_value(serde_json::json!({
            "npc": "Bran", "id": id, "form": "verbatim", "kind": "status", "text": text, "at": at, "last_at": at + 1,
            "importance": importance, "occurrences": 1, "sources": [], "state": "active",
            "corroborations": corroborations, "confidence": "normal", "touched_at": 100 - at, "night": "day-0",
        }))
        .unwrap()
    }

    /// Returns the changes if no entry refers to another.
    fn changes_without_references(found: &EntriesCollapsed<'_>) -> Vec<Change> {
        let Ok(changes) = found.changes(|_| Ok::<_, Infallible>(Vec::new()));
        changes
    }

    #[test]
    fn collapse_transfers_reinforcement_times_and_references() {
        let config = ValidConfig::default();
        let mut collapse = EntryCollapse::new(&config, &English);
        // The worked example: 2 + 3 + 1 + 1 + (0 counts as) 1 = 8; every entry was experienced at least once.
        for (id, at, importance, corroborations) in
            [("c", 5, 6, 1), ("a", 1, 2, 2), ("b", 2, 2, 0), ("d", 3, 2, 0), ("e", 9, 2, 0)]
        {
            collapse.push(&entry(id, at, importance, corroborations, &format!("gate status: {at} patrols")));
        }
        let found = collapse.finish();
        let id = |s: &str| MemoryId::new(s).unwrap();
        let referring = |of: &MemoryId| {
            let ids: &[&str] = match of.as_str() {
                "a" => &["insight", "c"],
                "e" => &["insight", "other"],
                _ => &[],
            };
            Ok::<_, Infallible>(ids.iter().map(|s| id(s)).collect())
        };
        let Ok(changes) = found.changes(referring);
        let [Change::Collapse { id: canonical, sources, standing: Some(standing), reason }] = &changes[..]
        else {
            panic!("{changes:?}")
        };
        assert_eq!(canonical.as_str(), "c");
        assert_eq!(sources.iter().map(MemoryId::as_str).collect::<Vec<_>>(), ["a", "b", "d", "e"]);
        assert_eq!(standing.corroborations, 7, "with its own occurrence the canonical entry counts 8");
        assert_eq!(reason.values["reinforcement"], 8_u32.into());
        assert_eq!((standing.last_at.seconds(), standing.touched_at.seconds()), (10, 99));
        assert_eq!(standing.moved, [id("insight"), id("other")]);
        assert_eq!((found.report().groups_collapsed, found.report().dry_run), (0, true));
        let report = found.report_after(&changes);
        assert_eq!(
            (
                report.groups_collapsed,
                report.duplicates_removed,
                report.reinforcements_applied,
                report.dry_run
            ),
            (1, 4, 6, false)
        );
    }

    #[test]
    fn important_and_pinned_entries_are_never_duplicates() {
        let config = ValidConfig::default();
        let mut collapse = EntryCollapse::new(&config, &English);
        let mut pinned = entry("p", 4, 2, 0, "gate status: 4 patrols");
        pinned.entry.pinned = true;
        for memory in [
            entry("a", 1, 2, 0, "gate status: 1 patrol"),
            entry("b", 2, 8, 0, "gate status: 0 patrols"),
            entry("c", 3, 9, 1, "gate status: 9 patrols"),
            pinned,
        ] {
            collapse.push(&memory);
        }
        let found = collapse.finish();
        assert_eq!((found.report().duplicates_found, found.report().duplicate_groups), (1, 1));
        let changes = changes_without_references(&found);
        assert_eq!(changes.len(), 1);
        assert_eq!((changes[0].id().as_str(), changes[0].sources()[0].as_str()), ("p", "a"));
        assert_eq!(changes[0].sources().len(), 1);
    }

    #[test]
    fn restored_source_of_the_canonical_entry_is_not_collapsed() {
        let config = ValidConfig::default();
        let mut collapse = EntryCollapse::new(&config, &English);
        let mut canonical = entry("a", 1, 2, 2, "gate status: 1 patrol");
        canonical.entry.sources = vec![MemoryId::new("b").unwrap()];
        collapse.push(&canonical);
        collapse.push(&entry("b", 2, 2, 0, "gate status: 2 patrols"));
        let mut tagged = entry("c", 3, 2, 0, "gate status: 3 patrols");
        tagged.entry.tags = vec!["watch".to_owned()];
        collapse.push(&tagged);
        let changes = changes_without_references(&collapse.finish());
        let [Change::Collapse { sources, standing: Some(standing), .. }] = &changes[..] else {
            panic!("{changes:?}")
        };
        assert_eq!((sources[0].as_str(), sources.len(), standing.corroborations), ("c", 1, 3));
        assert_eq!(standing.tags, ["watch"]);
    }

    #[test]
    fn only_status_entries_collapse_and_names_are_not_mixed_up() {
        let config = ValidConfig::default();
        let chat = |id: &str, text: &str| {
            let mut memory = entry(id, 1, 2, 0, text);
            memory.entry.kind = nightfold_memory::Kind::Chat;
            memory
        };
        let lines = [
            chat("a", "I owe Joss 3 silver for the service"),
            chat("b", "I owe Joss 300 silver for the service"),
            entry("c", 1, 2, 0, "Alert: Joss attacked Tom at 3 bells"),
            entry("d", 2, 2, 0, "Alert: Tom attacked Joss at 4 bells"),
            entry("e", 3, 2, 0, "post-north-1 status: 3 guards alive"),
            entry("f", 4, 2, 0, "post-south-2 status: 0 guards alive"),
        ];
        let mut collapse = EntryCollapse::new(&config, &English);
        lines.iter().for_each(|line| collapse.push(line));
        assert!(collapse.finish().groups().is_empty());
        let mut all = EntryCollapse::unfiltered(&config, &English);
        lines.iter().for_each(|line| all.push(line));
        assert_eq!(all.finish().groups().len(), 1);
    }

    #[test]
    fn reflections_and_other_entries_are_skipped() {
        let config = ValidConfig::default();
        let mut collapse = EntryCollapse::new(&config, &English);
        let mut insight = entry("a", 1, 2, 0, "I keep counting: gate status 3 patrols");
        insight.entry.form = RecordKind::Reflection;
        collapse.push(&insight);
        collapse.push(&entry("b", 2, 2, 0, "Joss owes Tom 14 silver"));
        collapse.push(&entry("c", 3, 2, 0, "Joss owes Tom 15 silver"));
        let found = collapse.finish();
        assert_eq!((found.report().operational_profiles, found.groups().len()), (0, 0));
        let changes = changes_without_references(&found);
        assert!(changes.is_empty());
    }
}

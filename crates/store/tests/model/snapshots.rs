//! A second, simple model of a store: the entries of each NPC by name, with a copy of them from before each
//! night. It shares no code with the stores.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{
    AppliedNight, Change, Entry, Memory, MemoryRecord, MemoryStore, NpcNight, Rule, State,
};

use super::NPCS;
use super::support::npc;

/// Fields of an entry that nights and maintenance change.
#[derive(Debug, Clone, PartialEq)]
struct Fact {
    text: String,
    /// Rule that archived the entry.
    archived_by: Option<String>,
    successor: Option<String>,
    contested_with: BTreeSet<String>,
    /// Words that no longer hold, each with the entry that ended them.
    ended: BTreeMap<String, String>,
    corroborations: u32,
    importance: u8,
    sources: BTreeSet<String>,
    has_vector: bool,
}

impl Fact {
    fn active(entry: &Entry) -> Self {
        Self {
            text: entry.text.clone(),
            archived_by: None,
            successor: None,
            contested_with: BTreeSet::new(),
            ended: BTreeMap::new(),
            corroborations: 0,
            importance: entry.importance.get(),
            sources: entry.sources.iter().map(ToString::to_string).collect(),
            has_vector: entry.vector.is_some(),
        }
    }

    fn archived(memory: &Memory, rule: Rule) -> Self {
        Self {
            text: memory.text.clone(),
            archived_by: Some(rule.as_str().to_owned()),
            successor: None,
            contested_with: BTreeSet::new(),
            ended: BTreeMap::new(),
            corroborations: 0,
            importance: memory.importance().get(),
            sources: BTreeSet::new(),
            has_vector: false,
        }
    }

    fn of(row: &MemoryRecord) -> Self {
        assert_eq!(row.archived_by.is_some(), row.state == State::Archived, "{row:?}");
        assert!(row.contested_with.is_sorted_by(|a, b| a < b), "in order, each once: {row:?}");
        Self {
            archived_by: row.archived_by.clone(),
            successor: row.superseded_by.as_ref().map(ToString::to_string),
            contested_with: row.contested_with.iter().map(ToString::to_string).collect(),
            ended: row.ended.iter().map(|ended| (ended.text.clone(), ended.by.to_string())).collect(),
            corroborations: row.corroborations,
            ..Self::active(&row.entry)
        }
    }
}

type Facts = BTreeMap<String, Fact>;

#[derive(Debug, Clone)]
struct Night {
    label: String,
    run: u64,
    version: u64,
    base_version: u64,
    npc_tags: Vec<String>,
    before: Facts,
}

/// State of one NPC.
#[derive(Debug, Clone, Default)]
struct NpcModel {
    facts: Facts,
    nights: Vec<Night>,
    /// Number of nights that can no longer be undone.
    fixed: usize,
}

impl NpcModel {
    fn undo(&mut self) -> bool {
        if self.nights.len() <= self.fixed {
            return false;
        }
        self.nights.pop().is_some_and(|night| {
            self.facts = night.before;
            true
        })
    }

    fn purge(&mut self, keep: usize) {
        let Some(horizon) = self.nights.len().checked_sub(keep).filter(|n| *n > 0) else { return };
        // As it was before each night that stays to be taken back, and as it is.
        let kept: Vec<&Facts> =
            self.nights[horizon..].iter().map(|n| &n.before).chain([&self.facts]).collect();
        let put_away = |name: &&String| {
            let archived = |facts: &&Facts| facts.get(*name).is_some_and(|fact| fact.archived_by.is_some());
            kept.iter().all(archived)
        };
        let gone: Vec<String> = kept[0].keys().filter(put_away).cloned().collect();
        for facts in self.nights.iter_mut().map(|n| &mut n.before).chain([&mut self.facts]) {
            facts.retain(|name, _| !gone.contains(name));
        }
        self.fixed = self.fixed.max(horizon);
    }
}

/// State of all NPCs.
#[derive(Debug, Default)]
pub(crate) struct Snapshots(BTreeMap<String, NpcModel>);

impl Snapshots {
    fn life(&mut self, of: &str) -> &mut NpcModel {
        self.0.entry(of.to_owned()).or_default()
    }

    /// Applies a night that the stores accepted.
    pub(crate) fn sleep(&mut self, run: u64, night: &NpcNight) {
        let life = self.life(night.npc.as_str());
        life.nights.push(Night {
            label: night.night.to_string(),
            run,
            version: night.next_version().unwrap(),
            base_version: night.base_version,
            npc_tags: night.npc_tags.clone(),
            before: life.facts.clone(),
        });
        for change in &night.changes {
            apply_change(&mut life.facts, night, change);
        }
    }

    /// Undoes the latest night of an NPC; returns false if it cannot be undone.
    pub(crate) fn undo(&mut self, of: &str) -> bool {
        self.life(of).undo()
    }

    /// Undoes a run, unless one of its nights can no longer be undone.
    pub(crate) fn undo_run(&mut self, run: u64) {
        let lives = self.0.clone();
        for life in self.0.values_mut() {
            while life.nights.last().is_some_and(|night| night.run == run) {
                if !life.undo() {
                    self.0 = lives;
                    return;
                }
            }
        }
    }

    pub(crate) fn purge(&mut self, of: &str, keep: usize) {
        self.life(of).purge(keep);
    }

    /// Returns the number of nights of an NPC.
    pub(crate) fn nights(&self, of: &str) -> usize {
        self.0.get(of).map_or(0, |life| life.nights.len())
    }

    /// Returns an error that describes how a store differs from this model.
    pub(crate) fn check(&self, store: &dyn MemoryStore) -> Result<(), String> {
        let none = NpcModel::default();
        for name in NPCS {
            let life = self.0.get(name).unwrap_or(&none);
            let rows = store.entries(&npc(name)).unwrap();
            // Only one by one do entries come with their vectors.
            let with_vector = |row: &MemoryRecord| store.entry(&row.npc, &row.entry.id).unwrap().unwrap();
            let facts: Facts =
                rows.iter().map(|row| (row.entry.id.to_string(), Fact::of(&with_vector(row)))).collect();
            if facts != life.facts {
                return Err(format!("{name} knows {facts:#?}, and should know {:#?}", life.facts));
            }
            let told = |n: &AppliedNight| {
                (n.night.to_string(), n.run, n.version, n.base_version, n.npc_tags.clone())
            };
            let nights: Vec<_> = store.nights(Some(&npc(name))).unwrap().iter().map(told).collect();
            let held = |n: &Night| (n.label.clone(), n.run, n.version, n.base_version, n.npc_tags.clone());
            let expected: Vec<_> = life.nights.iter().map(held).collect();
            if nights != expected {
                return Err(format!("{name} slept {nights:?}, and should have {expected:?}"));
            }
            let (tags, known) = (store.snapshot(&npc(name)).unwrap().npc_tags, life.nights.last());
            if tags != known.map(|night| night.npc_tags.clone()).unwrap_or_default() {
                return Err(format!("{name} has the tags {tags:?}, and should have those of {known:?}"));
            }
        }
        Ok(())
    }
}

/// Applies one change.
fn apply_change(facts: &mut Facts, night: &NpcNight, change: &Change) {
    let name = change.id().to_string();
    let rule = change.reason().rule;
    let sources: Vec<String> = change.sources().iter().map(ToString::to_string).collect();
    // What nothing holds yet is of the day.
    let lay = |facts: &mut Facts, name: &String, rule: Rule| {
        if let Some(fact) = facts.get_mut(name) {
            fact.archived_by = Some(rule.as_str().to_owned());
        } else {
            let memory = night.memories.iter().find(|m| m.id.as_str() == name).unwrap();
            facts.insert(name.clone(), Fact::archived(memory, rule));
        }
    };
    match change {
        Change::Store { entry, .. } | Change::Reflect { entry, .. } => {
            facts.insert(name, Fact::active(entry));
        }
        Change::Chunk { entry, .. } => {
            sources.iter().for_each(|source| lay(facts, source, rule));
            facts.insert(name, Fact::active(entry));
        }
        Change::Collapse { standing: None, .. } => sources.iter().for_each(|source| lay(facts, source, rule)),
        Change::Contest { .. } => {
            for other in &sources {
                facts.get_mut(other).unwrap().contested_with.insert(name.clone());
                facts.get_mut(&name).unwrap().contested_with.insert(other.clone());
            }
        }
        Change::End { position, .. } => {
            let by = sources.first().unwrap().clone();
            facts.get_mut(&name).unwrap().ended.insert(position.clone(), by);
        }
        Change::Collapse { standing: Some(standing), .. } => {
            let given: BTreeSet<String> =
                sources.iter().flat_map(|s| facts[s].contested_with.clone()).collect();
            for other in given.iter().filter(|other| **other != name && !sources.contains(other)) {
                facts.get_mut(other).unwrap().contested_with.insert(name.clone());
                facts.get_mut(&name).unwrap().contested_with.insert(other.clone());
            }
            for source in &sources {
                lay(facts, source, rule);
                facts.get_mut(source).unwrap().successor = Some(name.clone());
            }
            let moved = |other: String| if sources.contains(&other) { name.clone() } else { other };
            for (other, fact) in facts.iter_mut() {
                fact.successor = fact.successor.take().map(moved);
                if *other != name {
                    fact.sources = std::mem::take(&mut fact.sources).into_iter().map(moved).collect();
                }
            }
            let fact = facts.get_mut(&name).unwrap();
            fact.corroborations = standing.corroborations;
            fact.sources.extend(sources);
            fact.sources.remove(&name);
        }
        Change::Corroborate { corroborations, importance, .. } => {
            sources.iter().for_each(|source| lay(facts, source, Rule::AlreadyKnown));
            let fact = facts.get_mut(&name).unwrap();
            (fact.corroborations, fact.importance) = (*corroborations, importance.get());
            fact.sources.extend(sources);
        }
        Change::Strengthen { corroborations, .. } => {
            let fact = facts.get_mut(&name).unwrap();
            fact.corroborations = *corroborations;
            fact.sources.extend(sources);
        }
        Change::Supersede { .. } => {
            // What is archived stays so by its own rule.
            if facts.get(&name).is_none_or(|fact| fact.archived_by.is_none()) {
                lay(facts, &name, rule);
            }
            facts.get_mut(&name).unwrap().successor = sources.first().cloned();
        }
        Change::Prune { .. } | Change::Archive { .. } | Change::Forget { .. } => lay(facts, &name, rule),
        Change::Restore { .. } => {
            let fact = facts.get_mut(&name).unwrap();
            (fact.archived_by, fact.successor, fact.has_vector) = (None, None, true);
        }
    }
    // Only between active entries is anything contested.
    let active = |facts: &Facts, name: &String| facts.get(name).is_some_and(|f| f.archived_by.is_none());
    let whole = facts.clone();
    for (name, fact) in facts.iter_mut() {
        fact.contested_with.retain(|other| active(&whole, name) && active(&whole, other));
    }
}

//! What upkeep does to older entries: repeats among them become one, and what was put away comes back.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Entry, MemoryId, Rule, Standing, State, Vector};

use super::{
    Edge, PriorRows,
    build::{Build, unite_sources},
};

/// What becomes of an entry that names a duplicate, for error messages.
const MOVE: &str = "move";
/// The same of one that the plan does not move.
const PASS_OVER: &str = "pass over";

impl<'a, G: PriorRows> Build<'a, G> {
    /// Entries of long-term memory become one, in this order: the duplicates are put away, the canonical entry
    /// takes them over and is contested with whatever they were, and whatever names a duplicate is moved. What plays two parts is changed in both: a
    /// duplicate that names another is put away, and moved then.
    pub(super) fn unite(
        &mut self,
        id: &'a MemoryId,
        duplicates: &'a [MemoryId],
        standing: &Standing,
        rule: Rule,
    ) -> Result<(), G::Error> {
        if duplicates.is_empty() {
            return Err(self.conflict(id, "nothing is collapsed into"));
        }
        let (mut gone, mut contested) = (BTreeSet::new(), BTreeSet::new());
        for duplicate in duplicates {
            if duplicate == id {
                return Err(self.conflict(id, "is to be collapsed into itself"));
            }
            if !gone.insert(duplicate) {
                return Err(self.conflict(duplicate, "is named twice"));
            }
            self.check_older(duplicate)?;
            contested.extend(self.active(duplicate)?.contested_with.iter().cloned());
            self.archive(duplicate, rule)?.superseded_by = Some(id.clone());
            self.collapsed.insert(duplicate, id);
        }
        self.check_older(id)?;
        let row = self.active(id)?;
        standing.give(row);
        unite_sources(&mut row.entry, duplicates);
        row.entry.sources.retain(|source| source != id);
        self.derive(id, duplicates);
        contested.retain(|other| other != id && !gone.contains(other));
        if !contested.is_empty() {
            self.contest(id, &Vec::from_iter(contested))?;
        }
        self.move_all(id, &gone, &standing.moved)
    }

    /// Entries of long-term memory that a summary tells are put away. Whatever names them goes on to: they are in the
    /// archive, and the summary says what became of them.
    pub(super) fn abstracted(&mut self, summary: &Entry) -> Result<(), G::Error> {
        if summary.sources.is_empty() {
            return Err(self.conflict(&summary.id, "tells nothing"));
        }
        for source in &summary.sources {
            self.check_older(source)?;
            self.archive(source, Rule::Abstracted)?;
        }
        Ok(())
    }

    /// Lets all that names a duplicate name the canonical entry, which alone goes on to name them.
    fn move_all(
        &mut self,
        id: &MemoryId,
        gone: &BTreeSet<&MemoryId>,
        moved: &[MemoryId],
    ) -> Result<(), G::Error> {
        let mut naming = self.naming(gone)?;
        self.verb = MOVE;
        for name in moved {
            if name == id {
                return Err(self.conflict(id, "the others are collapsed into"));
            }
            self.check_older(name)?;
            self.move_one(name, naming.remove(name).unwrap_or_default(), gone, id)?;
        }
        self.verb = PASS_OVER;
        if let Some(name) = naming.keys().find(|name| *name != id) {
            return Err(self.conflict(name, "names what is collapsed"));
        }
        for duplicate in gone {
            let superseded = self.ground.superseded(duplicate)?;
            // What this night changes is looked at when every change is known.
            if let Some(name) = superseded.iter().find(|name| !self.updated.contains_key(*name)) {
                return Err(self.conflict(name, "names what is collapsed"));
            }
        }
        Ok(())
    }

    /// Lets one entry name the canonical one. `stored` are its edges to duplicates that the store has.
    fn move_one(
        &mut self,
        name: &MemoryId,
        stored: Vec<Edge>,
        gone: &BTreeSet<&MemoryId>,
        id: &MemoryId,
    ) -> Result<(), G::Error> {
        let row = self.row_of(name)?;
        let succeeded = row.superseded_by.as_ref().is_some_and(|successor| gone.contains(successor));
        if succeeded {
            row.superseded_by = Some(id.clone());
        }
        let mut named = BTreeSet::new();
        for source in std::mem::take(&mut row.entry.sources) {
            let source = if gone.contains(&source) { id.clone() } else { source };
            if named.insert(source.clone()) {
                row.entry.sources.push(source);
            }
        }
        let mut derives = !stored.is_empty();
        self.removed.extend(stored);
        if let Some(drawn) = self.edges.get_mut(name) {
            // An earlier change of the night drew these.
            let before = drawn.len();
            drawn.retain(|source| !gone.contains(source));
            derives |= drawn.len() < before;
        }
        if derives {
            self.derive(name, std::slice::from_ref(id));
        } else if !succeeded {
            return Err(self.conflict(name, "names none of what is collapsed"));
        }
        Ok(())
    }

    /// The edges to duplicates that the store has and no change has removed, by what derives from them.
    fn naming(&self, gone: &BTreeSet<&MemoryId>) -> Result<BTreeMap<MemoryId, Vec<Edge>>, G::Error> {
        let mut naming = BTreeMap::<_, Vec<_>>::new();
        for &duplicate in gone {
            for derived in self.ground.derived(duplicate)? {
                let edge = Edge { derived, source: duplicate.clone() };
                if !self.removed.contains(&edge) {
                    naming.entry(edge.derived.clone()).or_default().push(edge);
                }
            }
        }
        Ok(naming)
    }

    /// Upkeep is of what earlier nights wrote.
    fn check_older(&self, id: &MemoryId) -> Result<(), G::Error> {
        if self.day.contains_key(id) || self.inserted.contains_key(id) {
            return Err(self.conflict(id, "is of this night"));
        }
        Ok(())
    }

    /// That nothing this night writes names a duplicate, but for the entry that stands for it.
    pub(super) fn check_collapsed(&mut self) -> Result<(), G::Error> {
        self.verb = PASS_OVER;
        let derives = self.edges.iter().find(|(name, sources)| {
            sources.iter().any(|source| self.collapsed.get(source).is_some_and(|into| into != name))
        });
        let succeeded = self.inserted.values().chain(self.updated.values()).find(|row| {
            row.superseded_by.as_ref().is_some_and(|successor| self.collapsed.contains_key(successor))
        });
        match derives.map(|(name, _)| name).or(succeeded.map(|row| &row.entry.id)) {
            Some(name) => Err(self.conflict(name, "names what is collapsed")),
            None => Ok(()),
        }
    }

    /// What was put away is active again. It keeps the vector it had; where it never had one it gets the given.
    pub(super) fn restore(&mut self, id: &MemoryId, vector: Option<&Vector>) -> Result<(), G::Error> {
        let row = self.row_of(id)?;
        if row.state == State::Active {
            return Err(self.conflict(id, "is active already"));
        }
        let has_vector = row.entry.vector.is_some();
        let added = if has_vector || self.ground.has_vector(id)? {
            None
        } else if let Some(vector) = vector {
            Some(vector.clone())
        } else {
            return Err(self.conflict(id, "has no vector"));
        };
        let at = self.night.at;
        let row = self.row_of(id)?;
        row.state = State::Active;
        row.archived_by = None;
        row.superseded_by = None;
        row.touched_at = at;
        row.entry.vector = added.or(row.entry.vector.take());
        // What it was a duplicate of stands for it no more.
        self.collapsed.remove(id);
        Ok(())
    }
}

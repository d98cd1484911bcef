//! Effect of maintenance on older entries: duplicates are merged into one, and archived entries are restored.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    build::{Build, Refusal, merge_sources},
    rows::{Edge, PriorRows},
};
use crate::{
    id::MemoryId,
    plan::{MergedState, Rule},
    record::{Entry, State},
    vector::Vector,
};

/// Step that redirects the references of an entry, for error messages.
const REDIRECT: &str = "move";
/// Step for an entry that references a duplicate and that the plan leaves out, for error messages.
const SKIP: &str = "leave out";

impl<'a, G: PriorRows> Build<'a, G> {
    /// Merges older entries into one, in this order: the duplicates are archived, the canonical entry takes
    /// over their state and contest marks, and references to a duplicate are redirected. An entry in two
    /// roles is changed for both: a duplicate that references another duplicate is archived first and
    /// redirected then.
    pub(super) fn merge_duplicates(
        &mut self,
        id: &'a MemoryId,
        duplicates: &'a [MemoryId],
        standing: &MergedState,
        rule: Rule,
    ) -> Result<(), Refusal<G::Error>> {
        if duplicates.is_empty() {
            return Err(Refusal::conflict(id, "nothing is collapsed into"));
        }
        let (mut gone, mut contested) = (BTreeSet::new(), BTreeSet::new());
        for duplicate in duplicates {
            if duplicate == id {
                return Err(Refusal::conflict(id, "is to be collapsed into itself"));
            }
            if !gone.insert(duplicate) {
                return Err(Refusal::conflict(duplicate, "is named twice"));
            }
            self.check_older(duplicate)?;
            contested.extend(self.active_row(duplicate)?.contested_with.iter().cloned());
            self.archive(duplicate, rule)?.superseded_by = Some(id.clone());
            self.collapsed.insert(duplicate, id);
        }
        self.check_older(id)?;
        let row = self.active_row(id)?;
        standing.apply_to(row);
        merge_sources(&mut row.entry, duplicates);
        row.entry.sources.retain(|source| source != id);
        self.derive(id, duplicates);
        contested.retain(|other| other != id && !gone.contains(other));
        if !contested.is_empty() {
            self.contest(id, &Vec::from_iter(contested))?;
        }
        self.redirect_references(id, &gone, &standing.moved)
    }

    /// Archives the entries of long-term memory that a summary replaces. References to them stay valid,
    /// because they stay in the archive.
    pub(super) fn archive_summarised(&mut self, summary: &Entry) -> Result<(), Refusal<G::Error>> {
        if summary.sources.is_empty() {
            return Err(Refusal::conflict(&summary.id, "tells nothing"));
        }
        for source in &summary.sources {
            self.check_older(source)?;
            self.archive(source, Rule::Abstracted)?;
        }
        Ok(())
    }

    /// Checks that a distilled record rests on entries of earlier nights that are in the store.
    pub(super) fn check_distilled(&self, record: &Entry) -> Result<(), Refusal<G::Error>> {
        if record.sources.is_empty() {
            return Err(Refusal::conflict(&record.id, "rests on nothing"));
        }
        for source in &record.sources {
            self.check_older(source)?;
            if self.prior.row(source)?.is_none() {
                return Err(Refusal::conflict(source, "is not in the store"));
            }
        }
        Ok(())
    }

    /// Redirects every reference to a duplicate to the canonical entry, which alone keeps its references to
    /// them.
    fn redirect_references(
        &mut self,
        id: &MemoryId,
        gone: &BTreeSet<&MemoryId>,
        moved: &[MemoryId],
    ) -> Result<(), Refusal<G::Error>> {
        let left_out = |name: &MemoryId| Refusal::conflict(name, "names what is collapsed").during(SKIP);
        let mut naming = self.edges_to(gone)?;
        for name in moved {
            let stored = naming.remove(name).unwrap_or_default();
            self.redirect_entry(name, stored, gone, id).map_err(|refusal| refusal.during(REDIRECT))?;
        }
        if let Some(name) = naming.keys().find(|name| *name != id) {
            return Err(left_out(name));
        }
        for duplicate in gone {
            let superseded = self.prior.predecessors(duplicate)?;
            // Rows that this night changes are checked after all changes.
            if let Some(name) = superseded.iter().find(|name| !self.updated.contains_key(*name)) {
                return Err(left_out(name));
            }
        }
        Ok(())
    }

    /// Redirects the references of one entry to the canonical entry. `stored` holds its edges to duplicates
    /// that are in the store.
    fn redirect_entry(
        &mut self,
        name: &MemoryId,
        stored: Vec<Edge>,
        gone: &BTreeSet<&MemoryId>,
        id: &MemoryId,
    ) -> Result<(), Refusal<G::Error>> {
        if name == id {
            return Err(Refusal::conflict(id, "the others are collapsed into"));
        }
        self.check_older(name)?;
        let row = self.row_mut(name)?;
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
            // Edges that an earlier change of the night added.
            let before = drawn.len();
            drawn.retain(|source| !gone.contains(source));
            derives |= drawn.len() < before;
        }
        if derives {
            self.derive(name, std::slice::from_ref(id));
        } else if !succeeded {
            return Err(Refusal::conflict(name, "names none of what is collapsed"));
        }
        Ok(())
    }

    /// Returns the edges to duplicates that are in the store and not removed by a change, by the id of the
    /// row that derives from them.
    fn edges_to(
        &self,
        gone: &BTreeSet<&MemoryId>,
    ) -> Result<BTreeMap<MemoryId, Vec<Edge>>, Refusal<G::Error>> {
        let mut naming = BTreeMap::<_, Vec<_>>::new();
        for &duplicate in gone {
            for derived in self.prior.derived(duplicate)? {
                let edge = Edge { derived, source: duplicate.clone() };
                if !self.removed.contains(&edge) {
                    naming.entry(edge.derived.clone()).or_default().push(edge);
                }
            }
        }
        Ok(naming)
    }

    /// Checks that an entry is from an earlier night; maintenance changes no other.
    fn check_older(&self, id: &MemoryId) -> Result<(), Refusal<G::Error>> {
        if self.day.contains_key(id) || self.inserted.contains_key(id) {
            return Err(Refusal::conflict(id, "is of this night"));
        }
        Ok(())
    }

    /// Checks that nothing this night writes references a duplicate, except its canonical entry.
    pub(super) fn check_collapsed(&self) -> Result<(), Refusal<G::Error>> {
        let derives = self.edges.iter().find(|(name, sources)| {
            sources.iter().any(|source| self.collapsed.get(source).is_some_and(|into| into != name))
        });
        let succeeded = self.inserted.values().chain(self.updated.values()).find(|row| {
            row.superseded_by.as_ref().is_some_and(|successor| self.collapsed.contains_key(successor))
        });
        match derives.map(|(name, _)| name).or(succeeded.map(|row| &row.entry.id)) {
            Some(name) => Err(Refusal::conflict(name, "names what is collapsed").during(SKIP)),
            None => Ok(()),
        }
    }

    /// Makes an archived entry active again. It keeps the vector it had; if it never had one, it gets the
    /// given one.
    pub(super) fn restore(
        &mut self,
        id: &MemoryId,
        vector: Option<&Vector>,
    ) -> Result<(), Refusal<G::Error>> {
        let row = self.row_mut(id)?;
        if row.state == State::Active {
            return Err(Refusal::conflict(id, "is active already"));
        }
        let has_vector = row.entry.vector.is_some();
        let added = if has_vector || self.prior.has_vector(id)? {
            None
        } else if let Some(vector) = vector {
            Some(vector.rounded())
        } else {
            return Err(Refusal::conflict(id, "has no vector"));
        };
        let at = self.night.at;
        let row = self.row_mut(id)?;
        row.state = State::Active;
        row.archived_by = None;
        row.superseded_by = None;
        row.touched_at = at;
        row.entry.vector = added.or(row.entry.vector.take());
        // The entry is a duplicate no longer.
        self.collapsed.remove(id);
        Ok(())
    }
}

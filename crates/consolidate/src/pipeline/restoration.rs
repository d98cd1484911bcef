//! Restoration of archived entries: a memory of the night that repeats one makes it active again, and then
//! corroborates it.

use nightfold_memory::{Change, Reason, Rule};

use super::reconciliation::Reconciliation;

impl Reconciliation<'_> {
    /// Returns the changes that restore the archived entries among these corroborations; they must be applied
    /// first.
    pub(super) fn restorations(&self, corroborations: &[Change]) -> Vec<Change> {
        corroborations.iter().filter_map(|corroboration| self.restoration(corroboration)).collect()
    }

    fn restoration(&self, corroboration: &Change) -> Option<Change> {
        let archived = &self.night.frame.past.archived;
        let entry = archived.iter().find(|archived| archived.entry.id == *corroboration.id())?;
        let mut values = corroboration.reason().values.clone();
        values.remove("times");
        let by = entry.archived_by.as_deref().unwrap_or_default();
        let reason = Reason { rule: Rule::SaidAgain, values }.with("archived_by", by);
        let (id, vector) = (entry.entry.id.clone(), entry.entry.vector.clone());
        Some(Change::Restore { id, sources: Vec::new(), vector, reason })
    }
}

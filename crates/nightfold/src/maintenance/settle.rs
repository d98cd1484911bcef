//! Settling of contested entries.

use nightfold_memory::{
    Change, IdError, MemoryId, MemoryRecord, ModelId, NightPlan, NpcId, Reason, Rule, StoreError, UnknownPack,
};

use super::base::{PlanBase, plan_of};

/// An active entry, with the entries that contradict it.
#[derive(Debug)]
pub struct ContestedRecord<'a> {
    pub(super) base: PlanBase<'a>,
    pub(super) model: ModelId,
    pub(super) memory: MemoryRecord,
    /// The contradicting entries; at least one.
    pub(super) others: Vec<MemoryRecord>,
}

/// Decision for or against a contested entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settlement {
    /// The entry is true: it supersedes the entries that contradict it.
    For,
    /// The entry is false: the latest of the entries that contradict it supersedes it.
    Against,
}

impl ContestedRecord<'_> {
    /// Returns a plan that settles the contradiction.
    ///
    /// # Errors
    /// [`SettleError::Label`] if the label of the plan is not a valid night label.
    pub fn settle(self, taken: Settlement) -> Result<NightPlan, SettleError> {
        let Self { base, model, memory, others } = self;
        let supersede = |old: &MemoryRecord, by: &MemoryRecord| Change::Supersede {
            id: old.entry.id.clone(),
            sources: vec![by.entry.id.clone()],
            reason: Reason::new(Rule::Settled).with("for", by.entry.id.as_str()),
        };
        let changes = match taken {
            Settlement::For => others.iter().map(|other| supersede(other, &memory)).collect(),
            Settlement::Against => {
                let latest = others.iter().max_by_key(|other| (other.entry.last_at, &other.entry.id));
                latest.into_iter().map(|other| supersede(&memory, other)).collect()
            }
        };
        Ok(plan_of(vec![base.night(model, changes, None)?]))
    }
}

/// Error of settling a contested entry.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettleError {
    /// There is no such entry.
    #[error("{npc} has no memory {id}")]
    Missing {
        /// NPC whose entry was requested.
        npc: NpcId,
        /// Id of the entry.
        id: MemoryId,
    },
    /// Nothing contradicts the entry.
    #[error("{id} of {npc} is not contested: there is nothing to settle")]
    Uncontested {
        /// NPC of the entry.
        npc: NpcId,
        /// Id of the entry.
        id: MemoryId,
    },
    /// The label of the plan is not a valid night label.
    #[error(transparent)]
    Label(#[from] IdError),
    /// There is no language pack of the configured name.
    #[error(transparent)]
    Pack(#[from] UnknownPack),
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

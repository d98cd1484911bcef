//! Deciding between contested entries.

use nightfold_memory::{
    Change, IdError, MemoryId, MemoryRecord, ModelId, NightPlan, NpcId, Reason, Rule, StoreError, UnknownPack,
};

use super::{Mind, plan_of};

/// An active entry with those that it is contested with.
#[derive(Debug)]
pub struct Contested<'a> {
    pub(super) mind: Mind<'a>,
    pub(super) model: ModelId,
    pub(super) memory: MemoryRecord,
    /// The other side: at least one.
    pub(super) others: Vec<MemoryRecord>,
}

/// The side of a contested entry that somebody takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settlement {
    /// The entry holds: it supersedes whatever it is contested with.
    For,
    /// The entry does not hold: it is superseded by what it is contested with, of several by the latest.
    Against,
}

impl Contested<'_> {
    /// Plans to settle it.
    ///
    /// # Errors
    /// [`SettleError::Label`] when the plan cannot be named.
    pub fn settle(self, taken: Settlement) -> Result<NightPlan, SettleError> {
        let Self { mind, model, memory, others } = self;
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
        Ok(plan_of(vec![mind.night(model, changes)?]))
    }
}

/// The reason nothing can be settled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettleError {
    /// There is no such entry.
    #[error("{npc} has no memory {id}")]
    Missing {
        /// The NPC that it should be of.
        npc: NpcId,
        /// Its id.
        id: MemoryId,
    },
    /// Nothing contradicts it.
    #[error("{id} of {npc} is not contested: there is nothing to settle")]
    Uncontested {
        /// The NPC that it is of.
        npc: NpcId,
        /// Its id.
        id: MemoryId,
    },
    /// The plan cannot be called so.
    #[error(transparent)]
    Label(#[from] IdError),
    /// There is no language pack of the name that is set.
    #[error(transparent)]
    Pack(#[from] UnknownPack),
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

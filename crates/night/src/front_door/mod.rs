//! The front door: long-term memory, an embedder and a configuration behind a few calls.

mod builder;
mod diff;
mod plan;

use nightfold_consolidate::RecallIndex;
use nightfold_memory::{
    Embedder, EmbedderError, GameTime, IdError, LanguageModel, LanguagePacks, Memory, MemoryId, MemoryStore,
    NpcId, StanceJudge, StoreError, Undone, ValidConfig,
};

#[cfg(feature = "minilm")]
pub use self::builder::MiniLmError;
pub use self::{
    builder::{BuildError, NightfoldBuilder},
    diff::PlanDiff,
    plan::Plan,
};
use crate::{Applied, NoObserver, Sleep, SleepError, apply_plan, days, days_by_night};

/// The memory of many NPCs: plans their nights, applies plans, answers questions, takes nights back.
///
/// Every part is exchangeable ([`Nightfold::builder`]); for thousands of NPCs that do not fit into memory, or to watch a
/// run, go through [`Sleep`].
///
/// ```
/// use nightfold::Nightfold;
/// # use nightfold::memory::{Embedded, Embedder, EmbedderError, ModelId, Vectors};
/// # /// An embedder for this page: of letters.
/// # #[derive(Debug)]
/// # struct Letters(ModelId);
/// # impl Embedder for Letters {
/// #     fn model(&self) -> &ModelId { &self.0 }
/// #     fn dimensions(&self) -> usize { 26 }
/// #     fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
/// #         let mut vectors = Vectors::with_capacity(26, texts.len());
/// #         for text in texts {
/// #             let mut row = [1e-3_f32; 26];
/// #             text.bytes().filter(u8::is_ascii_alphabetic).for_each(|b| row[usize::from(b.to_ascii_lowercase() - b'a')] += 1.0);
/// #             let norm = row.iter().map(|x| x * x).sum::<f32>().sqrt();
/// #             row.iter_mut().for_each(|x| *x /= norm);
/// #             vectors.push(&row).map_err(|e| EmbedderError::Run(e.into()))?;
/// #         }
/// #         Ok(Embedded { vectors, truncated: vec![false; texts.len()] })
/// #     }
/// # }
/// # let embedder = Letters("letters@1".parse()?);
/// # let store = nightfold_store::InMemoryStore::new();
///
/// // With the features `minilm` and `sqlite`: `.minilm()?.sqlite("town.db")?`
/// let nightfold = Nightfold::builder().embedder(embedder).store(store).build()?;
///
/// let day = nightfold::read_jsonl_from("day.jsonl", &br#"
/// {"id":"m-1","npc":"Mara","at":"1204-05-03T06:10:00Z","kind":"event","text":"I swept the common room","importance":2}
/// {"id":"m-2","npc":"Mara","at":"1204-05-03T21:00:00Z","kind":"chat","text":"Joss will pay the 14 silver on Friday","importance":8}
/// "#[..], nightfold.config())?;
///
/// let plan = nightfold.plan(day)?;                       // writes nothing
/// println!("{}", plan.diff());
/// nightfold.apply(&plan)?;
///
/// let found = nightfold.recall("Mara", "who owes me silver?")?;
/// assert_eq!(found[0].id.as_str(), "m-2");
///
/// nightfold.undo()?;                                     // takes the last call back
/// assert!(nightfold.recall("Mara", "who owes me silver?")?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Nightfold {
    config: ValidConfig,
    packs: Box<dyn LanguagePacks>,
    embedder: Box<dyn Embedder>,
    store: Box<dyn MemoryStore>,
    language: Option<Box<dyn LanguageModel>>,
    judge: Option<Box<dyn StanceJudge>>,
}

/// An entry of long-term memory that answers a question.
#[derive(Debug, Clone, PartialEq)]
pub struct RecalledMemory {
    /// Its id.
    pub id: MemoryId,
    /// Its text. Players may have written it: clean it before a terminal shows it.
    pub text: String,
    /// Score by which it was chosen, 0 to 1: the weighted mean of relevance, recency and importance.
    pub score: f64,
}

/// Error of [`Nightfold::recall`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecallError {
    /// The name is no name of an NPC.
    #[error(transparent)]
    Npc(#[from] IdError),
    /// The question cannot be embedded.
    #[error(transparent)]
    Embedder(#[from] EmbedderError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Nightfold {
    /// Begins with the default configuration, and no parts but the language packs.
    pub fn builder() -> NightfoldBuilder {
        NightfoldBuilder::default()
    }

    /// The configuration in force.
    pub fn config(&self) -> &ValidConfig {
        &self.config
    }

    /// Long-term memory, for whatever this type has no call for.
    pub fn store(&self) -> &dyn MemoryStore {
        self.store.as_ref()
    }

    /// Plans one night of every NPC that has memories among these: up to its last one. Writes nothing.
    ///
    /// # Errors
    /// [`SleepError`] when the embedder or the store fails as a whole; what fails for one NPC stands in
    /// [`Plan::failures`].
    pub fn plan(&self, memories: Vec<Memory>) -> Result<Plan, SleepError> {
        self.plan_days(days(memories, None, &self.config))
    }

    /// Plans a night for every NPC and date that has memories among these; days turn over at `day.turns_at`. Later nights
    /// are planned as if the earlier ones had been applied. Writes nothing.
    ///
    /// # Errors
    /// As [`Nightfold::plan`].
    pub fn plan_by_night(&self, memories: Vec<Memory>) -> Result<Plan, SleepError> {
        self.plan_days(days_by_night(memories, None, &self.config))
    }

    /// Plans the nights of days that are made already.
    ///
    /// # Errors
    /// As [`Nightfold::plan`].
    pub fn plan_days(&self, days: crate::Days) -> Result<Plan, SleepError> {
        let sleep = Sleep {
            config: &self.config,
            packs: self.packs.as_ref(),
            embedder: self.embedder.as_ref(),
            store: self.store.as_ref(),
            language: self.language.as_deref(),
            judge: self.judge.as_deref(),
            observer: &NoObserver,
        };
        let planned = sleep.plan(days)?;
        Ok(Plan::of(planned, self.store.as_ref())?)
    }

    /// Writes a plan, one transaction for each NPC and night. Applying it twice changes nothing.
    ///
    /// # Errors
    /// [`SleepError::Store`] when the store has moved on since the plan was made, or cannot be written.
    pub fn apply(&self, plan: &Plan) -> Result<Applied, SleepError> {
        apply_plan(self.store.as_ref(), plan.night_plan())
    }

    /// Answers a question from an NPC's active entries, best first, as of its latest night; at most `recall.limit`.
    ///
    /// Reads the NPC's entries anew. A game that asks often keeps a [`RecallIndex`].
    ///
    /// # Errors
    /// [`RecallError`] when the name or the question cannot be used, or the store cannot be read.
    pub fn recall(&self, npc: &str, question: &str) -> Result<Vec<RecalledMemory>, RecallError> {
        let npc = NpcId::new(npc)?;
        let latest = self.store.nights(Some(&npc))?.pop().map_or(GameTime::ZERO, |night| night.at);
        let snapshot = self.store.past(&npc)?;
        let embedded = self.embedder.embed(&[question])?;
        let index = RecallIndex::new(snapshot.entries);
        let found = index.recall(embedded.vectors.row(0), latest, &self.config.recall);
        let recalled = found.into_iter().map(|found| RecalledMemory {
            id: found.memory.entry.id.clone(),
            text: found.memory.entry.text.clone(),
            score: found.score,
        });
        Ok(recalled.collect())
    }

    /// Takes back what the latest [`Nightfold::apply`] wrote, of every NPC whose latest night it was. Returns the nights
    /// taken back; none where nothing was applied.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be written, or a night is older than a purge.
    pub fn undo(&self) -> Result<Vec<Undone>, StoreError> {
        let nights = self.store.nights(None)?;
        let Some(latest) = nights.iter().map(|night| night.run).max() else { return Ok(Vec::new()) };
        self.store.undo_run(latest)
    }
}

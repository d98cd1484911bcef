//! High-level interface: long-term memory, an embedder and a configuration behind a few calls.

use nightfold_memory::{
    Embedder, LanguageModel, LanguagePacks, Memory, MemoryId, MemoryStore, NpcId, RewindTarget, Rewound,
    SavePoint, SavePointName, StanceJudge, StoreError, Undone, ValidConfig,
};

use super::plan::Plan;
use crate::{
    Applied, Recall, RecallError, RecallPorts, RecallScope, RunError, Sleep, apply_plan, days, days_by_night,
};

/// Long-term memory of many NPCs: plans their nights, applies plans, answers questions, undoes nights.
///
/// Every part can be replaced ([`Nightfold::builder`]). Use [`Sleep`] for more NPCs than fit into memory, or to
/// observe a run.
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
/// #         Ok(Embedded::without_grammar(vectors, vec![false; texts.len()]))
/// #     }
/// # }
/// # let embedder = Letters("letters@1".parse()?);
/// # let store = nightfold_store::SqliteStore::in_memory()?;
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
    pub(super) config: ValidConfig,
    pub(super) packs: Box<dyn LanguagePacks>,
    pub(super) embedder: Box<dyn Embedder>,
    pub(super) store: Box<dyn MemoryStore>,
    pub(super) language: Option<Box<dyn LanguageModel>>,
    pub(super) judge: Option<Box<dyn StanceJudge>>,
}

/// An entry of long-term memory that answers a question.
#[derive(Debug, Clone, PartialEq)]
pub struct RecalledMemory {
    /// Id of the entry.
    pub id: MemoryId,
    /// Text of the entry. Players may have written it: clean it before a terminal shows it.
    pub text: String,
    /// Score by which it is ranked, 0 to 1: the weighted mean of relevance, recency and importance.
    pub score: f64,
    /// True if the entry is archived and comes faintly to mind.
    pub faint: bool,
}

impl Nightfold {
    /// Returns the configuration.
    pub fn config(&self) -> &ValidConfig {
        &self.config
    }

    /// Returns the store of long-term memory, for operations that this type does not offer.
    pub fn store(&self) -> &dyn MemoryStore {
        self.store.as_ref()
    }

    /// Plans one night for every NPC that occurs in `memories`, at the time of its last memory. Writes
    /// nothing.
    ///
    /// # Errors
    /// [`RunError`] if the embedder or the store fails as a whole. Failures of single NPCs are listed in
    /// [`Plan::failures`].
    pub fn plan(&self, memories: Vec<Memory>) -> Result<Plan, RunError> {
        self.plan_days(days(memories, None, &self.config))
    }

    /// Plans a night for every NPC and date that has memories among these; dates change at `day.turns_at`. Later nights
    /// are planned as if the earlier ones had been applied. Writes nothing.
    ///
    /// # Errors
    /// As [`Nightfold::plan`].
    pub fn plan_by_night(&self, memories: Vec<Memory>) -> Result<Plan, RunError> {
        self.plan_days(days_by_night(memories, None, &self.config))
    }

    /// Plans the nights of memories that are already grouped into days.
    ///
    /// # Errors
    /// As [`Nightfold::plan`].
    pub fn plan_days(&self, days: crate::Days) -> Result<Plan, RunError> {
        let sleep = Sleep {
            language: self.language.as_deref(),
            judge: self.judge.as_deref(),
            ..Sleep::new(&self.config, self.packs.as_ref(), self.embedder.as_ref(), self.store.as_ref())
        };
        let planned = sleep.plan(days)?;
        Ok(Plan::of(planned, self.store.as_ref())?)
    }

    /// Writes a plan, one transaction for each NPC and night. Applying it again changes nothing.
    ///
    /// # Errors
    /// [`RunError::Store`] if the store has changed since the plan was made, or cannot be written.
    pub fn apply(&self, plan: &Plan) -> Result<Applied, RunError> {
        apply_plan(self.store.as_ref(), plan.night_plan())
    }

    /// Returns the NPC's entries that best answer a question, best first, as of its latest night; at most `recall.limit`.
    /// Archived entries may come faintly to mind (`recall.faint`).
    ///
    /// Reads the NPC's entries from the store at every call. For frequent questions keep a
    /// [`RecallIndex`](nightfold_consolidate::RecallIndex).
    ///
    /// # Errors
    /// [`RecallError`] if the name is invalid, the question cannot be embedded, the store cannot be read or holds vectors
    /// of another model, or `language.pack` names no pack.
    pub fn recall(&self, npc: &str, question: &str) -> Result<Vec<RecalledMemory>, RecallError> {
        let asked = self.asked(npc, question)?;
        let recalled = asked.found().into_iter().map(|found| RecalledMemory {
            id: found.memory.entry.id.clone(),
            text: found.memory.entry.text.clone(),
            score: found.score,
            faint: found.faint,
        });
        Ok(recalled.collect())
    }

    /// Returns what an NPC has in mind at a question as a text for the prompt of a language model, of at most this many tokens
    /// ([`RecallIndex::context`](nightfold_consolidate::RecallIndex::context)), as of its latest night.
    ///
    /// # Errors
    /// As [`Nightfold::recall`].
    pub fn context(&self, npc: &str, question: &str, tokens: usize) -> Result<String, RecallError> {
        Ok(self.asked(npc, question)?.context(tokens))
    }

    fn asked(&self, npc: &str, question: &str) -> Result<Recall<'_>, RecallError> {
        let ports = RecallPorts {
            store: self.store.as_ref(),
            embedder: self.embedder.as_ref(),
            packs: self.packs.as_ref(),
        };
        Recall::new(ports, &self.config, &NpcId::new(npc)?, question, RecallScope::Remembered)
    }

    /// Undoes the nights that the latest [`Nightfold::apply`] wrote, for every NPC that has had no night since.
    /// Returns the undone nights; an empty list if nothing was ever applied.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written, or a night is older than a purge.
    pub fn undo(&self) -> Result<Vec<Undone>, StoreError> {
        let nights = self.store.nights(None)?;
        let Some(latest) = nights.iter().map(|night| night.run).max() else { return Ok(Vec::new()) };
        self.store.undo_run(latest)
    }

    /// Notes what every NPC remembers now under a name, such as the slot of a saved game. Nothing is copied.
    ///
    /// ```
    /// # use nightfold::{Nightfold, memory::{RewindTarget, SavePointName}};
    /// # fn load(nightfold: &Nightfold) -> Result<(), Box<dyn std::error::Error>> {
    /// let slot = SavePointName::new("slot 1")?;
    /// nightfold.save_point(&slot)?;
    /// // … days later the player loads the game: nobody remembers what came after the save.
    /// nightfold.rewind(&RewindTarget::SavePoint(slot))?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written.
    pub fn save_point(&self, name: &SavePointName) -> Result<SavePoint, StoreError> {
        self.store.save_point(name)
    }

    /// Brings long-term memory of all NPCs back to a save point or a moment, or forward to a later save point. Returns
    /// the NPCs that changed.
    ///
    /// # Errors
    /// Those of [`MemoryStore::rewind`](nightfold_memory::MemoryStore::rewind).
    pub fn rewind(&self, to: &RewindTarget) -> Result<Vec<Rewound>, StoreError> {
        self.store.rewind(None, to)
    }
}

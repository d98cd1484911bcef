//! Failing embedder, store and language model. They fail by their input, which is the same on every run, and
//! all at once while they are switched off.

use std::{
    collections::hash_map::DefaultHasher,
    hash::{Hash, Hasher},
    sync::atomic::{AtomicBool, Ordering},
};

use nightfold_ecs::memory::{
    Answer, AppliedNight, Embedded, Embedder, EmbedderError, Erasure, GameTime, LanguageError, LanguageModel,
    LogFilter, LogLine, MemoryId, MemoryReader, MemoryRecord, MemorySnapshot, MemoryStore, ModelId, NpcId,
    NpcNight, Outcome, PersonNames, Purge, Reply, Request, RewindTarget, Rewound, SavePoint, SavePointName,
    StoreError, ThemeHistory, Undone,
};
use nightfold_store::SqliteStore;

use crate::support::night::Toy;

/// Hash with fixed keys: the same on every run.
fn lot(of: impl Hash) -> u64 {
    // With fixed keys: the same on every run.
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// Ports that are switched off now, beside inputs that always fail.
#[derive(Debug, Default)]
pub(crate) struct Broken {
    pub(crate) reads: AtomicBool,
    pub(crate) writes: AtomicBool,
    pub(crate) embedder: AtomicBool,
    /// True if nothing fails any more but texts that can never be embedded.
    pub(crate) healed: AtomicBool,
}

impl Broken {
    fn is(&self, what: &AtomicBool) -> bool {
        what.load(Ordering::Relaxed) && !self.healed.load(Ordering::Relaxed)
    }
}

/// Embedder that fails for texts with "cursed" and panics for texts with "doomed".
#[derive(Debug)]
pub(crate) struct WeakEmbedder {
    pub(crate) toy: Toy,
    pub(crate) broken: std::sync::Arc<Broken>,
}

impl Embedder for WeakEmbedder {
    fn model(&self) -> &ModelId {
        self.toy.model()
    }

    fn dimensions(&self) -> usize {
        self.toy.dimensions()
    }

    fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
        assert!(!texts.iter().any(|text| text.contains("doomed")), "a doomed text");
        if self.broken.is(&self.broken.embedder) {
            return Err(EmbedderError::Run("out of memory".into()));
        }
        self.toy.embed(texts)
    }
}

/// Store that refuses some nights, fails for some groups, and sometimes reports a failure after writing.
#[derive(Debug)]
pub(crate) struct WeakStore {
    pub(crate) inner: SqliteStore,
    pub(crate) broken: std::sync::Arc<Broken>,
    pub(crate) seed: u64,
}

fn disk() -> StoreError {
    StoreError::Backend("the disk is full".into())
}

macro_rules! delegate {
    ($($name:ident($($arg:ident: $ty:ty),*) -> $out:ty;)*) => {
        $(fn $name(&self, $($arg: $ty),*) -> Result<$out, StoreError> {
            self.inner.$name($($arg),*)
        })*
    };
}

impl MemoryReader for WeakStore {
    fn snapshot(&self, npc: &NpcId) -> Result<MemorySnapshot, StoreError> {
        if self.broken.is(&self.broken.reads) { Err(disk()) } else { self.inner.snapshot(npc) }
    }

    delegate! {
        model() -> Option<ModelId>;
        nights(npc: Option<&NpcId>) -> Vec<AppliedNight>;
        latest_night(npc: &NpcId) -> Option<AppliedNight>;
        has_version(npc: &NpcId, version: u64) -> bool;
        purgeable(npc: &NpcId, keep: usize) -> Purge;
        erasable(npc: &NpcId, person: &PersonNames) -> Option<Erasure>;
        owners(id: &MemoryId) -> Vec<NpcId>;
        npcs() -> Vec<NpcId>;
        entries(npc: &NpcId) -> Vec<MemoryRecord>;
        faint(npc: &NpcId) -> Vec<MemoryRecord>;
        entry(npc: &NpcId, id: &MemoryId) -> Option<MemoryRecord>;
        active_page(npc: &NpcId, after: Option<&MemoryId>, most: usize) -> Vec<MemoryRecord>;
        referring(npc: &NpcId, id: &MemoryId) -> Vec<MemoryId>;
        log(npc: &NpcId, filter: LogFilter<'_>) -> Vec<LogLine>;
        save_points() -> Vec<SavePoint>;
        rewindable(npc: Option<&NpcId>, to: &RewindTarget) -> Vec<Rewound>;
        themes(npc: &NpcId) -> Vec<ThemeHistory>;
        sources(npc: &NpcId, id: &MemoryId) -> Vec<MemoryId>;
        derived(npc: &NpcId, id: &MemoryId) -> Vec<MemoryId>;
    }
}

impl MemoryStore for WeakStore {
    delegate! {
        begin_run() -> u64;
        touch(npc: &NpcId, ids: &[MemoryId], at: GameTime) -> usize;
        undo(npc: &NpcId) -> Option<Undone>;
        undo_run(run: u64) -> Vec<Undone>;
        save_point(name: &SavePointName) -> SavePoint;
        forget_save_point(name: &SavePointName) -> bool;
        rewind(npc: Option<&NpcId>, to: &RewindTarget) -> Vec<Rewound>;
        purge(npc: &NpcId, keep: usize) -> Purge;
        erase(run: u64, npc: &NpcId, person: &PersonNames) -> Option<Erasure>;
    }

    fn apply(&self, run: u64, nights: &[NpcNight]) -> Result<Vec<Result<Outcome, StoreError>>, StoreError> {
        if self.broken.healed.load(Ordering::Relaxed) {
            return self.inner.apply(run, nights);
        }
        if self.broken.is(&self.broken.writes) {
            return Err(disk());
        }
        let of = |n: &NpcNight| lot((self.seed, n.npc.as_str(), n.at, n.memories.len()));
        match nights.iter().map(of).fold(0, u64::wrapping_add) % 12 {
            0 => return Err(disk()),
            1 => {
                self.inner.apply(run, nights)?;
                return Err(disk());
            }
            _ => {}
        }
        let one = |night: &NpcNight| {
            if of(night) % 9 == 0 {
                Ok(Err(disk()))
            } else {
                Ok(self.inner.apply(run, std::slice::from_ref(night))?.remove(0))
            }
        };
        nights.iter().map(one).collect()
    }
}

/// Language model that refuses, panics, returns nothing or answers, depending on the task.
#[derive(Debug)]
pub(crate) struct WeakModel;

impl LanguageModel for WeakModel {
    fn name(&self) -> &'static str {
        "weak"
    }

    fn answer(&self, request: &Request<'_>) -> Result<Reply, LanguageError> {
        let task = request.task;
        let cites: Vec<MemoryId> = task.sources.iter().map(|source| source.id.clone()).collect();
        match lot(&cites) % 8 {
            0 => panic!("the model panicked"),
            1..=3 => Err(LanguageError::Refused {
                model: "weak".to_owned(),
                tokens: task.tokens / 2,
                reason: "not in the mood".to_owned(),
            }),
            4 => Ok(Reply { answers: Vec::new(), tokens: task.tokens }),
            _ => {
                let told: Vec<&str> = task.sources.iter().map(|source| source.text.as_str()).collect();
                let text = told.join(". ");
                let answer = Answer { text, kind: None, cites, confidence: None };
                Ok(Reply { answers: vec![answer], tokens: task.tokens })
            }
        }
    }
}

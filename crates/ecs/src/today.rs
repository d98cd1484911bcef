//! Memories of an NPC since its last night, ready to be recalled.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use nightfold::{
    consolidate::RecallIndex,
    english::Packs,
    memory::{
        Day, Embedder, EmbedderError, LanguagePacks, Memory, MemoryId, MemoryRecord, NightLabel, ValidConfig,
        Vector,
    },
    pack_for_entries,
};

use crate::QuestionError;

/// Number of texts embedded in one call of the embedder. A question waits for no more.
const EMBED_AT_ONCE: usize = 4;

/// Memories of an NPC that no delivered night has consolidated. Shared between the game's thread, which adds
/// memories, and the pool's threads, which embed them; none holds the lock for longer than copying takes.
#[derive(Debug, Default)]
pub(crate) struct Today {
    lived: Mutex<Vec<LivedMemory>>,
    /// Index of long-term memory with the first memories of the day appended, and what it was made of.
    combined: Mutex<Option<CombinedIndex>>,
}

#[derive(Debug, Clone)]
struct LivedMemory {
    memory: Arc<Memory>,
    night: NightLabel,
    vector: Option<Vector>,
}

#[derive(Debug)]
struct CombinedIndex {
    base: Arc<RecallIndex>,
    memories: usize,
    index: Arc<RecallIndex>,
}

/// Memories of an NPC's day that were handed to its [`Today`]; empty until the first one is.
#[derive(Debug, Default)]
pub(crate) struct SubmittedDay(Option<Box<SubmittedMemories>>);

#[derive(Debug, Default)]
struct SubmittedMemories {
    today: Arc<Today>,
    ids: BTreeSet<MemoryId>,
}

impl SubmittedDay {
    /// Hands over the memories that are new; returns the day and the number of its memories so far.
    pub(crate) fn submit<'m>(
        &mut self,
        memories: impl Iterator<Item = (&'m Memory, NightLabel)>,
    ) -> (Arc<Today>, usize) {
        let SubmittedMemories { today, ids } = &mut **self.0.get_or_insert_default();
        let new: Vec<LivedMemory> = memories
            .filter(|(memory, _)| !ids.contains(&memory.id))
            .map(|(memory, night)| LivedMemory { memory: Arc::new(memory.clone()), night, vector: None })
            .collect();
        if !new.is_empty() {
            ids.extend(new.iter().map(|lived| lived.memory.id.clone()));
            today.lived().extend(new);
        }
        (Arc::clone(today), ids.len())
    }

    /// Forgets everything that was handed over; returns it, to be dropped elsewhere. Memories that no night has
    /// consolidated are handed over again.
    pub(crate) fn clear(&mut self) -> Self {
        std::mem::take(self)
    }
}

impl Today {
    fn lived(&self) -> MutexGuard<'_, Vec<LivedMemory>> {
        // Pushing and filling in vectors leaves nothing half done.
        self.lived.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Embeds the memories that have no vector yet, up to the first `most`, a few at a time.
    ///
    /// # Errors
    /// [`EmbedderError`] if the embedder fails; what was embedded before stays.
    pub(crate) fn embed(&self, most: usize, embedder: &dyn Embedder) -> Result<(), EmbedderError> {
        loop {
            let missing: Vec<(usize, Arc<Memory>)> = {
                let lived = self.lived();
                let without = lived.iter().take(most).enumerate().filter(|(_, lived)| lived.vector.is_none());
                without.take(EMBED_AT_ONCE).map(|(at, lived)| (at, Arc::clone(&lived.memory))).collect()
            };
            if missing.is_empty() {
                return Ok(());
            }
            let texts: Vec<&str> = missing.iter().map(|(_, memory)| memory.text.as_str()).collect();
            let vectors = embedder.embed(&texts)?.vectors;
            let mut lived = self.lived();
            for ((at, _), row) in missing.iter().zip(0..vectors.len()) {
                if let Some(lived) = lived.get_mut(*at) {
                    lived.vector = Some(vectors.vector(row));
                }
            }
            if vectors.len() < missing.len() {
                // An embedder that breaks its contract is not asked for ever.
                return Ok(());
            }
        }
    }

    /// Returns the index of long-term memory with the first `most` memories of the day appended. Embeds those that have no
    /// vector yet. Takes as long as copying the index when the day has grown, and nothing otherwise.
    pub(crate) fn index(
        &self,
        base: &Arc<RecallIndex>,
        most: usize,
        embedder: &dyn Embedder,
        config: &ValidConfig,
    ) -> Result<Arc<RecallIndex>, QuestionError> {
        if most == 0 {
            return Ok(Arc::clone(base));
        }
        self.embed(most, embedder)?;
        let mut combined = self.combined.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = combined.as_ref()
            && known.memories == most
            && Arc::ptr_eq(&known.base, base)
        {
            return Ok(Arc::clone(&known.index));
        }
        let records: Vec<MemoryRecord> = self
            .lived()
            .iter()
            .take(most)
            .filter_map(|lived| {
                Some(MemoryRecord::of_today(&lived.memory, lived.vector.clone()?, lived.night.clone()))
            })
            .collect();
        // The pack that read the entries reads the day.
        let of_base = Packs.named(base.pack()).filter(|_| !base.is_empty());
        let pack = of_base.map_or_else(|| pack_for_entries(&records, &Packs, config), Ok)?;
        let mut index = RecallIndex::clone(base);
        index.extend(records, pack);
        let index = Arc::new(index);
        *combined = Some(CombinedIndex { base: Arc::clone(base), memories: most, index: Arc::clone(&index) });
        Ok(index)
    }

    /// True if a memory is among the first `most`.
    pub(crate) fn has(&self, most: usize, id: &MemoryId) -> bool {
        self.lived().iter().take(most).any(|lived| lived.memory.id == *id)
    }
}

/// Returns the memories of a closed day with the label of its night.
pub(crate) fn of_day(day: &Day) -> impl Iterator<Item = (&Memory, NightLabel)> {
    day.memories.iter().map(|memory| (memory, day.night.clone()))
}

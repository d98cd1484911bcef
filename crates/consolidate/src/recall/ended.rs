//! Entries with positions that no longer hold.

use std::collections::BTreeSet;

use nightfold_memory::{LanguagePack, MemoryRecord};

/// Content words of an entry with ended positions.
#[derive(Debug, Clone)]
pub(super) struct PartedWords {
    ended: BTreeSet<String>,
    holding: BTreeSet<String>,
}

impl PartedWords {
    pub(super) fn of(memory: &MemoryRecord, pack: &dyn LanguagePack) -> Self {
        let mut words = Self { ended: BTreeSet::new(), holding: BTreeSet::new() };
        let mut rest = memory.entry.text.clone();
        for position in &memory.ended {
            rest = rest.replace(&position.text, " ");
            pack.content_stems(&position.text, &mut |stem| {
                words.ended.insert(stem.to_owned());
            });
        }
        pack.content_stems(&rest, &mut |stem| {
            words.holding.insert(stem.to_owned());
        });
        words
    }

    /// True if a question has more words in common with what ended than with what still holds.
    pub(super) fn are_asked_as_ended(&self, question: &BTreeSet<String>) -> bool {
        question.intersection(&self.ended).count() > question.intersection(&self.holding).count()
    }
}

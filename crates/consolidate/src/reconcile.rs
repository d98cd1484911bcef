//! Comparison of new texts with the active entries of long-term memory.

use nightfold_memory::{
    Entry, Judgement, Kind, MemoryRecord, MemorySnapshot, Reason, RecordKind, Rule, State, ValidConfig,
    config::ReconcileConfig,
};

use crate::gram::dot;

/// Active entries of an NPC that a new text may repeat or contradict. Memories and reflections are compared
/// separately: a memory is never merged into a reflection.
pub(crate) struct ActiveEntries<'a> {
    entries: Vec<(&'a MemoryRecord, &'a [f32])>,
}

/// An entry close to a new text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Neighbour<'a> {
    pub(crate) entry: &'a MemoryRecord,
    pub(crate) cosine: f64,
}

impl<'a> ActiveEntries<'a> {
    /// Returns the active entries except reflections made by earlier nights: events, talk and thoughts.
    pub(crate) fn experiences(past: &'a MemorySnapshot) -> Self {
        Self::of(past, |entry| entry.form != RecordKind::Reflection)
    }

    /// Returns the active reflections, of earlier nights and of the game.
    pub(crate) fn reflections(past: &'a MemorySnapshot) -> Self {
        Self::of(past, |entry| entry.form == RecordKind::Reflection || entry.kind == Kind::Reflection)
    }

    fn of(past: &'a MemorySnapshot, is_meant: impl Fn(&Entry) -> bool) -> Self {
        let active = past.entries.iter().filter(|e| e.state == State::Active && is_meant(&e.entry));
        let entries = active.filter_map(|e| e.entry.vector.as_ref().map(|v| (e, v.as_slice()))).collect();
        Self { entries }
    }

    /// Returns the nearest entries with a cosine of at least `reconcile.min_similarity`, the closest first, ties by id.
    pub(crate) fn neighbours(&self, vector: &[f32], settings: &ReconcileConfig) -> Vec<Neighbour<'a>> {
        let mut near: Vec<Neighbour<'a>> = self
            .entries
            .iter()
            .map(|&(entry, v)| Neighbour { entry, cosine: f64::from(dot(v, vector)) })
            .filter(|n| n.cosine >= settings.min_similarity)
            .collect();
        near.sort_by(|a, b| {
            b.cosine.total_cmp(&a.cosine).then_with(|| a.entry.entry.id.cmp(&b.entry.entry.id))
        });
        near.truncate(settings.neighbours);
        near
    }
}

/// Returns the reason of a corroboration at this cosine.
pub(crate) fn corroboration_reason(cosine: f64, judged: &Judgement, config: &ValidConfig) -> Reason {
    let reason = Reason::new(Rule::AlreadyKnown)
        .with("cosine", cosine)
        .with("band_from", config.reconcile.min_similarity);
    judged.explain(reason, &config.judge)
}

/// Returns the reason of a contradiction at this cosine.
pub(crate) fn contradiction_reason(cosine: f64, judged: &Judgement, config: &ValidConfig) -> Reason {
    let reason = Reason::new(Rule::Contradicted).with("cosine", cosine);
    let near_from = config.reconcile.min_similarity;
    let reason = if cosine >= near_from { reason.with("band_from", near_from) } else { reason };
    judged.explain(reason, &config.judge)
}

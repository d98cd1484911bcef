//! What would be stored, against what is known already.

use nightfold_memory::{
    Entry, Judgement, Kind, MemoryRecord, MemorySnapshot, Reason, ReconcileConfig, RecordKind, Rule, State,
    ValidConfig,
};

use crate::gram::dot;

/// The active entries of an NPC that a new one may repeat or contradict: what happened is never merged into a conclusion,
/// so either happenings or insights.
pub(crate) struct Known<'a> {
    entries: Vec<(&'a MemoryRecord, &'a [f32])>,
}

/// An entry close to a candidate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Neighbour<'a> {
    pub(crate) entry: &'a MemoryRecord,
    pub(crate) cosine: f64,
}

impl<'a> Known<'a> {
    /// Entries that happened, were told or thought by day.
    pub(crate) fn happenings(past: &'a MemorySnapshot) -> Self {
        Self::of(past, |entry| entry.form != RecordKind::Reflection)
    }

    /// Reflections of earlier nights and of the game.
    pub(crate) fn insights(past: &'a MemorySnapshot) -> Self {
        Self::of(past, |entry| entry.form == RecordKind::Reflection || entry.kind == Kind::Reflection)
    }

    fn of(past: &'a MemorySnapshot, is_meant: impl Fn(&Entry) -> bool) -> Self {
        let active = past.entries.iter().filter(|e| e.state == State::Active && is_meant(&e.entry));
        let entries = active.filter_map(|e| e.entry.vector.as_ref().map(|v| (e, v.as_slice()))).collect();
        Self { entries }
    }

    /// The nearest entries within the band, closest first, of equally close ones by id.
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

/// The reason by which a statement at this cosine confirms what it was compared with.
pub(crate) fn already_known(cosine: f64, judged: &Judgement, config: &ValidConfig) -> Reason {
    let reason =
        Reason::new(Rule::AlreadyKnown).with("cosine", cosine).with("band_from", config.reconcile.min_similarity);
    judged.explain(reason, &config.judge)
}

/// The reason by which a statement at this cosine excludes what it was compared with.
pub(crate) fn contradicted(cosine: f64, judged: &Judgement, config: &ValidConfig) -> Reason {
    let reason = Reason::new(Rule::Contradicted).with("cosine", cosine);
    let settings = &config.reconcile;
    let from =
        if cosine < settings.min_similarity { ("claims_from", settings.claim_similarity) } else { ("band_from", settings.min_similarity) };
    judged.explain(reason.with(from.0, from.1), &config.judge)
}

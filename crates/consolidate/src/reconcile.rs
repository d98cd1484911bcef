//! What would be stored, against what is known already.

use nightfold_memory::{Form, LongTermMemory, MemoryId, Past, Reason, ReconcileConfig, Rule, State};

use crate::{
    collapse::Distinct,
    gram::dot,
    stance::{ClaimBook, Judgement, Stance},
    text::holds_words,
};

/// The active entries of an NPC that a new one may repeat or contradict. Reflections are not among them: what
/// happened is never merged into a conclusion.
pub(crate) struct Known<'a> {
    entries: Vec<(&'a LongTermMemory, &'a [f32])>,
}

/// An entry close to a candidate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Neighbour<'a> {
    pub(crate) entry: &'a LongTermMemory,
    pub(crate) cosine: f64,
}

impl<'a> Known<'a> {
    pub(crate) fn new(past: &'a Past) -> Self {
        let entries = past
            .entries
            .iter()
            .filter(|e| e.state == State::Active && e.entry.form != Form::Reflection)
            .filter_map(|e| e.entry.vector.as_ref().map(|v| (e, v.as_slice())))
            .collect();
        Self { entries }
    }

    /// The nearest entries within the band, closest first, of equally close ones by id.
    pub(crate) fn neighbours(&self, vector: &[f32], settings: &ReconcileConfig) -> Vec<Neighbour<'a>> {
        self.nearest(vector, settings, |cosine| cosine >= settings.band)
    }

    /// The nearest entries below the band that are close enough to be held against what is claimed. What is told inside
    /// other sentences lies there: the vector is that of the whole.
    pub(crate) fn further(&self, vector: &[f32], settings: &ReconcileConfig) -> Vec<Neighbour<'a>> {
        self.nearest(vector, settings, |cosine| cosine >= settings.claims && cosine < settings.band)
    }

    fn nearest(
        &self,
        vector: &[f32],
        settings: &ReconcileConfig,
        within: impl Fn(f64) -> bool,
    ) -> Vec<Neighbour<'a>> {
        let mut near: Vec<Neighbour<'a>> = self
            .entries
            .iter()
            .map(|&(entry, v)| Neighbour { entry, cosine: f64::from(dot(v, vector)) })
            .filter(|n| within(n.cosine))
            .collect();
        near.sort_by(|a, b| {
            b.cosine.total_cmp(&a.cosine).then_with(|| a.entry.entry.id.cmp(&b.entry.entry.id))
        });
        near.truncate(settings.neighbours);
        near
    }

    /// The entry that says what this memory says, by rules. `lossless`: only one that holds its very words.
    pub(crate) fn said_by(
        &self,
        memory: &'a Distinct,
        vector: &[f32],
        lossless: bool,
        settings: &ReconcileConfig,
        book: &mut ClaimBook<'a>,
    ) -> Option<(MemoryId, Reason)> {
        for near in self.neighbours(vector, settings) {
            let judged = book.weigh(&near.entry.entry.text, &memory.text, near.cosine);
            match judged.stance {
                Stance::Same if !lossless || holds_words(&near.entry.entry.text, &memory.text) => {
                    return Some((
                        near.entry.entry.id.clone(),
                        already_known(near.cosine, &judged, settings),
                    ));
                }
                Stance::Same | Stance::Contradiction => return None,
                Stance::Unrelated => {}
            }
        }
        None
    }
}

/// Why something that lies at this cosine confirms what it lies close to.
pub(crate) fn already_known(cosine: f64, judged: &Judgement, settings: &ReconcileConfig) -> Reason {
    let reason = Reason::new(Rule::AlreadyKnown).with("cosine", cosine).with("band_from", settings.band);
    judged.explain(reason)
}

/// Why something that lies at this cosine sets aside what it lies close to.
pub(crate) fn contradicted(cosine: f64, judged: &Judgement, settings: &ReconcileConfig) -> Reason {
    let reason = Reason::new(Rule::Contradicted).with("cosine", cosine);
    let from =
        if cosine < settings.band { ("claims_from", settings.claims) } else { ("band_from", settings.band) };
    judged.explain(reason.with(from.0, from.1))
}

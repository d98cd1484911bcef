//! Entries of earlier nights that a question about a theme shows.

use nightfold_memory::{Kind, Meaning, MemoryRecord, PastStanding, PastText, RecordKind, heard_from};

use super::SynthesisContext;
use crate::{gram::dot, themes::mean_direction};

/// Maximum number of entries that one question shows, beside those that the NPC concluded itself.
const KNOWN: usize = 9;
/// Maximum number of entries that the NPC concluded itself.
const CONCLUDED: usize = 3;
/// Matters that stay open until they are closed.
const MATTERS: [Meaning; 3] = [Meaning::Commitment, Meaning::Debt, Meaning::Threat];

impl SynthesisContext<'_> {
    /// Returns what was known, what is open and what was concluded about the theme of these rows, the most similar to
    /// it first, as similar at least as statements are that are compared (`reconcile.rival_similarity`). No words of an
    /// entry make room for it.
    pub(super) fn past_texts(&self, rows: &[usize], past: &[&MemoryRecord]) -> Vec<PastText> {
        let Some(centre) = mean_direction(rows.iter().map(|&row| self.vectors.row(row))) else {
            return Vec::new();
        };
        let mut near: Vec<(f64, &MemoryRecord)> = past
            .iter()
            .filter(|record| record.entry.kind != Kind::Status && record.ended.is_empty())
            .filter(|record| rows.iter().all(|&row| self.distinct[row].text != record.entry.text))
            .filter_map(|record| {
                let vector = record.entry.vector.as_ref()?;
                Some((f64::from(dot(centre.as_slice(), vector.as_slice())), *record))
            })
            .filter(|(cosine, _)| *cosine >= self.config.reconcile.rival_similarity)
            .collect();
        near.sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| one.entry.id.cmp(&other.entry.id)));
        let (mut known, mut concluded) = (0..KNOWN, 0..CONCLUDED);
        let mut has_room = |record: &MemoryRecord| match record.entry.form {
            RecordKind::Reflection => concluded.next(),
            RecordKind::Verbatim | RecordKind::Synthesis => known.next(),
        };
        near.into_iter()
            .filter(|(_, record)| has_room(record).is_some())
            .map(|(_, record)| PastText {
                id: record.entry.id.clone(),
                text: record.entry.text.clone(),
                standing: self.standing(record),
                said_by: heard_from(record.entry.kind, &record.entry.actors, self.name),
            })
            .collect()
    }

    fn standing(&self, record: &MemoryRecord) -> PastStanding {
        let is_matter = || self.pack.meanings(&record.entry.text).iter().any(|m| MATTERS.contains(m));
        match record.entry.form {
            RecordKind::Reflection => PastStanding::Concluded,
            RecordKind::Verbatim if is_matter() => PastStanding::Open,
            RecordKind::Verbatim | RecordKind::Synthesis => PastStanding::Known,
        }
    }
}

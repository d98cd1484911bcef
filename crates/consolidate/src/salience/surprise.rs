//! Surprise: how far a memory is from the rest of its day and from what the NPC knows.

use nightfold_memory::{MemorySnapshot, RecordKind, Vector, Vectors};

use crate::{
    collapse::DistinctMemory,
    gram::{Gram, dot},
};

/// Returns the surprise of each rated memory, 0 to 1: one minus its highest cosine to another memory of the day or to
/// an active entry. Reflections are no experience, and do not count. Unrated memories have none.
pub(super) fn surprises(
    distinct: &[DistinctMemory],
    vectors: &Vectors,
    gram: &Gram,
    past: &MemorySnapshot,
) -> Vec<f64> {
    let known: Vec<&[f32]> = past
        .entries
        .iter()
        .filter(|record| record.entry.form != RecordKind::Reflection)
        .filter_map(|record| record.entry.vector.as_ref())
        .map(Vector::as_slice)
        .filter(|vector| vector.len() == vectors.dimensions())
        .collect();
    let surprise = |row: usize| {
        if !distinct[row].given {
            return 0.0;
        }
        let own = vectors.row(row);
        let of_day = gram.nearest(row).unwrap_or(0.0);
        let nearest = known.iter().map(|other| dot(own, other)).fold(of_day, f32::max);
        (1.0 - f64::from(nearest)).clamp(0.0, 1.0)
    };
    (0..distinct.len()).map(surprise).collect()
}

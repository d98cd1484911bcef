//! Embeddings of the tokens of a pair of texts. They are looked up beside the graph, which would hold the table in 32 bits
//! once for each session.

use super::{bert::Bert, error::OnnxError, weights::WeightFile};

/// Vectors of words, positions and segments, which are added.
pub(crate) struct PairEmbeddings {
    hidden: usize,
    /// Rows of the words in 8 bits.
    words: &'static [u8],
    /// Factor of each of these rows.
    scales: Vec<f32>,
    positions: Vec<f32>,
    segments: Vec<f32>,
}

impl PairEmbeddings {
    pub(super) fn read(sizes: &Bert, weights: &WeightFile<'static>) -> Result<Self, OnnxError> {
        let name = |of: &str| format!("embeddings.{of}_embeddings.weight");
        let table =
            |of: &str, rows| Ok::<_, OnnxError>(weights.take(&name(of), &[rows, sizes.hidden])?.values);
        let (words, scales) = weights.eight_bits(&name("word"), [sizes.vocabulary, sizes.hidden])?;
        Ok(Self {
            hidden: sizes.hidden,
            words,
            scales: scales.values,
            positions: table("position", sizes.positions)?,
            segments: table("token_type", 2)?,
        })
    }

    /// Returns the vector of each token, given the tokens and the segments that they are in; `None` if the tables lack one.
    pub(crate) fn of(&self, ids: &[i64], types: &[i64]) -> Option<Vec<f32>> {
        let mut sums = Vec::with_capacity(ids.len() * self.hidden);
        for (place, (&id, &segment)) in ids.iter().zip(types).enumerate() {
            let id = usize::try_from(id).ok()?;
            let (word, &scale) = (row(self.words, id, self.hidden)?, self.scales.get(id)?);
            let position = row(&self.positions, place, self.hidden)?;
            let segment = row(&self.segments, usize::try_from(segment).ok()?, self.hidden)?;
            let sum = |((word, position), segment): ((&u8, &f32), &f32)| {
                f32::from(word.cast_signed()) * scale + position + segment
            };
            sums.extend(word.iter().zip(position).zip(segment).map(sum));
        }
        Some(sums)
    }
}

fn row<T>(table: &[T], at: usize, size: usize) -> Option<&[T]> {
    let start = at.checked_mul(size)?;
    table.get(start..start.checked_add(size)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embeddings_are_summed_token_by_token_and_only_of_what_the_tables_have() {
        let tables = PairEmbeddings {
            hidden: 2,
            words: &[1, 2, 255, 127],
            scales: vec![0.5, 2.0],
            positions: vec![0.0, 8.0, 16.0, 32.0],
            segments: vec![0.0, 0.0, 64.0, 128.0],
        };
        assert_eq!(tables.of(&[0, 1], &[0, 1]), Some(vec![0.5, 9.0, 78.0, 414.0]));
        for (ids, types) in [(&[2][..], &[0][..]), (&[-1], &[0]), (&[0], &[2]), (&[0, 0, 0], &[0, 0, 0])] {
            assert_eq!(tables.of(ids, types), None, "{ids:?} {types:?}");
        }
    }
}

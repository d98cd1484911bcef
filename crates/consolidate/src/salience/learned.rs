//! The salience head: the importance that a designer would give a memory, read from its sentence vector.

use nightfold_memory::ModelId;

use crate::gram::dot;

/// Model whose vectors the head reads.
const MODEL: &str = "all-MiniLM-L6-v2@f32-17faaf45f4e8";

/// Weights of the head and its bias, as little-endian `f32`; trained by `training/salience`.
const WEIGHTS: &[u8] = include_bytes!("weights.f32");

/// A linear head on sentence vectors.
#[derive(Debug)]
pub(super) struct SalienceHead {
    weights: Vec<f32>,
    bias: f32,
}

impl SalienceHead {
    /// Returns the head for vectors of a model; none for a model that it was not trained on.
    pub(super) fn of(model: &ModelId) -> Option<Self> {
        if model.as_str() != MODEL {
            return None;
        }
        let (numbers, _) = WEIGHTS.as_chunks::<4>();
        let mut weights: Vec<f32> = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        let bias = weights.pop()?;
        Some(Self { weights, bias })
    }

    /// Returns the importance that the head expects, 1 to 10; none for a vector of another length.
    pub(super) fn importance(&self, vector: &[f32]) -> Option<f64> {
        (vector.len() == self.weights.len())
            .then(|| f64::from(dot(vector, &self.weights) + self.bias).clamp(1.0, 10.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_reads_vectors_of_its_model_only() {
        let head = SalienceHead::of(&ModelId::new(MODEL).unwrap()).unwrap();
        assert_eq!(head.weights.len(), 384);
        assert!(SalienceHead::of(&ModelId::new("another").unwrap()).is_none());
        let importance = head.importance(&[0.0; 384]).unwrap();
        assert!((1.0..=10.0).contains(&importance), "{importance}");
        assert_eq!(head.importance(&[0.0; 3]), None);
    }
}

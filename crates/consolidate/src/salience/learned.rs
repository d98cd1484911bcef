//! The salience heads: the importance that a designer would give a memory, read from its sentence vector.

use nightfold_memory::ModelId;

use crate::gram::dot;

/// Model whose vectors the heads read.
const MODEL: &str = "all-MiniLM-L6-v2@f32-17faaf45f4e8";

/// Weights of a head and its bias, as little-endian `f32`.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeadWeights(&'static [u8]);

/// Head for anything but talk; trained by `lab/training/salience` on our stories.
pub(super) const EVENTS: HeadWeights = HeadWeights(include_bytes!("weights.f32"));

/// Head for talk; trained by `lab/training/salience` on lines of everyday talk written for it.
pub(super) const TALK: HeadWeights = HeadWeights(include_bytes!("talk.f32"));

/// A linear head on sentence vectors.
#[derive(Debug)]
pub(super) struct SalienceHead {
    weights: Vec<f32>,
    bias: f32,
}

impl SalienceHead {
    /// Returns the head for vectors of a model; none for a model that it was not trained on.
    pub(super) fn of(model: &ModelId, HeadWeights(bytes): HeadWeights) -> Option<Self> {
        if model.as_str() != MODEL {
            return None;
        }
        let (numbers, _) = bytes.as_chunks::<4>();
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
    fn heads_read_vectors_of_their_model_only() {
        for weights in [EVENTS, TALK] {
            let head = SalienceHead::of(&ModelId::new(MODEL).unwrap(), weights).unwrap();
            assert_eq!(head.weights.len(), 384);
            assert!(SalienceHead::of(&ModelId::new("another").unwrap(), weights).is_none());
            let importance = head.importance(&[0.0; 384]).unwrap();
            assert!((1.0..=10.0).contains(&importance), "{importance}");
            assert_eq!(head.importance(&[0.0; 3]), None);
        }
    }
}

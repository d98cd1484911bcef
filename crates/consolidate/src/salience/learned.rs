//! The learned heads: the importance that a designer would give a memory, and how well something went, read from its
//! sentence vector.

use nightfold_memory::{Emotion, ModelId};

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

/// Head for valence; trained by `lab/training/salience` on pairs of sentences written for it.
const VALENCE: HeadWeights = HeadWeights(include_bytes!("valence.f32"));

/// Intensity that is assumed of a valence that is read from a text.
const READ_INTENSITY: f32 = 0.5;

/// Reader of feelings.
#[derive(Debug)]
pub(crate) struct FeelingReader(Option<SalienceHead>);

impl FeelingReader {
    /// Returns the reader for vectors of a model.
    pub(crate) fn of(model: &ModelId) -> Self {
        Self(SalienceHead::of(model, VALENCE))
    }

    /// Returns valence times intensity, -1 to 1, of the emotion that the game gives; without one as the head reads it,
    /// or 0 for vectors of a model without a head.
    pub(crate) fn feeling(&self, emotion: Option<Emotion>, vector: &[f32]) -> f32 {
        let read = || self.0.as_ref().and_then(|head| head.read(vector));
        emotion.map_or_else(
            || read().map_or(0.0, |valence| valence.clamp(-1.0, 1.0) * READ_INTENSITY),
            |e| e.valence * e.intensity,
        )
    }
}

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
        self.read(vector).map(|read| f64::from(read).clamp(1.0, 10.0))
    }

    fn read(&self, vector: &[f32]) -> Option<f32> {
        (vector.len() == self.weights.len()).then(|| dot(vector, &self.weights) + self.bias)
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

    #[test]
    fn given_emotion_goes_before_what_is_read() {
        let reader = FeelingReader::of(&ModelId::new(MODEL).unwrap());
        let head = reader.0.as_ref().unwrap();
        let good: Vec<f32> = head.weights.clone();
        let sad = Emotion { valence: -0.5, intensity: 0.5 };
        assert!(reader.feeling(None, &good) > 0.0);
        assert!((reader.feeling(Some(sad), &good) + 0.25).abs() < 1e-6);
        assert!(FeelingReader::of(&ModelId::new("another").unwrap()).feeling(None, &good).abs() < 1e-6);
    }
}

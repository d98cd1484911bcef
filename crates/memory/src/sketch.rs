//! Sketches of embeddings: one bit a number.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Mean of the cosine of a vector and its signs, for numbers that are spread normally: √(2/π).
const SIGN_COSINE: f32 = 0.797_884_6;

/// Signs of the numbers of an embedding, one bit each: 48 bytes for 384 numbers. They place an archived memory well enough to
/// find it by a question, in an eighth of the room of a stored vector (Dong, Charikar & Li 2008, "Asymmetric Distance
/// Estimation with Sketches for Similarity Search in High-Dimensional Spaces").
///
/// ```
/// use nightfold_memory::{Sketch, SketchedQuery};
///
/// let vector = [0.5_f32, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5, -0.5];
/// let sketch = Sketch::of(&vector);
/// assert_eq!(sketch.as_bytes(), [0b0101_0101]);
/// assert!(SketchedQuery::new(&vector).cosine(sketch.as_bytes()) > 0.99);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sketch(Box<[u8]>);

impl Sketch {
    /// Returns the sketch of a vector: the bit of a number is set if the number is positive. Bits beyond the last number are
    /// not set.
    pub fn of(vector: &[f32]) -> Self {
        let byte = |numbers: &[f32]| {
            numbers.iter().enumerate().fold(0, |byte, (bit, x)| byte | u8::from(*x > 0.0) << bit)
        };
        Self(vector.chunks(8).map(byte).collect())
    }

    /// Returns the sketch with these bytes, which [`Sketch::as_bytes`] gave; `None` without any.
    pub fn from_bytes(bytes: impl Into<Box<[u8]>>) -> Option<Self> {
        let bytes = bytes.into();
        (!bytes.is_empty()).then_some(Self(bytes))
    }

    /// Returns its bits, eight a byte, the first number in the lowest bit.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns an estimate of the cosine of two vectors with this many numbers that were sketched to these bytes, −1 to 1
    /// (Charikar 2002, "Similarity Estimation Techniques from Rounding Algorithms"); 0 if these are not their lengths.
    pub fn cosine(a: &[u8], b: &[u8], dimensions: usize) -> f32 {
        if [a, b].iter().any(|bytes| bytes.is_empty() || bytes.len() != dimensions.div_ceil(8)) {
            return 0.0;
        }
        let apart: u32 = a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum();
        (std::f32::consts::PI * apart as f32 / dimensions as f32).cos()
    }

    /// True if it may be of a vector with this many numbers.
    pub fn fits(&self, dimensions: usize) -> bool {
        self.0.len() == dimensions.div_ceil(8)
    }
}

/// A query vector, prepared to be compared with many sketches.
#[derive(Debug, Clone, PartialEq)]
pub struct SketchedQuery {
    /// For each byte of a sketch and each value of it, the sum of the numbers with the signs that it gives them.
    sums: Vec<[f32; 256]>,
    /// Factor from a sum to an estimate of the cosine.
    scale: f32,
}

impl SketchedQuery {
    /// Prepares a unit vector.
    pub fn new(query: &[f32]) -> Self {
        let sums = |numbers: &[f32]| {
            let signed = |byte: usize| -> f32 {
                numbers.iter().enumerate().map(|(bit, x)| if byte >> bit & 1 == 1 { *x } else { -x }).sum()
            };
            std::array::from_fn(signed)
        };
        let scale = 1.0 / (query.len().max(1) as f32).sqrt() / SIGN_COSINE;
        Self { sums: query.chunks(8).map(sums).collect(), scale }
    }

    /// Returns an estimate of the cosine of the query and the vector that was sketched to these bytes, −1 to 1. A vector of
    /// another length has none: 0.
    pub fn cosine(&self, sketch: &[u8]) -> f32 {
        if sketch.len() != self.sums.len() {
            return 0.0;
        }
        let sum: f32 = self.sums.iter().zip(sketch).map(|(sums, byte)| sums[usize::from(*byte)]).sum();
        (sum * self.scale).clamp(-1.0, 1.0)
    }
}

impl Serialize for Sketch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Sketch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = STANDARD.decode(text).map_err(de::Error::custom)?;
        Self::from_bytes(bytes).ok_or_else(|| de::Error::custom("a sketch has at least one byte"))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Sketch {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Sketch".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Signs of the numbers of an embedding, one bit each, in base64.",
            "type": "string",
            "minLength": 4,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unit(numbers: Vec<f32>) -> Vec<f32> {
        let length = numbers.iter().map(|x| x * x).sum::<f32>().sqrt();
        numbers.into_iter().map(|x| x / length).collect()
    }

    #[test]
    fn estimated_cosine_follows_the_angle() {
        // Sums of four uniform numbers are spread nearly normally.
        let mut state = 42_u64;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1_u64 << 24) as f32 - 0.5
        };
        let [a, b] = [(); 2].map(|()| unit((0..384).map(|_| (0..4).map(|_| uniform()).sum()).collect()));
        for share in [0.0_f32, 0.3, 0.6, 0.9, 1.0] {
            let mixed = unit(a.iter().zip(&b).map(|(a, b)| share * a + (1.0 - share) * b).collect());
            let exact: f32 = mixed.iter().zip(&a).map(|(x, y)| x * y).sum();
            let estimated = SketchedQuery::new(&a).cosine(Sketch::of(&mixed).as_bytes());
            assert!((estimated - exact).abs() < 0.15, "{share}: {estimated} {exact}");
            let [of_a, of_mixed] = [&a, &mixed].map(|vector| Sketch::of(vector));
            let of_sketches = Sketch::cosine(of_a.as_bytes(), of_mixed.as_bytes(), 384);
            assert!((of_sketches - exact).abs() < 0.2, "{share}: {of_sketches} {exact}");
        }
    }

    #[test]
    fn vector_of_another_length_is_not_compared() {
        let sketch = Sketch::of(&unit(vec![1.0; 16]));
        for other in [&[1.0; 8][..], &[]] {
            assert!(SketchedQuery::new(other).cosine(sketch.as_bytes()).abs() < 1e-6);
        }
        assert!(!sketch.fits(17) && sketch.fits(16));
        assert!(Sketch::cosine(sketch.as_bytes(), &[1], 16).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn json_and_bytes_read_back_the_same_sketch(numbers in prop::collection::vec(-1.0_f32..1.0, 1..80)) {
            let sketch = Sketch::of(&numbers);
            let json = serde_json::to_string(&sketch).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Sketch>(&json).unwrap(), &sketch);
            prop_assert_eq!(Sketch::from_bytes(sketch.as_bytes()), Some(sketch));
        }
    }
}

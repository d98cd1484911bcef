//! Embedding vectors: a single one, and blocks of `n × dimensions` numbers.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Largest difference from 1 of the length of a unit vector.
const UNIT_TOLERANCE: f64 = 1e-3;

/// Reason why numbers are not a unit vector.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum VectorError {
    /// There are no numbers.
    #[error("a vector needs at least one number")]
    Empty,
    /// A number is NaN or infinite.
    #[error("number {index} of the vector is {value}; every number must be finite")]
    NotFinite {
        /// Index of the number, from 0.
        index: usize,
        /// Value of the number.
        value: f32,
    },
    /// The length is not 1.
    #[error("the vector's length is {0}; it must be 1 (± {UNIT_TOLERANCE})")]
    NotUnit(f64),
    /// The vector has another dimension than the previous vectors.
    #[error("a vector of {given} numbers among vectors of {expected}")]
    Dimensions {
        /// Dimension of the previous vectors.
        expected: usize,
        /// Dimension of this vector.
        given: usize,
    },
}

fn check(numbers: &[f32]) -> Result<(), VectorError> {
    if numbers.is_empty() {
        return Err(VectorError::Empty);
    }
    if let Some((index, &value)) = numbers.iter().enumerate().find(|(_, x)| !x.is_finite()) {
        return Err(VectorError::NotFinite { index, value });
    }
    let length = numbers.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    if (length - 1.0).abs() > UNIT_TOLERANCE {
        return Err(VectorError::NotUnit(length));
    }
    Ok(())
}

/// Fewest numbers of a vector that is rounded.
const ROUNDED_FROM: usize = 64;

/// Largest number of steps that a number is rounded to.
const MAX_STEPS: f64 = 127.0;

/// Returns the numbers in steps: the largest one is 127 of them.
fn steps(numbers: &[f32]) -> Vec<i8> {
    let largest = numbers.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
    numbers.iter().map(|&x| (f64::from(x) * MAX_STEPS / f64::from(largest)).round() as i8).collect()
}

/// Returns the numbers of length 1 that stand in the proportions of the steps.
fn of_steps(steps: &[i8]) -> Arc<[f32]> {
    // A sum of whole numbers and one root: the same on every machine.
    let length = (steps.iter().map(|&step| u64::from(step.unsigned_abs()).pow(2)).sum::<u64>() as f64).sqrt();
    steps.iter().map(|&step| (f64::from(step) / length) as f32).collect()
}

/// Unit vector, cheap to clone. It is written as base64 of its little-endian `f32`s, and read from that or
/// from an array of numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector(Arc<[f32]>);

impl Vector {
    /// Returns the vector of finite numbers of Euclidean length 1.
    ///
    /// # Errors
    /// [`VectorError`] if there are none, one is not finite, or the length is off by more than 0.001.
    pub fn new(numbers: impl Into<Arc<[f32]>>) -> Result<Self, VectorError> {
        let numbers = numbers.into();
        check(&numbers)?;
        Ok(Self(numbers))
    }

    /// Returns the numbers.
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }

    /// Returns the vector as long-term memory keeps it: the numbers as multiples of one step, −127 to 127 times, brought
    /// to length 1. A rounded vector stays as it is. The cosine with another vector moves by less than 0.002, mostly by
    /// less than 0.0005.
    ///
    /// A vector of fewer than 64 numbers stays as it is: it takes little room, and its few numbers would be coarse.
    #[must_use]
    pub fn rounded(&self) -> Self {
        if self.0.len() < ROUNDED_FROM {
            return self.clone();
        }
        let rounded = Self(of_steps(&steps(&self.0)));
        if rounded == *self { self.clone() } else { rounded }
    }

    /// Returns the bytes that a store keeps, from which [`Vector::from_packed`] reads the same numbers: one for each number
    /// of a vector that is [rounded](Vector::rounded), and little-endian `f32`s of any other.
    pub fn to_packed(&self) -> Vec<u8> {
        let steps = steps(&self.0);
        if self.0.len() < ROUNDED_FROM || of_steps(&steps) != self.0 {
            return self.to_bytes();
        }
        let mut packed: Vec<u8> = steps.into_iter().map(i8::cast_unsigned).collect();
        // Four bytes a number are a multiple of four; one more than that are steps. The last byte counts what fills up.
        let padding = (4 - packed.len() % 4) % 4 + 1;
        packed.resize(packed.len() + padding - 1, 0);
        packed.push(padding as u8);
        packed
    }

    /// Reads the bytes that [`Vector::to_packed`] wrote.
    ///
    /// # Errors
    /// Errors of [`Vector::new`]; bytes that are neither form count as a dimension error.
    pub fn from_packed(bytes: &[u8]) -> Result<Self, VectorError> {
        match bytes.split_last() {
            Some((&padding @ 1..=4, rest)) if rest.len() % 4 == 0 && rest.len() >= ROUNDED_FROM => {
                let steps: Vec<i8> = rest[..rest.len() + 1 - usize::from(padding)]
                    .iter()
                    .map(|byte| byte.cast_signed())
                    .collect();
                let numbers = of_steps(&steps);
                check(&numbers)?;
                Ok(Self(numbers))
            }
            _ => Self::from_bytes(bytes),
        }
    }

    /// Returns the numbers as little-endian bytes, four each.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().map(|x| x.to_le_bytes()).collect::<Vec<_>>().into_flattened()
    }

    /// Reads the bytes that [`Vector::to_bytes`] wrote.
    ///
    /// # Errors
    /// Errors of [`Vector::new`]; left-over bytes count as a dimension error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, VectorError> {
        let (words, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(VectorError::Dimensions { expected: words.len() * 4, given: bytes.len() });
        }
        Self::new(words.iter().map(|&w| f32::from_le_bytes(w)).collect::<Vec<_>>())
    }
}

impl Serialize for Vector {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(self.to_bytes()))
    }
}

impl<'de> Deserialize<'de> for Vector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct VectorVisitor;
        impl<'de> de::Visitor<'de> for VectorVisitor {
            type Value = Vector;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a unit vector: an array of numbers, or base64 of little-endian f32")
            }

            fn visit_str<E: de::Error>(self, v: &str) -> Result<Vector, E> {
                let bytes = STANDARD.decode(v).map_err(E::custom)?;
                Vector::from_bytes(&bytes).map_err(E::custom)
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Vector, A::Error> {
                let mut numbers = Vec::new();
                while let Some(x) = seq.next_element::<f32>()? {
                    numbers.push(x);
                }
                Vector::new(numbers).map_err(de::Error::custom)
            }
        }
        deserializer.deserialize_any(VectorVisitor)
    }
}

/// Block of `n × dimensions` numbers: unit vectors row after row, in the order of their texts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Vectors {
    dimensions: usize,
    data: Vec<f32>,
}

/// [`Vectors`] before every row is known to be a unit vector.
#[derive(Deserialize)]
struct Unchecked {
    dimensions: usize,
    data: Vec<f32>,
}

impl TryFrom<Unchecked> for Vectors {
    type Error = VectorError;

    fn try_from(read: Unchecked) -> Result<Self, VectorError> {
        let mut vectors = Self::with_capacity(read.dimensions, 0);
        read.data.chunks(read.dimensions.max(1)).try_for_each(|row| vectors.push(row))?;
        Ok(vectors)
    }
}

impl Vectors {
    /// Returns an empty block of the given dimension, with room for `rows` rows.
    pub fn with_capacity(dimensions: usize, rows: usize) -> Self {
        Self { dimensions, data: Vec::with_capacity(dimensions * rows) }
    }

    /// Appends a row.
    ///
    /// # Errors
    /// [`VectorError`] if the row is of another dimension or is not a unit vector.
    pub fn push(&mut self, row: &[f32]) -> Result<(), VectorError> {
        if row.len() != self.dimensions {
            return Err(VectorError::Dimensions { expected: self.dimensions, given: row.len() });
        }
        check(row)?;
        self.data.extend_from_slice(row);
        Ok(())
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.data.len().checked_div(self.dimensions).unwrap_or(0)
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// Returns the length of a row.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns row `i`.
    ///
    /// # Panics
    /// If there is no such row, as indexing a slice does.
    pub fn row(&self, i: usize) -> &[f32] {
        &self.data[i * self.dimensions..(i + 1) * self.dimensions]
    }

    /// Returns row `i` as a vector of its own.
    ///
    /// # Panics
    /// If there is no such row, as indexing a slice does.
    pub fn vector(&self, i: usize) -> Vector {
        Vector(Arc::from(self.row(i)))
    }

    /// Returns the rows of these numbers, in that order.
    ///
    /// # Panics
    /// If there is no such row, as indexing a slice does.
    #[must_use]
    pub fn pick(&self, rows: &[usize]) -> Self {
        let mut picked = Self::with_capacity(self.dimensions, rows.len());
        rows.iter().for_each(|&i| picked.data.extend_from_slice(self.row(i)));
        picked
    }

    /// Returns all rows in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.data.chunks_exact(self.dimensions.max(1))
    }

    /// Returns all numbers, row after row.
    pub fn as_slice(&self) -> &[f32] {
        &self.data
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Vector {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Vector".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        if generator.contract().is_serialize() {
            return schemars::json_schema!({
                "description": "An embedding: base64 of numbers whose length together is 1, each a little-endian `f32`.",
                "type": "string",
                "contentEncoding": "base64",
                "pattern": "^[A-Za-z0-9+/]*={0,2}$",
            });
        }
        let number = generator.subschema_for::<f32>();
        schemars::json_schema!({
            "description": "An embedding: numbers whose length together is 1.",
            "type": "array",
            "items": number,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vector_roundtrips_bit_for_bit() {
        let v = Vector::new(vec![0.6_f32, -0.8, 0.0]).unwrap();
        let json = serde_json::to_string(&v).unwrap();
        assert_eq!(serde_json::from_str::<Vector>(&json).unwrap(), v);
        assert_eq!(serde_json::from_str::<Vector>("[0.6,-0.8,0]").unwrap(), v);
    }

    /// Unit vectors of 70 numbers and more, as different as a generator makes them.
    fn vector(seed: u64, dimensions: usize) -> Vector {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let numbers: Vec<f64> = (0..dimensions)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
            })
            .collect();
        let length = numbers.iter().map(|x| x * x).sum::<f64>().sqrt();
        Vector::new(numbers.iter().map(|x| (x / length) as f32).collect::<Vec<_>>()).unwrap()
    }

    fn cosine(a: &Vector, b: &Vector) -> f64 {
        a.as_slice().iter().zip(b.as_slice()).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum()
    }

    #[test]
    fn rounded_vector_stays_and_takes_a_quarter() {
        for dimensions in 64..70 {
            let exact = vector(dimensions as u64, dimensions);
            let rounded = exact.rounded();
            assert_ne!(exact, rounded);
            assert_eq!(rounded.rounded(), rounded);
            assert!(rounded.to_packed().len() <= dimensions + 4);
            assert_eq!(exact.to_packed(), exact.to_bytes(), "nothing is lost of what is not rounded");
            for vector in [exact, rounded] {
                assert_eq!(Vector::from_packed(&vector.to_packed()).unwrap(), vector);
            }
        }
        let few = Vector::new([0.6, -0.8, 0.0]).unwrap();
        assert_eq!((few.rounded(), few.to_packed()), (few.clone(), few.to_bytes()));
    }

    #[test]
    fn rounding_keeps_cosines() {
        let vectors: Vec<Vector> = (0..60).map(|seed| vector(seed, 384)).collect();
        for a in &vectors {
            for b in &vectors {
                let moved = cosine(a, b) - cosine(&a.rounded(), &b.rounded());
                assert!(moved.abs() < 2e-3, "{moved}");
            }
        }
    }

    #[test]
    fn damaged_packed_vectors_are_refused() {
        let packed = vector(7, 384).rounded().to_packed();
        let zeros: Vec<u8> =
            packed.iter().enumerate().map(|(at, &byte)| if at < 384 { 0 } else { byte }).collect();
        for damaged in [&packed[..380], &packed[1..], &zeros, &[]] {
            assert!(Vector::from_packed(damaged).is_err(), "{} bytes", damaged.len());
        }
    }

    #[test]
    fn non_unit_vectors_are_refused() {
        assert_eq!(Vector::new(vec![]), Err(VectorError::Empty));
        assert!(matches!(Vector::new(vec![1.0, f32::NAN]), Err(VectorError::NotFinite { index: 1, .. })));
        assert!(matches!(Vector::new(vec![1.0, 1.0]), Err(VectorError::NotUnit(_))));
        assert!(Vector::from_bytes(&[0, 0, 128]).is_err());
    }
}

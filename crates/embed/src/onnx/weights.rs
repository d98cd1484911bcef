//! The tensors of a safetensors file, checked as they are taken out.

use safetensors::{Dtype, SafeTensors};

use super::OnnxError;

/// A tensor of `f32` in C order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Weight {
    pub(super) shape: Vec<usize>,
    pub(super) values: Vec<f32>,
}

impl Weight {
    /// Rows to columns of a matrix: `m × n` becomes `n × m`.
    pub(super) fn transposed(&self) -> Self {
        let (rows, columns) = (self.shape[0], self.shape[1]);
        let values = (0..columns)
            .flat_map(|column| (0..rows).map(move |row| row * columns + column))
            .map(|at| self.values[at])
            .collect();
        Self { shape: vec![columns, rows], values }
    }

    /// One after the other.
    pub(super) fn joined(parts: &[Self]) -> Self {
        let values: Vec<f32> = parts.iter().flat_map(|part| part.values.iter().copied()).collect();
        Self { shape: vec![values.len()], values }
    }

    /// Adds the same row to every row.
    pub(super) fn plus_row(mut self, row: &[f32]) -> Self {
        for values in self.values.chunks_exact_mut(row.len()) {
            for (value, add) in values.iter_mut().zip(row) {
                *value += add;
            }
        }
        self
    }
}

/// A safetensors file read for a known set of tensors.
pub(super) struct Weights<'a>(SafeTensors<'a>);

impl<'a> Weights<'a> {
    /// Reads the header.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, OnnxError> {
        Ok(Self(SafeTensors::deserialize(bytes)?))
    }

    /// The tensor of this name, which must be `f32` and of this shape.
    pub(super) fn take(&self, name: &str, shape: &[usize]) -> Result<Weight, OnnxError> {
        let tensor = match self.0.tensor(name) {
            Ok(tensor) => tensor,
            Err(safetensors::SafeTensorError::TensorNotFound(name)) => {
                return Err(OnnxError::TensorMissing { name });
            }
            Err(source) => return Err(source.into()),
        };
        if tensor.dtype() != Dtype::F32 || tensor.shape() != shape {
            return Err(OnnxError::TensorShape {
                name: name.to_owned(),
                expected: shape.to_vec(),
                found: tensor.shape().to_vec(),
                dtype: tensor.dtype(),
            });
        }
        // The format's own check ties the number of bytes to dtype and shape.
        let (words, _) = tensor.data().as_chunks::<4>();
        let values = words.iter().map(|&word| f32::from_le_bytes(word)).collect();
        Ok(Weight { shape: shape.to_vec(), values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_turns_rows_into_columns() {
        let weight = Weight { shape: vec![2, 3], values: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0] };
        let turned = weight.transposed();
        assert_eq!(turned, Weight { shape: vec![3, 2], values: vec![1.0, 4.0, 2.0, 5.0, 3.0, 6.0] });
        assert_eq!(turned.transposed(), weight);
    }

    #[test]
    fn rows_are_joined_in_their_order() {
        let row = |values: &[f32]| Weight { shape: vec![values.len()], values: values.to_vec() };
        assert_eq!(Weight::joined(&[row(&[1.0, 2.0]), row(&[3.0])]), row(&[1.0, 2.0, 3.0]));
    }

    #[test]
    fn a_row_is_added_to_every_row() {
        let weight = Weight { shape: vec![2, 2], values: vec![1.0, 2.0, 3.0, 4.0] };
        assert_eq!(weight.plus_row(&[10.0, 20.0]).values, [11.0, 22.0, 13.0, 24.0]);
    }
}

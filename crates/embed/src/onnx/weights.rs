//! Tensors of a safetensors file, with checks of shape and type.

use safetensors::{Dtype, SafeTensorError, SafeTensors, tensor::TensorView};

use super::error::OnnxError;

/// A tensor in C order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Weight<T = f32> {
    pub(super) shape: Vec<usize>,
    pub(super) values: Vec<T>,
}

impl<T: Copy> Weight<T> {
    /// Returns the transposed matrix: `m × n` becomes `n × m`.
    pub(super) fn transposed(&self) -> Self {
        let (rows, columns) = (self.shape[0], self.shape[1]);
        let places = (0..columns).flat_map(|column| (0..rows).map(move |row| row * columns + column));
        Self { shape: vec![columns, rows], values: places.map(|at| self.values[at]).collect() }
    }
}

impl Weight {
    /// Concatenates vectors.
    pub(super) fn joined(parts: &[Self]) -> Self {
        let values: Vec<f32> = parts.iter().flat_map(|part| part.values.iter().copied()).collect();
        Self { shape: vec![values.len()], values }
    }

    /// Adds the same row to every row.
    pub(super) fn plus_row(mut self, row: &[f32]) -> Self {
        for values in self.values.chunks_exact_mut(row.len()) {
            values.iter_mut().zip(row).for_each(|(value, add)| *value += add);
        }
        self
    }
}

/// Safetensors file from which a known set of tensors is read.
pub(super) struct WeightFile<'a>(SafeTensors<'a>);

impl<'a> WeightFile<'a> {
    /// Parses the header.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, OnnxError> {
        Ok(Self(SafeTensors::deserialize(bytes)?))
    }

    /// Returns the tensor of this name and shape, as `f32`. A matrix may be stored in 8 bits: then a tensor
    /// `NAME.scale` contains the factor of each row.
    pub(super) fn take(&self, name: &str, shape: &[usize]) -> Result<Weight, OnnxError> {
        let tensor = self.find(name)?;
        let values = match (tensor.dtype(), shape) {
            (Dtype::I8, &[rows, columns]) if tensor.shape() == shape => {
                let scales = self.take(&format!("{name}.scale"), &[rows])?.values;
                let rows = tensor.data().chunks_exact(columns.max(1)).zip(scales);
                rows.flat_map(|(row, scale)| row.iter().map(move |&n| f32::from(n.cast_signed()) * scale))
                    .collect()
            }
            (Dtype::F32, _) if tensor.shape() == shape => {
                // The format's own check ties the number of bytes to dtype and shape.
                let (words, _) = tensor.data().as_chunks::<4>();
                words.iter().map(|&word| f32::from_le_bytes(word)).collect()
            }
            _ => return Err(other_shape(name, shape, &tensor)),
        };
        Ok(Weight { shape: shape.to_vec(), values })
    }

    /// Returns the matrix of this name and shape without conversion, with the factor of each row, if it is
    /// stored in 8 bits.
    pub(super) fn quantised(
        &self,
        name: &str,
        shape: [usize; 2],
    ) -> Result<Option<(Weight<i8>, Weight)>, OnnxError> {
        if self.find(name)?.dtype() != Dtype::I8 {
            return Ok(None);
        }
        let (bytes, scales) = self.eight_bits(name, shape)?;
        let values = bytes.iter().map(|byte| byte.cast_signed()).collect();
        Ok(Some((Weight { shape: shape.to_vec(), values }, scales)))
    }

    /// Returns the rows of a matrix that is stored in 8 bits, as they are, and the factor of each.
    pub(super) fn eight_bits(&self, name: &str, shape: [usize; 2]) -> Result<(&'a [u8], Weight), OnnxError> {
        let tensor = self.find(name)?;
        if tensor.dtype() != Dtype::I8 || tensor.shape() != shape {
            return Err(other_shape(name, &shape, &tensor));
        }
        Ok((tensor.data(), self.take(&format!("{name}.scale"), &shape[..1])?))
    }

    fn find(&self, name: &str) -> Result<TensorView<'a>, OnnxError> {
        self.0.tensor(name).map_err(|error| match error {
            SafeTensorError::TensorNotFound(name) => OnnxError::TensorMissing { name },
            source => source.into(),
        })
    }
}

fn other_shape(name: &str, expected: &[usize], found: &TensorView<'_>) -> OnnxError {
    OnnxError::TensorShape {
        name: name.to_owned(),
        expected: expected.to_vec(),
        found: found.shape().to_vec(),
        dtype: found.dtype(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bits_are_scaled_row_by_row() {
        let bytes = |numbers: &[f32]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        let scales = bytes(&[0.5, 2.0]);
        let numbers = [1_i8, -2, 127, -127].map(i8::cast_unsigned);
        let views = [
            ("m", TensorView::new(Dtype::I8, vec![2, 2], &numbers).unwrap()),
            ("m.scale", TensorView::new(Dtype::F32, vec![2], &scales).unwrap()),
            ("alone", TensorView::new(Dtype::I8, vec![2, 2], &numbers).unwrap()),
        ];
        let file = safetensors::serialize(views, None).unwrap();
        let weights = WeightFile::read(&file).unwrap();
        assert_eq!(weights.take("m", &[2, 2]).unwrap().values, [0.5, -1.0, 254.0, -254.0]);
        assert!(matches!(weights.take("m", &[4, 1]), Err(OnnxError::TensorShape { .. })));
        assert!(matches!(weights.take("alone", &[2, 2]), Err(OnnxError::TensorMissing { .. })));
    }
}

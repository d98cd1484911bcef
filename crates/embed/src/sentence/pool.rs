//! Pooling of token vectors to one unit vector.

/// Number of dimensions of a vector.
pub const DIMENSIONS: usize = 384;

/// Writes the mean of the token vectors, scaled to length 1, into `out`. The scaling cancels the mean's
/// divisor, so the sum is scaled. A sum of length zero, or one that is not finite, gives NaN.
///
/// The sum runs over the tokens in order, so it depends on nothing else.
pub(super) fn mean_unit(tokens: &[f32], out: &mut [f32]) {
    out.fill(0.0);
    for token in tokens.chunks_exact(out.len()) {
        for (sum, value) in out.iter_mut().zip(token) {
            *sum += value;
        }
    }
    let length = out.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>().sqrt();
    for value in out {
        *value = (f64::from(*value) / length) as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_is_scaled_to_length_one() {
        let mut out = [0.0; 2];
        mean_unit(&[1.0, 2.0, 5.0, 6.0], &mut out);
        assert_eq!(out.map(f32::to_bits), [0.6_f32, 0.8].map(f32::to_bits));
    }

    #[test]
    fn sum_of_length_zero_is_nan() {
        let mut out = [0.0; 2];
        mean_unit(&[1.0, -1.0, -1.0, 1.0], &mut out);
        assert!(out.iter().all(|value| value.is_nan()));
        mean_unit(&[1.0, f32::INFINITY], &mut out);
        assert!(out[1].is_nan());
    }
}

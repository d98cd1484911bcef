//! Mean direction of unit vectors.

use nightfold_memory::Vector;

/// Minimum length of a mean below which its vectors share no direction.
const NO_DIRECTION: f64 = 1e-3;

/// Returns the direction of the mean of vectors of one length; `None` if they share none.
pub fn mean_direction<'a>(rows: impl IntoIterator<Item = &'a [f32]>) -> Option<Vector> {
    let (mut sum, mut count): (Vec<f64>, usize) = (Vec::new(), 0);
    for row in rows {
        sum.resize(row.len(), 0.0);
        sum.iter_mut().zip(row).for_each(|(sum, &x)| *sum += f64::from(x));
        count += 1;
    }
    let length = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length < NO_DIRECTION * count.max(1) as f64 {
        return None;
    }
    Vector::new(sum.iter().map(|x| (x / length) as f32).collect::<Vec<f32>>()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposite_vectors_have_no_direction() {
        let (one, other) = (vec![0.6_f32, 0.8], vec![-0.6_f32, -0.8]);
        assert_eq!(mean_direction([one.as_slice(), &other]), None);
        assert_eq!(mean_direction([]), None);
        assert_eq!(mean_direction([one.as_slice(), &one]).unwrap().as_slice(), one);
    }
}

//! Knee of a curve.

/// Returns the index of the point furthest below the straight line between the ends of a curve (Satopää et
/// al. 2011); `None` if no point lies below it.
pub(super) fn knee(curve: &[f64]) -> Option<usize> {
    let (&first, &last) = (curve.first()?, curve.last()?);
    let steps = curve.len().saturating_sub(1).max(1) as f64;
    let below = |at: usize| first + (last - first) * at as f64 / steps - curve[at];
    (0..curve.len())
        .map(|at| (at, below(at)))
        .filter(|&(_, depth)| depth > 0.0)
        .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
        .map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knee_is_the_point_furthest_below_the_chord() {
        assert_eq!(knee(&[10.0, 4.0, 3.0, 2.0, 1.0]), Some(1));
        assert_eq!(knee(&[0.0, 0.1, 0.2, 5.0, 10.0]), Some(2));
        assert_eq!(knee(&[3.0, 2.0, 1.0]), None);
        assert_eq!(knee(&[]), None);
    }
}

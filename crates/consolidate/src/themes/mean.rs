//! Running mean of unit vectors.

use nightfold_memory::{Theme, Vector};

/// Minimum length of a mean below which its vectors share no direction.
const NO_DIRECTION: f64 = 1e-3;

/// Sum and number of unit vectors.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mean {
    sum: Vec<f64>,
    count: u64,
}

impl Mean {
    /// Builds the mean of rows that all have the same length.
    pub fn of<'a>(rows: impl IntoIterator<Item = &'a [f32]>) -> Self {
        let mut mean = Self::default();
        for row in rows {
            mean.sum.resize(row.len(), 0.0);
            mean.sum.iter_mut().zip(row).for_each(|(sum, &x)| *sum += f64::from(x));
            mean.count += 1;
        }
        mean
    }

    /// Restores the mean of all memories that a theme has had so far.
    pub(crate) fn of_theme(theme: &Theme) -> Self {
        let length = theme.tightness * theme.memories as f64;
        let sum = theme.centre.as_slice().iter().map(|&x| f64::from(x) * length).collect();
        Self { sum, count: theme.memories }
    }

    /// Combines two means. A mean of no vectors adds nothing.
    #[must_use]
    pub fn with(mut self, other: &Self) -> Self {
        self.sum.resize(other.sum.len().max(self.sum.len()), 0.0);
        self.sum.iter_mut().zip(&other.sum).for_each(|(sum, x)| *sum += x);
        self.count += other.count;
        self
    }

    /// Number of vectors in the mean.
    pub fn count(&self) -> u64 {
        self.count
    }

    fn length(&self) -> f64 {
        self.sum.iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    /// Returns the length of the mean, 0 to 1, rounded to six decimals so that a plan read back from JSON is
    /// identical.
    pub fn tightness(&self) -> f64 {
        let length = self.length() / self.count.max(1) as f64;
        ((length * 1e6).round() / 1e6).min(1.0)
    }

    /// Returns the direction of the mean; `None` if the vectors share none.
    pub fn centre(&self) -> Option<Vector> {
        let length = self.length();
        if length < NO_DIRECTION * self.count.max(1) as f64 {
            return None;
        }
        Vector::new(self.sum.iter().map(|x| (x / length) as f32).collect::<Vec<f32>>()).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unit(angle: f32) -> Vec<f32> {
        vec![angle.cos(), angle.sin() * 0.6, angle.sin() * 0.8]
    }

    fn theme(mean: &Mean) -> Theme {
        let at = nightfold_memory::GameTime::from_seconds(0).unwrap();
        Theme {
            id: "t".parse().unwrap(),
            words: Vec::new(),
            centre: mean.centre().unwrap(),
            tightness: mean.tightness(),
            memories: mean.count(),
            nights: 1,
            first_at: at,
            last_at: at,
            recent: Vec::new(),
        }
    }

    proptest! {
        #[test]
        fn running_mean_equals_mean_of_all_vectors(
            nights in prop::collection::vec(prop::collection::vec(-1.0..1.0_f32, 1..9), 1..9),
        ) {
            let rows: Vec<Vec<Vec<f32>>> =
                nights.iter().map(|night| night.iter().map(|&a| unit(a)).collect()).collect();
            let of = |night: &[Vec<f32>]| Mean::of(night.iter().map(Vec::as_slice));
            let mut running = of(&rows[0]);
            for night in &rows[1..] {
                // Restored, as from a store.
                running = Mean::of_theme(&theme(&running)).with(&of(night));
            }
            let all = of(&rows.concat());
            prop_assert_eq!(running.count(), all.count());
            prop_assert!((running.tightness() - all.tightness()).abs() < 1e-4);
            let (one, other) = (running.centre().unwrap(), all.centre().unwrap());
            for (a, b) in one.as_slice().iter().zip(other.as_slice()) {
                prop_assert!((a - b).abs() < 1e-4, "{:?} {:?}", one, other);
            }
        }
    }

    #[test]
    fn opposite_vectors_have_no_centre() {
        let (one, other) = (unit(0.3), unit(0.3).iter().map(|x| -x).collect::<Vec<_>>());
        assert_eq!(Mean::of([one.as_slice(), &other]).centre(), None);
        assert_eq!(Mean::default().centre(), None);
        assert_eq!(Mean::of([one.as_slice(), &one]).centre().unwrap().as_slice(), one);
    }
}

//! Suites, one file each, with what several of them share.

mod beliefs;
mod clusters;
mod cohesion;
mod collapse;
mod life;
mod lives;
mod reading;
mod recall;
mod salience;
mod selection;
mod stance;
mod talk;
mod texts;

pub(crate) use beliefs::Beliefs;
pub(crate) use clusters::Clusters;
pub(crate) use cohesion::Cohesion;
pub(crate) use collapse::Collapse;
pub(crate) use life::Life;
pub(crate) use recall::Recall;
pub(crate) use salience::Salience;
pub(crate) use stance::{Stances, asked};
pub(crate) use texts::Texts;
pub use texts::ratings;

use rand_xoshiro::{Xoshiro256Plus, rand_core::RngCore as _};

use crate::report::Cell;

/// Number of times that a sample is drawn anew for an interval.
const DRAWS: usize = 1_000;

/// Number of right answers among all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct CorrectCount {
    right: usize,
    all: usize,
}

impl CorrectCount {
    fn count(&mut self, is_right: bool) {
        self.all += 1;
        self.right += usize::from(is_right);
    }

    fn share(self) -> f64 {
        self.right as f64 / self.all.max(1) as f64
    }
}

impl From<CorrectCount> for Cell {
    fn from(count: CorrectCount) -> Self {
        Self::Of(count.right, count.all)
    }
}

/// Returns the bounds of the central 95 % of a measure over samples drawn anew with replacement (bootstrap; Efron 1979).
fn interval<T: Copy>(
    sample: &[T],
    draws: &mut Xoshiro256Plus,
    measure: impl Fn(&[T]) -> Option<f64>,
) -> [f64; 2] {
    let mut one = |_| sample.get((draws.next_u64() >> 33) as usize % sample.len().max(1)).copied();
    let drawn =
        (0..DRAWS).filter_map(|_| measure(&(0..sample.len()).filter_map(&mut one).collect::<Vec<T>>()));
    let mut values: Vec<f64> = drawn.collect();
    values.sort_by(f64::total_cmp);
    let beyond = values.len() / 40;
    let at = |place: usize| values.get(place).copied().unwrap_or(0.0);
    [at(beyond), at(values.len().saturating_sub(1 + beyond))]
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::rand_core::SeedableRng as _;

    use super::*;

    #[test]
    fn interval_holds_the_mean_and_narrows_with_the_sample() {
        let of = |n: u32| {
            let shares: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i % 2 == 0))).collect();
            let mean = |drawn: &[f64]| Some(drawn.iter().sum::<f64>() / drawn.len().max(1) as f64);
            interval(&shares, &mut Xoshiro256Plus::seed_from_u64(7), mean)
        };
        let (few, many) = (of(40), of(4_000));
        assert!(few[0] < 0.5 && few[1] > 0.5 && many[0] < 0.5 && many[1] > 0.5, "{few:?} {many:?}");
        assert!(many[1] - many[0] < (few[1] - few[0]) / 5.0, "{few:?} {many:?}");
        assert!(of(0).iter().all(|bound| bound.abs() < f64::EPSILON));
    }
}

//! Calibration: importances compared with the NPC's own ones, since one designer's 5 is another's 8.

use nightfold_memory::{Importance, MemorySnapshot};

use crate::collapse::DistinctMemory;

/// Share of memories rated at most 1, 2, … 10: those of the six stories in `scenarios/`, each text of a story once, and each
/// story alike.
const REFERENCE: [f64; 10] = [0.044, 0.435, 0.583, 0.684, 0.764, 0.852, 0.922, 0.970, 0.994, 1.0];

/// Number of ratings from which an NPC's own ones weigh more than the rating as it stands.
const HALF_SURE_RATINGS: f64 = 50.0;

/// Ratings of an NPC: how many of each.
pub(super) struct Calibration {
    counts: [u64; 10],
}

impl Calibration {
    /// Counts the ratings of a day and those that earlier entries carry; the entries of a night's own making are not
    /// counted.
    pub(super) fn of(day: &[DistinctMemory], past: &MemorySnapshot) -> Self {
        let mut counts = past.importances;
        for memory in day.iter().filter(|memory| memory.given) {
            counts[usize::from(memory.importance.get()) - 1] += 1;
        }
        Self { counts }
    }

    /// Returns a rating on the scale of the reference: the rating that stands as high among those of the reference as
    /// the given one among the NPC's own. With few own ratings it stays near what was given. A higher rating never
    /// comes out lower.
    pub(super) fn calibrated(&self, importance: Importance) -> f64 {
        let (given, all) = (f64::from(importance.get()), self.counts.iter().sum::<u64>() as f64);
        let place = usize::from(importance.get()) - 1;
        let below: u64 = self.counts.iter().take(place).sum();
        let middle = below as f64 + self.counts[place] as f64 / 2.0;
        let share = if all > 0.0 { middle / all } else { return given };
        let sure = all / (all + HALF_SURE_RATINGS);
        sure * rating_at(share) + (1.0 - sure) * given
    }
}

/// Returns the rating below which a share of the reference lies, interpolated between whole ratings.
fn rating_at(share: f64) -> f64 {
    let mut before = 0.0;
    for (rating, upto) in (1..).zip(REFERENCE) {
        if share <= upto {
            let within = if upto > before { (share - before) / (upto - before) } else { 0.5 };
            return (f64::from(rating) - 0.5 + within).clamp(1.0, 10.0);
        }
        before = upto;
    }
    10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rated(counts: [u64; 10]) -> Calibration {
        Calibration { counts }
    }

    fn calibrated(of: &Calibration, rating: u8) -> f64 {
        of.calibrated(Importance::new(rating).unwrap())
    }

    #[test]
    fn middle_rating_of_generous_and_of_strict_designer_come_close() {
        let generous = rated([0, 0, 0, 0, 0, 10, 40, 400, 40, 10]);
        let strict = rated([10, 40, 400, 40, 10, 0, 0, 0, 0, 0]);
        assert!((calibrated(&generous, 8) - calibrated(&strict, 3)).abs() < 1.0);
        assert!(calibrated(&generous, 8) < 7.0 && calibrated(&generous, 10) > calibrated(&generous, 8) + 1.0);
    }

    #[test]
    fn rating_of_new_npc_stays_what_was_given() {
        for rating in 1..=10 {
            assert!((calibrated(&rated([0; 10]), rating) - f64::from(rating)).abs() < 1e-12);
        }
        assert!((calibrated(&rated([0, 0, 0, 0, 0, 0, 0, 1, 0, 0]), 8) - 8.0).abs() < 0.2);
    }

    #[test]
    fn calibration_keeps_the_order_of_ratings() {
        for counts in [[1; 10], [5, 0, 0, 7, 0, 0, 0, 0, 90, 1], [0, 0, 300, 0, 0, 0, 0, 0, 0, 2]] {
            let of = rated(counts);
            let all: Vec<f64> = (1..=10).map(|rating| calibrated(&of, rating)).collect();
            assert!(all.is_sorted() && all.iter().all(|x| (1.0..=10.0).contains(x)), "{all:?}");
        }
    }
}

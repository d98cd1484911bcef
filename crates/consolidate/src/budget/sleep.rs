//! Share of its budgets that a night may use, by quality and length of sleep.

use nightfold_memory::{SleepBudget, config::SleepConfig};

/// Number of game hours that make a full night.
const FULL_NIGHT_HOURS: f64 = 8.0;

/// Returns the share of storage, tokens and reflections that a night may use, `sleep.min_share` to 1: 1 after
/// sound sleep of full length, less after worse or shorter sleep.
pub(crate) fn share_of_night(sleep: Option<SleepBudget>, config: &SleepConfig) -> f64 {
    let (quality, hours) = sleep.map_or((config.quality, config.hours), |s| (s.quality(), s.hours()));
    let rest = quality * (hours / FULL_NIGHT_HOURS).min(1.0);
    config.min_share + (1.0 - config.min_share) * rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worse_or_shorter_sleep_lowers_the_share() {
        let config = SleepConfig::default();
        let share = |quality, hours| share_of_night(Some(SleepBudget::new(quality, hours).unwrap()), &config);
        let full = [share_of_night(None, &config), share(1.0, 8.0), share(1.0, 11.0)];
        assert!(full.iter().all(|s| (s - 1.0).abs() < 1e-12), "{full:?}");
        assert!((share(0.5, 8.0) - 0.75).abs() < 1e-12);
        assert!((share(0.5, 4.0) - 0.625).abs() < 1e-12);
        assert!((share(0.0, 8.0) - config.min_share).abs() < 1e-12);
    }
}

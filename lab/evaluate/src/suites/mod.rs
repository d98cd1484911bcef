//! Suites, one file each, with what several of them share.

mod beliefs;
mod clusters;
mod collapse;
mod conversations;
mod grammar_faults;
mod life;
mod lives;
mod reading;
mod recall;
mod retention;
mod salience;
mod stance;
mod talk;
mod texts;
mod written;

pub(crate) use beliefs::Beliefs;
pub(crate) use clusters::Clusters;
pub(crate) use collapse::Collapse;
pub(crate) use life::Life;
pub(crate) use recall::Recall;
pub(crate) use retention::Retention;
pub(crate) use salience::Salience;
pub(crate) use stance::{Stances, asked};
pub(crate) use texts::Texts;

use crate::report::Cell;

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

/// Returns the bounds of the central 95 % of values.
fn central(mut values: Vec<f64>) -> [f64; 2] {
    values.sort_by(f64::total_cmp);
    let beyond = values.len() / 40;
    let at = |place: usize| values.get(place).copied().unwrap_or(0.0);
    [at(beyond), at(values.len().saturating_sub(1 + beyond))]
}

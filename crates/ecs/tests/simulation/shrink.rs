//! Shrinking: leaves out what a broken promise does not need, until nothing more can be left out.

use crate::{
    run::Case,
    steps::{Fault, Step},
};

/// Maximum number of runs.
const MOST_RUNS: usize = 2_000;

/// Returns the name of a broken promise, such as "I2"; of any other panic, its first words.
pub(crate) fn kind(broken: &str) -> &str {
    let broken = broken.strip_prefix("assertion `left == right` failed: ").unwrap_or(broken);
    broken.split_once(':').map_or(broken, |(kind, _)| kind)
}

/// Returns a small case that breaks the same promise, as `broken_by` finds out. The steps go by halves, quarters and so on (Zeller
/// and Hildebrandt 2002), then single faults, then lots.
pub(crate) fn shrink(case: &Case, broken_by: impl Fn(&Case) -> bool) -> Case {
    let mut runs = 0;
    let mut breaks = |steps: &[Step]| {
        runs += 1;
        runs <= MOST_RUNS && broken_by(&Case { steps: steps.to_vec(), ..case.clone() })
    };
    let mut steps = case.steps.clone();
    loop {
        let before = steps.clone();
        let mut chunk = steps.len().div_ceil(2).max(1);
        loop {
            let mut at = 0;
            while at < steps.len() {
                let mut fewer = steps.clone();
                fewer.drain(at..(at + chunk).min(steps.len()));
                if breaks(&fewer) {
                    steps = fewer;
                } else {
                    at += chunk;
                }
            }
            if chunk == 1 {
                break;
            }
            chunk = chunk.div_ceil(2);
        }
        for at in 0..steps.len() {
            let step = steps[at];
            let plainer = |fault: Fault| Step { fault: Some(Fault { passes: 0, ..fault }), ..step };
            let simpler = [
                step.fault.map(|_| Step { fault: None, ..step }),
                step.fault.map(plainer),
                Some(Step { lot: 0, ..step }),
            ];
            for simpler in simpler.into_iter().flatten() {
                let mut other = steps.clone();
                other[at] = Step { lot: simpler.lot.min(other[at].lot), ..simpler };
                if other != steps && breaks(&other) {
                    steps = other;
                    break;
                }
            }
        }
        if steps == before {
            return Case { steps, ..case.clone() };
        }
    }
}

#[test]
fn shrinking_leaves_what_is_needed() {
    use crate::steps::Action;
    let case = Case::of(3);
    let needs = [Action::Undo, Action::Tick].map(|action| {
        let step = case.steps.iter().find(|step| step.action == action);
        step.copied().expect("the seed has such a step")
    });
    let small =
        shrink(&case, |case| needs.iter().all(|step| case.steps.iter().any(|s| s.action == step.action)));
    assert_eq!(small.steps.len(), 2, "{small:?}");
    assert!(small.steps.iter().all(|step| step.lot == 0 && step.fault.is_none()), "{small:?}");
}

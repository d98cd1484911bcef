//! Nights of which a reader declines some changes.

use nightfold_consolidate::review::{Choices, Reviewing, Selector, Wanted};
use nightfold_memory::{Change, NightPlan, NpcNight, PLAN_FORMAT, RunReport, ValidConfig, Vectors};

use super::support::vector;

/// Returns the night without the changes whose bits are set, as far as they can be declined.
pub(crate) fn in_part(night: NpcNight, declined: u8) -> NpcNight {
    let can = |change: &&Change| !matches!(change, Change::Collapse { standing: None, .. });
    let named = |change: &Change| format!("{}:{}", change.verb(), change.id()).parse::<Selector>().unwrap();
    let selectors: Vec<Selector> = night
        .changes
        .iter()
        .enumerate()
        .filter(|(i, change)| declined >> (i % 8) & 1 == 1 && can(change))
        .map(|(_, change)| named(change))
        .collect();
    let report = RunReport::sum(1, std::iter::once(&night.report));
    let plan = NightPlan { format: PLAN_FORMAT, nights: vec![night], report };
    let choices = Choices { wanted: Wanted::Except(selectors), ..Choices::default() };
    let reviewing =
        Reviewing::begin(plan, &choices, &ValidConfig::default(), &nightfold_english::Packs).unwrap();
    let mut vectors = Vectors::with_capacity(4, 0);
    reviewing.texts_to_embed().iter().for_each(|text| vectors.push(vector(text).as_slice()).unwrap());
    reviewing.finish(&vectors).unwrap().nights.remove(0)
}

//! `nightfold apply`: write a saved plan.

use std::collections::BTreeMap;

use nightfold::{
    apply_plan,
    memory::{NightPlan, NpcId},
};

use crate::{
    args::Apply,
    error::{CliError, failures},
    output, plan,
    show::count,
    store,
};

pub(crate) fn run(args: &Apply) -> Result<(), CliError> {
    let plan = plan::read(&args.plan)?;
    let store = if builds_on_a_store(&plan) {
        store::existing(
            &args.store,
            Some("the plan builds on nights that are in a store already; give the path of that store"),
        )?
    } else {
        store::create(&args.store)?
    };
    let applied = apply_plan(&store, &plan)?;
    let mut line = format!("applied: {} written", count(applied.written, "night", "nights"));
    if applied.unchanged > 0 {
        line = format!("{line}, {} there already or empty", applied.unchanged);
    }
    output::text(&format!("{line}\n"))?;
    failures(
        &applied.failures,
        applied.written + applied.unchanged,
        "plan again: `nightfold sleep … --store FILE --plan PLAN`",
    )
}

/// Whether some NPC's first night was planned against a past. Later nights build on the plan's own.
fn builds_on_a_store(plan: &NightPlan) -> bool {
    let mut first: BTreeMap<&NpcId, u64> = BTreeMap::new();
    for night in &plan.nights {
        first.entry(&night.npc).or_insert(night.base_version);
    }
    first.values().any(|version| *version != 0)
}

//! Texts of the older entries that a diff shows.

use std::collections::BTreeMap;

use nightfold::{
    consolidate::review::EarlierEntries,
    memory::{Change, MemoryId, MemoryReader, NightPlan, NpcId, NpcNight, Rule},
};

use super::{
    diff::{repeats_shown, shown_of},
    nights::recollection,
};
use crate::error::CliError;

/// Returns the entries that a plan changes. Only those that are shown are looked up: a plan may change a
/// million entries.
pub(crate) fn before(
    store: &dyn MemoryReader,
    plan: &NightPlan,
    npc: &NpcId,
    verbose: bool,
) -> Result<EarlierEntries, CliError> {
    let mut texts = EarlierEntries::new();
    for night in plan.nights.iter().filter(|night| night.npc == *npc) {
        for id in older_ids(night, verbose) {
            if let Some(memory) = store.entry(npc, id)? {
                texts.insert(id.clone(), recollection(&memory.entry));
            }
        }
    }
    Ok(texts)
}

/// Returns the older entries that a diff shows: for a day all of them, for maintenance the first ones of each
/// verb, up to the number shown.
fn older_ids(night: &NpcNight, verbose: bool) -> Vec<&MemoryId> {
    let mut of_verb: BTreeMap<&str, usize> = BTreeMap::new();
    let mut ids = Vec::new();
    let older = |c: &&Change| {
        c.entry().is_none() && c.verb() != "prune"
            || matches!(c.reason().rule, Rule::Abstracted | Rule::Distilled)
    };
    for change in night.changes.iter().filter(older) {
        let shown_before = of_verb.entry(change.verb()).or_default();
        *shown_before += 1;
        if *shown_before <= shown_of(change.verb(), verbose) || !night.memories.is_empty() {
            ids.push(change.id());
            ids.extend(change.sources().iter().take(repeats_shown(verbose)));
        }
    }
    ids
}

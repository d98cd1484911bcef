//! Selection of the NPCs that a call is about.

use std::collections::BTreeSet;

use nightfold::memory::NpcId;

use crate::{
    error::{CliError, Exit, message},
    suggest,
};

/// Number of names that are listed before the rest is only counted.
const LISTED: usize = 12;

/// Returns names for a sentence, with the number of names left out.
pub(crate) fn listed<'a>(npcs: impl IntoIterator<Item = &'a NpcId>) -> String {
    let mut npcs = npcs.into_iter();
    let text = npcs.by_ref().take(LISTED).map(|npc| format!("`{npc}`")).collect::<Vec<_>>().join(", ");
    match npcs.count() {
        0 => text,
        more => format!("{text} and {more} more"),
    }
}

/// Returns the NPCs that were asked for, each once, or all that are known. All that are asked for must be known.
/// `place` names what is searched: "the store", "the input", "the plan".
pub(crate) fn chosen(
    asked: &[NpcId],
    known: BTreeSet<NpcId>,
    place: &'static str,
) -> Result<BTreeSet<NpcId>, CliError> {
    if asked.is_empty() {
        return Ok(known);
    }
    let asked: BTreeSet<NpcId> = asked.iter().cloned().collect();
    let unknown: Vec<NpcId> = asked.difference(&known).cloned().collect();
    if unknown.is_empty() {
        return Ok(asked);
    }
    let hint = if known.is_empty() {
        format!("{place} has no NPC at all")
    } else {
        let names: Vec<&str> = known.iter().map(NpcId::as_str).collect();
        let first = unknown.first().map_or("", NpcId::as_str);
        suggest::hint(first, &names, format!("it has {}", listed(&known)))
    };
    Err(message(Exit::Usage, format!("{place} has no NPC of the name {}", listed(&unknown))).hint(hint))
}

//! Selection of the NPCs that a call is about.

use std::collections::BTreeSet;

use nightfold::memory::NpcId;

use crate::error::{CliError, Exit, message};

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

/// Returns the NPCs that were asked for, each once and each of which must be known, or all that are known.
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
        format!("it has {}", listed(&known))
    };
    Err(message(Exit::Usage, format!("{place} has no NPC of the name {}", listed(&unknown))).hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_unknown_npcs_are_named_and_some_known_ones() {
        let npcs = |names: &[&str]| names.iter().map(|n| NpcId::new(n).unwrap()).collect::<Vec<_>>();
        let known: BTreeSet<NpcId> = npcs(&["Mara", "Tom"]).into_iter().collect();
        let error = chosen(&npcs(&["Mora", "Tom", "Tim"]), known.clone(), "the store").unwrap_err();
        assert_eq!(
            error.message(),
            "error: the store has no NPC of the name `Mora`, `Tim`\n hint: it has `Mara`, `Tom`"
        );
        assert_eq!(chosen(&[], known.clone(), "the store").unwrap(), known);
        assert_eq!(chosen(&npcs(&["Tom", "Tom"]), known, "the store").unwrap().len(), 1);
        let many = (0..20).map(|i| NpcId::new(format!("n{i:02}")).unwrap()).collect();
        assert!(chosen(&npcs(&["x"]), many, "the plan").unwrap_err().message().ends_with("`n11` and 8 more"));
    }
}

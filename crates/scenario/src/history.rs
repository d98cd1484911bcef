//! History of a memory, night after night, with the reason of each change.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{Change, MemoryId, NpcId, NpcNight, Reason};

use crate::reasons::{quoted, rule_sentence};

/// Largest number of steps reported.
const STEPS: usize = 12;

/// Returns the changes to a memory and to the entries made of it, a sentence for each.
pub(crate) fn memory_history(nights: &[Vec<NpcNight>], npc: &NpcId, id: &MemoryId) -> Vec<String> {
    let texts = texts(nights, npc);
    let mut steps = Vec::new();
    let mut known = BTreeSet::from([id.clone()]);
    for night in nights.iter().flatten().filter(|night| night.npc == *npc) {
        // A repeat is reported before the changes to its canonical entry; in a plan it may stand before or after them.
        let mut told = vec![false; night.changes.len()];
        while let Some(i) =
            (0..told.len()).find(|&i| !told[i] && subject(&night.changes[i], &known).is_some())
        {
            told[i] = true;
            let change = &night.changes[i];
            if let Some(of) = subject(change, &known).cloned() {
                steps.push(format!("{}{}", step(night, change, &of), compared(change.reason(), &texts)));
            }
            if carries_on(change) {
                known.insert(change.id().clone());
            }
        }
    }
    let more = steps.len().saturating_sub(STEPS);
    steps.truncate(STEPS);
    steps.extend((more > 0).then(|| format!("… and {more} more steps")));
    steps
}

/// Returns the texts of an NPC's memories and entries, by id.
fn texts<'a>(nights: &'a [Vec<NpcNight>], npc: &NpcId) -> BTreeMap<&'a str, &'a str> {
    let of_npc = nights.iter().flatten().filter(|night| night.npc == *npc);
    of_npc
        .flat_map(|night| {
            let memories = night.memories.iter().map(|m| (m.id.as_str(), m.text.as_str()));
            let entries = night.changes.iter().filter_map(Change::entry);
            memories.chain(entries.map(|e| (e.id.as_str(), e.text.as_str())))
        })
        .collect()
}

/// Returns the two texts whose comparison decided a change, if two did.
fn compared(reason: &Reason, texts: &BTreeMap<&str, &str>) -> String {
    let told = reason.compared().and_then(|(older, newer)| {
        Some(format!(" (compared {} with {})", quoted(texts.get(newer)?), quoted(texts.get(older)?)))
    });
    told.unwrap_or_default()
}

/// Returns the one of these ids that a change is about. A reflection is not about its sources.
fn subject<'a>(change: &'a Change, known: &BTreeSet<MemoryId>) -> Option<&'a MemoryId> {
    match change {
        Change::Store { entry, .. } => Some(&entry.id).filter(|id| known.contains(*id)),
        Change::Contest { id, sources, .. } => {
            std::iter::once(id).chain(sources).find(|id| known.contains(*id))
        }
        Change::Chunk { .. } | Change::Corroborate { .. } | Change::Collapse { .. } => {
            change.sources().iter().find(|id| known.contains(*id))
        }
        Change::Reflect { .. } => None,
        Change::Prune { id, .. }
        | Change::Strengthen { id, .. }
        | Change::Supersede { id, .. }
        | Change::End { id, .. }
        | Change::Archive { id, .. }
        | Change::Restore { id, .. }
        | Change::Forget { id, .. } => Some(id).filter(|id| known.contains(*id)),
    }
}

fn carries_on(change: &Change) -> bool {
    matches!(change, Change::Chunk { .. } | Change::Corroborate { .. } | Change::Collapse { .. })
}

fn step(night: &NpcNight, change: &Change, id: &MemoryId) -> String {
    let why = rule_sentence(change.reason());
    let theme = theme_of(night, id).map_or_else(String::new, |name| format!(" in cluster '{name}'"));
    let when = &night.night;
    let first = || change.sources().first().map_or("something newer", MemoryId::as_str);
    match change {
        Change::Store { .. } => format!("{id} was kept word for word on {when}: {why}{theme}"),
        Change::Prune { .. } => format!("{id} was pruned on {when}: {why}{theme}"),
        Change::Chunk { entry, .. } => {
            let others = entry.sources.len().saturating_sub(1);
            let with = if others > 0 { format!(" with {others} others") } else { String::new() };
            format!("{id} became part{with} of {} on {when}: {why}{theme}", entry.id)
        }
        Change::Corroborate { id: entry, .. } => format!("{id} corroborated {entry} on {when}: {why}"),
        Change::Collapse { id: canonical, .. } => {
            format!("{canonical} replaces its duplicate {id} since {when}: {why}")
        }
        Change::Strengthen { .. } => format!("{id} was drawn again on {when}: {why}"),
        Change::Supersede { .. } => {
            format!("{id} is superseded by {} since {when}: {why}", first())
        }
        Change::Contest { id: one, sources, .. } => {
            let sides = std::iter::once(one).chain(sources).filter(|side| *side != id);
            let with: Vec<&str> = sides.map(MemoryId::as_str).collect();
            format!("{id} is contested with {} since {when}: {why}", with.join(" and "))
        }
        Change::End { position, .. } => {
            let cause = format!("{}, because of {}", quoted(position), first());
            format!("{id} no longer holds in part since {when} ({cause}): {why}")
        }
        Change::Archive { .. } => format!("{id} was archived on {when}: {why}"),
        Change::Restore { .. } => format!("{id} was restored on {when}: {why}"),
        Change::Forget { .. } => format!("{id} was forgotten on {when}: {why}"),
        Change::Reflect { .. } => format!("{id} led to an insight on {when}: {why}"),
    }
}

/// Returns the name of the cluster that contains a memory of the day.
fn theme_of<'a>(night: &'a NpcNight, id: &MemoryId) -> Option<&'a str> {
    let cluster = night.report.clusters.iter().find(|cluster| cluster.members.contains(id))?;
    Some(cluster.name.as_str()).filter(|name| !name.is_empty())
}

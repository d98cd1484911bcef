//! One night of a plan with a reviewer's choices applied.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{
    Analysis, Change, CheckedSource, Entry, Fault, LanguagePack, Memory, MemoryId, NpcNight, Reason, Rule,
    TextBounds, ValidConfig, Vector, heard_from,
};

use super::{ReviewError, report::recount};
use crate::{collapse::collapse_exact, pipeline::verbatim_entry};

/// Returns the reason that a change cannot be declined; `None` if it can.
pub(super) fn why_not_declinable(change: &Change) -> Option<&'static str> {
    match change {
        Change::Collapse { standing: None, .. } => Some("the same words are one memory"),
        Change::Prune { reason, .. } if reason.rule == Rule::Blank => Some("there is nothing in it"),
        _ => None,
    }
}

/// A night with choices applied; its new texts have no vectors yet.
#[derive(Debug)]
pub(super) struct ReviewedNight {
    night: NpcNight,
    /// Places of the changes whose text has no vector.
    pending: Vec<usize>,
}

impl ReviewedNight {
    pub(super) fn of(
        night: NpcNight,
        mut declined: BTreeSet<usize>,
        texts: &BTreeMap<usize, &str>,
        config: &ValidConfig,
        pack: &dyn LanguagePack,
    ) -> Result<Self, ReviewError> {
        for change in declined.iter().map(|&i| &night.changes[i]) {
            if let Some(why) = why_not_declinable(change) {
                return Err(ReviewError::CannotDecline { verb: change.verb(), id: change.id().clone(), why });
            }
        }
        let (chosen, rewritten) = (declined.len(), texts.len());
        // A new text may not state any more what the night ends.
        declined.extend((0..night.changes.len()).filter(|&i| match &night.changes[i] {
            Change::End { id, position, .. } => {
                texts.iter().any(|(&j, text)| night.changes[j].id() == id && !text.contains(position))
            }
            _ => false,
        }));
        let gone = decline_dependents(&night.changes, &mut declined);
        let mut changes = Vec::with_capacity(night.changes.len());
        let mut pending = Vec::new();
        let mut lost = Vec::new();
        for (i, change) in night.changes.iter().enumerate() {
            if declined.contains(&i) {
                for instead in replacements(change, &night) {
                    if let Change::Prune { id, .. } = &instead {
                        lost.push(id.clone());
                    }
                    if instead.entry().is_some() {
                        pending.push(changes.len());
                    }
                    changes.push(instead);
                }
                continue;
            }
            let mut change = change.clone();
            if let Change::Contest { sources, .. } = &mut change {
                sources.retain(|side| !gone.contains(side));
            }
            if let Some(text) = texts.get(&i) {
                rewrite(&mut change, text, &night, config, pack)?;
                pending.push(changes.len());
            }
            changes.push(change);
        }
        let report = recount(&night, &changes, &lost, config, [chosen, rewritten]);
        Ok(Self { night: NpcNight { changes, report, ..night }, pending })
    }

    pub(super) fn texts_to_embed(&self) -> impl ExactSizeIterator<Item = &str> {
        let text = |&i: &usize| self.night.changes[i].entry().map_or("", |e| e.text.as_str());
        self.pending.iter().map(text)
    }

    pub(super) fn finish(mut self, vectors: impl Iterator<Item = Vector>) -> NpcNight {
        for (i, vector) in self.pending.into_iter().zip(vectors) {
            if let Change::Store { entry, .. } | Change::Chunk { entry, .. } | Change::Reflect { entry, .. } =
                &mut self.night.changes[i]
            {
                entry.vector = Some(vector);
            }
        }
        self.night
    }
}

/// Declines every change that rests on a declined one. Returns the ids of entries that are not written or not
/// corroborated any more; nothing is contested with these either.
///
/// An entry that is not written neither supersedes nor corroborates nor ends a position, and none of it happens to
/// the entry. An older entry that nothing corroborates any more supersedes nothing and ends no position. A reflection is not
/// archived if what it states still holds, or if the new reflection that takes its room is not written. One that says
/// how a belief changed is not written if the belief stays.
fn decline_dependents<'a>(changes: &'a [Change], declined: &mut BTreeSet<usize>) -> BTreeSet<&'a MemoryId> {
    let unwritten: BTreeSet<&MemoryId> =
        declined.iter().filter_map(|&i| changes[i].entry()).map(|e| &e.id).collect();
    let unsaid = uncorroborated(changes, declined);
    for (i, change) in changes.iter().enumerate() {
        let falls = match change {
            Change::Supersede { id, sources, .. } | Change::End { id, sources, .. } => {
                unwritten.contains(id) || sources.iter().any(|s| unwritten.contains(s) || unsaid.contains(s))
            }
            Change::Corroborate { id, .. } => unwritten.contains(id),
            Change::Contest { id, sources, .. } => {
                let gone = |side: &MemoryId| unwritten.contains(side) || unsaid.contains(side);
                gone(id) || sources.iter().all(gone)
            }
            Change::Reflect { entry, reason, .. } if reason.rule == Rule::Concluded => {
                let holds = |(j, other): &(usize, &Change)| {
                    let by = other.sources().iter().any(|s| unwritten.contains(s) || unsaid.contains(s));
                    declined.contains(j) || unwritten.contains(other.id()) || by
                };
                let changes_belief = |(_, other): &(usize, &Change)| {
                    other.verb() == "supersede" && entry.sources.contains(other.id())
                };
                let mut beliefs = changes.iter().enumerate().filter(changes_belief).peekable();
                beliefs.peek().is_some() && beliefs.all(|belief| holds(&belief))
            }
            Change::Archive { reason, .. } if reason.rule == Rule::Contradicted => {
                let still = |(j, other): (usize, &Change)| {
                    !declined.contains(&j)
                        && other.verb() == "supersede"
                        && reason.values.get("rests_on") == Some(&other.id().as_str().into())
                };
                !changes.iter().enumerate().any(still)
            }
            Change::Archive { sources, .. } => {
                !sources.is_empty() && sources.iter().all(|s| unwritten.contains(s))
            }
            _ => false,
        };
        if falls {
            declined.insert(i);
        }
    }
    unwritten.union(&unsaid).copied().collect()
}

/// Returns the older entries that nothing corroborates this night if these changes are declined.
///
/// If such an entry supersedes another one, it does so by the memory that corroborated it. This memory then
/// stays on its own, and the plan does not state which of several memories it was.
fn uncorroborated<'a>(changes: &'a [Change], declined: &BTreeSet<usize>) -> BTreeSet<&'a MemoryId> {
    let mut unsaid = BTreeSet::new();
    let mut said: BTreeSet<&MemoryId> = changes.iter().filter_map(Change::entry).map(|e| &e.id).collect();
    for (i, change) in changes.iter().enumerate() {
        if let Change::Corroborate { id, .. } = change {
            if declined.contains(&i) { &mut unsaid } else { &mut said }.insert(id);
        }
    }
    unsaid.retain(|id| !said.contains(id));
    unsaid
}

/// Returns the changes that replace a declined one. Their entries have no vectors.
fn replacements(change: &Change, night: &NpcNight) -> Vec<Change> {
    let reason = || Reason::new(Rule::Declined).with("instead_of", change.verb());
    let kept = |id: &MemoryId| {
        let entry = as_experienced(night, id)?;
        Some(Change::Store { entry, reason: reason() })
    };
    match change {
        Change::Store { entry, .. } => {
            vec![Change::Prune { id: entry.id.clone(), sources: Vec::new(), reason: reason() }]
        }
        Change::Prune { id, .. } => kept(id).into_iter().collect(),
        // A summary covers older entries, which stay as they are.
        Change::Chunk { entry, .. } => entry.sources.iter().filter_map(kept).collect(),
        Change::Corroborate { sources, .. } => sources.iter().filter_map(kept).collect(),
        Change::Collapse { .. }
        | Change::Reflect { .. }
        | Change::Strengthen { .. }
        | Change::Supersede { .. }
        | Change::Contest { .. }
        | Change::End { .. }
        | Change::Archive { .. }
        | Change::Restore { .. }
        | Change::Forget { .. } => Vec::new(),
    }
}

/// Returns a memory of the night in its own words, with the details of its repeats and readings; `None` if it
/// is not of this night.
fn as_experienced(night: &NpcNight, id: &MemoryId) -> Option<Entry> {
    let words = night.memories.iter().find(|m| m.id == *id)?.text.trim();
    let (mut same, mut readings) = (vec![id], 0);
    for change in &night.changes {
        if let Change::Collapse { id: canonical, sources, standing: None, reason } = change
            && canonical == id
        {
            readings += sources.len();
            if reason.rule == Rule::ExactRepeat {
                same.extend(sources);
            }
        }
    }
    let said = night.memories.iter().filter(|m| same.contains(&&m.id) && m.text.trim() == words);
    let distinct = collapse_exact(said).into_iter().next()?;
    let mut entry = verbatim_entry(&distinct, None);
    entry.occurrences = u32::try_from(1 + readings).unwrap_or(u32::MAX);
    Some(entry)
}

/// Replaces the text of a synthesis or reflection if its sources support the new one.
fn rewrite(
    change: &mut Change,
    text: &str,
    night: &NpcNight,
    config: &ValidConfig,
    pack: &dyn LanguagePack,
) -> Result<(), ReviewError> {
    let not_ours = |id: &MemoryId, why| Err(ReviewError::CannotRewrite { id: id.clone(), why });
    let own = pack.analyze(night.npc.as_str(), &[night.npc.as_str()]);
    let most = config.synthesis.max_chars;
    let (entry, fault): (&mut Entry, Option<Fault>) = match change {
        Change::Store { entry, .. } => return not_ours(&entry.id, "they are the game's"),
        Change::Chunk { entry, reason, .. } => {
            if reason.rule == Rule::Abstracted {
                return not_ours(&entry.id, "the entries it tells are not in the plan");
            }
            let told = source_memories(night, entry, pack);
            let sources: Vec<CheckedSource<'_>> = told
                .iter()
                .map(|(memory, analysis)| CheckedSource {
                    text: &memory.text,
                    analysis,
                    verbatim: memory.importance().get() >= config.triage.important,
                    is_heard: false,
                })
                .collect();
            // The same limit as for a model's text, which may quote.
            let fault =
                pack.synthesis_fault(text, &sources, TextBounds { max_chars: 2 * most, own_name: &own });
            (entry, fault)
        }
        Change::Reflect { entry, .. } => {
            let told = source_memories(night, entry, pack);
            let sources: Vec<CheckedSource<'_>> = told
                .iter()
                .map(|(memory, analysis)| CheckedSource {
                    text: &memory.text,
                    analysis,
                    verbatim: false,
                    is_heard: heard_from(memory.kind, &memory.actors, night.npc.as_str()).is_some(),
                })
                .collect();
            let fault = pack.reflection_fault(text, &sources, TextBounds { max_chars: most, own_name: &own });
            (entry, fault)
        }
        other => return not_ours(other.id(), "it writes none"),
    };
    if let Some(fault) = fault {
        return Err(ReviewError::Text { id: entry.id.clone(), fault });
    }
    text.clone_into(&mut entry.text);
    entry.vector = None;
    Ok(())
}

/// Returns the memories that an entry is made of; of a status line all readings that the entry states.
fn source_memories<'a>(
    night: &'a NpcNight,
    entry: &Entry,
    pack: &dyn LanguagePack,
) -> Vec<(&'a Memory, Analysis)> {
    let people: BTreeSet<&str> = night
        .memories
        .iter()
        .flat_map(|m| &m.actors)
        .map(String::as_str)
        .chain([night.npc.as_str()])
        .collect();
    let folded: BTreeSet<&MemoryId> = night
        .changes
        .iter()
        .filter(|c| c.reason().rule == Rule::StatusRepeat && entry.sources.contains(c.id()))
        .filter(|c| matches!(c, Change::Collapse { .. }))
        .flat_map(|c| c.sources().iter().chain([c.id()]))
        .collect();
    let is_told = |m: &&Memory| {
        let told = || pack.coverage(&m.text, &entry.text);
        if folded.contains(&m.id) { told().names_and_numbers } else { entry.sources.contains(&m.id) }
    };
    let told = night.memories.iter().filter(is_told);
    let people: Vec<&str> = people.into_iter().collect();
    told.map(|m| (m, pack.analyze(&m.text, &people))).collect()
}

//! Outcome of a scenario, as it is stored beside the scenario: readable enough that a difference shows the
//! change.
//!
//! Values that another machine may round differently are left out: vectors, cosines, scores. The decisions
//! based on them, every fate with its rule, are kept.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use nightfold_memory::{
    Change, Confidence, EndedPosition, MemoryId, MemoryReader, MemoryRecord, NpcNight, RecordKind, Rule,
    State, StoreError,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{diagnostic::Diagnostic, read::check_inside, scenario::Scenario};

/// Name of the file that holds the accepted outcome.
pub const OUTCOME_FILE: &str = "outcome.json";

/// Version of the file format.
const FORMAT: u32 = 1;

/// Fates of all memories, and the state at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ScenarioOutcome {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(extend("const" = FORMAT)))]
    format: u32,
    /// Nights in order, maintenance behind the night it followed.
    nights: Vec<OutcomeNight>,
    /// State at the end, by NPC.
    afterwards: BTreeMap<String, FinalState>,
}

/// One night of all NPCs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct OutcomeNight {
    /// Label of the night.
    night: String,
    /// Nights of the NPCs, by name.
    npcs: BTreeMap<String, NpcOutcome>,
}

/// One night of one NPC.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct NpcOutcome {
    /// Number of memories, of different ones, and of entries left.
    counts: String,
    /// Fate of each memory or entry, by id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    fates: BTreeMap<String, String>,
    /// Text of each synthesis, by id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    syntheses: BTreeMap<String, String>,
    /// Text of each reflection, by id, with its sources.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    insights: BTreeMap<String, String>,
}

/// Long-term memory of one NPC at the end.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct FinalState {
    /// Every active entry, by id: kind of record and confidence.
    active: BTreeMap<String, String>,
    /// Number of nights on which each theme was seen.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    themes: BTreeMap<String, u32>,
}

impl ScenarioOutcome {
    pub(crate) fn of(
        scenario: &Scenario,
        nights: &[Vec<NpcNight>],
        store: &dyn MemoryReader,
    ) -> Result<Self, StoreError> {
        let mut told = Vec::new();
        for of_all in nights {
            // Maintenance has a label of its own.
            let mut by_label: Vec<OutcomeNight> = Vec::new();
            for night in of_all {
                let label = night.night.to_string();
                let at = by_label.iter().position(|n| n.night == label).unwrap_or_else(|| {
                    by_label.push(OutcomeNight { night: label, npcs: BTreeMap::new() });
                    by_label.len() - 1
                });
                by_label[at].npcs.insert(night.npc.to_string(), npc_outcome(night));
            }
            told.append(&mut by_label);
        }
        let mut afterwards = BTreeMap::new();
        for npc in scenario.npcs.keys() {
            let active = store.entries(npc)?.into_iter().filter(|m| m.state == State::Active);
            let active = active.map(|m| (m.entry.id.to_string(), entry_state(&m))).collect();
            let mut themes = BTreeMap::new();
            for theme in store.themes(npc)? {
                // Two themes may have the same words.
                let nights = themes.entry(theme.words.join(", ")).or_insert(0_u32);
                *nights = (*nights).max(theme.nights);
            }
            afterwards.insert(npc.to_string(), FinalState { active, themes });
        }
        Ok(Self { format: FORMAT, nights: told, afterwards })
    }

    /// Reads the accepted outcome kept beside a scenario; `None` if there is none.
    ///
    /// # Errors
    /// [`Diagnostic`] if the file is not an outcome, has another format, or is a link that leads out of the scenario's
    /// folder.
    pub fn read_accepted(scenario: &Scenario) -> Result<Option<Self>, Diagnostic> {
        let path = Self::path(scenario);
        check_inside(&scenario.folder, &path)?;
        if path.exists() { Self::read(&path).map(Some) } else { Ok(None) }
    }

    /// Reads an outcome from a file.
    ///
    /// # Errors
    /// [`Diagnostic`] if the file is not an outcome, or has another format.
    pub fn read(path: &Path) -> Result<Self, Diagnostic> {
        let help = "accept the outcome of this run with --update";
        // Opening a pipe would wait for its writer.
        if !path.is_file() {
            return Err(Diagnostic::of_file(path, "is not a file"));
        }
        let bytes = std::fs::read(path)
            .map_err(|error| Diagnostic::of_file(path, format!("cannot be read: {error}")))?;
        let outcome: Self = serde_json::from_slice(&bytes)
            .map_err(|error| Diagnostic::of_file(path, format!("is no outcome: {error}")).help(help))?;
        if outcome.format != FORMAT {
            let what = format!("is of format {}; this version writes {FORMAT}", outcome.format);
            return Err(Diagnostic::of_file(path, what).help(help));
        }
        Ok(outcome)
    }

    /// Returns the path to write the outcome to that is accepted.
    ///
    /// # Errors
    /// [`Diagnostic`] if the path is taken by a link, which nothing is written through, or by something else that is no file.
    pub fn path_to_accept(scenario: &Scenario) -> Result<PathBuf, Diagnostic> {
        let path = Self::path(scenario);
        match path.symlink_metadata() {
            Ok(found) if !found.is_file() => {
                let what = "is a link or no file, and an accepted outcome is a file of the scenario's folder";
                Err(Diagnostic::of_file(&path, what).help("remove it, and accept again"))
            }
            _ => Ok(path),
        }
    }

    /// Returns the path of the accepted outcome.
    pub fn path(scenario: &Scenario) -> PathBuf {
        scenario.folder.join(OUTCOME_FILE)
    }

    /// Returns the bytes of the file: indented JSON with sorted keys.
    ///
    /// # Errors
    /// None known: outcomes are text and numbers.
    pub fn to_json(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Returns the first half of the SHA-256 of the JSON bytes, in hex: the same outcome has the same digest
    /// on every machine.
    ///
    /// # Errors
    /// As [`ScenarioOutcome::to_json`].
    pub fn digest(&self) -> Result<String, serde_json::Error> {
        let hash = Sha256::digest(self.to_json()?);
        Ok(hash[..16].iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

fn npc_outcome(night: &NpcNight) -> NpcOutcome {
    let counts = &night.report.counts;
    let counts = if counts.memories > 0 {
        format!("{} memories, {} different, {} kept", counts.memories, counts.distinct, counts.kept)
    } else {
        "maintenance".to_owned()
    };
    let mut outcome = NpcOutcome { counts, ..NpcOutcome::default() };
    for change in &night.changes {
        let (id, from, rule) = (change.id(), listed(change.sources()), change.reason().rule);
        let own = std::slice::from_ref(id);
        let (of, fate) = match change {
            Change::Store { .. } => (own, "kept".to_owned()),
            Change::Chunk { entry, .. } => {
                outcome.syntheses.insert(id.to_string(), entry.text.clone());
                let joined = if rule == Rule::Abstracted { "summarised in" } else { "in the synthesis" };
                (change.sources(), format!("{joined} {id}"))
            }
            Change::Reflect { entry, reflection, .. } => {
                let told = format!("{} [{}, from {from}]", entry.text, reflection.as_str());
                outcome.insights.insert(id.to_string(), told);
                continue;
            }
            Change::Strengthen { .. } => (own, format!("drawn again from {from}")),
            Change::Collapse { .. } => (change.sources(), format!("represented by {id}")),
            Change::Corroborate { .. } => (change.sources(), format!("corroborating {id}")),
            Change::Supersede { .. } => (own, format!("superseded by {from}")),
            Change::Contest { .. } => (own, format!("contested with {from}")),
            Change::End { position, since, .. } => {
                (own, format!("no longer holds since {since}: {position:?} because of {from}"))
            }
            Change::Prune { .. } => (own, "pruned".to_owned()),
            Change::Archive { .. } => (own, "archived".to_owned()),
            Change::Restore { .. } => (own, "restored".to_owned()),
            Change::Forget { .. } => (own, "forgotten".to_owned()),
        };
        for id in of {
            // A repeat may have two fates: the collapse into its canonical entry, and the fate of that entry.
            let known = outcome.fates.entry(id.to_string()).or_default();
            let gap = if known.is_empty() { "" } else { "; " };
            known.push_str(&format!("{gap}{fate} ({rule})"));
        }
    }
    outcome
}

/// Returns ids with commas between them.
fn listed(ids: &[MemoryId]) -> String {
    ids.iter().map(MemoryId::as_str).collect::<Vec<_>>().join(", ")
}

/// Describes the state of an entry.
fn entry_state(memory: &MemoryRecord) -> String {
    let form = match memory.entry.form {
        RecordKind::Verbatim => "word for word",
        RecordKind::Synthesis => "synthesis",
        RecordKind::Reflection => "insight",
    };
    let again = match memory.corroborations {
        0 => String::new(),
        times => format!(", corroborated {times} times"),
    };
    let sure = if memory.confidence == Confidence::High { ", sure" } else { "" };
    let with = listed(&memory.contested_with);
    let contested = if with.is_empty() { String::new() } else { format!(", contested with {with}") };
    let ended = memory.ended.iter().map(|EndedPosition { since, text, by }| {
        format!(", no longer holds since {since}: {text:?} because of {by}")
    });
    format!("{form}{again}{sure}{contested}{}", ended.collect::<String>())
}

#[cfg(test)]
pub(crate) mod tests {
    use nightfold_memory::{MemoryStore as _, NpcId};
    use nightfold_store::SqliteStore;
    use serde_json::json;

    use super::*;
    use crate::history::memory_history;

    /// Store with an applied night on which Mara sees that the mill is shut and hears that it is open, and
    /// that night.
    pub(crate) fn rumour(contested: bool) -> (SqliteStore, NpcNight) {
        let entry = |id: &str, text: &str| {
            json!({"do": "store", "id": id, "form": "verbatim", "kind": "event", "text": text, "at": 1, "last_at": 1,
                "importance": 8, "occurrences": 1, "sources": [], "vector": [0.6, 0.8],
                "reason": {"rule": "important", "values": {"importance": 8, "important_from": 7}}})
        };
        let memory = |id: &str, text: &str| json!({"id": id, "npc": "Mara", "at": 1, "kind": "event", "text": text, "importance": 8});
        let texts =
            [("seen", "I saw the mill shut"), ("heard", "Tom says the mill is open"), ("rain", "It rained")];
        let mut changes: Vec<_> = texts.iter().map(|(id, text)| entry(id, text)).collect();
        if contested {
            changes.push(json!({"do": "contest", "id": "seen", "sources": ["heard"],
                "reason": {"rule": "contested", "values": {}}}));
        }
        let report = serde_json::to_value(nightfold_memory::NightReport::default()).unwrap();
        let night: NpcNight = serde_json::from_value(json!({
            "npc": "Mara", "night": "day-0", "at": 9, "base_version": 0, "model": "m",
            "memories": texts.map(|(id, text)| memory(id, text)), "changes": changes, "report": report
        }))
        .unwrap();
        let store = SqliteStore::in_memory().unwrap();
        store.apply(1, std::slice::from_ref(&night)).unwrap().pop().unwrap().unwrap();
        (store, night)
    }

    #[test]
    fn outcome_names_contested_entries_and_their_counterparts() {
        let (store, night) = rumour(true);
        let fates = npc_outcome(&night).fates;
        assert_eq!(fates["seen"], "kept (important); contested with heard (contested)");
        assert_eq!(fates["heard"], "kept (important)");
        let mara = NpcId::new("Mara").unwrap();
        let told: Vec<_> = store.entries(&mara).unwrap().iter().map(entry_state).collect();
        assert_eq!(
            told,
            ["word for word, contested with seen", "word for word", "word for word, contested with heard"]
        );
        let steps = memory_history(&[vec![night]], &mara, &MemoryId::new("heard").unwrap());
        assert_eq!(
            steps.last().unwrap(),
            "heard is contested with seen since day-0: one contradicts the other and neither is superseded"
        );
    }

    #[test]
    fn outcome_names_ended_positions_and_what_ended_them() {
        let (store, mut night) = rumour(false);
        let end: Change =
            serde_json::from_value(json!({"do": "end", "id": "seen", "position": "the mill shut",
            "since": 1, "sources": ["heard"], "reason": {"rule": "ended", "values": {}}}))
            .unwrap();
        (night.memories, night.changes) = (Vec::new(), vec![end]);
        night.base_version = store.snapshot(&night.npc).unwrap().version;
        store.apply(2, std::slice::from_ref(&night)).unwrap().pop().unwrap().unwrap();
        let told = "no longer holds since 1: \"the mill shut\" because of heard";
        assert_eq!(npc_outcome(&night).fates["seen"], format!("{told} (ended)"));
        let seen = store.entry(&night.npc, &MemoryId::new("seen").unwrap()).unwrap().unwrap();
        assert_eq!(entry_state(&seen), format!("word for word, {told}"));
        let steps = memory_history(&[vec![night]], &seen.npc, &seen.entry.id);
        let step =
            "seen no longer holds in part since day-0 (“the mill shut”, because of heard): a newer statement";
        assert!(steps[0].starts_with(step), "{steps:?}");
    }
}

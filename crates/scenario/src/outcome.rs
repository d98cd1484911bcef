//! What a scenario came to, as it is kept beside it: readable enough that a difference says what changed.
//!
//! Left out is whatever another machine may round otherwise: vectors, cosines, scores. What rests on them, every fate with
//! its rule, stands.

use std::{collections::BTreeMap, path::PathBuf};

use nightfold_memory::{
    Change, Confidence, Form, LongTermMemory, MemoryId, MemoryStore, NpcNight, Rule, State, StoreError,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{mistake::Mistake, read::Scenario};

/// The file that holds the outcome that was accepted.
pub const OUTCOME_FILE: &str = "outcome.json";

/// The version of the file.
const FORMAT: u32 = 1;

/// The fates of everything that was lived through, and what is left at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// The version of this format.
    format: u32,
    /// Night by night, upkeep behind the night it followed.
    nights: Vec<Night>,
    /// What is left, by NPC.
    afterwards: BTreeMap<String, Left>,
}

/// One night of everybody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Night {
    night: String,
    npcs: BTreeMap<String, Slept>,
}

/// One night of one NPC.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Slept {
    /// How many memories, how many different ones, how many entries were left.
    counts: String,
    /// What became of each memory or entry, by id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    fates: BTreeMap<String, String>,
    /// The words of each synthesis, by id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    told: BTreeMap<String, String>,
    /// The words of each insight, by id, with what they rest on.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    insights: BTreeMap<String, String>,
}

/// What one NPC remembers at the end.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Left {
    /// Every active entry, by id: how it came to be, and how sure it is.
    active: BTreeMap<String, String>,
    /// On how many nights each theme was met.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    themes: BTreeMap<String, u32>,
}

impl Outcome {
    pub(crate) fn of(
        scenario: &Scenario,
        nights: &[Vec<NpcNight>],
        store: &dyn MemoryStore,
    ) -> Result<Self, StoreError> {
        let mut told = Vec::new();
        for of_all in nights {
            // Upkeep has a label of its own.
            let mut by_label: Vec<Night> = Vec::new();
            for night in of_all {
                let label = night.night.to_string();
                let at = by_label.iter().position(|n| n.night == label).unwrap_or_else(|| {
                    by_label.push(Night { night: label, npcs: BTreeMap::new() });
                    by_label.len() - 1
                });
                by_label[at].npcs.insert(night.npc.to_string(), slept(night));
            }
            told.append(&mut by_label);
        }
        let mut afterwards = BTreeMap::new();
        for npc in scenario.npcs.keys() {
            let active = store.entries(npc)?.into_iter().filter(|m| m.state == State::Active);
            let active = active.map(|m| (m.entry.id.to_string(), standing(&m))).collect();
            let mut themes = BTreeMap::new();
            for theme in store.themes(npc)? {
                // Two themes may have the same words.
                let nights = themes.entry(theme.words.join(", ")).or_insert(0_u32);
                *nights = (*nights).max(theme.nights);
            }
            afterwards.insert(npc.to_string(), Left { active, themes });
        }
        Ok(Self { format: FORMAT, nights: told, afterwards })
    }

    /// Reads the outcome that is kept beside a scenario; `None` where none is.
    ///
    /// # Errors
    /// [`Mistake`] when the file is no outcome, or one of another format.
    pub fn kept(scenario: &Scenario) -> Result<Option<Self>, Mistake> {
        let path = Self::path(scenario);
        let help = "accept the outcome of this run with --update";
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Mistake::of_file(&path, format!("cannot be read: {error}"))),
        };
        let outcome: Self = serde_json::from_slice(&bytes)
            .map_err(|error| Mistake::of_file(&path, format!("is no outcome: {error}")).help(help))?;
        if outcome.format != FORMAT {
            let what = format!("is of format {}; this version writes {FORMAT}", outcome.format);
            return Err(Mistake::of_file(&path, what).help(help));
        }
        Ok(Some(outcome))
    }

    /// Where it is kept.
    pub fn path(scenario: &Scenario) -> PathBuf {
        scenario.folder.join(OUTCOME_FILE)
    }

    /// Indented JSON with keys in order: the bytes of the file.
    ///
    /// # Errors
    /// None that is known: everything in it is text and numbers.
    pub fn to_json(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// The first half of the SHA-256 of those bytes: the same outcome has the same digest on every machine.
    ///
    /// # Errors
    /// As [`Outcome::to_json`].
    pub fn digest(&self) -> Result<String, serde_json::Error> {
        let hash = Sha256::digest(self.to_json()?);
        Ok(hash[..16].iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

fn slept(night: &NpcNight) -> Slept {
    let report = &night.report;
    let counts = if report.memories > 0 {
        format!("{} memories, {} different, {} kept", report.memories, report.distinct, report.kept)
    } else {
        "upkeep".to_owned()
    };
    let mut slept = Slept { counts, ..Slept::default() };
    let mut fate = |id: &str, fate: String| {
        // A repeat is told once, and may be told of twice: by what it repeats and by what became of that.
        slept
            .fates
            .entry(id.to_owned())
            .and_modify(|known| *known = format!("{known}; {fate}"))
            .or_insert(fate);
    };
    for change in &night.changes {
        let rule = change.reason().rule;
        let of_each = |what: &str| {
            change.sources().iter().map(|id| (id.to_string(), format!("{what} ({rule})"))).collect::<Vec<_>>()
        };
        match change {
            Change::Store { entry, .. } => fate(entry.id.as_str(), format!("kept ({rule})")),
            Change::Chunk { entry, .. } => {
                let told = if rule == Rule::Abstracted { "told in short in" } else { "told in" };
                of_each(&format!("{told} {}", entry.id)).into_iter().for_each(|(id, told)| fate(&id, told));
                slept.told.insert(entry.id.to_string(), entry.text.clone());
            }
            Change::Reflect { entry, reflection, .. } => {
                let cites: Vec<&str> = entry.sources.iter().map(MemoryId::as_str).collect();
                let told = format!("{} [{}, from {}]", entry.text, reflection.as_str(), cites.join(", "));
                slept.insights.insert(entry.id.to_string(), told);
            }
            Change::Collapse { id, .. } => {
                of_each(&format!("stands under {id}")).into_iter().for_each(|(id, told)| fate(&id, told));
            }
            Change::Corroborate { id, .. } => {
                of_each(&format!("confirms {id}")).into_iter().for_each(|(id, told)| fate(&id, told));
            }
            Change::Supersede { id, sources, .. } => {
                let by: Vec<&str> = sources.iter().map(MemoryId::as_str).collect();
                fate(id.as_str(), format!("no longer true: {} ({rule})", by.join(", ")));
            }
            Change::Prune { id, .. } => fate(id.as_str(), format!("let go ({rule})")),
            Change::Archive { id, .. } => fate(id.as_str(), format!("put away ({rule})")),
            Change::Restore { id, .. } => fate(id.as_str(), format!("brought back ({rule})")),
            Change::Forget { id, .. } => fate(id.as_str(), format!("forgotten ({rule})")),
        }
    }
    slept
}

/// How an entry stands.
fn standing(memory: &LongTermMemory) -> String {
    let form = match memory.entry.form {
        Form::Verbatim => "word for word",
        Form::Synthesis => "synthesis",
        Form::Reflection => "insight",
    };
    let again = match memory.corroborations {
        0 => String::new(),
        times => format!(", said again {times} times"),
    };
    let sure = if memory.confidence == Confidence::High { ", sure" } else { "" };
    format!("{form}{again}{sure}")
}

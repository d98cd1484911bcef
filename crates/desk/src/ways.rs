//! Ways to keep a memory, or to let it go: single changes, found by trying them.

use std::collections::BTreeMap;

use nightfold::{
    consolidate::review::MemoryFate,
    memory::{Importance, MemoryId},
};
use nightfold_scenario::expected_fate;
use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    BaseConfig, BaselineNight, DeskError, MemoryEdit, Replanner, SettingRange,
    changes::{differing, fates},
    desk_settings,
};

/// Maximum number of ways that are returned.
const MOST: usize = 8;

/// A single change under which a memory has the other fate: it stands in its own words, or no longer does.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Way {
    /// Key of a setting, or `importance` or `pinned` of the memory.
    pub key: &'static str,
    /// Value nearest to the present one that gives the memory the other fate.
    pub to: Value,
    /// Number of other memories of the day that get another fate with it.
    pub others: usize,
}

/// A night in which a memory is asked about, and the ways to plan it differently.
struct Trials<'a> {
    replanner: &'a Replanner,
    baseline: &'a BaselineNight,
    base: &'a BaseConfig,
    set: &'a BTreeMap<String, Value>,
    edits: &'a [MemoryEdit],
    /// The memory as it is on the page.
    memory: MemoryEdit,
    /// Fates as they are on the page.
    now: BTreeMap<MemoryId, MemoryFate>,
}

/// Answer about a memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemoryAnswer {
    /// Ways to give it the other fate, those that change the fewest other memories first.
    pub ways: Vec<Way>,
    /// The memory as the page has it, as a line of its day.
    pub line: String,
    /// Its fate on the page, as an expectation of `scenario.toml`.
    pub expectation: String,
}

/// Finds what would keep a memory in its own words, or what would not if it is kept. A setting is tried at the end of its slider on either side of its value; if that
/// end gives the memory the other fate, the nearest value that does is searched by bisection, as if there were no
/// turn on the way.
///
/// # Errors
/// [`DeskError`] if the day does not hold the memory, another one represents it, or the night cannot be planned
/// under the present settings.
pub fn ask(
    replanner: &Replanner,
    baseline: &BaselineNight,
    base: &BaseConfig,
    set: &BTreeMap<String, Value>,
    edits: &[MemoryEdit],
    id: &MemoryId,
) -> Result<MemoryAnswer, DeskError> {
    let missing = || DeskError::NoMemory(id.clone());
    let lived = baseline.day.memories.iter().find(|memory| memory.id == *id).ok_or_else(missing)?;
    let mut shown = lived.clone();
    edits.iter().for_each(|edit| edit.apply(&mut shown));
    let now = fates(&replanner.again(baseline, &base.with(set)?, edits)?.night);
    let fate = *now.get(id).ok_or_else(missing)?;
    let expectation = expected_fate(&lived.npc, id, &baseline.day.night, fate);
    let line = serde_json::to_string(&shown).map_err(DeskError::Json)?;
    let memory = MemoryEdit::of(&shown);
    let trials = Trials { replanner, baseline, base, set, edits, memory, now };
    let mut found: Vec<Way> = trials.all().par_iter().filter_map(|trial| trials.nearest(trial)).collect();
    found.sort_by_key(|way| way.others);
    found.truncate(MOST);
    Ok(MemoryAnswer { ways: found, line, expectation })
}

/// Values of one key, from the one nearest to the present value to the farthest.
struct Trial {
    key: &'static str,
    values: Vec<Value>,
}

impl Trials<'_> {
    /// Everything that is tried: the rating and the pin of the memory, and each setting in each direction.
    fn all(&self) -> Vec<Trial> {
        let rating = self.memory.importance.unwrap_or(Importance::DEFAULT).get();
        let ratings =
            if self.is_kept() { (1..rating).rev().collect() } else { (rating + 1..=10).collect::<Vec<_>>() };
        let ratings = ratings.into_iter().map(Value::from).collect();
        let pin = vec![json!(!self.memory.pinned)];
        let mut all =
            vec![Trial { key: "importance", values: ratings }, Trial { key: "pinned", values: pin }];
        let values = self.base.values().unwrap_or_default();
        for setting in desk_settings() {
            let Some(present) = self.set.get(setting.key).or_else(|| values.get(setting.key)) else {
                continue;
            };
            match setting.range {
                SettingRange::Choice { words } => {
                    let others = words.iter().filter(|word| present != *word);
                    all.extend(others.map(|word| Trial { key: setting.key, values: vec![json!(word)] }));
                }
                SettingRange::Slider { from_to: (from, to), step, .. } => {
                    let Some(present) = present.as_f64() else { continue };
                    let stops = |end: f64, step: f64| {
                        let most = ((end - present) / step).floor().max(0.0) as usize;
                        // Rounded, so that a stop is 0.3 and not 0.30000000000000004.
                        (1..=most).map(|n| json!(((present + n as f64 * step) * 1e6).round() / 1e6)).collect()
                    };
                    all.push(Trial { key: setting.key, values: stops(to, step) });
                    all.push(Trial { key: setting.key, values: stops(from, -step) });
                }
            }
        }
        all
    }

    /// True if the memory stands in its own words as it is.
    fn is_kept(&self) -> bool {
        self.now.get(&self.memory.id) == Some(&MemoryFate::Kept)
    }

    /// Searches the nearest value of a trial that gives the memory the other fate.
    fn nearest(&self, trial: &Trial) -> Option<Way> {
        let mut works = self.tried(trial.key, trial.values.last()?)?;
        let (mut low, mut high) = (0, trial.values.len() - 1);
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.tried(trial.key, &trial.values[middle]) {
                Some(others) => (works, high) = (others, middle),
                None => low = middle + 1,
            }
        }
        Some(Way { key: trial.key, to: trial.values[high].clone(), others: works })
    }

    /// Plans the night with one key changed; returns the number of other memories with another fate if the
    /// memory has the other one. A value that cannot be is no way.
    fn tried(&self, key: &'static str, value: &Value) -> Option<usize> {
        let (mut set, mut edits) = (self.set.clone(), self.edits.to_vec());
        let memory = match key {
            "importance" => {
                let importance = Importance::new(u8::try_from(value.as_u64()?).ok()?).ok();
                Some(MemoryEdit { importance, ..self.memory.clone() })
            }
            "pinned" => Some(MemoryEdit { pinned: value.as_bool()?, ..self.memory.clone() }),
            key => {
                set.insert(key.to_owned(), value.clone());
                None
            }
        };
        edits.extend(memory);
        let night = self.replanner.again(self.baseline, &self.base.with(&set).ok()?, &edits).ok()?.night;
        let after = fates(&night);
        let is_kept = after.get(&self.memory.id) == Some(&MemoryFate::Kept);
        (is_kept != self.is_kept()).then(|| differing(&self.now, &after) - 1)
    }
}

//! Comparisons made during a replay, reported for expectations that do not hold.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use nightfold::{
    Observer, RunStep,
    consolidate::{DayMap, JudgedComparison},
};
use nightfold_memory::{MemoryId, NightLabel, NpcId, Stance, Value, comparison_of, config::JudgeConfig};

use crate::{
    reasons::quoted,
    scenario::{Expected, ExpectedFate, Scenario},
};

/// Observer that forwards to another one and keeps the comparisons of statements named in expectations.
pub(crate) struct Comparisons<'a> {
    observer: &'a dyn Observer,
    wanted: BTreeSet<&'a MemoryId>,
    made: Mutex<BTreeMap<NpcId, Vec<(NightLabel, JudgedComparison)>>>,
}

/// Returns the statement of an expectation, its expected counterpart if one is named, and the expected
/// stance.
fn about(expected: &Expected) -> Option<(&MemoryId, Option<&MemoryId>, Stance)> {
    let Expected::Memory { id, fate } = expected else { return None };
    match fate {
        ExpectedFate::Superseded { by } | ExpectedFate::Contested { by } => {
            Some((id, by.as_ref(), Stance::Contradiction))
        }
        ExpectedFate::Known | ExpectedFate::Corroborated { .. } => Some((id, None, Stance::Same)),
        _ => None,
    }
}

impl<'a> Comparisons<'a> {
    pub(crate) fn new(scenario: &'a Scenario, observer: &'a dyn Observer) -> Self {
        let wanted = scenario.expectations.iter().filter_map(|e| about(&e.expected)).map(|(id, ..)| id);
        Self { observer, wanted: wanted.collect(), made: Mutex::default() }
    }

    /// Describes the comparison closest to an expectation; `None` if the expectation does not rest on a
    /// comparison.
    pub(crate) fn closest(&self, npc: &NpcId, expected: &Expected, settings: &JudgeConfig) -> Option<String> {
        let (id, by, stance) = about(expected)?;
        // A poisoned lock still holds whole nights: comparisons are added night by night.
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let of_npc = made.get(npc).map_or(&[][..], Vec::as_slice);
        Some(closest(of_npc, id, by, stance, settings))
    }
}

fn closest(
    made: &[(NightLabel, JudgedComparison)],
    id: &MemoryId,
    by: Option<&MemoryId>,
    stance: Stance,
    settings: &JudgeConfig,
) -> String {
    let other = |c: &JudgedComparison| if c.older.0 == *id { c.newer.0.clone() } else { c.older.0.clone() };
    let of_it = || made.iter().filter(|(_, c)| c.older.0 == *id || c.newer.0 == *id);
    let closeness = |c: &JudgedComparison| {
        let likely = c.judgement.verdict.map(|verdict| match stance {
            Stance::Same => verdict.same,
            _ => verdict.contradiction,
        });
        (c.judgement.stance == stance, likely.unwrap_or_default(), c.cosine)
    };
    let best = |among: &mut dyn Iterator<Item = &(NightLabel, JudgedComparison)>| {
        among
            .max_by(|(_, a), (_, b)| {
                let (a, b) = (closeness(a), closeness(b));
                a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2))
            })
            .map(|(night, comparison)| told(night, comparison, id, &other(comparison), settings))
    };
    let expected = by.and_then(|by| best(&mut of_it().filter(|(_, c)| other(c) == *by)));
    let any = || best(&mut of_it());
    match (expected, by) {
        (Some(told), _) => told,
        (None, Some(by)) => {
            let rest = any().map_or_else(String::new, |told| format!("; {told}"));
            format!("{id} was not compared with {by}{rest}")
        }
        (None, None) => any().unwrap_or_else(|| format!("{id} was compared with nothing")),
    }
}

/// Describes a comparison.
fn told(
    night: &NightLabel,
    comparison: &JudgedComparison,
    id: &MemoryId,
    other: &MemoryId,
    settings: &JudgeConfig,
) -> String {
    let JudgedComparison { older, newer, cosine, may_contradict: may_exclude, judgement } = comparison;
    let mut values: BTreeMap<&str, Value> = judgement.values(settings).into_iter().collect();
    values.insert("cosine", (*cosine).into());
    let judged = comparison_of(|name| values.get(name)).unwrap_or_default();
    let excluded = judgement.stance == Stance::Contradiction && !may_exclude;
    let but = if excluded { ", but neither may exclude the other" } else { "" };
    format!(
        "{id} was compared with {other} on {night}, {} with {}: {judged}: {}{but}",
        quoted(&newer.1),
        quoted(&older.1),
        judgement.stance.as_str()
    )
}

impl Observer for Comparisons<'_> {
    fn should_stop(&self) -> bool {
        self.observer.should_stop()
    }

    fn is_cancelled(&self, npc: &NpcId) -> bool {
        self.observer.is_cancelled(npc)
    }

    fn on_step_begin(&self, step: RunStep) {
        self.observer.on_step_begin(step);
    }

    fn on_step_end(&self, step: RunStep) {
        self.observer.on_step_end(step);
    }

    fn on_planned(&self, npc: &NpcId, own: Duration) {
        self.observer.on_planned(npc, own);
    }

    fn on_embedded(&self, texts: usize) {
        self.observer.on_embedded(texts);
    }

    fn wants_map(&self) -> bool {
        self.observer.wants_map()
    }

    fn on_map(&self, npc: &NpcId, night: &NightLabel, map: DayMap) {
        self.observer.on_map(npc, night, map);
    }

    fn wants_comparisons(&self) -> bool {
        !self.wanted.is_empty() || self.observer.wants_comparisons()
    }

    fn on_compared(&self, npc: &NpcId, night: &NightLabel, comparisons: Vec<JudgedComparison>) {
        let wanted =
            |c: &&JudgedComparison| self.wanted.contains(&c.older.0) || self.wanted.contains(&c.newer.0);
        let kept: Vec<_> = comparisons.iter().filter(wanted).map(|c| (night.clone(), c.clone())).collect();
        self.made.lock().unwrap_or_else(PoisonError::into_inner).entry(npc.clone()).or_default().extend(kept);
        if self.observer.wants_comparisons() {
            self.observer.on_compared(npc, night, comparisons);
        }
    }

    fn on_nights(&self, nights: usize, memories: usize) {
        self.observer.on_nights(nights, memories);
    }
}

#[cfg(test)]
mod tests {
    use nightfold::{consolidate::accept_verdict, english::English};
    use nightfold_memory::Verdict;

    use super::*;

    fn id(id: &str) -> MemoryId {
        MemoryId::new(id).unwrap()
    }

    fn compared(older: &str, newer: &str, contradiction: f64) -> (NightLabel, JudgedComparison) {
        let text = |id: &str| format!("The gate is {id}.");
        let verdict = Verdict { same: 0.1, contradiction };
        let judgement =
            accept_verdict(verdict, &text(older), &text(newer), 0.7, &JudgeConfig::default(), &English);
        let comparison = JudgedComparison {
            older: (id(older), text(older)),
            newer: (id(newer), text(newer)),
            cosine: 0.7,
            may_contradict: true,
            judgement,
        };
        (NightLabel::new("day-3").unwrap(), comparison)
    }

    #[test]
    fn closest_comparison_is_described_with_both_texts_and_its_thresholds() {
        let made = [compared("green", "grey", 0.2), compared("green", "barred", 0.6)];
        let of = |name: &str, by: Option<&str>| {
            let by = by.map(id);
            closest(&made, &id(name), by.as_ref(), Stance::Contradiction, &JudgeConfig::default())
        };
        let barred = "green was compared with barred on day-3, “The gate is barred.” with “The gate is green.”: \
            contradiction 0.60 < 0.96, same 0.10 < 0.50 by model, cosine 0.70: unrelated";
        assert_eq!(of("green", None), barred);
        assert!(
            of("green", Some("grey")).contains("contradiction 0.20 < 0.96"),
            "{}",
            of("green", Some("grey"))
        );
        assert_eq!(of("green", Some("shut")), format!("green was not compared with shut; {barred}"));
        assert_eq!(of("red", None), "red was compared with nothing");
        assert_eq!(of("red", Some("shut")), "red was not compared with shut");
    }
}

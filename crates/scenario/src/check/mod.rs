//! Checks of expectations after each night.

mod npc_entries;
mod sentence;

use nightfold::{RunError, consolidate::review::count};
use nightfold_memory::{Embedder, MemoryId, MemoryReader, NpcId, NpcNight, RunReport};
use serde::Serialize;

use self::npc_entries::{Finding, NpcEntries};
use crate::{
    comparisons::Comparisons,
    history::memory_history,
    scenario::{Bounds, Expectation, Expected, NightFilter, Scenario},
};

/// Result of an expectation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckedExpectation {
    /// NPC concerned; `None` if the expectation is about all NPCs together or about any of them.
    pub npc: Option<NpcId>,
    /// Memory concerned, if the expectation is about one.
    pub id: Option<MemoryId>,
    /// Number of the night after which it was checked, from 1.
    pub night: usize,
    /// Line in `scenario.toml`, from 1.
    pub line: usize,
    /// Expectation as a sentence.
    pub expected: String,
    /// Reason given by the author.
    pub because: Option<String>,
    /// True if the expectation holds.
    pub holds: bool,
    /// State that was found.
    pub found: String,
    /// Sentences for the changes that led to that state, and for the comparison closest to the expected one;
    /// empty if the expectation holds.
    pub reasons: Vec<String>,
}

/// Checks of a scenario's expectations, made night by night.
pub(crate) struct Checks<'a> {
    scenario: &'a Scenario,
    embedder: &'a dyn Embedder,
    comparisons: &'a Comparisons<'a>,
    /// Results with the expectation's position in the file.
    done: Vec<(usize, CheckedExpectation)>,
}

/// State of a scenario after one of its nights.
struct NightCheck<'a> {
    scenario: &'a Scenario,
    embedder: &'a dyn Embedder,
    comparisons: &'a Comparisons<'a>,
    store: &'a dyn MemoryReader,
    nights: &'a [Vec<NpcNight>],
}

impl<'a> Checks<'a> {
    pub(crate) fn new(
        scenario: &'a Scenario,
        embedder: &'a dyn Embedder,
        comparisons: &'a Comparisons<'a>,
    ) -> Self {
        Self { scenario, embedder, comparisons, done: Vec::new() }
    }

    /// Checks the expectations of this night, the last of `nights`.
    pub(crate) fn after(
        &mut self,
        number: usize,
        store: &dyn MemoryReader,
        nights: &[Vec<NpcNight>],
    ) -> Result<(), RunError> {
        let after = NightCheck {
            scenario: self.scenario,
            embedder: self.embedder,
            comparisons: self.comparisons,
            store,
            nights,
        };
        for (place, expectation) in self.scenario.expectations.iter().enumerate() {
            if expectation.after != number {
                continue;
            }
            let each: Vec<Option<&NpcId>> = match expectation.npcs.as_slice() {
                [] => vec![None],
                npcs => npcs.iter().map(Some).collect(),
            };
            for npc in each {
                self.done.push((place, after.check(expectation, npc)?));
            }
        }
        Ok(())
    }

    /// Returns all results in the order of the file.
    pub(crate) fn done(mut self) -> Vec<CheckedExpectation> {
        self.done.sort_by_key(|(place, _)| *place);
        self.done.into_iter().map(|(_, checked)| checked).collect()
    }
}

impl NightCheck<'_> {
    fn check(&self, expectation: &Expectation, npc: Option<&NpcId>) -> Result<CheckedExpectation, RunError> {
        let found = self.found(&expectation.expected, npc)?;
        let ids = expectation.expected.ids();
        let reasons = match npc {
            Some(npc) if !found.holds => {
                let steps = ids.iter().flat_map(|id| memory_history(self.nights, npc, id));
                let tags = self.store.latest_night(npc)?.map(|night| night.npc_tags);
                let config = self.scenario.config.for_npc(npc, &tags.unwrap_or_default());
                steps.chain(self.comparisons.closest(npc, &expectation.expected, &config.judge)).collect()
            }
            _ => Vec::new(),
        };
        Ok(CheckedExpectation {
            npc: npc.cloned(),
            id: ids.first().map(|id| (*id).clone()),
            night: expectation.after + 1,
            line: expectation.line,
            expected: sentence::expected(&expectation.expected, npc, self.scenario),
            because: expectation.because.clone(),
            holds: found.holds,
            found: found.how,
            reasons,
        })
    }

    fn found(&self, expected: &Expected, npc: Option<&NpcId>) -> Result<Finding, RunError> {
        Ok(match (expected, npc) {
            (Expected::Memory { id, fate }, Some(npc)) => {
                let recall = (self.embedder, &self.scenario.config);
                self.entries(npc)?.check(id, fate, self.nights, recall)?
            }
            // Expectations about a memory always name its owner.
            (Expected::Memory { .. }, None) => Finding::new(false, "nobody is named"),
            (Expected::Mentioned { words, insight, wanted }, _) => {
                self.mentioned(npc, words, *insight, *wanted)?
            }
            (Expected::Theme { words, nights }, _) => self.theme(npc, words, *nights)?,
            (Expected::Reduction(within, night), _) => {
                let share = self.report(npc, *night).reduction;
                let how = format!("{:.1} % of the different memories are gone", share * 100.0);
                Finding::new(within.holds(&share), how)
            }
            (Expected::ImportantKept(night), _) => self.important(npc, *night),
            (Expected::TokensUnder(most, night), _) => self.tokens(npc, *night, *most),
            (Expected::Insights(within), _) => self.active(npc, within, true)?,
            (Expected::ActiveEntries(within), _) => self.active(npc, within, false)?,
        })
    }

    fn entries(&self, npc: &NpcId) -> Result<NpcEntries<'_>, RunError> {
        Ok(NpcEntries::of(self.store, npc)?)
    }

    /// Returns one NPC, or all.
    fn npcs_or_all<'b>(&'b self, npc: Option<&'b NpcId>) -> Vec<&'b NpcId> {
        npc.map_or_else(|| self.scenario.npcs.keys().collect(), |npc| vec![npc])
    }

    /// Returns the nights of the selected days, without maintenance.
    fn slept<'b>(
        &'b self,
        npc: Option<&'b NpcId>,
        night: NightFilter,
    ) -> impl Iterator<Item = &'b NpcNight> + 'b {
        let asked =
            self.nights.iter().enumerate().filter(move |(i, _)| night.is_none_or(|night| night == *i));
        asked
            .flat_map(|(_, nights)| nights)
            .filter(move |night| npc.is_none_or(|npc| night.npc == *npc) && night.report.counts.memories > 0)
    }

    fn report(&self, npc: Option<&NpcId>, night: NightFilter) -> RunReport {
        RunReport::sum(1, self.slept(npc, night).map(|night| &night.report))
    }

    fn mentioned(
        &self,
        npc: Option<&NpcId>,
        words: &[String],
        insight: bool,
        wanted: bool,
    ) -> Result<Finding, RunError> {
        let mut those = Vec::new();
        for npc in self.npcs_or_all(npc) {
            those.extend(self.entries(npc)?.mentioning(words, insight));
        }
        let what = if insight { "insight" } else { "entry" };
        let how = match those.as_slice() {
            [] => format!("no active {what} does"),
            [one] => format!("one does: {one}"),
            [first, rest @ ..] => format!("{} do, such as {first}", rest.len() + 1),
        };
        Ok(Finding::new(those.is_empty() != wanted, how))
    }

    fn theme(&self, npc: Option<&NpcId>, words: &[String], nights: u32) -> Result<Finding, RunError> {
        let mut best: Option<(u32, String)> = None;
        for npc in self.npcs_or_all(npc) {
            for theme in self.store.themes(npc)? {
                let named = theme.words.join(" ").to_lowercase();
                let met = words.iter().all(|word| named.contains(&word.to_lowercase()));
                if met && best.as_ref().is_none_or(|(most, _)| theme.nights > *most) {
                    best = Some((theme.nights, format!("{} of {npc}", theme.words.join(", "))));
                }
            }
        }
        Ok(match best {
            Some((most, name)) => {
                let met = count(most as usize, "night", "nights");
                Finding::new(most >= nights, format!("met on {met}: {name}"))
            }
            None => Finding::new(false, "no theme has these words"),
        })
    }

    fn important(&self, npc: Option<&NpcId>, night: NightFilter) -> Finding {
        let report = self.report(npc, night);
        let how = format!("{} of {} important memories stand whole", report.important_kept, report.important);
        let lost = self.slept(npc, night).filter(|n| n.report.important_kept < n.report.important);
        let lost: Vec<String> = lost.map(|night| format!("{} on {}", night.npc, night.night)).collect();
        let lost =
            if lost.is_empty() { String::new() } else { format!("; not those of {}", lost.join(", ")) };
        let ended = self.slept(npc, night).flat_map(|night| {
            night.report.important_ended.iter().map(|ended| format!("{} of {}", ended.id, night.npc))
        });
        let ended: Vec<String> = ended.collect();
        let ended = if ended.is_empty() { String::new() } else { format!("; ended: {}", ended.join(", ")) };
        Finding::new(report.important_kept == report.important, format!("{how}{lost}{ended}"))
    }

    fn tokens(&self, npc: Option<&NpcId>, night: NightFilter, most: u64) -> Finding {
        let cost = |night: &NpcNight| {
            let tokens = &night.report.tokens;
            // A language model never spends more than the budget, whatever all tasks would cost.
            tokens.estimate.min(tokens.budget).max(tokens.spent) as u64
        };
        let dearest = self.slept(npc, night).max_by_key(|night| cost(night));
        match dearest {
            Some(night) => {
                let how = format!("up to {} tokens, by {} on {}", cost(night), night.npc, night.night);
                Finding::new(cost(night) <= most, how)
            }
            None => Finding::new(true, "nobody slept"),
        }
    }

    fn active(&self, npc: Option<&NpcId>, within: &Bounds<u64>, insights: bool) -> Result<Finding, RunError> {
        let mut active = 0;
        for npc in self.npcs_or_all(npc) {
            active += self.entries(npc)?.active(insights).count() as u64;
        }
        Ok(Finding::new(within.holds(&active), format!("{active} are active")))
    }
}

#[cfg(test)]
mod tests {
    use nightfold_memory::MemoryId;

    use super::*;
    use crate::outcome::tests::rumour;

    #[test]
    fn contested_expectation_is_checked_against_the_store() {
        let mara = NpcId::new("Mara").unwrap();
        let held = |contested: bool, id: &str, by: Option<&str>| {
            let (store, _) = rumour(contested);
            let by = by.map(|by| MemoryId::new(by).unwrap());
            let found =
                NpcEntries::of(&store, &mara).unwrap().contested(&MemoryId::new(id).unwrap(), by.as_ref());
            (found.holds, found.how)
        };
        for (id, by) in [("seen", None), ("seen", Some("heard")), ("heard", Some("seen"))] {
            assert!(held(true, id, by).0, "{id} {by:?}");
        }
        assert_eq!(held(true, "seen", Some("rain")), (false, "it is contested with heard".to_owned()));
        assert_eq!(held(true, "rain", None), (false, "it is active, and nothing contests it".to_owned()));
        assert!(!held(false, "seen", None).0);
    }
}

//! What expectations came to.

mod mind;
mod told;

use nightfold::SleepError;
use nightfold_memory::{Embedder, MemoryId, MemoryReader, NpcId, NpcNight, RunReport, Vectors};
use serde::Serialize;

use self::mind::Mind;
use crate::{
    compared::Comparisons,
    read::{Expectation, Expected, OneNight, Scenario, Within},
    story::story,
};

/// What an expectation came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Checked {
    /// Whose memory it is about; `None` where it is about all together, or anybody.
    pub npc: Option<NpcId>,
    /// The memory it is about, if it is about one.
    pub id: Option<MemoryId>,
    /// After which night it was checked, from 1.
    pub night: usize,
    /// The line of `scenario.toml` where it stands, from 1.
    pub line: usize,
    /// What was expected, as a sentence.
    pub expected: String,
    /// Its author's reason.
    pub because: Option<String>,
    /// True if it is so.
    pub holds: bool,
    /// The state that was found.
    pub found: String,
    /// The steps by which that came about, a sentence for each, and the comparison that came closest to what was expected; empty where it
    /// holds.
    pub reasons: Vec<String>,
}

/// What a check found.
struct Found {
    holds: bool,
    how: String,
    /// What to tell the story of, where it does not hold.
    about: Vec<MemoryId>,
}

impl Found {
    fn new(holds: bool, how: impl Into<String>) -> Self {
        Self { holds, how: how.into(), about: Vec::new() }
    }

    fn about(mut self, ids: &[MemoryId]) -> Self {
        self.about = ids.to_vec();
        self
    }
}

/// Holds an entry against the expectation that it is contested, and says how it is.
#[cfg(test)]
pub(crate) fn contested(
    store: &dyn MemoryReader,
    npc: &NpcId,
    id: &MemoryId,
    by: Option<&MemoryId>,
) -> Result<(bool, String), SleepError> {
    let Found { holds, how, .. } = Mind::of(store, npc)?.contested(id, by);
    Ok((holds, how))
}

/// The expectations of a scenario, checked as its nights go by.
pub(crate) struct Checks<'a> {
    scenario: &'a Scenario,
    embedder: &'a dyn Embedder,
    compared: &'a Comparisons<'a>,
    /// By their place in the file.
    done: Vec<(usize, Checked)>,
}

/// A scenario after one of its nights.
struct After<'a> {
    scenario: &'a Scenario,
    embedder: &'a dyn Embedder,
    compared: &'a Comparisons<'a>,
    store: &'a dyn MemoryReader,
    nights: &'a [Vec<NpcNight>],
}

impl<'a> Checks<'a> {
    pub(crate) fn new(
        scenario: &'a Scenario,
        embedder: &'a dyn Embedder,
        compared: &'a Comparisons<'a>,
    ) -> Self {
        Self { scenario, embedder, compared, done: Vec::new() }
    }

    /// Checks what is expected after this night, the last of these.
    pub(crate) fn after(
        &mut self,
        number: usize,
        store: &dyn MemoryReader,
        nights: &[Vec<NpcNight>],
    ) -> Result<(), SleepError> {
        let after = After {
            scenario: self.scenario,
            embedder: self.embedder,
            compared: self.compared,
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

    /// Everything that was checked, in the order of the file.
    pub(crate) fn done(mut self) -> Vec<Checked> {
        self.done.sort_by_key(|(place, _)| *place);
        self.done.into_iter().map(|(_, checked)| checked).collect()
    }
}

impl After<'_> {
    fn check(&self, expectation: &Expectation, npc: Option<&NpcId>) -> Result<Checked, SleepError> {
        let found = self.found(&expectation.expected, npc)?;
        let reasons = match npc {
            Some(npc) if !found.holds => {
                let steps = found.about.iter().flat_map(|id| story(self.nights, npc, id));
                let settings = &self.scenario.config.judge;
                steps.chain(self.compared.closest(npc, &expectation.expected, settings)).collect()
            }
            _ => Vec::new(),
        };
        Ok(Checked {
            npc: npc.cloned(),
            id: found.about.first().cloned(),
            night: expectation.after + 1,
            line: expectation.line,
            expected: told::expected(&expectation.expected, npc, self.scenario),
            because: expectation.because.clone(),
            holds: found.holds,
            found: found.how,
            reasons,
        })
    }

    fn found(&self, expected: &Expected, npc: Option<&NpcId>) -> Result<Found, SleepError> {
        Ok(match (expected, npc) {
            (Expected::Kept(id), Some(npc)) => self.mind(npc)?.kept(id),
            (Expected::Forgotten(id), Some(npc)) => self.mind(npc)?.forgotten(id),
            (Expected::Told(id), Some(npc)) => self.mind(npc)?.told(std::slice::from_ref(id)),
            (Expected::ToldTogether(ids), Some(npc)) => self.mind(npc)?.told(ids),
            (Expected::Known(id), Some(npc)) => self.mind(npc)?.known(id, self.nights),
            (Expected::Corroborated { id, times }, Some(npc)) => self.mind(npc)?.corroborated(id, *times),
            (Expected::Superseded { id, by }, Some(npc)) => {
                self.mind(npc)?.superseded(id, by.as_ref(), self.nights)
            }
            (Expected::Contested { id, by }, Some(npc)) => self.mind(npc)?.contested(id, by.as_ref()),
            (Expected::Recalled { id, query, top, wanted }, Some(npc)) => {
                let found =
                    self.mind(npc)?.recalled(id, self.vector(query)?.row(0), *top, &self.scenario.config);
                Found { holds: found.holds == *wanted, ..found }
            }
            (Expected::Mentioned { words, insight, wanted }, _) => {
                self.mentioned(npc, words, *insight, *wanted)?
            }
            (Expected::Theme { words, nights }, _) => self.theme(npc, words, *nights)?,
            (Expected::Reduction(within, night), _) => {
                let share = self.report(npc, *night).reduction;
                Found::new(
                    within.holds(&share),
                    format!("{:.1} % of the different memories are gone", share * 100.0),
                )
            }
            (Expected::ImportantKept(night), _) => self.important(npc, *night),
            (Expected::TokensUnder(most, night), _) => self.tokens(npc, *night, *most),
            (Expected::Insights(within), _) => self.active(npc, within, true)?,
            (Expected::ActiveEntries(within), _) => self.active(npc, within, false)?,
            // What is about a memory always has its owner.
            _ => Found::new(false, "nobody is named"),
        })
    }

    fn mind(&self, npc: &NpcId) -> Result<Mind<'_>, SleepError> {
        Ok(Mind::of(self.store, npc)?)
    }

    fn vector(&self, text: &str) -> Result<Vectors, SleepError> {
        Ok(self.embedder.embed(&[text])?.vectors)
    }

    /// One NPC, or everybody.
    fn those<'b>(&'b self, npc: Option<&'b NpcId>) -> Vec<&'b NpcId> {
        npc.map_or_else(|| self.scenario.npcs.keys().collect(), |npc| vec![npc])
    }

    /// The nights of days that are asked about, without upkeep.
    fn slept<'b>(
        &'b self,
        npc: Option<&'b NpcId>,
        night: OneNight,
    ) -> impl Iterator<Item = &'b NpcNight> + 'b {
        let asked =
            self.nights.iter().enumerate().filter(move |(i, _)| night.is_none_or(|night| night == *i));
        asked
            .flat_map(|(_, nights)| nights)
            .filter(move |night| npc.is_none_or(|npc| night.npc == *npc) && night.report.memories > 0)
    }

    fn report(&self, npc: Option<&NpcId>, night: OneNight) -> RunReport {
        RunReport::sum(1, self.slept(npc, night).map(|night| &night.report))
    }

    fn mentioned(
        &self,
        npc: Option<&NpcId>,
        words: &[String],
        insight: bool,
        wanted: bool,
    ) -> Result<Found, SleepError> {
        let mut those = Vec::new();
        for npc in self.those(npc) {
            those.extend(self.mind(npc)?.mentioning(words, insight));
        }
        let what = if insight { "insight" } else { "entry" };
        let how = match those.as_slice() {
            [] => format!("no active {what} does"),
            [one] => format!("one does: {one}"),
            [first, rest @ ..] => format!("{} do, such as {first}", rest.len() + 1),
        };
        Ok(Found::new(those.is_empty() != wanted, how))
    }

    fn theme(&self, npc: Option<&NpcId>, words: &[String], nights: u32) -> Result<Found, SleepError> {
        let mut best: Option<(u32, String)> = None;
        for npc in self.those(npc) {
            for theme in self.store.themes(npc)? {
                let named = theme.words.join(" ").to_lowercase();
                let met = words.iter().all(|word| named.contains(&word.to_lowercase()));
                if met && best.as_ref().is_none_or(|(most, _)| theme.nights > *most) {
                    best = Some((theme.nights, format!("{} of {npc}", theme.words.join(", "))));
                }
            }
        }
        Ok(match best {
            Some((most, name)) => Found::new(most >= nights, format!("met on {most} nights: {name}")),
            None => Found::new(false, "no theme has these words"),
        })
    }

    fn important(&self, npc: Option<&NpcId>, night: OneNight) -> Found {
        let report = self.report(npc, night);
        let how = format!("{} of {} important memories stand whole", report.important_kept, report.important);
        let lost: Vec<String> = self
            .slept(npc, night)
            .filter(|night| night.report.important_kept < night.report.important)
            .map(|night| format!("{} on {}", night.npc, night.night))
            .collect();
        let lost =
            if lost.is_empty() { String::new() } else { format!("; not those of {}", lost.join(", ")) };
        Found::new(report.important_kept == report.important, format!("{how}{lost}"))
    }

    fn tokens(&self, npc: Option<&NpcId>, night: OneNight, most: u64) -> Found {
        let cost = |night: &NpcNight| {
            let tokens = &night.report.tokens;
            // A language model is asked within the ledger, whatever all tasks would cost.
            tokens.estimate.min(tokens.budget).max(tokens.spent) as u64
        };
        let dearest = self.slept(npc, night).max_by_key(|night| cost(night));
        match dearest {
            Some(night) => {
                let how = format!("up to {} tokens, by {} on {}", cost(night), night.npc, night.night);
                Found::new(cost(night) <= most, how)
            }
            None => Found::new(true, "nobody slept"),
        }
    }

    fn active(&self, npc: Option<&NpcId>, within: &Within<u64>, insights: bool) -> Result<Found, SleepError> {
        let mut active = 0;
        for npc in self.those(npc) {
            active += self.mind(npc)?.active(insights) as u64;
        }
        Ok(Found::new(within.holds(&active), format!("{active} are active")))
    }
}

//! Planning the nights of NPCs, a town at a time.

use std::{
    collections::{BTreeMap, VecDeque},
    mem,
    time::{Duration, Instant},
};

use nightfold_consolidate::{Draft, Reconciling, Said, Synthesized, Triaged, Verdicts};
use nightfold_memory::{Day, NightLabel, NpcId, NpcNight, Past};
use nightfold_store::advance;
use rayon::prelude::*;

use crate::{
    Failure, Lived, NightError, Sleep, SleepError, Step, judging::Judging, language::Asking,
    ledger::RunLedger, vectors::VectorBook,
};

/// An NPC in the course of a run.
struct Sleeper {
    days: VecDeque<Day>,
    /// Its long-term memory as it is after the nights so far.
    past: Past,
}

/// One NPC's night in the course of a wave.
struct InBed<T> {
    npc: NpcId,
    night: NightLabel,
    step: T,
    /// What its own steps have taken.
    own: Duration,
}

impl<T> InBed<T> {
    /// Takes the next step.
    fn then<U>(self, next: impl FnOnce(T) -> Result<U, NightError>) -> Result<InBed<U>, Failure> {
        let begun = Instant::now();
        match next(self.step) {
            Ok(step) => Ok(InBed { npc: self.npc, night: self.night, step, own: self.own + begun.elapsed() }),
            Err(error) => Err(Failure { npc: self.npc, night: self.night, error }),
        }
    }
}

/// Plans nights and remembers what serves all of them.
pub(crate) struct Planner<'a> {
    ports: &'a Sleep<'a>,
    vectors: VectorBook<'a>,
    /// The language model, if there is one.
    asking: Option<Asking<'a>>,
    /// The stance judge, if there is one beside the rules.
    judging: Option<Judging<'a>>,
    /// Tokens of all NPCs together.
    ledger: RunLedger,
    /// The nights that could not be planned, in the order in which they were met.
    pub(crate) failures: Vec<Failure>,
    /// Wall seconds by step.
    pub(crate) seconds: BTreeMap<&'static str, f64>,
}

impl<'a> Planner<'a> {
    pub(crate) fn new(ports: &'a Sleep<'a>) -> Self {
        let embed = &ports.config.embed;
        let vectors = VectorBook::new(ports.embedder, ports.observer, embed.window, embed.cache);
        let asking = ports.language.map(|model| Asking::new(model, ports.config, ports.observer));
        let judging = ports.judge.map(|judge| Judging::new(judge, ports.config));
        Self {
            ports,
            vectors,
            asking,
            judging,
            ledger: RunLedger::new(ports.config),
            failures: Vec::new(),
            seconds: BTreeMap::new(),
        }
    }

    fn timed<T>(&mut self, step: Step, work: impl FnOnce(&mut Self) -> T) -> T {
        self.ports.observer.begins(step);
        let start = Instant::now();
        let done = work(self);
        *self.seconds.entry(step.as_str()).or_default() += start.elapsed().as_secs_f64();
        self.ports.observer.ends(step);
        done
    }

    /// The nights of one town of NPCs: of all of them the first, then the second of those that have one, and so on. Each
    /// wave of nights goes to `wave`, which says whether to go on. Gives whether all were slept.
    pub(crate) fn town(
        &mut self,
        town: Vec<Lived>,
        wave: &mut dyn FnMut(Vec<NpcNight>) -> bool,
    ) -> Result<bool, SleepError> {
        let mut sleepers = self.timed(Step::Past, |run| run.fall_asleep(town))?;
        while sleepers.values().any(|s| !s.days.is_empty()) {
            if self.ports.observer.stops() {
                return Ok(false);
            }
            let nights = self.wave(&mut sleepers)?;
            if !wave(nights) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn fall_asleep(&mut self, town: Vec<Lived>) -> Result<BTreeMap<NpcId, Sleeper>, SleepError> {
        let mut sleepers = BTreeMap::new();
        for (npc, days) in town {
            let past = self.ports.store.past(&npc)?;
            sleepers.insert(npc, Sleeper { days: days.into(), past });
        }
        Ok(sleepers)
    }

    /// The next night of every NPC that has one.
    fn wave(&mut self, sleepers: &mut BTreeMap<NpcId, Sleeper>) -> Result<Vec<NpcNight>, SleepError> {
        let failed_before = self.failures.len();
        let drafts = self.timed(Step::Collapse, |run| run.drafts(sleepers));
        self.timed(Step::Embed, |run| run.vectors.learn(drafts.iter().flat_map(|d| d.step.texts())))?;
        let triaged = self.timed(Step::Triage, |run| run.triage(drafts))?;
        let told = self.timed(Step::Synthesize, |run| run.synthesize(triaged));
        self.timed(Step::Embed, |run| run.vectors.learn(told.iter().flat_map(|d| d.step.texts())))?;
        let nights = self.timed(Step::Reconcile, |run| run.reconcile(told))?;
        self.timed(Step::Past, |run| run.dream_on(sleepers, &nights));
        // Whoever failed sleeps no further: later nights would rest on one that did not happen.
        let mut waiting = Vec::new();
        for failure in &self.failures[failed_before..] {
            let Some(sleeper) = sleepers.get_mut(&failure.npc) else { continue };
            waiting.extend(sleeper.days.drain(..).map(|day| Failure {
                npc: day.npc,
                night: day.night,
                error: NightError::Waits { earlier: failure.night.clone() },
            }));
        }
        self.failures.extend(waiting);
        Ok(nights)
    }

    fn keep<T>(&mut self, results: Vec<Result<InBed<T>, Failure>>) -> Vec<InBed<T>> {
        let mut fine = Vec::with_capacity(results.len());
        for result in results {
            match result {
                Ok(in_bed) => fine.push(in_bed),
                Err(failure) => self.failures.push(failure),
            }
        }
        fine
    }

    fn drafts(&mut self, sleepers: &mut BTreeMap<NpcId, Sleeper>) -> Vec<InBed<Draft>> {
        let (config, model) = (self.ports.config, self.ports.embedder.model());
        let beds: Vec<_> = sleepers
            .values_mut()
            .filter_map(|s| {
                let day = s.days.pop_front()?;
                // The last night may have the past for itself: nothing is planned after it.
                let last = s.days.is_empty();
                let past = if last { mem::replace(&mut s.past, Past::empty()) } else { s.past.clone() };
                Some((day, past))
            })
            .collect();
        let drafts = beds
            .into_par_iter()
            .map(|(day, past)| {
                InBed { npc: day.npc.clone(), night: day.night.clone(), step: day, own: Duration::ZERO }
                    .then(|day| Ok(Draft::begin(day, past, model.clone(), config)?))
            })
            .collect();
        self.keep(drafts)
    }

    fn triage(&mut self, drafts: Vec<InBed<Draft>>) -> Result<Vec<InBed<Triaged>>, SleepError> {
        let book = &self.vectors;
        let mut with_vectors = Vec::with_capacity(drafts.len());
        for mut in_bed in drafts {
            let (vectors, truncated) = book.of(&in_bed.step.texts())?;
            in_bed.step.note_truncated(truncated);
            with_vectors.push((in_bed, vectors));
        }
        let triaged = with_vectors
            .into_par_iter()
            .map(|(in_bed, vectors)| in_bed.then(|draft| Ok(draft.triage(vectors)?)))
            .collect();
        let triaged = self.keep(triaged);
        if self.ports.observer.draws() {
            self.draw(&triaged);
        }
        Ok(triaged)
    }

    /// Hands the observer a map of each night. A day that cannot be drawn is slept on all the same.
    fn draw(&self, triaged: &[InBed<Triaged>]) {
        triaged.par_iter().for_each(|in_bed| match in_bed.step.map() {
            Ok(map) => self.ports.observer.mapped(&in_bed.npc, &in_bed.night, map),
            Err(error) => tracing::warn!(%error, npc = %in_bed.npc, "a day cannot be drawn"),
        });
    }

    fn synthesize(&mut self, triaged: Vec<InBed<Triaged>>) -> Vec<InBed<Synthesized>> {
        let said = match &self.asking {
            Some(asking) => {
                let nights: Vec<_> = triaged.iter().map(|in_bed| (&in_bed.npc, &in_bed.step)).collect();
                asking.ask_all(&nights, &mut self.ledger)
            }
            None => vec![Said::default(); triaged.len()],
        };
        let told = triaged
            .into_par_iter()
            .zip(said)
            .map(|(in_bed, said)| in_bed.then(|triaged| Ok(triaged.synthesize(said))))
            .collect();
        self.keep(told)
    }

    fn reconcile(&mut self, told: Vec<InBed<Synthesized>>) -> Result<Vec<NpcNight>, SleepError> {
        let mut with_vectors = Vec::with_capacity(told.len());
        for in_bed in told {
            let (vectors, _) = self.vectors.of(&in_bed.step.texts())?;
            with_vectors.push((in_bed, vectors));
        }
        let reconciling = with_vectors
            .into_par_iter()
            .map(|(in_bed, vectors)| in_bed.then(|s| Ok(s.reconcile(vectors)?)))
            .collect();
        let reconciling = self.keep(reconciling);
        let heard = self.judge(&reconciling);
        let finish = |(in_bed, verdicts): (InBed<Reconciling>, Verdicts)| {
            in_bed.then(|reconciling| Ok(reconciling.finish(verdicts)))
        };
        let finished = reconciling.into_par_iter().zip(heard).map(finish).collect();
        let finished = self.keep(finished);
        finished.iter().for_each(|in_bed| self.ports.observer.planned(&in_bed.npc, in_bed.own));
        Ok(finished.into_iter().map(|in_bed| in_bed.step).collect())
    }

    fn judge(&mut self, reconciling: &[InBed<Reconciling>]) -> Vec<Verdicts> {
        let Some(judging) = &self.judging else { return vec![Verdicts::default(); reconciling.len()] };
        let nights: Vec<_> = reconciling.iter().map(|in_bed| (&in_bed.npc, &in_bed.step)).collect();
        judging.ask_all(&nights, &mut self.ledger, self.ports.observer)
    }

    /// Brings the NPCs that sleep again up to what they know now.
    fn dream_on(&mut self, sleepers: &mut BTreeMap<NpcId, Sleeper>, nights: &[NpcNight]) {
        for night in nights {
            let Some(sleeper) = sleepers.get_mut(&night.npc).filter(|s| !s.days.is_empty()) else { continue };
            if let Err(error) = advance(&mut sleeper.past, night) {
                self.failures.push(Failure {
                    npc: night.npc.clone(),
                    night: night.night.clone(),
                    error: error.into(),
                });
            }
        }
    }
}

//! Planning of the NPCs' nights, one batch of NPCs at a time.

use std::{
    collections::{BTreeMap, VecDeque},
    mem,
    time::{Duration, Instant},
};

use nightfold_consolidate::{Compared, Draft, LanguageAnswers, Synthesized, Triaged, Verdicts};
use nightfold_memory::effect::advance;
use nightfold_memory::{Day, LanguagePack, MemoryRecord, MemorySnapshot, NightLabel, NpcId, NpcNight};
use rayon::prelude::*;

use crate::{
    Failure, NightError, NpcDays, RunError, RunStep, Sleep, catch_panic,
    judge_scheduler::{AwaitsVerdicts, JudgeScheduler},
    language_scheduler::{LanguageScheduler, TaskSet},
    ledger::RunLedger,
    packs::pack_for,
    vector_book::VectorBook,
};

// Names of the steps in failures.
const COLLAPSE: &str = "the step `collapse`";
const COMPARE: &str = "the step `compare`";
const TRIAGE: &str = "the step `triage`";
const SYNTHESIZE: &str = "the step `synthesize`";
const RECONCILE: &str = "the step `reconcile`";
const ADVANCE: &str = "the step `past`";
const ASK_MODEL: &str = "asking the language model";
const ASK_JUDGE: &str = "asking the judge";

/// State of an NPC during a run.
struct NpcState {
    days: VecDeque<Day>,
    /// Long-term memory of the NPC after the nights planned so far.
    snapshot: MemorySnapshot,
}

/// One NPC's night that is being planned, after its step `T`.
struct InFlight<'a, T> {
    npc: NpcId,
    pack: &'a dyn LanguagePack,
    night: NightLabel,
    step: T,
    /// Time of the steps done for this night alone.
    own_time: Duration,
}

impl<'a, T> InFlight<'a, T> {
    /// Returns the failure of a night whose questions made the language model or the judge panic.
    fn panicked(self, step: &'static str, message: String) -> Failure {
        Failure { npc: self.npc, night: self.night, error: NightError::Panicked { step, message } }
    }

    /// Runs the next step. A panic fails only this night.
    fn then<U>(
        self,
        name: &'static str,
        next: impl FnOnce(T, &'a dyn LanguagePack) -> Result<U, NightError>,
    ) -> Result<InFlight<'a, U>, Failure> {
        let begun = Instant::now();
        let Self { npc, pack, night, step, own_time: own } = self;
        match catch_panic(|| next(step, pack)) {
            Ok(Ok(step)) => Ok(InFlight { npc, pack, night, step, own_time: own + begun.elapsed() }),
            Ok(Err(error)) => Err(Failure { npc, night, error }),
            Err(message) => Err(Failure { npc, night, error: NightError::Panicked { step: name, message } }),
        }
    }
}

/// Plans nights; holds the vectors, ledger and schedulers that all nights of a run share.
pub(crate) struct Planner<'a> {
    ports: &'a Sleep<'a>,
    vectors: VectorBook<'a>,
    /// The language model, if there is one.
    language_scheduler: Option<LanguageScheduler<'a>>,
    /// The stance judge, if there is one in addition to the rules.
    judge_scheduler: Option<JudgeScheduler<'a>>,
    /// Token ledger of all NPCs together.
    ledger: RunLedger,
    /// The nights that could not be planned, in the order in which they failed.
    pub(crate) failures: Vec<Failure>,
    /// Wall-clock seconds by step.
    pub(crate) seconds: BTreeMap<&'static str, f64>,
}

impl<'a> Planner<'a> {
    pub(crate) fn new(ports: &'a Sleep<'a>) -> Self {
        let vectors = VectorBook::new(ports.embedder, ports.observer, ports.config.embed.cache);
        let language_scheduler = ports.language.map(|model| LanguageScheduler::new(model, ports.observer));
        let judge_scheduler = ports.judge.map(JudgeScheduler::new);
        Self {
            ports,
            vectors,
            language_scheduler,
            judge_scheduler,
            ledger: RunLedger::new(ports.config),
            failures: Vec::new(),
            seconds: BTreeMap::new(),
        }
    }

    /// Returns the tokens of all questions, also of nights that failed after they had asked.
    pub(crate) fn tokens_spent(&self) -> usize {
        self.ledger.spent()
    }

    fn timed<T>(&mut self, step: RunStep, work: impl FnOnce(&mut Self) -> T) -> T {
        self.ports.observer.on_step_begin(step);
        let start = Instant::now();
        let done = work(self);
        *self.seconds.entry(step.as_str()).or_default() += start.elapsed().as_secs_f64();
        self.ports.observer.on_step_end(step);
        done
    }

    /// Plans the nights of one batch of NPCs in rounds: the first night of every NPC, then the second of
    /// those that have one, and so on. Each round of nights is passed to the callback, which returns false to
    /// stop. Returns true if all rounds were planned.
    pub(crate) fn plan_batch(
        &mut self,
        batch: Vec<NpcDays>,
        on_round: &mut dyn FnMut(Vec<NpcNight>) -> bool,
    ) -> Result<bool, RunError> {
        let mut states = self.timed(RunStep::Past, |run| run.load(batch))?;
        while states.values().any(|s| !s.days.is_empty()) {
            if self.ports.observer.should_stop() {
                return Ok(false);
            }
            let nights = self.plan_round(&mut states)?;
            if !on_round(nights) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn load(&mut self, batch: Vec<NpcDays>) -> Result<BTreeMap<NpcId, NpcState>, RunError> {
        let mut states = BTreeMap::new();
        for (npc, days) in batch {
            let mut past = self.ports.store.snapshot(&npc)?;
            past.add_recalled(self.recalled(&npc, days.first())?);
            states.insert(npc, NpcState { days: days.into(), snapshot: past });
        }
        Ok(states)
    }

    /// Returns the faint entries that an NPC recalled before the end of a day and of which the store does not know that.
    fn recalled(&self, npc: &NpcId, day: Option<&Day>) -> Result<Vec<MemoryRecord>, RunError> {
        let mut records = Vec::new();
        for (id, at) in day.into_iter().flat_map(|day| &day.recalled) {
            if let Some(record) = self.ports.store.entry(npc, id)?.filter(MemoryRecord::is_faint) {
                records.push(MemoryRecord { recalled_at: Some(*at), ..record });
            }
        }
        Ok(records)
    }

    /// Plans the next night of every NPC that has one.
    fn plan_round(&mut self, states: &mut BTreeMap<NpcId, NpcState>) -> Result<Vec<NpcNight>, RunError> {
        let failed_before = self.failures.len();
        let drafts = self.timed(RunStep::Collapse, |run| run.drafts(states))?;
        self.timed(RunStep::Embed, |run| {
            run.vectors.embed_missing(drafts.iter().flat_map(|d| d.step.texts()))
        })?;
        self.check_abandoned()?;
        let triaged = self.timed(RunStep::Triage, |run| run.triage(drafts))?;
        let told = self.timed(RunStep::Synthesize, |run| run.synthesize(triaged));
        self.timed(RunStep::Embed, |run| {
            run.vectors.embed_missing(told.iter().flat_map(|d| d.step.texts()))
        })?;
        self.check_abandoned()?;
        let nights = self.timed(RunStep::Reconcile, |run| run.reconcile(told))?;
        self.timed(RunStep::Past, |run| run.advance_all(states, &nights));
        // Later nights of an NPC whose night failed are not planned: they depend on the failed one.
        let mut waiting = Vec::new();
        for failure in &self.failures[failed_before..] {
            let Some(state) = states.get_mut(&failure.npc) else { continue };
            waiting.extend(state.days.drain(..).map(|day| Failure {
                npc: day.npc,
                night: day.night,
                error: NightError::Blocked { earlier: failure.night.clone() },
            }));
        }
        self.failures.extend(waiting);
        Ok(nights)
    }

    fn check_abandoned(&self) -> Result<(), RunError> {
        if self.ports.observer.is_abandoned() { Err(RunError::Abandoned) } else { Ok(()) }
    }

    fn take_successes<'p, T>(
        &mut self,
        results: Vec<Result<InFlight<'p, T>, Failure>>,
    ) -> Vec<InFlight<'p, T>> {
        let mut fine = Vec::with_capacity(results.len());
        for result in results {
            match result {
                Ok(in_flight) => fine.push(in_flight),
                Err(failure) => self.failures.push(failure),
            }
        }
        fine
    }

    fn drafts(
        &mut self,
        states: &mut BTreeMap<NpcId, NpcState>,
    ) -> Result<Vec<InFlight<'a, Draft>>, RunError> {
        let (config, model) = (self.ports.config, self.ports.embedder.model());
        let packs = self.ports.packs;
        let ready: Vec<_> = states
            .values_mut()
            .filter_map(|s| {
                let day = s.days.pop_front()?;
                // The last night can take the snapshot without cloning: nothing is planned after it.
                let last = s.days.is_empty();
                let past = if last {
                    mem::replace(&mut s.snapshot, MemorySnapshot::empty())
                } else {
                    s.snapshot.clone()
                };
                Some(pack_for(&day, packs, config).map(|pack| (day, past, pack)))
            })
            .collect::<Result<_, _>>()?;
        let drafts = ready
            .into_par_iter()
            .map(|(day, past, pack)| {
                let (npc, night) = (day.npc.clone(), day.night.clone());
                InFlight { npc, pack, night, step: day, own_time: Duration::ZERO }
                    .then(COLLAPSE, |day, pack| Ok(Draft::begin(day, past, model.clone(), config, pack)?))
            })
            .collect();
        Ok(self.take_successes(drafts))
    }

    fn triage<'p>(
        &mut self,
        drafts: Vec<InFlight<'p, Draft>>,
    ) -> Result<Vec<InFlight<'p, Triaged>>, RunError> {
        let book = &self.vectors;
        let mut with_vectors = Vec::with_capacity(drafts.len());
        for mut in_flight in drafts {
            let embedded = book.of(&in_flight.step.texts())?;
            in_flight.step.note_truncated(&embedded.truncated);
            in_flight.step.note_grammar(embedded.grammar);
            with_vectors.push((in_flight, embedded.vectors));
        }
        let compared = with_vectors
            .into_par_iter()
            .map(|(in_flight, vectors)| {
                in_flight.then(COMPARE, |draft, pack| Ok(draft.compare(vectors, pack)?))
            })
            .collect();
        let compared: Vec<InFlight<'p, Compared>> = self.take_successes(compared);
        let heard = self.judge(&compared);
        if self.ports.observer.wants_comparisons() {
            self.send_comparisons(&compared, &heard);
        }
        let triaged = compared
            .into_par_iter()
            .zip(heard)
            .map(|(in_flight, verdicts)| match verdicts {
                Ok(verdicts) => in_flight.then(TRIAGE, |compared, pack| Ok(compared.triage(verdicts, pack)?)),
                Err(message) => Err(in_flight.panicked(ASK_JUDGE, message)),
            })
            .collect();
        let triaged = self.take_successes(triaged);
        if self.ports.observer.wants_map() {
            self.send_maps(&triaged);
        }
        Ok(triaged)
    }

    /// Passes a map of each night to the observer. A failed map does not fail the night.
    fn send_maps(&self, triaged: &[InFlight<'_, Triaged>]) {
        triaged.par_iter().for_each(|in_flight| match catch_panic(|| in_flight.step.map(in_flight.pack)) {
            Ok(Ok(map)) => self.ports.observer.on_map(&in_flight.npc, &in_flight.night, map),
            Ok(Err(error)) => tracing::warn!(%error, npc = %in_flight.npc, "a day cannot be drawn"),
            Err(panic) => tracing::error!(panic, npc = %in_flight.npc, "drawing a day panicked"),
        });
    }

    /// Passes the comparisons of each night to the observer.
    fn send_comparisons(&self, compared: &[InFlight<'_, Compared>], heard: &[Result<Verdicts, String>]) {
        let told = compared
            .par_iter()
            .zip(heard)
            .filter_map(|(in_flight, verdicts)| Some((in_flight, verdicts.as_ref().ok()?)));
        told.for_each(|(in_flight, verdicts)| {
            match catch_panic(|| in_flight.step.judged(verdicts, in_flight.pack)) {
                Ok(judged) => self.ports.observer.on_compared(&in_flight.npc, &in_flight.night, judged),
                Err(panic) => {
                    tracing::error!(panic, npc = %in_flight.npc, "telling what was compared panicked");
                }
            }
        });
    }

    fn synthesize<'p>(&mut self, triaged: Vec<InFlight<'p, Triaged>>) -> Vec<InFlight<'p, Synthesized>> {
        let said = match &self.language_scheduler {
            Some(asking) => {
                let nights: Vec<(_, &dyn TaskSet, _)> = triaged
                    .iter()
                    .map(|in_flight| (&in_flight.npc, &in_flight.step as _, in_flight.pack))
                    .collect();
                asking.ask_all(&nights, &mut self.ledger)
            }
            None => vec![Ok(LanguageAnswers::default()); triaged.len()],
        };
        let told = triaged
            .into_par_iter()
            .zip(said)
            .map(|(in_flight, said)| match said {
                Ok(said) => in_flight.then(SYNTHESIZE, |triaged, pack| Ok(triaged.synthesize(said, pack))),
                Err(message) => Err(in_flight.panicked(ASK_MODEL, message)),
            })
            .collect();
        self.take_successes(told)
    }

    fn reconcile(&mut self, told: Vec<InFlight<'_, Synthesized>>) -> Result<Vec<NpcNight>, RunError> {
        let mut with_vectors = Vec::with_capacity(told.len());
        for in_flight in told {
            let embedded = self.vectors.of(&in_flight.step.texts())?;
            with_vectors.push((in_flight, embedded.vectors));
        }
        let reconciling = with_vectors
            .into_par_iter()
            .map(|(in_flight, vectors)| in_flight.then(RECONCILE, |s, pack| Ok(s.reconcile(vectors, pack)?)))
            .collect();
        let reconciling = self.take_successes(reconciling);
        let heard = self.judge(&reconciling);
        let finished = reconciling
            .into_par_iter()
            .zip(heard)
            .map(|(in_flight, verdicts)| match verdicts {
                Ok(verdicts) => {
                    in_flight.then(RECONCILE, |reconciling, pack| Ok(reconciling.finish(verdicts, pack)))
                }
                Err(message) => Err(in_flight.panicked(ASK_JUDGE, message)),
            })
            .collect();
        let finished = self.take_successes(finished);
        finished
            .iter()
            .for_each(|in_flight| self.ports.observer.on_planned(&in_flight.npc, in_flight.own_time));
        Ok(finished.into_iter().map(|in_flight| in_flight.step).collect())
    }

    fn judge<W: AwaitsVerdicts>(&mut self, waiting: &[InFlight<'_, W>]) -> Vec<Result<Verdicts, String>> {
        let Some(judging) = &self.judge_scheduler else {
            return vec![Ok(Verdicts::default()); waiting.len()];
        };
        let nights: Vec<_> =
            waiting.iter().map(|in_flight| (&in_flight.npc, &in_flight.step, in_flight.pack)).collect();
        judging.ask_all(&nights, &mut self.ledger, self.ports.observer)
    }

    /// Applies the planned nights, one of each NPC, to the snapshots of the NPCs that have another night.
    fn advance_all(&mut self, states: &mut BTreeMap<NpcId, NpcState>, nights: &[NpcNight]) {
        let nights: BTreeMap<&NpcId, &NpcNight> = nights.iter().map(|night| (&night.npc, night)).collect();
        let waiting = states.par_iter_mut().filter(|(_, state)| !state.days.is_empty());
        let failed = waiting.filter_map(|(npc, state)| {
            let night = nights.get(npc)?;
            let error = match catch_panic(|| advance(&mut state.snapshot, night)) {
                Ok(Ok(())) => return None,
                Ok(Err(error)) => error.into(),
                Err(message) => NightError::Panicked { step: ADVANCE, message },
            };
            Some(Failure { npc: npc.clone(), night: night.night.clone(), error })
        });
        self.failures.extend(failed.collect::<Vec<_>>());
    }
}

#[cfg(test)]
mod tests {
    use nightfold_english::English;

    use super::*;

    fn in_flight(npc: &str) -> InFlight<'static, &'static str> {
        let (npc, night) = (NpcId::new(npc).unwrap(), NightLabel::new("day-0").unwrap());
        InFlight { npc, pack: &English, night, step: "lived", own_time: Duration::ZERO }
    }

    #[test]
    fn step_that_panics_fails_its_own_night_alone() {
        let fails = |of: &'static str| {
            move |_: &str, _: &dyn LanguagePack| -> Result<usize, NightError> {
                Ok(of.strip_prefix('A').unwrap().len())
            }
        };
        let done: Vec<_> =
            ["Ann", "Tom", "Abe"].into_par_iter().map(|of| in_flight(of).then(TRIAGE, fails(of))).collect();
        assert_eq!(done.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
        let Some(Err(Failure { npc, night, error: NightError::Panicked { step, message } })) =
            done.into_iter().nth(1)
        else {
            panic!()
        };
        assert_eq!((npc.as_str(), night.as_str(), step), ("Tom", "day-0", TRIAGE));
        assert!(message.contains("None"), "{message}");
    }
}

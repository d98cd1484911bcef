//! Running the steps of a night for many NPCs.

use std::{
    collections::{BTreeMap, VecDeque},
    mem,
    time::{Duration, Instant},
};

use nightfold_consolidate::{Draft, Reconciling, Said, Synthesized, Triaged, Verdicts};
use nightfold_memory::{
    Day, Embedder, LanguageModel, MemoryStore, NightLabel, NightPlan, NpcId, NpcNight, Outcome, PLAN_FORMAT,
    Past, RunReport, StanceJudge, StoreError, ValidConfig,
};
use nightfold_store::advance;
use rayon::prelude::*;

use crate::{
    Failure, NightError, Observer, SleepError, Step, apply::GROUP, days::Days, judging::Judging,
    language::Asking, ledger::RunLedger, vectors::VectorBook,
};

/// Who sleeps with what: the ports of a run.
#[derive(Clone, Copy)]
pub struct Sleep<'a> {
    /// How to sleep.
    pub config: &'a ValidConfig,
    /// Texts to vectors.
    pub embedder: &'a dyn Embedder,
    /// Long-term memory: read, and written by [`Sleep::apply`] alone.
    pub store: &'a dyn MemoryStore,
    /// Words for syntheses and reflections; without it the rules find them.
    pub language: Option<&'a dyn LanguageModel>,
    /// Who says whether two close statements say the same; without it the rules do. Where `judge.by` is `rules` in the
    /// configuration, it is asked of what the rules do not take for known at first sight.
    pub judge: Option<&'a dyn StanceJudge>,
    /// Is told how the run gets on.
    pub observer: &'a dyn Observer,
}

/// What a run came to.
#[derive(Debug)]
pub struct Slept {
    /// All nights that could be planned, by NPC and then in order of time.
    pub plan: NightPlan,
    /// The nights that did not happen.
    pub failures: Vec<Failure>,
    /// How many nights were written.
    pub written: usize,
    /// Wall seconds by step.
    pub seconds: BTreeMap<&'static str, f64>,
}

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

impl Sleep<'_> {
    /// Plans the nights of all days. Writes nothing; each NPC's later nights are planned as if the earlier ones
    /// had been applied.
    ///
    /// # Errors
    /// [`SleepError`] when the embedder or the store fails as a whole. What fails for one NPC stands in
    /// [`Slept::failures`].
    pub fn plan(&self, days: Days) -> Result<Slept, SleepError> {
        Run::new(self, None).all(days)
    }

    /// Plans the nights of all days and writes each as soon as its group is planned.
    ///
    /// # Errors
    /// As [`Sleep::plan`]; nights written before stay written.
    pub fn apply(&self, days: Days) -> Result<Slept, SleepError> {
        Run::new(self, Some(self.store.begin_run()?)).all(days)
    }
}

struct Run<'a> {
    ports: &'a Sleep<'a>,
    /// The store's number for this run, if it writes.
    number: Option<u64>,
    vectors: VectorBook<'a>,
    /// The language model, if there is one.
    asking: Option<Asking<'a>>,
    /// The stance judge, if there is one beside the rules.
    judging: Option<Judging<'a>>,
    /// Tokens of all NPCs together.
    ledger: RunLedger,
    nights: Vec<NpcNight>,
    failures: Vec<Failure>,
    written: usize,
    seconds: BTreeMap<&'static str, f64>,
}

impl<'a> Run<'a> {
    fn new(ports: &'a Sleep<'a>, number: Option<u64>) -> Self {
        let embed = &ports.config.embed;
        let vectors = VectorBook::new(ports.embedder, ports.observer, embed.window, embed.cache);
        let asking = ports.language.map(|model| Asking::new(model, ports.config, ports.observer));
        let judging = ports.judge.map(|judge| Judging::new(judge, ports.config));
        Self {
            ports,
            number,
            vectors,
            asking,
            judging,
            ledger: RunLedger::new(ports.config),
            nights: Vec::new(),
            failures: Vec::new(),
            written: 0,
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

    fn all(mut self, days: Days) -> Result<Slept, SleepError> {
        let mut waiting = days.into_iter().peekable();
        while waiting.peek().is_some() {
            let town: Days = waiting.by_ref().take(self.ports.config.run.npcs).collect();
            let mut sleepers = self.timed(Step::Past, |run| run.fall_asleep(town))?;
            while sleepers.values().any(|s| !s.days.is_empty()) {
                self.wave(&mut sleepers)?;
            }
        }
        // Waves give the nights of many NPCs; a plan gives those of one after the other.
        self.nights.sort_by(|a, b| (&a.npc, a.at, &a.night).cmp(&(&b.npc, b.at, &b.night)));
        // Stable: an NPC's failures stay in the order of its nights.
        self.failures.sort_by(|a, b| a.npc.cmp(&b.npc));
        let npcs = self.nights.chunk_by(|a, b| a.npc == b.npc).count();
        let report = RunReport::sum(npcs, self.nights.iter().map(|n| &n.report));
        let plan = NightPlan { format: PLAN_FORMAT, nights: self.nights, report };
        Ok(Slept { plan, failures: self.failures, written: self.written, seconds: self.seconds })
    }

    fn fall_asleep(&mut self, town: Days) -> Result<BTreeMap<NpcId, Sleeper>, SleepError> {
        let mut sleepers = BTreeMap::new();
        for (npc, days) in town {
            let past = self.ports.store.past(&npc)?;
            sleepers.insert(npc, Sleeper { days: days.into(), past });
        }
        Ok(sleepers)
    }

    /// The next night of every NPC that has one.
    fn wave(&mut self, sleepers: &mut BTreeMap<NpcId, Sleeper>) -> Result<(), SleepError> {
        let drafts = self.timed(Step::Collapse, |run| run.drafts(sleepers));
        self.timed(Step::Embed, |run| run.vectors.learn(drafts.iter().flat_map(|d| d.step.texts())))?;
        let triaged = self.timed(Step::Triage, |run| run.triage(drafts))?;
        let told = self.timed(Step::Synthesize, |run| run.synthesize(triaged));
        self.timed(Step::Embed, |run| run.vectors.learn(told.iter().flat_map(|d| d.step.texts())))?;
        let nights = self.timed(Step::Reconcile, |run| run.reconcile(told))?;
        let nights = self.timed(Step::Commit, |run| run.commit(nights))?;
        self.timed(Step::Commit, |run| run.dream_on(sleepers, &nights));
        self.ports.observer.nights(nights.len());
        self.nights.extend(nights);
        // Whoever failed sleeps no further: later nights would rest on one that did not happen.
        let mut waiting = Vec::new();
        for failure in &self.failures {
            let Some(sleeper) = sleepers.get_mut(&failure.npc) else { continue };
            waiting.extend(sleeper.days.drain(..).map(|day| Failure {
                npc: day.npc,
                night: day.night,
                error: NightError::Waits { earlier: failure.night.clone() },
            }));
        }
        self.failures.extend(waiting);
        Ok(())
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

    /// Writes the nights, if this run writes; gives those that happened.
    fn commit(&mut self, nights: Vec<NpcNight>) -> Result<Vec<NpcNight>, StoreError> {
        let Some(number) = self.number else { return Ok(nights) };
        let mut happened = Vec::with_capacity(nights.len());
        let mut nights = nights.into_iter().peekable();
        while nights.peek().is_some() {
            let group: Vec<NpcNight> = nights.by_ref().take(GROUP).collect();
            let outcomes = self.ports.store.apply(number, &group)?;
            for (night, outcome) in group.into_iter().zip(outcomes) {
                match outcome {
                    Ok(outcome) => {
                        self.written += usize::from(matches!(outcome, Outcome::Applied { .. }));
                        happened.push(night);
                    }
                    Err(error) => {
                        self.failures.push(Failure {
                            npc: night.npc,
                            night: night.night,
                            error: error.into(),
                        });
                    }
                }
            }
        }
        Ok(happened)
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

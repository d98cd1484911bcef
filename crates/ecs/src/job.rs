//! Jobs of the pool: planning batches of nights, writing planned nights, answering questions.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use nightfold::english::Packs;
use nightfold::{
    Days, Maintenance, MaintenanceTasks, NightError, Observer, RunError, Sleep, catch_panic,
    consolidate::RecallIndex,
    memory::{Config, Day, GameTime, MemoryId, MemoryStore, NpcId, NpcNight, Outcome, StoreError},
};

use crate::{
    NightFailure, NightSummary, Panicked, QuestionError, RecallAnswered, RecallQuestion,
    ports::Ports,
    question::{MadeIndex, PendingQuestion, index_of},
    today::Today,
    workers::StopFlag,
};

/// Result of a job.
pub(crate) enum JobReport {
    Planned(Vec<(NightAttempt, PlanResult)>),
    Written(Vec<(NpcId, NightResult)>),
    Answered {
        /// Number of the question.
        number: u64,
        answer: RecallAnswered,
        /// Index of the NPC, if it was made for the question.
        made: Option<MadeIndex>,
        /// True if an index was to be made for it.
        read_store: bool,
    },
    /// Index of an NPC; `None` if the store cannot be read.
    Indexed(Option<MadeIndex>),
    DayEmbedded,
}

/// Result of planning one NPC's night or maintenance.
pub(crate) type PlanResult = Result<PlannedWork, NightFailure>;
/// Result of writing one NPC's night or maintenance.
pub(crate) type NightResult = Result<Completed, NightFailure>;

/// Plan of a night or of maintenance.
pub(crate) enum PlannedWork {
    Night(Box<NpcNight>),
    /// Maintenance with nothing to do, of long-term memory in this version.
    Unchanged(u64),
}

/// Identity of a planned night.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NightAttempt {
    pub(crate) npc: NpcId,
    /// Number of the attempt; only an NPC's last attempt counts.
    pub(crate) attempt: u64,
}

/// Result of a night that was written, or of maintenance.
pub(crate) struct Completed {
    /// Version of long-term memory afterwards.
    pub(crate) version: u64,
    /// Result of writing it; `None` if there was nothing to do.
    pub(crate) written: Option<Written>,
}

/// Result of a night that was written, as far as the world learns it.
pub(crate) struct Written {
    /// Tags of the NPC on that night.
    pub(crate) npc_tags: Vec<String>,
    pub(crate) summary: Arc<NightSummary>,
    pub(crate) index: Option<Arc<RecallIndex>>,
    pub(crate) spent: u64,
}

/// An NPC of a batch.
pub(crate) struct BatchMember {
    pub(crate) attempt: NightAttempt,
    pub(crate) day: Arc<Day>,
    /// Set when the NPC wakes: nothing more is asked for it.
    pub(crate) woken: Arc<AtomicBool>,
    /// Tokens that were granted to the night when it began.
    pub(crate) granted: u64,
}

/// NPCs whose nights are planned together.
pub(crate) struct NightBatch {
    pub(crate) ports: Ports,
    pub(crate) members: Vec<BatchMember>,
    /// Tokens that a language model may use for the whole batch.
    pub(crate) tokens: u64,
}

/// Observer that stops asking the models for NPCs that woke, and gives the batch up once nobody needs it.
struct WakeObserver<'a> {
    woken: BTreeMap<&'a NpcId, &'a AtomicBool>,
    stop: &'a StopFlag,
}

impl Observer for WakeObserver<'_> {
    fn is_cancelled(&self, npc: &NpcId) -> bool {
        self.stop.is_set() || self.woken.get(npc).is_some_and(|woken| woken.load(Ordering::Relaxed))
    }

    fn is_abandoned(&self) -> bool {
        self.stop.is_set()
    }
}

impl NightBatch {
    /// Plans the nights; writes nothing. If the batch fails as a whole, each NPC is retried alone and by the
    /// rules. If a language model or a judge panics, only the NPCs that asked it are retried. A text that
    /// cannot be embedded thus fails one night, a panicking language model fails none, and no token is spent
    /// twice.
    pub(crate) fn plan(self, stop: &StopFlag) -> JobReport {
        let rules_only = self.ports.rules_only();
        let all: Vec<&BatchMember> = self.members.iter().collect();
        let plan_alone = |member: &BatchMember| {
            let plans = panic_as_error(|| self.run(&[member], &rules_only, stop));
            plans.unwrap_or_else(|error| vec![(member.attempt.clone(), Err(error))])
        };
        let planned = match panic_as_error(|| self.run(&all, &self.ports, stop)) {
            Err(_) if all.len() > 1 || self.ports.uses_models() => {
                self.members.iter().flat_map(plan_alone).collect()
            }
            Err(error) => {
                all.first().map(|member| (member.attempt.clone(), Err(error))).into_iter().collect()
            }
            Ok(plans) if self.ports.uses_models() => {
                let rules_after_panic =
                    |(member, planned): (&BatchMember, (NightAttempt, PlanResult))| match planned.1 {
                        Err(NightFailure::Night(NightError::Panicked { .. })) => plan_alone(member),
                        _ => vec![planned],
                    };
                self.members.iter().zip(plans).flat_map(rules_after_panic).collect()
            }
            Ok(plans) => plans,
        };
        JobReport::Planned(planned)
    }

    fn run(
        &self,
        members: &[&BatchMember],
        ports: &Ports,
        stop: &StopFlag,
    ) -> Result<Vec<(NightAttempt, PlanResult)>, NightFailure> {
        let mut config = Config::clone(&ports.config);
        config.language.tokens_per_run = config.language.tokens_per_run.min(self.tokens);
        let config = config.check()?;
        let woken = members.iter().map(|s| (&s.attempt.npc, &*s.woken)).collect();
        let sleep = Sleep {
            config: &config,
            packs: &Packs,
            embedder: &*ports.embedder,
            store: &*ports.store,
            language: ports.language.as_deref().filter(|_| self.tokens > 0),
            judge: ports.judge.as_deref(),
            observer: &WakeObserver { woken, stop },
        };
        let days: Days = members.iter().map(|s| (s.attempt.npc.clone(), vec![Day::clone(&s.day)])).collect();
        let slept = sleep.plan(days)?;
        let mut plans: BTreeMap<NpcId, PlanResult> = slept
            .plan
            .nights
            .into_iter()
            .map(|night| (night.npc.clone(), Ok(PlannedWork::Night(Box::new(night)))))
            .collect();
        plans.extend(slept.failures.into_iter().map(|f| (f.npc, Err(f.error.into()))));
        let plan = |s: &&BatchMember| {
            let mut plan = plans.remove(&s.attempt.npc).unwrap_or(Err(NightFailure::Unplanned));
            // A night with a grant is planned by the rules alone after it was interrupted or a model panicked. What it
            // asked before is not known: the whole grant counts, and no night reports less than is taken for it.
            if let Ok(PlannedWork::Night(night)) = &mut plan
                && !ports.uses_models()
            {
                let granted = usize::try_from(s.granted).unwrap_or(usize::MAX);
                night.report.tokens.spent = night.report.tokens.spent.max(granted);
            }
            (s.attempt.clone(), plan)
        };
        Ok(members.iter().map(plan).collect())
    }
}

/// Maintenance of one NPC's long-term memory.
pub(crate) struct MaintenanceJob {
    pub(crate) ports: Ports,
    pub(crate) attempt: NightAttempt,
    /// Moment of the maintenance.
    pub(crate) at: GameTime,
    /// Number of active entries up to which nothing is done.
    pub(crate) least: usize,
}

impl MaintenanceJob {
    /// Plans the maintenance; writes nothing.
    pub(crate) fn plan(self) -> JobReport {
        let Self { ports, attempt, at, least } = self;
        let maintenance = Maintenance { config: &ports.config, packs: &Packs, store: &*ports.store };
        let tasks = MaintenanceTasks { now: Some(at), ..MaintenanceTasks::ALL };
        let planned = panic_as_error(|| {
            let unchanged = || -> Result<PlannedWork, NightFailure> {
                let latest = ports.store.latest_night(&attempt.npc).map_err(RunError::from)?;
                Ok(PlannedWork::Unchanged(latest.map_or(0, |latest| latest.version)))
            };
            if least > 0 && is_small(&ports, &attempt.npc, least)? {
                return unchanged();
            }
            let npcs = std::slice::from_ref(&attempt.npc);
            let open = |_: usize| Ok::<_, RunError>(&*ports.embedder);
            let plan = maintenance.plan_worded(npcs, tasks, None, open)?;
            if let Some(failure) = plan.failures.into_iter().next() {
                return Err(failure.error.into());
            }
            match plan.plan.nights.into_iter().next() {
                Some(night) => Ok(PlannedWork::Night(Box::new(night))),
                None => unchanged(),
            }
        });
        JobReport::Planned(vec![(attempt, planned)])
    }
}

/// True if an NPC has no more active entries than this.
fn is_small(ports: &Ports, npc: &NpcId, least: usize) -> Result<bool, RunError> {
    Ok(ports.store.active_page(npc, None, least.saturating_add(1))?.len() <= least)
}

/// A planned night on its way to the store.
pub(crate) struct PlannedNight {
    pub(crate) night: Box<NpcNight>,
    /// True if the NPC gets an index afterwards.
    pub(crate) recalls: bool,
    /// Entries that were recalled since the NPC's last night, and when.
    pub(crate) touched: Vec<(MemoryId, GameTime)>,
}

/// Writes nights in one transaction.
pub(crate) fn write(ports: &Ports, planned: Vec<PlannedNight>) -> JobReport {
    let store = &*ports.store;
    let npcs: Vec<NpcId> = planned.iter().map(|p| p.night.npc.clone()).collect();
    let written = panic_as_error(|| {
        touch(store, &planned);
        let (nights, recalls): (Vec<NpcNight>, Vec<bool>) =
            planned.into_iter().map(|p| (*p.night, p.recalls)).unzip();
        let outcomes = apply(store, &nights).map_err(|error| NightFailure::Store(Arc::new(error)))?;
        let results = nights.iter().zip(outcomes).zip(recalls).map(|((night, outcome), recalls)| {
            let outcome = outcome.map_err(|error| NightFailure::Store(Arc::new(error)))?;
            completed_night(ports, night, &outcome, recalls)
        });
        Ok(results.collect::<Vec<NightResult>>())
    });
    let results = match written {
        Ok(results) => npcs.into_iter().zip(results).collect(),
        Err(error) => all_failed(npcs, error),
    };
    JobReport::Written(results)
}

fn apply(
    store: &dyn MemoryStore,
    nights: &[NpcNight],
) -> Result<Vec<Result<Outcome, StoreError>>, StoreError> {
    // A run number costs a transaction of its own, which empty nights do not need.
    if nights.iter().all(NpcNight::is_empty) {
        return Ok(nights.iter().map(|_| Ok(Outcome::Empty)).collect());
    }
    store.apply(store.begin_run()?, nights)
}

/// Records in the store which entries were recalled. A failure costs no night: they only fade sooner.
fn touch(store: &dyn MemoryStore, planned: &[PlannedNight]) {
    for PlannedNight { night, touched, .. } in planned {
        let mut by_moment: BTreeMap<GameTime, Vec<MemoryId>> = BTreeMap::new();
        for (id, at) in touched {
            by_moment.entry(*at).or_default().push(id.clone());
        }
        for (at, ids) in by_moment {
            if let Err(error) = store.touch(&night.npc, &ids, at) {
                tracing::warn!(npc = %night.npc, %error, "what was recalled cannot be noted");
            }
        }
    }
}

fn completed_night(
    ports: &Ports,
    night: &NpcNight,
    outcome: &Outcome,
    recalls: bool,
) -> Result<Completed, NightFailure> {
    let version = match outcome {
        Outcome::Applied { version } => *version,
        Outcome::AlreadyApplied => night.next_version()?,
        Outcome::Empty => night.base_version,
    };
    let index = if recalls {
        match index_of(&night.npc, ports) {
            Ok(index) => Some(index),
            Err(error) => {
                // The night is written. Recall uses the old index until the next night.
                tracing::error!(npc = %night.npc, %error, "what was written could not be read back");
                None
            }
        }
    } else {
        None
    };
    let spent = night.report.tokens.spent as u64;
    let (npc_tags, summary) = (night.npc_tags.clone(), Arc::new(NightSummary::of(night, &*ports.store)));
    Ok(Completed { version, written: Some(Written { npc_tags, summary, index, spent }) })
}

/// Reports one failure for many nights: the first gets the error, the others a copy or its message.
fn all_failed(npcs: Vec<NpcId>, error: NightFailure) -> Vec<(NpcId, NightResult)> {
    let copied = match &error {
        NightFailure::Store(error) => Ok(Arc::clone(error)),
        other => Err(other.to_string()),
    };
    let mut first = Some(error);
    let failure = |npc| {
        let error = first.take().unwrap_or_else(|| match &copied {
            Ok(error) => NightFailure::Store(Arc::clone(error)),
            Err(message) => Panicked { message: message.clone() }.into(),
        });
        (npc, Err(error))
    };
    npcs.into_iter().map(failure).collect()
}

/// Answers a question from the NPC's index.
pub(crate) fn answer(pending: &PendingQuestion, ports: &Ports) -> JobReport {
    let RecallQuestion { entity, question, ticket, .. } = pending.asked.clone();
    let (memories, context, made) = match panic_as_error(|| pending.search(ports)) {
        Ok(found) => (Ok(found.memories), found.context, found.made),
        Err(error) => (Err(Arc::new(error)), None, None),
    };
    let made = made.map(|index| MadeIndex { npc: pending.npc.clone(), as_of: pending.as_of, index });
    let answer = RecallAnswered { entity, question, ticket, memories, context };
    JobReport::Answered { number: pending.number, answer, made, read_store: pending.index.is_none() }
}

/// Makes the index of an NPC from the store.
pub(crate) fn index(npc: NpcId, as_of: u64, ports: &Ports) -> JobReport {
    let made = panic_as_error(|| index_of(&npc, ports));
    if let Err(error) = &made {
        // The next question tries again, and tells the game.
        tracing::warn!(%npc, %error, "what an NPC remembers cannot be read");
    }
    JobReport::Indexed(made.ok().map(|index| MadeIndex { npc, as_of, index }))
}

/// Embeds the first memories of a day, so that a question need not wait for it.
pub(crate) fn embed_day(today: &Today, formed: usize, ports: &Ports) -> JobReport {
    let embedded: Result<(), QuestionError> = panic_as_error(|| Ok(today.embed(formed, &*ports.embedder)?));
    if let Err(error) = embedded {
        // The next question tries again, and tells the game.
        tracing::warn!(%error, "memories of a day cannot be embedded");
    }
    JobReport::DayEmbedded
}

/// Turns a panic of foreign code into an error. A job that vanished would leave its NPCs asleep for ever.
fn panic_as_error<T, E: From<Panicked>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    catch_panic(work).unwrap_or_else(|message| Err(Panicked { message }.into()))
}

//! What runs on the pool: batches of nights are planned, planned nights are written, questions find what they remind of.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use nightfold::english::Packs;
use nightfold::{
    Days, NightError, Observer, Sleep, catch_panic,
    consolidate::RecallIndex,
    memory::{
        Config, Day, Embedder, LanguageModel, MemoryStore, NpcId, NpcNight, Outcome, StanceJudge, StoreError,
        ValidConfig,
    },
};

use crate::{CameToMind, NightFailure, NightSummary, Panicked, question::Asked};

/// What a job came to.
pub(crate) enum Report {
    Planned(Vec<(Ticket, Plan)>),
    Written(Vec<(NpcId, Dawn)>),
    Answered(u64, CameToMind),
}

/// What planning one NPC's night gives.
pub(crate) type Plan = Result<Box<NpcNight>, NightFailure>;
/// What writing one NPC's night gives.
pub(crate) type Dawn = Result<Morning, NightFailure>;

/// Which night a plan is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ticket {
    pub(crate) npc: NpcId,
    /// The number of its beginning; only an NPC's last one counts.
    pub(crate) beginning: u64,
}

/// What an NPC wakes with.
pub(crate) struct Morning {
    pub(crate) version: u64,
    pub(crate) summary: Arc<NightSummary>,
    pub(crate) known: Option<Arc<RecallIndex>>,
    pub(crate) spent: u64,
}

/// What a batch works with.
#[derive(Clone)]
pub(crate) struct Ports {
    pub(crate) config: Arc<ValidConfig>,
    pub(crate) embedder: Arc<dyn Embedder>,
    pub(crate) store: Arc<dyn MemoryStore>,
    pub(crate) language: Option<Arc<dyn LanguageModel>>,
    pub(crate) judge: Option<Arc<dyn StanceJudge>>,
}

impl Ports {
    /// Whether they are the very same.
    pub(crate) fn same(&self, other: &Self) -> bool {
        both(self.language.as_ref(), other.language.as_ref())
            && both(self.judge.as_ref(), other.judge.as_ref())
            && Arc::ptr_eq(&self.config, &other.config)
            && Arc::ptr_eq(&self.embedder, &other.embedder)
            && Arc::ptr_eq(&self.store, &other.store)
    }

    /// Whether anybody is asked who may take time or tokens.
    pub(crate) fn asks(&self) -> bool {
        self.language.is_some() || self.judge.is_some()
    }

    /// The same, with the rules alone.
    pub(crate) fn by_rules(&self) -> Self {
        Self { language: None, judge: None, ..self.clone() }
    }
}

/// Whether there is none in either place, or the very same in both.
fn both<T: ?Sized>(a: Option<&Arc<T>>, b: Option<&Arc<T>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (None, None) => true,
        _ => false,
    }
}

/// An NPC of a batch.
pub(crate) struct Sleeper {
    pub(crate) ticket: Ticket,
    pub(crate) day: Arc<Day>,
    /// Set when the NPC wakes: nothing more is asked for it.
    pub(crate) woken: Arc<AtomicBool>,
}

/// NPCs whose nights are planned together.
pub(crate) struct Batch {
    pub(crate) ports: Ports,
    pub(crate) sleepers: Vec<Sleeper>,
    /// What a language model may cost for all of them.
    pub(crate) tokens: u64,
}

/// Ends the asking for NPCs that woke.
struct Waking<'a>(BTreeMap<&'a NpcId, &'a AtomicBool>);

impl Observer for Waking<'_> {
    fn wakes(&self, npc: &NpcId) -> bool {
        self.0.get(npc).is_some_and(|woken| woken.load(Ordering::Relaxed))
    }
}

impl Batch {
    /// Plans the nights; writes nothing. Where the batch fails as a whole, each NPC is tried alone and by the rules; where a
    /// language model or a judge panics, those that asked it: one text that the embedder cannot take spoils one night, a
    /// language model that panics none, and no token is spent twice.
    pub(crate) fn plan(self) -> Report {
        let by_rules = self.ports.by_rules();
        let all: Vec<&Sleeper> = self.sleepers.iter().collect();
        let alone = |sleeper: &Sleeper| {
            let plans = guarded(|| self.run(&[sleeper], &by_rules));
            plans.unwrap_or_else(|error| vec![(sleeper.ticket.clone(), Err(error))])
        };
        let planned = match guarded(|| self.run(&all, &self.ports)) {
            Err(_) if all.len() > 1 || self.ports.asks() => self.sleepers.iter().flat_map(alone).collect(),
            Err(error) => {
                all.first().map(|sleeper| (sleeper.ticket.clone(), Err(error))).into_iter().collect()
            }
            Ok(plans) if self.ports.asks() => {
                let again = |(sleeper, planned): (&Sleeper, (Ticket, Plan))| match planned.1 {
                    Err(NightFailure::Night(NightError::Panicked { .. })) => alone(sleeper),
                    _ => vec![planned],
                };
                self.sleepers.iter().zip(plans).flat_map(again).collect()
            }
            Ok(plans) => plans,
        };
        Report::Planned(planned)
    }

    fn run(&self, sleepers: &[&Sleeper], ports: &Ports) -> Result<Vec<(Ticket, Plan)>, NightFailure> {
        let mut config = Config::clone(&ports.config);
        config.language.tokens_per_run = config.language.tokens_per_run.min(self.tokens);
        let config = config.check()?;
        let woken = sleepers.iter().map(|s| (&s.ticket.npc, &*s.woken)).collect();
        let sleep = Sleep {
            config: &config,
            packs: &Packs,
            embedder: &*ports.embedder,
            store: &*ports.store,
            language: ports.language.as_deref().filter(|_| self.tokens > 0),
            judge: ports.judge.as_deref(),
            observer: &Waking(woken),
        };
        let days: Days = sleepers.iter().map(|s| (s.ticket.npc.clone(), vec![Day::clone(&s.day)])).collect();
        let slept = sleep.plan(days)?;
        let mut plans: BTreeMap<NpcId, Plan> =
            slept.plan.nights.into_iter().map(|night| (night.npc.clone(), Ok(Box::new(night)))).collect();
        plans.extend(slept.failures.into_iter().map(|f| (f.npc, Err(f.error.into()))));
        let plan = |s: &&Sleeper| {
            let plan = plans.remove(&s.ticket.npc).unwrap_or(Err(NightFailure::Unplanned));
            (s.ticket.clone(), plan)
        };
        Ok(sleepers.iter().map(plan).collect())
    }
}

/// A planned night on its way to the store.
pub(crate) struct Planned {
    pub(crate) night: Box<NpcNight>,
    /// Whether the NPC is to have an index of what it knows then.
    pub(crate) recalls: bool,
}

/// Writes nights, in one transaction.
pub(crate) fn write(store: &dyn MemoryStore, planned: Vec<Planned>) -> Report {
    let npcs: Vec<NpcId> = planned.iter().map(|p| p.night.npc.clone()).collect();
    let written = guarded(|| {
        let (nights, recalls): (Vec<NpcNight>, Vec<bool>) =
            planned.into_iter().map(|p| (*p.night, p.recalls)).unzip();
        let outcomes = apply(store, &nights).map_err(|error| NightFailure::Store(Arc::new(error)))?;
        let dawns = nights.iter().zip(outcomes).zip(recalls).map(|((night, outcome), recalls)| {
            let outcome = outcome.map_err(|error| NightFailure::Store(Arc::new(error)))?;
            morning(store, night, &outcome, recalls)
        });
        Ok(dawns.collect::<Vec<Dawn>>())
    });
    let dawns = match written {
        Ok(dawns) => npcs.into_iter().zip(dawns).collect(),
        Err(error) => all_failed(npcs, error),
    };
    Report::Written(dawns)
}

fn apply(
    store: &dyn MemoryStore,
    nights: &[NpcNight],
) -> Result<Vec<Result<Outcome, StoreError>>, StoreError> {
    // A run's number takes a transaction of its own; a town where nothing is new needs none.
    if nights.iter().all(NpcNight::is_empty) {
        return Ok(nights.iter().map(|_| Ok(Outcome::Empty)).collect());
    }
    store.apply(store.begin_run()?, nights)
}

fn morning(store: &dyn MemoryStore, night: &NpcNight, outcome: &Outcome, recalls: bool) -> Dawn {
    let version = match outcome {
        Outcome::Applied { version } => *version,
        Outcome::AlreadyApplied => night.next_version()?,
        Outcome::Empty => night.base_version,
    };
    let known = if recalls {
        match store.past(&night.npc) {
            Ok(past) => Some(Arc::new(RecallIndex::new(past.entries))),
            Err(error) => {
                // The night is written. What comes to mind is as old as the index, until the next night.
                tracing::error!(npc = %night.npc, %error, "what was written could not be read back");
                None
            }
        }
    } else {
        None
    };
    let spent = night.report.tokens.spent as u64;
    Ok(Morning { version, summary: Arc::new(NightSummary::of(night)), known, spent })
}

/// One failure of many nights: the first has it, the others its words.
fn all_failed(npcs: Vec<NpcId>, error: NightFailure) -> Vec<(NpcId, Dawn)> {
    let again = match &error {
        NightFailure::Store(error) => Ok(Arc::clone(error)),
        other => Err(other.to_string()),
    };
    let mut first = Some(error);
    let failure = |npc| {
        let error = first.take().unwrap_or_else(|| match &again {
            Ok(error) => NightFailure::Store(Arc::clone(error)),
            Err(message) => Panicked { message: message.clone() }.into(),
        });
        (npc, Err(error))
    };
    npcs.into_iter().map(failure).collect()
}

/// Finds what a question reminds of.
pub(crate) fn answer(asked: &Asked, ports: &Ports) -> Report {
    let (number, entity, question) = (asked.number, asked.entity, asked.question.clone());
    let memories = guarded(|| asked.remember(ports)).map_err(Arc::new);
    Report::Answered(number, CameToMind { entity, question, memories })
}

/// Turns a panic of somebody else's code into a failure: a job that vanished would leave its NPCs asleep for ever.
fn guarded<T, E: From<Panicked>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    catch_panic(work).unwrap_or_else(|message| Err(Panicked { message }.into()))
}

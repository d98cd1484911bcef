//! Planning of nights again and again, under changed settings.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use nightfold::english::Packs;
use nightfold::memory::effect::advance;
use nightfold::{
    Days, Failure, NoObserver, Sleep,
    consolidate::{DayMap, Draft},
    judge_questions,
    memory::{
        Day, Embedded, Embedder, MemoryReader, MemorySnapshot, NpcId, NpcNight, StanceJudge, ValidConfig,
    },
    pack_for,
};
use nightfold_report::NightEvents;

use crate::DeskError;

/// A night as planned under some configuration.
#[derive(Debug)]
pub struct ReplannedNight {
    /// The plan.
    pub night: NpcNight,
    /// Map of its memories.
    pub map: DayMap,
}

/// A night to be planned again: its day, the knowledge that the nights before it left, and its plan under the
/// base configuration.
#[derive(Debug)]
pub struct BaselineNight {
    day: Day,
    /// Knowledge of the NPC before the night.
    pub past: MemorySnapshot,
    /// The plan under the base configuration.
    pub planned: ReplannedNight,
}

/// Indices of an NPC and of one of its nights, and the night found there.
type CachedNight = ((usize, usize), Arc<BaselineNight>);

/// Plans the nights of some days as often as asked; every text is embedded once.
pub struct Replanner {
    days: Vec<(NpcId, Vec<Day>)>,
    pasts: BTreeMap<NpcId, MemorySnapshot>,
    embedder: Box<dyn Embedder>,
    /// Judge of the relation between statements; without one the rules decide.
    judge: Option<Box<dyn StanceJudge>>,
    base: ValidConfig,
    /// Index of the most eventful night of each NPC.
    opens: Vec<usize>,
    /// Index of the most eventful NPC.
    opens_npc: usize,
    /// The night asked for last: a changed setting asks for it again.
    last: Mutex<Option<CachedNight>>,
}

impl Replanner {
    /// Reads the knowledge before the days from `store`, plans all nights under `base` and so embeds all
    /// their texts, which is slow. Planning again is as fast as `embedder` returns a text that it embedded
    /// before. Returns also the nights that cannot be planned.
    ///
    /// # Errors
    /// [`DeskError`] if the store cannot be read or the embedder fails.
    pub fn new(
        days: Days,
        store: &dyn MemoryReader,
        embedder: Box<dyn Embedder>,
        judge: Option<Box<dyn StanceJudge>>,
        base: ValidConfig,
    ) -> Result<(Self, Vec<Failure>), DeskError> {
        let past = |npc: &NpcId| Ok((npc.clone(), store.snapshot(npc)?));
        let pasts = days.keys().map(past).collect::<Result<_, DeskError>>()?;
        let sleep = Sleep {
            config: &base,
            packs: &Packs,
            embedder: embedder.as_ref(),
            store,
            language: None,
            judge: judge.as_deref(),
            observer: &NoObserver,
        };
        let run = sleep.plan(days.clone())?;
        let days: Vec<(NpcId, Vec<Day>)> = days.into_iter().collect();
        let (opens, opens_npc) = most_eventful(&days, &run.plan.nights);
        let last = Mutex::default();
        Ok((Self { days, pasts, embedder, judge, base, opens, opens_npc, last }, run.failures))
    }

    /// The days of each NPC.
    pub fn days(&self) -> &[(NpcId, Vec<Day>)] {
        &self.days
    }

    /// Index of the most eventful NPC.
    pub fn opens(&self) -> usize {
        self.opens_npc
    }

    /// Index of an NPC's most eventful night; 0 for an NPC that does not exist.
    pub fn opens_night(&self, npc: usize) -> usize {
        self.opens.get(npc).copied().unwrap_or_default()
    }

    /// Returns a night by the indices of its NPC and of the night. The nights before it are planned under the
    /// base configuration, so that a changed setting changes nothing but this night.
    ///
    /// # Errors
    /// [`DeskError`] if there is no such night, or it cannot be planned.
    pub fn baseline(&self, of: (usize, usize)) -> Result<Arc<BaselineNight>, DeskError> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, baseline)) = last.as_ref().filter(|(known, _)| *known == of) {
            return Ok(Arc::clone(baseline));
        }
        let no_night = DeskError::NoNight { npc: of.0, night: of.1 };
        let Some((npc, days)) = self.days.get(of.0) else { return Err(no_night) };
        let Some(day) = days.get(of.1) else { return Err(no_night) };
        let mut past = self.pasts.get(npc).cloned().unwrap_or_else(MemorySnapshot::empty);
        for earlier in &days[..of.1] {
            let night = self.night(earlier.clone(), past.clone(), &self.base)?.night;
            advance(&mut past, &night)?;
        }
        let planned = self.night(day.clone(), past.clone(), &self.base)?;
        let baseline = Arc::new(BaselineNight { day: day.clone(), past, planned });
        *last = Some((of, Arc::clone(&baseline)));
        Ok(baseline)
    }

    /// Plans a night under another configuration, with texts written by rules.
    ///
    /// # Errors
    /// [`DeskError`] if it cannot be planned under that configuration.
    pub fn again(&self, baseline: &BaselineNight, config: &ValidConfig) -> Result<ReplannedNight, DeskError> {
        self.night(baseline.day.clone(), baseline.past.clone(), config)
    }

    fn night(
        &self,
        day: Day,
        past: MemorySnapshot,
        config: &ValidConfig,
    ) -> Result<ReplannedNight, DeskError> {
        let pack = pack_for(&day, &Packs, config)?;
        let mut draft = Draft::begin(day, past, self.embedder.model().clone(), config, pack)?;
        let Embedded { vectors, truncated, grammar } = self.embedder.embed(&draft.texts())?;
        draft.note_truncated(&truncated);
        draft.note_grammar(grammar);
        let judge = self.judge.as_deref();
        let compared = draft.compare(vectors, pack)?;
        let verdicts =
            judge_questions(judge, compared.questions(), compared.ledger(), compared.config(), pack);
        let triaged = compared.triage(verdicts, pack)?;
        let map = triaged.map(pack)?;
        let told = triaged.synthesize_by_rules(pack);
        let vectors = self.embedder.embed(&told.texts())?.vectors;
        let reconciling = told.reconcile(vectors, pack)?;
        let (asked, tokens) = (reconciling.questions(), reconciling.ledger());
        let verdicts = judge_questions(judge, asked, tokens, reconciling.config(), pack);
        Ok(ReplannedNight { night: reconciling.finish(verdicts, pack), map })
    }
}

/// Index of the most eventful night of each NPC, and of the most eventful NPC. A night that could not be
/// planned counts as uneventful.
fn most_eventful(days: &[(NpcId, Vec<Day>)], planned: &[NpcNight]) -> (Vec<usize>, usize) {
    let planned: BTreeMap<_, _> =
        planned.iter().map(|night| ((&night.npc, &night.night), NightEvents::of(night))).collect();
    let (mut nights, mut sums) = (Vec::new(), Vec::new());
    for (npc, days) in days {
        let events = days.iter().map(|day| planned.get(&(npc, &day.night)).copied().unwrap_or_default());
        nights.push(NightEvents::most(events.clone()));
        sums.push(events.fold(NightEvents::default(), |mut sum, events| {
            sum += events;
            sum
        }));
    }
    (nights, NightEvents::most(sums))
}

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
use nightfold_scenario::{CheckedExpectation, Replay, Scenario};

use crate::{
    DeskError,
    edits::{MemoryEdit, edit},
};

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
    /// The day before the night.
    pub day: Day,
    /// Knowledge of the NPC before the night.
    pub past: MemorySnapshot,
    /// The plan under the base configuration.
    pub planned: ReplannedNight,
}

/// Indices of an NPC and of one of its nights, and the night found there.
type CachedNight = ((usize, usize), Arc<BaselineNight>);

/// Days of NPCs, to be planned under changed settings.
pub enum Story {
    /// Lived days, after what a store holds.
    Days(Days, Box<dyn MemoryReader>),
    /// A scenario, which begins without memories.
    Scenario(Box<Scenario>),
}

impl Story {
    /// The days of each NPC, in order of time.
    fn days(&self) -> Days {
        match self {
            Self::Days(days, _) => days.clone(),
            Self::Scenario(scenario) => {
                let mut days = Days::new();
                for (npc, day) in scenario.nights.iter().flat_map(|night| &night.days) {
                    days.entry(npc.clone()).or_default().push(day.clone());
                }
                days
            }
        }
    }
}

/// All nights of a story under some settings, each after the ones before it.
#[derive(Debug)]
pub struct WholeStory {
    /// The nights, by NPC and in order of time; of a scenario with its maintenance.
    pub nights: Vec<NpcNight>,
    /// Nights that cannot be planned.
    pub failures: Vec<Failure>,
    /// Results of a scenario's expectations, in the order of its file.
    pub checks: Vec<CheckedExpectation>,
}

/// Plans the nights of a story as often as asked; every text is embedded once.
pub struct Replanner {
    story: Story,
    /// The days of each NPC.
    days: Vec<(NpcId, Vec<Day>)>,
    embedder: Box<dyn Embedder>,
    /// Judge of the relation between statements; without one the rules decide.
    judge: Option<Box<dyn StanceJudge>>,
    base: ValidConfig,
    /// The whole story under the base configuration.
    before: WholeStory,
    /// Index of the most eventful night of each NPC.
    opens: Vec<usize>,
    /// Index of the most eventful NPC.
    opens_npc: usize,
    /// The night asked for last: a changed setting asks for it again.
    last: Mutex<Option<CachedNight>>,
}

impl Replanner {
    /// Plans the whole story under `base` and so embeds all its texts, which is slow. Planning again is as fast
    /// as `embedder` returns a text that it embedded before.
    ///
    /// # Errors
    /// [`DeskError`] if the store cannot be read or the embedder fails.
    pub fn new(
        story: Story,
        embedder: Box<dyn Embedder>,
        judge: Option<Box<dyn StanceJudge>>,
        base: ValidConfig,
    ) -> Result<Self, DeskError> {
        let days: Vec<_> = story.days().into_iter().collect();
        let before = WholeStory { nights: Vec::new(), failures: Vec::new(), checks: Vec::new() };
        let last = Mutex::default();
        let mut made = Self { story, days, embedder, judge, base, before, opens: vec![], opens_npc: 0, last };
        made.before = made.whole(&made.base, &[])?;
        (made.opens, made.opens_npc) = most_eventful(&made.days, &made.before.nights);
        Ok(made)
    }

    /// The whole story under the base configuration.
    pub fn before(&self) -> &WholeStory {
        &self.before
    }

    /// Plans the whole story under another configuration, with changed memories.
    ///
    /// # Errors
    /// [`DeskError`] if a changed memory breaks a bound, the store cannot be read or the embedder fails.
    pub fn whole(&self, config: &ValidConfig, edits: &[MemoryEdit]) -> Result<WholeStory, DeskError> {
        let (embedder, judge, observer) = (self.embedder.as_ref(), self.judge.as_deref(), &NoObserver);
        match &self.story {
            Story::Days(days, store) => {
                let mut days = days.clone();
                for day in days.values_mut().flatten() {
                    edit(day, edits, &config.input)?;
                }
                let sleep = Sleep { judge, observer, ..Sleep::new(config, &Packs, embedder, store.as_ref()) };
                let run = sleep.plan(days)?;
                Ok(WholeStory { nights: run.plan.nights, failures: run.failures, checks: Vec::new() })
            }
            Story::Scenario(scenario) => {
                let mut scenario = Scenario { config: config.clone(), ..(**scenario).clone() };
                for day in scenario.nights.iter_mut().flat_map(|night| night.days.values_mut()) {
                    edit(day, edits, &config.input)?;
                }
                let replayed = Replay { scenario: &scenario, embedder, judge, observer }.run()?;
                let mut nights = replayed.nights.concat();
                nights.sort_by(|a, b| a.npc.cmp(&b.npc));
                Ok(WholeStory { nights, failures: replayed.failures, checks: replayed.checks })
            }
        }
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
        let mut past = match &self.story {
            Story::Days(_, store) => store.snapshot(npc)?,
            Story::Scenario(_) => MemorySnapshot::empty(),
        };
        for earlier in &days[..of.1] {
            let night = self.night(earlier.clone(), past.clone(), &self.base)?.night;
            advance(&mut past, &night)?;
        }
        let planned = self.night(day.clone(), past.clone(), &self.base)?;
        let baseline = Arc::new(BaselineNight { day: day.clone(), past, planned });
        *last = Some((of, Arc::clone(&baseline)));
        Ok(baseline)
    }

    /// Plans a night under another configuration and with changed memories, with texts written by rules.
    ///
    /// # Errors
    /// [`DeskError`] if it cannot be planned so, or a changed memory breaks a bound.
    pub fn again(
        &self,
        baseline: &BaselineNight,
        config: &ValidConfig,
        edits: &[MemoryEdit],
    ) -> Result<ReplannedNight, DeskError> {
        let mut day = baseline.day.clone();
        edit(&mut day, edits, &config.input)?;
        self.night(day, baseline.past.clone(), config)
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

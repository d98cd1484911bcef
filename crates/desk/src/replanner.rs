//! What is looked at: days and what stood before them, planned again as often as anybody likes.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use nightfold::english::Packs;
use nightfold::memory::effect::advance;
use nightfold::english::Packs;
use nightfold::memory::effect::advance;
use nightfold::{
    Days, Failure, NoObserver, Sleep,
    consolidate::{DayMap, Draft},
    memory::{
        Day, Embedded, Embedder, MemoryReader, MemorySnapshot, NpcId, NpcNight, StanceJudge, ValidConfig,
    },
    pack_for, verdicts_on,
};

use crate::DeskError;

/// A night as it is planned.
#[derive(Debug)]
pub struct Planned {
    /// The plan.
    pub night: NpcNight,
    /// Where its memories lie.
    pub map: DayMap,
}

/// A night of the story: what the nights before it left, and what the story's own configuration makes of it.
#[derive(Debug)]
pub struct Looked {
    day: Day,
    /// What the NPC knew before.
    pub past: MemorySnapshot,
    /// The night as the story has it.
    pub planned: Planned,
}

/// A night by the numbers of its NPC and of the night, and what was found there.
type Last = ((usize, usize), Arc<Looked>);

/// Days that are planned again and again: every text they bring up is embedded once.
pub struct Story {
    days: Vec<(NpcId, Vec<Day>)>,
    pasts: BTreeMap<NpcId, MemorySnapshot>,
    embedder: Box<dyn Embedder>,
    /// Judges what statements are to each other; the rules do where there is none.
    judge: Option<Box<dyn StanceJudge>>,
    base: ValidConfig,
    /// The night that was looked at last: turning a knob looks at it again.
    last: Mutex<Option<Last>>,
}

impl Story {
    /// Reads what stood before from `store` and embeds all that the days bring up under `base`, which takes its time.
    /// Planning again is as quick as `embedder` gives a text that it embedded before. Gives the nights that cannot be planned, too.
    ///
    /// # Errors
    /// [`DeskError`] when the store cannot be read or the embedder fails.
    pub fn new(
        days: Days,
        store: &dyn MemoryReader,
        embedder: Box<dyn Embedder>,
        judge: Option<Box<dyn StanceJudge>>,
        base: ValidConfig,
    ) -> Result<(Self, Vec<Failure>), DeskError> {
        let past = |npc: &NpcId| Ok((npc.clone(), store.past(npc)?));
        let pasts = days.keys().map(past).collect::<Result<_, DeskError>>()?;
        let sleep = Sleep {
            config: &base,
            packs: &Packs,
            packs: &Packs,
            embedder: embedder.as_ref(),
            store,
            language: None,
            judge: judge.as_deref(),
            observer: &NoObserver,
        };
        let failures = sleep.plan(days.clone())?.failures;
        let story =
            Self { days: days.into_iter().collect(), pasts, embedder, judge, base, last: Mutex::default() };
        Ok((story, failures))
    }

    /// Who sleeps, and on which days.
    pub fn days(&self) -> &[(NpcId, Vec<Day>)] {
        &self.days
    }

    /// A night by the numbers of its NPC and of the night. What the NPC knew before it is what the nights before left under
    /// the story's own configuration, so that nothing but this night changes when a knob is turned.
    ///
    /// # Errors
    /// [`DeskError`] when there is no such night, or it cannot be planned.
    pub fn look(&self, of: (usize, usize)) -> Result<Arc<Looked>, DeskError> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, looked)) = last.as_ref().filter(|(known, _)| *known == of) {
            return Ok(Arc::clone(looked));
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
        let looked = Arc::new(Looked { day: day.clone(), past, planned });
        *last = Some((of, Arc::clone(&looked)));
        Ok(looked)
    }

    /// Plans a night under another configuration, told by rules.
    ///
    /// # Errors
    /// [`DeskError`] when it cannot be planned so.
    pub fn again(&self, looked: &Looked, config: &ValidConfig) -> Result<Planned, DeskError> {
        self.night(looked.day.clone(), looked.past.clone(), config)
    }

    fn night(&self, day: Day, past: MemorySnapshot, config: &ValidConfig) -> Result<Planned, DeskError> {
        let pack = pack_for(&day, &Packs, config)?;
        let mut draft = Draft::begin(day, past, self.embedder.model().clone(), config, pack)?;
        let Embedded { vectors, truncated } = self.embedder.embed(&draft.texts())?;
        draft.note_truncated(&truncated);
        let judge = self.judge.as_deref();
        let compared = draft.compare(vectors, pack)?;
        let verdicts = verdicts_on(judge, compared.questions(), compared.ledger(), config, pack);
        let triaged = compared.triage(verdicts, pack)?;
        let map = triaged.map()?;
        let told = triaged.synthesize_by_rules(pack);
        let vectors = self.embedder.embed(&told.texts())?.vectors;
        let reconciling = told.reconcile(vectors, pack)?;
        let verdicts = verdicts_on(judge, reconciling.questions(), reconciling.ledger(), config, pack);
        Ok(Planned { night: reconciling.finish(verdicts, pack), map })
    }
}

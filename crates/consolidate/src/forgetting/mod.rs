//! The forgetting curve: entries that are neither corroborated nor recalled nor the ground of a reflection fade.
//!
//! Strength halves with every half-life since an entry was last touched, in time that the NPC lived ([`LivedTime`];
//! Ebbinghaus 1885: retention falls steeply at first, then ever more slowly). The half-life has the form of half-life regression (Settles &
//! Meeder 2016, "A Trainable Spaced Repetition Model for Language Learning"): a power of two, and square
//! roots of the number of encounters. The parameters are set, not fitted: no data exist on what NPCs recall.
//!
//! ```text
//! strength  = 2 ^ (−age / half-life)
//! half-life = base_days · 2 ^ ((importance − 5) / doubling) · (1 + corroborations + recalls + grounds) ^ practice
//! ```
//!
//! `grounds` counts the active reflections that rest on the entry. The importance of an entry is what the game gave, or
//! the salience of what it was made from. A contested entry does not fade before that is settled, and the last state of
//! a thing that changes is not forgotten before its predecessors (`subject.rs`).
//!
//! A faded entry leaves the active set, never the store: [`Change::Forget`] archives it.

mod subject;

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{
    Change, Confidence, Importance, LanguagePack, MemoryId, MemoryRecord, Reason, RecordKind, Rule,
    ValidConfig, config::MaintainConfig,
};

use self::subject::SubjectIndex;
use crate::LivedTime;

/// Strength of an entry in memory at a given moment.
///
/// ```
/// use nightfold_consolidate::{LivedTime, forgetting::Strength};
/// use nightfold_memory::{GameTime, MemoryRecord, config::MaintainConfig};
///
/// let memory: MemoryRecord = serde_json::from_value(serde_json::json!({
///     "npc": "Mara", "id": "rain", "form": "verbatim", "kind": "event", "text": "It rained", "at": 0, "last_at": 0,
///     "importance": 5, "occurrences": 1, "sources": [], "state": "active", "corroborations": 0,
///     "confidence": "normal", "touched_at": 0, "night": "day-0",
/// })).unwrap();
/// let two_months = LivedTime::at(GameTime::from_seconds(60 * 86_400).unwrap());
/// let strength = Strength::of(&memory, &two_months, &MaintainConfig::default());
/// assert_eq!((strength.half_life_days, strength.value), (60.0, 0.5));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strength {
    /// Days that the NPC has lived since the entry was last experienced, corroborated or recalled.
    pub age_days: f64,
    /// Days in which the strength halves.
    pub half_life_days: f64,
    /// The strength itself, falling from 1 towards 0.
    pub value: f64,
}

impl Strength {
    /// Computes the strength of an entry at a moment. If the entry was touched after that moment, its age is
    /// 0.
    pub fn of(memory: &MemoryRecord, now: &LivedTime, settings: &MaintainConfig) -> Self {
        Self::with_grounds(memory, 0, now, settings)
    }

    /// Computes the strength of an entry on which a number of active reflections rest.
    pub fn with_grounds(
        memory: &MemoryRecord,
        grounds: u32,
        now: &LivedTime,
        settings: &MaintainConfig,
    ) -> Self {
        let since = memory.last_touched().max(memory.entry.last_at);
        let age_days = now.days_since(since);
        // The importance of a reflection was set by a night, not by what happened.
        let importance = match memory.entry.form {
            RecordKind::Reflection => f64::from(Importance::DEFAULT.get()),
            _ => f64::from(memory.entry.importance.get()),
        };
        let encounters =
            1.0 + f64::from(memory.corroborations) + f64::from(memory.recalls) + f64::from(grounds);
        let half_life_days = settings.base_days
            * ((importance - 5.0) / settings.doubling).exp2()
            * encounters.powf(settings.practice);
        Self { age_days, half_life_days, value: (-age_days / half_life_days).exp2() }
    }

    fn reason(&self, rule: Rule) -> Reason {
        Reason::new(rule)
            .with("strength", self.value)
            .with("half_life_days", self.half_life_days)
            .with("age_days", self.age_days)
    }
}

/// True if an entry is kept in its own words at any age: it is pinned, or its importance reaches
/// `triage.important`. A reflection's importance was set by a night and not by the game, so it does not count
/// here.
pub(crate) fn is_exempt(memory: &MemoryRecord, config: &ValidConfig) -> bool {
    let entry = &memory.entry;
    let important = entry.form != RecordKind::Reflection && entry.importance.get() >= config.triage.important;
    entry.pinned || important
}

/// True if the curve applies to an entry. An entry of [high confidence](Confidence::High) was encountered
/// often enough to last.
pub(crate) fn may_fade(memory: &MemoryRecord, config: &ValidConfig) -> bool {
    !is_exempt(memory, config) && memory.confidence != Confidence::High
}

/// Active entries of an NPC, with what each means for the forgetting of others.
pub struct Forgetting<'a> {
    now: LivedTime,
    config: &'a ValidConfig,
    /// Number of active reflections that rest on a memory or entry.
    grounds: BTreeMap<&'a MemoryId, u32>,
    subjects: SubjectIndex<'a>,
}

impl<'a> Forgetting<'a> {
    /// Reads the active entries of an NPC that stay unless they are forgotten. A reflection that has faded itself is
    /// no use of what it rests on.
    pub fn new(
        entries: impl IntoIterator<Item = &'a MemoryRecord>,
        now: LivedTime,
        config: &'a ValidConfig,
        pack: &dyn LanguagePack,
    ) -> Self {
        let entries: Vec<&MemoryRecord> = entries.into_iter().collect();
        let mut grounds: BTreeMap<&MemoryId, u32> = BTreeMap::new();
        let lasts = |memory: &&&MemoryRecord| {
            memory.entry.form == RecordKind::Reflection
                && !is_faded(memory, Strength::of(memory, &now, &config.maintain), config)
        };
        for reflection in entries.iter().filter(lasts) {
            let sources: BTreeSet<&MemoryId> = reflection.entry.sources.iter().collect();
            sources.into_iter().for_each(|id| *grounds.entry(id).or_default() += 1);
        }
        Self { now, config, grounds, subjects: SubjectIndex::of(entries, pack) }
    }

    /// Returns the strength of an entry. A reflection that rests on one of the memories of a synthesis rests on it too.
    pub fn strength(&self, memory: &MemoryRecord) -> Strength {
        let entry = &memory.entry;
        let of = |id: &MemoryId| self.grounds.get(id).copied().unwrap_or(0);
        let told = match entry.form {
            RecordKind::Synthesis => entry.sources.iter().map(of).max().unwrap_or(0),
            RecordKind::Verbatim | RecordKind::Reflection => 0,
        };
        Strength::with_grounds(memory, of(&entry.id).max(told), &self.now, &self.config.maintain)
    }

    /// Returns the changes that forget those of the given entries that have faded, ordered by id. An entry stays as
    /// long as an older one on the same thing stays.
    pub fn forget_faded<'m>(&self, memories: impl IntoIterator<Item = &'m MemoryRecord>) -> Vec<Change> {
        let mut faded: Vec<(&MemoryRecord, Strength)> = memories
            .into_iter()
            .map(|memory| (memory, self.strength(memory)))
            .filter(|(memory, strength)| is_faded(memory, *strength, self.config))
            .collect();
        faded.sort_by(|(a, _), (b, _)| (a.entry.last_at, &a.entry.id).cmp(&(b.entry.last_at, &b.entry.id)));
        let mut going: BTreeMap<&MemoryId, Strength> = BTreeMap::new();
        for (memory, strength) in faded {
            let older = self.subjects.predecessors(memory);
            if older.iter().all(|other| going.contains_key(&other.entry.id)) {
                going.insert(&memory.entry.id, strength);
            }
        }
        let below = self.config.maintain.forget_below;
        going
            .into_iter()
            .map(|(id, strength)| {
                let reason = strength.reason(Rule::Faded).with("forget_below", below);
                Change::Forget { id: id.clone(), sources: Vec::new(), reason }
            })
            .collect()
    }

    /// Returns the changes that forget the weakest `over` of the given entries, ordered by id. Pinned, important and
    /// contested entries are never forgotten, so there may be fewer changes than `over`; entries of high confidence are
    /// forgotten last, and older entries on the same thing first.
    pub fn forget_weakest<'m>(
        &self,
        memories: impl IntoIterator<Item = &'m MemoryRecord>,
        over: usize,
    ) -> Vec<Change> {
        if over == 0 {
            return Vec::new();
        }
        let mut weak: Vec<(bool, Strength, &MemoryRecord)> = memories
            .into_iter()
            .filter(|memory| !is_exempt(memory, self.config) && !is_contested(memory))
            .map(|memory| (memory.confidence == Confidence::High, self.strength(memory), memory))
            .collect();
        weak.sort_by(|a, b| {
            let id = |memory: &'m MemoryRecord| &memory.entry.id;
            a.0.cmp(&b.0).then(a.1.value.total_cmp(&b.1.value)).then_with(|| id(a.2).cmp(id(b.2)))
        });
        let strengths: BTreeMap<&MemoryId, Strength> =
            weak.iter().map(|(_, strength, memory)| (&memory.entry.id, *strength)).collect();
        let mut going: BTreeMap<MemoryId, Strength> = BTreeMap::new();
        for (_, strength, memory) in weak {
            // Its predecessors, theirs included, go before it, or it stays.
            let (mut chain, mut open) = (Vec::new(), self.subjects.predecessors(memory));
            while let Some(older) = open.pop() {
                if !going.contains_key(&older.entry.id)
                    && !chain.iter().any(|other: &&MemoryRecord| other.entry.id == older.entry.id)
                {
                    chain.push(older);
                    open.extend(self.subjects.predecessors(older));
                }
            }
            if chain.iter().any(|older| !strengths.contains_key(&older.entry.id)) {
                continue;
            }
            chain.sort_by(|a, b| (a.entry.last_at, &a.entry.id).cmp(&(b.entry.last_at, &b.entry.id)));
            for older in chain {
                if going.len() < over
                    && let Some(strength) = strengths.get(&older.entry.id)
                {
                    going.insert(older.entry.id.clone(), *strength);
                }
            }
            if going.len() >= over {
                break;
            }
            going.insert(memory.entry.id.clone(), strength);
        }
        going
            .into_iter()
            .map(|(id, strength)| {
                let reason =
                    strength.reason(Rule::OverMost).with("active_most", self.config.maintain.max_active);
                Change::Forget { id, sources: Vec::new(), reason }
            })
            .collect()
    }
}

/// True if an active entry contradicts it and nobody has settled which one holds.
fn is_contested(memory: &MemoryRecord) -> bool {
    !memory.contested_with.is_empty()
}

/// True if an entry of this strength is forgotten.
fn is_faded(memory: &MemoryRecord, strength: Strength, config: &ValidConfig) -> bool {
    strength.value < config.maintain.forget_below && may_fade(memory, config) && !is_contested(memory)
}

#[cfg(test)]
mod tests;

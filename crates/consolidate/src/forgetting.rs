//! The forgetting curve: entries that are neither corroborated nor recalled fade.
//!
//! Strength halves with every half-life since an entry was last touched (Ebbinghaus 1885: retention falls
//! steeply at first, then ever more slowly). The half-life has the form of half-life regression (Settles &
//! Meeder 2016, "A Trainable Spaced Repetition Model for Language Learning"): a power of two, and square
//! roots of the number of encounters. The parameters are set, not fitted: no data exist on what NPCs recall.
//!
//! ```text
//! strength  = 2 ^ (−age / half-life)
//! half-life = base_days · 2 ^ ((importance − 5) / doubling) · (1 + corroborations + recalls) ^ practice
//! ```
//!
//! A faded entry leaves the active set, never the store: [`Change::Forget`] archives it.

use nightfold_memory::{
    Change, Confidence, GameTime, Importance, MemoryId, MemoryRecord, Reason, RecordKind, Rule, ValidConfig,
    config::MaintainConfig,
};

const DAY: f64 = 86_400.0;

/// Strength of an entry in memory at a given moment.
///
/// ```
/// use nightfold_consolidate::forgetting::Strength;
/// use nightfold_memory::{GameTime, MemoryRecord, config::MaintainConfig};
///
/// let memory: MemoryRecord = serde_json::from_value(serde_json::json!({
///     "npc": "Mara", "id": "rain", "form": "verbatim", "kind": "event", "text": "It rained", "at": 0, "last_at": 0,
///     "importance": 5, "occurrences": 1, "sources": [], "state": "active", "corroborations": 0,
///     "confidence": "normal", "touched_at": 0, "night": "day-0",
/// })).unwrap();
/// let two_months = GameTime::from_seconds(60 * 86_400).unwrap();
/// let strength = Strength::of(&memory, two_months, &MaintainConfig::default());
/// assert_eq!((strength.half_life_days, strength.value), (60.0, 0.5));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strength {
    /// Days since the entry was last experienced, corroborated or recalled.
    pub age_days: f64,
    /// Days in which the strength halves.
    pub half_life_days: f64,
    /// The strength itself, falling from 1 towards 0.
    pub value: f64,
}

impl Strength {
    /// Computes the strength of an entry at a moment. If the entry was touched after that moment, its age is
    /// 0.
    pub fn of(memory: &MemoryRecord, now: GameTime, settings: &MaintainConfig) -> Self {
        let since = memory.last_touched().max(memory.entry.last_at);
        let age_days = (now.seconds() - since.seconds()).max(0) as f64 / DAY;
        // The importance of a reflection was set by a night, not by what happened.
        let importance = match memory.entry.form {
            RecordKind::Reflection => f64::from(Importance::DEFAULT.get()),
            _ => f64::from(memory.entry.importance.get()),
        };
        let encounters = 1.0 + f64::from(memory.corroborations) + f64::from(memory.recalls);
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

/// Returns the change that forgets an entry, if it has faded.
pub fn forget_if_faded(memory: &MemoryRecord, now: GameTime, config: &ValidConfig) -> Option<Change> {
    let strength = Strength::of(memory, now, &config.maintain);
    let fades = strength.value < config.maintain.forget_below && may_fade(memory, config);
    fades.then(|| {
        let reason = strength.reason(Rule::Faded).with("forget_below", config.maintain.forget_below);
        Change::Forget { id: memory.entry.id.clone(), sources: Vec::new(), reason }
    })
}

/// Returns the changes that forget the weakest `over` entries, ordered by id. Pinned and important entries
/// are never forgotten, so there may be fewer changes than `over`; entries of high confidence are forgotten
/// last.
pub fn forget_weakest<'a>(
    memories: impl IntoIterator<Item = &'a MemoryRecord>,
    over: usize,
    now: GameTime,
    config: &ValidConfig,
) -> Vec<Change> {
    let mut weak: Vec<(bool, Strength, &MemoryId)> = memories
        .into_iter()
        .filter(|m| over > 0 && !is_exempt(m, config))
        .map(|m| {
            let sure = m.confidence == Confidence::High;
            (sure, Strength::of(m, now, &config.maintain), &m.entry.id)
        })
        .collect();
    weak.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.value.total_cmp(&b.1.value)).then(a.2.cmp(b.2)));
    weak.truncate(over);
    weak.sort_by_key(|(_, _, id)| *id);
    weak.into_iter()
        .map(|(_, strength, id)| {
            let reason = strength.reason(Rule::OverMost).with("active_most", config.maintain.max_active);
            Change::Forget { id: id.clone(), sources: Vec::new(), reason }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn memory(id: &str, importance: u8, corroborations: u32, recalls: u32) -> MemoryRecord {
        serde_json::from_value(serde_json::json!({
            "npc": "Mara", "id": id, "form": "verbatim", "kind": "event", "text": "It rained", "at": 0, "last_at": 0,
            "importance": importance, "occurrences": 1, "sources": [], "state": "active",
            "corroborations": corroborations, "confidence": "normal", "touched_at": 0, "recalls": recalls,
            "night": "day-0",
        }))
        .unwrap()
    }

    fn day(days: i64) -> GameTime {
        GameTime::from_seconds(days * 86_400).unwrap()
    }

    fn forgotten(memory: &MemoryRecord, days: i64) -> bool {
        forget_if_faded(memory, day(days), &ValidConfig::default()).is_some()
    }

    #[test]
    fn uncorroborated_entry_of_default_importance_fades() {
        // Two months to halve: a tenth is left after 60 × log2(10) = 199.3 days.
        assert!(!forgotten(&memory("a", 5, 0, 0), 199) && forgotten(&memory("a", 5, 0, 0), 200));
        // Four encounters double the half-life, and so does a point of importance.
        assert!(!forgotten(&memory("a", 5, 1, 2), 398) && forgotten(&memory("a", 5, 1, 2), 399));
        assert!(!forgotten(&memory("a", 4, 0, 0), 99) && forgotten(&memory("a", 4, 0, 0), 100));
        let change = forget_if_faded(&memory("a", 5, 0, 0), day(240), &ValidConfig::default()).unwrap();
        let values = &change.reason().values;
        assert_eq!((change.verb(), change.reason().rule), ("forget", Rule::Faded));
        assert_eq!(
            (&values["strength"], &values["half_life_days"], &values["age_days"]),
            (&0.0625.into(), &60.0.into(), &240.0.into())
        );
    }

    #[test]
    fn recall_resets_the_age() {
        let mut memory = memory("a", 5, 0, 1);
        memory.recalled_at = Some(day(90));
        assert!(!forgotten(&memory, 100));
        assert!((Strength::of(&memory, day(80), &MaintainConfig::default()).value - 1.0).abs() < 1e-12);
    }

    #[test]
    fn pinned_and_important_entries_are_never_forgotten() {
        let mut pinned = memory("a", 1, 0, 0);
        pinned.entry.pinned = true;
        let mut sure = memory("a", 1, 3, 0);
        sure.confidence = Confidence::High;
        for lasting in [pinned.clone(), sure.clone(), memory("a", 7, 0, 0)] {
            assert!(!forgotten(&lasting, 100_000));
        }
        // A reflection is not kept by its importance, which a night set.
        let mut insight = memory("a", 8, 0, 0);
        insight.entry.form = RecordKind::Reflection;
        assert!(forgotten(&insight, 200) && !forgotten(&insight, 100));
        let all = [pinned, sure, memory("b", 9, 0, 0), memory("c", 6, 0, 0), memory("d", 2, 0, 0)];
        let ids = |over| -> Vec<String> {
            let changes = forget_weakest(&all, over, day(10), &ValidConfig::default());
            changes.iter().map(|c| c.id().to_string()).collect()
        };
        assert_eq!((ids(0), ids(1)), (vec![], vec!["d".to_owned()]));
        assert_eq!(ids(2), ["c", "d"]);
        assert_eq!(ids(9), ["a", "c", "d"], "what is sure goes last, what is important or pinned never");
    }

    proptest! {
        #[test]
        fn strength_rises_with_importance_and_practice_and_falls_with_age(
            importance in 1_u8..10, corroborations in 0_u32..50, recalls in 0_u32..50, days in 0_i64..2_000, doubling in 0.5_f64..9.0,
        ) {
            let settings = MaintainConfig::default().with(|c| c.doubling = doubling);
            let of = |m: &MemoryRecord, days| Strength::of(m, day(days), &settings);
            let base = of(&memory("a", importance, corroborations, recalls), days);
            prop_assert!((0.0..=1.0).contains(&base.value) && base.half_life_days > 0.0);
            for stronger in [
                memory("a", importance + 1, corroborations, recalls),
                memory("a", importance, corroborations + 1, recalls),
                memory("a", importance, corroborations, recalls + 1),
            ] {
                prop_assert!(of(&stronger, days).value >= base.value);
                prop_assert!(of(&stronger, days).half_life_days > base.half_life_days);
            }
            prop_assert!(of(&memory("a", importance, corroborations, recalls), days + 1).value <= base.value);
        }
    }
}

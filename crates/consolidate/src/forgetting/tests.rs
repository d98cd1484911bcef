use nightfold_english::English;
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

fn day(days: i64) -> nightfold_memory::GameTime {
    nightfold_memory::GameTime::from_seconds(days * 86_400).unwrap()
}

/// Returns the changes that forget what has faded of all active entries.
fn faded(memories: &[MemoryRecord], days: i64) -> Vec<Change> {
    let config = ValidConfig::default();
    Forgetting::new(memories, LivedTime::at(day(days)), &config, &English).forget_faded(memories)
}

fn forgotten(memory: &MemoryRecord, days: i64) -> bool {
    !faded(std::slice::from_ref(memory), days).is_empty()
}

fn ids(changes: &[Change]) -> Vec<&str> {
    changes.iter().map(|change| change.id().as_str()).collect()
}

#[test]
fn uncorroborated_entry_of_default_importance_fades() {
    // Two months to halve: a tenth is left after 60 × log2(10) = 199.3 days.
    assert!(!forgotten(&memory("a", 5, 0, 0), 199) && forgotten(&memory("a", 5, 0, 0), 200));
    // Four encounters double the half-life, and so does a point of importance.
    assert!(!forgotten(&memory("a", 5, 1, 2), 398) && forgotten(&memory("a", 5, 1, 2), 399));
    assert!(!forgotten(&memory("a", 4, 0, 0), 99) && forgotten(&memory("a", 4, 0, 0), 100));
    let [change] = &faded(&[memory("a", 5, 0, 0)], 240)[..] else { panic!() };
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
    assert!(
        (Strength::of(&memory, &LivedTime::at(day(80)), &MaintainConfig::default()).value - 1.0).abs()
            < 1e-12
    );
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
    let config = ValidConfig::default();
    let forgetting = Forgetting::new(&all, LivedTime::at(day(10)), &config, &English);
    let ids = |over| -> Vec<String> {
        forgetting.forget_weakest(&all, over).iter().map(|c| c.id().to_string()).collect()
    };
    assert_eq!((ids(0), ids(1)), (vec![], vec!["d".to_owned()]));
    assert_eq!(ids(2), ["c", "d"]);
    assert_eq!(ids(9), ["a", "c", "d"], "what is sure goes last, what is important or pinned never");
}

fn reflection(id: &str, sources: &[&str], touched: i64) -> MemoryRecord {
    let mut reflection = memory(id, 8, 0, 0);
    reflection.entry.form = RecordKind::Reflection;
    reflection.entry.kind = nightfold_memory::Kind::Reflection;
    reflection.touched_at = day(touched);
    reflection.entry.sources = sources.iter().map(|id| MemoryId::new(*id).unwrap()).collect();
    reflection
}

#[test]
fn ground_of_active_reflections_fades_more_slowly() {
    // Three reflections double the half-life, as three recalls do; they were drawn again lately.
    let drawn: Vec<MemoryRecord> =
        ["x", "y", "z"].map(|id| reflection(id, &["a", "elsewhere"], 390)).into_iter().collect();
    let with = |days| ids(&faded(&[vec![memory("a", 5, 0, 0)], drawn.clone()].concat(), days)).contains(&"a");
    assert!(!with(398) && with(399));
    // What has faded itself is no use of anything.
    let old = [memory("a", 5, 0, 0), reflection("x", &["a"], 0)];
    assert_eq!(ids(&faded(&old, 200)), ["a", "x"]);
    // Who rests on a memory rests on the synthesis that tells it.
    let mut synthesis = memory("s", 5, 0, 0);
    synthesis.entry.form = RecordKind::Synthesis;
    synthesis.entry.sources = vec![MemoryId::new("a").unwrap()];
    let config = ValidConfig::default();
    let all = [vec![synthesis.clone()], drawn].concat();
    let strength = Forgetting::new(&all, LivedTime::at(day(400)), &config, &English).strength(&synthesis);
    assert!((strength.half_life_days - 120.0).abs() < 1e-9, "{strength:?}");
}

#[test]
fn contested_entry_stays_until_it_is_settled() {
    let mut contested = memory("a", 2, 0, 0);
    contested.contested_with = vec![MemoryId::new("b").unwrap()];
    assert!(!forgotten(&contested, 100_000));
    let config = ValidConfig::default();
    let all = [contested.clone()];
    assert_eq!(Forgetting::new(&all, LivedTime::at(day(9)), &config, &English).forget_weakest(&all, 1), []);
    contested.contested_with.clear();
    assert!(forgotten(&contested, 100_000));
}

/// Returns a status entry of a day.
fn status(id: &str, text: &str, days: i64, importance: u8, corroborations: u32) -> MemoryRecord {
    let mut status = memory(id, importance, corroborations, 0);
    status.entry.kind = nightfold_memory::Kind::Status;
    status.entry.text = text.to_owned();
    (status.entry.at, status.entry.last_at, status.touched_at) = (day(days), day(days), day(days));
    status
}

#[test]
fn last_state_is_not_forgotten_before_its_predecessors() {
    let older = status("older", "Granary stock: 40 sacks of barley", 0, 5, 2);
    let newer = status("newer", "Granary stock: 12 sacks of barley", 1, 3, 0);
    let other = status("other", "Fever ward: 3 beds taken", 1, 3, 0);
    let all = [older.clone(), newer, other];
    // By itself the newer one fades first: it is less important and was never said again.
    assert_eq!(ids(&faded(&all, 120)), ["other"]);
    assert_eq!(ids(&faded(&all, 400)), ["newer", "older", "other"]);
    let config = ValidConfig::default();
    let forgetting = Forgetting::new(&all, LivedTime::at(day(20)), &config, &English);
    assert_eq!(ids(&forgetting.forget_weakest(&all, 1)), ["older"]);
    assert_eq!(ids(&forgetting.forget_weakest(&all, 2)), ["newer", "older"]);
    // Nor if the older one may not go.
    let mut kept = all;
    kept[0].entry.pinned = true;
    assert_eq!(ids(&faded(&kept, 400)), ["other"]);
}

#[test]
fn entry_that_absorbs_its_duplicates_is_no_predecessor_of_itself() {
    let before = status("tally", "Harbour tally: 9 ships in the roads", 0, 2, 0);
    let mut after = before.clone();
    after.entry.last_at = day(1);
    let config = ValidConfig::default();
    let forgetting = Forgetting::new([&before], LivedTime::at(day(1_000)), &config, &English);
    assert_eq!(ids(&forgetting.forget_faded([&after])), ["tally"]);
}

#[test]
fn routine_in_other_words_does_not_hold_later_routine() {
    let mut older = memory("older", 5, 2, 0);
    older.entry.text = "I swept the forge floor beside the north corner".to_owned();
    let mut newer = memory("newer", 2, 0, 0);
    newer.entry.text = "I swept the forge floor beside the south corner".to_owned();
    newer.entry.last_at = day(1);
    assert_eq!(ids(&faded(&[older, newer], 120)), ["newer"]);
}

proptest! {
    #[test]
    fn strength_rises_with_importance_and_practice_and_falls_with_age(
        importance in 1_u8..10, corroborations in 0_u32..50, recalls in 0_u32..50, days in 0_i64..2_000, doubling in 0.5_f64..9.0,
    ) {
        let settings = MaintainConfig::default().with(|c| c.doubling = doubling);
        let of = |m: &MemoryRecord, days| Strength::of(m, &LivedTime::at(day(days)), &settings);
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

use std::convert::Infallible;

use nightfold_english::English;
use nightfold_memory::{Confidence, Config, Vector};
use proptest::prelude::*;

use super::*;

fn entry(id: &str, day: i64, text: &str) -> MemoryRecord {
    serde_json::from_value(serde_json::json!({
        "npc": "Mara", "id": id, "form": "verbatim", "kind": "event", "text": text, "at": day * 86_400,
        "last_at": day * 86_400 + 60, "importance": 2, "occurrences": 1, "sources": [], "vector": [1.0, 0.0],
        "state": "active", "corroborations": 0, "confidence": "normal", "touched_at": day * 86_400 + 120, "night": "x",
    }))
    .unwrap()
}

fn day(days: i64) -> GameTime {
    GameTime::from_seconds(days * 86_400).unwrap()
}

fn summarised(memories: &[MemoryRecord], now: i64) -> Vec<Summary> {
    let memories: Vec<&MemoryRecord> = memories.iter().collect();
    summaries(
        &NpcId::new("Mara").unwrap(),
        &memories,
        &LivedTime::at(day(now)),
        &ValidConfig::default(),
        &English,
    )
}

fn sources(summaries: &[Summary]) -> Vec<Vec<&str>> {
    summaries.iter().map(|s| s.sources().iter().map(MemoryId::as_str).collect()).collect()
}

/// Returns the changes for vectors at these angles, where one reflection refers to every source.
fn planned(summaries: Vec<Summary>, angles: &[f32], standing: &[&MemoryRecord]) -> Vec<Change> {
    let mut vectors = Vectors::with_capacity(2, angles.len());
    angles.iter().for_each(|a| vectors.push(&[a.cos(), a.sin()]).unwrap());
    let referring = |_: &MemoryId| Ok::<_, Infallible>(vec![MemoryId::new("insight").unwrap()]);
    let around = SummaryContext { active: standing, is_used: &|_| false, referring };
    let Ok(changes) = changes(summaries, &vectors, around, &ValidConfig::default(), &English);
    changes
}

/// Returns the summaries of some changes as records of a store.
fn stored(changes: &[Change], at: i64) -> Vec<MemoryRecord> {
    let entries = changes.iter().filter_map(Change::entry);
    entries
        .map(|entry| MemoryRecord { entry: entry.clone(), touched_at: day(at), ..self::entry("x", 0, "x") })
        .collect()
}

fn swept() -> Vec<MemoryRecord> {
    vec![
        entry("a", 1, "I swept the common room before opening"),
        entry("b", 2, "I swept the common room at noon"),
        entry("c", 4, "I swept the common room at dusk"),
    ]
}

#[test]
fn week_is_summarised_after_the_configured_days() {
    // Days 0 to 6 are a week: all of them must lie seven days back.
    assert!(summarised(&swept(), 13).is_empty());
    let week = summarised(&swept(), 14);
    assert_eq!(sources(&week), [["a", "b", "c"]]);
    assert_eq!(
        week[0].text(),
        "From day 1 to day 4, on 3 days, 3 times; of these: \u{201c}I swept the common room before opening\u{201d}"
    );
    assert!(summarised(&swept()[..2], 14).is_empty(), "two are no habit");
    let [Change::Chunk { entry, reason, .. }] = &planned(week, &[0.0], &[])[..] else {
        panic!("one summary")
    };
    assert!(entry.id.as_str().starts_with("week:"), "{}", entry.id);
    assert_eq!((entry.form, entry.occurrences, entry.importance.get()), (RecordKind::Synthesis, 3, 2));
    assert_eq!((entry.at, entry.last_at.seconds()), (day(1), 4 * 86_400 + 60));
    assert_eq!((reason.rule, &reason.values["period"]), (Rule::Abstracted, &"week".into()));
}

#[test]
fn lasting_and_recent_entries_are_not_summarised() {
    let edits: [fn(&mut MemoryRecord); 6] = [
        |m| m.entry.pinned = true,
        |m| m.entry.importance = Importance::new(7).unwrap(),
        |m| m.confidence = Confidence::High,
        |m| m.entry.form = RecordKind::Reflection,
        |m| m.recalled_at = Some(day(12)),
        |m| m.last_corroborated_at = Some(day(9)),
    ];
    for edit in edits {
        let mut memories = swept();
        memories.push(entry("d", 5, "I swept the common room again"));
        edit(&mut memories[1]);
        assert_eq!(sources(&summarised(&memories, 14)), [["a", "c", "d"]]);
    }
}

#[test]
fn strong_entries_keep_their_own_words() {
    let strong = |mut memory: MemoryRecord| {
        memory.entry.importance = Importance::new(5).unwrap();
        memory
    };
    let strong: Vec<MemoryRecord> = swept().into_iter().map(strong).collect();
    assert!(summarised(&strong, 60).is_empty());
    assert_eq!(sources(&summarised(&strong, 65)), [["a", "b", "c"]]);
}

#[test]
fn different_weeks_and_contradicting_statements_are_not_summarised_together() {
    let mut memories = swept();
    memories.extend((8..11).map(|d| entry(&format!("d{d}"), d, "I swept the common room at night")));
    assert_eq!(sources(&summarised(&memories, 40)), [["a", "b", "c"], ["d8", "d9", "d10"]]);
    for (other, what) in [
        ("I did not sweep the common room at dusk", "opposed"),
        ("Joss swept the common room at dusk with Tom", "another actor"),
    ] {
        let mut memories = swept();
        memories[0] = entry("a", 1, "Wren swept the common room at dusk with Tom");
        memories[1] = entry("b", 1, "I did sweep the common room at dusk");
        memories[2] = entry("c", 1, other);
        memories[0].entry.actors = vec!["Wren".to_owned(), "Joss".to_owned()];
        assert!(summarised(&memories, 14).is_empty(), "{what}");
    }
    let debts: Vec<_> =
        (2..5).map(|n| entry(&format!("n{n}"), n, &format!("I paid {n} coppers for salt"))).collect();
    assert!(summarised(&debts, 14).is_empty(), "other numbers of one fact");
}

#[test]
fn weekly_summaries_become_monthly_ones_and_those_stay() {
    let mut weeks = Vec::new();
    for week in 0..3_i64 {
        let shift = |mut m: MemoryRecord| {
            for at in [&mut m.entry.at, &mut m.entry.last_at, &mut m.touched_at] {
                *at = GameTime::from_seconds(at.seconds() + week * 7 * 86_400).unwrap();
            }
            m
        };
        let days: Vec<_> = swept().into_iter().map(shift).collect();
        weeks.extend(stored(&planned(summarised(&days, 14 + 7 * week), &[0.0], &[]), 14 + 7 * week));
    }
    assert!(summarised(&weeks, 59).is_empty(), "month and weeks are not old enough");
    let month = summarised(&weeks, 60);
    assert_eq!(
        month[0].text(),
        "From day 1 to day 18, in 3 weeks, 9 times; of these: \u{201c}I swept the common room before opening\u{201d}"
    );
    let months = stored(&planned(month, &[0.0], &[]), 60);
    assert!(months[0].entry.id.as_str().starts_with("month:") && months[0].entry.occurrences == 9);
    assert!(summarised(&[months.clone(), months.clone(), months].concat(), 1_000).is_empty());
    // Only syntheses are summaries, whatever ids the game gives to its memories.
    let mut named = swept();
    named[0].entry.id = MemoryId::new("month:x").unwrap();
    assert_eq!(summarised(&named, 14).len(), 1);
}

#[test]
fn repeated_summary_is_collapsed_into_the_active_entry() {
    let week = summarised(&swept(), 14);
    let mut known = entry("known", 2, week[0].text());
    known.corroborations = 2;
    let mut other = entry("other", 2, "I swept the common room");
    other.entry.vector = Some(Vector::new(vec![1.0_f32, 0.0]).unwrap());
    let changes = planned(week.clone(), &[0.0], &[&known, &other]);
    let [Change::Collapse { id, sources, standing: Some(standing), reason }] = &changes[..] else {
        panic!("{changes:?}")
    };
    assert_eq!((id.as_str(), sources.len(), standing.corroborations), ("known", 3, 5));
    assert_eq!((standing.moved[0].as_str(), reason.rule), ("insight", Rule::Abstracted));
    // A close entry that says something else does not absorb the summary.
    assert_eq!(planned(week.clone(), &[0.0], &[&other])[0].verb(), "chunk");
    known.entry.vector = Some(Vector::new(vec![0.0_f32, 1.0]).unwrap());
    assert_eq!(planned(week.clone(), &[0.0], &[&known])[0].verb(), "chunk");
    // Of two summaries that say the same one is written.
    let twice = planned([week.clone(), week.clone()].concat(), &[0.0, 0.01], &[]);
    assert_eq!(twice.len(), 1);
    let apart = planned([week.clone(), week].concat(), &[0.0, 1.0], &[]);
    assert_ne!(apart[0].id(), apart[1].id());
}

proptest! {
    #[test]
    fn summary_is_bounded_grounded_and_independent_of_order(
        texts in prop::collection::vec(("(I|Wren|Tom|the goat)( did not)? (swept|fed|saw|paid)", "( the common room| 3 coppers| Joss| \u{201c}no\u{201d}){0,3}", "( at dusk| again|\\.|, then slept){0,2}", 0_i64..30, 1_u8..7), 1..24),
        max_chars in 80_usize..400,
    ) {
        let memories: Vec<MemoryRecord> = texts.iter().enumerate().map(|(n, (who, what, when, at, importance))| {
            let mut memory = entry(&format!("m{n:02}"), *at, &format!("{who}{what}{when}"));
            memory.entry.importance = Importance::new(*importance).unwrap();
            memory
        }).collect();
        let mut config = Config::default();
        config.synthesis.max_chars = max_chars;
        let config = config.check().unwrap();
        let npc = NpcId::new("Mara").unwrap();
        let mut all: Vec<&MemoryRecord> = memories.iter().collect();
        let found = summaries(&npc, &all, &LivedTime::at(day(60)), &config, &English);
        all.reverse();
        prop_assert_eq!(&found, &summaries(&npc, &all, &LivedTime::at(day(60)), &config, &English));
        let mut seen = BTreeSet::new();
        for summary in &found {
            prop_assert!(summary.sources().len() >= config.maintain.min_group);
            // The lead is always kept.
            prop_assert!(summary.text().chars().count() <= max_chars.max(110), "{}", summary.text());
            prop_assert!(summary.sources().iter().all(|id| seen.insert(id.clone())), "told once");
            let of = |id: &MemoryId| memories.iter().find(|m| m.entry.id == *id).unwrap().entry.text.trim();
            if let Some((_, words)) = summary.text().split_once("; of these: \u{201c}") {
                let words = words.strip_suffix('\u{201d}').unwrap();
                for said in words.split("\u{201d} \u{201c}") {
                    prop_assert!(summary.sources().iter().any(|id| of(id).contains(said)), "{}", words);
                }
            }
        }
    }
}

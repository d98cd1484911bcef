//! Themes over several nights: their continuation, and the reflections on them.

use crate::support::{at, day, memory, of_verb, sleep_placed, themes};
use nightfold_consolidate::themes::mean_direction;
use nightfold_memory::effect::advance;
use nightfold_memory::{
    Change, Config, Day, Kind, Memory, MemorySnapshot, NpcNight, Rule, Theme, ValidConfig,
};

type Placed = Vec<(Memory, Vec<f32>)>;

/// Texts about Joss and the silver, day by day.
const FEUD: [[&str; 3]; 4] = [
    [
        "Joss owes the smith 14 silver for an axle",
        "The smith asked Joss for his silver",
        "Joss hid from the smith",
    ],
    ["The smith shouted for his silver at Joss", "Joss says he has no silver", "I saw Joss at the mill"],
    [
        "I watched Joss pay 9 silver to the smith",
        "The silver that Joss counted lay on my table",
        "The smith bit every coin",
    ],
    ["Joss sold his goat for silver", "Joss brought 5 silver to the smith", "The smith waits"],
];

/// Returns the `n`-th day with some memories of one theme, and three of a cluster of its own.
fn day_with(n: i64, feud: &[&str], importance: u8) -> (Day, Placed) {
    let other = ["rain", "fog", "hail"].map(|w| format!("there was {w} on day {n}"));
    let texts = feud.iter().map(|t| (*t).to_owned()).chain(other);
    let memories = (1..).zip(texts).map(|(h, text)| {
        let actors = text.contains("Joss").then(|| "Joss".to_owned()).into_iter().collect();
        memory(&format!("d{n}-{h}"), 24 * n + h, &text, importance).with(|m| m.actors = actors)
    });
    // Each day has a cluster of its own beside the feud, with a direction that no other day uses.
    let own = n as usize + 1;
    let mut sizes = vec![(0, 0.7); 5];
    (sizes[0].0, sizes[own].0) = (3, 3);
    let placed: Placed = memories.zip(themes(0.1, &sizes)).collect();
    (day(n, placed.iter().map(|(m, _)| m.clone()).collect()), placed)
}

fn config() -> ValidConfig {
    let mut config = Config::default();
    config.cluster.k_min = 2;
    config.check().unwrap()
}

/// Plans one night after the other, each with the snapshot that the earlier ones left.
fn nights(
    days: impl IntoIterator<Item = (Day, Placed)>,
    config: &ValidConfig,
) -> (Vec<NpcNight>, MemorySnapshot) {
    let mut past = MemorySnapshot::empty();
    let slept = days.into_iter().map(|(day, placed)| {
        let night = sleep_placed(&placed, day, past.clone(), config);
        advance(&mut past, &night).unwrap();
        night
    });
    (slept.collect(), past)
}

/// Returns the theme that was seen on most nights.
fn feud(past: &MemorySnapshot) -> &Theme {
    past.themes.iter().max_by_key(|theme| (theme.nights, theme.memories)).unwrap()
}

fn reflections(night: &NpcNight) -> String {
    of_verb(night, "reflect")
        .filter_map(Change::entry)
        .map(|e| e.text.as_str())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn recurring_theme_has_the_centre_of_its_recent_memories() {
    let days: Vec<_> = (0..3).map(|n| day_with(n, &FEUD[n as usize], 5)).collect();
    let (slept, past) = nights(days.clone(), &config());
    assert_eq!(past.themes.len(), 4, "the feud, and a theme of each day: {:#?}", past.themes);
    let feud = feud(&past);
    assert_eq!((feud.nights, feud.memories), (3, 9));
    assert_eq!((feud.first_at, feud.last_at), (at(1), at(24 * 2 + 3)));
    assert_eq!(
        feud.recent.iter().map(|seen| seen.night.as_str()).collect::<Vec<_>>(),
        ["day-0", "day-1", "day-2"]
    );
    assert!(feud.recent.iter().all(|seen| seen.terms.contains(&"joss".to_owned())), "{:?}", feud.recent);

    // Each night moves the centre halfway to its own memories.
    let of_night = |n: usize| mean_direction(days[n].1[..3].iter().map(|(_, row)| row.as_slice())).unwrap();
    let mut centre = of_night(0);
    for n in 1..3 {
        centre = mean_direction([centre.as_slice(), of_night(n).as_slice()]).unwrap();
    }
    for (x, expected) in feud.centre.as_slice().iter().zip(centre.as_slice()) {
        assert!((x - expected).abs() < 1e-5);
    }

    for (n, night) in slept.iter().enumerate() {
        let seen: Vec<_> = night.themes.iter().filter(|seen| seen.theme.id == feud.id).collect();
        assert_eq!(seen.len(), 1, "once a night, under one name");
        assert_eq!((seen[0].new, seen[0].theme.nights as usize, seen[0].members.len()), (n == 0, n + 1, 3));
        assert!((seen[0].importance - 5.0).abs() < 1e-9);
        assert!(night.report.clusters.iter().any(|c| c.recurred == n), "{:#?}", night.report.clusters);
    }
    // A plan is read back as it was written.
    for night in &slept {
        let read: NpcNight = serde_json::from_str(&serde_json::to_string(night).unwrap()).unwrap();
        assert_eq!((read.next_version().unwrap(), &read), (night.next_version().unwrap(), night));
    }
}

#[test]
fn reflection_of_a_later_day_replaces_that_of_an_earlier_one() {
    let days = (0..4).map(|n| day_with(n, &FEUD[n as usize], 5));
    let (slept, past) = nights(days.collect::<Vec<_>>(), &config());
    let told: Vec<String> = slept.iter().map(reflections).collect();
    assert!(told[2].contains("Three days running Joss was part of my day."), "{told:#?}");
    assert!(told[3].contains("the last four days Joss was part of my day."), "{told:#?}");
    let replaced = of_verb(&slept[3], "archive").filter(|c| c.reason().rule == Rule::Replaced).count();
    assert_eq!(replaced, 1, "{:#?}", slept[3].changes);
    let active = past.entries.iter().filter(|e| e.entry.text.contains("Joss was part of my day"));
    assert_eq!(active.count(), 1);
}

#[test]
fn rerunning_a_night_does_not_count_twice() {
    let again = |n: i64| {
        let (mut day, placed) = day_with(n, &FEUD[n as usize], 5);
        day.night = "day-0".parse().unwrap();
        (day, placed)
    };
    let (slept, past) = nights([again(0), again(1)], &config());
    let feud = feud(&past);
    assert_eq!((feud.nights, feud.memories, feud.recent.len()), (1, 6, 1));
    assert!(slept[1].report.clusters.iter().all(|c| c.recurred == 0));
}

#[test]
fn unimportant_and_status_clusters_become_no_themes() {
    let (slept, past) = nights([day_with(0, &FEUD[0], 1)], &config());
    assert!(past.themes.is_empty() && slept[0].themes.is_empty());
    assert!(!serde_json::to_string(&slept[0]).unwrap().contains("\"themes\""));
    let (mut day, mut placed) = day_with(0, &FEUD[0], 5);
    day.memories.iter_mut().for_each(|m| m.kind = Kind::Status);
    placed.iter_mut().for_each(|(m, _)| m.kind = Kind::Status);
    assert!(nights([(day, placed)], &config()).1.themes.is_empty());
}

#[test]
fn snapshot_without_themes_is_read() {
    let past: MemorySnapshot =
        serde_json::from_str(r#"{"version":3,"model":null,"entries":[],"known":{}}"#).unwrap();
    assert_eq!(past, MemorySnapshot { version: 3, ..MemorySnapshot::empty() });
}

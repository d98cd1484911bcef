//! Days with vectors set by hand: the effect of clusters, their cohesion and their budgets on a night.

use crate::support::{at, day, memory, of_verb, sleep_placed, themes};
use nightfold_memory::effect::advance;
use nightfold_memory::{
    ClusterReport, CohesionParts, Config, Day, Emotion, Memory, MemoryId, MemorySnapshot, NpcNight, Rule,
    SleepBudget, State, ValidConfig, config::ClusterAlgorithm, config::CohesionConfig,
};

type Placed = Vec<(Memory, Vec<f32>)>;

/// Returns the `n`-th day of memories with given vectors.
fn day_of(n: i64, placed: &Placed) -> Day {
    day(n, placed.iter().map(|(memory, _)| memory.clone()).collect())
}

fn with(edit: impl FnOnce(&mut Config)) -> ValidConfig {
    let mut config = Config::default();
    edit(&mut config);
    config.check().unwrap()
}

/// Returns the synthesized memories of a night, and the rule of each synthesis, in the order of the memories.
fn syntheses(night: &NpcNight) -> Vec<(Rule, Vec<&str>)> {
    let mut all: Vec<(Rule, Vec<&str>)> = of_verb(night, "chunk")
        .map(|c| (c.reason().rule, c.sources().iter().map(MemoryId::as_str).collect()))
        .collect();
    all.sort_by(|a, b| a.1.cmp(&b.1));
    all
}

/// Memories of which one says what the other says are synthesized if they are similar, and if they are less similar only
/// beyond the budget.
#[test]
fn similar_memories_are_synthesized_and_less_similar_ones_beyond_the_budget() {
    let texts = [
        ("a", "rain drummed on the shingles"),
        ("b", "rain drummed on the old shingles"),
        ("c", "the cook peeled onions"),
        ("d", "the cook mended a basket"),
        ("e", "the smith swept the yard"),
        ("f", "after supper the smith swept the yard"),
    ];
    let vectors = themes(0.5, &[(2, 0.9), (2, 0.65), (2, 0.65)]);
    let night = |importance, storage| {
        let memories = texts.iter().map(|(name, text)| memory(name, 1, text, importance));
        let placed: Placed = memories.zip(vectors.clone()).collect();
        let config = with(|c| {
            (c.cluster.algorithm, c.budget.storage, c.budget.min_kept) =
                (ClusterAlgorithm::Single, storage, 0);
            c.themes.importance = 1.0;
        });
        sleep_placed(&placed, day_of(0, &placed), MemorySnapshot::empty(), &config)
    };
    let alike = (Rule::Similar, vec!["a", "b"]);
    let routine = (Rule::OverBudgetCohesive, vec!["e", "f"]);
    // A budget of six entries, then of four, where the synthesis of the similar two leaves five.
    assert_eq!(syntheses(&night(1, 1.0)), std::slice::from_ref(&alike));
    assert_eq!(syntheses(&night(1, 0.7)), [alike.clone(), routine.clone()]);
    // More important ones alike; two deeds are never one.
    assert_eq!(syntheses(&night(3, 0.7)), [alike, routine]);
}

/// Returns three clusters of four memories, each with something important.
fn eventful() -> Placed {
    let texts = [
        ("I forged an axle for Joss", 8),
        ("Joss will not pay me for the axle because he owes the miller", 5),
        ("I saw Joss at the mill with a full purse", 4),
        ("Joss sold the axle to the miller", 7),
        ("I baked rye bread for the fair", 4),
        ("The oven of the bakery cracked because I fired it too soon", 7),
        ("I carried the bread from the cracked oven to the fair", 4),
        ("Hanne lent me her oven", 5),
        ("The ferry lay on the bank", 4),
        ("I crossed the river on foot because the ferry lay idle", 4),
        ("The ferryman has the fever", 7),
        ("I brought the ferryman willow bark", 5),
    ];
    let memories = (1..).zip(texts).map(|(hour, (text, importance))| {
        memory(&format!("m{hour}"), hour, text, importance).with(|memory| {
            memory.actors = text.contains("Joss").then(|| "Joss".to_owned()).into_iter().collect();
        })
    });
    memories.zip(themes(0.0, &[(4, 0.55); 3])).collect()
}

#[test]
fn poor_sleep_shrinks_budgets_but_keeps_important_memories() {
    let placed = eventful();
    let night = |sleep: Option<SleepBudget>, config: &ValidConfig| {
        sleep_placed(&placed, day_of(0, &placed).with_sleep(sleep), MemorySnapshot::empty(), config)
    };
    let plain = ValidConfig::default();
    let slept = |quality, hours| Some(SleepBudget::new(quality, hours).unwrap());
    let (short, sound) = (slept(0.25, 4.0), slept(1.0, 8.0));
    let (full, poor) = (night(None, &plain), night(short, &plain));

    let (f, p) = (&full.report, &poor.report);
    // A half, and of the other half 0.25 × 4/8; but room for one memory beside the four important ones.
    assert_eq!((f.share_of_night, p.share_of_night), (1.0, 0.5625));
    assert_eq!((f.storage_budget, p.storage_budget), (6, 5));
    assert_eq!((f.tokens.budget, p.tokens.budget), (5000, 2812));
    let slots = |night: &NpcNight| night.report.clusters.iter().map(|c| c.reflection_slots).sum::<usize>();
    assert!(slots(&full) > slots(&poor), "{f:#?}\n{p:#?}");
    assert!(f.counts.reflections > 0 && f.counts.reflections >= p.counts.reflections, "{f:#?}\n{p:#?}");
    assert!(f.counts.kept > p.counts.kept, "{f:#?}\n{p:#?}");
    assert_eq!((f.important_kept, p.important_kept, p.important), (4, 4, 4));

    // The same sleep by the configuration, which the day overrules.
    let restless = with(|c| (c.sleep.quality, c.sleep.hours) = (0.25, 4.0));
    assert_eq!(night(None, &restless), poor);
    assert_eq!(night(sound, &restless), full);
    let demanding = with(|c| c.sleep.min_share = 0.2);
    let left = night(short, &demanding).report.share_of_night;
    assert!((left - (0.2 + 0.8 * 0.25 * 4.0 / 8.0)).abs() < 1e-9, "{left}");
}

#[test]
fn recurring_theme_gets_a_larger_budget() {
    let of = |what: &str, things: [&str; 5]| things.map(|t| format!("the {what} needs {t}"));
    let mill = of("mill", ["rope", "grease", "sacks", "timber", "nails"]);
    let ferry = of("ferry", ["oars", "pitch", "canvas", "chains", "lamps"]);
    let vectors = themes(0.0, &[(5, 0.5), (5, 0.5)]);
    let before = ["the mill wheel turns", "the mill door creaks", "the miller is asleep"];
    let old = (1..).zip(before).map(|(n, text)| memory(&format!("old{n}"), n, text, 4));
    let first: Placed = old.zip(vectors.clone()).collect();
    let memories = (1..).zip(mill.iter().chain(&ferry)).map(|(n, t)| memory(&format!("m{n}"), 24 + n, t, 4));
    let second: Placed = memories.zip(vectors).collect();

    let room = |past: &MemorySnapshot, recurring| {
        let config = with(|c| {
            (c.cluster.k_min, c.budget.storage, c.budget.min_kept, c.budget.recurring) =
                (2, 0.4, 0, recurring);
            (c.budget.cohesion_weight, c.budget.storage_floor) = (1.0, 0);
        });
        let night = sleep_placed(&second, day_of(1, &second), past.clone(), &config);
        let clusters = night.report.clusters;
        // The mill's memories come first.
        let about = |first: &str| {
            let is_in = |c: &&ClusterReport| c.members.iter().any(|id| id.as_str() == first);
            clusters.iter().find(is_in).unwrap().clone()
        };
        assert_eq!(clusters.len(), 2, "{clusters:#?}");
        [about("m1"), about("m6")].map(|c| (c.recurred, c.storage_budget))
    };
    let night = sleep_placed(&first, day_of(0, &first), MemorySnapshot::empty(), &ValidConfig::default());
    assert_eq!(night.report.clusters.iter().map(|c| c.recurred).collect::<Vec<_>>(), [0]);
    let mut past = MemorySnapshot::empty();
    advance(&mut past, &night).unwrap();

    // Four of ten are kept, two of each cluster if neither weighs more.
    assert_eq!(room(&MemorySnapshot::empty(), 4.0), [(0, 2), (0, 2)]);
    assert_eq!(room(&past, 1.0), [(1, 2), (0, 2)]);
    assert_eq!(room(&past, 4.0), [(1, 3), (0, 1)]);
}

#[test]
fn cohesion_is_the_weighted_mean_of_its_parts() {
    let felt = |(n, (memory, vector)): (usize, (Memory, Vec<f32>))| {
        let emotion = Some(Emotion { valence: 0.5, intensity: n as f32 / 12.0 });
        (memory.with(|m| m.emotion = emotion), vector)
    };
    let vectors = themes(0.2, &[(4, 0.5), (4, 0.6), (4, 0.75)]);
    let memories = eventful().into_iter().map(|(memory, _)| memory);
    let placed: Placed = memories.zip(vectors).enumerate().map(felt).collect();
    let clusters = |weights: CohesionConfig| -> Vec<ClusterReport> {
        let night = sleep_placed(
            &placed,
            day_of(0, &placed),
            MemorySnapshot::empty(),
            &with(|c| (c.cohesion, c.cluster.words_weight) = (weights, 0.0)),
        );
        assert_eq!(night.report.cohesion_weights, weights);
        for c in &night.report.clusters {
            // Parts and whole are each given to four places.
            assert!((c.cohesion - c.cohesion_parts.weighted_mean(&weights)).abs() < 1.5e-4, "{c:?}");
        }
        let mut clusters = night.report.clusters;
        clusters.sort_by(|a, b| a.members[0].cmp(&b.members[0]));
        clusters
    };
    let near = |a: f64, b: f64| (a - b).abs() < 1.5e-4;
    let plain = CohesionConfig::default();
    let by_cosine = clusters(plain);
    let by_silhouette = clusters(plain.with(|c| {
        c.proximity = 0.0;
        c.silhouette = 1.0;
    }));
    let mixed = clusters(plain.with(|c| {
        c.importance = 2.0;
        c.temporal = 1.0;
        c.emotion = 3.0;
    }));
    for (i, within) in [0.5, 0.6, 0.75].into_iter().enumerate() {
        // A memory is 1 − within from those of its theme, and 0.8 from all others.
        let silhouette = (within - 0.2) / 0.8;
        assert!(near(by_cosine[i].cohesion, within), "{:?}", by_cosine[i]);
        assert!(near(by_silhouette[i].cohesion, silhouette), "{:?}", by_silhouette[i]);
        let CohesionParts { importance, temporal, emotion, .. } = mixed[i].cohesion_parts;
        let expected = (within + 2.0 * importance + temporal + 3.0 * emotion) / 7.0;
        assert!(near(mixed[i].cohesion, expected), "{:?}", mixed[i]);
    }
}

#[test]
fn every_algorithm_keeps_important_memories_and_ignores_their_order() {
    // Two clusters, four memories that are synthesized, and one far from all.
    let vectors = themes(0.1, &[(4, 0.5), (4, 0.7), (4, 0.9), (1, 1.0)]);
    let alone = memory("m13", 13, "A stranger asked for my brother", 9);
    let memories = eventful().into_iter().map(|(memory, _)| memory).chain([alone]);
    // All at one time, so that it does not order them.
    let placed: Placed = memories.map(|m| m.with(|m| m.at = at(1))).zip(vectors).collect();
    let important = placed.iter().map(|(m, _)| m).filter(|m| m.importance().get() >= 7);
    let important: Vec<&str> = important.map(|m| m.text.as_str()).collect();
    assert_eq!(important.len(), 5);
    for algorithm in ClusterAlgorithm::ALL {
        let config =
            with(|c| (c.cluster.algorithm, c.budget.storage, c.budget.min_kept) = (algorithm, 0.01, 0));
        let forth = day_of(0, &placed);
        let mut back = forth.clone();
        back.memories.reverse();
        let night = sleep_placed(&placed, forth, MemorySnapshot::empty(), &config);
        assert_eq!(night, sleep_placed(&placed, back, MemorySnapshot::empty(), &config), "{algorithm}");
        assert_eq!(night.report.important_kept, 5, "{algorithm}: {:#?}", night.report);
        let mut past = MemorySnapshot::empty();
        advance(&mut past, &night).unwrap();
        for text in &important {
            let stands = past.entries.iter().any(|e| e.state == State::Active && e.entry.text.contains(text));
            assert!(stands, "{algorithm}: {text} in {:#?}", past.entries);
        }
    }
}

//! Runs over many NPCs: what is written and when, for any window size and number of threads.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::support::{
    Refusal, ScriptedStore, Toy, all_of, bytes, config, memory, nightly, npc, sleeping, town,
};
use nightfold::{
    Days, Observer, RunOutcome, Sleep, apply_plan,
    consolidate::{DayMap, themes::mean_direction},
    english::English,
    memory::{
        Change, Config, Fingerprint, Kind, LanguagePack as _, Memory, MemoryStore, NightLabel, NightPlan,
        NpcId, RecordKind, Rule, ValidConfig,
    },
};
use nightfold_store::SqliteStore;
use rayon::ThreadPoolBuilder;

/// Runs a test on a new store.
fn on_a_store(test: impl Fn(&dyn MemoryStore)) {
    test(&SqliteStore::in_memory().unwrap());
}

fn planned(days: Days, config: &ValidConfig) -> RunOutcome {
    let slept = sleeping(config, &Toy::new(), &SqliteStore::in_memory().unwrap()).plan(days).unwrap();
    assert!(slept.failures.is_empty(), "{:?}", slept.failures);
    slept
}

/// Content of a store after the nights of these memories.
fn after(memories: Vec<Memory>) -> String {
    let (config, store) = (ValidConfig::default(), SqliteStore::in_memory().unwrap());
    let slept = sleeping(&config, &Toy::new(), &store).apply(&store, nightly(memories, &config)).unwrap();
    assert!(slept.failures.is_empty(), "{:?}", slept.failures);
    all_of(&store)
}

/// Guard for the tests below, which prove little if the nights contain few kinds of changes.
#[test]
fn fixture_covers_every_kind_of_change() {
    // Of recurrences alone some are drawn again.
    let mut settings = Config::default();
    settings.budget.conclusions = 0;
    let configs = [ValidConfig::default(), settings.check().unwrap()];
    // One of two statements ends on every other day.
    let gate = (0..4).map(|day| {
        let not = if day % 2 == 0 { "" } else { "not " };
        let text = format!("The west gate is {not}open. Wren rang the bell three times in the fog.");
        memory("Ann-00", day, 99, &text, 7)
    });
    let lived: Vec<Memory> = town(3, 4).into_iter().chain(gate).collect();
    let plans = configs.iter().map(|config| planned(nightly(lived.clone(), config), config).plan);
    let plans: Vec<NightPlan> = plans.collect();
    let nights = plans.iter().flat_map(|plan| &plan.nights);
    let verbs: BTreeSet<_> = nights.flat_map(|n| &n.changes).map(Change::verb).collect();
    let all = [
        "archive",
        "chunk",
        "collapse",
        "corroborate",
        "end",
        "prune",
        "reflect",
        "store",
        "strengthen",
        "supersede",
    ];
    assert_eq!(verbs.into_iter().collect::<Vec<_>>(), all);
}

#[test]
fn planning_writes_nothing_and_applying_does() {
    on_a_store(|store| {
        let (config, toy) = (ValidConfig::default(), Toy::new());
        let sleep = sleeping(&config, &toy, store);
        let empty = all_of(store);
        let slept = sleep.plan(nightly(town(3, 2), &config)).unwrap();
        assert_eq!((slept.written, slept.plan.nights.len()), (0, 6));
        assert_eq!(all_of(store), empty);
        assert_eq!(store.nights(None).unwrap(), []);

        let applied = sleep.apply(store, nightly(town(3, 2), &config)).unwrap();
        assert_eq!((applied.written, &applied.plan), (6, &slept.plan));
        assert_eq!(store.npcs().unwrap(), ["Ann-00", "Ann-01", "Ann-02"].map(npc));
        // Nothing is lost: every memory of the days is in the store, active or not.
        for name in store.npcs().unwrap() {
            let known = store.snapshot(&name).unwrap().known;
            let lived = town(3, 2).into_iter().filter(|m| m.npc == name);
            lived.for_each(|m| assert_eq!(known[&m.id], Fingerprint::of(&m.text, m.at)));
        }
    });
}

#[test]
fn planning_then_applying_equals_applying_directly() {
    let expected = after(town(4, 3));
    on_a_store(|store| {
        let (config, toy) = (ValidConfig::default(), Toy::new());
        let plan = sleeping(&config, &toy, store).plan(nightly(town(4, 3), &config)).unwrap().plan;
        // As a reviewer gets it: written down and read again.
        let plan = NightPlan::from_json(bytes(&plan).as_bytes()).unwrap();
        let applied = apply_plan(store, &plan).unwrap();
        assert_eq!((applied.written, applied.unchanged, applied.failures.len()), (12, 0, 0));
        assert_eq!(all_of(store), expected);

        let again = apply_plan(store, &plan).unwrap();
        assert_eq!((again.written, again.unchanged, again.failures.len()), (0, 12, 0));
        assert_eq!(all_of(store), expected);
    });
}

#[test]
fn partly_applied_plan_can_be_completed() {
    on_a_store(|store| {
        let (config, toy) = (ValidConfig::default(), Toy::new());
        let plan = sleeping(&config, &toy, store).plan(nightly(town(4, 3), &config)).unwrap().plan;
        // The first NPC and one night of the second.
        store.apply(store.begin_run().unwrap(), &plan.nights[..4]).unwrap();
        let applied = apply_plan(store, &plan).unwrap();
        assert_eq!((applied.written, applied.unchanged), (8, 4));
        assert_eq!(all_of(store), after(town(4, 3)));
    });
}

/// A year of an NPC's nights may lie in the store.
#[test]
fn applying_a_plan_reads_no_history() {
    let (config, store) = (ValidConfig::default(), ScriptedStore::new(Refusal::Nothing));
    let plan = planned(nightly(town(2, 9), &config), &config).plan;
    assert_eq!(apply_plan(&store, &plan).unwrap().written, 18);
    assert_eq!(apply_plan(&store, &plan).unwrap().unchanged, 18);
    let mut stale = plan.clone();
    stale.nights[0].base_version = 7;
    apply_plan(&store, &stale).unwrap_err();
    let reads = store.take_reads();
    assert!(reads.contains(&"has_version") && reads.contains(&"latest_night"));
    assert!(!reads.contains(&"nights"));
}

#[test]
fn plan_bytes_do_not_depend_on_batches_threads_and_cached_vectors() {
    let expected =
        bytes(&planned(nightly(town(9, 3), &ValidConfig::default()), &ValidConfig::default()).plan);
    for (npcs, cache) in [(1, 0), (4, 20), (64, 100_000)] {
        for threads in [1, 4] {
            let config = config(|c| (c.run.npcs, c.embed.cache) = (npcs, cache));
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let plan = pool.install(|| planned(nightly(town(9, 3), &config), &config).plan);
            assert!(bytes(&plan) == expected, "{npcs} NPCs, {threads} threads");
        }
    }
}

/// Returns the text by which a memory is embedded: its normal form.
fn embedded_text(kind: Kind, text: &str, npc: &NpcId) -> String {
    let normal = English.normal_form(kind, text, npc.as_str());
    normal.map_or_else(|| text.to_owned(), |normal| normal.text().to_owned())
}

#[test]
fn every_text_is_embedded_once_in_a_run() {
    for npcs in [1, 64] {
        let config = config(|c| c.run.npcs = npcs);
        let toy = Toy::new();
        let slept = sleeping(&config, &toy, &SqliteStore::in_memory().unwrap())
            .plan(nightly(town(4, 3), &config))
            .unwrap();
        let asked = toy.asked();
        assert!(asked.values().all(|times| *times == 1), "{asked:?}");
        for night in &slept.plan.nights {
            // Readings of a status are embedded as the one that stands for them.
            let folded = |m: &&Memory| {
                let by_status = night.changes.iter().filter(|c| c.reason().rule == Rule::StatusRepeat);
                by_status.filter(|c| c.verb() == "collapse").any(|c| c.sources().contains(&m.id))
            };
            assert_eq!(night.memories.iter().filter(folded).count(), 1);
            for memory in night.memories.iter().filter(|m| !folded(m)) {
                let text = embedded_text(memory.kind, &memory.text, &night.npc);
                assert_eq!(asked.contains_key(&text), !memory.is_blank(), "{text:?}");
            }
        }
        for night in &slept.plan.nights {
            let entries = night.changes.iter().filter_map(Change::entry);
            for entry in entries.filter(|entry| entry.form != RecordKind::Synthesis) {
                let text = match entry.form {
                    RecordKind::Verbatim => embedded_text(entry.kind, &entry.text, &night.npc),
                    _ => entry.text.clone(),
                };
                assert_eq!(
                    entry.vector.as_ref().unwrap().as_slice(),
                    crate::support::embed(&text),
                    "{text:?}"
                );
            }
        }
    }
}

#[test]
fn synthesis_vector_is_the_centroid_of_its_sources() {
    let config =
        config(|c| (c.triage.similar, c.triage.similar_over_budget, c.triage.unimportant) = (0.4, 0.4, 1));
    let toy = Toy::new();
    let mut lived = town(4, 3);
    for (npc, day) in (0..4).flat_map(|npc| (0..3).map(move |day| (npc, day))) {
        let text = format!("Wren sang loudly about the storm of day {day}");
        lived.push(memory(&format!("Ann-{npc:02}"), day, 20, &text, 5));
    }
    let plan = sleeping(&config, &toy, &SqliteStore::in_memory().unwrap())
        .plan(nightly(lived, &config))
        .unwrap()
        .plan;
    let mut told = 0;
    for night in &plan.nights {
        for entry in
            night.changes.iter().filter_map(|c| c.entry()).filter(|e| e.form == RecordKind::Synthesis)
        {
            let sources = night.memories.iter().filter(|m| entry.sources.contains(&m.id));
            let texts: BTreeMap<&str, Kind> = sources.map(|m| (m.text.as_str(), m.kind)).collect();
            // Readings of a status lie where the one does that stands for them.
            if texts.values().any(|kind| *kind == Kind::Status) {
                continue;
            }
            told += 1;
            let vectors: Vec<Vec<f32>> = texts.keys().map(|text| crate::support::embed(text)).collect();
            let midst = mean_direction(vectors.iter().map(Vec::as_slice)).unwrap();
            let vector = entry.vector.as_ref().unwrap().as_slice();
            let apart = midst.as_slice().iter().zip(vector).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(apart < 1e-6, "{apart}: {:?}", entry.text);
        }
    }
    assert!(told > 3, "{told}");
}

#[test]
fn truncated_texts_are_counted_for_their_npc() {
    let config = ValidConfig::default();
    let toy = Toy::reading(40);
    let memories = vec![
        memory("Ann", 0, 1, "a short one", 5),
        memory("Ann", 0, 2, "a long one that goes on and on about the weather", 5),
        memory("Bob", 0, 1, "a short one", 5),
    ];
    let plan = sleeping(&config, &toy, &SqliteStore::in_memory().unwrap())
        .plan(nightly(memories, &config))
        .unwrap()
        .plan;
    let truncated: Vec<_> = plan.nights.iter().map(|n| n.report.input.truncated_texts).collect();
    assert_eq!((truncated.as_slice(), plan.report.input.truncated_texts), (&[1, 0][..], 1));
}

#[test]
fn run_report_sums_its_nights() {
    let slept = planned(nightly(town(3, 2), &ValidConfig::default()), &ValidConfig::default());
    let (report, nights) = (&slept.plan.report, &slept.plan.nights);
    let sum = |of: fn(&nightfold::memory::NightReport) -> usize| {
        nights.iter().map(|n| of(&n.report)).sum::<usize>()
    };
    assert_eq!((report.npcs, report.nights), (3, 6));
    assert_eq!((report.counts.memories, sum(|r| r.counts.memories)), (96, 96));
    assert_eq!(report.counts.kept, sum(|r| r.counts.kept));
    assert_eq!(report.important_kept, report.important);
    assert!(report.seconds.is_empty(), "times never enter a plan");
    assert!(slept.seconds.contains_key("embed"));
    let order: Vec<_> = nights.iter().map(|n| (n.npc.as_str(), n.night.as_str())).collect();
    assert!(order.is_sorted() && order[1] == ("Ann-00", "day-1"), "{order:?}");
}

#[test]
fn observer_counts_every_text_and_every_night() {
    #[derive(Default)]
    struct Ears {
        texts: AtomicUsize,
        nights: AtomicUsize,
    }
    impl Observer for Ears {
        fn on_embedded(&self, texts: usize) {
            self.texts.fetch_add(texts, Ordering::Relaxed);
        }
        fn on_nights(&self, nights: usize, _: usize) {
            self.nights.fetch_add(nights, Ordering::Relaxed);
        }
    }
    let (ears, toy, store, config) =
        (Ears::default(), Toy::new(), SqliteStore::in_memory().unwrap(), config(|c| c.run.npcs = 2));
    let sleep = Sleep { observer: &ears, ..sleeping(&config, &toy, &store) };
    sleep.apply(&store, nightly(town(5, 2), &config)).unwrap();
    assert_eq!(ears.texts.into_inner(), toy.asked().len());
    assert_eq!(ears.nights.into_inner(), 10);
}

#[test]
fn maps_are_sent_on_request_and_change_no_plan() {
    #[derive(Default)]
    struct Painter(Mutex<BTreeMap<(NpcId, NightLabel), DayMap>>);
    impl Observer for Painter {
        fn wants_map(&self) -> bool {
            true
        }
        fn on_map(&self, npc: &NpcId, night: &NightLabel, map: DayMap) {
            let before = self.0.lock().unwrap().insert((npc.clone(), night.clone()), map);
            assert_eq!(before, None);
        }
    }
    let (config, toy, store) = (ValidConfig::default(), Toy::new(), SqliteStore::in_memory().unwrap());
    let paint = || {
        let painter = Painter::default();
        let sleep = Sleep { observer: &painter, ..sleeping(&config, &toy, &store) };
        let plan = sleep.plan(nightly(town(3, 2), &config)).unwrap().plan;
        (plan, painter.0.into_inner().unwrap())
    };
    let (plan, maps) = paint();
    assert_eq!(plan, planned(nightly(town(3, 2), &config), &config).plan);
    assert_eq!(maps.len(), plan.nights.len());
    for night in &plan.nights {
        let map = &maps[&(night.npc.clone(), night.night.clone())];
        let stands: BTreeSet<_> = map.points.iter().map(|p| &p.id).collect();
        assert_eq!(stands.len(), map.points.len());
        assert!(stands.iter().all(|id| night.memories.iter().any(|m| m.id == **id)));
        assert!(map.points.iter().any(|p| p.x > 0.1) && map.points.iter().any(|p| p.x < -0.1));
        assert!((0.1..=1.0).contains(&map.shown), "{}", map.shown);
    }
    assert_eq!(maps, paint().1, "the same day, the same map");
}

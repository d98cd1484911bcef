//! Streaming runs: the same nights as in a run over all NPCs at once, bounded memory, and early stops.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{Refusal, ScriptedStore, Toy, all_of, bytes, config, nightly, npc, sleeping, town};
use nightfold::{
    BoxError, NpcDays, Observer, RunError, Sleep,
    memory::{MemoryReader, NpcNight, PlanWriter, StoreError, ValidConfig},
};
use nightfold_store::SqliteStore;

fn coming(npcs: usize, days: i64, config: &ValidConfig) -> Vec<Result<NpcDays, BoxError>> {
    nightly(town(npcs, days), config).into_iter().map(Ok).collect()
}

#[test]
fn streamed_nights_equal_those_planned_at_once() {
    let whole = ValidConfig::default();
    let all = sleeping(&whole, &Toy::new(), &SqliteStore::in_memory().unwrap())
        .plan(nightly(town(5, 3), &whole))
        .unwrap();
    for (npcs, memories) in [(1, 50_000), (2, 50_000), (64, 1), (64, 100)] {
        let config = config(|c| (c.run.npcs, c.run.memories) = (npcs, memories));
        let (toy, planned_from, store) =
            (Toy::new(), SqliteStore::in_memory().unwrap(), SqliteStore::in_memory().unwrap());
        let mut planned: Vec<NpcNight> = Vec::new();
        let mut push = |night| {
            planned.push(night);
            Ok(())
        };
        let ran = sleeping(&config, &toy, &planned_from).plan_each(coming(5, 3, &config), &mut push).unwrap();
        assert_eq!((ran.written, ran.stopped, &ran.report), (0, false, &all.plan.report));
        assert_eq!(planned, all.plan.nights, "{npcs} NPCs or {memories} memories at a time");
        assert_eq!(planned_from.nights(None).unwrap(), []);

        let mut written = Vec::new();
        let ran = sleeping(&config, &toy, &store)
            .apply_each(&store, coming(5, 3, &config), |night| {
                // The night is passed on after it is written.
                assert!(store.nights(Some(&night.npc)).unwrap().iter().any(|n| n.night == night.night));
                written.push(night);
                Ok(())
            })
            .unwrap();
        assert_eq!((ran.written, written), (15, planned));
    }
}

#[test]
fn npcs_read_ahead_are_bounded() {
    let config = config(|c| c.run.npcs = 2);
    let (read, handed_on) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let npcs = coming(40, 1, &config).into_iter().inspect(|_| {
        let ahead = read.fetch_add(1, Ordering::SeqCst) - handed_on.load(Ordering::SeqCst);
        // One batch each: being read, queued, being planned, queued, being passed on, and done but not counted yet.
        assert!(ahead <= 2 * 6, "{ahead} NPCs are held");
    });
    let (toy, store) = (Toy::new(), SqliteStore::in_memory().unwrap());
    let ran = sleeping(&config, &toy, &store).plan_each(npcs, |_| {
        std::thread::sleep(std::time::Duration::from_millis(2));
        handed_on.fetch_add(1, Ordering::SeqCst);
        Ok(())
    });
    assert_eq!(ran.unwrap().report.nights, 40);
}

#[test]
fn unordered_or_repeated_npcs_are_refused() {
    let config = ValidConfig::default();
    let (toy, store) = (Toy::new(), SqliteStore::in_memory().unwrap());
    let sleep = sleeping(&config, &toy, &store);
    for order in [[0, 2, 1], [0, 1, 1]] {
        let all: Vec<NpcDays> = nightly(town(3, 1), &config).into_iter().collect();
        let npcs = order.map(|at: usize| Ok(all[at].clone()));
        let Err(RunError::Order { npc: late, .. }) = sleep.plan_each(npcs, |_| Ok(())) else {
            panic!("{order:?} is in order")
        };
        assert_eq!(late, npc("Ann-01"));
    }
}

#[test]
fn failure_of_input_output_or_store_keeps_written_nights() {
    let config = config(|c| c.run.npcs = 1);
    let toy = Toy::new();
    let unread = SqliteStore::in_memory().unwrap();
    let mut npcs = coming(3, 1, &config);
    npcs[2] = Err("the disk is gone".into());
    let error = sleeping(&config, &toy, &unread).apply_each(&unread, npcs, |_| Ok(())).unwrap_err();
    assert!(matches!(&error, RunError::Days(source) if source.to_string() == "the disk is gone"));
    assert_eq!(unread.npcs().unwrap(), ["Ann-00", "Ann-01"].map(npc));

    let full = SqliteStore::in_memory().unwrap();
    let error = sleeping(&config, &toy, &full)
        .apply_each(&full, coming(30, 1, &config), |_| Err("no room".into()))
        .unwrap_err();
    assert!(matches!(&error, RunError::Taken(source) if source.to_string() == "no room"));
    // Others may have been under way, but by far not all.
    let written = full.npcs().unwrap().len();
    assert!((1..10).contains(&written), "{written}");

    let refusing = ScriptedStore::new(Refusal::WholeCall(npc("Ann-01")));
    let mut handed_on = Vec::new();
    let error = sleeping(&config, &toy, &refusing).apply_each(&refusing, coming(30, 1, &config), |night| {
        handed_on.push(night.npc);
        Ok(())
    });
    assert!(matches!(error, Err(RunError::Store(StoreError::Backend(_)))));
    assert_eq!(handed_on, ["Ann-00"].map(npc));
}

#[test]
fn plan_written_night_by_night_has_the_same_bytes() {
    let config = ValidConfig::default();
    for npcs in [0, 1, 3] {
        let all = sleeping(&config, &Toy::new(), &SqliteStore::in_memory().unwrap())
            .plan(nightly(town(npcs, 2), &config));
        let plan = all.unwrap().plan;
        let mut writer = PlanWriter::new(Vec::new()).unwrap();
        plan.nights.iter().try_for_each(|night| writer.night(night)).unwrap();
        let written = String::from_utf8(writer.finish(&plan.report).unwrap()).unwrap();
        assert_eq!(written, bytes(&plan) + "\n");
    }
}

/// Stops a run after a number of nights.
struct Impatient {
    after: usize,
    seen: AtomicUsize,
}

impl Observer for Impatient {
    fn should_stop(&self) -> bool {
        self.seen.load(Ordering::SeqCst) >= self.after
    }

    fn on_nights(&self, nights: usize, memories: usize) {
        assert!(memories >= nights);
        self.seen.fetch_add(nights, Ordering::SeqCst);
    }
}

#[test]
fn stopped_run_finishes_started_nights_and_can_be_continued() {
    let config = config(|c| c.run.npcs = 2);
    let (toy, store) = (Toy::new(), SqliteStore::in_memory().unwrap());
    let impatient = Impatient { after: 3, seen: AtomicUsize::new(0) };
    let sleep = Sleep { observer: &impatient, ..sleeping(&config, &toy, &store) };
    let mut nights = 0;
    let count = |_| {
        nights += 1;
        Ok(())
    };
    let ran = sleep.apply_each(&store, coming(9, 2, &config), count).unwrap();
    assert!(ran.stopped && ran.failures.is_empty());
    assert!((3..18).contains(&ran.written), "{}", ran.written);
    assert_eq!((nights, ran.report.nights), (ran.written, ran.written));

    let ended =
        sleeping(&config, &toy, &store).apply_each(&store, coming(9, 2, &config), |_| Ok(())).unwrap();
    assert_eq!((ended.stopped, ended.written), (false, 18 - ran.written));
    let at_once = SqliteStore::in_memory().unwrap();
    sleeping(&config, &toy, &at_once).apply(&at_once, nightly(town(9, 2), &config)).unwrap();
    assert_eq!(all_of(&store), all_of(&at_once));
}

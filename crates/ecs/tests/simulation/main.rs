//! Simulation: a game and a second process live on one store, while the disk, the models, the clock and the power fail. One
//! seed decides everything that happens, so that what is found can be run again, and is shrunk before it is shown.
//!
//! `NIGHTFOLD_SEEDS=10000` runs that many seeds, `NIGHTFOLD_SEED=17` shows one step by step (with both, as many from that one on
//! run), and `NIGHTFOLD_STEPS` runs the line that a failure prints. What was found before is in `found.jsonl` and runs first.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod disk;
mod models;
mod promises;
mod run;
mod shrink;
mod steps;
mod store;
#[path = "../support/mod.rs"]
mod support;
mod tool;
mod town;

use std::{
    num::NonZeroUsize,
    sync::{
        Mutex, Once,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use nightfold_ecs::NightPool;

use crate::{
    disk::FaultKind,
    run::Case,
    shrink::{kind, shrink},
    steps::{Action, Step, steps},
    store::Counts,
    support::pool,
};

/// Cases that were found before, one a line.
const FOUND: &str = include_str!("found.jsonl");

/// Silences the panics of failing models, and of cases that are tried.
fn silence_expected_panics() {
    static SILENCED: Once = Once::new();
    SILENCED.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let thread = thread::current();
            // The threads of tests have names of several words; those of nights have none or one.
            if thread.name().is_some_and(|name| name.contains('_')) {
                loud(panic);
            }
        }));
    });
}

/// Runs work on a thread of its own, as a game would: a pool without threads makes it the only one of its pool.
fn alone<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("simulation".to_owned());
        thread.spawn_scoped(scope, work).unwrap().join().unwrap()
    })
}

/// Shrinks a case that broke a promise, and panics with it.
fn report(case: &Case, broken: &str) -> ! {
    let breaks = |case: &Case| {
        case.run(&mut Counts::default(), false).is_err_and(|again| kind(&again) == kind(broken))
    };
    let small = alone(|| shrink(case, breaks));
    let why = alone(|| small.run(&mut Counts::default(), false)).unwrap_err();
    let line = serde_json::to_string(&small).unwrap();
    panic!(
        "seed {}: {broken}\nshrunk to {} steps: {why}\nNIGHTFOLD_STEPS='{line}'",
        case.seed,
        small.steps.len()
    );
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|n| n.parse().unwrap())
}

/// Runs seeds on all cores; returns what happened in them, or the first that broke a promise.
fn run_all(seeds: std::ops::Range<u64>) -> Result<Counts, (u64, String)> {
    let next = AtomicU64::new(seeds.start);
    let (counts, broken) = (Mutex::new(Counts::default()), Mutex::new(None::<(u64, String)>));
    let work = || {
        let mut own = Counts::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end || broken.lock().unwrap().is_some() {
                break;
            }
            let case = Case::of(seed);
            let mut done = case.run(&mut own, false);
            if let (Ok(lines), 0) = (&done, seed % 50) {
                let again = case.run(&mut Counts::default(), false);
                if again.as_ref() != Ok(lines) {
                    done = Err(format!("replay: {lines:#?} {again:#?}"));
                }
            }
            if let Err(why) = done {
                broken.lock().unwrap().get_or_insert((seed, why));
            }
        }
        let mut all = counts.lock().unwrap();
        own.0.into_iter().for_each(|(what, n)| *all.0.entry(what).or_default() += n);
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZeroUsize::get) {
            thread::Builder::new().name("simulation".to_owned()).spawn_scoped(scope, work).unwrap();
        }
    });
    broken.into_inner().unwrap().map_or(Ok(counts.into_inner().unwrap()), Err)
}

/// Happenings that a hundred seeds must bring about: without them, they prove little.
const NEEDED: &str = "\
    AllDie between calls, AllDie in a call, Full in a call, PowerLoss between calls, PowerLoss in a call,\
    ReadFails in a call, ShortWrite in a call, StaysFull in a call, SyncFails in a call,\
    ToolDies between calls, ToolDies in a call, WriteFails in a call, archive, backed up, chunk,\
    collapse, contest, contest settled, corroborate, displaced, entries deleted,\
    failed call done after all, failed call undone, forget, forget save point, judge answered, loaded,\
    loaded without the store, locked, maintenance of the past refused, model answered,\
    model answered garbage, model answered hostile text, model cited strangers,\
    model concluded hostile text, model cut short, model overspent, model panicked, model refused,\
    model unreachable, night applied before, night failed, night stale, night told, person erased,\
    plan applied before, plan stale, power loss tore a write, prune, question answered, question failed,\
    reflect, restore, rewind refused, rewound back, rewound forward, saved with the store,\
    saved without the store, strengthen, supersede, touch, transferred, undo, undo run";

#[test]
fn hundred_seeds_keep_every_promise() {
    silence_expected_panics();
    for line in FOUND.lines() {
        let case: Case = serde_json::from_str(line).unwrap();
        if let Err(broken) = alone(|| case.run(&mut Counts::default(), false)) {
            panic!("found before: {broken}\nNIGHTFOLD_STEPS='{line}'");
        }
    }
    let (first, many) = (number("NIGHTFOLD_SEED"), number("NIGHTFOLD_SEEDS"));
    let single = first.filter(|_| many.is_none()).map(Case::of);
    let given = std::env::var("NIGHTFOLD_STEPS").ok().map(|line| serde_json::from_str(&line).unwrap());
    if let Some(case) = given.or(single) {
        if let Err(broken) = alone(|| case.run(&mut Counts::default(), true)) {
            report(&case, &broken);
        }
        return;
    }
    let (first, many) = (first.unwrap_or(0), many.unwrap_or(100));
    let counts = run_all(first..first + many);
    let counts = counts.unwrap_or_else(|(seed, broken)| report(&Case::of(seed), &broken));
    println!("{:#?}", counts.0);
    let missing: Vec<_> =
        NEEDED.split(',').map(str::trim).filter(|what| !counts.0.contains_key(*what)).collect();
    assert!(first > 0 || many < 100 || missing.is_empty(), "none of the seeds brings about {missing:?}");
}

/// The simulation finds what it is there for: on a disk that keeps nothing of what it is told to sync, a power loss takes
/// away what calls have written, and little is needed to show it.
#[test]
fn disk_that_lies_is_found_out_by_few_steps() {
    silence_expected_panics();
    let breaks =
        |case: &Case| case.run(&mut Counts::default(), false).is_err_and(|broken| kind(&broken) == "I2");
    let small = alone(|| {
        let mut lying = (0..100).map(|seed| Case { lies: true, ..Case::of(seed) });
        shrink(&lying.find(breaks).expect("a lost night is noticed"), breaks)
    });
    let lost = small.steps.iter().filter_map(|step| step.fault).map(|fault| fault.kind).collect::<Vec<_>>();
    assert_eq!(lost, [FaultKind::PowerLoss]);
    assert!(small.steps.len() <= 3, "{small:?}");
    let honest = Case { lies: false, ..small };
    assert_eq!(alone(|| honest.run(&mut Counts::default(), false)).err(), None);
}

#[test]
fn lockstep_is_the_same_on_any_number_of_threads() {
    silence_expected_panics();
    for seed in (1..20).step_by(2) {
        let mut case = Case { lockstep: true, ..Case::of(seed) };
        case.steps = steps(seed).into_iter().chain(steps(seed + 1_000_000)).filter(is_played).collect();
        // What threads embed must not depend on the moment at which they do.
        case.steps.retain(|step| step.action != Action::SwitchEmbedder);
        case.steps.iter_mut().for_each(|step| step.fault = None);
        let run = |pool| alone(|| case.run_on(pool, &mut Counts::default(), false)).unwrap();
        let stepped = run(NightPool::without_threads());
        for threads in [1, 3] {
            let threaded = run(pool(threads));
            let differs = stepped.iter().zip(&threaded).find(|(a, b)| a != b);
            assert_eq!(differs, None, "seed {seed}: {threads} threads");
        }
    }
}

/// Nights that threads compute at their own speed are no less kept; no run is like another.
#[test]
fn threads_at_their_own_speed_lose_and_double_nothing() {
    silence_expected_panics();
    for seed in (0..40).step_by(2) {
        let mut case = Case::of(seed);
        case.steps.retain(is_played);
        case.steps.iter_mut().for_each(|step| step.fault = None);
        let broken = alone(|| case.run_on(pool(2), &mut Counts::default(), false)).err();
        assert_eq!(broken, None, "seed {seed}");
    }
}

/// True for steps of the game that leave its process alone: threads would write at moments of their own otherwise.
fn is_played(step: &Step) -> bool {
    step.action.is_of_town() && step.action != Action::Restart
}

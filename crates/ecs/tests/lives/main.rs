//! Random lives: NPCs sleep, wake early, are despawned and come back, the game is saved and loaded, stores
//! and models fail. No memory is lost, none is duplicated; in lockstep every tick is the same on any number
//! of threads.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../support/mod.rs"]
mod support;
mod village;
mod weak;

use nightfold_ecs::{NightPool, SleepTiming, state_hash};
use support::{night::all_of, pool};
use village::Village;

const STEPS: usize = 40;

/// Silences the panic messages of the failing models.
fn silence_expected_panics() {
    let loud = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let own = std::thread::current().name().is_some_and(|name| name.starts_with("night"));
        let model =
            panic.payload().downcast_ref::<&str>().is_some_and(|text| text.contains("the model panicked"));
        if !own && !model {
            loud(panic);
        }
    }));
}

/// Runs one life; returns the pool, the state after every tick if `hashes` is set, and the contents of the
/// store.
fn live(seed: u64, timing: SleepTiming, pool: NightPool, hashes: bool) -> (NightPool, Vec<String>, String) {
    let mut village = Village::new(seed, timing, pool);
    let mut states = Vec::new();
    for step in 0..STEPS {
        village.step();
        if step % 8 == 7 {
            village.check(seed);
        }
        if hashes {
            let state = state_hash(&mut village.world).unwrap();
            if seed.is_multiple_of(20) {
                assert_eq!(state, village.state_after_reload(), "seed {seed}: loaded after step {step}");
            }
            states.push(state);
        }
    }
    village.repair_and_sleep(seed);
    let all = all_of(&village.store.inner);
    village.forget_jobs();
    (village.world.remove_resource::<NightPool>().unwrap(), states, all)
}

/// Returns the seeds of the lives from the first on: `usual` of them, or as many as `NIGHTFOLD_LIVES` says; `NIGHTFOLD_LIFE` names
/// a single one.
fn seeds(first: u64, usual: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    match number("NIGHTFOLD_LIFE") {
        Some(seed) => seed..seed + 1,
        None => first..first + number("NIGHTFOLD_LIVES").unwrap_or(usual),
    }
}

#[test]
fn random_lives_lose_and_duplicate_no_memory() {
    silence_expected_panics();
    let mut threads = pool(2);
    for seed in seeds(0, 2_000) {
        (threads, ..) = live(seed, SleepTiming::AsReady, threads, false);
    }
}

#[test]
fn lockstep_state_hash_is_the_same_on_any_number_of_threads() {
    silence_expected_panics();
    let timing = SleepTiming::Lockstep { plan_seconds: 3_000, write_seconds: 600 };
    let (mut one, mut three) = (pool(1), pool(3));
    // Seeds differ from those above.
    for seed in seeds(1_000_000, 500) {
        let (pool, expected, store) = live(seed, timing, one, true);
        one = pool;
        let (pool, states, other) = live(seed, timing, three, true);
        three = pool;
        let step = expected.iter().zip(&states).position(|(a, b)| a != b);
        assert_eq!(step, None, "seed {seed}: the state after this step differs");
        assert_eq!(store, other, "seed {seed}: the stores differ");
        if seed.is_multiple_of(10) {
            // Ticks compute what is due; nothing is computed before.
            let (_, states, other) = live(seed, timing, NightPool::without_threads(), true);
            assert_eq!(expected, states, "seed {seed}: without threads the states differ");
            assert_eq!(store, other, "seed {seed}: without threads the stores differ");
        }
    }
}

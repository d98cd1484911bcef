//! Runs that many workers share: each shard goes to one worker at a time, and to another when its worker is gone.

use std::{collections::BTreeMap, ops::Range, sync::Mutex, thread, time::Duration};

use nightfold_memory::{MemoryReader as _, MemoryStore as _, StoreError};
use nightfold_store::{
    Access, DurableStore as _, JoinError, Lease, LeaseOffer, PostgresOptions, PostgresStore, ShardCounts,
    ShardOutcome, ShardRelease, ShardState, SharedRunKey, SharedRunStatus, SharedRuns,
    testing::PostgresServer,
};

use crate::{apply_all, night, server};

const LONG: Duration = Duration::from_mins(10);
const SHORT: Duration = Duration::from_millis(30);

fn open(server: &PostgresServer) -> PostgresStore {
    PostgresStore::open(&server.address()).unwrap()
}

fn key(shards: u32) -> SharedRunKey<'static> {
    SharedRunKey { subject: "pack 1", settings: "{}", shards }
}

fn leased(store: &PostgresStore, run: u64, own: Option<Range<u32>>, lease: Duration) -> Lease {
    match store.lease_shard(run, "worker", own, lease, 3).unwrap() {
        LeaseOffer::Shard(lease) => lease,
        other => panic!("{other:?} and no shard"),
    }
}

fn status(store: &PostgresStore) -> SharedRunStatus {
    store.shared_runs(1).unwrap().remove(0)
}

fn done() -> ShardOutcome {
    ShardOutcome { nights: 3, written: 2, ..ShardOutcome::default() }
}

#[test]
fn every_shard_is_leased_once_to_many_workers_at_once() {
    let server = server!();
    let address = server.address();
    let runs = Mutex::new(BTreeMap::<(u64, u32), usize>::new());
    thread::scope(|scope| {
        for worker in 0..8 {
            let (address, runs) = (&address, &runs);
            scope.spawn(move || {
                let store = PostgresStore::open(address).unwrap();
                // All begin at the same moment, and one of them begins the run.
                let run = store.join_run(&key(100), false).unwrap();
                let own = Some(worker * 10..worker * 10 + 10);
                while let LeaseOffer::Shard(lease) =
                    store.lease_shard(run, &format!("worker {worker}"), own.clone(), LONG, 3).unwrap()
                {
                    *runs.lock().unwrap().entry((run, lease.shard)).or_default() += 1;
                    assert!(store.end_lease(&lease, &done()).unwrap());
                }
            });
        }
    });
    let runs = runs.into_inner().unwrap();
    let run = runs.keys().next().unwrap().0;
    assert_eq!(runs, (0..100).map(|shard| ((run, shard), 1)).collect());
    let status = status(&PostgresStore::open(&address).unwrap());
    assert_eq!((status.run, status.subject.as_str()), (run, "pack 1"));
    assert!(
        status.shards.iter().all(|shard| shard.state == ShardState::Done && shard.turns == 1),
        "{status:?}"
    );
    assert_eq!(status.shards.iter().map(|shard| shard.outcome.written).sum::<u64>(), 200);
}

#[test]
fn worker_takes_its_own_shards_first_and_then_what_others_have_not_begun() {
    let server = server!();
    let store = open(server);
    let run = store.join_run(&key(6), false).unwrap();
    let order: Vec<u32> = (0..6).map(|_| leased(&store, run, Some(2..4), LONG).shard).collect();
    assert_eq!(order, [2, 3, 0, 1, 4, 5]);
    let offer = store.lease_shard(run, "idle", None, LONG, 3).unwrap();
    assert!(matches!(offer, LeaseOffer::Wait(left) if left > LONG / 2 && left <= LONG), "{offer:?}");
}

#[test]
fn shard_of_a_lost_worker_goes_to_another_and_the_lost_one_is_refused() {
    let server = server!();
    let store = open(server);
    let run = store.join_run(&key(1), false).unwrap();
    let lost = leased(&store, run, None, SHORT);
    thread::sleep(2 * SHORT);
    let taken = leased(&store, run, None, LONG);
    assert_eq!((taken.shard, taken.turn), (lost.shard, lost.turn + 1));
    assert!(!store.extend_lease(&lost, LONG).unwrap());
    assert!(!store.end_lease(&lost, &done()).unwrap());
    store.give_back(&lost, &ShardRelease::Stopped).unwrap();
    assert_eq!(status(&store).shards[0].state, ShardState::Leased);
    assert!(store.extend_lease(&taken, LONG).unwrap());
    assert!(store.end_lease(&taken, &done()).unwrap());
    // An answer that was lost is asked for again.
    assert!(store.end_lease(&taken, &done()).unwrap());
    assert_eq!(store.lease_shard(run, "w", None, LONG, 3).unwrap(), LeaseOffer::Nothing);
    // A late word changes nothing either.
    assert!(!store.extend_lease(&taken, LONG).unwrap());
    assert_eq!(status(&store).shards[0].outcome, done());
}

#[test]
fn extended_lease_lives_longer() {
    let server = server!();
    let store = open(server);
    let run = store.join_run(&key(1), false).unwrap();
    let lease = leased(&store, run, None, Duration::from_millis(400));
    assert!(store.extend_lease(&lease, LONG).unwrap());
    thread::sleep(Duration::from_millis(500));
    assert!(matches!(store.lease_shard(run, "w", None, LONG, 3).unwrap(), LeaseOffer::Wait(_)));
}

#[test]
fn shard_that_kills_its_workers_fails_and_is_opened_again_on_demand() {
    let server = server!();
    let store = open(server);
    let run = store.join_run(&key(2), false).unwrap();
    assert!(store.end_lease(&leased(&store, run, Some(0..1), LONG), &done()).unwrap());
    for _ in 0..3 {
        assert_eq!(leased(&store, run, None, SHORT).shard, 1);
        thread::sleep(2 * SHORT);
    }
    assert_eq!(store.lease_shard(run, "w", None, LONG, 3).unwrap(), LeaseOffer::Nothing);
    let shard = status(&store).shards.remove(1);
    assert_eq!((shard.state, shard.turns), (ShardState::Failed, 3));
    assert_eq!(shard.outcome.problem.as_deref(), Some("no worker came to its end in 3 tries"));

    assert_eq!(store.join_run(&key(2), false).unwrap(), run);
    assert_eq!(store.lease_shard(run, "w", None, LONG, 3).unwrap(), LeaseOffer::Nothing);
    assert_eq!(store.join_run(&key(2), true).unwrap(), run);
    let again = leased(&store, run, None, LONG);
    assert_eq!((again.shard, again.turn), (1, 4));
    let failed = ShardOutcome { failed: 1, problem: Some("x".repeat(5000)), ..done() };
    assert!(store.end_lease(&again, &failed).unwrap());
    let shard = status(&store).shards.remove(1);
    assert_eq!((shard.state, shard.outcome.failed), (ShardState::Failed, 1));
    assert_eq!(shard.outcome.problem.unwrap().len(), 500);
}

#[test]
fn shard_that_is_given_back_is_open_at_once_and_does_not_fail_for_it() {
    let away = ShardRelease::Away("the disk is full".to_owned());
    for (why, expected, lost, problem) in [
        (ShardRelease::Stopped, [0, 0, 0, 0, 0], 0, None),
        // A shard that was not reached comes later.
        (away, [0, 1, 2, 0, 1], 2, Some("the disk is full".to_owned())),
    ] {
        let server = server!();
        let store = open(server);
        let run = store.join_run(&key(3), false).unwrap();
        let order = expected.map(|_| {
            let lease = leased(&store, run, None, LONG);
            store.give_back(&lease, &why).unwrap();
            lease.shard
        });
        assert_eq!(order, expected);
        let shard = status(&store).shards.remove(0);
        assert_eq!((shard.state, shard.lost, shard.outcome.problem), (ShardState::Open, lost, problem));
    }
}

#[test]
fn shard_on_which_workers_fail_comes_last_and_fails_in_the_end() {
    let server = server!();
    let store = open(server);
    let run = store.join_run(&key(3), false).unwrap();
    let why = ShardRelease::Failed("a damaged row".to_owned());
    let mut order = Vec::new();
    while let LeaseOffer::Shard(lease) = store.lease_shard(run, "worker", None, LONG, 3).unwrap() {
        order.push(lease.shard);
        if lease.shard == 0 {
            store.give_back(&lease, &why).unwrap();
        } else {
            store.end_lease(&lease, &done()).unwrap();
        }
    }
    assert_eq!(order, [0, 1, 2, 0, 0]);
    let shard = status(&store).shards.remove(0);
    assert_eq!((shard.state, shard.lost), (ShardState::Failed, 3));
    assert_eq!(shard.outcome.problem.as_deref(), Some("no worker came to its end in 3 tries: a damaged row"));
    let counts = store.shard_counts(run).unwrap();
    assert_eq!(counts, ShardCounts { done: 2, failed: 1, ..ShardCounts::default() });
}

#[test]
fn worker_with_other_settings_is_refused_until_the_run_is_done() {
    let server = server!();
    let store = open(server);
    let run = store.join_run(&key(2), false).unwrap();
    let other = SharedRunKey { settings: "{\"seed\":7}", ..key(2) };
    let error = store.join_run(&other, false).unwrap_err();
    assert!(
        matches!(&error, JoinError::OtherSettings { run: of, settings } if *of == run && settings == "{}"),
        "{error}"
    );
    let error = store.join_run(&key(3), false).unwrap_err();
    assert_eq!(error.to_string(), format!("run {run} has 2 shards, and the input has 3"));
    let elsewhere = store.join_run(&SharedRunKey { subject: "pack 2", ..other }, false).unwrap();
    assert_ne!(elsewhere, run);
    for _ in 0..2 {
        let lease = leased(&store, run, None, LONG);
        store.end_lease(&lease, &done()).unwrap();
    }
    assert_eq!(store.join_run(&key(2), false).unwrap(), run);
    assert!(store.join_run(&other, false).unwrap() > elsewhere);
}

#[test]
fn closed_run_leases_nothing_and_another_may_begin() {
    let server = server!();
    let store = open(server);
    let run = store.join_run(&key(2), false).unwrap();
    let lease = leased(&store, run, None, LONG);
    assert!(store.close_run(run).unwrap());
    assert!(!store.close_run(run + 100).unwrap());
    assert!(!store.extend_lease(&lease, LONG).unwrap());
    assert_eq!(store.lease_shard(run, "w", None, LONG, 3).unwrap(), LeaseOffer::Ended);
    assert!(status(&store).closed);
    let late = store.apply(run, &[night("Mara", "day-0", 0)]).unwrap_err();
    assert!(matches!(late, StoreError::RunEnded { run: of } if of == run), "{late}");
    assert_ne!(store.join_run(&key(2), false).unwrap(), run);
}

#[test]
fn run_whose_nights_were_undone_is_begun_anew() {
    let server = server!();
    let store = open(server);
    let nights = [night("Mara", "day-0", 0), night("Tom", "day-0", 0)];
    // A run of one worker alone has no shards, and its undoing concerns no other.
    let alone = store.begin_run().unwrap();
    apply_all(&store, alone, &[night("Ansel", "day-0", 0)]);
    let run = store.join_run(&key(1), false).unwrap();
    apply_all(&store, run, &nights);
    store.end_lease(&leased(&store, run, None, LONG), &done()).unwrap();
    store.undo_run(alone).unwrap();
    assert_eq!(store.join_run(&key(1), false).unwrap(), run);
    store.undo(&nights[0].npc).unwrap().unwrap();
    assert!(status(&store).taken_back);
    // A worker that knows nothing of it does not bring the night back.
    let late = store.apply(run, &nights[..1]).unwrap_err();
    assert!(matches!(late, StoreError::RunEnded { run: of } if of == run), "{late}");
    let next = store.join_run(&key(1), false).unwrap();
    assert_ne!(next, run);
    apply_all(&store, next, &nights[..1]);
    // The number of the run is that of all its nights.
    assert_eq!(store.undo_run(run).unwrap().len(), 1);
    assert_eq!(store.nights(None).unwrap().len(), 1);
    assert_eq!(store.join_run(&key(1), false).unwrap(), next);
}

#[test]
fn reader_sees_runs_and_changes_none() {
    let server = server!();
    let address = server.address();
    let store = PostgresStore::open(&address).unwrap();
    let run = store.join_run(&key(2), false).unwrap();
    let reading = PostgresOptions { access: Access::ReadOnly, ..PostgresOptions::default() };
    let reader = PostgresStore::open_with(&address, &reading).unwrap();
    assert_eq!(reader.shared().unwrap().shared_runs(5).unwrap().len(), 1);
    assert!(reader.close_run(run).is_err());
}

//! Commands that write, killed or let down by the system at their system calls.
//!
//! Each command is run once to its end, and its calls that write are counted. Then it is run anew in a copy of its folder
//! for each of some points, spread over all of its calls: killed as it enters the call, or with an error in its place
//! (`ENOSPC`, `EIO`). After that every store is sound, each NPC and each file is as it was before or at a whole state
//! after it; and the same command, run again, ends well, brings the folder to the bytes of the run that nothing happened
//! to, and leaves nothing else behind.
//!
//! `NIGHTFOLD_KILLS=2000` makes that many kills, and a quarter as many errors, instead of a few for each command;
//! `NIGHTFOLD_KILLS_OF=undo` tries one command alone.

mod commands;
mod injected;
mod picture;
mod trial;

use std::{
    collections::BTreeMap,
    env,
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use crate::support::Desk;

use self::{
    commands::COMMANDS,
    injected::{Fault, WritePoint, is_available, run_on_full_disk},
    trial::{Found, Trial},
};

/// Kills and errors of each command, if nothing else is asked for.
const KILLS: usize = 3;
const ERRORS: usize = 1;

/// Commands that are tried at the same time.
const THREADS: usize = 2;

/// Calls for which there may be no room.
const NEEDING_ROOM: [&str; 8] =
    ["write", "pwrite64", "ftruncate", "fallocate", "openat", "mkdir", "link", "rename"];

/// Number of kills that `NIGHTFOLD_KILLS` asks for.
fn asked() -> Option<usize> {
    let asked = env::var("NIGHTFOLD_KILLS").ok().filter(|asked| !asked.is_empty())?;
    Some(asked.parse().expect("NIGHTFOLD_KILLS is a number"))
}

/// Divides a number of faults among the commands, none of which has more than its points: what it does not need goes to
/// the others.
fn shares(mut faults: usize, points: &[usize]) -> Vec<usize> {
    let mut shares = vec![0; points.len()];
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|command| points[*command]);
    for (at, command) in order.iter().enumerate() {
        shares[*command] = points[*command].min(faults.div_ceil(points.len() - at));
        faults = faults.saturating_sub(shares[*command]);
    }
    shares
}

fn trials() -> &'static [Trial] {
    static TRIALS: OnceLock<Vec<Trial>> = OnceLock::new();
    TRIALS.get_or_init(|| {
        let only = env::var("NIGHTFOLD_KILLS_OF").ok();
        let chosen =
            COMMANDS.iter().filter(|command| only.as_deref().is_none_or(|only| command.name == only));
        chosen.map(Trial::new).collect()
    })
}

/// Tries faults of every command, prints their counts, and panics with all that did not hold.
fn hold(
    faults: usize,
    may_have: fn(&WritePoint) -> bool,
    attempt: fn(&Trial, usize, &WritePoint) -> Result<Found, String>,
) {
    let trials = trials();
    let counted: Vec<usize> =
        trials.iter().map(|trial| trial.points.iter().filter(|point| may_have(point)).count()).collect();
    let work: Vec<(&Trial, usize, WritePoint)> = trials
        .iter()
        .zip(shares(faults, &counted))
        .flat_map(|(trial, share)| {
            let points = trial.spread(share, may_have);
            points.into_iter().enumerate().map(move |(at, point)| (trial, at, point))
        })
        .collect();
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new((BTreeMap::<&str, BTreeMap<Found, usize>>::new(), Vec::new()));
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some((trial, at, point)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = attempt(trial, *at, point);
                    let (counts, failures) = &mut *outcomes.lock().expect("no panic");
                    let name = trial.command.name;
                    match found {
                        Ok(found) => *counts.entry(name).or_default().entry(found).or_default() += 1,
                        Err(error) => {
                            let failure =
                                format!("{name} at {} {} ({}): {error}", point.call, point.nth, point.path);
                            eprintln!("{failure}");
                            failures.push(failure);
                        }
                    }
                }
            });
        }
    });
    let (counts, failures) = outcomes.into_inner().expect("no panic");
    for ((trial, points), name) in trials.iter().zip(counted).map(|pair| (pair, pair.0.command.name)) {
        let found = counts.get(name).cloned().unwrap_or_default();
        let of = |state| found.get(&state).copied().unwrap_or_default();
        let (before, between, done) = (of(Found::Before), of(Found::Between), of(Found::Done));
        let all = before + between + done;
        eprintln!(
            "{name}: {all} at {points} points of {}; {before} before, {between} between, {done} done",
            trial.points.len()
        );
    }
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), work.len(), failures.join("\n"));
}

#[test]
fn killed_commands_leave_nothing_half_and_are_completed_by_the_same_call() {
    if is_available() {
        hold(asked().unwrap_or(KILLS * COMMANDS.len()), |_| true, |trial, _, point| trial.kill(point));
    }
}

#[test]
fn failed_system_calls_are_told_and_leave_nothing_half() {
    if is_available() {
        let faults = asked().map_or(ERRORS * COMMANDS.len(), |kills| kills / 4);
        // Without standard error nothing can be told.
        let may_fail = |point: &WritePoint| point.stream != Some(2);
        hold(faults, may_fail, |trial, at, point| {
            let needs_room = NEEDING_ROOM.iter().any(|call| point.call.starts_with(call));
            let error = if needs_room && at % 2 == 0 { "ENOSPC" } else { "EIO" };
            // A disk that is full stays full; whoever only reads a file is not told of it.
            let stays = point.call == "pwrite64" && at % 4 < 2;
            trial.fail(point, if stays { Fault::FailsFromThenOn(error) } else { Fault::Fails(error) })
        });
    }
}

#[test]
fn store_on_a_full_disk_is_read_and_says_what_to_do() {
    if !is_available() {
        return;
    }
    let desk = Desk::new();
    commands::rumour(&desk);
    for reading in ["list --all", "check", "export --to -", "why seen --npc Mara"] {
        let call = format!("{reading} --store rumour.db");
        let (read, ended) = (|| desk.run(&call).ok(), run_on_full_disk(&desk, &call));
        assert_eq!((ended.code, ended.out), (Some(0), read()), "{reading}: {}", ended.err);
    }
    for writing in
        ["undo --store rumour.db", "apply plan.json --store new.db", "backup b.db --store rumour.db"]
    {
        let ended = run_on_full_disk(&desk, writing);
        assert_ne!(ended.code, Some(0), "{writing}");
        assert!(["full", "room"].iter().all(|word| ended.err.contains(word)), "{writing}: {}", ended.err);
    }
    assert!(
        desk.run("list --store rumour.db").ok().contains("the mill is shut") && !desk.path("b.db").exists()
    );
}

#[test]
fn faults_are_divided_among_commands_by_their_points() {
    assert_eq!(shares(10, &[100, 2, 100]), [4, 2, 4]);
    assert_eq!(shares(3, &[5, 5]), [2, 1]);
    assert_eq!(shares(100, &[5, 7]), [5, 7]);
}

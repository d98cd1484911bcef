//! The commands that write, each with the folder that it is run in.

use std::{
    fs,
    sync::OnceLock,
    time::{Duration, SystemTime},
};

use serde_json::json;

use super::{injected::run, picture::copy};
use crate::{
    settle,
    support::{Desk, root, sealed},
};

/// A command that writes.
pub(super) struct WritingCommand {
    pub(super) name: &'static str,
    /// Makes the folder in which it is run.
    pub(super) prepare: fn(&Desk),
    pub(super) arguments: &'static str,
    /// Commands that bring the prepared folder to the states on the way, which are whole as well.
    pub(super) stages: &'static [&'static str],
    pub(super) once_done: OnceDone,
}

/// Behavior of a command where it was run before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnceDone {
    /// It changes nothing.
    Same,
    /// It is refused with this exit code, and changes nothing.
    Refused(i32),
    /// It is done a second time, so whoever repeats it looks first.
    Twice,
}
use OnceDone::{Refused, Same, Twice};

pub(super) const COMMANDS: [WritingCommand; 26] = [
    command(
        "sleep",
        town,
        "sleep 3.jsonl 4.jsonl --by-day --store town.db --apply --set run.npcs=1",
        &["sleep 3.jsonl --by-day --store town.db --apply"],
        Same,
    ),
    command("sleep, a new store", town, "sleep 3.jsonl --store new.db --apply --set run.npcs=1", &[], Same),
    command(
        "sleep, with outputs",
        town,
        "sleep 3.jsonl --store town.db --plan night.json --report night.html --summary-json summary.json --metrics metrics.prom",
        &[],
        Same,
    ),
    command(
        "sleep --then",
        town,
        "sleep 3.jsonl --store town.db --apply --then maintain,purge --set maintain.purge~after~nights=1",
        &["sleep 3.jsonl --store town.db --apply", "sleep 3.jsonl --store town.db --apply --then maintain"],
        Same,
    ),
    command(
        "sleep --inbox",
        inbox,
        "sleep --inbox inbox --done done --by-day --store town.db --apply",
        &["sleep inbox/3.jsonl --by-day --store town.db --apply"],
        Same,
    ),
    command("apply", planned, "apply night.json --store town.db", &[], Same),
    command(
        "undo",
        town,
        "undo --store town.db",
        &[
            "undo --store town.db --npc Ilse_Varga",
            "undo --store town.db --npc Nadia_Tull",
            "undo --store town.db --npc Corin_Ashe",
        ],
        Refused(2),
    ),
    command("rewind --save", town, "rewind --save slot --store town.db", &[], Same),
    command("rewind", saved, "rewind --to slot --store town.db --apply", &[], Same),
    command("maintain", town, "maintain --store town.db --now 1311-09-01T06:00:00Z --apply", &[], Same),
    command("collapse", posts, "collapse --store posts.db --apply", &[], Same),
    command(
        "cap",
        town,
        "cap --store town.db --set cap.max~insights=1 --set cap.stem~words=1 --apply",
        &[],
        Same,
    ),
    command("cap, a folder", insights, "cap insights --apply", &[], Same),
    command("settle", rumour, "settle seen --for --store rumour.db --apply", &[], Refused(2)),
    command("restore", collapsed, "restore bran-1-1 --store posts.db --apply", &[], Refused(2)),
    command(
        "recall --touch",
        town,
        "recall Ilse_Varga Where_is_the_chart? --store town.db --touch",
        &[],
        Twice,
    ),
    command("purge", collapsed, "purge --store posts.db --older-than-nights 1 --apply", &[], Same),
    command(
        "erase",
        erasable,
        "erase --person Corin_Ashe --also Corin --npc-too --store town.db --apply",
        &[],
        Same,
    ),
    command("purge, compacting", purged, "purge --store town.db --apply", &[], Same),
    command("backup", town, "backup copy.db --store town.db", &[], Refused(2)),
    command("backup --overwrite", backed_up, "backup copy.db --store town.db --overwrite", &[], Same),
    command("export", town, "export --store town.db --to town.jsonl", &[], Same),
    command("import", exported, "import town.jsonl --store new.db", &[], Refused(5)),
    command("shards pack", town, "shards pack 1.jsonl 2.jsonl 3.jsonl --shards 3 --to days", &[], Refused(2)),
    command("init", empty, "init game", &[], Refused(2)),
    command("replay --update", scenario, "replay game/scenarios --update --junit replay.xml", &[], Same),
];

const fn command(
    name: &'static str,
    prepare: fn(&Desk),
    arguments: &'static str,
    stages: &'static [&'static str],
    once_done: OnceDone,
) -> WritingCommand {
    WritingCommand { name, prepare, arguments, stages, once_done }
}

#[track_caller]
fn ok(desk: &Desk, arguments: &str) {
    let ended = run(desk, arguments);
    assert_eq!(ended.code, Some(0), "{arguments}: {}", ended.err);
}

fn empty(desk: &Desk) {
    fs::create_dir(desk.path("tmp")).expect("a folder");
}

/// Three NPCs of one scenario after two nights, their days up to the fourth, and the vectors of all of them.
fn town(desk: &Desk) {
    static TOWN: OnceLock<Desk> = OnceLock::new();
    let town = TOWN.get_or_init(|| {
        let town = Desk::new();
        empty(&town);
        for day in 1..=4 {
            let text = fs::read(root().join(format!("scenarios/betrayal/days/{day}.jsonl"))).expect("a day");
            town.write(&format!("{day}.jsonl"), text);
        }
        town.write("texts.txt", "The tide was low.\nThe chart was gone.\n");
        ok(&town, "sleep 1.jsonl 2.jsonl --by-day --store town.db --apply");
        ok(&town, "sleep 3.jsonl 4.jsonl --by-day --store town.db");
        ok(&town, "recall Ilse_Varga Where_is_the_chart? --store town.db");
        town
    });
    copy(town, desk);
}

fn planned(desk: &Desk) {
    town(desk);
    ok(desk, "sleep 3.jsonl 4.jsonl --by-day --store town.db --plan night.json");
}

fn saved(desk: &Desk) {
    town(desk);
    ok(desk, "rewind --save slot --store town.db");
    ok(desk, "sleep 3.jsonl --store town.db --apply");
}

fn inbox(desk: &Desk) {
    town(desk);
    for folder in ["inbox", "done"] {
        fs::create_dir(desk.path(folder)).expect("a folder");
    }
    for day in ["3.jsonl", "4.jsonl"] {
        fs::rename(desk.path(day), desk.path(&format!("inbox/{day}"))).expect("moved");
    }
}

/// Two guards whose posts report the same with other numbers, for three nights.
fn posts(desk: &Desk) {
    static POSTS: OnceLock<Desk> = OnceLock::new();
    let posts = POSTS.get_or_init(|| {
        let posts = Desk::new();
        empty(&posts);
        let mut days = String::new();
        for npc in ["Bran", "Egon"] {
            for (day, n) in (0..9).map(|n| (n / 3, n % 3)) {
                let id = format!("{}-{day}-{n}", npc.to_lowercase());
                let text = format!("Guard post status: {} patrols, {n} alerts", 3 * day + n);
                let at = 86_400 * day + 21_600 * (n + 1);
                let line = json!({"id": id, "npc": npc, "at": at, "kind": "status", "text": text, "importance": 4});
                days.push_str(&format!("{line}\n"));
            }
        }
        posts.write("days.jsonl", days);
        ok(&posts, "sleep days.jsonl --by-day --store posts.db --apply --set collapse.day=false --set triage.similar=1 --set budget.storage=1 --set budget.conclusions=0");
        posts
    });
    copy(posts, desk);
}

fn collapsed(desk: &Desk) {
    posts(desk);
    ok(desk, "collapse --store posts.db --apply");
}

/// A store of one night, and the plan that made it.
pub(super) fn rumour(desk: &Desk) {
    empty(desk);
    desk.write("plan.json", sealed(&settle::rumour_plan()));
    ok(desk, "apply plan.json --store rumour.db");
}

fn insights(desk: &Desk) {
    empty(desk);
    fs::create_dir(desk.path("insights")).expect("a folder");
    for n in 0..8 {
        let path =
            desk.write(&format!("insights/tide-table-{n}.md"), format!("what I think of tides, version {n}"));
        let touched = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + 60 * n);
        fs::File::options()
            .append(true)
            .open(path)
            .and_then(|file| file.set_modified(touched))
            .expect("touched");
    }
}

/// A store, and files beside it, in which a person is named.
fn erasable(desk: &Desk) {
    town(desk);
    for day in 1..=4 {
        fs::remove_file(desk.path(&format!("{day}.jsonl"))).expect("removed");
    }
}

/// A store with free space.
fn purged(desk: &Desk) {
    town(desk);
    ok(desk, "purge --store town.db --older-than-nights 1 --apply");
}

fn backed_up(desk: &Desk) {
    town(desk);
    ok(desk, "backup copy.db --store town.db");
    ok(desk, "sleep 3.jsonl --store town.db --apply");
}

fn exported(desk: &Desk) {
    town(desk);
    ok(desk, "export --store town.db --to town.jsonl --npc Ilse_Varga");
}

/// A scenario whose outcome was not accepted yet.
fn scenario(desk: &Desk) {
    static SCENARIO: OnceLock<Desk> = OnceLock::new();
    let made = SCENARIO.get_or_init(|| {
        let made = Desk::new();
        empty(&made);
        ok(&made, "init game");
        ok(&made, "replay game/scenarios");
        made
    });
    copy(made, desk);
}

//! Scenarios: replaying, accepting, watching, and reporting mistakes with their position.

use std::{
    fs,
    io::{BufRead, BufReader, Read as _},
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::support::{Desk, root, unwrapped};

const STORY: &str = "scenarios/first-nights/scenario.toml";
const DAY_ONE: &str = "scenarios/first-nights/days/1.jsonl";

/// Makes a desk with the files that `init` writes.
fn with_initial_scenario() -> Desk {
    let desk = Desk::new();
    desk.run("init").ok();
    desk
}

fn text(desk: &Desk, name: &str) -> String {
    String::from_utf8(desk.read(name)).expect("text")
}

/// Replaces words in a file.
#[track_caller]
fn edit(desk: &Desk, name: &str, from: &str, to: &str) {
    let before = text(desk, name);
    assert!(before.contains(from), "{from:?} is not in {name}");
    // In one piece: somebody may be watching.
    let other = desk.write("edited", before.replace(from, to));
    fs::rename(other, desk.path(name)).expect("put in place");
}

#[test]
fn initial_scenario_holds_and_is_never_overwritten() {
    let desk = Desk::new();
    let out = desk.run("init town").ok();
    assert!(out.contains("town/nightfold.toml") && out.contains("nightfold replay scenarios"), "{out}");
    let out = desk.run("replay town/scenarios").ok();
    assert!(out.starts_with("ok first-nights: "), "{out}");
    desk.write("town/nightfold.toml", "seed = 7\n");
    desk.run("init town").code_is(2, "is there already");
    assert_eq!(text(&desk, "town/nightfold.toml"), "seed = 7\n");
    // If one file exists already, none is written.
    let other = Desk::new();
    fs::create_dir_all(other.path("scenarios/first-nights")).expect("a folder");
    other.write(STORY, "mine");
    other.run("init").code_is(2, "scenario.toml is there already");
    assert!(!other.path("nightfold.toml").exists());
}

/// If this fails after an intended change, look at `nightfold replay scenarios`, then accept it with
/// `--update`.
#[test]
fn all_scenarios_match_their_accepted_outcomes() {
    let ran = Desk::new().run("replay {scenarios} --json");
    let out: Value = serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("{e}: {}", ran.err));
    let stories = out.as_array().expect("a list");
    assert!(stories.iter().any(|story| story["scenario"] == "riverbend"), "{out}");
    for story in stories {
        assert_eq!(story["outcome"]["accepted"], "same", "{story}");
        for expectation in story["expectations"].as_array().expect("a list") {
            assert_eq!(expectation["holds"], true, "{}: {expectation}", story["scenario"]);
        }
        assert_eq!(story["holds"], true, "{story}");
    }
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn failed_expectations_are_explained() {
    let desk = with_initial_scenario();
    edit(&desk, STORY, "forgotten = \"ada-1-02\"", "kept = [\"ada-1-02\", \"ada-1-09\"]");
    edit(&desk, STORY, "kept = \"ada-1-05\"", "forgotten = \"ada-1-05\"");
    edit(&desk, STORY, "superseded = \"ada-1-07\"\nby = \"ada-2-04\"", "kept = \"ada-1-07\"");
    let ran = desk.run("replay scenarios");
    insta::assert_snapshot!("failing", ran.out);
    ran.code_is(1, "1 of 1 scenario does not hold");
}

#[test]
fn failed_expectation_shows_the_closest_comparison_and_its_verdict() {
    let desk = with_initial_scenario();
    let expect = "superseded = \"ada-1-07\"\nby = \"ada-2-04\"";
    edit(&desk, STORY, expect, "contested = \"ada-1-07\"\nby = \"ada-2-04\"");
    let told = || unwrapped(&desk.run("replay scenarios").out);
    let judged = "ada-1-07 was compared with ada-2-04 on 1204-05-04, “The ford at Hallow is safe.” with \
        “The ford at Hallow is not safe.”: contradiction 0.99 ≥ 0.96 by model, cosine 0.92: contradiction";
    assert!(told().contains(judged), "{}", told());

    // Of a pair that was never compared, what came closest is told.
    edit(&desk, STORY, "by = \"ada-2-04\"", "by = \"ada-2-01\"");
    let told = told();
    assert!(told.contains(&format!("ada-1-07 was not compared with ada-2-01; {judged}")), "{told}");
    let told = desk.run("replay scenarios --json");
    let told: Value = serde_json::from_str(&told.out).expect("JSON");
    assert!(told.to_string().contains("ada-1-07 was not compared with ada-2-01"), "{told}");
}

#[test]
fn changed_threshold_is_compared_with_the_accepted_outcome() {
    let desk = with_initial_scenario();
    assert!(desk.run("replay scenarios").ok().contains("no outcome.json is kept yet"));
    let kept = "scenarios/first-nights/outcome.json";
    assert!(!desk.path(kept).exists(), "nothing is written without --update");
    desk.run("replay scenarios --update").ok();
    let accepted = text(&desk, kept);
    assert!(accepted.contains("\"ada-1-05\": \"kept (important)\""), "{accepted}");
    assert_eq!(desk.run("replay scenarios --json").json()[0]["outcome"]["accepted"], "same");

    let moved = desk.run("replay scenarios --set triage.important=10");
    assert!(moved.out.contains("is not the one that was accepted, in 2 places"), "{}", moved.out);
    moved.code_is(1, "--update accepts it");
    let moved = desk.run("replay scenarios --set triage.important=10 --json");
    let moved: Value = serde_json::from_str(&moved.out).expect("JSON");
    let first = &moved[0]["outcome"]["differences"][0];
    assert_eq!(first["place"], "night 1204-05-03 · Ada Miller · fates · ada-1-05", "{moved}");
    assert_eq!((&first["was"], &first["is"]), (&"kept (important)".into(), &"kept (within-budget)".into()));
    assert_eq!(text(&desk, kept), accepted);

    let out = desk.run("replay scenarios --set triage.important=10 --update").ok();
    assert!(out.contains("is accepted, with 2 changes") && out.contains("was kept (important)"), "{out}");
    assert_ne!(text(&desk, kept), accepted);
    // A file that is no outcome is a mistake, until it is written anew.
    desk.write(kept, "{\"format\":1,");
    desk.run("replay scenarios").code_is(3, "is no outcome");
    desk.run("replay scenarios --update").ok();
    assert_eq!(text(&desk, kept), accepted);
}

#[test]
fn diagnostics_show_position_and_suggestion() {
    let mistakes = [
        (STORY, "kept = \"ada-1-05\"", "keptt = \"ada-1-05\""),
        (STORY, "kept = \"ada-1-05\"", "kept = \"ada-1-5\""),
        (STORY, "kept = \"ada-1-05\"", "kept = \"ada-1-05\"\ntold = \"ada-1-05\""),
        (STORY, "kept = \"ada-1-05\"", "kept = \"ada-1-05\"\nnpc = \"Ada Milner\""),
        (STORY, "kept = \"ada-1-05\"", "kept = \"ada-2-04\"\nafter = 1"),
        (STORY, "kept = \"ada-1-05\"", "kept = \"ada-1-05\"\nafter = 1204-05-33"),
        (STORY, "kept = \"ada-1-05\"", "kept = \"ada-1-05\"\nafter = \"1204-05-05\""),
        (STORY, "top = 1", "times = 1"),
        (STORY, "query = \"who fell into the mill race?\"\n", ""),
        (STORY, "[0.2, 0.8]", "[0.8, 0.2]"),
        (STORY, "quality = 0.8", "quality = 8"),
        (STORY, "days/2.jsonl", "days/3.jsonl"),
        (STORY, "days/2.jsonl", "../../../../etc/passwd"),
        (STORY, "[npcs]", "[config.budget]\nstorge = 0.4\n\n[npcs]"),
        (STORY, "[npcs]", "[config.budget]\nstorage = 4.0\n\n[npcs]"),
        (STORY, "title = \"", "title = "),
        (STORY, "file = \"days/1.jsonl\"", "file = \"days/2.jsonl\""),
        (
            DAY_ONE,
            "\"npc\":\"Ada Miller\",\"at\":\"1204-05-03T06",
            "\"npc\":\"Ada Milner\",\"at\":\"1204-05-03T06",
        ),
        (DAY_ONE, "\"importance\":9", "\"importance\":11"),
        (DAY_ONE, "\"importance\":9", "\"importence\":9"),
        (DAY_ONE, "\"kind\":\"thought\"", "\"kind\":\"thougt\""),
        (DAY_ONE, "\"place\":\"the mill race\"}", "\"place\":\"the mill race\""),
        (
            DAY_ONE,
            "I swept the meal floor.",
            "I swept \\u001b[2J the \u{202e}meal\u{9b} floor.\",\"imprtance\":\"x",
        ),
    ];
    let desk = with_initial_scenario();
    let mut told = String::new();
    for (file, from, to) in mistakes {
        let before = text(&desk, file);
        edit(&desk, file, from, to);
        let ran = desk.run("replay scenarios");
        assert_eq!((ran.code, ran.out.as_str()), (3, ""), "{from} → {to}: {}", ran.err);
        assert!(!ran.err.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{:?}", ran.err);
        told.push_str(&format!("{}\n", ran.err));
        desk.write(file, &before);
    }
    insta::assert_snapshot!("mistakes", told);
    desk.run("replay scenarios").ok();
}

#[test]
fn missing_scenario_is_a_usage_error() {
    let desk = with_initial_scenario();
    desk.run("replay nowhere").code_is(2, "there is no nowhere");
    desk.run("replay schemas").code_is(2, "holds no scenario.toml");
    desk.run("replay").code_is(2, "<SCENARIO>");
    desk.run("replay scenarios --watch --update").code_is(2, "cannot be used with");
}

#[test]
fn scenario_order_does_not_depend_on_threads() {
    let desk = with_initial_scenario();
    for name in ["b-story", "a-story"] {
        let folder = format!("scenarios/{name}/days");
        fs::create_dir_all(desk.path(&folder)).expect("a folder");
        for file in ["scenario.toml", "days/1.jsonl", "days/2.jsonl"] {
            let copy = text(&desk, &format!("scenarios/first-nights/{file}"));
            desk.write(&format!("scenarios/{name}/{file}"), &copy);
        }
    }
    let one = desk.run("replay scenarios --json --threads 1").ok();
    assert_eq!(desk.run("replay scenarios --json --threads 4").ok(), one);
    let ran: Value = serde_json::from_str(&one).expect("JSON");
    let names: Vec<&str> =
        ran.as_array().expect("a list").iter().filter_map(|r| r["scenario"].as_str()).collect();
    assert_eq!(names, ["a-story", "b-story", "first-nights"]);
    // Named twice, it is replayed once.
    let named = desk.run("replay scenarios/b-story scenarios --json").json();
    let names: Vec<&str> =
        named.as_array().expect("a list").iter().filter_map(|r| r["scenario"].as_str()).collect();
    assert_eq!(names, ["b-story", "a-story", "first-nights"]);
}

#[test]
fn junit_report_lists_failures() {
    let desk = with_initial_scenario();
    edit(&desk, STORY, "because = \"a boy nearly drowned\"", "because = \"<b>&\\u001b[2J\"\nafter = 1");
    edit(&desk, STORY, "kept = \"ada-1-05\"", "forgotten = \"ada-1-05\"");
    desk.run("replay scenarios --junit junit.xml").code_is(1, "does not hold");
    let xml = text(&desk, "junit.xml");
    assert!(
        xml.contains("<testsuite name=\"first-nights\" tests=\"7\"") && xml.contains("failures=\"1\""),
        "{xml}"
    );
    assert!(xml.contains("ada-1-05 of Ada Miller is forgotten"), "{xml}");
    assert!(xml.contains("&lt;b&gt;&amp;") && !xml.contains('\u{1b}'), "{xml}");
    desk.run("replay scenarios --junit nowhere/junit.xml").code_is(2, "does not exist");
}

#[test]
fn settings_precedence_is_call_then_scenario_then_file() {
    let desk = with_initial_scenario();
    let kept = |arguments: &str| {
        let out = desk.run(&format!("replay scenarios --json{arguments}"));
        let out: Value = serde_json::from_str(&out.out).expect("JSON");
        let all = out[0]["expectations"].as_array().expect("a list").clone();
        let share = all.iter().find(|e| e["expected"].as_str().is_some_and(|e| e.contains("are gone")));
        share.expect("the reduction")["found"].as_str().expect("how much").to_owned()
    };
    let usual = kept("");
    desk.write("nightfold.toml", "[budget]\nstorage = 1.0\n");
    let file = kept("");
    assert_ne!(file, usual);
    edit(&desk, STORY, "[npcs]", "[config.budget]\nstorage = 0.5\n\n[npcs]");
    assert_eq!(kept(""), usual);
    assert_eq!(kept(" --set budget.storage=1.0"), file);
}

/// A file with several dates is several nights, with maintenance where the scenario asks for it.
#[test]
fn one_file_with_many_dates_replays_with_maintenance() {
    let desk = Desk::new();
    fs::create_dir_all(desk.path("long/days")).expect("a folder");
    let days = (1..=5).map(|day| root().join(format!("scenarios/riverbend/days/{day}.jsonl")));
    let mut lines: String = days.map(|day| fs::read_to_string(day).expect("a day")).collect();
    lines = lines
        .lines()
        .filter(|line| line.contains("\"npc\": \"Mara Thorne\""))
        .map(|l| format!("{l}\n"))
        .collect();
    lines.push_str(
        "{\"id\":\"later\",\"npc\":\"Mara Thorne\",\"at\":\"1204-05-30T06:00:00Z\",\"kind\":\"event\",\"text\":\"I lit \
         the hearth.\"}\n",
    );
    desk.write("long/days/all.jsonl", &lines);
    let story = |upkeep: &str| {
        format!(
            "format = 1\ntitle = \"Long\"\n{upkeep}\n[npcs]\n\"Mara Thorne\" = \"\"\n[[days]]\nby_date = true\n\
             file = \"days/all.jsonl\"\n[[expect]]\nactive_entries = [1, 1000]\n"
        )
    };
    let active = |ran: &Value| {
        let found = ran[0]["expectations"][0]["found"].as_str().expect("how many").to_owned();
        found.split(' ').next().and_then(|n| n.parse::<usize>().ok()).expect("a number")
    };
    desk.write("long/scenario.toml", story(""));
    let before = desk.run("replay long --json").json();
    assert_eq!(before[0]["nights"], 6);
    desk.write("long/scenario.toml", story("upkeep_every = 6"));
    let after = desk.run("replay long --json --update").json();
    assert!(active(&after) < active(&before), "{} of {}", active(&after), active(&before));
    let outcome = text(&desk, "long/outcome.json");
    assert!(outcome.contains("1204-05-30 · upkeep") && outcome.contains("summarised in "), "{outcome}");
}

#[test]
fn watch_replays_on_change_and_ends_on_interrupt() {
    let desk = with_initial_scenario();
    let mut command = desk.command("replay scenarios --watch");
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    let mut until_it_waits = || {
        let mut told = String::new();
        while !told.contains("waiting for a change") {
            assert_ne!(out.read_line(&mut told).expect("text"), 0, "it ended: {told}");
        }
        told
    };
    assert!(until_it_waits().contains("ok first-nights: "));
    edit(&desk, STORY, "forgotten = \"ada-1-02\"", "kept = \"ada-1-02\"");
    assert!(until_it_waits().contains("FAILED first-nights: "));
    edit(&desk, STORY, "kept = \"ada-1-02\"", "keptt = \"ada-1-02\"");
    until_it_waits();
    edit(&desk, STORY, "keptt = \"ada-1-02\"", "forgotten = \"ada-1-02\"");
    assert!(until_it_waits().contains("ok first-nights: "));
    // The configuration counts too.
    desk.write("nightfold.toml", "[budget]\nstorage = 0.01\nmin_kept = 0\n");
    assert!(until_it_waits().contains("first-nights: "));
    let interrupted =
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(interrupted.success());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    let mut told = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut told).expect("text");
    assert!(told.contains("did you mean `kept`?"), "{told}");
}

#[cfg(unix)]
#[test]
fn links_out_of_a_scenario_are_neither_read_nor_written() {
    use std::os::unix::fs::symlink;

    let desk = with_initial_scenario();
    let outcome = "scenarios/first-nights/outcome.json";
    let _ = fs::remove_file(desk.path(outcome));
    desk.write("mine.json", "mine");
    symlink(desk.path("mine.json"), desk.path(outcome)).expect("a link");
    for call in ["replay scenarios", "replay scenarios --update"] {
        desk.run(call).code_is(3, "outcome.json: is a link");
    }
    assert_eq!(text(&desk, "mine.json"), "mine");
    fs::remove_file(desk.path(outcome)).expect("removed");
    // Not even through one that stays inside.
    desk.write("scenarios/first-nights/kept.json", "{}");
    symlink("kept.json", desk.path(outcome)).expect("a link");
    desk.run("replay scenarios --update").code_is(3, "outcome.json: is a link");
    assert_eq!(text(&desk, "scenarios/first-nights/kept.json"), "{}");
    fs::remove_file(desk.path(outcome)).expect("removed");

    fs::rename(desk.path(DAY_ONE), desk.path("day.jsonl")).expect("moved");
    symlink(desk.path("day.jsonl"), desk.path(DAY_ONE)).expect("a link");
    desk.run("replay scenarios").code_is(3, "1.jsonl: is a link, or lies behind one, that leads out");
    fs::remove_file(desk.path(DAY_ONE)).expect("removed");
    // A link inside the folder is read.
    fs::rename(desk.path("day.jsonl"), desk.path("scenarios/first-nights/day.jsonl")).expect("moved");
    symlink("../day.jsonl", desk.path(DAY_ONE)).expect("a link");
    desk.run("replay scenarios").ok();

    fs::rename(desk.path("scenarios/first-nights/days"), desk.path("days")).expect("moved");
    symlink(desk.path("days"), desk.path("scenarios/first-nights/days")).expect("a link");
    desk.run("replay scenarios").code_is(3, "that leads out of the scenario's folder");

    fs::rename(desk.path(STORY), desk.path("secret.toml")).expect("moved");
    symlink(desk.path("secret.toml"), desk.path(STORY)).expect("a link");
    let ran = desk.run("replay scenarios");
    assert!(!ran.err.contains("title"), "{}", ran.err);
    ran.code_is(3, "scenario.toml: is a link");
}

//! Mistakes in calls: wrong paths, names, keys and times. Each is reported before anything is written.

use crate::support::Desk;

const DAY_ONE: &str = "{scenarios/riverbend/days/1.jsonl}";

/// Returns three memories of one NPC, an hour apart.
fn three_hours() -> String {
    let line = |i: u32| {
        format!(
            r#"{{"id":"m{i}","npc":"Mara","at":"1204-05-03T0{i}:00:00Z","kind":"event","text":"hour {i} at the inn","importance":8}}"#
        )
    };
    (1..=3).map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn unsaveable_plan_is_refused_before_anything_is_applied() {
    let desk = Desk::new();
    desk.write("day.jsonl", three_hours());
    std::fs::create_dir(desk.path("folder")).expect("a folder");
    let before = std::fs::read_dir(desk.path("")).expect("the desk").count();
    for (plan, words) in [
        ("none/plan.json", "the folder"),
        ("folder", "it is a folder"),
        ("town.db", "reads or writes that file already"),
        ("day.jsonl", "reads or writes that file already"),
    ] {
        let ran = desk.run(&format!("sleep day.jsonl --store town.db --apply --plan {plan}"));
        assert_eq!(ran.code, 2, "{plan}: {}", ran.err);
        assert!(ran.err.contains(words) && ran.err.contains(plan), "{plan}: {}", ran.err);
        assert!(ran.err.contains("hint: ") && !ran.err.contains(".nightfold-"), "{plan}: {}", ran.err);
        assert!(!desk.path("town.db").exists(), "{plan}: something was applied");
    }
    assert_eq!(std::fs::read_dir(desk.path("")).expect("the desk").count(), before, "something was left");
    desk.run("sleep day.jsonl --store town.db --apply --plan plan.json").ok();
    assert!(desk.run("apply plan.json --store town.db").ok().contains("1 there already"));
}

#[test]
fn mistyped_store_is_not_created_by_a_plan() {
    let desk = Desk::new();
    desk.run(&format!("sleep {DAY_ONE} --npc Mara_Thorne --store town.db --apply")).ok();
    desk.run("sleep {scenarios/riverbend/days/2.jsonl} --npc Mara_Thorne --store town.db --plan two.json")
        .ok();
    let ran = desk.run("apply two.json --store twon.db");
    assert_eq!(ran.code, 5, "{}", ran.err);
    assert!(ran.err.contains("there is no store") && ran.err.contains("twon.db"), "{}", ran.err);
    assert!(
        ran.err.contains("town.db`? the plan builds on nights that are in a store already"),
        "{}",
        ran.err
    );
    assert!(!desk.path("twon.db").exists());
    assert_eq!(desk.run("apply two.json --store town.db").ok(), "applied: 1 night written\n");
}

#[test]
fn question_as_of_a_moment_before_the_latest_night_or_of_another_clock_is_refused() {
    let desk = Desk::new();
    desk.write("day.jsonl", three_hours());
    desk.run("sleep day.jsonl --store town.db --apply").ok();
    for now in ["1204-05-03T02:30:00Z", "86400"] {
        let ran = desk.run(&format!("recall Mara inn --store town.db --touch --now {now}"));
        assert!(ran.err.contains(&format!("Mara cannot be asked as of {now}")), "{}", ran.err);
        assert!(ran.err.contains("hint: `--at TIME` asks"), "{}", ran.err);
        assert_eq!(ran.code, 2);
    }
    desk.run("recall Mara inn --store town.db --touch --now 1204-05-04T02:30:00Z").ok();
}

#[test]
fn sleep_time_before_all_memories_is_reported() {
    let desk = Desk::new();
    desk.write("day.jsonl", three_hours());
    let early = desk.run("sleep day.jsonl --until 1204-05-03T00:30:00Z --store town.db --apply");
    assert_eq!(early.code, 2, "{}", early.err);
    let words = "no memory at or before 1204-05-03T00:30:00Z; the first is at 1204-05-03T01:00:00Z";
    assert!(early.err.contains(words), "{}", early.err);
    assert!(!desk.path("town.db").exists());
    let sleep = "sleep day.jsonl --store town.db --apply --until 1204-05-03T0";
    let first = desk.run(&format!("{sleep}1:00:00Z")).ok();
    assert!(first.contains("2 memories after 1204-05-03T01:00:00Z wait for another night"), "{first}");
    assert!(first.contains("applied: 1 of 1 night written"), "{first}");
    let again = desk.run(&format!("{sleep}1:00:00Z")).ok();
    assert!(again.contains("nothing to write: all of this was slept on before"), "{again}");
    let second = desk.run(&format!("{sleep}2:00:00Z")).ok();
    assert!(second.contains("1 memory after 1204-05-03T02:00:00Z waits for another night"), "{second}");
    assert!(!desk.run(&format!("{sleep}3:00:00Z")).ok().contains("for another night"));
}

#[test]
fn unknown_npc_is_reported_with_the_known_ones() {
    let desk = Desk::new();
    desk.run(&format!("sleep {DAY_ONE} --npc Mara_Thorne --store town.db --plan one.json")).ok();
    desk.run("apply one.json --store town.db").ok();
    for (call, place, known) in [
        (format!("sleep {DAY_ONE}"), "the input", "it has `Bran Holt`, `Elsbeth Crane`, `Mara Thorne`"),
        ("show one.json".to_owned(), "the plan", "it has `Mara Thorne`"),
        ("list --store town.db".to_owned(), "the store", "it has `Mara Thorne`"),
    ] {
        let ran = desk.run(&format!("{call} --npc Mara_Thorne --npc Mora --npc Tim"));
        assert_eq!(ran.code, 2, "{}", ran.err);
        let words = format!(
            "{place} has no NPC of the name `Mora`, `Tim`\n hint: did you mean `Mara Thorne`? {known}"
        );
        assert!(ran.err.contains(&words), "{}", ran.err);
    }
}

#[test]
fn unknown_setting_is_reported_with_the_nearest_key() {
    let desk = Desk::new();
    desk.write("day.jsonl", three_hours());
    let told = |setting: &str| {
        let ran = desk.run(&format!("sleep day.jsonl --set {}", setting.replace('_', "~")));
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.contains("`nightfold generate config` prints every key"), "{}", ran.err);
        ran.err
    };
    let misspelt = told("budget.storge=0.4");
    assert!(misspelt.contains("no key `budget.storge`"), "{misspelt}");
    assert!(misspelt.contains("did you mean `budget.storage`?"), "{misspelt}");
    assert!(!told("weather.rain=1").contains("did you mean"));
    let wrong = told("triage.important=very");
    assert!(wrong.contains("triage.important: \"very\" is not a whole number"), "{wrong}");
    let variant = told("cluster.algorithm=magic");
    assert!(
        variant.contains("cluster.algorithm: there is no `magic`; allowed: `single`, `kmeans`"),
        "{variant}"
    );
    assert!(told("budget").contains("section.key=value"));

    desk.write("nightfold.toml", "[budget]\n\nstorge = 0.4\n");
    let in_file = desk.run("sleep day.jsonl");
    assert_eq!(in_file.code, 2, "{}", in_file.err);
    for words in ["nightfold.toml: budget.storge: ", "line 3", "did you mean `budget.storage`?"] {
        assert!(in_file.err.contains(words), "{words:?} is not in: {}", in_file.err);
    }
}

#[test]
fn byte_order_mark_and_standard_input_are_read() {
    let desk = Desk::new();
    let path = desk.write("day.jsonl", format!("\u{feff}{}", three_hours().replace('\n', "\r\n")));
    assert!(desk.run("sleep day.jsonl").ok().contains("3 memories read"));
    let mut piped = desk.command("sleep - --plan plan.json");
    piped.stdin(std::fs::File::open(path).expect("the day"));
    let output = piped.output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("3 memories read"));
}

#[cfg(unix)]
#[test]
fn pipes_sockets_devices_and_folders_are_refused_before_they_are_opened() {
    let desk = Desk::new();
    desk.write("day.jsonl", three_hours());
    desk.run("sleep day.jsonl --store town.db --apply").ok();
    let made = std::process::Command::new("mkfifo").arg(desk.path("pipe")).status().expect("mkfifo runs");
    assert!(made.success());
    std::fs::create_dir(desk.path("folder")).expect("a folder");
    std::fs::create_dir(desk.path("models")).expect("a folder");
    let _listening = std::os::unix::net::UnixListener::bind(desk.path("socket")).expect("a socket");
    for (name, kind) in
        [("pipe", "a pipe"), ("socket", "a socket"), ("/dev/zero", "a device"), ("folder", "a folder")]
    {
        for (call, code) in [
            ("show FILE", 3),
            ("apply FILE --store town.db", 3),
            ("import FILE --store new.db", 3),
            ("sleep day.jsonl --config FILE", 2),
            ("sleep day.jsonl --language recorded:FILE", 2),
            (
                "sleep day.jsonl --language openai:http://127.0.0.1:9/v1 --set language.model=m --record FILE",
                2,
            ),
        ] {
            let ran = desk.run(&call.replace("FILE", name));
            assert_eq!(ran.code, code, "{call} {name}: {}", ran.err);
            assert!(ran.err.contains(kind) && ran.err.contains("hint: "), "{call} {name}: {}", ran.err);
        }
        for (call, code) in [
            ("list --store FILE", 5),
            ("sleep day.jsonl --store FILE --apply", 5),
            ("sleep day.jsonl --vector-cache FILE", 2),
        ] {
            let ran = desk.run(&call.replace("FILE", name));
            assert_eq!(ran.code, code, "{call} {name}: {}", ran.err);
            let words = if kind == "a folder" { "is a folder" } else { "is no file" };
            assert!(ran.err.contains(words) && ran.err.contains("hint: "), "{call} {name}: {}", ran.err);
        }
        if kind != "a folder" {
            desk.run(&format!("sleep {name}")).code_is(3, &format!("{name} is {kind}, not a file"));
        }
    }
    std::fs::rename(desk.path("pipe"), desk.path("models/tokenizer.json")).expect("renamed");
    desk.run("sleep day.jsonl --models models").code_is(4, "tokenizer.json is no file");
    // What a shell writes for `<(…)` is read.
    let given = std::fs::File::open(desk.path("day.jsonl")).expect("the day");
    let read = desk.command("sleep /dev/stdin").stdin(given).output().expect("it runs");
    assert_eq!(read.status.code(), Some(0));
    desk.run("sleep day.jsonl --plan /dev/null").ok();
}

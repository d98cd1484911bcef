//! Slips of new users, each with what they are told. The messages are a snapshot, to be read as the user reads them.

use crate::support::Desk;

const DAY: &str = r#"{"id":"mara-1","npc":"Mara Thorne","at":"1204-05-03T06:10:00Z","kind":"event","text":"I swept the common room","importance":6}
{"id":"tom-1","npc":"Tom Aldous","at":"1204-05-03T07:10:00Z","kind":"event","text":"I shod the carter's mare","importance":6}
"#;

/// Calls that go wrong, each with its exit code.
const CALLS: [(&str, i32); 46] = [
    // Names of files and folders.
    ("sleep dya.jsonl", 3),
    ("sleep nothing-like-it.jsonl", 3),
    ("sleep story", 3),
    ("sleep bare", 3),
    ("sleep nested", 3),
    ("replay stroy", 2),
    ("replay days", 2),
    ("list --store twon.db", 5),
    ("list --store day.jsonl", 5),
    ("show day.jsonl", 3),
    ("apply plam.json --store town.db", 3),
    // Files that hold something else.
    ("sleep array.json", 3),
    ("sleep pretty.json", 3),
    ("sleep table.csv", 3),
    ("sleep picture.png", 3),
    ("sleep packed.jsonl.gz", 3),
    ("sleep town.db", 3),
    ("sleep page.html", 3),
    ("sleep empty.jsonl", 3),
    // Lines and fields.
    ("sleep high.jsonl", 3),
    ("sleep word.jsonl", 3),
    ("sleep half.jsonl", 3),
    ("sleep dream.jsonl", 3),
    ("sleep soon.jsonl", 3),
    ("sleep list.jsonl", 3),
    ("sleep nameless.jsonl", 3),
    ("sleep cut.jsonl", 3),
    ("sleep misspelt.jsonl", 0),
    // Names of NPCs, ids, themes.
    ("sleep day.jsonl --npc mara", 2),
    ("list --store town.db --npc mara_thorne", 2),
    ("recall Tmo question --store town.db", 2),
    ("recall Mara_Thorne walnuts --store town.db", 0),
    ("why mara-2 --store town.db", 2),
    ("why xyz --store town.db", 2),
    ("themes Mara_Thorne --store town.db", 0),
    ("recall Mara_Thorne --theme broom --store town.db", 2),
    ("undo --store town.db --npc Mora_Thorne", 2),
    // Settings.
    ("sleep day.jsonl --set budget.storge=0.4", 2),
    ("sleep day.jsonl --set budget.storage=lots", 2),
    ("sleep day.jsonl --set cluster.algorithm=magic", 2),
    ("sleep day.jsonl --config range.toml", 2),
    ("generate config --config broken.toml", 2),
    ("generate config --config sound.toml", 0),
    // Options.
    ("sleep day.jsonl --aply", 2),
    ("sleep day.jsonl --apply", 2),
    ("slep day.jsonl", 2),
];

#[test]
fn slips_are_answered_with_what_is_wrong_where_and_what_to_do() {
    let desk = Desk::new();
    desk.write("day.jsonl", DAY);
    desk.run("sleep day.jsonl --store town.db --apply").ok();
    let line = DAY.lines().next().unwrap_or_default();
    for folder in ["story/days", "bare", "nested/spring", "days"] {
        std::fs::create_dir_all(desk.path(folder)).expect("a folder");
    }
    for (name, text) in [
        ("story/scenario.toml", "title = \"A story\"\n".to_owned()),
        ("story/days/1.jsonl", DAY.to_owned()),
        ("nested/spring/1.jsonl", DAY.to_owned()),
        ("days/1.jsonl", DAY.to_owned()),
        ("bare/notes.txt", "walnuts".to_owned()),
        ("array.json", format!("[{line}]")),
        ("pretty.json", line.replace("\",\"", "\",\n  \"")),
        ("table.csv", "id,npc,at,kind,text\nmara-1,Mara Thorne,1204-05-03,event,I swept\n".to_owned()),
        ("page.html", "<!DOCTYPE html><html></html>".to_owned()),
        ("empty.jsonl", String::new()),
        ("high.jsonl", line.replace(":6}", ":11}")),
        ("word.jsonl", line.replace(":6}", ":\"high\"}")),
        ("half.jsonl", line.replace(":6}", ":7.5}")),
        ("dream.jsonl", line.replace("event", "dream")),
        ("soon.jsonl", line.replace("1204-05-03T06:10:00Z", "soon")),
        ("list.jsonl", line.replace("\"I swept the common room\"", "[\"I swept\"]")),
        ("nameless.jsonl", line.replace("\"npc\":\"Mara Thorne\",", "")),
        ("cut.jsonl", line.chars().take(60).collect()),
        ("misspelt.jsonl", DAY.replace("importance", "importence")),
        ("range.toml", "[triage]\nimportant = 7\n\n[budget]\nstorage = 2.0\n".to_owned()),
        ("broken.toml", "[budget]\nstorage = \"half\"\n".to_owned()),
        ("sound.toml", "[budget]\nstorage = 0.4\n\n[triage]\nimportant = 8\n".to_owned()),
    ] {
        desk.write(name, text);
    }
    desk.write("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    desk.write("packed.jsonl.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\x03");
    let before = desk.run("export --store town.db --to -").ok();
    let (mut told, mut helpless) = (String::new(), Vec::new());
    for (call, code) in CALLS {
        let ran = desk.run(call);
        told.push_str(&format!("$ nightfold {call}\n"));
        if code == 0 {
            // Of a night that is planned, the notes alone are of interest here.
            let out = if call.starts_with("sleep") { "" } else { &ran.out };
            // How near something is differs between machines.
            let lines = out.lines().filter(|line| !line.contains("relevance"));
            lines.for_each(|line| told.push_str(&format!("{line}\n")));
        } else {
            assert_eq!(ran.out, "", "{call}");
        }
        told.push_str(&format!("{}\n", ran.err.trim_end()));
        told.push_str(if ran.code == code { "" } else { "(another exit code was expected)\n" });
        let is_helped = ["hint: ", "help: ", "tip: ", "Usage: ", "did you mean"];
        if code != 0 && !is_helped.iter().any(|words| ran.err.contains(words)) {
            helpless.push(call);
        }
    }
    assert_eq!(desk.run("export --store town.db --to -").ok(), before, "something was written");
    let folder = format!("{}/", desk.path("").display().to_string().trim_end_matches('/'));
    insta::assert_snapshot!("breakages", told.replace(&folder, ""));
    assert!(helpless.is_empty(), "no next step is told: {helpless:?}");
}

#[test]
fn folder_of_days_is_read_by_name() {
    let desk = Desk::new();
    let (first, second) = DAY.split_once('\n').expect("two lines");
    std::fs::create_dir(desk.path("days")).expect("a folder");
    desk.write("days/2.jsonl", second);
    desk.write("days/1.jsonl", first);
    desk.write("days/README.md", "two days");
    let ran = desk.run("sleep days").ok();
    assert!(ran.contains("2 NPCs, 2 nights: 2 memories read"), "{ran}");
}

//! Error messages for bad input, after which nothing is written.

use crate::support::Desk;

const GOOD: &str =
    r#"{"id":"a","npc":"Mara","at":5,"kind":"event","text":"I swept the common room","importance":2}"#;

#[track_caller]
fn refused(file: &str, code: i32, told: &[&str]) {
    let desk = Desk::new();
    desk.write("good.jsonl", GOOD);
    desk.run("sleep good.jsonl --store town.db --apply").ok();
    let before = desk.run("list --store town.db --all --json").ok();
    desk.write("bad.jsonl", format!("{}\n{file}\n", GOOD.replace("\"a\"", "\"b\"")));
    let ran = desk.run("sleep bad.jsonl --store town.db --apply");
    assert_eq!(ran.code, code, "{}", ran.err);
    for words in told {
        assert!(ran.err.contains(words), "{words:?} is not in: {}", ran.err);
    }
    assert_eq!(desk.run("list --store town.db --all --json").ok(), before);
}

#[test]
fn bad_line_is_reported_with_position_field_and_allowed_values() {
    refused(
        "{\"id\":\"c\",",
        3,
        &["bad.jsonl:2: column 10", "it ends before the JSON is whole", "--on-bad-line skip"],
    );
    refused(&GOOD.replace(":2}", ":11}"), 3, &["bad.jsonl:2: column ", "`importance`", "11", "from 1 to 10"]);
    refused(&GOOD.replace("\"npc\":\"Mara\",", ""), 3, &["bad.jsonl:2", "missing field `npc`"]);
    refused(&GOOD.replace(":5,", ":NaN,"), 3, &["bad.jsonl:2", "field `at`"]);
    refused(&GOOD.replace(":5,", ":\"soon\","), 3, &["field `at`", "\"soon\" is not a time", "RFC 3339"]);
    refused(&GOOD.replace("event", "dream"), 3, &["field `kind`", "`dream`", "event", "chat"]);
    let huge = GOOD.replace("swept", &"x".repeat(5_000_000));
    refused(&huge, 3, &["bad.jsonl:2", "longer than 262144 bytes", "input.max_line_bytes", "--set"]);
}

#[test]
fn bad_line_can_be_skipped() {
    let desk = Desk::new();
    desk.write("day.jsonl", format!("{GOOD}\nnot json\n"));
    let ran = desk.run("sleep day.jsonl --on-bad-line skip");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("warning: skipped day.jsonl:2"), "{}", ran.err);
    assert!(ran.out.contains("1 memory read"), "{}", ran.out);
}

#[test]
fn unusable_input_files_have_distinct_errors() {
    let desk = Desk::new();
    desk.write("empty.jsonl", "");
    std::fs::create_dir(desk.path("none")).expect("a folder");
    for (file, words) in
        [("empty.jsonl", "holds no memories"), ("none", "holds no memories"), ("none.jsonl", "cannot read")]
    {
        let ran = desk.run(&format!("sleep {file}"));
        assert_eq!(ran.code, 3, "{file}: {}", ran.err);
        assert!(ran.err.contains(words), "{}", ran.err);
    }
}

#[test]
fn unwritable_or_foreign_store_is_refused() {
    let desk = Desk::new();
    desk.write("good.jsonl", GOOD);
    std::fs::create_dir(desk.path("folder.db")).expect("a folder");
    desk.write(
        "text.db",
        "this is a letter, not a database; it is long enough to look like one at first sight.",
    );
    for (store, words) in
        [("folder.db", "is a folder"), ("none/town.db", "does not exist"), ("text.db", "not a store")]
    {
        let ran = desk.run(&format!("sleep good.jsonl --store {store} --apply"));
        assert_eq!(ran.code, 5, "{store}: {}", ran.err);
        assert!(ran.err.contains(words), "{store}: {}", ran.err);
    }
    let none = desk.run("list --store none.db");
    assert_eq!(none.code, 5, "{}", none.err);
    assert!(none.err.contains("there is no store") && none.err.contains("--apply"), "{}", none.err);
}

#[test]
fn out_of_range_setting_is_reported_with_its_range() {
    let desk = Desk::new();
    desk.write("good.jsonl", GOOD);
    let ran = desk.run("sleep good.jsonl --set budget.storage=2");
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("budget.storage is 2; it must lie between 0.01 and 1"), "{}", ran.err);
    desk.write("nightfold.toml", "[budget]\nstorge = 0.4\n");
    let ran = desk.run("sleep good.jsonl");
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("storge") && ran.err.contains("line 2"), "{}", ran.err);
}

#[test]
fn npc_that_fails_does_not_stop_the_others() {
    let desk = Desk::new();
    let late = GOOD.replace("Mara", "Tom").replace("\"at\":5", "\"at\":950000");
    desk.write("day.jsonl", [GOOD.replace(":2}", ":6}"), late.replace(":2}", ":6}")].join("\n"));
    desk.run("sleep day.jsonl --by-day --store town.db --apply").ok();
    let between = desk.run("maintain --store town.db --now 200000");
    assert!(between.code == 3 || between.code == 6, "{}", between.err);
    assert!(between.err.contains("of Tom") && !between.err.contains("of Mara"), "{}", between.err);
}

#[test]
fn flooded_npc_sleeps_on_a_part_of_its_day() {
    let desk = Desk::new();
    let mut lines = vec![GOOD.replace(":2}", ":6}")];
    for i in 0..12 {
        let line = GOOD.replace("\"a\"", &format!("\"b{i}\"")).replace("Mara", "Tom");
        lines.push(line.replace("swept", &format!("swept {i}")));
    }
    desk.write("day.jsonl", lines.join("\n"));
    let ran = desk.run("sleep day.jsonl --store town.db --apply --set cluster.max~distinct=10");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let told = format!("{}{}", ran.err, ran.out);
    assert!(told.contains("cluster.max_distinct"), "{told}");
    let why = desk.run("list --store town.db --all --json").json();
    let unread = why.to_string().matches("over-distinct").count();
    assert_eq!(unread, 2, "{why}");
}

#[test]
fn control_characters_in_memories_are_escaped_in_json_and_round_trip() {
    let desk = Desk::new();
    let evil = "\u{9b}31m \u{202e}I\u{200b} swept\u{2028} \u{e0041}\u{61c}\u{feff}\u{7f}";
    desk.write("day.jsonl", GOOD.replace("I swept", evil).replace(":2}", ":9}"));
    let plan = desk.run("sleep day.jsonl --store town.db --apply --json").ok();
    let listed = desk.run("list --store town.db --json").ok();
    for text in [&plan, &listed] {
        assert!(
            text.contains("\\u009b31m \\u202eI\\u200b swept\\u2028 \\udb40\\udc41\\u061c\\ufeff\\u007f"),
            "{text}"
        );
        let hidden = |c: char| evil.contains(c) && !c.is_ascii_graphic() && c != ' ';
        assert!(!text.chars().any(hidden), "{text:?}");
    }
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("JSON");
    assert_eq!(listed[0]["text"], format!("{evil} the common room"));
}

#[test]
fn why_terminates_on_cyclic_sources() {
    let desk = Desk::new();
    let ids: Vec<String> = (0..30).map(|i| format!("m{i}")).collect();
    let lines: Vec<String> = ids
        .iter()
        .enumerate()
        .map(|(i, id)| {
            let others: Vec<&String> = ids.iter().filter(|other| *other != id).collect();
            serde_json::json!({
                "id": id, "npc": "Mara", "at": i, "kind": "event", "importance": 9,
                "text": format!("The cup of guest {i} was {} and stood by chair {}", ["full", "empty"][i % 2], i * 7),
                "sources": others,
            })
            .to_string()
        })
        .collect();
    desk.write("day.jsonl", lines.join("\n"));
    desk.run("sleep day.jsonl --store town.db --apply").ok();
    let told = desk.run("why m0 --store town.db").ok();
    assert!(told.contains("(above)") && told.contains("more\n"), "{told}");
    assert!(told.lines().count() < 700, "{} lines", told.lines().count());
    assert_eq!(desk.run("why m0 --store town.db --json").json()["from"].as_array().map(Vec::len), Some(29));
}

#[test]
fn names_that_look_alike_are_warned_of_within_an_input_and_beside_a_store() {
    let desk = Desk::new();
    let line = |id: u32, npc: &str| {
        format!(
            "{{\"id\":\"m{id}\",\"npc\":\"{npc}\",\"at\":{id},\"kind\":\"event\",\"text\":\"The mill burned down.\",\"importance\":8}}\n"
        )
    };
    desk.write("one.jsonl", line(1, "Mara Thorne") + &line(2, "Bran"));
    desk.write("two.jsonl", line(3, "M\u{430}ra Thorne") + &line(4, "Bran"));
    let first = desk.run("sleep one.jsonl --store town.db --apply");
    assert!(!first.err.contains("look alike"), "{}", first.err);
    let words = "warning: the NPCs `Mara Thorne` and `M\u{430}ra Thorne` look alike and are two: character 2 is U+0061 and U+0430\n";
    for call in ["sleep one.jsonl two.jsonl", "shards pack one.jsonl two.jsonl --to days"] {
        let ran = desk.run(call);
        assert!(ran.err.contains(words), "{}", ran.err);
    }
    let beside = desk.run("sleep two.jsonl --store town.db --apply --json");
    assert!(beside.err.contains("look alike"), "{}", beside.err);
    beside.json();
    assert_eq!(desk.run("list --store town.db").err, words);
}

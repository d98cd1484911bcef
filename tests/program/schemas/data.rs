//! Labelled data of a few lines, in the shapes that the suites of `evaluate` read.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Desk, root};

/// Stories that the questions of `evaluate recall` are about.
const STORIES: [&str; 6] =
    ["betrayal", "guards-week", "hostile-player", "merchants-year", "plague-town", "riverbend"];

const LOG: &str = "Content,EventTemplate\n\
    Receiving block 1,Receiving block <*>\n\
    Receiving block 2,Receiving block <*>\n\
    Verification succeeded,Verification succeeded\n";

const TREEBANK: &str = "# text = Tom fell.\n\
    1\tTom\tTom\tPROPN\t_\tNumber=Sing\t2\tnsubj\t_\t_\n\
    2\tfell\tfall\tVERB\t_\tMood=Ind|Tense=Past|VerbForm=Fin\t0\troot\t_\t_\n\
    3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n";

fn lines(values: impl IntoIterator<Item = Value>) -> String {
    values.into_iter().map(|value| format!("{value}\n")).collect()
}

/// Writes all data to a desk.
pub(super) fn write(desk: &Desk) {
    desk.write("HDFS_2k.log_structured.csv", LOG);
    desk.write("test.conllu", TREEBANK);
    desk.write("stories.jsonl", lines([story()]));
    fs::create_dir_all(desk.path("real/generative_agents")).expect("a folder");
    desk.write("real/generative_agents/days.jsonl", lines(real_days()));
    desk.write("pairs.jsonl", lines(pairs()));
    desk.write("memories.jsonl", lines((0..6).map(|n| turn(n, &json!(n % 4)))));
    talk(desk);
    town(desk);
    told(desk);
}

fn story() -> Value {
    let statement =
        |id: &str, night: u32, text: &str| json!({"id": id, "night": night, "kind": "event", "text": text});
    let told = [
        statement("a", 1, "The mill wheel at Harrow Ford turns day and night."),
        statement("b", 2, "The mill wheel at Harrow Ford stands still."),
    ];
    // The end of it is none that any night could bring about.
    json!({"id": "wheel", "category": "state-change", "npc": "Osric", "statements": told,
        "end": {"a": "contested", "b": "gone"}})
}

/// Returns two days of one NPC, the second with news.
fn real_days() -> [Value; 2] {
    [(1, "open"), (2, "shut")].map(|(day, state)| {
        json!({"npc": "Osric", "id": format!("m{day}"), "at": format!("2024-01-0{day}T09:00:00"), "kind": "event",
            "text": format!("My shop is {state}.")})
    })
}

fn pairs() -> [Value; 3] {
    let pair = |a: &str, b: &str, stance: &str, family: &str| json!({"a": a, "b": b, "stance": stance, "family": family});
    [
        pair("The mill is open.", "The mill is not open.", "same", "mills"),
        pair("I swept the hall.", "I swept the hall.", "same", "halls"),
        pair("Tom owes Joss six crowns.", "It rained.", "unrelated", "mills"),
    ]
}

fn turn(n: u32, votes: &Value) -> Value {
    let texts = ["I moved to Oslo", "It is hot", "My sister married Tom", "Yes", "I bought a boat", "I see"];
    json!({"npc": "Ann", "id": format!("c/{n}"), "timestamp": format!("2024-01-0{}T09:0{n}:00", 1 + n / 3), "kind": "chat",
        "text": texts[n as usize], "importance": null, "run": "c", "session": format!("s{}", 1 + n / 3), "votes": votes})
}

fn talk(desk: &Desk) {
    fs::create_dir(desk.path("talk")).expect("a folder");
    desk.write("talk/memories.jsonl", lines((0..6).map(|n| turn(n, &Value::Null))));
    let asked = |question: &str, evidence: &str| json!({"conv": "c", "question": question, "answer": "Tom", "evidence": [evidence]});
    let mut moved = asked("Where does Ann live?", "c/4");
    (moved["old"], moved["new"]) = (json!(["c/0"]), json!(["c/4"]));
    desk.write("talk/questions.jsonl", lines([asked("Who married?", "c/2"), moved]));
}

/// Writes three labelled days of one villager.
fn town(desk: &Desk) {
    let mut all = String::new();
    for kind in ["days", "labels"] {
        fs::create_dir_all(desk.path(&format!("town/{kind}"))).expect("a folder");
        for day in 1..=3 {
            let whole = root().join(format!("scenarios/riverbend/{kind}/{day}.jsonl"));
            let whole = fs::read_to_string(whole).expect("a day");
            let values = whole.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
            let of_one = lines(values.filter(|value| value["npc"] == "Mara Thorne"));
            desk.write(&format!("town/{kind}/{day}.jsonl"), &of_one);
            all.push_str(if kind == "days" && day == 1 { &of_one } else { "" });
        }
    }
    desk.write("day.jsonl", all);
}

/// Writes a small story under the name of each that is asked about.
fn told(desk: &Desk) {
    for story in STORIES {
        desk.run(&format!("init told/{story}")).ok();
        let folder = desk.path(&format!("told/{story}"));
        fs::rename(folder.join("scenarios/first-nights"), desk.path("told/moved")).expect("moved");
        fs::remove_dir_all(&folder).expect("removed");
        fs::rename(desk.path("told/moved"), folder).expect("moved");
    }
}

//! The program on data of a few lines, in the shapes that its suites read, with the real model.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Stories that the questions of `recall` are about.
const STORIES: [&str; 6] =
    ["betrayal", "guards-week", "hostile-player", "merchants-year", "plague-town", "riverbend"];

const LOG: &str = "Content,EventTemplate\n\
    Receiving block 1,Receiving block <*>\n\
    Receiving block 2,Receiving block <*>\n\
    Verification succeeded,Verification succeeded\n";

const SCENARIO: &str = "format = 1\ntitle = \"Debts\"\nstory = \"A debt.\"\nlesson = \"News is kept.\"\n\
    [npcs]\n\"Mara Thorne\" = \"innkeeper\"\n[[days]]\nfile = \"days/1.jsonl\"\n[[days]]\nfile = \"days/2.jsonl\"\n";

const TABLE: &str = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n\
    1\tA dog runs\tNo dog runs\t4.5\tCONTRADICTION\n";

fn beside_this_crate(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn lines(values: impl IntoIterator<Item = Value>) -> String {
    values.into_iter().map(|value| format!("{value}\n")).collect()
}

/// Folder of data.
struct Data(TempDir);

impl Data {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn write(&self, file: &str, content: impl AsRef<[u8]>) {
        let path = self.0.path().join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, content).expect("written");
    }

    fn run(&self, arguments: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_nightfold-evaluate"))
            .args(arguments.split_whitespace())
            .current_dir(self.0.path())
            .env("NIGHTFOLD_VECTOR_CACHE", self.0.path().join("vectors.db"))
            .output()
            .expect("the program starts")
    }

    /// Runs the program; returns its lines of JSON. It may end with 1: so little data falls short of many lines.
    #[track_caller]
    fn measured(&self, arguments: &str) -> Vec<Value> {
        let ran = self.run(&format!("{arguments} --json"));
        let told = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.code().is_some_and(|code| code < 2), "{arguments}: {told}");
        let out = String::from_utf8(ran.stdout).expect("text");
        out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

fn turn(n: u32, votes: &Value) -> Value {
    let texts = ["I moved to Oslo", "It is hot", "My sister married Tom", "Yes", "I bought a boat", "I see"];
    json!({"npc": "Ann", "id": format!("c/{n}"), "timestamp": format!("2024-01-0{}T09:0{n}:00", 1 + n / 3), "kind": "chat",
        "text": texts[n as usize], "importance": null, "run": "c", "session": format!("s{}", 1 + n / 3), "votes": votes})
}

/// Writes a small story under the name of each that is asked about, one of them with labels.
fn stories(data: &Data) {
    let memory = |day: u32, text: &str| {
        json!({"npc": "Mara Thorne", "id": format!("m{day}"), "at": format!("1204-05-0{day}T09:00:00Z"), "kind": "event",
            "text": text, "importance": 5})
    };
    for story in STORIES {
        data.write(&format!("scenarios/{story}/scenario.toml"), SCENARIO);
        for (day, text) in [(1, "Joss owes Tom 14 silver."), (2, "Joss paid Tom half of it.")] {
            data.write(&format!("scenarios/{story}/days/{day}.jsonl"), lines([memory(day, text)]));
        }
    }
    for day in 1..=2 {
        let label = json!({"npc": "Mara Thorne", "id": format!("m{day}"), "at": format!("1204-05-0{day}T09:00:00Z"), "theme": "debt"});
        data.write(&format!("scenarios/betrayal/labels/{day}.jsonl"), lines([label]));
    }
}

#[test]
fn every_suite_runs_on_the_data_that_it_names() {
    let data = Data::new();
    stories(&data);
    data.write("data/loghub/HDFS_2k.log_structured.csv", LOG);
    data.write("data/sick/SICK_trial.txt", TABLE);
    data.write("data/lufy/memories.jsonl", lines((0..6).map(|n| turn(n, &json!(n % 4)))));
    data.write("data/locomo/memories.jsonl", lines((0..6).map(|n| turn(n, &Value::Null))));
    let asked = |question: &str, evidence: &str| json!({"conv": "c", "question": question, "answer": "Tom", "evidence": [evidence]});
    let questions = [asked("Who married?", "c/2"), asked("Where does Ann live?", "c/4")];
    data.write("data/locomo/questions.jsonl", lines(questions));
    let told =
        |id: &str, night: u32, text: &str| json!({"id": id, "night": night, "kind": "event", "text": text});
    let wheel =
        [told("a", 1, "The mill wheel turns day and night."), told("b", 2, "The mill wheel stands still.")];
    // The end of it is none that any night could bring about.
    let story = json!({"id": "wheel", "category": "state-change", "npc": "Osric", "statements": wheel,
        "end": {"a": "contested", "b": "gone"}});
    data.write("stories.jsonl", lines([story]));
    let pair = json!({"a": "The mill is open.", "b": "The mill is not open.", "stance": "contradiction"});
    data.write("pairs.jsonl", lines([pair]));

    let given = "--data data --pairs pairs.jsonl --stories stories.jsonl --wrong 9";
    let ran = data.measured(&format!("beliefs stance life recall salience collapse texts {given}"));
    let names: Vec<&Value> = ran.iter().map(|suite| &suite["suite"]).collect();
    assert_eq!(names, ["beliefs", "stance", "life", "recall", "salience", "collapse", "texts"]);
    let rows =
        |suite: usize, section: usize| ran[suite]["sections"][section]["rows"].as_array().expect("rows");
    assert_eq!(rows(0, 0)[1], json!({"category": "beliefs", "right": [0, 2], "share": 0.0}));
    assert_eq!(rows(1, 0)[3]["accuracy"], Value::Null);
    assert_eq!(rows(1, 0)[3]["recall"], 1.0);
    for section in [0, 1] {
        let full = &rows(2, section)[0];
        assert_eq!((&full["store"], &full["text"]), (&json!("full store"), &json!(1.0)), "{full}");
    }
    assert_eq!(rows(5, 0)[0]["exact"], 1.0);
    assert_eq!((&rows(6, 0)[0]["stories"], &rows(6, 0)[0]["talk"]), (&json!(12), &json!(2)));

    let clusters = data.measured("clusters --algorithm kmeans,single");
    assert_eq!(clusters[0]["sections"][0]["rows"][0]["algorithm"], "single");
}

#[test]
fn themes_of_riverbend_agree_with_those_of_people() {
    let data = Data::new();
    let scenarios = beside_this_crate("../../scenarios");
    let call = format!("clusters --algorithm kmeans,single --scenarios {}", scenarios.display());
    let report = &data.measured(&call)[0];
    let v = |algorithm: &str| {
        let rows = report["sections"][0]["rows"].as_array().expect("rows");
        let row = rows
            .iter()
            .find(|row| row["data"] == "riverbend" && row["algorithm"] == algorithm && row["k"] == "own");
        row.expect("a row")["V"].as_f64().expect("a number")
    };
    assert!(v("kmeans") > 0.65 && v("single").abs() < 1e-9, "{report}");
    let cohesion = &report["sections"][1]["rows"][0]["spearman"];
    assert!(cohesion.as_f64().is_some_and(|rho| rho > 0.2), "{cohesion}");

    let report = &data.measured(&format!("cohesion --scenarios {}", scenarios.display()))[0];
    let rows = report["sections"][0]["rows"].as_array().expect("rows");
    let rho = |measure: &str| {
        let row = rows.iter().find(|row| row["measure"] == measure).expect("a row");
        row["spearman"].as_f64().expect("a number")
    };
    assert!(rho("cohesion") > 0.4 && rho("one reader with the other") > 0.9, "{report}");
}

#[test]
fn single_steps_work_on_files() {
    let data = Data::new();
    data.write(
        "texts.jsonl",
        lines(["The mill burned.", "I baked bread."].map(|text| json!({"text": text}))),
    );
    assert!(data.run("embed texts.jsonl texts.npy").status.success());
    let written = fs::read(data.0.path().join("texts.npy")).expect("vectors");
    assert!(written.starts_with(b"\x93NUMPY") && written.len() > 2 * 384 * 4);
    data.write("pairs.jsonl", "{\"a\":\"The gate is open\",\"b\":\"The gate is not open\"}\n");
    let judged = data.run("judge pairs.jsonl --set judge.by=rules");
    let line: Value = serde_json::from_slice(&judged.stdout).expect("JSON");
    assert_eq!(
        (&line["stance"], &line["a"]),
        (&json!("contradiction"), &json!("The gate is open")),
        "{line}"
    );
}

#[test]
fn what_is_missing_or_wrong_is_named() {
    let data = Data::new();
    data.write("bad.jsonl", "{\"a\":\"x\",\"b\":\"y\",\"stance\":\"maybe\"}\n");
    for (call, said) in [
        ("nonsense", "possible values: beliefs, stance"),
        ("collapse", "this measures on loghub in the folder of --data"),
        ("collapse --data .", "HDFS_2k.log_structured.csv"),
        ("life --data .", "locomo, realtalk or beam"),
        ("stance --pairs bad.jsonl", "bad.jsonl:1: column 33: field `stance`: there is no `maybe`"),
        ("stance --set judge.nonsense=1", "unknown field `nonsense`"),
        ("stance --set judge.by=language", "the judge is language"),
    ] {
        let ran = data.run(call);
        let told = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.code() == Some(2) && told.contains(said), "{call}: {told}");
    }
    let listed = String::from_utf8(data.run("--list").stdout).expect("text");
    assert!(listed.contains("collapse\n    Accuracy of grouping status lines"), "{listed}");
}

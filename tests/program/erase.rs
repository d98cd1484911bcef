//! Erasing a person from a village that has slept for several nights.

use std::{fs, path::Path};

use serde_json::Value;

use crate::support::Desk;

const DAYS: &str = "{scenarios/riverbend/days/1.jsonl} {scenarios/riverbend/days/2.jsonl} \
    {scenarios/riverbend/days/3.jsonl} {scenarios/riverbend/days/4.jsonl} {scenarios/riverbend/days/5.jsonl} \
    {scenarios/hostile-player/days/1.jsonl} --by-day";

const ERASE: &str = "erase --person Joss_Millard --also Joss --store town.db";

/// NPCs of another place, who never met him.
const STRANGERS: [&str; 3] = ["Dorrit_Hane", "Emlen_Rusk", "Pip_Larrow"];

/// True if the bytes name Joss, in whatever letters.
fn names_joss(bytes: &[u8]) -> bool {
    let is_letter =
        |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
    let mut places = bytes.windows(4).enumerate().filter(|(_, four)| four.eq_ignore_ascii_case(b"joss"));
    places.any(|(at, _)| !is_letter(at.checked_sub(1)) && !is_letter(Some(at + 4)))
}

fn files_naming_joss(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut named: Vec<String> = files
        .filter(|path| names_joss(&fs::read(path).expect("read")))
        .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
        .collect();
    named.sort();
    named
}

fn ids(desk: &Desk, npc: &str) -> Vec<String> {
    let list = desk.run(&format!("list --store town.db --all --json --npc {npc}")).json();
    list.as_array().expect("entries").iter().map(|e| e["id"].as_str().expect("an id").to_owned()).collect()
}

fn exported(desk: &Desk, npc: &str) -> String {
    // The first line has what is of the store as a whole, the last a sum of all before.
    let text = desk.run(&format!("export --store town.db --npc {npc} --to -")).ok();
    text.lines().filter(|line| line.contains("\"npc\":")).skip(1).collect::<Vec<_>>().join("\n")
}

#[test]
fn person_is_forgotten_by_a_village_and_in_the_files_of_its_store() {
    let desk = Desk::new();
    let folder = desk.path("");
    desk.run(&format!("sleep {DAYS} --store town.db --apply --vector-cache vectors.db")).ok();
    desk.run("rewind --save Joss_arrives --store town.db").ok();
    desk.run("rewind --save today --store town.db").ok();
    let strangers = STRANGERS.map(|npc| exported(&desk, npc));
    let (before, listed) = (exported(&desk, "Mara_Thorne"), ids(&desk, "Mara_Thorne"));
    assert_eq!(files_naming_joss(&folder), ["town.db"]);

    // A dry run says what would go, and changes nothing.
    let erase = format!("{ERASE} --vector-cache vectors.db");
    let shown = desk.run(&erase).ok();
    for said in ["Mara Thorne: ", "1 save point of that name", "dry run: nothing was changed"] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    assert!(!shown.contains("Dorrit Hane"), "{shown}");
    let planned = desk.run(&format!("{erase} --json")).json();
    assert!(planned["totals"]["named"].as_u64() > Some(80), "{planned}");
    assert!(!names_joss(planned.to_string().as_bytes()), "{planned}");
    assert_eq!(exported(&desk, "Mara_Thorne"), before);

    let done = desk.run(&format!("{erase} --apply --json")).json();
    assert_eq!((&done["totals"], &done["save_points"]), (&planned["totals"], &Value::from(1)));
    assert_eq!(done["found"], serde_json::json!([]));
    assert!(done["cached"].as_u64() > Some(100), "{done}");
    assert_eq!(files_naming_joss(&folder), [""; 0]);

    // Others know what they knew; what is left can be asked for, explained and carried elsewhere.
    assert_eq!(STRANGERS.map(|npc| exported(&desk, npc)), strangers);
    let left = ids(&desk, "Mara_Thorne");
    assert!(left.len() < listed.len() && left.iter().all(|id| listed.contains(id)));
    for id in &left {
        let why = desk.command("why --store town.db --npc Mara_Thorne").arg(id).output().expect("started");
        assert!(why.status.success() && !names_joss(&why.stdout), "{why:?}");
    }
    desk.run("recall Mara_Thorne Who_owes_whom? --store town.db").ok();
    desk.run("themes Mara_Thorne --store town.db").ok();
    desk.run("export --store town.db --to town.jsonl").ok();
    desk.run("import town.jsonl --store copy.db").ok();
    desk.run("export --store copy.db --to copy.jsonl").ok();
    assert_eq!(desk.read("town.jsonl"), desk.read("copy.jsonl"));

    // Nothing takes it back, and the same days bring nothing back.
    desk.run("undo --store town.db --npc Mara_Thorne").code_is(5, "purged or erased");
    desk.run(&format!("sleep {DAYS} --store town.db --apply")).ok();
    assert_eq!(ids(&desk, "Mara_Thorne"), left);
    assert!(desk.run("rewind --to today --store town.db").ok().contains("nothing to do"));
    assert_eq!(desk.run(ERASE).ok(), "nothing names Joss Millard\n");
    let again = desk.run(&format!("{ERASE} --apply")).ok();
    assert!(again.contains("0 entries of 0 NPCs") && again.contains("checked: found nowhere"), "{again}");
    assert!(again.contains("not reached: backups"), "{again}");
    assert_eq!(files_naming_joss(&folder), [""; 0]);
}

#[test]
fn npc_of_that_name_goes_only_if_it_is_said() {
    let desk = Desk::new();
    desk.run("sleep {scenarios/hostile-player/days/1.jsonl} --store town.db --apply").ok();
    let erase = "erase --person Pip_Larrow --store town.db --apply";
    desk.run(erase).code_is(2, "--npc-too");
    desk.run("erase --person P --store town.db").code_is(2, "fewer than two letters");
    let done = desk.run(&format!("{erase} --npc-too --json")).json();
    assert_eq!(done["totals"]["whole_npcs"], 1);
    desk.run("list --store town.db --npc Pip_Larrow").code_is(2, "Pip Larrow");
    assert!(!ids(&desk, "Dorrit_Hane").is_empty());
}

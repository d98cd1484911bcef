//! Profiles: settings of single NPCs, in files, in `--set` and in what the program shows.

use serde_json::json;

use crate::support::{Desk, unwrapped};

const CONFIG: &str = r#"
[triage]
important = 8

[profiles.watch]
budget.storage = 0.4
recall.limit = 3

[profiles.guard]
inherits = "watch"
npcs = ["Bran Holt", "Guard *"]
tags = ["guard"]
budget.storage = 0.25
budget.min_kept = 0
triage.important = 8
"#;

/// Returns a desk with the configuration above.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("nightfold.toml", CONFIG);
    desk
}

/// Returns the lines of a text with this in them.
fn lines<'a>(text: &'a str, with: &str) -> Vec<&'a str> {
    text.lines().filter(|line| line.contains(with)).collect()
}

/// Returns the lines of a configuration without its comments.
fn values(toml: &str) -> Vec<&str> {
    let bare = toml.lines().map(|line| line.split_once("  #").map_or(line, |(value, _)| value));
    bare.filter(|line| !line.starts_with('#') && !line.is_empty()).collect()
}

#[test]
fn configuration_of_an_npc_names_the_profile_behind_each_value() {
    let desk = desk();
    let bran = desk.run("generate config --npc Bran_Holt").ok();
    assert!(
        bran.starts_with("# Bran Holt: the profile guard applies, by its name; it inherits from watch\n"),
        "{bran}"
    );
    assert_eq!(
        lines(&bran, "# profiles."),
        [
            "min_kept = 0  # profiles.guard; 3 without",
            "storage = 0.25  # profiles.guard; 0.5 without",
            "limit = 3  # profiles.watch; 10 without"
        ],
        "triage.important is the same without"
    );
    // What is printed is a configuration, and what it says is what the NPC sleeps by.
    desk.write("own.toml", &bran);
    let again = desk.run("generate config --npc Mara_Thorne --config own.toml").ok();
    assert_eq!(values(&again), values(&bran));

    let pattern = desk.run("generate config --npc Guard_12").ok();
    assert!(
        pattern.starts_with("# Guard 12: the profile guard applies, by the pattern \"Guard *\""),
        "{pattern}"
    );
    let tagged = desk.run("generate config --npc Tom_Reed --npc-tag guard").ok();
    assert!(
        tagged.starts_with("# Tom Reed (tags: guard): the profile guard applies, by the tag \"guard\""),
        "{tagged}"
    );
    let other = desk.run("generate config --npc Mara_Thorne").ok();
    assert!(other.starts_with("# Mara Thorne: no profile applies; there are guard, watch\n"), "{other}");
    assert!(other.contains("\nimportant = 8\n") && !other.contains("# profiles."), "{other}");
    let set = desk.run("generate config --npc Mara_Thorne --set profiles.mara.npcs=[\"Mara_Thorne\"] --set profiles.mara.triage.important=6").ok();
    assert!(set.contains("important = 6  # profiles.mara; 8 without"), "{set}");
    desk.run("generate config --store town.db").code_is(2, "--store is for the configuration of an NPC");
}

#[test]
fn mistakes_in_profiles_are_named_with_the_profile() {
    let desk = desk();
    for (set, said) in [
        (
            "profiles.guard.budget.storge=0.4",
            "there is no key `profiles.guard.budget.storge` hint: did you mean `profiles.guard.budget.storage`?",
        ),
        ("profiles.guard.inherit=watch", "hint: did you mean `profiles.guard.inherits`?"),
        (
            "profiles.guard.budget.storage=7",
            "profiles.guard.budget.storage is 7; it must lie between 0.01 and 1",
        ),
        (
            "profiles.guard.inherits=wach",
            "profiles.guard.inherits is \"wach\", and there is no such profile; there are guard, watch hint: did you mean `watch`?",
        ),
        (
            "profiles.watch.inherits=guard",
            "profiles.guard.inherits leads back to itself: guard → watch → guard",
        ),
        (
            "profiles.guard.run.npcs=3",
            "profiles.guard.run cannot differ from NPC to NPC: it says how many NPCs sleep together",
        ),
        ("profiles.guard.judge.by=rules", "profiles.guard.judge.by cannot differ from NPC to NPC"),
        ("profiles.guard.npcs=[\"G*d\"]", "profiles.guard.npcs has \"G*d\", which has a `*` inside"),
    ] {
        // In `--set` an underscore is a space, so keys with one cannot be written here.
        let ran = desk.run(&format!("generate config --npc Bran --set {set}"));
        assert_eq!(ran.code, 2, "{set}: {}", ran.err);
        let err = unwrapped(&ran.err);
        assert!(err.contains(said), "{set}: {err}");
    }
    // In a file the place is named too.
    desk.write("wrong.toml", "[profiles.guard.budget]\nstorge = 0.4\n");
    let ran = desk.run("generate config --npc Bran --config wrong.toml");
    assert_eq!(ran.code, 2);
    let err = unwrapped(&ran.err);
    assert!(err.contains("wrong.toml: profiles.guard.budget.storge: "), "{err}");
    assert!(err.contains("did you mean `profiles.guard.budget.storage`?"), "{err}");
    assert!(ran.err.contains("line 2"), "{}", ran.err);
}

/// Returns a day of an NPC: ten different things of middling importance, the first with these tags of the NPC.
fn day(npc: &str, day: u32, npc_tags: Option<&[&str]>) -> String {
    let lived = [
        "The baker burned a tray of rye loaves before dawn",
        "A heron fished under the mill bridge all morning",
        "Somebody painted the well house door green",
        "Two carters argued about a broken axle",
        "The schoolmaster lost his spectacles in the hay",
        "Rain came through the roof of the granary",
        "A pedlar sold blue ribbons at the fountain",
        "The miller's dog chased a goose into the pond",
        "Snow lay on the far hills in the evening",
        "The lamplighter whistled a tune I did not know",
    ];
    let line = |(n, text): (usize, &str)| {
        let mut line = json!({
            "id": format!("{}-{day}-{n}", npc.len()), "npc": npc, "at": format!("1204-05-{day:02}T{:02}:00:00Z", 6 + n),
            "kind": "event", "text": format!("{text}, on day {day}."), "importance": 5,
        });
        if let (0, Some(tags)) = (n, npc_tags) {
            line["npc_tags"] = json!(tags);
        }
        format!("{line}\n")
    };
    lived.into_iter().enumerate().map(line).collect()
}

#[test]
fn nights_and_recall_go_by_the_profile_of_the_npc() {
    let desk = desk();
    let first =
        [day("Bran Holt", 3, None), day("Tom Reed", 3, Some(&["guard"])), day("Mara Thorne", 3, None)];
    desk.write("one.jsonl", first.concat());
    let plan = desk.run("sleep one.jsonl --store town.db --apply --json").json();
    let kept = |npc: &str| {
        let nights = plan["nights"].as_array().expect("nights");
        let report = &nights.iter().find(|night| night["npc"] == npc).expect("the night")["report"];
        (report["profile"].as_str().map(str::to_owned), report["kept"].as_u64().expect("a count"))
    };
    let ((bran, few), (tom, as_few), (mara, more)) =
        (kept("Bran Holt"), kept("Tom Reed"), kept("Mara Thorne"));
    assert_eq!((bran.as_deref(), tom.as_deref(), mara), (Some("guard"), Some("guard"), None));
    assert!(few == as_few && few < more, "{few} and {as_few}, not {more}");
    assert_eq!(plan["report"]["profiles"], json!({"guard": 2}));

    desk.run("sleep one.jsonl --report night.html").ok();
    let page = String::from_utf8(desk.read("night.html")).expect("UTF-8");
    assert_eq!(page.matches("\"profile\":\"guard\"").count(), 2);

    // The store knows the tags: the second day does not say them again.
    desk.write("two.jsonl", [day("Tom Reed", 4, None), day("Mara Thorne", 4, None)].concat());
    let shown = desk.run("sleep two.jsonl --store town.db").ok();
    assert_eq!(lines(&shown, " · profile guard").len(), 1, "{shown}");
    assert!(shown.contains("profiles: 1 night guard\n"), "{shown}");
    let known = desk.run("generate config --npc Tom_Reed --store town.db").ok();
    assert!(known.starts_with("# Tom Reed (tags: guard): the profile guard applies"), "{known}");

    let found = |npc: &str| {
        let arguments = format!("recall {npc} baker --store town.db --json --set recall.min~relevance=0");
        desk.run(&arguments).json().as_array().expect("a list").len()
    };
    assert!(found("Bran_Holt") <= 3, "as its parent says");
    assert!(found("Mara_Thorne") > 3);
}

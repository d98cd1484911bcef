//! The diff of a night: on terminals of any width, with and without colour, as Markdown, and as JSON.

use std::time::Duration;

use crate::support::Desk;

const DAYS: &str =
    "{scenarios/riverbend/days/1.jsonl} {scenarios/riverbend/days/2.jsonl} --by-day --store town.db";
const DAY_FOUR: &str = "sleep {scenarios/riverbend/days/4.jsonl} --store town.db --npc Mara_Thorne";

/// Makes a store in which the villagers of riverbend have slept three times.
fn after_three_nights() -> Desk {
    let desk = Desk::new();
    desk.run(&format!("sleep {DAYS} --apply")).ok();
    desk
}

#[test]
fn diff_fits_any_width_with_and_without_colour() {
    let desk = after_three_nights();
    for (width, name) in [("80", "mara-day-4-at-80"), ("140", "mara-day-4-at-140")] {
        let call = format!("{DAY_FOUR} -v");
        let plain = desk.run_with(&call, &[("COLUMNS", width)]).ok();
        let most = width.parse().expect("a number");
        assert!(plain.lines().all(|line| line.chars().count() <= most), "{plain}");
        let coloured = desk.run_with(&call, &[("COLUMNS", width), ("CLICOLOR_FORCE", "1")]).ok();
        assert_ne!(plain, coloured);
        assert_eq!(without_colour(&coloured), plain, "colour says nothing that the text does not");
        insta::assert_snapshot!(name, plain);
        insta::assert_snapshot!(format!("{name}-coloured"), coloured.replace('\u{1b}', "␛"));
        let refused = [("COLUMNS", width), ("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")];
        assert_eq!(desk.run_with(&call, &refused).ok(), plain);
    }
}

#[test]
fn summary_says_which_beliefs_fell_at_any_width() {
    let desk = after_three_nights();
    for width in ["80", "140"] {
        let summary = desk.run_with(DAY_FOUR, &[("COLUMNS", width)]).ok();
        let most = width.parse().expect("a number");
        assert!(summary.lines().all(|line| line.chars().count() <= most), "{summary}");
        insta::assert_snapshot!(format!("mara-day-4-summary-at-{width}"), summary);
    }
}

fn without_colour(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, painted)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        rest = painted.split_once('m').expect("a colour ends").1;
    }
    out + rest
}

#[test]
fn diff_as_markdown() {
    let desk = after_three_nights();
    let out = desk.run(&format!("{DAY_FOUR} --markdown --plan night.json")).ok();
    insta::assert_snapshot!("mara-day-4-markdown", out);
    let shown = desk.run("show night.json --store town.db --markdown").ok();
    assert_eq!(out.split("dry run").next(), Some(&*shown));
}

#[test]
fn diff_as_json_holds_every_memory_once_and_all_proposals() {
    let desk = after_three_nights();
    desk.run(&format!("{DAY_FOUR} --plan night.json")).ok();
    let shown = desk.run("show night.json --store town.db --json").json();
    let plan: serde_json::Value = serde_json::from_slice(&desk.read("night.json")).expect("JSON");
    let (night, planned) = (&shown["nights"][0], &plan["nights"][0]);
    let sections = night["sections"].as_array().expect("sections");
    let lived: Vec<&serde_json::Value> =
        sections.iter().flat_map(|s| s["memories"].as_array().expect("memories")).collect();
    let times: u64 = lived.iter().map(|m| m["times"].as_u64().expect("times")).sum();
    assert_eq!(usize::try_from(times).expect("few"), planned["memories"].as_array().expect("memories").len());
    let proposed = sections.iter().flat_map(|s| s["proposals"].as_array().expect("proposals"));
    let mut proposed: Vec<&str> = proposed
        .chain(night["across"].as_array().expect("across"))
        .map(|p| p["id"].as_str().expect("id"))
        .collect();
    let changes = planned["changes"].as_array().expect("changes");
    let mut written: Vec<&str> = changes
        .iter()
        .filter(|c| c["do"] == "chunk" || c["do"] == "reflect")
        .map(|c| c["id"].as_str().expect("id"))
        .collect();
    proposed.sort_unstable();
    written.sort_unstable();
    assert!(!written.is_empty());
    assert_eq!(proposed, written);
    for change in changes.iter().filter(|c| c["do"] == "chunk" || c["do"] == "reflect") {
        // What shares nothing has no name.
        let name = change["name"].as_str().unwrap_or_default();
        assert!(name.split(", ").count() <= 3, "{change}");
    }
    // Mara hears that the bridge holds after all.
    assert!(night["known"].as_array().expect("known").iter().any(|k| k["do"] == "end"), "{night}");
}

#[test]
fn diff_of_three_hundred_memories_is_abridged() {
    let desk = Desk::new();
    let (places, acts) = (["mill", "forge", "bridge", "chapel", "market"], ["swept", "mended", "counted"]);
    let day: String = (0..300)
        .map(|i| {
            let (place, act) = (places[i % 5], acts[i / 5 % 3]);
            format!(
                "{{\"id\":\"m{i}\",\"npc\":\"Pell\",\"at\":{},\"kind\":\"event\",\"text\":\"I {act} by the {place} with {} \
                 others and talked of the {i}th barrel.\",\"importance\":{}}}\n",
                i * 60,
                i % 7,
                1 + i % 6
            )
        })
        .collect();
    desk.write("day.jsonl", &day);
    let brief = desk.run_with("sleep day.jsonl -v", &[("COLUMNS", "80")]).ok();
    assert!(brief.lines().count() < 400, "{} lines", brief.lines().count());
    assert!(brief.contains(" more kept\n") && brief.contains(" more pruned\n"), "{brief}");
    assert!(brief.contains("-vv shows every change with its reason"), "{brief}");
    let whole = desk.run("sleep day.jsonl -vv").ok();
    assert!((0..300).all(|i| whole.contains(&format!("[m{i}]"))));
    assert!(!whole.contains(" more "), "nothing is only counted");
}

#[test]
fn long_text_is_abridged_unless_verbose() {
    let desk = Desk::new();
    let talk = "and another thing ".repeat(2_000);
    desk.write(
        "day.jsonl",
        format!("{{\"id\":\"m1\",\"npc\":\"Pell\",\"at\":1,\"kind\":\"chat\",\"text\":\"{talk}\",\"importance\":7}}\n"),
    );
    for more in ["", " --markdown"] {
        let summary = desk.run(&format!("sleep day.jsonl{more}")).ok();
        let brief = desk.run(&format!("sleep day.jsonl -v{more}")).ok();
        assert!(summary.len() <= brief.len(), "{summary}");
        assert!(brief.len() < 3_000 && brief.contains("…”") | brief.contains("… |"), "{brief}");
        let whole = desk.run(&format!("sleep day.jsonl -vv{more}")).ok();
        assert!(whole.matches("another").count() >= 2_000);
    }
}

#[test]
fn automatic_approval_applies_plans_unless_dry_run() {
    let desk = Desk::new();
    desk.write("nightfold.toml", "[review]\napproval = \"auto\"\n");
    let dry = desk.run(&format!("sleep {DAYS} --dry-run")).ok();
    assert!(dry.contains("nothing was written") && !desk.path("town.db").exists());
    // A file that the call does not name approves nothing.
    for call in [format!("sleep {DAYS}"), format!("sleep {DAYS} --plan plan.json")] {
        let ran = desk.run(&call);
        assert!(
            ran.err.contains("is not in effect") && ran.err.contains("--config nightfold.toml"),
            "{}",
            ran.err
        );
        assert!(ran.ok().contains("nothing was written") && !desk.path("town.db").exists());
    }
    let out = desk.run(&format!("sleep {DAYS} --config nightfold.toml")).ok();
    assert!(out.contains("nights written"), "{out}");
    let unnamed = desk.run("maintain --store town.db --now 1204-09-01T00:00:00Z");
    assert!(unnamed.err.contains("is not in effect"), "{}", unnamed.err);
    assert!(unnamed.ok().contains("dry run"));
    let before = desk.run("list --store town.db --all --json").ok();
    let upkeep = desk
        .run("maintain --store town.db --now 1204-09-01T00:00:00Z --config nightfold.toml --dry-run")
        .ok();
    assert!(upkeep.contains("dry run"), "{upkeep}");
    assert!(desk.run("list --store town.db --all --json").ok() == before);
    let upkeep =
        desk.run("maintain --store town.db --now 1204-09-01T00:00:00Z --set review.approval=auto").ok();
    assert!(upkeep.contains("applied: "), "{upkeep}");
    assert!(desk.run("list --store town.db --all --json").ok() != before);
    // Without a store there is nothing to write to.
    assert!(desk.run("sleep {scenarios/riverbend/days/1.jsonl}").ok().contains("nothing was written"));
}

#[test]
fn old_saved_plan_is_refused() {
    let desk = after_three_nights();
    desk.run(&format!("{DAY_FOUR} --plan night.json")).ok();
    let file = std::fs::File::options().write(true).open(desk.path("night.json")).expect("the plan");
    let long_ago =
        file.metadata().and_then(|saved| saved.modified()).expect("a time") - Duration::from_hours(200);
    file.set_modified(long_ago).expect("a time");
    let before = desk.run("list --store town.db --all --json").ok();
    desk.run("apply night.json --store town.db")
        .code_is(5, "was saved 200 hours ago; review.plan_hours is 168");
    assert!(desk.run("list --store town.db --all --json").ok() == before);
    desk.run("apply night.json --store town.db --set review.plan~hours=0").ok();
    assert!(desk.run("list --store town.db --all --json").ok() != before);
}

/// Runs a call on a terminal of its own, with this pager.
#[cfg(target_os = "linux")]
fn on_a_terminal(desk: &Desk, call: &str, pager: &str) -> Option<String> {
    let inner = desk.command(call);
    let words: Vec<String> = std::iter::once(inner.get_program())
        .chain(inner.get_args())
        .map(|word| format!("'{}'", word.to_string_lossy()))
        .collect();
    let mut script = std::process::Command::new("script");
    script
        .args(["-qec", &words.join(" "), "/dev/null"])
        .current_dir(desk.path(""))
        .env("NIGHTFOLD_PAGER", pager);
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => script.env(name, value),
            None => script.env_remove(name),
        };
    }
    let ran = script
        .stdin(std::process::Stdio::null())
        .output()
        .inspect_err(|error| eprintln!("skipped: script: {error}"));
    ran.ok().map(|ran| String::from_utf8_lossy(&ran.stdout).into_owned())
}

#[cfg(target_os = "linux")]
#[test]
fn nights_on_a_terminal_go_through_the_pager_unless_there_is_to_be_none() {
    let desk = Desk::new();
    let call = "sleep {scenarios/riverbend/days/1.jsonl}";
    let Some(paged) = on_a_terminal(&desk, call, "head -1") else { return };
    assert!(paged.contains("6 NPCs, 6 nights") && !paged.contains("Mara Thorne"), "{paged}");
    for (call, pager) in
        [(format!("{call} --no-pager"), "head -1"), (call.to_owned(), ""), (call.to_owned(), "no-such-pager")]
    {
        let whole = on_a_terminal(&desk, &call, pager).unwrap_or_default();
        assert!(whole.contains("Mara Thorne"), "{pager}: {whole}");
    }
}

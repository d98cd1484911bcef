//! Two processes on one store at the same time.

use std::process::Stdio;

use crate::support::Desk;

#[test]
fn concurrent_runs_are_undone_separately() {
    let desk = Desk::new();
    let list = || desk.run("list --store town.db --all --json").ok();
    let sleepers = "--npc Mara_Thorne --npc Tom_Aldous";
    desk.run(&format!("sleep {{scenarios/riverbend/days/1.jsonl}} --store town.db --apply {sleepers}")).ok();
    let before = list();
    let runs: Vec<_> = ["Mara_Thorne", "Tom_Aldous"]
        .iter()
        .map(|npc| {
            let mut command = desk.command(&format!(
                "sleep {{scenarios/riverbend/days/2.jsonl}} --store town.db --apply --npc {npc}"
            ));
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
        })
        .collect();
    for run in runs {
        let output = run.wait_with_output().expect("ended");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(String::from_utf8_lossy(&output.stdout).contains("applied: 1 of 1 night written"));
    }
    let both = list();

    let first = desk.run("undo --store town.db").ok();
    assert_eq!(first.matches("taken back").count(), 1, "{first}");
    let one_left = list();
    assert!(one_left != both && one_left != before);
    let second = desk.run("undo --store town.db").ok();
    assert_eq!(second.matches("taken back").count(), 1, "{second}");
    assert!(list() == before, "not as before the two runs");
    for name in ["Mara Thorne", "Tom Aldous"] {
        assert_eq!(format!("{first}{second}").matches(name).count(), 1, "{first}{second}");
    }
    assert_eq!(desk.run("undo --store town.db").ok().matches("taken back").count(), 2);
}

#[test]
fn overtaken_run_is_reported_as_stale_and_completes_when_repeated() {
    let desk = Desk::new();
    let days = [1, 2].map(|day| {
        format!(
            "sleep {{scenarios/riverbend/days/{day}.jsonl}} --npc Mara_Thorne --npc Tom_Aldous --store town.db --apply"
        )
    });
    let runs = days.each_ref().map(|day| {
        let mut command = desk.command(day);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts")
    });
    for (run, day) in runs.into_iter().zip(&days) {
        let output = run.wait_with_output().expect("ended");
        let told = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => {}
            Some(5) => {
                assert!(
                    told.contains("error: the plan for night ") && !told.contains("error: night "),
                    "{told}"
                );
                assert!(told.contains("2 of 2 nights did not happen"), "{told}");
                assert!(told.contains("run it again"), "{told}");
                let again = desk.run(day).ok();
                assert!(again.contains("applied: 2 of 2 nights written"), "{again}");
            }
            code => panic!("{code:?}: {told}"),
        }
    }
    for day in &days {
        assert!(desk.run(day).ok().contains("nothing to write"));
    }
}

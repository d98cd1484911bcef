//! Typed records that `maintain` distils from episodes of several days.

use crate::support::{Desk, unwrapped};

/// Seven episodes of an agent, three of them on one matter, slept on day by day.
const EPISODES: &str = r#"
{"id":"e12","npc":"agent","at":"2026-03-20T10:00:00Z","kind":"event","text":"auth middleware caused test timeout","importance":5}
{"id":"e13","npc":"agent","at":"2026-03-20T12:00:00Z","kind":"event","text":"merged the search refactor","importance":5}
{"id":"e14","npc":"agent","at":"2026-03-21T12:00:00Z","kind":"event","text":"updated the changelog for the release","importance":5}
{"id":"e15","npc":"agent","at":"2026-03-22T10:00:00Z","kind":"event","text":"auth middleware race condition under load","importance":5}
{"id":"e16","npc":"agent","at":"2026-03-23T10:00:00Z","kind":"event","text":"index rebuild took forty minutes on the staging database","importance":5}
{"id":"e17","npc":"agent","at":"2026-03-25T10:00:00Z","kind":"event","text":"auth middleware flaky in CI","importance":5}
{"id":"e18","npc":"agent","at":"2026-03-25T15:00:00Z","kind":"event","text":"customer asked for dark mode again","importance":5}
"#;

/// Returns a folder with the agent's store.
pub(crate) fn agent() -> Desk {
    let desk = Desk::new();
    desk.write("days.jsonl", EPISODES.trim_start());
    desk.run("sleep days.jsonl --by-day --store agent.db --apply").ok();
    desk
}

#[test]
fn three_episodes_on_three_days_are_named_and_undo_takes_the_record_back() {
    let desk = agent();
    let before = desk.run("list --store agent.db --all --json").ok();
    let shown = unwrapped(&desk.run("maintain --store agent.db --only distill -v").ok());
    let said = "\u{201c}I had trouble with the middleware on at least three days.\u{201d}";
    assert!(shown.contains("proposed insight: The middleware (caution") && shown.contains(said), "{shown}");
    let source = "~ [e12] \u{201c}auth middleware caused test timeout\u{201d} (2026-03-20 10:00)";
    assert!(shown.contains(source) && shown.contains("1 record distilled"), "{shown}");

    desk.run("maintain --store agent.db --apply").ok();
    let why = unwrapped(&desk.run("why e15 --store agent.db").ok());
    assert!(why.contains("middleware-"), "{why}");
    assert!(desk.run("maintain --store agent.db").ok().contains("nothing to do"), "once is enough");
    desk.run("undo --store agent.db --apply").code_is(2, "--apply");
    desk.run("undo --store agent.db").ok();
    assert_eq!(desk.run("list --store agent.db --all --json").ok(), before);

    let archiving = "maintain --store agent.db --only distill --set maintain.archive~distilled=true --apply";
    desk.run(archiving).ok();
    let active = desk.run("list --store agent.db").ok();
    assert!(!active.contains("[e15]") && active.contains("middleware-"), "{active}");
    desk.run("undo --store agent.db").ok();
    assert_eq!(desk.run("list --store agent.db --all --json").ok(), before);
}

#[test]
fn episodes_of_two_days_teach_nothing_yet() {
    let desk = Desk::new();
    let days: String = EPISODES.lines().filter(|line| !line.contains("e17")).collect::<Vec<_>>().join("\n");
    desk.write("days.jsonl", days.trim_start());
    desk.run("sleep days.jsonl --by-day --store agent.db --apply").ok();
    assert!(desk.run("maintain --store agent.db --only distill").ok().contains("nothing to do"));
    desk.write("two.toml", "[maintain]\ndistill_days = 2\n");
    let looser = "maintain --store agent.db --only distill --config two.toml";
    assert!(desk.run(looser).ok().contains("The middleware"), "but two days can be enough");
    desk.write("one.toml", "[maintain]\ndistill_days = 1\n");
    desk.run("maintain --store agent.db --config one.toml").code_is(2, "maintain.distill_days");
}

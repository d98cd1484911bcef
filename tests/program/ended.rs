//! Ended positions: an entry stays as it was, and every view tells which of its words no longer hold.

use serde_json::{Value, json};

use crate::{
    settle::rumour_plan,
    support::{Desk, sealed, unwrapped},
};

/// Returns a saved plan of a night on which Mara sees that the mill is shut and hears later that it is open again.
fn news_plan() -> Value {
    let mut plan = rumour_plan();
    let end = json!({"do": "end", "id": "seen", "position": "the mill is shut", "since": "1204-05-03T08:00:00Z",
        "sources": ["told"], "reason": {"rule": "ended", "values": {"cosine": 0.71}}});
    for report in [plan["report"].clone(), plan["nights"][0]["report"].clone()] {
        assert_eq!(report["contested"], 1);
    }
    for report in ["/report", "/nights/0/report"] {
        let counts = plan.pointer_mut(report).and_then(Value::as_object_mut).expect("a report");
        counts.remove("contested");
        counts.insert("ended".to_owned(), 1.into());
    }
    let changes = plan["nights"][0]["changes"].as_array_mut().expect("changes");
    *changes.last_mut().expect("the contest") = end;
    plan
}

fn news() -> Desk {
    let desk = Desk::new();
    desk.write("plan.json", sealed(&news_plan()));
    desk.run("apply plan.json --store s.db").ok();
    desk
}

#[test]
fn ended_position_is_shown_with_its_entry() {
    let desk = news();
    let mark = "/ no longer holds since 1204-05-03T08:00:00Z: “the mill is shut” (because of told)";
    for command in ["list --store s.db", "why seen --store s.db", "recall Mara mill --store s.db --limit 4"] {
        let shown = unwrapped(&desk.run(command).ok());
        assert!(shown.contains(mark) && shown.contains("ended in part"), "{command}: {shown}");
    }
    let entries = desk.run("list --store s.db --json").json();
    let seen = entries.as_array().expect("entries").iter().find(|entry| entry["id"] == "seen");
    let expected = json!([{"since": "1204-05-03T08:00:00Z", "text": "the mill is shut", "by": "told"}]);
    assert_eq!(seen.expect("it is active")["ended"], expected);
    let drawn = desk.run("why told --store s.db --graph").ok();
    assert_eq!(drawn.matches("label=\"ended in part by\"").count(), 1, "{drawn}");
    let now = desk.run("recall Mara Is_the_mill_still_shut? --store s.db --limit 4").ok();
    assert!(!now.contains("[seen]") && !now.contains("with my own eyes"), "{now}");
}

#[test]
fn plan_shows_ended_positions() {
    let desk = news();
    let shown = unwrapped(&desk.run("show plan.json -v").ok());
    let told = "because of [told] “A pedlar told me the mill is open again.”";
    let words = "no longer holds since 1204-05-03T08:00:00Z: “the mill is shut”";
    assert!(shown.contains("ended (1)") && shown.contains("/ [seen] “I saw"), "{shown}");
    assert!(shown.contains(words) && shown.contains(told), "{shown}");
    assert!(shown.contains("0 beliefs superseded, 1 position ended;"), "{shown}");
    let markdown = desk.run("show plan.json --markdown").ok();
    assert!(markdown.contains("### Ended (1)") && markdown.contains("the mill is shut”"), "{markdown}");
    desk.run("show plan.json --report night.html").ok();
    let page = String::from_utf8(desk.read("night.html")).expect("UTF-8");
    assert!(page.contains(r#""verb":"end""#) && page.contains(r#""ended":"the mill is shut""#));
}

#[test]
fn end_can_be_declined() {
    let desk = Desk::new();
    desk.write("plan.json", sealed(&news_plan()));
    for (part, ended) in [("end:seen", 0), ("store:told", 0), ("store:heard", 1)] {
        desk.run(&format!("apply plan.json --store {ended}.db --except {part}")).ok();
        let list = desk.run(&format!("list --store {ended}.db")).ok();
        assert_eq!(list.matches("no longer holds").count(), ended, "{part}: {list}");
        desk.run(&format!("undo --store {ended}.db")).ok();
    }
}

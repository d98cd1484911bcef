//! Suites of `evaluate`, on data of a few lines. A suite that finds too little ends with 1.

use super::{checked::Checked, data};
use crate::support::Desk;

pub(super) fn all(checked: &mut Checked) {
    let desk = Desk::new();
    data::write(&desk);
    for (suite, data) in [
        ("beliefs", "--stories stories.jsonl --data real"),
        ("clusters", "--scenario town"),
        ("cohesion", "--scenario town"),
        ("collapse", "--data ."),
        ("grammar", "--data ."),
        ("life", "--data talk"),
        ("recall", "--scenarios told"),
        ("recurring", "--scenario town"),
        ("retention", "--data talk"),
        ("salience", "--data ."),
        ("stability", "day.jsonl"),
        ("stance", "--pairs pairs.jsonl --judge rules --wrong 9"),
        ("stance", "--pairs pairs.jsonl --wrong 9"),
        ("texts", "{scenarios/riverbend/days/1.jsonl}"),
    ] {
        checked.prints_with(
            &[0, 1],
            &format!("evaluate-{suite}"),
            &desk,
            &format!("evaluate {suite} {data}"),
        );
    }
}

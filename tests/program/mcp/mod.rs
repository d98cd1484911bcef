//! The MCP server as its clients see it.

mod fuzz;
mod sdk;
pub(crate) mod session;
mod tools;

use crate::support::Desk;

/// Makes a store of the first two days of Riverbend, with six villagers.
fn riverbend() -> Desk {
    let desk = Desk::new();
    let days = "{scenarios/riverbend/days/1.jsonl} {scenarios/riverbend/days/2.jsonl}";
    desk.run(&format!("sleep {days} --by-day --store town.db --apply")).ok();
    desk
}

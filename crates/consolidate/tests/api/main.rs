//! Whole nights, reviews and questions, through the public interface. One program, as each further one is compiled and
//! linked anew.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod beliefs;
mod cases;
mod condensed;
mod flood;
mod night;
mod plan_checks;
mod recurring;
mod review;
mod same_day;
mod support;
mod talk;
mod themes;

//! Quality of nights: labelled data, measures of agreement, and the suites that take them.
//!
//! [`SUITES`] are run by the program `nightfold-evaluate`; `data` reads what people labelled. Nothing is downloaded but the
//! models, as the program does.

mod agreement;
mod data;
mod lab;
mod rank;
mod report;
mod rows;
mod single_steps;
mod suite;
mod suites;

pub use data::{LabelledPair, LabelledPairs, OWN_SETS, own_pairs};
pub use lab::{Half, Lab, LabOptions};
pub use report::Report;
pub use single_steps::{embed, judge};
pub use suite::{SUITES, Suite};
pub use suites::ratings;

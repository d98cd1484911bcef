//! Wordings: syntheses, reflections and summaries, and the checks of any new text.

pub(crate) mod check;
mod conclude;
mod covers;
pub(crate) mod extract;
mod frame;
mod people;
mod phrase;
mod quotable;
mod render;
mod subject;
mod summary;
mod topics;

pub(crate) use conclude::{conclude, distillates, pattern};
pub(crate) use phrase::title;
pub(crate) use render::{can_synthesize, synthesis};
pub(crate) use summary::{split_record as summary_parts, summary};
pub(crate) use topics::topics;

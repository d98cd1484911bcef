//! Wordings: syntheses, reflections and summaries, and the checks of any new text.

pub(crate) mod check;
mod clause;
mod conclude;
mod covers;
mod distil;
pub(crate) mod extract;
mod frame;
mod people;
mod phrase;
mod render;
mod summary;
mod topics;

pub(crate) use conclude::{conclude, pattern};
pub(crate) use distil::distillates;
pub(crate) use phrase::title;
pub(crate) use render::{can_synthesize, synthesis};
pub(crate) use summary::{quotable_words, summary};
pub(crate) use topics::topics;

//! Wordings: syntheses, reflections and summaries, and the checks of any new text.

mod again;
pub(crate) mod check;
mod people;
mod phrase;
mod reflect;
mod sayable;
mod small_talk;
mod standing;
mod subject;
mod summary;
mod tell;

pub(crate) use reflect::reflect;
pub(crate) use summary::{parts as summary_parts, summary};
pub(crate) use tell::synthesis;

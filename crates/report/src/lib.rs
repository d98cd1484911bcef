//! The nights of a run as one self-contained HTML page.
//!
//! [`Source`] is what there is to show: planned nights, what stood before them, maps of their days. [`Source::view`] makes
//! [`View`]s of it, in which nothing is left to look up; [`write()`] puts those into a page with all it needs. Memory
//! text is written by players: it reaches the page as JSON alone, with whatever could steer a reader made visible, and
//! the page's own scripts put it in place as text.

mod json;
mod page;
mod source;
mod view;

pub use json::{Shown, json};
pub use page::{Asset, DRAWING, Page, STYLE, data, write};
pub use source::{Maps, Source};
pub use view::{NightView, NpcView, Summary, View};

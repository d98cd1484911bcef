//! The nights of a run as one self-contained HTML page.
//!
//! [`ReportSource`] is the input: planned nights, the entries before them, maps of their days.
//! [`ReportSource::view`] turns it into a [`ReportView`], in which nothing is left to look up; [`write()`]
//! puts that into a page with all it needs. [`Comparison`] is the same nights under two settings, [`write_bench()`] writes how
//! long nights take. Memory text is written by players: it reaches the page as JSON alone, which [`json()`] makes
//! harmless, and the page's own scripts insert it as text.

mod comparison;
mod json;
mod page;
mod source;
mod view;

pub use comparison::{ComparedExpectation, Comparison};
pub use json::json;
pub use page::{Asset, DRAWING, HtmlPage, STYLE, data, write, write_bench, write_comparison};
pub use source::{Maps, ReportExpectation, ReportSource};
pub use view::{NightEvents, NpcView, PageNight, ReportSummary, ReportView};

//! Plans and entries as text.

mod before;
mod bytes;
mod diff;
mod entry;
mod history;
mod nights;
mod table;
mod totals;
mod words;

pub(crate) use before::before;
pub(crate) use bytes::bytes;
pub(crate) use diff::{DiffView, markdown, markdown_totals, shown, text};
pub(crate) use entry::{EndedOnNight, ended_words, entry_line, entry_title, important_ended, mark_lines};
pub(crate) use history::history_line;
pub(crate) use nights::{DiffSequence, each_night, nights, recollections};
pub(crate) use table::TextTable;
pub(crate) use totals::{maintenance_totals, run_totals, summary_line, wrapped};
pub(crate) use words::{compared, hang, night_title, reason};

pub(crate) use crate::plural::{count, noun};

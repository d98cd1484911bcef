//! Plans and entries as text.

mod bytes;
mod entry;
mod history;
mod markdown;
mod nights;
mod table;
mod text;
mod totals;
mod words;

pub(crate) use nightfold::consolidate::review::{
    compared_words as compared, ended_words, reason_words as reason,
};

pub(crate) use crate::plural::{count, noun};

pub(crate) use bytes::bytes;
pub(crate) use entry::{EndedOnNight, entry_line, entry_title, mark_lines};
pub(crate) use history::history_line;
pub(crate) use markdown::{night as markdown, totals as markdown_totals};
pub(crate) use nights::{Detail, DiffView, NightSequence, nights};
pub(crate) use table::TextTable;
pub(crate) use text::night as text;
pub(crate) use totals::{brief_totals, maintenance_totals, run_line, run_totals, wrapped};
pub(crate) use words::{night_title, shown, wrap_hanging};

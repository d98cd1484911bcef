//! One NPC's night as a diff: on a terminal, and as Markdown.

mod markdown;
mod parts;
mod text;

pub(crate) use self::{
    markdown::{night as markdown, totals as markdown_totals},
    parts::{DiffView, repeats_shown, shown, shown_of},
    text::night as text,
};

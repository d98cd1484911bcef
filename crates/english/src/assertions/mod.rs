//! Assertions of a statement, and the foundation of each.

mod foundation;
mod position;
mod reports;
mod split;

use std::ops::Range;

use nightfold_memory::{Assertion, Foundation, Kind};

use crate::text::part;
use position::is_position;
use split::asserted_clauses;

pub(crate) use foundation::foundation;
use foundation::foundation_of;
pub(crate) use reports::reported_content_start;
pub(crate) use split::{is_activity, join_adjacent};

/// Returns the assertions of a statement, in order; none if the whole statement is asked, dreamt, supposed or
/// a lie.
pub(crate) fn assertions(kind: Kind, text: &str) -> Vec<Assertion> {
    let clauses = asserted_clauses(text);
    let foundation = foundation_of(kind, text, &clauses);
    if foundation == Foundation::Unasserted {
        return Vec::new();
    }
    let read = |span: Range<usize>| {
        let is_position = is_position(kind, foundation, part(text, span.clone()));
        Assertion { span, foundation, is_position }
    };
    clauses.into_iter().map(read).collect()
}

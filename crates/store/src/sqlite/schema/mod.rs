//! The file format and how older files become it.

/// What the header of every store file states: "NFLD".
pub(super) const APPLICATION_ID: i64 = 0x4e46_4c44;

/// Step `n` makes a file of format `n` one of format `n + 1`; format 0 is an empty file. A step that has been
/// released is never edited: a change of the format is a new step.
pub(super) const STEPS: &[&str] = &[
    include_str!("1.sql"),
    include_str!("2.sql"),
    include_str!("3.sql"),
    include_str!("4.sql"),
    include_str!("5.sql"),
];

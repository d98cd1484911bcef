//! The file format and the migrations to it.

/// Application id in the header of every store file: "NFLD".
pub(super) const APPLICATION_ID: i64 = 0x4e46_4c44;

/// Migration steps: step `n` turns a file of format `n` into one of format `n + 1`; format 0 is an empty
/// file. A released step is never edited: a change of the format is a new step.
pub(super) const STEPS: &[&str] = &[
    include_str!("1.sql"),
    include_str!("2.sql"),
    include_str!("3.sql"),
    include_str!("4.sql"),
    include_str!("5.sql"),
    include_str!("6.sql"),
    include_str!("7.sql"),
    include_str!("8.sql"),
    include_str!("9.sql"),
];

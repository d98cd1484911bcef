//! Numbers with their nouns.

pub(crate) use nightfold::consolidate::review::{count, noun};

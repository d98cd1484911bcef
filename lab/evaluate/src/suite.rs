//! Suites: what each measures, and on what.

use anyhow::Result;

use crate::{lab::Lab, report::Report, suites};

/// Measure of quality.
pub trait Suite: Sync {
    /// Name by which it is called.
    fn name(&self) -> &'static str;

    /// Sentence on its measure, and on when that falls short.
    fn measures(&self) -> &'static str;

    /// Data that it measures on.
    fn data(&self) -> &'static str;

    /// Measures.
    ///
    /// # Errors
    /// Data is missing or wrong, or a model or night fails.
    fn run(&self, lab: &Lab) -> Result<Report>;
}

/// All suites, in the order of the book's chapter on quality.
pub const SUITES: [&dyn Suite; 9] = [
    &suites::Beliefs,
    &suites::Stances,
    &suites::Life,
    &suites::Recall,
    &suites::Salience,
    &suites::Clusters,
    &suites::Cohesion,
    &suites::Collapse,
    &suites::Texts,
];

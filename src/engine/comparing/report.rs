//! The report of a comparison, for front ends that may not call the module that writes it.

use crate::engine::Engine;
use crate::model::Comparison;
use crate::replay::report;

impl Engine {
    /// The report as Markdown, in crucible's own form.
    pub fn markdown(&self, comparison: &Comparison) -> String {
        report::markdown(comparison)
    }

    /// The record's lines, one for each run of B, each without its newline.
    pub fn record_lines(&self, comparison: &Comparison) -> Vec<String> {
        report::lines(comparison)
    }
}

//! Everything about one pipeline that can be read without measuring its work tree.

use std::fmt;

use std::borrow::Cow;

use super::{
    Check, Checkpoint, Foreign, Forms, Pipeline, ReplaySession, ResumePoint, Timeline, Verdict, Why,
};

/// One pipeline, read anew.
#[derive(Clone)]
pub struct Dossier {
    /// The pipeline.
    pub pipeline: Pipeline,
    /// How many of its last findings only a dossier has: a list does not look for them.
    pub own_findings: usize,
    /// Its events.
    pub timeline: Timeline,
    /// Its checks, in the order of the system.
    pub checks: Vec<Check>,
    /// Its resume points, in order.
    pub points: Vec<ResumePoint>,
    /// Its checkpoints, oldest first, drift not measured.
    pub checkpoints: Vec<Checkpoint>,
    /// Whether its own plan can be amended.
    pub amendable: bool,
    /// Whether it goes step by step, each step a program run of its own.
    pub by_steps: bool,
    /// Its replays, newest first. Empty unless they were asked for.
    pub replays: Vec<ReplaySession>,
    /// Why it stopped. `None` unless it was asked for.
    pub why: Option<Why>,
}

impl Dossier {
    /// The pipeline as a list has it.
    pub fn listed(&self) -> Cow<'_, Pipeline> {
        if self.own_findings == 0 {
            return Cow::Borrowed(&self.pipeline);
        }
        let mut listed = self.pipeline.clone();
        let findings = &mut listed.reading.findings;
        findings.truncate(findings.len().saturating_sub(self.own_findings));
        Cow::Owned(listed)
    }
}

impl Dossier {
    /// The recommended point, if there is one.
    pub fn recommended(&self) -> Option<&ResumePoint> {
        self.points.iter().find(|point| point.recommended)
    }

    /// How many replays were interrupted and can be continued.
    pub fn cut_short(&self) -> usize {
        let cut = |replay: &&ReplaySession| replay.state.can_continue();
        self.replays.iter().filter(cut).count()
    }

    /// The worst check that is a warning or a failure.
    pub fn worst_check(&self) -> Option<&Check> {
        self.checks
            .iter()
            .filter(|check| check.verdict > Verdict::Skipped)
            .max_by(|a, b| a.verdict.cmp(&b.verdict).then_with(|| b.id.cmp(&a.id)))
    }
}

// The timeline is a reader of a file that may hold a million events.
impl fmt::Debug for Dossier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dossier")
            .field("pipeline", &self.pipeline.id)
            .field("events", &self.timeline.len())
            .finish_non_exhaustive()
    }
}

/// Both sides of one change, or of one row of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sides {
    /// Bytes before; `None` where there is no file.
    pub before: Option<Vec<u8>>,
    /// Bytes after; `None` where there will be none.
    pub after: Option<Vec<u8>>,
    /// What is compared, for a title.
    pub title: Foreign,
    /// What it is on both sides.
    pub forms: Forms,
}

/// Something that can be a side of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operand {
    /// Its name on the command line.
    pub name: String,
    /// What it is, for a person.
    pub title: Foreign,
}

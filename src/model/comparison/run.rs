//! A run: anything that can be on one side of a comparison.

use std::path::PathBuf;

use super::{RunPlace, RunValue};
use crate::model::{Foreign, PointId, SessionId, Stamp, Usage};
use crate::string_enum;

string_enum! {
    /// What sort of run it is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum RunKind {
        /// The pipeline's own run.
        #[default]
        Original = "original",
        /// A replay of it.
        Replay = "replay",
        /// A round of a conference.
        Round = "round",
        /// A stage of a workflow, or an earlier version of it.
        Stage = "stage",
        /// As it was before a recovery.
        Before = "before",
        /// As it was after a recovery.
        After = "after",
    }
}

string_enum! {
    /// How a piece of work ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum WorkStatus {
        /// Done.
        Completed = "completed",
        /// Ended without success.
        Failed = "failed",
        /// Could not be brought to an answer: a crash, a timeout, a runner that is missing.
        Error = "error",
        /// Never ended.
        #[default]
        Open = "open",
        /// Deliberately not done.
        Skipped = "skipped",
    }
}

string_enum! {
    /// How the acceptance tests ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum TestOutcome {
        /// They passed.
        Pass = "PASS",
        /// They failed.
        Fail = "FAIL",
        /// Nothing says.
        #[default]
        Unknown = "UNKNOWN",
    }
}

/// Roles that review.
const REVIEWERS: [&str; 4] = ["red-team", "quality-gate", "reviewer", "inquisitor"];

/// Words in the role or the template of a dispatch that runs the acceptance tests.
const TESTS: [&str; 3] = ["acceptance", "test-runner", "run-tests"];

/// A piece of work of a run: a dispatch, a researcher's part of a round, a script of a stage.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Work {
    /// What it pairs by: the original's number for a dispatch and for its replay.
    pub key: String,
    /// True where the other side cannot have it: new work of a replay.
    pub new: bool,
    /// Its own number, where it has one.
    pub seq: Option<u64>,
    /// Role or kind.
    pub role: Foreign,
    /// The template's name, for dispatches.
    pub template: Option<Foreign>,
    /// Phase.
    pub phase: Foreign,
    /// How it ended.
    pub status: WorkStatus,
    /// What its summary says of pass or fail, where it says it.
    pub verdict: TestOutcome,
    /// Seconds.
    pub duration_s: Option<u64>,
    /// When it began.
    pub begun_at: Option<Stamp>,
    /// One line.
    pub summary: Option<Foreign>,
    /// Its dispatch file.
    pub dispatch: Option<PathBuf>,
    /// What it printed, or the file that it made.
    pub output: Option<PathBuf>,
    /// The mutation recorded with it.
    pub mutation: Option<Foreign>,
    /// The model that ran it, or its tier.
    pub model: Option<Foreign>,
    /// Characters that came back.
    pub output_chars: Option<u64>,
    /// Tokens and money, where its runner reported them; all attempts together.
    pub usage: Option<Usage>,
}

impl Work {
    /// Whether it reviews the work of others: what it finds is its work well done, never a failure of the run.
    pub fn is_review(&self) -> bool {
        let role = self.role.lossy();
        REVIEWERS.contains(&role.as_ref()) || role.ends_with("-reviewer")
    }

    /// Whether it runs the acceptance tests.
    pub fn runs_tests(&self) -> bool {
        let names = |text: &Foreign| {
            let text = text.lossy().to_ascii_lowercase();
            TESTS.iter().any(|word| text.contains(word))
        };
        !self.is_review() && (names(&self.role) || self.template.as_ref().is_some_and(names))
    }

    /// Whether it succeeded, or for a review, found nothing; `None` where it has no answer, which says nothing about a
    /// template. Tests that do not say that they passed did not.
    pub fn succeeded(&self) -> Option<bool> {
        match self.status {
            WorkStatus::Completed if self.runs_tests() => Some(self.verdict == TestOutcome::Pass),
            WorkStatus::Completed => Some(self.verdict != TestOutcome::Fail),
            WorkStatus::Failed => Some(false),
            WorkStatus::Error | WorkStatus::Open | WorkStatus::Skipped => None,
        }
    }
}

string_enum! {
    /// The unit of a measure.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum MeasureUnit {
        /// Things.
        Count = "count",
        /// Seconds.
        Seconds = "seconds",
        /// A score.
        Number = "number",
    }
}

/// A figure that only some systems have: the best metric of a round, experiments kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// Its name.
    pub name: String,
    /// Its value; `None` where nothing says.
    pub value: Option<f64>,
    /// Its unit.
    pub unit: MeasureUnit,
}

/// The files of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RunTree {
    /// None that can be read.
    #[default]
    None,
    /// A commit of a repository.
    Commit {
        /// A work tree or git directory of it.
        repo: PathBuf,
        /// 40 hex.
        commit: String,
    },
    /// A work tree that git is asked about, what it ignores left out; everything under it where it has no git.
    WorkTree(PathBuf),
    /// These files, each under the name by which it pairs; `None` where the run does not have it.
    Files(Vec<(Foreign, Option<PathBuf>)>),
}

/// What a replay was run with: the runs of two arms must not differ in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunConditions {
    /// True for the stub runner, whose times mean nothing.
    pub is_stub: bool,
    /// Said where its dispatches kept paths of the original.
    pub kept_paths: Option<Foreign>,
    /// What was swapped for what, by content: a template has several names. Sorted.
    pub swaps: Vec<(Vec<u8>, Vec<u8>)>,
    /// Each condition by its name (`runner`, `limits`, `setup`), and what it was.
    pub settings: Vec<(&'static str, Foreign)>,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Run {
    /// The operand's word.
    pub name: String,
    /// What sort.
    pub kind: RunKind,
    /// What it is, for a person.
    pub title: Foreign,
    /// The session it is: a replay's, or for the original the orchestrator's own.
    pub session: Option<SessionId>,
    /// Where it began, for a replay, and the first original dispatch after that point.
    pub start: Option<(PointId, u64)>,
    /// Mutations, as the manifest records them.
    pub mutations: Vec<Foreign>,
    /// When it began.
    pub started_at: Option<Stamp>,
    /// Its work, in order.
    pub work: Vec<Work>,
    /// How the acceptance tests ended.
    pub outcome: TestOutcome,
    /// Where it belongs in an experiment; `None` for a run that is in none.
    pub place: Option<RunPlace>,
    /// The values of the experiment's metrics, by name.
    pub measured: Vec<(String, RunValue)>,
    /// The metrics without a value, and why, by name.
    pub unmeasured: Vec<(String, String)>,
    /// The metrics of which the exit status was taken for want of the number that is expected, and why, by name.
    pub odd_status: Vec<(String, String)>,
    /// Figures of its own.
    pub measures: Vec<Measure>,
    /// Its files.
    pub tree: RunTree,
    /// The checkpoint that its files began as: a repository or store, and a commit of it.
    pub base: Option<(PathBuf, String)>,
    /// What it was run with; `None` for a run that is no replay.
    pub conditions: Option<RunConditions>,
    /// What makes a comparison with the original less than fair, a sentence each. Two replays share it.
    pub unlike_original: Vec<Foreign>,
    /// What else is known to confound it, a sentence each.
    pub confounders: Vec<Foreign>,
    /// True where something is still to be run, so that figures may change.
    pub unfinished: bool,
}

impl Run {
    /// Tokens and money of all its work; `None` where none of it reported any.
    pub fn usage(&self) -> Option<Usage> {
        let mut reported = self.work.iter().filter_map(|one| one.usage).peekable();
        reported.peek().is_some().then(|| reported.sum())
    }

    /// Whether it replaced the same templates as another run. By content where that is known: a template has a short
    /// name, too.
    pub fn replaces_as(&self, other: &Self) -> bool {
        let contents = |run: &Self| run.conditions.as_ref().map(|one| one.swaps.clone());
        let names = |run: &Self| {
            let mut mutations = run.mutations.clone();
            mutations.sort();
            mutations
        };
        match (contents(self), contents(other)) {
            (Some(one), Some(other)) => one == other,
            _ => names(self) == names(other),
        }
    }
}

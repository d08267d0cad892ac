//! A replay that was begun.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{DispatchStatus, OutsideChange, OutsideWriter};
use crate::model::{Arm, Foreign, Handoff, PipelineId, PointId, RunPlace, RunValue, Stamp};
use crate::string_enum;
use crate::text::Shown as _;
use crate::text::format::{count, numbered, plural};

/// The id of a replay session: seconds since 1970 at its beginning, with `-K` for the K-th of several.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SessionId(pub String);

impl SessionId {
    /// The id that all runs of its experiment share: its own without its number.
    #[must_use]
    pub fn group(&self) -> Self {
        let group = self.0.split('-').next();
        Self(group.unwrap_or_default().to_owned())
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

string_enum! {
    /// The state of a session.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum SessionState {
        /// It is being run by a process that lives.
        Running = "running",
        /// Everything was run.
        Done = "done",
        /// A crash cut it short, or its manifest lost how dispatches ended; it can be continued.
        Interrupted = "interrupted",
        /// A person cancelled it; it can be continued.
        Cancelled = "cancelled",
        /// Its files are written and wait for whoever runs them.
        HandedOver = "handed_over",
        /// Its record or its manifest cannot be read.
        #[default]
        Unreadable = "unreadable",
    }
}

impl SessionState {
    /// The word for a person.
    pub fn title(self) -> &'static str {
        match self {
            Self::Cancelled => "canceled",
            Self::HandedOver => "handed over",
            Self::Running | Self::Done | Self::Interrupted | Self::Unreadable => self.word(),
        }
    }

    /// True where a run did not come to an end that is known.
    pub fn is_broken(self) -> bool {
        matches!(self, Self::Interrupted | Self::Unreadable)
    }

    /// True where something is left that can be run.
    pub fn can_continue(self) -> bool {
        matches!(self, Self::Interrupted | Self::Cancelled)
    }
}

/// Why something was not submitted, as a sentence.
pub fn rejection(why: &Foreign) -> Foreign {
    format!("Submission rejected by Slurm: {}.", why.shown()).into()
}

/// What became of a session's dispatches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DispatchCounts {
    /// Completed or skipped.
    pub done: u64,
    /// Returned without success.
    pub failed: u64,
    /// Could not be run to an answer.
    pub error: u64,
    /// Not run yet.
    pub left: u64,
    /// Of unknown outcome, because the manifest cannot be read.
    pub unknown: u64,
}

impl DispatchCounts {
    /// Counts a dispatch.
    pub fn add(&mut self, status: DispatchStatus) {
        *match status {
            DispatchStatus::Completed | DispatchStatus::Skipped => &mut self.done,
            DispatchStatus::Failed => &mut self.failed,
            DispatchStatus::Error => &mut self.error,
            DispatchStatus::Dispatched | DispatchStatus::Unknown => &mut self.left,
        } += 1;
    }

    /// All of them.
    pub fn all(self) -> u64 {
        self.done + self.failed + self.error + self.open()
    }

    /// Those without a known end.
    pub fn open(self) -> u64 {
        self.left + self.unknown
    }

    /// `5 done, 1 failed, 3 left`; empty for none.
    pub fn words(self) -> String {
        let errors = plural(self.error, "error", "errors");
        let all = [
            (self.done, "done"),
            (self.failed, "failed"),
            (self.error, errors),
            (self.left, "left"),
            (self.unknown, "unknown"),
        ];
        numbered(all).join(", ")
    }
}

/// A metric of a person's own whose command gave no number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unnumbered {
    /// Its name.
    pub metric: String,
    /// What its command did instead, as the end of a sentence.
    pub why: String,
    /// Whether it has no value: pass and fail are values as long as no other run of the experiment has a number.
    pub is_missing: bool,
    /// Whether a command measures it, so that it can be measured again.
    pub by_command: bool,
    /// Whether its exit status was taken although a number is expected and something was printed.
    pub odd_status: bool,
}

impl ReplaySession {
    /// Whether everything was run, and only the value of a metric is missing that can be measured again. Where nothing
    /// was achieved, no value would count.
    pub fn lacks_values(&self) -> bool {
        let DispatchCounts {
            done,
            failed,
            error,
            ..
        } = self.dispatches;
        if error > 0 || failed > 0 && done == 0 {
            return false;
        }
        let again = |one: &Unnumbered| one.is_missing && one.by_command;
        self.state == SessionState::Done && self.unnumbered.iter().any(again)
    }

    /// True where something is left that can be run or measured.
    pub fn can_continue(&self) -> bool {
        self.state.can_continue() || self.lacks_values()
    }

    /// The metrics without a value.
    pub fn unmeasured(&self) -> impl Iterator<Item = &Unnumbered> {
        self.unnumbered.iter().filter(|one| one.is_missing)
    }

    /// What is odd about it, why it was not submitted, and why metrics have no value, a sentence each.
    pub fn troubles(&self) -> impl Iterator<Item = Foreign> + '_ {
        let missing = |one: &Unnumbered| {
            Foreign::from(format!(
                "The metric {} has no value: {}.",
                one.metric, one.why
            ))
        };
        let odd = self.trouble.iter().cloned();
        let odd = odd.chain(self.rejected.as_ref().map(rejection));
        odd.chain(self.unmeasured().map(missing))
    }

    /// Whether it is a control run of an experiment.
    pub fn is_control(&self) -> bool {
        let place = self.place.as_ref();
        place.is_some_and(|place| place.arm == Arm::Control)
    }

    /// Whether a process of it changed files of the original, so that nothing more may be run.
    pub fn changed_original(&self) -> bool {
        let mut outside = self.outside.iter();
        outside.any(|change| change.by == OutsideWriter::Run)
    }

    /// What the changes of the original's files mean for a comparison with it: a sentence for each writer.
    pub fn outside_confounders(&self) -> Vec<(OutsideWriter, Foreign)> {
        let sentence = |by: OutsideWriter| {
            let files = self.outside.iter().filter(|change| change.by == by).count();
            let (id, files) = (&self.id, (files > 0).then(|| count(files, "file"))?);
            let text = match by {
                OutsideWriter::Run => format!("Run {id} changed {files} of the original."),
                OutsideWriter::Unknown => format!(
                    "{files} of the original changed while run {id} was under way, by the run or by another program."
                ),
                OutsideWriter::Other => format!(
                    "Another program changed {files} of the original while run {id} was under way."
                ),
            };
            Some((by, text.into()))
        };
        OutsideWriter::ALL
            .into_iter()
            .filter_map(sentence)
            .collect()
    }
}

/// A replay session, as its own folder has it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReplaySession {
    /// Its id.
    pub id: SessionId,
    /// The pipeline it replays.
    pub pipeline: PipelineId,
    /// Its place among independent runs of one experiment, from 1, and how many there are.
    pub repeat: (usize, usize),
    /// Where it belongs in an experiment; `None` for a lone run.
    pub place: Option<RunPlace>,
    /// The values of the experiment's metrics, by name.
    pub measured: Vec<(String, RunValue)>,
    /// The metrics that gave no number, and why.
    pub unnumbered: Vec<Unnumbered>,
    /// The id that all runs of one experiment share: that of the first without its `-1`.
    pub group: SessionId,
    /// Its state.
    pub state: SessionState,
    /// Its folder under relight's state; a session recorded in the original manifest alone has none.
    pub folder: Option<PathBuf>,
    /// The tree it works in.
    pub tree: Option<PathBuf>,
    /// The manifest that it continues.
    pub manifest: PathBuf,
    /// The boundary it began at.
    pub start: Option<PointId>,
    /// The mutations, as the manifest records them.
    pub mutations: Vec<Foreign>,
    /// The runner's name; empty where there was none.
    pub runner: Foreign,
    /// True where it works in the user's own tree.
    pub in_place: bool,
    /// When it was begun.
    pub started_at: Option<Stamp>,
    /// When it ended.
    pub ended_at: Option<Stamp>,
    /// What became of its dispatches.
    pub dispatches: DispatchCounts,
    /// How a person continues without a runner.
    pub handoff: Option<Handoff>,
    /// Whether a runner of it was ended from outside as often as it may be tried, or the whole run, which says nothing of
    /// other runs.
    pub cut_short: bool,
    /// Why Slurm rejected the job of a run by itself, where that is why it is not complete.
    pub rejected: Option<Foreign>,
    /// What changed among the original's files while it ran.
    pub outside: Vec<OutsideChange>,
    /// What is odd about it and what to do, a sentence each.
    pub trouble: Vec<Foreign>,
}

/// What is odd about sessions, each sentence once with the sessions that it is about.
pub fn troubles_of<'a>(
    sessions: impl IntoIterator<Item = &'a ReplaySession>,
) -> Vec<(Vec<&'a SessionId>, Foreign)> {
    let mut found: Vec<(Vec<&SessionId>, Foreign)> = Vec::new();
    for session in sessions {
        for text in session.troubles() {
            match found.iter_mut().find(|(_, known)| *known == text) {
                Some((ids, _)) => ids.push(&session.id),
                None => found.push((vec![&session.id], text)),
            }
        }
    }
    found
}

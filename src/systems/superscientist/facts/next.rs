//! The next action: the published order of the resume protocol, with its contradictions resolved. Pure.

use std::collections::BTreeMap;

use crate::systems::superscientist::facts::jobs::{Marker, Session};
use crate::systems::superscientist::facts::{Flow, Graph, Job, Row, jobs};
use crate::systems::superscientist::shape::{Stage, StageStatus, State};

/// The next action, with the index of its stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Next {
    /// Nothing: the workflow is recorded as completed.
    Nothing,
    /// Attach to the job, or launch its monitor again.
    Monitor(usize),
    /// Collect and verify results.
    Verify(usize),
    /// Run the stage.
    Run(usize),
    /// Debug, then try again.
    Retry(usize),
    /// Its retries are used up: a person must decide.
    Exhausted(usize),
    /// Only the completion step is left.
    Completion,
    /// The only stage left depends on a skipped one: a person must decide that it counts.
    AfterSkip(usize),
    /// No stage can continue.
    Deadlock(usize),
}

impl Next {
    /// Its stage.
    pub(crate) fn stage(self) -> Option<usize> {
        match self {
            Self::Nothing | Self::Completion => None,
            Self::Monitor(at)
            | Self::Verify(at)
            | Self::Run(at)
            | Self::Retry(at)
            | Self::Exhausted(at)
            | Self::AfterSkip(at)
            | Self::Deadlock(at) => Some(at),
        }
    }

    /// Whether nothing continues until a person decides.
    pub(crate) fn needs_person(self) -> bool {
        matches!(
            self,
            Self::Exhausted(_) | Self::AfterSkip(_) | Self::Deadlock(_)
        )
    }
}

impl Flow {
    /// The flow for a caller that works on the active stages itself, so that nothing else need be looked at: what it
    /// runs is alive, and what it prepares it will run.
    pub(crate) fn of_caller(mut state: State) -> Self {
        let (none, unknown) = (Marker::None, Err(String::new()));
        let mut jobs = BTreeMap::new();
        for stage in state.stages.iter_mut().filter(|one| one.status.is_active()) {
            if stage.status == StageStatus::Preparing {
                stage.status = StageStatus::Ready;
                continue;
            }
            let job = Job {
                row: jobs::row(
                    stage.status,
                    stage.job.as_ref(),
                    &Session::Alive,
                    &none,
                    &unknown,
                ),
                session: Session::Alive,
                marker: none.clone(),
                exit: unknown.clone(),
                remote: false,
            };
            jobs.insert(stage.index, job);
        }
        let (graph, logged) = (Graph::new(&state.stages), BTreeMap::new());
        Self {
            next: decide(&state, &graph, &jobs, &logged),
            graph,
            jobs,
            leftovers: BTreeMap::new(),
            unseen: BTreeMap::new(),
            logged,
            lacks: None,
            state,
        }
    }

    /// The stage of the next action.
    pub(crate) fn next_stage(&self) -> Option<&Stage> {
        self.stage(self.next.stage()?)
    }

    /// The row of the process table that an active stage's job is in.
    pub(crate) fn row(&self, stage: &Stage) -> Option<Row> {
        self.jobs.get(&stage.index).map(|job| job.row)
    }

    /// The state of a stage's job as text.
    pub(crate) fn job_words(&self, at: usize) -> Option<String> {
        self.jobs.get(&at).map(jobs::words)
    }

    /// Whether the next wait for a stage would end at once with an old code: it is not done, and has a done marker.
    pub(crate) fn is_marked(&self, at: usize) -> bool {
        self.leftovers.contains_key(&at) || self.jobs.get(&at).is_some_and(Job::has_marker)
    }

    /// A stage whose job on another machine may still be running.
    pub(crate) fn remote_unknown(&self) -> Option<&Stage> {
        let (at, _) = self.jobs.iter().find(|(_, job)| job.is_remote_unknown())?;
        self.stage(*at)
    }

    /// Whether a stage is being prepared, as far as it is known.
    pub(super) fn is_preparing(&self) -> bool {
        self.jobs.values().any(|job| job.row == Row::Preparing)
    }

    /// Takes the preparation of every stage for ended: no process is working on the workflow.
    pub(super) fn end_preparation(&mut self) {
        let rows = self.jobs.values_mut().map(|job| &mut job.row);
        rows.filter(|row| **row == Row::Preparing)
            .for_each(|row| *row = Row::PreparerDied);
    }

    /// The contradictions of the plan, at most `most` of a kind.
    pub(crate) fn contradictions(&self, most: usize) -> Vec<(&'static str, String)> {
        self.graph.contradictions(most, |at| self.ids(at))
    }

    /// The known dependencies of a stage that are not done.
    pub(crate) fn unmet(&self, stage: &Stage) -> Vec<usize> {
        let stages = &self.state.stages;
        self.graph.unmet(stage.index, stages, StageStatus::is_done)
    }

    /// Whether a stage failed, by its own record or by what is left of its job.
    pub(crate) fn has_failed(&self, stage: &Stage) -> bool {
        let row = self.row(stage);
        // Whether it failed is the question that its gate asks.
        let failed = |row: Row| row.is_failure() && row != Row::AskExit;
        stage.status == StageStatus::Failed || row.is_some_and(failed)
    }

    /// The first failed stage in array order, other than that of the next action.
    pub(crate) fn failed_before(&self) -> Option<&Stage> {
        let next = self.next.stage();
        let mut stages = self.state.stages.iter();
        stages.find(|stage| Some(stage.index) != next && self.has_failed(stage))
    }
}

/// Decides. `jobs` has the state of every active stage's job, `logged` the stages whose work ended according to the log
/// but not the state file: those are verified before anything runs again.
pub(crate) fn decide(
    file: &State,
    graph: &Graph,
    jobs: &BTreeMap<usize, Job>,
    logged: &BTreeMap<usize, u64>,
) -> Next {
    if file.is_completed() {
        return Next::Nothing;
    }
    let job = |fits: fn(Row) -> bool| {
        let found = jobs.iter().find(|(_, job)| fits(job.row));
        found.map(|(at, _)| *at)
    };
    let first = |fits: &dyn Fn(&Stage) -> bool| {
        let found = file.stages.iter().find(|s| fits(s));
        found.map(|s| s.index)
    };
    let completed = |status| status == StageStatus::Completed;
    let satisfied = |s: &Stage, counts| graph.satisfied(s.index, &file.stages, counts);
    let promotable = |s: &Stage, counts: fn(StageStatus) -> bool| {
        matches!(s.status, StageStatus::Pending | StageStatus::Invalidated) && satisfied(s, counts)
    };
    let failed = |exhausted: bool| {
        first(&|s| {
            let gone = jobs.get(&s.index).is_some_and(|job| job.row.is_failure());
            (s.status == StageStatus::Failed || gone)
                && satisfied(s, StageStatus::is_done)
                && file.is_exhausted(s) == exhausted
        })
    };
    job(|row| row == Row::Keep)
        .map(Next::Monitor)
        .or_else(|| job(|row| matches!(row, Row::Verify | Row::Ended)).map(Next::Verify))
        .or_else(|| logged.keys().next().copied().map(Next::Verify))
        .or_else(|| job(Row::is_monitor).map(Next::Monitor))
        .or_else(|| {
            // A stage may be ready although a dependency is not done; a skipped dependency was confirmed before that.
            let ready =
                |s: &Stage| s.status == StageStatus::Ready && satisfied(s, StageStatus::is_done);
            first(&|s| ready(s) || promotable(s, completed)).map(Next::Run)
        })
        .or_else(|| failed(false).map(Next::Retry))
        .or_else(|| failed(true).map(Next::Exhausted))
        .or_else(|| (file.done() == file.stages.len()).then_some(Next::Completion))
        .or_else(|| first(&|s| promotable(s, StageStatus::is_done)).map(Next::AfterSkip))
        .or_else(|| first(&|s| !s.status.is_done()).map(Next::Deadlock))
        .unwrap_or(Next::Completion)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::superscientist::tests::state;

    fn job(row: Row) -> Job {
        Job {
            row,
            session: Session::Gone,
            marker: Marker::None,
            exit: Err(String::new()),
            remote: false,
        }
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "it is one table")]
    fn follows_the_recommended_order() {
        type Stages = &'static [(&'static str, &'static str, &'static [&'static str])];
        type Case = (&'static str, Stages, &'static [(usize, Row)], Next);
        let table: &[Case] = &[
            (
                "a live job first",
                &[("stage-1", "ready", &[]), ("stage-2", "running", &[])],
                &[(1, Row::Keep)],
                Next::Monitor(1),
            ),
            (
                "verification before anything new",
                &[
                    ("stage-1", "ready", &[]),
                    ("stage-2", "post_processing", &[]),
                ],
                &[(1, Row::Verify)],
                Next::Verify(1),
            ),
            (
                "a lost monitor before anything new",
                &[("stage-1", "ready", &[]), ("stage-2", "running", &[])],
                &[(1, Row::Relaunch)],
                Next::Monitor(1),
            ),
            (
                "pending is promoted when its needs are completed",
                &[
                    ("stage-1", "completed", &[]),
                    ("stage-2", "pending", &["stage-1"]),
                ],
                &[],
                Next::Run(1),
            ),
            (
                "invalidated is promoted exactly like pending",
                &[
                    ("stage-1", "completed", &[]),
                    ("stage-2", "invalidated", &["stage-1"]),
                ],
                &[],
                Next::Run(1),
            ),
            (
                "array order decides",
                &[("stage-1", "invalidated", &[]), ("stage-2", "ready", &[])],
                &[],
                Next::Run(0),
            ),
            (
                "what can run comes before what failed",
                &[("stage-1", "failed", &[]), ("stage-2", "pending", &[])],
                &[],
                Next::Run(1),
            ),
            (
                "F19: ready over a pending need waits for it",
                &[
                    ("stage-1", "ready", &["stage-2"]),
                    ("stage-2", "pending", &[]),
                ],
                &[],
                Next::Run(1),
            ),
            (
                "a failed stage below its limit is retried",
                &[
                    ("stage-1", "failed", &[]),
                    ("stage-2", "pending", &["stage-1"]),
                ],
                &[],
                Next::Retry(0),
            ),
            (
                "a vanished preparer is a failure",
                &[
                    ("stage-1", "preparing", &[]),
                    ("stage-2", "pending", &["stage-1"]),
                ],
                &[(0, Row::PreparerDied)],
                Next::Retry(0),
            ),
            (
                "all done but the completion step",
                &[
                    ("stage-1", "completed", &[]),
                    ("stage-2", "skipped", &["stage-1"]),
                ],
                &[],
                Next::Completion,
            ),
            (
                "a skipped dependency needs a word",
                &[
                    ("stage-1", "skipped", &[]),
                    ("stage-2", "pending", &["stage-1"]),
                ],
                &[],
                Next::AfterSkip(1),
            ),
            (
                "an unknown status is never done",
                &[
                    ("stage-1", "finished", &[]),
                    ("stage-2", "pending", &["stage-1"]),
                ],
                &[],
                Next::Deadlock(0),
            ),
            (
                "a cycle goes nowhere",
                &[
                    ("stage-1", "pending", &["stage-2"]),
                    ("stage-2", "pending", &["stage-1"]),
                ],
                &[],
                Next::Deadlock(0),
            ),
        ];
        for (name, stages, rows, next) in table {
            let state = state(stages);
            let graph = Graph::new(&state.stages);
            let jobs = rows.iter().map(|(at, row)| (*at, job(*row))).collect();
            assert_eq!(
                decide(&state, &graph, &jobs, &BTreeMap::new()),
                *next,
                "{name}"
            );
        }
    }

    /// F17: work that ended according to the log is verified before anything runs again.
    #[test]
    fn f17_work_that_ended_according_to_the_log_is_verified_first() {
        let state = state(&[("stage-1", "pending", &[]), ("stage-2", "running", &[])]);
        let graph = Graph::new(&state.stages);
        let decided = |row, logged: &[usize]| {
            let jobs = [(1, job(row))].into_iter().collect();
            let logged = logged.iter().map(|at| (*at, 4)).collect();
            decide(&state, &graph, &jobs, &logged)
        };
        assert_eq!(decided(Row::NoData, &[0]), Next::Verify(0));
        assert_eq!(decided(Row::NoData, &[1]), Next::Verify(1));
        assert_eq!(decided(Row::NoData, &[]), Next::Run(0));
        assert_eq!(decided(Row::Keep, &[0]), Next::Monitor(1));
    }

    #[test]
    fn used_up_retries_are_for_a_person() {
        let mut state = state(&[("stage-1", "failed", &[])]);
        let graph = Graph::new(&state.stages);
        for (count, next) in [(2, Next::Retry(0)), (3, Next::Exhausted(0))] {
            state.stages[0].retry_count = count;
            let none = BTreeMap::new();
            assert_eq!(decide(&state, &graph, &BTreeMap::new(), &none), next);
        }
    }
}

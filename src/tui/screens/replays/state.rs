//! The replays of a pipeline, and everything of it that can be on a side of a comparison.

use crate::model::{DispatchCounts, JudgedExperiment, ReplayExperiment};
use crate::text::distinct;
use crate::tui::prelude::*;

/// The sides of a comparison that a person has marked, by their operands' words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Marks {
    /// The left side.
    pub(crate) a: Option<String>,
    /// The right side.
    pub(crate) b: Option<String>,
}

impl Marks {
    /// Marks the first as A and the second as B; a third takes B's place. A second time takes the mark away.
    pub(crate) fn toggle(&mut self, name: &str) {
        let is = |mark: &Option<String>| mark.as_deref() == Some(name);
        if is(&self.a) {
            self.a = None;
        } else if is(&self.b) {
            self.b = None;
        } else if self.a.is_none() {
            self.a = Some(name.to_owned());
        } else {
            self.b = Some(name.to_owned());
        }
    }

    /// The letter of a row that is marked.
    pub(crate) fn letter(&self, name: &str) -> Option<&'static str> {
        if self.a.as_deref() == Some(name) {
            Some("A")
        } else if self.b.as_deref() == Some(name) {
            Some("B")
        } else {
            None
        }
    }

    /// Both sides, where both are marked.
    pub(crate) fn pair(&self) -> Option<(String, String)> {
        Some((self.a.clone()?, self.b.clone()?))
    }

    /// Removes marks of rows that no longer exist.
    pub(crate) fn reselect(&mut self, known: &dyn Fn(&str) -> bool) {
        for mark in [&mut self.a, &mut self.b] {
            if mark.as_deref().is_some_and(|name| !known(name)) {
                *mark = None;
            }
        }
    }
}

/// A row of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReplayRow {
    /// All runs of an experiment.
    Experiment(SessionId),
    /// One run.
    Run(SessionId),
}

impl ReplayRow {
    /// Its id, by which it is compared, continued and deleted.
    pub(crate) fn id(&self) -> &SessionId {
        match self {
            Self::Experiment(id) | Self::Run(id) => id,
        }
    }
}

/// What is known of a row.
#[derive(Debug, Clone)]
pub(crate) struct Entry<'a> {
    /// Which row.
    pub(crate) row: &'a ReplayRow,
    /// Its runs; none for an experiment that was killed before the first one.
    pub(crate) runs: Vec<&'a ReplaySession>,
    /// The record of the experiment.
    pub(crate) experiment: Option<&'a ReplayExperiment>,
    /// Its verdict, once it is known.
    pub(crate) judged: Option<&'a JudgedExperiment>,
    /// The bytes on the disk, once they are known.
    pub(crate) bytes: Option<u64>,
}

impl Entry<'_> {
    /// The state of what is worst among its runs; an experiment with remaining runs that no process executes counts as
    /// interrupted.
    pub(crate) fn state(&self) -> SessionState {
        let states = self.runs.iter().map(|run| run.state);
        match states.min_by_key(|state| rank(*state)) {
            None => SessionState::Interrupted,
            Some(SessionState::Done) if self.runs_left() > 0 => SessionState::Interrupted,
            Some(state) => state,
        }
    }

    /// Runs that only lack values of metrics, which can be measured again.
    pub(crate) fn lacking(&self) -> usize {
        self.runs.iter().filter(|run| run.lacks_values()).count()
    }

    /// Whether something is left that can be run or measured.
    pub(crate) fn can_continue(&self) -> bool {
        let state = self.state();
        state.can_continue() || state == SessionState::Done && self.lacking() > 0
    }

    /// Runs that are planned.
    pub(crate) fn planned(&self) -> usize {
        let planned = self.experiment.map(|one| one.blocks * one.arms.len());
        planned.unwrap_or(self.runs.len())
    }

    /// Runs of an unfinished experiment that have not begun.
    pub(crate) fn runs_left(&self) -> usize {
        let open = self.experiment.is_some_and(|one| one.end.is_none());
        let left = self.planned().saturating_sub(self.runs.len());
        if open { left } else { 0 }
    }

    /// The outcomes of its dispatches.
    pub(crate) fn counts(&self) -> DispatchCounts {
        counts(self.runs.iter().copied())
    }

    /// Whether it has a control arm, by which it is judged.
    pub(crate) fn has_control(&self) -> bool {
        matches!(self.row, ReplayRow::Experiment(_))
            && self.experiment.is_some_and(ReplayExperiment::is_judged)
    }

    /// The run that says what was swapped: a control run swaps nothing.
    pub(crate) fn swapping(&self) -> Option<&ReplaySession> {
        let swaps = |run: &&&ReplaySession| !run.mutations.is_empty();
        let swapping = self.runs.iter().find(swaps);
        swapping.or_else(|| self.runs.first()).copied()
    }
}

/// The replays of a pipeline: interrupted ones first, then newest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReplaysScreen {
    /// The pipeline.
    pub(crate) id: PipelineId,
    /// What was found.
    pub(crate) all: Load<ReplayList>,
    /// The verdicts and sizes, as far as they are known.
    pub(crate) details: ReplayDetails,
    /// The request under way.
    pub(crate) ticket: Option<Ticket>,
    /// Experiments whose runs are listed.
    pub(crate) unfolded: BTreeSet<SessionId>,
    /// The rows.
    pub(crate) rows: Vec<ReplayRow>,
    /// The selection.
    pub(crate) cursor: Cursor<ReplayRow>,
    /// What is to be compared.
    pub(crate) marks: Marks,
}

impl ReplaysScreen {
    /// Why this pipeline cannot be replayed, once it is known.
    pub(crate) fn unsupported(&self) -> Option<&Foreign> {
        match &self.all {
            Load::Ready(all) => all.unsupported.as_ref(),
            _ => None,
        }
    }

    /// Takes what was found.
    pub(crate) fn take(&mut self, all: Load<ReplayList>) {
        self.all = all;
        self.arrange();
        let known = self.all.ready();
        let names = |name: &str| {
            let sessions = known.into_iter().flat_map(|all| &all.sessions);
            sessions
                .flat_map(|one| [&one.id, &one.group])
                .any(|id| id.0 == name)
        };
        self.marks.reselect(&names);
    }

    /// Folds the runs of the selected experiment, or lists them. False where there is nothing to do.
    pub(crate) fn fold(&mut self, fold: bool) -> bool {
        let Some(entry) = self.selected() else {
            return false;
        };
        let group = match (entry.row, entry.runs.first()) {
            (ReplayRow::Experiment(id), Some(_)) => id.clone(),
            (ReplayRow::Run(_), Some(run)) if fold => run.group.clone(),
            _ => return false,
        };
        let changed = switch(&mut self.unfolded, group.clone(), !fold);
        if changed && fold {
            self.cursor = Cursor::on(ReplayRow::Experiment(group));
        }
        self.arrange();
        changed
    }

    fn arrange(&mut self) {
        let all = self.all.ready().cloned().unwrap_or_default();
        let group = |session: &ReplaySession| {
            let several = |one: &ReplaySession| one.group == session.group && one.id != session.id;
            let recorded = all.experiments.iter().any(|one| one.id == session.group);
            if recorded || all.sessions.iter().any(several) {
                ReplayRow::Experiment(session.group.clone())
            } else {
                ReplayRow::Run(session.id.clone())
            }
        };
        let killed = all.experiments.iter().rev();
        let killed = killed.map(|one| ReplayRow::Experiment(one.id.clone()));
        let mut groups = distinct(all.sessions.iter().map(group).chain(killed));
        groups.sort_by_key(|row| rank(self.entry(row).state()));
        let mut rows = Vec::new();
        for row in groups {
            let runs = match &row {
                ReplayRow::Experiment(id) if self.unfolded.contains(id) => self.entry(&row).runs,
                _ => Vec::new(),
            };
            let runs = runs.iter().map(|one| ReplayRow::Run(one.id.clone()));
            let runs: Vec<_> = runs.collect();
            rows.push(row);
            rows.extend(runs);
        }
        self.rows = rows;
        self.cursor.reselect(&self.rows);
    }

    /// What is known of a row.
    pub(crate) fn entry<'a>(&'a self, row: &'a ReplayRow) -> Entry<'a> {
        let all = self.all.ready().map(Arc::as_ref);
        let sessions = all.map_or(&[][..], |all| &all.sessions).iter();
        let mut runs: Vec<_> = sessions
            .filter(|one| match row {
                ReplayRow::Experiment(id) => one.group == *id,
                ReplayRow::Run(id) => one.id == *id,
            })
            .collect();
        runs.sort_by_key(|one| one.repeat.0);
        let mut experiments = all.map_or(&[][..], |all| &all.experiments).iter();
        let mut judged = self.details.judged.iter();
        let of_run = |id: &SessionId| {
            let found = self.details.bytes.iter().find(|(of, _)| of == id);
            found.map(|(_, bytes)| *bytes)
        };
        let is_experiment = matches!(row, ReplayRow::Experiment(_));
        Entry {
            bytes: runs.iter().map(|one| of_run(&one.id)).sum(),
            experiment: experiments.find(|one| is_experiment && one.id == *row.id()),
            judged: judged.find(|one| is_experiment && one.id == *row.id()),
            runs,
            row,
        }
    }

    /// What is known of the selected row.
    pub(crate) fn selected(&self) -> Option<Entry<'_>> {
        self.cursor.key().map(|row| self.entry(row))
    }
}

/// What a person should see first.
fn rank(state: SessionState) -> u8 {
    match state {
        SessionState::Interrupted | SessionState::Unreadable => 0,
        SessionState::Cancelled => 1,
        SessionState::Running => 2,
        SessionState::HandedOver | SessionState::Done => 3,
    }
}

/// The outcomes of the dispatches of several sessions.
pub(crate) fn counts<'a>(sessions: impl Iterator<Item = &'a ReplaySession>) -> DispatchCounts {
    sessions.fold(DispatchCounts::default(), |sum, session| DispatchCounts {
        done: sum.done + session.dispatches.done,
        failed: sum.failed + session.dispatches.failed,
        error: sum.error + session.dispatches.error,
        left: sum.left + session.dispatches.left,
        unknown: sum.unknown + session.dispatches.unknown,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_mark_is_a_and_the_second_is_b() {
        // What is marked one after the other, then A and B.
        let table: &[(&[&str], Option<&str>, Option<&str>)] = &[
            (&["x"], Some("x"), None),
            (&["x", "y"], Some("x"), Some("y")),
            (&["x", "y", "z"], Some("x"), Some("z")),
            (&["x", "x"], None, None),
            (&["x", "y", "x", "z"], Some("z"), Some("y")),
            (&["x", "y", "y"], Some("x"), None),
        ];
        for (names, a, b) in table {
            let mut marks = Marks::default();
            names.iter().for_each(|name| marks.toggle(name));
            assert_eq!(
                (marks.a.as_deref(), marks.b.as_deref()),
                (*a, *b),
                "{names:?}"
            );
        }
    }
}

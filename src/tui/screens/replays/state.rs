//! The replays of a pipeline, and everything of it that can stand on a side of a comparison.

use crate::model::{DispatchCounts, PipelineId, ReplaySession, SessionId, SessionState};
use crate::tui::data::Load;
use crate::tui::msg::Ticket;
use crate::tui::state::cursor::Cursor;

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

    /// Forgets marks of what is no longer there.
    pub(crate) fn settle(&mut self, known: &dyn Fn(&str) -> bool) {
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
    /// Several independent runs of one experiment, together.
    Group(SessionId),
    /// One run.
    Session(SessionId),
}

impl ReplayRow {
    /// The word by which it is compared.
    pub(crate) fn operand(&self) -> &str {
        match self {
            Self::Group(id) | Self::Session(id) => &id.0,
        }
    }
}

/// The replays of a pipeline: those that were cut short first, then newest first.
#[derive(Debug, Clone)]
pub(crate) struct ReplaysScreen {
    /// The pipeline.
    pub(crate) id: PipelineId,
    /// What was found.
    pub(crate) all: Load<Vec<ReplaySession>>,
    /// The request under way.
    pub(crate) ticket: Option<Ticket>,
    /// The rows.
    pub(crate) rows: Vec<ReplayRow>,
    /// The selection.
    pub(crate) cursor: Cursor<ReplayRow>,
    /// What is to be compared.
    pub(crate) marks: Marks,
}

impl ReplaysScreen {
    /// The screen of a pipeline whose replays are still to be read.
    pub(crate) fn new(id: PipelineId) -> Self {
        Self {
            id,
            all: Load::Pending,
            ticket: None,
            rows: Vec::new(),
            cursor: Cursor::default(),
            marks: Marks::default(),
        }
    }

    /// Takes what was found.
    pub(crate) fn take(&mut self, all: Load<Vec<ReplaySession>>) {
        self.all = all;
        self.rows = rows(self.sessions());
        self.cursor.settle(&self.rows);
        let rows = &self.rows;
        self.marks
            .settle(&|name| rows.iter().any(|row| row.operand() == name));
    }

    /// Every session.
    pub(crate) fn sessions(&self) -> &[ReplaySession] {
        self.all.ready().map_or(&[], |all| all.as_slice())
    }

    /// The sessions of a row: one, or all runs of an experiment.
    pub(crate) fn of<'a>(&'a self, row: &'a ReplayRow) -> impl Iterator<Item = &'a ReplaySession> {
        self.sessions().iter().filter(move |session| match row {
            ReplayRow::Group(id) => session.group == *id,
            ReplayRow::Session(id) => session.id == *id,
        })
    }

    /// The selected session; of several runs the one that can be continued, else the first.
    pub(crate) fn selected(&self) -> Option<&ReplaySession> {
        let row = self.cursor.key()?;
        let cut = self.of(row).find(|session| session.state.can_continue());
        cut.or_else(|| self.of(row).next())
    }
}

impl ReplaysScreen {
    /// Whether a row stands for an experiment with a control arm, which is judged by itself.
    pub(crate) fn has_control(&self, row: &ReplayRow) -> bool {
        matches!(row, ReplayRow::Group(_)) && self.of(row).any(ReplaySession::is_control)
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

/// The worst state of several sessions, for the row that stands for all of them.
pub(crate) fn worst<'a>(sessions: impl Iterator<Item = &'a ReplaySession>) -> Option<SessionState> {
    sessions
        .map(|session| session.state)
        .min_by_key(|state| rank(*state))
}

/// What became of the dispatches of several sessions.
pub(crate) fn counts<'a>(sessions: impl Iterator<Item = &'a ReplaySession>) -> DispatchCounts {
    sessions.fold(DispatchCounts::default(), |sum, session| DispatchCounts {
        done: sum.done + session.dispatches.done,
        failed: sum.failed + session.dispatches.failed,
        error: sum.error + session.dispatches.error,
        left: sum.left + session.dispatches.left,
    })
}

fn rows(sessions: &[ReplaySession]) -> Vec<ReplayRow> {
    let mut groups: Vec<(&SessionId, Vec<&ReplaySession>)> = Vec::new();
    for session in sessions {
        match groups.iter_mut().find(|(id, _)| **id == session.group) {
            Some((_, of)) => of.push(session),
            None => groups.push((&session.group, vec![session])),
        }
    }
    groups.sort_by_key(|(_, of)| worst(of.iter().copied()).map_or(u8::MAX, rank));
    let mut rows = Vec::new();
    for (id, mut of) in groups {
        of.sort_by_key(|session| session.repeat.0);
        if of.len() > 1 {
            rows.push(ReplayRow::Group(id.clone()));
        }
        rows.extend(of.iter().map(|one| ReplayRow::Session(one.id.clone())));
    }
    rows
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

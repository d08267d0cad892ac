//! What a replay would do, with the conflicts that a person must resolve first.

use crate::model::{Merge, MergePiece, Resolution, StepBody};
use crate::tui::prelude::*;
use crate::tui::screens::replay_plan::rows;

/// A part of the plan, in the order of the screen: confounders come before what runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Conflicts,
    Confounders,
    Notes,
    Swaps,
    How,
    Steps,
}

/// A row of the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TrialRow {
    /// A conflict, resolved or not, by the number of its dispatch.
    Conflict(u64),
    /// A template that is swapped.
    Swap(usize),
    /// Paths of the original that are replaced.
    Paths,
    /// A dispatch that is run again.
    Step(usize),
    /// Text of a part, by its place there; the heading is at 0.
    Text(Part, usize),
}

/// The plan of a replay.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReplayPlanScreen {
    /// The pipeline.
    pub(crate) id: PipelineId,
    /// What was asked; with the resolved conflicts.
    pub(crate) ask: ReplayAsk,
    /// The plan.
    pub(crate) plan: Load<ReplayPlan>,
    /// When it was made.
    pub(crate) made_at: Option<DateTime<FixedOffset>>,
    /// The request under way.
    pub(crate) ticket: Option<Ticket>,
    /// Whether the question follows when the plan under way is there.
    pub(crate) then_ask: bool,
    /// Every conflict that was seen, by the number of its dispatch: a resolved one can be shown again.
    pub(crate) conflicts: BTreeMap<u64, Merge>,
    /// The rows.
    pub(crate) rows: Vec<TrialRow>,
    /// The selection.
    pub(crate) cursor: Cursor<TrialRow>,
}

impl ReplayPlanScreen {
    /// Takes a finished plan.
    pub(crate) fn take(&mut self, plan: Load<ReplayPlan>, now: DateTime<FixedOffset>) {
        self.made_at = plan.ready().map(|_| now);
        self.plan = plan;
        if let Some(plan) = self.plan.ready() {
            for step in &plan.steps {
                if let StepBody::Conflict(merge) = &step.body {
                    self.conflicts.insert(step.original.seq, merge.clone());
                }
            }
            let steps = &plan.steps;
            self.conflicts
                .retain(|seq, _| steps.iter().any(|step| step.original.seq == *seq));
        }
        let first = self.rows.is_empty();
        self.rows = rows(self, &Clean::empty(), 0)
            .into_iter()
            .map(|(row, _)| row)
            .collect();
        self.cursor.reselect(&self.rows);
        if first {
            // The first thing to do, else to look at, is the first thing selected.
            let at = |wanted: fn(&TrialRow) -> bool| self.rows.iter().position(wanted);
            let conflict = at(|row| matches!(row, TrialRow::Conflict(_)));
            let swap = at(|row| matches!(row, TrialRow::Swap(_)));
            let place = conflict.or(swap).unwrap_or(0);
            self.cursor.go(&self.rows, place);
        }
    }

    /// How a conflict is resolved, if it is.
    pub(crate) fn resolved(&self, seq: u64) -> Option<&Resolved> {
        let of = |seq: Option<u64>| {
            let mut all = self.ask.resolutions.iter();
            all.find(|one| one.seq == seq).map(|one| &one.how)
        };
        of(Some(seq)).or_else(|| of(None))
    }

    /// Resolves a conflict, or changes its resolution.
    pub(crate) fn resolve(&mut self, seq: u64, how: Resolved) {
        let others = |one: &Resolution| one.seq != Some(seq);
        self.ask.resolutions.retain(others);
        self.ask.resolutions.push(Resolution {
            seq: Some(seq),
            how,
        });
    }

    /// How many conflicts are unresolved.
    pub(crate) fn open(&self) -> usize {
        let plan = self.plan.ready();
        plan.map_or(0, |plan| plan.conflicts().count())
    }
}

/// The text of a merge in which a person resolves the conflicts by hand; the marks are git's.
pub(crate) fn marked(merge: &Merge) -> Vec<u8> {
    let mut out = Vec::new();
    let side = |mark: &str, text: &[u8]| {
        let mut lines = mark.as_bytes().to_vec();
        lines.push(b'\n');
        lines.extend_from_slice(text);
        if !text.is_empty() && !text.ends_with(b"\n") {
            lines.push(b'\n');
        }
        lines
    };
    for piece in &merge.pieces {
        match piece {
            MergePiece::Resolved(text) => out.extend_from_slice(text),
            MergePiece::Conflict {
                template,
                dispatch,
                replacement,
            } => {
                if !out.is_empty() && !out.ends_with(b"\n") {
                    out.push(b'\n');
                }
                out.extend(side("<<<<<<< the original dispatch", dispatch));
                out.extend(side("||||||| the template", template));
                out.extend(side("=======", replacement));
                out.extend(side(">>>>>>> the replacement", b""));
            }
        }
    }
    out
}

/// True for a text in which a conflict's marks are left.
pub(crate) fn is_marked(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n');
    lines.any(|line| {
        line.starts_with(b"<<<<<<< ")
            || line.starts_with(b"||||||| ")
            || line.starts_with(b">>>>>>> ")
    })
}

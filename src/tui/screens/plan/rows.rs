//! The rows of a plan's outline.

use crate::model::Plan;

/// A heading of the outline, in the order of the screen: what refuses and what is lost comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Section {
    Guards,
    Losses,
    Actions,
    Redone,
    Kept,
    Handoff,
}

/// A row of the outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum PlanRow {
    /// A heading.
    Head(Section),
    /// A guard.
    Guard(usize),
    /// Something that would be lost or left behind.
    Loss(usize),
    /// An action.
    Action(usize),
    /// A path of an action.
    Path(usize, usize),
    /// A line that an action appends, or a row that it cuts.
    Line(usize, usize),
    /// Work that is done again.
    Redone(usize),
    /// Work that is kept.
    Kept(usize),
    /// The directory of the hand-off.
    Cwd,
    /// Its command.
    Command,
    /// What to type once it runs.
    Prompt,
    /// A line of the briefing.
    Briefing(usize),
    /// Nothing stands beneath a heading, and that is said.
    Nothing(Section),
}

pub(crate) fn handoff_rows(plan: &Plan) -> Vec<PlanRow> {
    let handoff = &plan.handoff;
    let mut rows = vec![PlanRow::Cwd];
    if !handoff.argv.is_empty() {
        rows.push(PlanRow::Command);
    }
    if !handoff.prompt.is_empty() {
        rows.push(PlanRow::Prompt);
    }
    if !handoff.briefing.is_empty() {
        rows.extend((0..handoff.briefing.lines().count()).map(PlanRow::Briefing));
    }
    rows
}

/// The row that folds this one away.
pub(crate) fn parent(row: PlanRow) -> PlanRow {
    match row {
        PlanRow::Head(section) | PlanRow::Nothing(section) => PlanRow::Head(section),
        PlanRow::Guard(_) => PlanRow::Head(Section::Guards),
        PlanRow::Loss(_) => PlanRow::Head(Section::Losses),
        PlanRow::Action(_) => PlanRow::Head(Section::Actions),
        PlanRow::Path(action, _) | PlanRow::Line(action, _) => PlanRow::Action(action),
        PlanRow::Redone(_) => PlanRow::Head(Section::Redone),
        PlanRow::Kept(_) => PlanRow::Head(Section::Kept),
        PlanRow::Cwd | PlanRow::Command | PlanRow::Prompt | PlanRow::Briefing(_) => {
            PlanRow::Head(Section::Handoff)
        }
    }
}

//! The rows of a plan's outline.

use crate::model::{Foreign, LossKind, Plan};

/// A heading of the outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Section {
    Guards,
    Warnings,
    Overwritten,
    NotRestored,
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
    /// The guards that are ok, in one line, under those that are not.
    Passing,
    /// A sentence of the warnings, of what is overwritten or of what is not restored.
    Sentence(Section, usize),
    /// An action.
    Action(usize),
    /// A folder of an action's paths, by its place among the action's folders.
    Folder(usize, usize),
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
}

impl Section {
    /// Its heading in a plan.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Guards => "Guards",
            Self::Warnings => "Warnings",
            Self::Overwritten => "Overwritten",
            Self::NotRestored => "Not restored",
            Self::Actions => "Changes",
            Self::Redone => "Will run again",
            Self::Kept => "Kept",
            Self::Handoff => "Hand-off",
        }
    }

    /// What is said where it holds nothing.
    pub(crate) fn nothing(self, plan: &Plan) -> &'static str {
        match self {
            Self::Overwritten if plan.destructive => "only what Changes lists",
            Self::Guards => "none",
            Self::Actions => "no files change",
            Self::Handoff => "no command",
            _ => "nothing",
        }
    }

    /// What it holds, where that is sentences alone.
    pub(crate) fn sentences(self, plan: &Plan) -> Vec<&Foreign> {
        match self {
            Self::Warnings => plan.warnings.iter().collect(),
            Self::Overwritten => plan.losses_of(LossKind::Overwritten).collect(),
            Self::NotRestored => plan.losses_of(LossKind::NotRestored).collect(),
            _ => Vec::new(),
        }
    }
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
    // A blank line is nothing to choose: it is the space above the next one.
    let lines = handoff.briefing.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.as_bytes().trim_ascii().is_empty());
    rows.extend(lines.map(|(place, _)| PlanRow::Briefing(place)));
    rows
}

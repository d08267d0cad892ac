//! The plan screen: what taking up at a point would do, as an outline that folds.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use super::cursor::Cursor;
use crate::model::{
    Foreign, PathChange, PipelineId, Plan, PlanOptions, PointId, Preview, RestoreMode,
};
use crate::tui::data::Load;
use crate::tui::msg::Ticket;

/// A heading of the outline, in the order of the screen: what refuses and what is lost comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is named for what stands beneath it")]
pub enum Section {
    Guards,
    Losses,
    Actions,
    Redone,
    Kept,
    Handoff,
}

/// A row of the outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PlanRow {
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

/// The plan screen.
#[derive(Debug, Clone)]
pub struct PlanScreen {
    /// Which pipeline.
    pub id: PipelineId,
    /// The point; `None` for the recommended one.
    pub point: Option<PointId>,
    /// Overlay or exact.
    pub mode: RestoreMode,
    /// Paths that the person left out.
    pub excluded: BTreeSet<Foreign>,
    /// The plan over all paths: its list shows those left out, too.
    pub whole: Load<Plan>,
    /// The plan as it stands: what is left out is not in it.
    pub plan: Load<Plan>,
    /// The request under way.
    pub ticket: Option<Ticket>,
    /// Folded rows.
    pub folded: BTreeSet<PlanRow>,
    /// The outline.
    pub rows: Vec<PlanRow>,
    /// The selection.
    pub cursor: Cursor<PlanRow>,
}

/// With more rows than this a table of work begins folded.
const MANY: usize = 8;

impl PlanScreen {
    /// The screen of a plan that is still to be made.
    pub fn new(id: PipelineId, point: Option<PointId>) -> Self {
        Self {
            id,
            point,
            mode: RestoreMode::default(),
            excluded: BTreeSet::new(),
            whole: Load::Pending,
            plan: Load::Pending,
            ticket: None,
            folded: BTreeSet::new(),
            rows: Vec::new(),
            cursor: Cursor::default(),
        }
    }

    /// What to ask the planner for.
    pub fn options(&self) -> PlanOptions {
        PlanOptions {
            mode: self.mode,
            paths: self.included(),
            ..PlanOptions::default()
        }
    }

    /// The paths that stay; empty while none was left out.
    fn included(&self) -> Vec<PathBuf> {
        if self.excluded.is_empty() {
            return Vec::new();
        }
        let Some(plan) = self.whole.ready() else {
            return Vec::new();
        };
        plan.actions
            .iter()
            .flat_map(|action| &action.paths)
            .filter(|path| touched(path.change) && !self.excluded.contains(&path.path))
            .map(|path| PathBuf::from(OsStr::from_bytes(path.path.as_bytes())))
            .collect()
    }

    /// Takes a finished plan. A plan over all paths also becomes the list.
    pub fn take(&mut self, plan: Load<Plan>) {
        if self.excluded.is_empty() || plan.ready().is_none() {
            self.whole = plan.clone();
        }
        let first = self.rows.is_empty();
        self.plan = plan;
        if let (true, Some(plan)) = (first, self.whole.ready()) {
            if plan.kept.len() > MANY {
                self.folded.insert(PlanRow::Head(Section::Kept));
            }
            if plan.redone.len() > MANY {
                self.folded.insert(PlanRow::Head(Section::Redone));
            }
        }
        self.arrange();
    }

    /// The plan that the list shows.
    pub fn listed(&self) -> Option<&Arc<Plan>> {
        self.whole.ready()
    }

    /// Makes the outline anew.
    pub fn arrange(&mut self) {
        let Some(plan) = self.whole.ready().cloned() else {
            self.rows.clear();
            return;
        };
        // Guards and losses of the plan as it stands; paths of the plan over all.
        let now = self.plan.ready().unwrap_or(&plan);
        let mut rows = Vec::new();
        let guards = (0..now.guards.len()).map(PlanRow::Guard).collect();
        let losses = (0..now.losses.len()).map(PlanRow::Loss).collect();
        self.section(&mut rows, Section::Guards, guards);
        self.section(&mut rows, Section::Losses, losses);
        let actions = self.action_rows(&plan);
        self.section(&mut rows, Section::Actions, actions);
        let redone = (0..plan.redone.len()).map(PlanRow::Redone).collect();
        self.section(&mut rows, Section::Redone, redone);
        let kept = (0..plan.kept.len()).map(PlanRow::Kept).collect();
        self.section(&mut rows, Section::Kept, kept);
        self.section(&mut rows, Section::Handoff, handoff_rows(&plan));
        self.rows = rows;
        self.cursor.settle(&self.rows);
    }

    fn section(&self, rows: &mut Vec<PlanRow>, section: Section, beneath: Vec<PlanRow>) {
        rows.push(PlanRow::Head(section));
        if self.folded.contains(&PlanRow::Head(section)) {
            return;
        }
        if beneath.is_empty() {
            rows.push(PlanRow::Nothing(section));
        }
        rows.extend(beneath);
    }

    fn action_rows(&self, plan: &Plan) -> Vec<PlanRow> {
        let mut rows = Vec::new();
        for (place, action) in plan.actions.iter().enumerate() {
            let row = PlanRow::Action(place);
            rows.push(row);
            if self.folded.contains(&row) {
                continue;
            }
            rows.extend((0..action.paths.len()).map(|path| PlanRow::Path(place, path)));
            let lines = match &action.preview {
                Preview::Rows { removed, .. } => removed.len(),
                Preview::Lines { appended, .. } => appended.len(),
                Preview::Tree { .. }
                | Preview::Content { .. }
                | Preview::Rename { .. }
                | Preview::Kept { .. } => 0,
            };
            rows.extend((0..lines).map(|line| PlanRow::Line(place, line)));
        }
        rows
    }

    /// Folds or unfolds the selected row, or the one it stands beneath. True if anything changed.
    pub fn fold(&mut self, fold: bool) -> bool {
        let Some(row) = self.cursor.key().copied() else {
            return false;
        };
        let target = match row {
            PlanRow::Head(_) | PlanRow::Action(_) if self.folded.contains(&row) != fold => row,
            _ if fold => parent(row),
            _ => return false,
        };
        let changed = if fold {
            self.folded.insert(target)
        } else {
            self.folded.remove(&target)
        };
        self.arrange();
        if let Some(place) = self.rows.iter().position(|row| *row == target) {
            self.cursor.go(&self.rows, place);
        }
        changed
    }

    /// The path that is selected, with what happens to it.
    pub fn selected_path(&self) -> Option<(&Foreign, PathChange)> {
        let PlanRow::Path(action, path) = self.cursor.key()? else {
            return None;
        };
        let plan = self.whole.ready()?;
        let path = plan.actions.get(*action)?.paths.get(*path)?;
        Some((&path.path, path.change))
    }

    /// How many paths would be touched if none were left out.
    pub fn touched(&self) -> usize {
        self.whole.ready().map_or(0, |plan| {
            let paths = plan.actions.iter().flat_map(|action| &action.paths);
            paths.filter(|path| touched(path.change)).count()
        })
    }
}

/// True for a path that the action changes; the others are only listed.
pub(crate) fn touched(change: PathChange) -> bool {
    match change {
        PathChange::Write | PathChange::Create | PathChange::Remove => true,
        PathChange::KeepNewer | PathChange::NotCovered => false,
    }
}

fn handoff_rows(plan: &Plan) -> Vec<PlanRow> {
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
fn parent(row: PlanRow) -> PlanRow {
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

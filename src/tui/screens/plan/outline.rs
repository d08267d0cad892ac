//! The rows of a plan screen: what is above what, and what folds it away.

use super::folders::Folder;
use crate::model::LossKind;
use crate::string_enum;
use crate::tui::prelude::*;

string_enum! {
    /// A heading of the outline.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub(crate) enum Section {
        Guards = "Guards",
        Warnings = "Warnings",
        Overwritten = "Overwritten",
        NotRestored = "Not restored",
        Actions = "Changes",
        Redone = "Will run again",
        Kept = "Kept",
        Handoff = "Hand-off",
    }
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
    /// What is said where it holds nothing.
    pub(crate) fn nothing(self, plan: &Plan) -> &'static str {
        match self {
            Self::Overwritten if plan.destructive => "only what Changes lists",
            Self::Guards => "none",
            Self::Actions => "no files change",
            Self::Handoff => "no command",
            Self::Kept | Self::Redone if !plan.point.boundary.is_counted() => "unknown",
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

fn handoff_rows(plan: &Plan) -> Vec<PlanRow> {
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

impl PlanScreen {
    /// Makes the outline anew.
    pub(crate) fn arrange(&mut self) {
        let plan = self.whole.ready().cloned();
        self.rows = plan.map_or_else(Vec::new, |plan| self.outline(&plan, true));
        self.cursor.reselect(&self.rows);
        self.find();
    }

    /// The rows of the outline, problems first; those that are folded away among them unless `folds`. Only paths
    /// are those of the plan over all of them; the rest is of the plan without what is left out.
    pub(super) fn outline(&self, plan: &Plan, folds: bool) -> Vec<PlanRow> {
        let now = self.current().map_or(plan, Arc::as_ref);
        let mut rows = Vec::new();
        let folded = |row: PlanRow| folds && self.folded.contains(&row);
        let mut section = |section: Section, beneath: Vec<PlanRow>| {
            rows.push(PlanRow::Head(section));
            if !folded(PlanRow::Head(section)) {
                rows.extend(beneath);
            }
        };
        let guards = now.guards.iter().enumerate();
        let (passing, failing): (Vec<_>, Vec<_>) = guards.partition(|(_, guard)| guard.holds);
        let row = |(place, _): &(usize, _)| PlanRow::Guard(*place);
        let passing: Vec<PlanRow> = passing.iter().map(row).collect();
        let mut failing: Vec<PlanRow> = failing.iter().map(row).collect();
        let blocked = !failing.is_empty();
        if blocked {
            if !passing.is_empty() {
                failing.push(PlanRow::Passing);
                failing.extend(passing.iter().filter(|_| !folded(PlanRow::Passing)));
            }
            section(Section::Guards, failing);
        }
        for of in [
            Section::Warnings,
            Section::Overwritten,
            Section::NotRestored,
        ] {
            let sentences = 0..of.sentences(now).len();
            let optional = self.is_record() || of == Section::Warnings;
            if !sentences.is_empty() || !optional {
                let sentences = sentences.map(|place| PlanRow::Sentence(of, place));
                section(of, sentences.collect());
            }
        }
        if !blocked && !self.is_record() {
            section(Section::Guards, passing);
        }
        section(Section::Actions, self.action_rows(plan, folds));
        let resumes = matches!(self.about, About::Resume { .. });
        if resumes {
            let redone = (0..now.redone.len()).map(PlanRow::Redone);
            section(Section::Redone, redone.collect());
            let kept = (0..now.kept.len()).map(PlanRow::Kept);
            section(Section::Kept, kept.collect());
        }
        if resumes && !now.is_of_files() || !now.handoff.argv.is_empty() {
            section(Section::Handoff, handoff_rows(now));
        }
        rows
    }

    fn action_rows(&self, plan: &Plan, folds: bool) -> Vec<PlanRow> {
        let folded = |row: PlanRow| folds && self.folded.contains(&row);
        let mut rows = Vec::new();
        for (place, action) in plan.actions.iter().enumerate() {
            rows.push(PlanRow::Action(place));
            if folded(PlanRow::Action(place)) {
                continue;
            }
            let mut of = self.folders_of(place).iter().enumerate().peekable();
            let mut hidden = 0;
            for path in 0..action.paths.len() {
                while let Some((at, folder)) = of.next_if(|(_, of)| of.paths.start == path) {
                    if path >= hidden {
                        rows.push(PlanRow::Folder(place, at));
                    }
                    if folded(PlanRow::Folder(place, at)) {
                        hidden = hidden.max(folder.paths.end);
                    }
                }
                // A directory is no row of its own: the files in it say what happens.
                if path >= hidden && !action.is_directory(path) {
                    rows.push(PlanRow::Path(place, path));
                }
            }
            let lines = match &action.preview {
                Preview::Rows { removed, .. } => removed.len(),
                Preview::Lines { appended, .. } => appended.len(),
                Preview::Tree { .. }
                | Preview::Content { .. }
                | Preview::Rename { .. }
                | Preview::Appended { .. }
                | Preview::Kept { .. } => 0,
            };
            rows.extend((0..lines).map(|line| PlanRow::Line(place, line)));
        }
        rows
    }

    fn folders_of(&self, action: usize) -> &[Folder] {
        self.folders.get(action).map_or(&[], Vec::as_slice)
    }

    /// A folder by its row.
    pub(super) fn folder(&self, action: usize, at: usize) -> Option<&Folder> {
        self.folders_of(action).get(at)
    }

    /// The innermost folder that the paths of this range are in, other than the one of all of them, with its place.
    pub(super) fn within(
        &self,
        action: usize,
        paths: &Range<usize>,
        depth: usize,
    ) -> Option<(usize, &Folder)> {
        let all = self.folders_of(action).iter().enumerate().rev();
        let mut around = all.filter(|(_, of)| {
            of.depth < depth && of.paths.start <= paths.start && of.paths.end >= paths.end
        });
        around.next()
    }

    /// The row that folds this one away.
    pub(super) fn parent(&self, row: PlanRow) -> Option<PlanRow> {
        let inside = |action: usize, paths: Range<usize>, depth: usize| {
            let folder = self.within(action, &paths, depth);
            folder.map_or(PlanRow::Action(action), |(at, _)| {
                PlanRow::Folder(action, at)
            })
        };
        Some(match row {
            PlanRow::Head(_) => return None,
            PlanRow::Sentence(section, _) => PlanRow::Head(section),
            PlanRow::Guard(place) => {
                let guards = self.current().map(|plan| plan.guards.as_slice());
                let guards = guards.unwrap_or_default();
                let blocked = guards.iter().any(|guard| !guard.holds);
                if blocked && guards.get(place).is_some_and(|guard| guard.holds) {
                    PlanRow::Passing
                } else {
                    PlanRow::Head(Section::Guards)
                }
            }
            PlanRow::Passing => PlanRow::Head(Section::Guards),
            PlanRow::Action(_) => PlanRow::Head(Section::Actions),
            PlanRow::Folder(action, at) => {
                let folder = self.folder(action, at)?;
                inside(action, folder.paths.clone(), folder.depth)
            }
            PlanRow::Path(action, path) => inside(action, path..path + 1, usize::MAX),
            PlanRow::Line(action, _) => PlanRow::Action(action),
            PlanRow::Redone(_) => PlanRow::Head(Section::Redone),
            PlanRow::Kept(_) => PlanRow::Head(Section::Kept),
            PlanRow::Cwd | PlanRow::Command | PlanRow::Prompt | PlanRow::Briefing(_) => {
                PlanRow::Head(Section::Handoff)
            }
        })
    }

    /// Goes to the next heading with rows under it, or to the previous one. False if there is none.
    pub(super) fn jump(&mut self, forward: bool) -> bool {
        let here = self.cursor.place(&self.rows).unwrap_or(0);
        let holds = |at: &usize| {
            let is_head = |row: &PlanRow| matches!(row, PlanRow::Head(_));
            let beneath = self.rows.get(at + 1).is_some_and(|next| !is_head(next));
            let head = self.rows.get(*at).filter(|row| is_head(row));
            head.is_some_and(|head| beneath || self.folded.contains(head))
        };
        let mut heads = (0..self.rows.len()).filter(holds);
        let next = if forward {
            heads.find(|at| *at > here)
        } else {
            heads.rfind(|at| *at < here)
        };
        if let Some(next) = next {
            self.cursor.go(&self.rows, next);
        }
        next.is_some()
    }

    /// Folds or unfolds the selected row, or the one it is under. True if anything changed.
    pub(crate) fn fold(&mut self, fold: bool) -> bool {
        let Some(row) = self.cursor.key().copied() else {
            return false;
        };
        let folds = matches!(
            row,
            PlanRow::Head(_) | PlanRow::Action(_) | PlanRow::Folder(..) | PlanRow::Passing
        );
        let target = match self.parent(row) {
            _ if folds && self.folded.contains(&row) != fold => row,
            Some(parent) if fold => parent,
            _ => return false,
        };
        let changed = switch(&mut self.folded, target, fold);
        self.arrange();
        if let Some(place) = self.rows.iter().position(|row| *row == target) {
            self.cursor.go(&self.rows, place);
        }
        changed
    }
}

//! The plan screen: what a resume at a point would do, as an outline that folds.

use super::folders::{Folder, folders};
use super::outline::{PlanRow, Section};
use super::search::Search;
use crate::tui::prelude::*;

/// When a plan was made that has just arrived: when it was asked for, because what it was made from may have changed
/// since. One that took longer than a plan stays fresh could otherwise never be confirmed.
pub(crate) fn made_at(state: &State, ticket: Ticket) -> DateTime<FixedOffset> {
    let least = state.now - FRESH / 2;
    // One that is not known any more was asked for before many others.
    let asked = state.effects.asked_at(ticket);
    asked.map_or(least, |asked| asked.max(least))
}

/// A plan that is older than this is computed again before it can be confirmed.
const FRESH: TimeDelta = TimeDelta::minutes(5);

/// True for a plan that was computed too long ago to be confirmed now.
pub(crate) fn is_stale(made_at: DateTime<FixedOffset>, now: DateTime<FixedOffset>) -> bool {
    now.signed_duration_since(made_at) > FRESH
}

/// Which of the paths are in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Reach {
    /// All of them.
    #[default]
    All,
    /// Those that are missing and would come back: nothing that is there is touched.
    Missing,
    /// Those that are there and differ.
    Differing,
    /// Those that the person chose one by one.
    Chosen,
}

/// What follows when a plan that was asked for is there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Then {
    /// It is shown.
    #[default]
    Show,
    /// The question follows.
    Ask,
    /// The question follows if it is still this plan.
    AskIfSame(Arc<Plan>),
    /// It is shown, and what changed since this one is said.
    Tell(Arc<Plan>),
}

/// The plan screen.
#[derive(Debug, Clone)]
pub(crate) struct PlanScreen {
    /// What it is about.
    pub(crate) about: About,
    /// The options that the person chose; the paths follow from those that were left out.
    pub(crate) chosen: PlanOptions,
    /// Which of the paths are in the plan.
    pub(crate) reach: Reach,
    /// Paths that the person left out, by [`About::key`].
    pub(crate) excluded: BTreeSet<Foreign>,
    /// The plan over all paths: its list shows those left out, too.
    pub(crate) whole: Load<Plan>,
    /// The plan without what is left out.
    pub(crate) plan: Load<Plan>,
    /// When that was computed.
    pub(crate) made_at: Option<DateTime<FixedOffset>>,
    /// Where it will keep what it replaces, where that is known.
    pub(crate) kept_in: Option<PathBuf>,
    /// What follows when the plan under way is there.
    pub(crate) then: Then,
    /// The request under way.
    pub(crate) ticket: Option<Ticket>,
    /// Whether the pipeline has changed meanwhile.
    pub(crate) again: bool,
    /// Folded rows.
    pub(crate) folded: BTreeSet<PlanRow>,
    /// The outline.
    pub(crate) rows: Vec<PlanRow>,
    /// The selection.
    pub(crate) cursor: Cursor<PlanRow>,
    /// The widths of the ids of what is done again and of what is kept, measured once: there may be thousands.
    pub(crate) id_widths: [usize; 2],
    /// The folders of each action.
    pub(crate) folders: Vec<Vec<Folder>>,
    /// What is looked for.
    pub(crate) search: Search,
    /// The difference beside the outline, on a wide screen.
    pub(crate) beside: Option<Box<DiffScreen>>,
    /// The lines that paths change, as far as they were counted, by action and path.
    pub(crate) counted: BTreeMap<(usize, usize), Option<Stats>>,
    /// The count under way.
    pub(crate) counting: Option<Ticket>,
}

/// With more rows than this a table of work begins folded.
const MANY: usize = 8;

impl PlanScreen {
    /// The screen of a plan that is still to be made.
    pub(crate) fn new(about: About) -> Self {
        Self {
            about,
            chosen: PlanOptions::default(),
            reach: Reach::default(),
            excluded: BTreeSet::new(),
            whole: Load::Pending,
            plan: Load::Pending,
            made_at: None,
            kept_in: None,
            then: Then::default(),
            ticket: None,
            again: false,
            folded: BTreeSet::new(),
            rows: Vec::new(),
            cursor: Cursor::default(),
            id_widths: [0; 2],
            folders: Vec::new(),
            search: Search::default(),
            beside: None,
            counted: BTreeMap::new(),
            counting: None,
        }
    }

    /// The pipeline it is about.
    pub(crate) fn id(&self) -> &PipelineId {
        self.about.pipeline()
    }

    /// True if it only shows what was done.
    pub(crate) fn is_record(&self) -> bool {
        matches!(self.about, About::Record(_))
    }

    /// True where it shows a recovery that is pending or was rolled back: what of it is on disk cannot be told.
    pub(crate) fn is_unapplied(&self) -> bool {
        matches!(&self.about, About::Record(one) if one.state != RecoveryState::Committed)
    }

    /// True where it undoes a recovery.
    pub(crate) fn is_undo(&self) -> bool {
        matches!(self.about, About::Undo { .. })
    }

    /// True where the chosen paths are kept as they are now: an undo, or the recover of an interrupted recovery.
    pub(crate) fn keeps_paths(&self) -> bool {
        match &self.about {
            About::Resume { .. } => false,
            About::Undo { .. } => true,
            About::Record(recovery) => recovery.state == RecoveryState::NeedsAttention,
        }
    }

    /// The request for the planner; `None` for a record, which is only shown.
    pub(crate) fn query(&self, request: &Request) -> Option<Query> {
        match &self.about {
            About::Resume { id, choice } => {
                Some(Query::Plan(id.clone(), choice.clone(), self.options()))
            }
            About::Undo { recovery, redo, .. } => Some(Query::UndoPlan {
                recovery: recovery.clone(),
                redo: *redo,
                options: UndoOptions {
                    keep: self.excluded_paths(),
                    assume_stopped: self.chosen.assume_stopped,
                },
                request: request.clone().into(),
            }),
            About::Record(_) => None,
        }
    }

    /// The paths that were left out, or that an undo or a recover keeps as they are.
    pub(crate) fn excluded_paths(&self) -> Vec<PathBuf> {
        let excluded = self.excluded.iter();
        excluded.map(|path| path.as_path().to_owned()).collect()
    }

    /// The options besides the resume point.
    pub(crate) fn options(&self) -> PlanOptions {
        PlanOptions {
            paths: self.included(),
            ..self.chosen.clone()
        }
    }

    /// The paths that stay; empty while none was left out.
    fn included(&self) -> Vec<PathBuf> {
        if self.excluded.is_empty() {
            return Vec::new();
        }
        let choices = self.choices().into_iter();
        let stay = choices.filter(|(key, _)| !self.excluded.contains(key));
        stay.map(|(key, _)| key.as_path().to_owned()).collect()
    }

    /// Every path that can be left out, with what happens to it.
    pub(crate) fn choices(&self) -> Vec<(Foreign, PathChange)> {
        let plan = self.whole.ready();
        plan.map_or_else(Vec::new, |plan| self.about.choices(plan))
    }

    /// Whether a row of the list was left out.
    pub(crate) fn left_out(&self, plan: &Plan, action: usize, path: Option<usize>) -> bool {
        let key = self.about.key(plan, action, path);
        key.is_some_and(|key| self.excluded.contains(&key))
    }

    /// Takes a finished plan. A plan over all paths also becomes the list.
    pub(crate) fn take(&mut self, plan: Load<Plan>, now: DateTime<FixedOffset>) {
        if self.excluded.is_empty() || plan.ready().is_none() {
            let known = self.whole.ready().map(|plan| plan.fingerprint.clone());
            if known.as_ref() != plan.ready().map(|plan| &plan.fingerprint) {
                (self.counting, self.beside) = (None, None);
                self.counted.clear();
            }
            self.whole = plan.clone();
            let actions = plan.ready().map(|plan| plan.actions.as_slice());
            let actions = actions.unwrap_or_default().iter();
            self.folders = actions.map(|action| folders(&action.paths)).collect();
        }
        let first = self.rows.is_empty();
        self.made_at = plan.ready().map(|_| now);
        if let Some(plan) = plan.ready() {
            self.id_widths = [&plan.redone, &plan.kept].map(|items| {
                let widest = items.iter().map(|item| item.id.clean().width()).max();
                // Ids often differ only at their ends.
                widest.unwrap_or(0).clamp(8, 16)
            });
        }
        self.plan = plan;
        if let (true, Some(plan)) = (first, self.whole.ready()) {
            if plan.kept.len() > MANY {
                self.folded.insert(PlanRow::Head(Section::Kept));
            }
            if plan.redone.len() > MANY {
                self.folded.insert(PlanRow::Head(Section::Redone));
            }
            let folds = [PlanRow::Head(Section::Guards), PlanRow::Passing];
            self.folded.extend(folds);
        }
        // A guard that failed since must be seen.
        let refused = |plan: &Arc<Plan>| plan.guards.iter().any(|guard| !guard.holds);
        if self.plan.ready().is_some_and(refused) {
            self.folded.remove(&PlanRow::Head(Section::Guards));
        }
        self.arrange();
    }

    /// The plan that the list shows.
    pub(crate) fn listed(&self) -> Option<&Arc<Plan>> {
        self.whole.ready()
    }

    /// The plan that would be applied: without what is left out.
    pub(crate) fn current(&self) -> Option<&Arc<Plan>> {
        self.plan.ready()
    }

    /// What a row can leave out, by its keys: a path, or all paths that change in a folder or an action.
    pub(crate) fn chosen(&self, row: PlanRow) -> Vec<Foreign> {
        let Some(plan) = self.whole.ready() else {
            return Vec::new();
        };
        let (action, paths) = match row {
            PlanRow::Path(action, path) => (action, path..path + 1),
            PlanRow::Folder(action, at) => {
                let folder = self.folder(action, at);
                (action, folder.map_or(0..0, |folder| folder.paths.clone()))
            }
            PlanRow::Action(action) => (action, 0..usize::MAX),
            _ => return Vec::new(),
        };
        let Some(of) = plan.actions.get(action) else {
            return Vec::new();
        };
        if of.paths.is_empty() {
            return self.about.key(plan, action, None).into_iter().collect();
        }
        let among = (0..of.paths.len()).filter_map(|at| {
            let chosen = paths.contains(&at) && of.changes_file(at);
            self.about.key(plan, action, Some(at)).filter(|_| chosen)
        });
        among.collect()
    }

    /// How many paths would change if none were left out.
    pub(crate) fn touched(&self) -> usize {
        self.choices().len()
    }
}

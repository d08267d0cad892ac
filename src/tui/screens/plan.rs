//! The plan of a resume or an undo, and the record of a recovery in the same outline.

mod about;
mod beside;
mod confirm;
mod folders;
mod lines;
mod outline;
mod paths;
mod search;
mod state;
mod update;
mod view;

use super::{diff, recoveries};
use crate::tui::prelude::*;
use crate::tui::screens::handoff::VOID;

pub(crate) use about::About;
pub(crate) use beside::{Counted, ask, compared, counted};
pub(crate) use confirm::again;
pub(crate) use lines::{guard_word, remedy};
pub(crate) use outline::{PlanRow, Section};
pub(crate) use paths::form_change;
pub(crate) use state::{PlanScreen, Reach, Then, is_stale, made_at};
pub(crate) use update::{change, open_plan, outdated, request, request_then, screen, take};
#[cfg(test)]
pub(crate) use view::numbers;
pub(crate) use view::{excluded, totals};

/// The context of the keys of a plan.
pub(crate) const CONTEXT: Context = Context::new("Plan");

/// The context of the keys of a record of a recovery.
pub(crate) const RECORD: Context = Context::new("Recovery");

commands! {
    Mode, Paths, Rewind, Reason,
}

commands! { acting: Rehearse, Apply }

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "plan-open", CONTEXT, ["enter"], "open", "Show the difference of an action or a path; fold or unfold a heading.", foot 1),
    row!(Include => "include", CONTEXT, ["space"], "exclude", "Exclude the path, or all paths of the directory, or include them again; in an undo, keep them as they are now.", cli "relight plan PIPELINE --point POINT --path PATH", foot 3),
    row!(Mode => "mode", CONTEXT, ["x"], "overlay/exact", "Switch the mode: overlay keeps files created after the checkpoint, exact moves them aside.", cli "relight plan PIPELINE --point POINT --exact", foot 5),
    row!(Paths => "paths", CONTEXT, ["c"], "which paths", "Include all paths, or only missing ones, or only modified ones."),
    row!(Rewind => "rewind-branch", CONTEXT, ["b"], "rewind branch", "Turn on or off: reset the branch to its commit at the time of the checkpoint, too. The old tip is kept.", cli "relight plan PIPELINE --point POINT --rewind-branch"),
    row!(Rehearse => "rehearse", CONTEXT, ["t"], "rehearse", "Try the plan in a scratch directory, and run the configured check there.", cli "relight rehearse PIPELINE --point POINT", foot 5),
    row!(Reason => "reason", CONTEXT, ["w"], "reason", "Enter the reason for resuming here; the hand-off includes it.", cli "relight resume PIPELINE --point POINT --reason TEXT"),
    row!(Handoff => "plan-hand-off", CONTEXT, ["H"], "hand-off", "Show how the orchestrator resumes: directory, command, prompt and briefing.", foot 6),
    row!(Apply => "apply", CONTEXT, ["A"], "apply", "Ask whether to apply the plan. Nothing is written before you answer.", cli "relight resume PIPELINE --point POINT", foot 2),
    row!(Points => "plan-points", CONTEXT, ["r"], "resume points", "Show the points from which this pipeline can resume, to choose another one.", cli "relight points PIPELINE"),
    row!(Filter => "plan-search", CONTEXT, ["/"], "search", "Search the rows of the plan and go to the matches.", foot 7),
    row!(NextHit => "plan-next-hit", CONTEXT, ["n"], "next file", "Go to the next match of a search; without a search, to the next file that changes.", foot 4),
    row!(PrevHit => "plan-previous-hit", CONTEXT, ["N"], "previous file", "Go to the previous match of a search; without a search, to the previous file that changes."),
    row!(NextPane => "plan-next-section", CONTEXT, ["tab", "]"], "next section", "Go to the next section."),
    row!(PrevPane => "plan-previous-section", CONTEXT, ["shift-tab", "["], "previous section", "Go to the previous section."),
    row!(NextChange => "plan-next-change", CONTEXT, ["."], "next change", "Scroll the difference on the right to its next change."),
    row!(PrevChange => "plan-previous-change", CONTEXT, [","], "previous change", "Scroll the difference on the right to its previous change."),
    // What one recovery did.
    row!(Enter => "record-open", RECORD, ["enter"], "open", "Compare a backup with the file now; fold or unfold a heading.", foot 1),
    row!(Undo => "record-undo", RECORD, ["u", "z"], "undo", "Show what an undo of the recovery would do. Nothing is written.", cli "relight undo RECOVERY --dry-run", foot 2),
    row!(Redo => "record-redo", RECORD, ["ctrl-r", "Z"], "redo", "Show what a redo of the undone recovery would do. Nothing is written.", cli "relight redo RECOVERY --dry-run", foot 3),
    row!(Recover => "record-recover", RECORD, ["s"], "recover", "Recover an interrupted recovery; the chosen paths stay as they are now.", cli "relight recover RECOVERY --keep PATH", foot 4),
    row!(Include => "record-keep", RECORD, ["space"], "keep path", "Keep the path as it is now when the interrupted recovery is recovered.", cli "relight recover RECOVERY --keep PATH", foot 5),
    row!(Handoff => "record-hand-off", RECORD, ["H"], "hand-off", "Show how the orchestrator resumes after the recovery.", foot 4),
    row!(Filter => "record-search", RECORD, ["/"], "search", "Search the rows of the plan and go to the matches."),
    row!(NextHit => "record-next-hit", RECORD, ["n"], "next", "Go to the next match of a search; without a search, to the next file that changes."),
    row!(PrevHit => "record-previous-hit", RECORD, ["N"], "previous", "Go to the previous match of a search; without a search, to the previous file that changes."),
    row!(NextPane => "record-next-section", RECORD, ["tab", "]"], "next section", "Go to the next section."),
    row!(PrevPane => "record-previous-section", RECORD, ["shift-tab", "["], "previous section", "Go to the previous section."),
    row!(NextChange => "record-next-change", RECORD, ["."], "next change", "Scroll the difference on the right to its next change."),
    row!(PrevChange => "record-previous-change", RECORD, [","], "previous change", "Scroll the difference on the right to its previous change."),
];

impl Screen for PlanScreen {
    fn profile(&self) -> Profile<'_> {
        let name = match &self.about {
            About::Resume { choice, .. } => match choice {
                PointChoice::Checkpoint(_) => "files only, ",
                _ => "plan ",
            },
            About::Undo { redo: true, .. } => "redo ",
            About::Undo { .. } => "undo ",
            About::Record(_) => "recovery ",
        };
        Profile::screen(name, if self.is_record() { RECORD } else { CONTEXT })
            .ends_with_plan()
            .runs(update::run)
            .awaits(self.ticket)
            .reloads(update::request)
            .about(self.id())
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area, self);
    }

    fn crumb(&self, _: bool) -> Option<Bits> {
        let what = match &self.about {
            About::Undo { recovery, .. } => recovery.0.clone(),
            About::Record(recovery) => recovery.id.0.clone(),
            About::Resume { choice, .. } => match (self.plan.ready(), choice) {
                (Some(plan), _) => plan.point.boundary.id.0.clone(),
                (None, PointChoice::Id(point)) => point.0.clone(),
                (None, _) => String::new(),
            },
        };
        let bits = Bits::of(Role::Text, self.name());
        Some(bits.accent(Clean::new(&what)))
    }

    fn offers(&self, _: &State, cmd: Cmd) -> bool {
        // During a search it goes to the matches.
        let any = self.current().is_some_and(|plan| !plan.actions.is_empty());
        if cmd == Cmd::NextHit && !(any && self.search.field.is_empty()) {
            return false;
        }
        if let About::Record(recovery) = &self.about {
            return recoveries::offers(recovery, cmd);
        }
        match cmd {
            Cmd::Mode => update::restores(self) && !self.is_undo(),
            // Without a plan there is nothing to open, to apply, to try or to search.
            Cmd::Enter | Cmd::Apply | Cmd::Rehearse | Cmd::Filter => {
                !matches!(self.whole, Load::Failed(_))
            }
            Cmd::Include => self.touched() > 0,
            Cmd::Points => matches!(self.about, About::Resume { .. }),
            Cmd::Handoff => self.current().is_some_and(|plan| {
                !plan.handoff.argv.is_empty() || !plan.handoff.prompt.is_empty()
            }),
            _ => true,
        }
    }

    fn position(&self, _: &State) -> Position {
        self.cursor.position(&self.rows)
    }

    fn go(&mut self, to: usize, _: &mut State) {
        self.cursor.go(&self.rows, to);
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        let plan = self.listed().ok_or(NOTHING)?;
        let handoff = &self.current().ok_or(NOTHING)?.handoff;
        let action = |action: usize| plan.actions.get(action).ok_or(NOTHING);
        let void = match &self.about {
            About::Record(recovery) => recovery.void_handoff().is_some(),
            _ => false,
        };
        match self.cursor.key().ok_or(NOTHING)? {
            PlanRow::Command | PlanRow::Prompt if void => Err(VOID),
            PlanRow::Command => format::shell_line(&handoff.argv).ok_or(UNSAFE),
            PlanRow::Cwd => true_text(&Foreign::from(&handoff.cwd)),
            PlanRow::Prompt => true_text(&handoff.prompt),
            PlanRow::Action(place) => true_text(&Foreign::from(&action(*place)?.target)),
            PlanRow::Path(place, path) => {
                let path = action(*place)?.paths.get(*path).ok_or(NOTHING)?;
                true_text(&path.path)
            }
            _ => command_lines::printing(self).ok_or(UNSAFE),
        }
    }

    fn origin(&self, _: &State) -> Option<Origin> {
        match self.cursor.key()? {
            PlanRow::Action(action) | PlanRow::Line(action, _) => {
                let action = self.listed()?.actions.get(*action)?;
                (!action.kind.touches_tree()).then(|| Origin::file(&action.target))
            }
            _ => None,
        }
    }

    fn wheel(&mut self, list: ListId, rows: isize, width: u16, page: Page) -> bool {
        let beside = self.beside.as_mut().filter(|_| diff::is_of(list));
        if let (Some(shown), Some(width)) = (beside, beside::columns(width)) {
            diff::go(shown, Motion::By(rows), width, page.height);
            return true;
        }
        false
    }

    fn press(&mut self, list: ListId, row: usize) -> bool {
        let beside = self.beside.as_mut().filter(|_| diff::is_of(list));
        beside.is_some_and(|shown| shown.press(list, row))
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.search.field)
    }

    fn field_changed(&self) -> Follow {
        |state| search::changed(state)
    }

    fn filter(&self) -> Option<(&Field, Clean)> {
        let search = &self.search;
        let key = self.cursor.key();
        let at = search.hits.iter().position(|hit| Some(hit) == key);
        let note = search.field.found(search.hits.len(), at, "row");
        Some((&search.field, note))
    }

    fn typing_keys(&self) -> Option<&'static [(&'static str, &'static str)]> {
        self.search.field.open.then_some(&[
            ("Enter", "keep the search"),
            ("↑ ↓", "move"),
            ("Esc", "end it"),
        ])
    }

    fn step_back(&mut self) -> bool {
        self.search.field.clear()
    }

    fn command_words(&self) -> Vec<(&'static str, String)> {
        // The plan of a checkpoint, an amendment or an undo has no point to name.
        let of_point = match &self.about {
            About::Resume { choice, .. } => {
                !matches!(choice, PointChoice::Checkpoint(_) | PointChoice::Amend(_))
            }
            About::Undo { .. } | About::Record(_) => false,
        };
        let id = |plan: &Plan| plan.point.boundary.id.0.clone();
        let point = self.listed().filter(|_| of_point).map(|plan| id(plan));
        let point = (!of_point || point.is_some()).then(|| ("POINT", point.unwrap_or_default()));
        let recovery = match &self.about {
            About::Record(recovery) => Some(("RECOVERY", recovery.id.0.clone())),
            _ => None,
        };
        point.into_iter().chain(recovery).collect()
    }
}

//! The plan of a resume or an undo, and the record of a recovery in the same outline.

mod about;
mod beside;
mod confirm;
mod folders;
pub(crate) mod keys;
mod lines;
mod outline;
mod paths;
mod rows;
mod search;
mod state;
mod update;
mod view;

use super::{diff, recoveries};
use crate::model::PointChoice;
use crate::tui::command_lines;
use crate::tui::prelude::*;
use crate::tui::screens::handoff::VOID;
use crate::tui::update::motion::Motion;

pub(crate) use about::{About, path_of, touched};
pub(crate) use beside::{Counted, ask, compared, counted};
pub(crate) use confirm::again;
use keys::{CONTEXT, RECORD};
pub(crate) use rows::{PlanRow, Section};
pub(crate) use state::{PlanScreen, Reach, Then, is_stale};
pub(crate) use update::{change, outdated, request, request_then, screen, take};
pub(crate) use view::numbers;

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
        let listed = self.listed();
        match cmd {
            Cmd::Mode => {
                let restores = |plan: &std::sync::Arc<crate::model::Plan>| {
                    plan.actions.iter().any(|action| action.kind.touches_tree())
                };
                listed.is_some_and(restores) && !self.is_undo()
            }
            // Without a plan there is nothing to apply, to try or to search.
            Cmd::Apply | Cmd::Rehearse | Cmd::Filter => !matches!(self.whole, Load::Failed(_)),
            Cmd::Include => self.touched() > 0,
            Cmd::Points => matches!(self.about, About::Resume { .. }),
            Cmd::Handoff => self.current().is_some_and(|plan| {
                !plan.handoff.argv.is_empty() || !plan.handoff.prompt.is_empty()
            }),
            _ => true,
        }
    }

    fn position(&self, _: &State) -> Position {
        Position::row(self.cursor.place(&self.rows), self.rows.len())
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
        let point = self
            .listed()
            .map(|plan| ("POINT", plan.point.boundary.id.0.clone()));
        let recovery = match &self.about {
            About::Record(recovery) => Some(("RECOVERY", recovery.id.0.clone())),
            _ => None,
        };
        point.into_iter().chain(recovery).collect()
    }
}

//! One pipeline: its phases, timeline, checks, checkpoints and the cause of its stop.

mod cause;
mod checkpoints;
mod checks;
pub(crate) mod keys;
mod phases;
mod state;
mod timeline;
mod update;
mod view;

use crate::model::{CheckpointKind, ResumeCommand};
use crate::tui::prelude::*;
use crate::tui::update::motion::Motion;

pub(crate) use checkpoints::short_id;
pub(crate) use checks::check_lines;
use keys::{CONTEXT, TIMELINE};
pub(crate) use state::{Drifts, Pane, PipelineScreen, TimelineView};
pub(crate) use update::{filter, open, open_checks, plan, points, read};

impl Screen for PipelineScreen {
    fn profile(&self) -> Profile<'_> {
        let context = match self.pane {
            Pane::Timeline => TIMELINE,
            _ => CONTEXT,
        };
        Profile::screen("pipeline", context)
            .runs(update::run)
            .reloads(|state| {
                for screen in state.layers.all_mut::<Self>() {
                    screen.drifts = Drifts::default();
                }
            })
            .about(&self.id)
    }

    fn focus(&mut self, list: ListId) {
        self.pane = Pane::of(list).unwrap_or(self.pane);
    }

    fn list(&self) -> ListId {
        self.pane.list()
    }

    fn lists(&self) -> Vec<ListId> {
        Pane::ALL.map(Pane::list).to_vec()
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(canvas, area, self);
    }

    fn offers(&self, state: &State, cmd: Cmd) -> bool {
        let has_some = || {
            let dossier = state.dossier(&self.id);
            dossier.is_some_and(|known| !known.checkpoints.is_empty())
        };
        cmd != Cmd::Restore || self.pane == Pane::Checkpoints && has_some()
    }

    // The title bar names the pipeline already.
    fn crumb(&self, _: bool) -> Option<Bits> {
        None
    }

    fn is_waiting(&self, _: DateTime<FixedOffset>) -> bool {
        let timeline = &self.timeline;
        self.drifts.ticket.is_some() || timeline.filtering.is_some() || timeline.seeking.is_some()
    }

    fn shows_dossier(&self) -> bool {
        true
    }

    fn position(&self, state: &State) -> Position {
        let dossier = state.dossier(&self.id);
        match dossier.map(|dossier| self.extent(self.pane, dossier)) {
            Some((of, Some(at))) => Position::Row { at, of },
            _ => Position::Fixed,
        }
    }

    fn go(&mut self, to: usize, state: &mut State) {
        if let Some(dossier) = state.dossier(&self.id) {
            self.select(dossier, to);
        }
    }

    fn travel(&mut self, motion: Motion, page: Page, state: &mut State) {
        if let Position::Row { at, of } = self.position(state) {
            self.timeline.follow &= motion == Motion::Last;
            self.go(motion.from(at, of, page), state);
        }
    }

    fn copyable(&self, state: &State) -> Result<Clean, &'static str> {
        let dossier = state.dossier(&self.id).ok_or(NOTHING)?;
        match self.pane {
            Pane::Phases => true_text(self.phases.key().ok_or(NOTHING)?),
            Pane::Timeline => {
                let event = dossier.timeline.get(self.timeline.event).ok_or(NOTHING)?;
                let file = true_text(&Foreign::from(&event.origin.file))?;
                Ok(match event.origin.line {
                    Some(line) => clean!("{}:{}", file, line),
                    None => file,
                })
            }
            Pane::Verification => {
                let (id, about) = self.checks.key().ok_or(NOTHING)?;
                let mut checks = dossier.checks.iter();
                let check = checks.find(|check| check.id == *id && check.about == *about);
                let remedy = check.and_then(|check| check.remedy.clone());
                true_text(&remedy.ok_or(NOTHING)?)
            }
            Pane::Checkpoints => Ok(Clean::new(self.checkpoints.key().ok_or(NOTHING)?)),
            Pane::Cause => {
                let mut all = dossier.why.iter().flat_map(|why| &why.conversations);
                let selected = all.find(|one| Some(&one.id) == self.cause.key());
                let resume = selected.and_then(|one| one.resume.as_ref());
                resume.and_then(ResumeCommand::line).ok_or(NOTHING)
            }
        }
    }

    fn origin(&self, state: &State) -> Option<Origin> {
        let dossier = state.dossier(&self.id)?;
        match self.pane {
            Pane::Timeline => Some(dossier.timeline.get(self.timeline.event)?.origin),
            Pane::Checkpoints => {
                let key = self.checkpoints.key()?;
                match &dossier.checkpoints.iter().find(|one| one.id == *key)?.kind {
                    CheckpointKind::File { path } | CheckpointKind::Record { path } => {
                        Some(Origin::file(path))
                    }
                    _ => None,
                }
            }
            // The files of agents are not opened in an editor, which could write them.
            Pane::Cause => None,
            Pane::Phases | Pane::Verification => dossier
                .pipeline
                .reading
                .state_files
                .first()
                .map(Origin::file),
        }
    }

    fn field(&mut self) -> Option<&mut Field> {
        (self.pane == Pane::Timeline).then_some(&mut self.timeline.filter)
    }

    fn field_changed(&self) -> Follow {
        filter
    }

    fn filter(&self) -> Option<(&Field, Clean)> {
        let view = &self.timeline;
        let note = match (&view.hits, view.filtering) {
            (_, Some(_)) => Clean::new("searching"),
            (Some(hits), None) => clean!("{}", format::count(hits.len(), "event")),
            (None, None) => Clean::empty(),
        };
        (self.pane == Pane::Timeline).then_some((&view.filter, note))
    }

    fn typing_keys(&self) -> Option<&'static [(&'static str, &'static str)]> {
        (self.pane == Pane::Timeline && self.timeline.filter.open).then_some(&[
            ("Enter", "keep the filter"),
            ("↑ ↓", "choose"),
            ("Esc", "clear it"),
        ])
    }

    fn step_back(&mut self) -> bool {
        if self.pane == Pane::Timeline && !self.timeline.filter.is_empty() {
            self.timeline.filter.clear();
            return true;
        }
        std::mem::take(&mut self.zoom)
    }

    fn command_words(&self) -> Vec<(&'static str, String)> {
        let checkpoint = self.checkpoints.key().cloned();
        checkpoint
            .into_iter()
            .map(|id| ("CHECKPOINT", id))
            .collect()
    }
}

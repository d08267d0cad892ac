//! One pipeline: its phases, timeline, checks, checkpoints and the cause of its stop.

mod panes;
mod state;
mod timeline;
mod update;
mod view;

use crate::model::{CheckpointKind, ResumeCommand};
use crate::tui::prelude::*;

pub(crate) use panes::{check_lines, short_id};
pub(crate) use state::{Drifts, Pane, PipelineScreen, TimelineView};
pub(crate) use update::{filter, open, open_checks, plan, points, read};

/// The context of its keys, whatever pane has the focus.
pub(crate) const CONTEXT: Context = Context::new("Pipeline");

/// The context of the keys of its timeline.
pub(crate) const TIMELINE: Context = Context::within("Timeline", &CONTEXT);

commands! {
    Pane5, Zoom, NextError, PrevError, NextPhase, PrevPhase, Mark, GoMark, Follow, Restore,
}

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "detail", CONTEXT, ["enter"], "detail", "Open the selected row: its fields, and the raw line or file it was read from.", foot 1),
    row!(Points => "pipeline-points", CONTEXT, ["r"], "resume points", "Show the points from which this pipeline can resume.", cli "relight points PIPELINE", foot 2),
    row!(Plan => "pipeline-plan", CONTEXT, ["p"], "plan", "Show what a resume at the recommended point would do. Nothing is written.", cli "relight plan PIPELINE", foot 3),
    row!(Restore => "restore", CONTEXT, ["P"], "restore files", "Show what restoring only the files of the selected checkpoint would do. Nothing is written.", cli "relight restore PIPELINE --checkpoint CHECKPOINT --dry-run", foot 0),
    row!(Amend => "pipeline-amend", CONTEXT, ["M"], "amend", "Change the plan of the pipeline by an amendment that you approve.", cli "relight amend PIPELINE --type TYPE --stage STAGE --reason TEXT --dry-run"),
    row!(Recoveries => "pipeline-recoveries", CONTEXT, ["R"], "history", "List the recoveries, newest first, to undo or inspect them.", cli "relight history", foot 6),
    row!(Replays => "pipeline-replays", CONTEXT, ["V"], "replays", "List the replays of this pipeline, or start a new one.", cli "relight compare PIPELINE", foot 7),
    row!(Compare => "pipeline-compare", CONTEXT, ["C"], "compare", "List what can be compared in this pipeline: runs, rounds, stages, recoveries.", cli "relight compare PIPELINE A B"),
    row!(NextPane => "next-pane", CONTEXT, ["tab", "]"], "next pane", "Go to the next pane.", foot 4),
    row!(PrevPane => "previous-pane", CONTEXT, ["shift-tab", "["], "previous pane", "Go to the previous pane."),
    row!(Pane1 => "pane-phases", CONTEXT, ["1"], "phases", "Go to the phases.", cli "relight show PIPELINE"),
    row!(Pane2 => "pane-timeline", CONTEXT, ["2"], "timeline", "Go to the timeline.", cli "relight timeline PIPELINE"),
    row!(Pane3 => "pane-verification", CONTEXT, ["3"], "verification", "Go to the checks, worst first.", cli "relight verify PIPELINE"),
    row!(Pane4 => "pane-checkpoints", CONTEXT, ["4"], "checkpoints", "Go to the checkpoints, and see how far the work tree has drifted from each.", cli "relight checkpoints PIPELINE"),
    row!(Pane5 => "pane-cause", CONTEXT, ["5"], "cause", "Go to the cause of the stop, and to the conversations of the agents that worked on it.", cli "relight why PIPELINE"),
    row!(Zoom => "zoom", CONTEXT, ["z"], "zoom", "Show the pane on the whole screen, or restore the layout.", foot 5),
    // The timeline.
    row!(NextError => "next-error", TIMELINE, ["e"], "next error", "Go to the next failure.", foot 0),
    row!(PrevError => "previous-error", TIMELINE, ["E"], "previous error", "Go to the previous failure."),
    row!(NextWarning => "next-warning", TIMELINE, ["w"], "next warning", "Go to the next warning or failure."),
    row!(PrevWarning => "previous-warning", TIMELINE, ["W"], "previous warning", "Go to the previous warning or failure."),
    row!(NextPhase => "next-phase", TIMELINE, ["}"], "next phase", "Go to the first event of the next phase."),
    row!(PrevPhase => "previous-phase", TIMELINE, ["{"], "previous phase", "Go to the last event of the previous phase."),
    row!(Filter => "timeline-filter", TIMELINE, ["/"], "filter", "Show only events that contain a text; !word excludes events that contain the word."),
    row!(NextHit => "timeline-next-hit", TIMELINE, ["n"], "next hit", "Go to the next event that matches the filter; wrap around at the end."),
    row!(PrevHit => "timeline-previous-hit", TIMELINE, ["N"], "previous hit", "Go to the previous event that matches the filter; wrap around at the start."),
    row!(Mark => "mark", TIMELINE, ["m"], "mark", "Mark the event, or remove the mark."),
    row!(GoMark => "go-mark", TIMELINE, ["'"], "go to mark", "Go to the next marked event."),
    row!(Follow => "follow", TIMELINE, ["f"], "follow", "Follow the newest event while the file grows, or stop following."),
];

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
        let extent = dossier.map(|dossier| self.extent(self.pane, dossier));
        let (of, at) = extent.unwrap_or_default();
        Position::row(at, of)
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
        let (_, row) = self.extent(self.pane, dossier);
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
                let check = row.and_then(|row| dossier.checks.get(row));
                let remedy = check.and_then(|check| check.remedy.as_ref());
                true_text(remedy.ok_or(NOTHING)?)
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
                let (_, row) = self.extent(self.pane, dossier);
                match &dossier.checkpoints.get(row?)?.kind {
                    CheckpointKind::File { path } | CheckpointKind::Record { path } => {
                        Some(Origin::file(path))
                    }
                    _ => None,
                }
            }
            // The files of agents are not opened in an editor, which could write them.
            Pane::Cause => None,
            Pane::Phases | Pane::Verification => {
                let files = &dossier.pipeline.reading.state_files;
                files.first().map(Origin::file)
            }
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
        Vec::from_iter(checkpoint.map(|id| ("CHECKPOINT", id)))
    }
}

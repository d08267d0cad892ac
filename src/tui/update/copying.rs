//! What `y` copies and what `o` opens.

mod trials;

use super::super::data::Dossier;
use super::super::msg::Effect;
use super::super::state::State;
use super::super::state::layer::Layer;
use super::super::state::pipeline::{Pane, PipelineScreen};
use super::super::state::plan::{PlanRow, PlanScreen};
use super::super::words;
use super::commands;
use crate::clean;
use crate::model::{CheckpointKind, Clean, Foreign, Origin};

/// Copies what the selected row is known by.
pub(super) fn copy(state: &mut State, effects: &mut Vec<Effect>) {
    match copyable(state) {
        Ok(text) => {
            state.say(clean!("Copied: {}", text));
            effects.push(Effect::Copy(vec![text]));
        }
        Err(why) => state.refuse(Clean::new(why)),
    }
}

const NOTHING: &str = "There is nothing to copy here.";
const UNSAFE: &str =
    "This holds characters that must not be pasted into a shell, so it is not copied.";

fn copyable(state: &State) -> Result<Clean, &'static str> {
    let pipeline_id = || {
        let id = state.subject().ok_or(NOTHING)?;
        Ok(clean!("{}", id.0))
    };
    match state.layers.last() {
        None => pipeline_id(),
        Some(Layer::Pipeline(screen)) => {
            let dossier = state.dossier(&screen.id).ok_or(NOTHING)?;
            of_pane(screen, dossier)
        }
        Some(Layer::Picker(picker)) => {
            let point = picker.cursor.key().ok_or(NOTHING)?;
            Ok(clean!("relight plan {} --point {}", picker.id.0, point.0))
        }
        Some(Layer::Plan(screen)) => of_plan(screen),
        Some(Layer::Diff(screen)) => match screen.diff.ready() {
            Some(ready) => true_text(&ready.0),
            None => Err(NOTHING),
        },
        Some(Layer::Detail(detail)) => Ok(detail.copy.clone()),
        Some(Layer::Notice(notice)) => notice.command.clone().ok_or(NOTHING),
        Some(Layer::Recoveries(screen)) => {
            let recovery = screen.selected().ok_or(NOTHING)?;
            Ok(clean!("{}", recovery.id.0))
        }
        Some(Layer::Pending(screen)) => Ok(clean!("relight recover {}", screen.recovery.id.0)),
        Some(Layer::Handoff(screen)) => {
            let line = screen.handoff.command_line().ok_or(UNSAFE)?;
            Ok(Clean::new(&line))
        }
        Some(Layer::Outcome(screen)) => {
            let recovery = screen.recovery.as_ref().ok_or(NOTHING)?;
            Ok(clean!("relight undo {}", recovery.id.0))
        }
        Some(Layer::Rehearsal(screen)) => {
            let rehearsal = screen.result.ready().ok_or(NOTHING)?;
            true_text(&Foreign::from(&rehearsal.folder))
        }
        Some(
            Layer::Help(_)
            | Layer::Palette(_)
            | Layer::Log(_)
            | Layer::Question(_)
            | Layer::Progress(_),
        ) => Err(NOTHING),
        Some(layer) => trials::copyable(state, layer),
    }
}

/// A text whose presentable form is the text itself; any other would be copied as something else.
pub(super) fn true_text(text: &Foreign) -> Result<Clean, &'static str> {
    let clean = text.clean();
    if text == clean.as_str() {
        Ok(clean)
    } else {
        Err(UNSAFE)
    }
}

fn of_pane(screen: &PipelineScreen, dossier: &Dossier) -> Result<Clean, &'static str> {
    match screen.pane {
        Pane::Phases => true_text(screen.phases.key().ok_or(NOTHING)?),
        Pane::Timeline => {
            let event = dossier.timeline.get(screen.timeline.event).ok_or(NOTHING)?;
            let file = true_text(&Foreign::from(&event.origin.file))?;
            Ok(match event.origin.line {
                Some(line) => clean!("{}:{}", file, line),
                None => file,
            })
        }
        Pane::Verification => {
            let (id, about) = screen.checks.key().ok_or(NOTHING)?;
            let mut checks = dossier.checks.iter();
            let check = checks.find(|check| check.id == *id && check.about == *about);
            true_text(
                &check
                    .and_then(|check| check.remedy.clone())
                    .ok_or(NOTHING)?,
            )
        }
        Pane::Checkpoints => Ok(Clean::new(screen.checkpoints.key().ok_or(NOTHING)?)),
    }
}

fn of_plan(screen: &PlanScreen) -> Result<Clean, &'static str> {
    let plan = screen.listed().ok_or(NOTHING)?;
    let action = |action: usize| plan.actions.get(action).ok_or(NOTHING);
    match screen.cursor.key().ok_or(NOTHING)? {
        PlanRow::Command => words::shell_line(&plan.handoff.argv).ok_or(UNSAFE),
        PlanRow::Cwd => true_text(&Foreign::from(&plan.handoff.cwd)),
        PlanRow::Prompt => true_text(&plan.handoff.prompt),
        PlanRow::Action(place) => true_text(&Foreign::from(&action(*place)?.target)),
        PlanRow::Path(place, path) => {
            let path = action(*place)?.paths.get(*path).ok_or(NOTHING)?;
            true_text(&path.path)
        }
        _ => commands::printing(screen).ok_or(UNSAFE),
    }
}

/// Opens the file behind the selected row.
pub(super) fn open(state: &mut State, effects: &mut Vec<Effect>) {
    match origin(state) {
        Some(origin) => {
            state.note(clean!("Opened {}.", origin.file));
            effects.push(Effect::Open(origin));
        }
        None => state.refuse(Clean::new("There is no file behind this row.")),
    }
}

fn origin(state: &State) -> Option<Origin> {
    match state.layers.last() {
        None => {
            let row = state.browser.selected()?;
            row.pipeline.state_files.first().map(Origin::file)
        }
        Some(Layer::Pipeline(screen)) => {
            let dossier = state.dossier(&screen.id)?;
            match screen.pane {
                Pane::Timeline => Some(dossier.timeline.get(screen.timeline.event)?.origin),
                Pane::Checkpoints => {
                    let mut checkpoints = dossier.checkpoints.iter();
                    let key = screen.checkpoints.key()?;
                    match &checkpoints.find(|checkpoint| checkpoint.id == *key)?.kind {
                        CheckpointKind::File { path } | CheckpointKind::Record { path } => {
                            Some(Origin::file(path))
                        }
                        CheckpointKind::Shadow { .. }
                        | CheckpointKind::Commit { .. }
                        | CheckpointKind::Folder { .. } => None,
                    }
                }
                Pane::Phases | Pane::Verification => {
                    dossier.pipeline.state_files.first().map(Origin::file)
                }
            }
        }
        Some(Layer::Plan(screen)) => {
            let plan = screen.listed()?;
            match screen.cursor.key()? {
                PlanRow::Action(action) | PlanRow::Line(action, _) => {
                    let action = plan.actions.get(*action)?;
                    (!action.kind.touches_tree()).then(|| Origin::file(&action.target))
                }
                _ => None,
            }
        }
        Some(Layer::Detail(detail)) => detail.origin.clone(),
        Some(
            layer @ (Layer::Replays(_)
            | Layer::NewReplay(_)
            | Layer::ReplayPlan(_)
            | Layer::Conflict(_)
            | Layer::Replaying(_)
            | Layer::Operands(_)
            | Layer::Comparison(_)),
        ) => trials::origin(state, layer),
        Some(
            Layer::Picker(_)
            | Layer::Diff(_)
            | Layer::Help(_)
            | Layer::Palette(_)
            | Layer::Log(_)
            | Layer::Notice(_)
            | Layer::Recoveries(_)
            | Layer::Pending(_)
            | Layer::Handoff(_)
            | Layer::Outcome(_)
            | Layer::Rehearsal(_)
            | Layer::Question(_)
            | Layer::Progress(_),
        ) => None,
    }
}

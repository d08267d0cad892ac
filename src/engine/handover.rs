//! The briefing file of a hand-off: written when a plan is applied, so that a one-line prompt can name it.

use std::ffi::OsStr;
use std::path::PathBuf;

use super::{Engine, EngineError};
use crate::apply::briefings;
use crate::apply::disk::RealDisk;
use crate::model::{Asked, Handoff, Plan, Recovery, RecoveryState};

impl Engine {
    /// The hand-off of a plan that was applied, or that had nothing to change: its briefing is written, and the
    /// prompt names the file. `None` where there is none: for an undo, and for a restore of files alone.
    ///
    /// Where the file cannot be written the prompt carries the briefing itself, so that nothing is missing.
    pub fn hand_over(&self, plan: &Plan) -> Option<Handoff> {
        let is_resume = matches!(plan.asked, Asked::Resume { .. });
        if !is_resume || plan.handoff == Handoff::default() {
            return None;
        }
        let Ok(state) = self.state_dir() else {
            return Some(plan.handoff.clone().with_briefing_inline());
        };
        let me = self.world.places().uid;
        let text = plan.handoff.briefing.as_bytes();
        let written = briefings::write(&RealDisk::new(), &state, &briefing_name(plan), text, me);
        Some(match written {
            Ok(file) => plan.handoff.clone().briefed_by(&file),
            Err(_) => plan.handoff.clone().with_briefing_inline(),
        })
    }

    /// Says in a briefing that its recovery was undone, or no longer says so after a redo: its name is in the prompt of
    /// an agent that may run now. `reversal` is the undo or redo that was just completed.
    pub(super) fn mark_briefing(&self, reversal: &Recovery) -> Option<()> {
        if reversal.undoes.is_none() || reversal.state != RecoveryState::Committed {
            return None;
        }
        let mut found = reversal.clone();
        while let Some(undone) = found.undoes.take() {
            found = self.recovery(&undone).ok()?;
        }
        let file = found.handoff.briefing_file.as_ref()?;
        let mut text = Vec::new();
        if found.undone_by.is_some() {
            let at = crate::text::format::time_full(reversal.started_at);
            let (id, pipeline) = (&found.id, &found.pipeline);
            text.extend_from_slice(
                format!(
                    "This hand-off is void: recovery {id} was undone at {at}, so the files are as before it. \
                     Stop, and ask for a new hand-off: relight resume {pipeline}\n\n"
                )
                .as_bytes(),
            );
        }
        text.extend_from_slice(found.handoff.briefing.as_bytes());
        let (state, me) = (self.state_dir().ok()?, self.world.places().uid);
        briefings::replace(&RealDisk::new(), &state, file, &text, me).ok()
    }

    /// The hand-off as it will be once the plan was applied. Writes nothing.
    pub(super) fn briefed(&self, plan: &Plan) -> Result<Handoff, EngineError> {
        if plan.handoff == Handoff::default() {
            return Ok(Handoff::default());
        }
        let file = briefings::path(&self.state_dir()?, &briefing_name(plan));
        Ok(plan.handoff.clone().briefed_by(&file))
    }
}

/// `<pipeline id>-<first 12 of the fingerprint>.md`.
fn briefing_name(plan: &Plan) -> PathBuf {
    let print: String = plan.fingerprint.0.chars().take(12).collect();
    // A native key may hold anything; in a file name only what every file system takes.
    let safe = |c: char| {
        if c.is_ascii_alphanumeric() || "-~._".contains(c) {
            c
        } else {
            '_'
        }
    };
    let id: String = plan.pipeline.0.chars().map(safe).take(180).collect();
    PathBuf::from(OsStr::new(&format!("{id}-{print}.md")))
}

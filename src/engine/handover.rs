//! The briefing file of a hand-off: written when a plan is applied, so that a one-line prompt can name it.

use std::path::{Path, PathBuf};

use super::{Engine, EngineError, Request, Result};
use crate::apply::briefings;
use crate::apply::disk::RealDisk;
use crate::foreign;
use crate::model::{Asked, Cancel, Foreign, Handoff, PipelineId, Plan, Recovery, VOID_HANDOFF};

impl Engine {
    /// The hand-off of a plan that has nothing to change, as of one that was applied. Like every command that writes, it
    /// needs a usable state directory: without its briefing, a hand-off is half of one. Once it has begun, a cancellation is
    /// too late.
    pub fn hand_over_unchanged(
        &self,
        plan: &Plan,
        cancel: &Cancel,
    ) -> Result<Option<(Handoff, Option<Foreign>)>> {
        cancel.open();
        if !cancel.commit() {
            return Err(EngineError::cancelled());
        }
        if plan.handoff != Handoff::default() {
            self.writable_state()?;
        }
        Ok(self.hand_over(plan))
    }

    /// The hand-off of a plan that was applied: its briefing is written, and the prompt names the file. Where the file
    /// cannot be written, the sentence says so. `None` where there is no hand-off: for an undo, and for a restore of
    /// files alone.
    pub(super) fn hand_over(&self, plan: &Plan) -> Option<(Handoff, Option<Foreign>)> {
        let is_resume = matches!(plan.asked, Asked::Resume { .. });
        if !is_resume || plan.handoff == Handoff::default() {
            return None;
        }
        let handoff = plan.handoff.clone();
        Some(match self.write_briefing(plan) {
            Ok(file) => (handoff.briefed_by(&file), None),
            // The prompt cannot carry the briefing: a command with lines in it is neither copied nor launched.
            Err(why) => (
                handoff,
                Some(foreign!("The briefing was not written to a file: {}", why)),
            ),
        })
    }

    /// Writes the briefing of a plan. The error is a sentence.
    fn write_briefing(&self, plan: &Plan) -> Result<PathBuf, Foreign> {
        let state = self.state_dir().map_err(|error| {
            let hints = error.hints.into_iter();
            hints.fold(error.text, |text, hint| foreign!("{} {}", text, hint))
        })?;
        let name = briefing_name(plan);
        let me = self.world.places().uid;
        let text = plan.handoff.briefing.as_bytes();
        briefings::write(&RealDisk::new(), &state, &name, text, me).map_err(|why| {
            foreign!(
                "{}: {}.",
                briefings::path(&state, &name).as_path(),
                why.to_string()
            )
        })
    }

    /// Says in the briefings of a pipeline which hand-offs are void, and no longer says it of one that is in force
    /// again: the name of a briefing is in the prompt of an agent that may run now. `pipeline` is that of a recovery
    /// that was just completed.
    pub(super) fn mark_briefings(&self, pipeline: &PipelineId) -> Option<()> {
        let everywhere = Request::everywhere();
        let mut all = self.recoveries(&everywhere).ok()?;
        all.retain(|one| one.pipeline == *pipeline);
        let stop = format!("Stop, and ask for a new hand-off: relight resume {pipeline}\n\n");
        let text = |file: &Path, old: &[u8]| {
            let own = |one: &&Recovery| one.handoff.briefing_file.as_deref() == Some(file);
            let mut own = all.iter().filter(own);
            let (why, briefing) = match (own.clone().find(|one| one.stands()), own.next()) {
                (Some(one), _) | (None, Some(one)) => {
                    (one.void_handoff(), one.handoff.briefing.as_bytes())
                }
                // A hand-off that changed no files has no recovery.
                (None, None) if old.starts_with(VOID_HANDOFF.as_bytes()) => return old.to_vec(),
                (None, None) => (
                    Some(format!(
                        "{VOID_HANDOFF}: relight changed files of this pipeline since."
                    )),
                    old,
                ),
            };
            let first = why.map_or_else(String::new, |why| format!("{why} {stop}"));
            [first.as_bytes(), briefing].concat()
        };
        let (state, me) = (self.state_dir().ok()?, self.world.places().uid);
        let beginning = briefings_of(pipeline);
        briefings::rewrite(&RealDisk::new(), &state, &beginning, me, &text).ok()
    }

    /// The hand-off as it will be once the plan was applied. Writes nothing.
    pub(super) fn briefed(&self, plan: &Plan) -> Result<Handoff> {
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
    PathBuf::from(format!("{}{print}.md", briefings_of(&plan.pipeline)))
}

/// What the names of a pipeline's briefings begin with.
fn briefings_of(pipeline: &PipelineId) -> String {
    // A native key may hold anything; in a file name only what every file system takes.
    let safe = |c: char| {
        if c.is_ascii_alphanumeric() || "-~._".contains(c) {
            c
        } else {
            '_'
        }
    };
    let mut id: String = pipeline.0.chars().map(safe).take(180).collect();
    id.push('-');
    id
}

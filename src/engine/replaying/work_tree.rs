//! Where a replay works: the work trees of its sessions, and the user's own work tree for a replay in place.

use std::path::Path;

use super::super::{Engine, EngineError, ErrorKind, Result};
use crate::apply::disk::RealDisk;
use crate::foreign;
use crate::model::{
    ActionKind, Aliveness, PipelineId, Plan, PlanOptions, PointChoice, ReplayPlan, ReplayStart,
};
use crate::replay::session::Ground;
use crate::text::format::{count, plural};
use crate::world::agents::only_reads;
use crate::world::process::Process;
use crate::world::runner::marked;

impl Engine {
    /// The recovery that restores the user's work tree to where a replay in place begins; it is confirmed and
    /// applied like any other before [`Engine::replay`].
    pub fn replay_ground(&self, plan: &ReplayPlan, options: &PlanOptions) -> Result<Plan> {
        let begin = begin(plan)?;
        let choice = PointChoice::Id(begin.point.clone());
        let point = self.plan(&plan.pipeline, &choice, options);
        let restores = |plan: &Plan| {
            let mut kinds = plan.actions.iter().map(|action| action.kind);
            kinds.any(|kind| kind == ActionKind::RestoreTree)
        };
        let Some(checkpoint) = &begin.checkpoint else {
            return point;
        };
        match point {
            Ok(point) if restores(&point) => Ok(point),
            // A point may restore nothing by default, and a pipeline at its end has none: a replay in place needs
            // the files of the checkpoint all the same.
            Ok(_) | Err(_) => {
                let choice = PointChoice::Checkpoint(checkpoint.id.clone());
                let files = self.plan(&plan.pipeline, &choice, options);
                files.map_err(|error| nowhere(error, begin))
            }
        }
    }

    /// Refuses a replay in place where the work tree is not at the checkpoint, or somebody works in it.
    pub(super) fn stands(&self, plan: &ReplayPlan) -> Result<()> {
        self.not_alive(&plan.pipeline)?;
        if plan.experiment.dispatch_dir.is_none() {
            let text = "The original's dispatch directory is missing, so new dispatch files have no place.";
            return Err(EngineError::refused(text)
                .hint("Omit --in-place: the replay then has its own directory."));
        }
        let begin = begin(plan)?;
        let Some(checkpoint) = &begin.checkpoint else {
            let text = format!("{} has no checkpoint to start from.", begin.point);
            return Err(EngineError::refused(text));
        };
        let drift = self.measure(checkpoint, plan.experiment.work_tree.as_deref())?;
        let moved = drift.map_or(0, |drift| {
            drift.modified + drift.missing + drift.hidden().count() as u64
        });
        if moved == 0 {
            return Ok(());
        }
        let files = count(moved, "file");
        let text = foreign!(
            "The work tree is not as it was at the replay's start: {} of {} differ or are missing.",
            files,
            &checkpoint.reason
        );
        Err(EngineError::refused(text).hint(format!(
            "relight restore {} --checkpoint {} restores it.",
            plan.pipeline, checkpoint.id
        )))
    }

    /// Refuses where the pipeline is alive.
    pub(super) fn not_alive(&self, id: &PipelineId) -> Result<()> {
        let opened = self.reopen(id)?;
        let liveness = &opened.pipeline.standing.liveness;
        if liveness.verdict != Aliveness::Alive {
            return Ok(());
        }
        let text = "The pipeline is alive, so nothing is run in its work tree.";
        Err(EngineError::refused(text).hints(&liveness.evidence))
    }

    /// Refuses to continue while a process that an earlier part of the session left is working in its tree.
    pub(super) fn left_alone(&self, tree: &Path) -> Result<()> {
        let processes = self.world.processes();
        processes.refresh();
        let own = processes.ancestors();
        // What a runner started may work from elsewhere.
        let mark = [("RELIGHT_TREE".into(), tree.as_os_str().to_owned())];
        let started = marked(&mark);
        let works = |process: &&Process| {
            let there = process.cwd.as_deref();
            (there.is_some_and(|cwd| cwd.starts_with(tree))
                || started.iter().any(|one| one.pid == process.pid))
                && !own.contains(&process.pid)
                && !only_reads(process)
                && !is_prompt(process)
        };
        // Where they cannot be listed nothing is known, and the lock alone has to do.
        let all = processes.snapshot().unwrap_or_default();
        let mut left = all.iter().filter(works);
        let Some(first) = left.next() else {
            return Ok(());
        };
        let name = processes.agents().called(first);
        let text = foreign!(
            "A program is still working in the replay's tree: {}, process {}.",
            name,
            first.pid.to_string()
        );
        let mut error = EngineError::refused(text);
        let more = left.count();
        if more > 0 {
            error = error.hint(format!("There {} {more} more.", plural(more, "is", "are")));
        }
        Err(error.hint("Stop it or wait for it to end; nothing was changed."))
    }

    /// What sessions are made with, now.
    pub(super) fn session_ground<'a>(&'a self, state: &'a Path) -> Ground<'a> {
        Ground {
            disk: RealDisk::new(),
            world: self.world.as_ref(),
            state,
            now: self.now(),
        }
    }
}

fn begin(plan: &ReplayPlan) -> Result<&ReplayStart> {
    plan.begin()
        .ok_or_else(|| EngineError::new(ErrorKind::Bug, "The replay's plan has no starting point."))
}

/// There is no recovery that leads to where a replay in place would begin.
fn nowhere(error: EngineError, begin: &ReplayStart) -> EngineError {
    let unknown = matches!(error.kind, ErrorKind::NotFound | ErrorKind::NothingToDo);
    let error = if unknown {
        let text = format!("No recovery can restore the work tree to {}.", begin.point);
        EngineError::refused(text).hint("Use --from-phase N with a boundary that has a checkpoint.")
    } else {
        error
    };
    error.hint("Without --in-place a replay works in a tree of its own.")
}

/// A shell that waits for a person's next line.
fn is_prompt(process: &Process) -> bool {
    const SHELLS: [&[u8]; 6] = [b"sh", b"bash", b"dash", b"zsh", b"fish", b"ksh"];
    process.argv.len() <= 1 && SHELLS.contains(&process.name.as_bytes())
}

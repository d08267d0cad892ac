//! The checks `F1` to `F14`.

mod dispatches;
mod documents;
mod records;

use super::facts::{Run, evidence, reading};
use super::shape::manifest::{Entry, Manifest};
use crate::model::{Check, Status, Subject};
use crate::systems::kit::checks::{self, Outcome, Row, either, skipped};
use crate::world::World;
use crate::world::git::RepoFacts;

/// The input of the checks.
pub(crate) struct Scene<'a> {
    run: &'a Run,
    world: &'a dyn World,
    /// The status that the files claim.
    status: Status,
    /// The project's repository, read once; the error is a sentence.
    repo: Result<RepoFacts, String>,
}

/// The checks, in order.
#[rustfmt::skip]
pub(crate) fn table<'a>() -> [Row<Scene<'a>>; 14] {
    let (row, one) = (Row::new, Row::one);
    let dispatch = |id, proves, run| Row::new(id, "dispatches", proves, run);
    [
        one("F1", "manifest integrity", "every line of the manifest can be read", |s| either(records::integrity(s.run, s.world))),
        one("F2", "order of dispatches", "dispatch numbers have no gaps and one role each", |s| either(records::order(s.run))),
        one("F3", "marker", "the marker agrees with the manifest", records::marker),
        one("F4", "branch guard", "the work tree is on the recorded branch", |s| either(records::branch(s))),
        one("F5", "baseline commit", "the run's first commit is an ancestor of HEAD", |s| either(records::baseline(s))),
        dispatch("F6", "completed dispatches that change files committed", |s| of_manifest(s, dispatches::commits)),
        dispatch("F7", "completed dispatches that report left their output", |s| of_manifest(s, dispatches::outputs)),
        dispatch("F8", "no other completed dispatch is expected to leave a file", |s| of_manifest(s, dispatches::others)),
        dispatch("F9", "interrupted dispatches left no commits", |s| of_manifest(s, dispatches::partial_commits)),
        row("F10", "checkpoints", "the checkpoints can be restored", documents::checkpoints),
        one("F11", "hand-offs", "the hand-offs belong to this run and agree", documents::handoffs),
        dispatch("F12", "open dispatches have their dispatch file", |s| of_manifest(s, dispatches::files)),
        one("F13", "build mode", "the mode file belongs to this run", |s| either(documents::mode(s))),
        row("F14", "gate ledger", "the gates of earlier phases passed", |s| documents::ledger(s.run)),
    ]
}

/// Runs every check of a run.
pub(crate) fn checks(run: &Run, world: &dyn World) -> Vec<Check> {
    let repo = records::look(run, world);
    let status = reading::claim(run, world).status;
    let scene = Scene {
        run,
        world,
        status,
        repo,
    };
    checks::run(table(), &scene, true)
}

impl Scene<'_> {
    /// Whether the run ended and removed its marker, so that it has no point to resume at.
    fn is_over(&self) -> bool {
        self.status == Status::Complete && self.run.marker().is_none()
    }

    /// What is left where no files can be restored.
    fn without_restore(&self) -> &'static str {
        if self.is_over() {
            "The run is finished: nothing needs to be restored."
        } else if self.status == Status::Unreadable {
            "Nothing of this run can be resumed: start it again."
        } else if self.run.is_resumable(self.world) {
            "Resume from the current state (point disk)."
        } else {
            "Start over (point fresh)."
        }
    }
}

/// A check of dispatches, skipped if no line of the manifest can be read.
fn of_manifest(
    scene: &Scene<'_>,
    check: impl Fn(&Scene<'_>, &Manifest) -> Vec<Outcome>,
) -> Vec<Outcome> {
    if let Some(manifest) = scene.run.usable() {
        return check(scene, manifest);
    }
    let problem = evidence::manifest_problem(scene.run);
    let why = format!("{problem}, so no dispatch can be checked.");
    skipped(why).into()
}

fn dispatch(manifest: &Manifest, entry: &Entry) -> Subject {
    Subject::Dispatch {
        seq: entry.seq,
        name: reading::named(manifest, entry).into(),
    }
}

/// The dispatch that a check is about; for a summary, the first one.
pub(crate) fn seq_in(check: &Check) -> Option<u64> {
    if let Subject::Dispatch { seq, .. } | Subject::DispatchesFrom(seq) = check.about {
        Some(seq)
    } else {
        None
    }
}

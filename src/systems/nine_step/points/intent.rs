//! The checkpoints, and the intent of each point: what is kept, and the exact bytes to write. The recommended point
//! writes nothing; the orchestrator resumes from a briefing.

#[cfg(test)]
mod tests;

use crate::model::{Checkpoint, CheckpointKind, Foreign, Intent, PointId, Stamp};
use crate::systems::nine_step::Scene;
use crate::systems::nine_step::facts::{BackupAge, Facts};
use crate::systems::nine_step::points::{self, Point, Target, decision, guards, work};
use crate::systems::nine_step::record::{self, rollback, state_file};
use crate::systems::nine_step::shape::StepNo;

/// The checkpoints, oldest first: the start of the branch, the phase commits, the state's backup.
pub(crate) fn checkpoints(facts: &Facts) -> Vec<Checkpoint> {
    let commit = |id: &str, reason: Foreign, taken_at, source: Foreign, brings_back: &str| {
        let repo = facts.dir().to_owned();
        let cannot = "Uncommitted changes and untracked or ignored files.";
        let (kind, texts) = (CheckpointKind::Commit { repo }, ["", brings_back, cannot]);
        let checkpoint = Checkpoint::new(id, kind, reason, taken_at, texts);
        Checkpoint {
            source,
            ..checkpoint
        }
    };
    let git = &facts.git;
    let fork = git.fork.iter().filter(|_| !git.commits.is_empty());
    let start = fork.map(|fork| {
        let brings = "The tracked files as they were before the first phase.";
        let source = "where the branch left the main branch".into();
        commit(fork, "before phase 1".into(), None, source, brings)
    });
    let mut all: Vec<Checkpoint> = start.collect();
    for (phase, found) in &git.phases {
        let found = &found.commit;
        if all.iter().all(|checkpoint| checkpoint.id != found.id) {
            all.push(commit(
                &found.id,
                format!("commit of phase {phase}").into(),
                Some(Stamp::utc(found.time)),
                found.subject.clone(),
                &format!("The tracked files as phase {phase} committed them."),
            ));
        }
    }
    all.sort_by_key(|checkpoint| checkpoint.taken_at);
    let backup = facts.backup.iter().filter(|backup| backup.content.is_ok());
    let age = facts.backup_age();
    let reason = match age {
        BackupAge::Older => "the state file, one save older",
        BackupAge::Newer => "the state file, a newer save",
        BackupAge::Unknown => "the backup of the state file",
    };
    let brings_back = match age {
        BackupAge::Older => "The state file as it was before its last save.",
        BackupAge::Newer => "The state file as it was before its backup was restored.",
        BackupAge::Unknown => "The state file as its backup has it.",
    };
    let cannot = "The work tree: it is not part of the backup.";
    all.extend(backup.map(|backup| {
        let path = backup.path();
        let kind = CheckpointKind::File { path };
        let taken_at = backup.modified.map(Stamp::utc);
        let texts = [&backup.name, brings_back, cannot];
        Checkpoint::new("state-backup", kind, reason, taken_at, texts)
    }));
    all
}

/// The intent of a point; `None` for an unknown id.
pub(crate) fn intent(scene: Scene<'_>, id: &PointId) -> Option<Intent> {
    let (facts, decision) = (scene.facts, scene.decision);
    let point = points::find(scene, id)?;
    let (kept, redone) = work::tables(facts, &point);
    let mut intent = Intent {
        kept,
        redone,
        guards: guards::of(scene, &point),
        ..Intent::default()
    };
    match &point {
        // The orchestrator resumes from its own records; nothing is written for it.
        Point::Resume(target) if *target == decision.chosen => {}
        Point::Resume(target) => {
            let change = record::Change::to(facts, *target, decision.means_of(*target));
            state_file::write(scene, &change, &mut intent);
        }
        Point::SkipPhase(skipped, next) => {
            let change = record::Change::skip(*skipped, *next);
            state_file::write(scene, &change, &mut intent);
        }
        Point::FromBackup => state_file::from_backup(scene, &mut intent),
        Point::Commit { phase, commit } => {
            rollback::fill(scene, *phase, commit, &mut intent);
        }
    }
    Some(intent)
}

impl Point {
    /// Where work resumes; recorded work from there on runs again.
    pub(crate) fn leads_to(&self, facts: &Facts) -> Target {
        match self {
            Self::Resume(target) | Self::SkipPhase(_, target) => *target,
            Self::FromBackup => {
                decision::of_backup(facts).map_or(Target::Merge, |decision| decision.chosen)
            }
            Self::Commit { phase, .. } if facts.state.is_none() => {
                decision::after_reset(facts, *phase)
            }
            Self::Commit { phase, .. } => Target::Step(phase.saturating_add(1), StepNo::Plan),
        }
    }
}

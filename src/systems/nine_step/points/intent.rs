//! Checkpoints, boundaries and intents: what may be taken up, what stays, and the exact bytes that would be
//! written. The recommended point writes nothing; the orchestrator goes on by itself from a briefing.

#[cfg(test)]
mod tests;

use crate::model::{Checkpoint, CheckpointKind, Intent, PointId, Stamp};
use crate::systems::nine_step::facts::Facts;
use crate::systems::nine_step::points::decision::{self, Decision, Target};
use crate::systems::nine_step::points::{self, Point, guards, work};
use crate::systems::nine_step::record::{self, rollback, state_file};
use crate::systems::nine_step::sentence;
use crate::world::World;

pub(crate) use crate::systems::nine_step::points::boundaries;
pub(crate) use crate::systems::nine_step::points::handoff::of as handoff;

/// The checkpoints, oldest first: where the branch began, the phase commits, the state's backup.
pub(crate) fn checkpoints(facts: &Facts) -> Vec<Checkpoint> {
    let repo = facts.dir().to_owned();
    let mut all: Vec<Checkpoint> = Vec::new();
    if let Some(fork) = facts
        .git
        .fork
        .as_ref()
        .filter(|_| !facts.git.commits.is_empty())
    {
        all.push(Checkpoint {
            id: fork.clone(),
            kind: CheckpointKind::Commit { repo: repo.clone() },
            reason: "before phase 1".into(),
            taken_at: None,
            source: "where the branch left the main branch".into(),
            brings_back: "The tracked files as they were before the first phase.".into(),
            cannot: vec!["Untracked and ignored files are in no commit.".into()],
            drift: None,
        });
    }
    for (phase, found) in &facts.git.phases {
        if all.iter().any(|c| c.id == found.commit.id) {
            continue;
        }
        all.push(Checkpoint {
            id: found.commit.id.clone(),
            kind: CheckpointKind::Commit { repo: repo.clone() },
            reason: sentence(format!("commit of phase {phase}")),
            taken_at: Some(Stamp::utc(found.commit.time)),
            source: found.commit.subject.clone(),
            brings_back: sentence(format!(
                "The tracked files as phase {phase} committed them."
            )),
            cannot: vec!["Untracked and ignored files are in no commit.".into()],
            drift: None,
        });
    }
    all.sort_by_key(|checkpoint| checkpoint.taken_at);
    if let Some(backup) = facts
        .backup
        .as_ref()
        .filter(|backup| backup.content.is_ok())
    {
        all.push(Checkpoint {
            id: "state-backup".to_owned(),
            kind: CheckpointKind::File {
                path: backup.path(),
            },
            reason: "the state file, one save older".into(),
            taken_at: backup.modified.map(Stamp::utc),
            source: sentence(backup.name.clone()),
            brings_back: "The state file as it was before its last save.".into(),
            cannot: vec!["The work tree: it is not part of the backup.".into()],
            drift: None,
        });
    }
    all
}

/// What would be done at a point that is among the boundaries.
pub(crate) fn intent(
    facts: &Facts,
    decision: &Decision,
    id: &PointId,
    world: &dyn World,
) -> Option<Intent> {
    let point = points::find(facts, decision, id)?;
    let (kept, redone) = work::tables(facts, point.redone_from(facts));
    let mut intent = Intent {
        kept,
        redone,
        steps: Vec::new(),
        guards: guards::of(facts, decision, &point),
        tree: None,
        losses: Vec::new(),
    };
    match &point {
        // The orchestrator goes on from its own records; nothing is written for it.
        Point::Take(target) if *target == decision.chosen => {}
        Point::Take(target) => {
            let means = decision.offers.iter().find(|offer| offer.target == *target);
            let change = record::Change::to(facts, *target, means.map(|offer| offer.means));
            state_file::state(facts, &change, &mut intent);
        }
        Point::FromBackup => state_file::from_backup(facts, &mut intent),
        Point::Commit { phase, commit } => {
            rollback::fill(facts, *phase, commit, world, &mut intent);
        }
    }
    Some(intent)
}

impl Point {
    /// From where on recorded work is done again.
    pub(crate) fn redone_from(&self, facts: &Facts) -> Target {
        match self {
            Self::Take(target) => *target,
            Self::FromBackup => {
                decision::of_backup(facts).map_or(Target::Merge, |decision| decision.chosen)
            }
            Self::Commit { phase, .. } => Target::Step(
                phase.saturating_add(1),
                crate::systems::nine_step::shape::steps::StepNo::Plan,
            ),
        }
    }
}

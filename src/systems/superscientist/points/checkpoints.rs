//! The states to which a workflow could be restored: committed versions of its files, kept output folders, amendments
//! with their old values, backups.

use std::path::{Path, PathBuf};

use crate::formats::stamp;
use crate::model::{Checkpoint, CheckpointKind, Finding, Origin, Place, Stamp};
use crate::systems::kit::timeline;
use crate::systems::superscientist::facts::{Facts, Flow};
use crate::systems::superscientist::shape::{Amendment, STATE, StageStatus, stage_number};
use crate::text::is_digits;
use crate::world::World;
use crate::world::git::Commit;

/// How many committed versions are listed.
const VERSIONS: usize = 50;
/// How many commits of a damaged history are looked at.
const WALKED: usize = 1000;

/// All of them, oldest first.
pub(crate) fn all(facts: &Facts, world: &dyn World) -> Vec<Checkpoint> {
    let mut found = commits(facts, world);
    found.extend(kept_folders(facts, world));
    found.extend(backups(facts, world));
    if let Ok(flow) = &facts.flow {
        found.extend(stage_folders(facts, flow, world));
        let records = flow.state.amendments.iter();
        found.extend(records.map(|record| amendment(facts, record, world)));
    }
    found.sort_by_key(|checkpoint| checkpoint.taken_at.map(|at| at.at));
    found
}

fn commits(facts: &Facts, world: &dyn World) -> Vec<Checkpoint> {
    let Some((top, rel)) = facts.in_repo(STATE) else {
        return Vec::new();
    };
    let commits = world.git().path_history(top, &rel, VERSIONS);
    let commits = commits.unwrap_or_else(|_| readable(facts, (top, &rel), world));
    let commits = commits.into_iter();
    let brings_back = "The state file, init.sh and the other files of the workflow as they were committed. The log is kept, because it is append-only.";
    let cannot = "Outputs that git ignores, and transitions between two commits.";
    let texts = ["a commit of the state file", brings_back, cannot];
    let checkpoints = commits.map(|commit| timeline::checkpoint(commit, top, texts));
    checkpoints.collect()
}

/// The commits of a damaged history that can be read, newest first, along the first parents: those in which the state
/// file differs from the commit before, or in which that is unknown.
fn readable(facts: &Facts, (top, rel): (&Path, &Path), world: &dyn World) -> Vec<Commit> {
    let git = world.git();
    let head = facts.repo.as_ref().ok();
    let mut next = head.and_then(|repo| repo.head.clone());
    let mut found = Vec::new();
    for _ in 0..WALKED {
        let commit = next.and_then(|id| git.find_commit(top, &id).ok());
        let Some(commit) = commit.filter(|_| found.len() < VERSIONS) else {
            break;
        };
        next = commit.parents.first().cloned();
        let own = git.blob(top, &commit.id, rel).ok();
        let before = next.as_ref().and_then(|id| git.blob(top, id, rel).ok());
        if own.is_some() && own != before {
            found.push(commit);
        }
    }
    found
}

/// The finding about a history that cannot be read to its end.
pub(crate) fn unlisted(facts: &Facts, world: &dyn World) -> Option<Finding> {
    let (top, rel) = facts.in_repo(STATE)?;
    let why = world.git().path_history(top, &rel, VERSIONS).err()?;
    let text = format!("Not every commit of the state file is listed: {why}.");
    let origin = Origin::file(facts.state_path());
    Some(Finding::warn("unread-history", origin, text))
}

/// `stage-N.v<k>`: folders that a rerun kept.
fn kept_folders(facts: &Facts, world: &dyn World) -> Vec<Checkpoint> {
    let kept = facts.names.iter().filter_map(|name| {
        let name = name.to_str()?;
        let (stage, version) = name.split_once(".v")?;
        let reason = format!("outputs of {stage}, kept before a rerun");
        (is_digits(version) && stage_number(stage).is_some())
            .then(|| folder(facts, name, reason, "a directory that a rerun kept", world))?
    });
    kept.collect()
}

fn stage_folders(facts: &Facts, flow: &Flow, world: &dyn World) -> Vec<Checkpoint> {
    let completed = flow.state.with(StageStatus::Completed);
    let folders = completed.filter_map(|stage| {
        let reason = format!("outputs of {}", stage.label());
        folder(facts, stage.folder()?, reason, "a completed stage", world)
    });
    folders.collect()
}

fn folder(
    facts: &Facts,
    name: &str,
    reason: String,
    source: &str,
    world: &dyn World,
) -> Option<Checkpoint> {
    let (path, taken_at) = found(facts, name, world)?;
    let brings_back = "The outputs of this attempt, to be verified again before they count.";
    let texts = [source, brings_back, "Outputs outside the directory."];
    let kind = CheckpointKind::Folder { path };
    Some(Checkpoint::new(name, kind, reason, Some(taken_at), texts))
}

/// The path of an entry of the workflow directory, and when it was last written.
fn found(facts: &Facts, name: &str, world: &dyn World) -> Option<(PathBuf, Stamp)> {
    let place = Place::known(&facts.wf, name).ok()?;
    let stat = world.files().stat(&place).ok()?;
    Some((place.path(), Stamp::utc(stat.modified)))
}

/// Copies of the state file next to it.
fn backups(facts: &Facts, world: &dyn World) -> Vec<Checkpoint> {
    let named = facts.names.iter().filter_map(|name| name.to_str());
    let copies = named.filter(|name| {
        let rest = name.strip_prefix("workflow-state").unwrap_or_default();
        let mut marks = [".bak", "backup", "~", ".orig"].into_iter();
        *name != STATE && marks.any(|mark| rest.contains(mark))
    });
    let copies = copies.filter_map(|name| {
        let (path, taken_at) = found(facts, name, world)?;
        let brings_back = "The state file as it was copied.";
        let texts = [
            "a file next to the state file",
            brings_back,
            "The log and the outputs.",
        ];
        let (kind, reason) = (CheckpointKind::File { path }, "a copy of the state file");
        Some(Checkpoint::new(name, kind, reason, Some(taken_at), texts))
    });
    copies.collect()
}

fn amendment(facts: &Facts, record: &Amendment, world: &dyn World) -> Checkpoint {
    let at = record.timestamp.as_deref();
    let stage = record.stage_id.as_deref().unwrap_or("the plan");
    let path = facts.state_path();
    let reason = format!("{} of {stage}: {}", record.kind, record.description);
    let taken_at = at.and_then(|text| stamp::parse(text, world.clock()));
    let brings_back = "The old values in it, by a new amendment that swaps old and new; the record itself is kept.";
    let cannot = "Results that were computed with the new values.";
    let texts = ["an amendment", brings_back, cannot];
    let kind = CheckpointKind::Record { path };
    Checkpoint::new(&record.id, kind, reason, taken_at, texts)
}

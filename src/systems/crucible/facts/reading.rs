//! The [`Reading`] of a run: status, phases, where it stopped.

mod phases;
mod status;

use super::phase_order as order;
use super::work::PhaseFacts;
use super::{Run, RunKind, evidence};
use crate::model::{
    Badge, Branch, Claim, DispatchStatus, Finding, Foreign, LifeSign, Origin, Place, Progress,
    Reading, Severity, SignKind, SignVerdict, Stamp, Status,
};
use crate::systems::kit::badges::{self, STALE_AFTER, is_stale};
use crate::text::Shown as _;
use crate::text::format::count_of;
use crate::world::World;
use crate::world::git::{GitError, RepoFacts};
use crate::world::liveness::{LifeQuery, gather};
pub(crate) use phases::{named, stopped_where};
pub(crate) use status::{claim, escalation};

/// How long an agent may be silent while it works, in seconds: crucible's implementers may take more than half an hour;
/// silence counts after two hours.
pub(crate) const QUIET_AFTER_S: i64 = 7_200;

/// Makes the reading of a run.
pub(crate) fn reading(run: &Run, world: &dyn World) -> Reading {
    let claim = claim(run, world);
    let repo = run.work_tree().and_then(|path| world.git().repo(path).ok());
    let repo = repo.as_ref();
    Reading {
        system: crate::systems::crucible::NAME,
        native: run.session.as_str().into(),
        title: title(run),
        root: root(run),
        state_files: state_files(run),
        work_tree: run.work_tree().map(ToOwned::to_owned),
        branch: branch(run, repo),
        pull_request: None,
        started_at: run.started_at,
        last_activity_at: run.last_write.map(Stamp::utc),
        life: gather(world, &life(run, repo)),
        stopped_where: phases::stopped_where(run, claim.status),
        progress: progress(run, claim.status),
        badges: badges(run, &claim, repo, world),
        phases: phases::rows(run, claim.status),
        findings: findings(run),
        claim,
    }
}

/// The goal, from the newest source that states it.
pub(crate) fn goal(run: &Run) -> Option<&str> {
    let documents = &run.documents;
    let handoffs = documents.handoffs.iter().rev();
    let handoffs = handoffs.map(|doc| &doc.what.goal);
    let page = documents.status.iter().map(|doc| &doc.what.goal);
    let ledger = documents.ledger.iter().map(|doc| &doc.what.goal);
    let goals = handoffs.chain(page).chain(ledger).flatten();
    goals
        .map(String::as_str)
        .find(|goal| !goal.trim().is_empty())
}

fn title(run: &Run) -> Foreign {
    let fallback = || format!("{} {}", run.skill, run.session);
    goal(run).map_or_else(fallback, str::to_owned).into()
}

fn root(run: &Run) -> std::path::PathBuf {
    let sources = &run.sources;
    let mut folders = sources.dispatch.iter().chain(&sources.copies);
    let folder = || folders.next().map(Place::path);
    let project = run.work_tree().map(ToOwned::to_owned);
    let project = project.or_else(|| run.lost_project());
    let place = project.or_else(|| sources.scratch()).or_else(folder);
    let place = place.or_else(|| sources.lone_store.clone());
    place
        .or_else(|| sources.debug.as_ref().map(Place::path))
        .unwrap_or_default()
}

fn state_files(run: &Run) -> Vec<std::path::PathBuf> {
    let manifest = run.manifest.iter().map(|manifest| manifest.path());
    let marker = run.sources.marker.iter().map(|(_, path)| path.clone());
    let dirs = run.sources.copies.iter().chain(&run.sources.dispatch);
    let copies = dirs.map(|dir| dir.path().join("manifest.jsonl"));
    let documents = run.documents.files();
    let debug = run.sources.debug.iter();
    let debug = debug.map(|dir| dir.path().join("phase-state.md"));
    let mut all: Vec<_> = manifest.collect();
    for path in marker.chain(copies).chain(debug).chain(documents) {
        if !all.contains(&path) {
            all.push(path);
        }
    }
    all
}

fn life(run: &Run, repo: Option<&RepoFacts>) -> LifeQuery {
    let dirs = run.sources.dispatch.iter().map(Place::path);
    let marker = run.sources.marker.iter().map(|(_, path)| {
        let path = path.shown();
        let text = format!("The marker {path} exists, which is also the case after a crash.");
        LifeSign::new(SignKind::Marker, SignVerdict::Note, text)
    });
    let tree = run.work_tree().map(ToOwned::to_owned).into_iter();
    LifeQuery {
        roots: tree.chain(dirs).chain(run.sources.scratch()).collect(),
        git_dirs: repo.iter().map(|repo| repo.git_dir.clone()).collect(),
        signs: marker.collect(),
        last_write: run.last_write,
        last_talk: run.documents.last_talk,
        quiet_after_s: QUIET_AFTER_S,
        ..LifeQuery::default()
    }
}

fn branch(run: &Run, repo: Option<&RepoFacts>) -> Option<Branch> {
    let expected = run.record().and_then(|marker| marker.branch.clone());
    let expected = expected
        .filter(|branch| !branch.is_empty())
        .map(Foreign::from);
    (expected.is_some() || repo.is_some()).then(|| Branch {
        expected,
        actual: repo.and_then(|repo| repo.branch.clone()),
    })
}

fn badges(run: &Run, claim: &Claim, repo: Option<&RepoFacts>, world: &dyn World) -> Vec<Badge> {
    let open = matches!(claim.status, Status::Interrupted | Status::Waiting);
    let complete = claim.status == Status::Complete;
    // As crucible's routing hook counts, which offers an older run no more.
    let started = run.started_at.map(|at| at.at.to_utc());
    let stale = is_stale(started, world.clock().now().to_utc(), STALE_AFTER);
    let is_other = |(expected, repo): (&str, &RepoFacts)| {
        let actual = repo.branch.as_ref();
        actual.is_none_or(|actual| *actual != expected)
    };
    let elsewhere = run.branch().zip(repo).is_some_and(is_other);
    let status = |path| world.git().status(path);
    let has_changes = |path| status(path).is_ok_and(|paths| !paths.is_empty());
    let not_started = evidence::is_not_started(run, world);
    let recorded = run.documents.ledger.is_some() || run.documents.ended_well;
    let recorded = recorded || run.finished.marker.is_some();
    let without_manifest = run.usable().is_none() && !not_started;
    let damage = |f: &Finding| f.severity > Severity::Info || f.code == "torn-line";
    badges::badges([
        (open && stale, Badge::Stale),
        (elsewhere, Badge::BranchMismatch),
        (
            open && run.work_tree().is_some_and(has_changes),
            Badge::Dirty,
        ),
        (
            open && (run.marker().is_none() || recorded_commit_is_gone(run, world)),
            Badge::Orphan,
        ),
        (open && not_started, Badge::NotStarted),
        (complete && run.marker().is_some(), Badge::CleanupPending),
        (
            run.sources.joined
                || (complete && !recorded)
                || (without_manifest && claim.status != Status::Unreadable),
            Badge::Inferred,
        ),
        (run.findings.iter().any(damage), Badge::Damaged),
    ])
}

/// True if the recorded branch was deleted or the recorded commit is not in the repository.
fn recorded_commit_is_gone(run: &Run, world: &dyn World) -> bool {
    let (Some(path), Some(marker)) = (run.work_tree(), run.marker()) else {
        return false;
    };
    let gone = |result: Result<(), GitError>| matches!(result, Err(GitError::Missing(_)));
    let tip = run.branch();
    let tip = tip.map(|branch| world.git().branch_tip(path, branch).map(drop));
    let base = marker.baseline_sha.as_deref();
    let base = base.map(|sha| world.git().find_commit(path, sha).map(drop));
    tip.is_some_and(gone) || base.is_some_and(gone)
}

fn progress(run: &Run, status: Status) -> Progress {
    let all = order::all(&run.skill);
    let known =
        |facts: &&PhaseFacts| all.is_empty() || all.iter().any(|p| p.base == facts.name.base);
    let phases = run.work.phases.iter().filter(known);
    let done = phases.filter(|facts| facts.finished()).count() as u64;
    let total = (!all.is_empty()).then_some(all.len() as u64);
    let all_done = total.filter(|_| status == Status::Complete);
    Progress::new(Some(all_done.unwrap_or(done)), total, "phases")
}

/// The findings, in order of reading.
fn findings(run: &Run) -> Vec<Finding> {
    let mut all = run.findings.clone();
    let file = state_files(run).into_iter().next();
    let origin = Origin::file(file.unwrap_or_default());
    let mut warn = |code, text: String| {
        all.push(Finding::warn(code, origin.clone(), text));
    };
    for seq in run.work.cycles.iter().take(20) {
        let text =
            format!("The `replay_of` of dispatch {seq} leads back to itself and is not followed.");
        warn("replay-cycle", text);
    }
    for label in run.work.strange_labels.iter().take(20) {
        let skill = &run.skill;
        let text = format!(
            "The phase `{label}` is not a known phase of {skill}; it is placed where it was first seen."
        );
        warn("unknown-phase", text);
    }
    for facts in run.work.with_open_work() {
        let base = &facts.name.base;
        let crossed = facts.crossed.as_deref().unwrap_or_default();
        let text = format!("Phase {base} has open work although the run continued: {crossed}.");
        warn("open-work-behind", text);
    }
    if let (Some(first), Some(last)) = (run.work.cut_off.first(), run.work.cut_off.last()) {
        let missing = match run.work.cut_off.len() {
            1 => format!("dispatch {first} has"),
            several => format!("{several} dispatches ({first} to {last}) have"),
        };
        let text = format!(
            "The manifest ends early: {missing} no recorded outcome, though later records show that the run continued."
        );
        warn("manifest-cut", text);
    }
    if let Some(manifest) = &run.manifest {
        let entries = manifest.entries.iter();
        let unknown = entries.filter(|entry| entry.status == DispatchStatus::Unknown);
        for entry in unknown.take(20) {
            let origin = Origin::at(manifest.path(), manifest.line_of(entry));
            let seq = entry.seq;
            let text = format!("The status of dispatch {seq} is unknown; it counts as not done.");
            all.push(Finding::warn("unknown-status", origin, text));
        }
    }
    if run.work.experiments > 0 {
        let of_it = count_of(
            run.work.experiments,
            "entry belongs to a replay with template mutations and does",
            "entries belong to a replay with template mutations and do",
        );
        let text = format!("{of_it} not count for the run itself.");
        all.push(Finding::inferred("replay-experiment", origin.clone(), text));
    }
    if run.kind == RunKind::Eval {
        let text = "This is a run of crucible's evaluation harness and is not resumed.";
        all.push(Finding::inferred("eval-run", origin.clone(), text));
    }
    if let Some(text) = run.not_restored.clone() {
        all.push(Finding::warn("not-restored", origin, text));
    }
    for path in &run.documents.stale_handoffs {
        let text =
            "This hand-off was not written during the run, or its age is unknown; it is not used.";
        all.push(Finding::info("stale-handoff", Origin::file(path), text));
    }
    all
}

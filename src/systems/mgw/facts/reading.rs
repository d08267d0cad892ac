//! The reading of an issue: status, phases, badges, evidence of life. Damage becomes a finding, never an error.

pub(crate) mod findings;
pub(crate) mod phases;
pub(crate) mod timeline;

use chrono::{DateTime, Utc};

use crate::formats::stamp;
use crate::model::{Badge, Branch, Claim, LocalTime, Progress, Reading, Stamp, Status};
use crate::systems::Contents;
use crate::systems::kit::badges::{self, STALE_AFTER, is_stale};
use crate::systems::mgw::NAME;
use crate::systems::mgw::facts::{Facts, PhaseHistory, Source, liveness};
use crate::systems::mgw::points::{Basis, Goal, Target};
use crate::systems::mgw::shape::{Checkpoint, Stage, State, Step};
use crate::text::format::count;
use crate::world::World;

pub(crate) use crate::systems::mgw::facts::reading::findings::{NamedPath, named_paths, seen_text};

/// The reading and the timeline of an issue.
pub(crate) fn read(world: &dyn World, facts: &Facts, target: Option<&Target>) -> Contents {
    let state = facts.state();
    let claim = claim(facts, target);
    let life = liveness::evidence(world, facts);
    let last = liveness::last_activity(world, facts);
    let mut findings = findings::findings(facts, target);
    let timeline = timeline::read(world, facts, &mut findings);
    let zone = world.clock();
    let files = facts.files.iter().chain(&facts.tmp_files);
    let present = facts.branch.tree.as_ref().filter(|tree| tree.present);
    let reading = Reading {
        system: NAME,
        native: facts.number.as_str().into(),
        title: facts.title().into(),
        root: facts.root.clone(),
        state_files: files.map(|file| file.path.clone()).collect(),
        work_tree: present.map(|tree| tree.path.clone()),
        branch: Some(Branch {
            expected: Some(facts.branch.name.as_str().into()),
            actual: present.and_then(|tree| tree.branch.clone()),
        }),
        pull_request: state.and_then(|state| state.linked_prs().pop()),
        started_at: state.and_then(|state| started(state, zone)),
        last_activity_at: last.map(Stamp::utc),
        badges: badges(world, facts, target, claim.status, last),
        claim,
        life,
        stopped_where: stopped_where(facts, target).into(),
        progress: progress(facts, target),
        phases: phases::phases(facts, target, zone),
        findings,
    };
    Contents { reading, timeline }
}

/// How much of the issue is done.
fn progress(facts: &Facts, target: Option<&Target>) -> Progress {
    match (facts.state(), target) {
        (Some(state), Some(target)) => PhaseHistory::of(facts, state, target).progress(target),
        _ => Progress::new(0, Some(Step::ALL.len() as u64), "steps"),
    }
}

/// When it began: the earliest time in the file.
fn started(state: &State, zone: &dyn LocalTime) -> Option<Stamp> {
    let checkpoint = state.checkpoint().and_then(|one| one.started_at.as_deref());
    let texts = [state.text("created_at"), checkpoint].into_iter().flatten();
    texts.filter_map(|text| stamp::parse(text, zone)).min()
}

/// The status that the files claim.
fn claim(facts: &Facts, target: Option<&Target>) -> Claim {
    let (status, reason) = match (facts.state(), target) {
        (Some(state), Some(target)) if facts.source == Source::File => status(facts, state, target),
        (_, Some(target)) if target.goal == Goal::Nothing => {
            (Status::Complete, "The state file is archived.".to_owned())
        }
        (Some(_), Some(target)) => (
            Status::Interrupted,
            format!("{} {}", unreadable(facts), instead(facts, target)),
        ),
        _ => (Status::Unreadable, unreadable(facts)),
    };
    Claim::new(status, reason)
}

/// Why no state file can be read.
pub(crate) fn unreadable(facts: &Facts) -> String {
    let number = &facts.number;
    match facts.file().map(|file| &file.parsed) {
        Some(Err(damage)) => format!("Cannot parse state file for #{number}: {}.", damage.why),
        _ if facts.tmp_files.is_empty() => format!("There is no state file for #{number}."),
        _ => "There is only the .tmp file of an interrupted write, and no state file.".to_owned(),
    }
}

/// The source that was read instead.
fn instead(facts: &Facts, target: &Target) -> String {
    match facts.source {
        Source::Tmp => format!("Its .tmp file is complete. {}", target.why),
        Source::File | Source::Nothing => {
            let work = facts.evidence.finished(None).is_some();
            let shown = if work { "work" } else { "that it was begun" };
            format!("Other records show {shown}: {}.", facts.evidence.summary())
        }
    }
}

fn status(facts: &Facts, state: &State, target: &Target) -> (Status, String) {
    let number = &facts.number;
    if facts.is_archived() {
        return (Status::Complete, "The state file is archived.".to_owned());
    }
    if let Some(stage @ (Stage::Done | Stage::PrCreated)) = state.stage() {
        let done = format!(
            "Pipeline already completed for #{number} ({})",
            stage.word()
        );
        return (
            Status::Complete,
            format!("{done}. Run /mgw:sync to reconcile."),
        );
    }
    if let Some(reason) = waits_for(state, number) {
        return (Status::Waiting, reason);
    }
    if state.dead_letter() {
        return (Status::Waiting, failed(state, number));
    }
    let (stage, why) = (state.stage_text().unwrap_or("unknown"), &target.why);
    (
        Status::Interrupted,
        format!("Stopped at stage {stage}. {why}"),
    )
}

/// What a person must do first, before a command works.
pub(crate) fn waits_for(state: &State, number: &str) -> Option<String> {
    let stage = state.stage().filter(|stage| stage.waits())?;
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "only the stages that wait come here, and the last of them is failed"
    )]
    Some(match stage {
        Stage::Blocked => {
            format!("Pipeline for #{number} is blocked by a stakeholder comment.")
        }
        Stage::NeedsInfo => format!(
            "#{number} needs more information. Supply it, or override with /mgw:run {number} --force."
        ),
        Stage::NeedsSecurityReview => format!(
            "#{number} needs a security review. After it, continue with /mgw:run {number} --security-ack."
        ),
        Stage::Discussing => format!("#{number} is waiting for its stakeholders."),
        _ => failed(state, number),
    })
}

fn failed(state: &State, number: &str) -> String {
    let class = state.failure_class().unwrap_or("not recorded");
    let dead = if state.dead_letter() {
        ", dead letter"
    } else {
        ""
    };
    let retries = count(state.retry_count(), "retry");
    let failed = format!("#{number} failed (failure class {class}{dead}, {retries})");
    format!("{failed}. Continue with /mgw:run {number} --retry.")
}

fn stopped_where(facts: &Facts, target: Option<&Target>) -> String {
    let Some((state, target)) = facts.state().zip(target) else {
        return "unknown".to_owned();
    };
    match target.goal {
        Goal::Nothing => "done".to_owned(),
        Goal::Cleanup => "pull request created".to_owned(),
        Goal::Step(step) => {
            let waits = state.stage().filter(|stage| stage.waits());
            let mut words = vec![step.name().to_lowercase()];
            words.extend(waits.map(|stage| stage.word().to_owned()));
            words.extend((!target.detail.is_empty()).then(|| target.detail.clone()));
            words.join(" · ")
        }
    }
}

fn badges(
    world: &dyn World,
    facts: &Facts,
    target: Option<&Target>,
    status: Status,
    last: Option<DateTime<Utc>>,
) -> Vec<Badge> {
    let goal = target.map(|target| target.goal);
    let state = facts.state();
    let branch = &facts.branch;
    let old = is_stale(last, world.clock().now().to_utc(), STALE_AFTER);
    let gone = branch.repo.is_ok() && branch.tip.is_none() && branch.present().is_none();
    let in_progress = state.is_some_and(|state| {
        let stage = state.stage().is_some_and(Stage::at_work);
        let checkpoint = state.checkpoint().and_then(Checkpoint::effective);
        stage || checkpoint > Some(Step::Triage)
    });
    let to_do = matches!(goal, Some(Goal::Step(_)));
    let done_in_place =
        goal == Some(Goal::Nothing) && facts.file().is_some() && !facts.is_archived();
    let dirty = matches!(&branch.status, Some(Ok(paths)) if !paths.is_empty());
    let new = state.and_then(State::stage) == Some(Stage::New)
        && goal == Some(Goal::Step(Step::Triage))
        && facts.source == Source::File;
    let (no_file, no_tmp) = (facts.files.is_empty(), facts.tmp_files.is_empty());
    let from_evidence = |target: &Target| target.basis == Basis::Evidence;
    let inferred = facts.source == Source::Nothing && target.is_some();
    let broken = facts.files.iter().any(|file| file.parsed.is_err());
    badges::badges([
        (old && status != Status::Complete, Badge::Stale),
        (branch.mismatch(), Badge::BranchMismatch),
        (dirty, Badge::Dirty),
        (gone && in_progress && to_do, Badge::Orphan),
        (gone && new, Badge::NotStarted),
        (
            goal == Some(Goal::Cleanup) || done_in_place,
            Badge::CleanupPending,
        ),
        (no_file && no_tmp, Badge::NoStateFile),
        (
            inferred || target.is_some_and(from_evidence),
            Badge::Inferred,
        ),
        (broken || no_file && !no_tmp, Badge::Damaged),
    ])
}

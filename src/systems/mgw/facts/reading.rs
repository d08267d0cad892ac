//! The reading of an issue: status, phases, badges, evidence of life. Damage becomes a finding, never an error.

pub(crate) mod findings;
pub(crate) mod phases;
pub(crate) mod timeline;

use crate::formats::stamp;
use crate::model::{Badge, Branch, Claim, LocalTime, Progress, Reading, Stamp, Status};
use crate::systems::Contents;
use crate::systems::kit::badges::{self, STALE_AFTER, is_stale};
use crate::systems::mgw::NAME;
use crate::systems::mgw::facts::{Facts, Source, liveness};
use crate::systems::mgw::points::{Basis, Goal, Scene, Target};
use crate::systems::mgw::shape::{Checkpoint, Stage, State, Step};
use crate::text::Shown as _;
use crate::text::format::count;
use crate::world::World;

pub(crate) use crate::systems::mgw::facts::reading::findings::{NamedPath, named_paths, seen_text};

/// The reading and the timeline of an issue.
pub(crate) fn read(world: &dyn World, facts: &Facts, target: Option<&Target>) -> Contents {
    let scene = target.and_then(|target| Scene::of(world, facts, target));
    let scene = scene.as_ref();
    let state = facts.state();
    let claim = claim(facts, scene);
    let last = liveness::last_activity(world, facts);
    let life = liveness::evidence(world, facts, last);
    let mut findings = findings::findings(facts, target);
    let timeline = timeline::read(world, facts, &mut findings);
    let clock = world.clock();
    let old = is_stale(last, clock.now().to_utc(), STALE_AFTER);
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
        started_at: state.and_then(|state| started(state, clock)),
        last_activity_at: last.map(Stamp::utc),
        badges: badges(facts, scene, old && claim.status != Status::Complete),
        claim,
        life,
        stopped_where: scene
            .map_or_else(|| "unknown".to_owned(), stopped_where)
            .into(),
        progress: scene.map_or_else(
            || Progress::new(None, Some(Step::ALL.len() as u64), "steps"),
            |scene| scene.history.progress(scene.target),
        ),
        phases: scene.map(phases::phases).unwrap_or_default(),
        findings,
    };
    Contents { reading, timeline }
}

/// When it began: the earliest time in the file.
fn started(state: &State, zone: &dyn LocalTime) -> Option<Stamp> {
    let checkpoint = state.checkpoint().and_then(|one| one.started_at.as_deref());
    let texts = [state.text("created_at"), checkpoint].into_iter().flatten();
    texts.filter_map(|text| stamp::parse(text, zone)).min()
}

/// The status that the files claim.
fn claim(facts: &Facts, scene: Option<&Scene<'_>>) -> Claim {
    let Some(scene) = scene else {
        return Claim::new(Status::Unreadable, unreadable(facts));
    };
    let from_file = facts.source == Source::File;
    if facts.is_archived() || !from_file && scene.target.goal == Goal::Nothing {
        return Claim::new(Status::Complete, "The state file is archived.");
    }
    if from_file {
        return status(scene);
    }
    let instead = instead(facts, scene.target);
    Claim::new(
        Status::Interrupted,
        format!("{} {instead}", unreadable(facts)),
    )
}

/// Why no state file can be read.
pub(crate) fn unreadable(facts: &Facts) -> String {
    let number = &facts.number;
    match facts.file().map(|file| &file.parsed) {
        Some(Err(damage)) => format!("Cannot parse state file for #{number}: {}.", damage.why),
        _ if facts.tmp_files.is_empty() => match facts.closed() {
            Some((folder, odd)) => {
                let (folder, problem) = (folder.shown(), &odd.problem);
                format!("Whether #{number} has a state file is unknown: {folder} {problem}.")
            }
            None => format!("There is no state file for #{number}."),
        },
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

fn status(scene: &Scene<'_>) -> Claim {
    let (state, number) = (scene.state, &scene.facts.number);
    if let Some(stage @ (Stage::Done | Stage::PrCreated)) = state.stage() {
        let stage = stage.word();
        let done = format!("Pipeline already completed for #{number} ({stage})");
        let text = format!("{done}. Run /mgw:sync to reconcile.");
        return Claim::new(Status::Complete, text);
    }
    let dead = || state.dead_letter().then(|| failed(state, number));
    if let Some(reason) = waits_for(state, number).or_else(dead) {
        return Claim::new(Status::Waiting, reason);
    }
    let (stage, why) = (state.stage_text().unwrap_or("unknown"), &scene.target.why);
    Claim::new(
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

fn stopped_where(scene: &Scene<'_>) -> String {
    let (state, target) = (scene.state, scene.target);
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

fn badges(facts: &Facts, scene: Option<&Scene<'_>>, stale: bool) -> Vec<Badge> {
    let target = scene.map(|scene| scene.target);
    let goal = target.map(|target| target.goal);
    let state = facts.state();
    let branch = &facts.branch;
    let no_branch = branch.repo.is_ok() && branch.unread.is_none() && branch.tip.is_none();
    let gone = no_branch && branch.present().is_none();
    let in_progress = state.is_some_and(|state| {
        let stage = state.stage().is_some_and(Stage::at_work);
        let checkpoint = state.checkpoint().and_then(Checkpoint::effective);
        stage || checkpoint > Some(Step::Triage)
    });
    let to_do = matches!(goal, Some(Goal::Step(_)));
    let in_place = facts.file().is_some() && !facts.is_archived();
    let left = goal == Some(Goal::Cleanup) || goal == Some(Goal::Nothing) && in_place;
    let dirty = matches!(&branch.status, Some(Ok(paths)) if !paths.is_empty());
    let new = state.and_then(State::stage) == Some(Stage::New)
        && goal == Some(Goal::Step(Step::Triage))
        && facts.source == Source::File;
    let (no_file, no_tmp) = (facts.files.is_empty(), facts.tmp_files.is_empty());
    let stateless = no_file && no_tmp && facts.closed().is_none();
    let elsewhere = facts.source == Source::Nothing;
    let inferred = target.is_some_and(|target| elsewhere || target.basis == Basis::Evidence);
    let broken = facts.files.iter().any(|file| file.parsed.is_err());
    badges::badges([
        (stale, Badge::Stale),
        (branch.mismatch(), Badge::BranchMismatch),
        (dirty, Badge::Dirty),
        (gone && in_progress && to_do, Badge::Orphan),
        (gone && new, Badge::NotStarted),
        (left, Badge::CleanupPending),
        (stateless, Badge::NoStateFile),
        (inferred, Badge::Inferred),
        (broken || no_file && !no_tmp, Badge::Damaged),
    ])
}

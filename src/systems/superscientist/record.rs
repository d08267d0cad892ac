//! The writes of a point that a person requested: first folders are moved, then the state file is changed, then the
//! log. `{now}` is replaced by the time of writing.
//!
//! The moves and the state file belong in one transaction: the marker in a folder that was not moved would make an
//! invalidated stage look done. The log lines follow, one for each change.

#![expect(
    clippy::similar_names,
    reason = "`state` and `stage` are both the format's own words"
)]

pub(crate) mod amend;
pub(crate) mod aside;
mod begin;
pub(crate) mod forms;
pub(crate) mod guards;
pub(crate) mod restored;
mod session;
mod status;
pub(crate) mod trails;

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::formats::json::{self, CLOCK, Edit, NOW, NonAscii};
use crate::model::{AmendKind, ClockStyle, DATED, Foreign, Intent, Preview, Step};
use crate::systems::kit::forms::append;
use crate::systems::superscientist::facts::{Facts, Flow, Scene, Session};
use crate::systems::superscientist::points::{self, Point, Verb, list};
use crate::systems::superscientist::shape::log::RESTORED;
use crate::systems::superscientist::shape::{Stage, StageStatus, State};
use crate::text::Shown as _;

/// What a session must know about an invalidated stage: the protocol's own list promotes only pending ones.
pub(crate) const PROMOTE: &str = "Rule for every session: promote an invalidated stage to ready exactly like a pending one, once all its dependencies are completed, and clear its started_at, completed_at, retry_count, last_error and running_process.";

/// Who approved an amendment, and why.
pub(crate) struct Approval<'a> {
    pub(crate) reason: Option<&'a str>,
    pub(crate) by: &'a str,
}

impl<'a> Approval<'a> {
    /// The approval of a point, which is chosen without a name. `user` is the format's own word.
    fn of_user(reason: Option<&'a str>) -> Self {
        Self { reason, by: "user" }
    }
}

/// Changes of the state file with their log lines.
#[derive(Default)]
pub(crate) struct Draft<'a> {
    /// Renames, each with a log line.
    pub(crate) moves: Vec<Step>,
    pub(crate) changes: Vec<Edit<'a>>,
    pub(crate) lines: Vec<String>,
    /// True if an amendment is appended, so that the version and the list must be valid.
    pub(crate) amends: bool,
    /// True if a time is written to the state file.
    pub(crate) dated: bool,
    /// True if a workflow that is recorded as completed goes on: the orchestrator never resumes one.
    pub(crate) reopens: bool,
}

impl Draft<'_> {
    /// A new status, with its line.
    fn becomes(&mut self, stage: &Stage, word: &'static str) {
        self.changes.push(set(stage, "status", word));
        self.lines.push(line(stage, word));
    }

    fn keep_markers(&mut self, scene: Scene<'_>, stage: &Stage) {
        let markers = aside::markers(&scene.facts.wf, stage, scene.world);
        self.keep(scene.facts, stage, markers);
    }

    fn keep_folder(&mut self, scene: Scene<'_>, stage: &Stage) {
        let folder = aside::folder(scene.facts, stage, scene.world);
        self.keep(scene.facts, stage, folder);
    }

    /// Completed stages become invalid; their outputs are kept.
    fn invalidate(&mut self, scene: Scene<'_>, stale: &[usize]) {
        for again in stale.iter().filter_map(|at| scene.flow.stage(*at)) {
            self.keep_folder(scene, again);
            self.becomes(again, "invalidated");
        }
        if stale.is_empty() {
            return;
        }
        self.keep_outside(scene, stale);
        // Sessions of a runner get a fixed prompt, but all of them read the end of the log.
        self.lines.push(format!("[{NOW}] {PROMOTE}"));
        self.reopens = scene.flow.state.is_completed();
    }

    /// Ready stages that depend on one of these become pending: the orchestrator runs the first ready stage, with or
    /// without its input.
    fn postpone(&mut self, scene: Scene<'_>, undone: &[usize]) {
        let needs = |stage: &&Stage| {
            let mut needs = scene.flow.graph.needs(stage.index).iter();
            needs.any(|need| undone.contains(need))
        };
        for stage in scene.flow.state.with(StageStatus::Ready).filter(needs) {
            self.becomes(stage, "pending");
        }
    }

    /// Outputs outside the folders of these stages are kept too.
    fn keep_outside(&mut self, scene: Scene<'_>, again: &[usize]) {
        for (at, step) in aside::outside(scene, again).moves {
            if let Some(stage) = scene.flow.stage(at) {
                self.keep(scene.facts, stage, [step]);
            }
        }
    }

    /// Renames files of a stage and logs that.
    fn keep(&mut self, facts: &Facts, stage: &Stage, moves: impl IntoIterator<Item = Step>) {
        for step in moves {
            let text = kept(facts, &step);
            let line = text.map(|text| format!("[{NOW}] {}: {text}", one_line(&stage.id)));
            self.lines.extend(line);
            self.moves.push(step);
        }
    }
}

/// The file that a rename keeps, and its new name.
fn kept(facts: &Facts, step: &Step) -> Option<String> {
    let action = step.change()?;
    let Preview::Rename { to } = &action.preview else {
        return None;
    };
    let rel = |path: &Path| path.strip_prefix(&facts.wf).unwrap_or(path).shown();
    Some(format!("{} kept as {}", rel(&action.target), rel(to)))
}

/// The log line of a rename.
pub(crate) fn kept_line(facts: &Facts, step: &Step) -> Option<String> {
    Some(format!("[{NOW}] {}", kept(facts, step)?))
}

/// The steps and guards of a point other than the recommended one. `reason` is the person's, on one line.
pub(crate) fn work(scene: Scene<'_>, point: Point, reason: Option<&str>) -> Intent {
    let flow = scene.flow;
    let Some(stage) = point.of(flow) else {
        return Intent::default();
    };
    let reason = reason.map(one_line);
    let reason = reason.as_deref();
    let waits = [StageStatus::Pending, StageStatus::Invalidated];
    let promotable = waits.contains(&stage.status);
    let draft = match point.verb {
        Verb::Monitor => monitor(scene, stage),
        Verb::Verify => verify(flow, stage, reason),
        Verb::Retry => retry(scene, stage, reason),
        Verb::Rerun if stage.status == StageStatus::Completed => {
            rerun(scene, stage, &Approval::of_user(reason))
        }
        Verb::Rerun if promotable => promote(scene, stage),
        Verb::Skip => skip(flow, stage, &Approval::of_user(reason)),
        Verb::Fail => fail(flow, stage, reason),
        Verb::Rerun | Verb::Amend | Verb::Completion => Draft::default(),
    };
    finish(scene, point, stage, draft)
}

/// For a job that only a session can launch, the only possible step is to move a stale marker.
fn monitor(scene: Scene<'_>, stage: &Stage) -> Draft<'static> {
    let job = scene.flow.jobs.get(&stage.index);
    let mut draft = Draft::default();
    if job.is_none_or(|job| job.session != Session::Alive) {
        draft.keep_markers(scene, stage);
    }
    draft
}

fn verify(flow: &Flow, stage: &Stage, reason: Option<&str>) -> Draft<'static> {
    if stage.status == StageStatus::PostProcessing {
        return Draft::default();
    }
    let words = said(reason, &flow.verify_words(stage.index));
    Draft {
        changes: vec![set(stage, "status", "post_processing")],
        lines: vec![line(stage, &format!("post_processing ({words})"))],
        ..Draft::default()
    }
}

/// The person's reason before the evidence.
fn said(reason: Option<&str>, seen: &str) -> String {
    match reason {
        Some(reason) if seen.is_empty() => reason.to_owned(),
        Some(reason) => format!("{}; {seen}", reason.trim_end_matches('.')),
        None => seen.to_owned(),
    }
}

fn retry(scene: Scene<'_>, stage: &Stage, reason: Option<&str>) -> Draft<'static> {
    let mut draft = Draft::default();
    draft.keep_markers(scene, stage);
    if stage.status != StageStatus::Failed {
        let why = scene.flow.job_words(stage.index).unwrap_or_default();
        draft.changes.push(set(stage, "last_error", why.as_str()));
        draft.lines.push(line(stage, &format!("failed ({why})")));
    }
    let count = stage.retry_count + 1;
    let id = one_line(&stage.id);
    let fix = reason.unwrap_or("requested by the user");
    let retry = format!("[{NOW}] {id}: retry #{count} after fix: {fix}");
    draft.lines.push(retry);
    draft.becomes(stage, "ready");
    draft.changes.push(set(stage, "retry_count", count));
    let job = without_job(&scene.flow.state, stage);
    draft.changes.extend(job);
    draft
}

/// `stage_rerun`: the full closure, changing only completed stages; every output folder is kept.
fn rerun(scene: Scene<'_>, stage: &Stage, approval: &Approval<'_>) -> Draft<'static> {
    let flow = scene.flow;
    let changes = word_change("completed", "invalidated");
    let affected = amend::ids(flow, &flow.graph.closure(stage.index));
    let kind = AmendKind::StageRerun;
    let mut draft = amend::amendment(flow, &stage.id, kind, approval, &changes, &affected);
    let undone = points::invalidated(flow, stage.index);
    draft.postpone(scene, &undone);
    draft.invalidate(scene, &undone);
    draft
}

/// The change of a status in the form of an amendment.
fn word_change(old: &str, new: &str) -> Map<String, Value> {
    Map::from_iter([("status".to_owned(), json!({"old": old, "new": new}))])
}

/// The members of a stage that starts afresh.
fn afresh() -> [(&'static str, Value); 5] {
    [
        ("started_at", Value::Null),
        ("completed_at", Value::Null),
        ("last_error", Value::Null),
        ("running_process", Value::Null),
        ("retry_count", json!(0)),
    ]
}

/// An attempt that begins has no job yet: that of the attempt before would be taken for its own.
fn without_job(state: &State, stage: &Stage) -> Option<Edit<'static>> {
    let old = state.raw_stage(stage.index)?.get("running_process")?;
    (!old.is_null()).then(|| set(stage, "running_process", Value::Null))
}

/// Makes a stage ready, with the same rule for pending and invalidated stages; the latter start afresh.
fn promote(scene: Scene<'_>, stage: &Stage) -> Draft<'static> {
    let mut draft = Draft::default();
    draft.becomes(stage, "ready");
    if stage.status == StageStatus::Invalidated {
        draft.keep_folder(scene, stage);
        draft.keep_outside(scene, &[stage.index]);
        let raw = scene.flow.state.raw_stage(stage.index);
        for (key, value) in afresh() {
            let old = raw.and_then(|raw| raw.get(key));
            if old.is_some_and(|old| *old != value) {
                draft.changes.push(set(stage, key, value));
            }
        }
    }
    if draft.moves.is_empty() {
        draft.keep_markers(scene, stage);
    }
    draft
}

fn skip(flow: &Flow, stage: &Stage, approval: &Approval<'_>) -> Draft<'static> {
    let changes = word_change(&stage.word, "skipped");
    let kind = AmendKind::StageSkip;
    let mut draft = amend::amendment(flow, &stage.id, kind, approval, &changes, &[]);
    draft.becomes(stage, "skipped");
    draft
}

fn fail(flow: &Flow, stage: &Stage, reason: Option<&str>) -> Draft<'static> {
    let words = said(reason, &flow.job_words(stage.index).unwrap_or_default());
    let why = format!("marked as failed by the user: {words}");
    let error = set(stage, "last_error", why.as_str());
    Draft {
        changes: vec![set(stage, "status", "failed"), error],
        lines: vec![line(stage, &format!("failed ({why})"))],
        ..Draft::default()
    }
}

/// Sets a member of a stage.
fn set(stage: &Stage, key: &'static str, value: impl Into<Value>) -> Edit<'static> {
    Edit::set(stage.member(key), value)
}

/// The log line of a transition.
fn line(stage: &Stage, to: &str) -> String {
    let (label, to) = (one_line(&stage.label()), one_line(to));
    format!("[{NOW}] {label}: status -> {to}")
}

/// The log line of a restore of the state file to a version.
pub(crate) fn restored(version: &str) -> String {
    format!(
        "[{NOW}] {RESTORED} {}. Earlier status lines may be ahead of it: verify the results on disk before a stage is run again.",
        one_line(version)
    )
}

/// Foreign text for one log line: nothing in it breaks the line or is read as a placeholder.
pub(crate) fn one_line(text: &str) -> String {
    let words = text.split(char::is_control).filter(|part| !part.is_empty());
    let clean = Foreign::from(words.collect::<Vec<_>>().join(" ")).clean();
    clean.as_str().replace(NOW, "{ now }")
}

/// The draft as steps in order, with their guards.
fn finish(scene: Scene<'_>, point: Point, stage: &Stage, mut draft: Draft<'_>) -> Intent {
    let Scene { facts, flow, .. } = scene;
    draft.reopens |= flow.state.is_completed() && point.verb.orders();
    if draft.reopens {
        let status = Edit::member("workflow_status", "pending");
        draft.changes.push(status);
    }
    let edits = !draft.changes.is_empty();
    if edits && flow.state.map.contains_key("updated") {
        draft.changes.push(Edit::member("updated", CLOCK.as_str()));
        draft.dated = true;
    }
    draft.dated |= draft.amends;
    let mut work = Intent {
        steps: std::mem::take(&mut draft.moves),
        ..Intent::default()
    };
    let clock = draft.dated.then_some(ClockStyle::LocalOffset);
    let edited = json::edit(&flow.state.bytes, &draft.changes, NonAscii::Raw).ok();
    if edits || !work.steps.is_empty() {
        work.guards = guards::all(flow, point, stage, &draft, !edits || edited.is_some());
    }
    if let Some(content) = edited.filter(|_| edits) {
        let label = list::label(flow, point);
        let dated = if draft.dated { DATED } else { "" };
        let status = ", its workflow_status from completed back to pending";
        let also = if draft.reopens { status } else { "" };
        let summary = format!("{label}: the state file{also}. {dated}");
        let before = Some(flow.state.bytes.clone());
        let summary = summary.trim_end();
        let step = Step::replace_file(facts.state_path(), before, content, clock, summary);
        work.steps.push(step);
    }
    if !draft.lines.is_empty() {
        let what = "One dated line for each change.";
        work.steps.push(append(facts.log_path(), draft.lines, what));
    }
    work
}

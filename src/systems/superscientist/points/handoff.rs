//! How the orchestrator resumes: the command, the prompt, and a complete briefing.

use std::borrow::Cow;
use std::path::Path;

use crate::model::{ActionKind, Check, Foreign, Handoff, Prospect, Subject, Verdict};
use crate::systems::superscientist::facts::{Facts, Flow, Next, Row, Scene, Session};
use crate::systems::superscientist::points::{self, Point, Verb, commands, list, warnings};
use crate::systems::superscientist::record::PROMOTE;
use crate::systems::superscientist::shape::StageStatus;
use crate::text::Shown as _;
use crate::text::format;
use crate::world::World;

/// How many contradictions a prompt names.
const DISPUTED: usize = 5;

/// The hand-off of a point.
pub(crate) fn handoff(facts: &Facts, prospect: &Prospect<'_>, world: &dyn World) -> Handoff {
    let point = Scene::of(facts, world)
        .and_then(|scene| Some((scene, list::of_id(scene.flow, prospect.point)?)));
    let Some((scene, point)) = point else {
        return Handoff::default();
    };
    let content = prospect.content_of(&facts.state_path());
    let mut after = content.and_then(|content| facts.after(content, world));
    if let Some(flow) = &mut after {
        let leftovers = &mut flow.leftovers;
        leftovers.retain(|_, marker| !is_moved(marker, prospect));
    }
    let after = after.as_ref();
    let task = task(scene, after, point, prospect);
    let clean = Foreign::from(task.as_str()).clean();
    let prompt = format!("Invoke superscientist:session-resume. {clean}");
    let briefing = briefing(scene, after, (point, is_other(prospect.client)), &task);
    Handoff::new(&facts.wf, vec!["claude".into()], prompt, briefing)
}

/// Whether a program is another client than Claude Code, whose options the commands to copy have.
fn is_other(client: Option<&str>) -> bool {
    client.is_some_and(|client| Path::new(client).file_name() != Some("claude".as_ref()))
}

/// Whether the plan moves a file, or the folder that it is in.
fn is_moved(file: &Path, prospect: &Prospect<'_>) -> bool {
    let mut actions = prospect.actions.iter();
    actions.any(|action| action.kind == ActionKind::MoveAside && file.starts_with(&action.target))
}

/// The task of the session: the point's own, and corrections of the protocol's own rules.
fn task(scene: Scene<'_>, after: Option<&Flow>, point: Point, prospect: &Prospect<'_>) -> String {
    let Scene { facts, flow, .. } = scene;
    let wrote = !prospect.actions.is_empty();
    let mut all = vec![if point.verb == Verb::Amend {
        amended((flow, after), prospect)
    } else {
        own_task(flow, point, wrote)
    }];
    if point.verb == Verb::Completion
        && let Some(disputed) = disputed(prospect)
    {
        let then = "Then do the completion step (report, workflow_status, commit).";
        all = vec![disputed, then.to_owned()];
    }
    if matches!(point.verb, Verb::Rerun | Verb::Amend) {
        all.extend(failed_again(flow, point, prospect));
    }
    // A skip is done once it is written: the work that is left is another stage's.
    let next = after.filter(|_| point.verb == Verb::Skip);
    if let Some((after, next)) = next.and_then(|flow| Some((flow, list::recommended(flow)?))) {
        let stage = next.stage.and_then(|at| after.stage(at));
        // The next task asks whether the skipped stage counts as done.
        if next.verb == Verb::Rerun && stage.is_some_and(|s| list::needs_skipped(after, s)) {
            all = vec![format!(
                "Done by relight: {}.",
                list::done(flow, Some(after), point)
            )];
        }
        all.push(own_task(after, next, false));
        all.extend(warnings::failures(after, next));
    }
    all.extend(warnings::failures(after.unwrap_or(flow), point));
    let flow = after.unwrap_or(flow);
    let reruns = point.verb == Verb::Rerun && wrote;
    let invalidates = reruns || point.verb == Verb::Amend && !prospect.redone.is_empty();
    let mut before = flow.state.with(StageStatus::Invalidated);
    if invalidates || before.next().is_some() {
        all.push(PROMOTE.to_owned());
    }
    let ready = flow.state.with(StageStatus::Ready);
    let early = ready.filter(|stage| !flow.unmet(stage).is_empty());
    let early: Vec<usize> = early.map(|stage| stage.index).collect();
    if !early.is_empty() {
        let text = "Set these back to pending, because their dependencies are not done";
        all.push(format!("{text}: {}.", flow.ids(&early)));
    }
    all.extend(warnings::old_markers(flow, &warnings::all_marked(flow)));
    all.extend(warnings::unseen_markers(flow, |_| true));
    if facts.paused {
        all.push("A person paused the workflow with the file PAUSE: ask me whether it may go on before you run anything or remove the file.".to_owned());
    }
    if let Some(odd) = &facts.odd_log {
        let problem = &odd.problem;
        all.push(format!(
            "progress.log {problem}: ask me before you write to it."
        ));
    } else if facts.log.missing.is_some() {
        all.push("progress.log is missing: create it with a note about the recovery.".to_owned());
    } else if facts.is_log_emptied() {
        let text =
            "progress.log is empty although work was done: begin it with a note about the loss.";
        all.push(text.to_owned());
    }
    if !facts.has_init {
        let text = "init.sh is missing: write it again from the plan before you run anything.";
        all.push(text.to_owned());
    }
    all.join(" ")
}

/// What contradicts that every stage is done, as a question to the person.
fn disputed(prospect: &Prospect<'_>) -> Option<String> {
    let all = warnings::disputing(prospect.checks).map(|check| {
        let evidence = check.evidence.shown().to_string();
        let evidence = evidence.trim_end_matches('.');
        // `Its output … is empty` goes on after a colon.
        let rest = evidence.strip_prefix("It");
        let clause = rest.map_or_else(|| evidence.to_owned(), |rest| format!("it{rest}"));
        if let Subject::Stage { id, .. } = &check.about {
            format!("{id}: {clause}")
        } else if let Subject::Amendment(id) = &check.about {
            format!("{}: {clause}", id.shown())
        } else {
            evidence.to_owned()
        }
    });
    // Each is a sentence of its own.
    let all = (1..).zip(all).map(|(n, it)| format!("({n}) {it}"));
    let mut all: Vec<String> = all.collect();
    let more = all.len().saturating_sub(DISPUTED);
    all.truncate(DISPUTED);
    all.extend((more > 0).then(|| format!("and {more} more")));
    (!all.is_empty()).then(|| {
        let all = all.join("; ");
        format!("First clarify with me what contradicts that every stage is done: {all}.")
    })
}

/// The task after an amendment.
fn amended((flow, after): (&Flow, Option<&Flow>), prospect: &Prospect<'_>) -> String {
    let (_, stale) = again(flow, prospect);
    let stale = if stale.is_empty() {
        "No completed stage was invalidated by it.".to_owned()
    } else {
        let stale = stale.join(", ");
        format!("These stages were invalidated by it and must run again: {stale}.")
    };
    let new = list::inserted(after).map(|new| format!(" ({new})"));
    let new = new.unwrap_or_default();
    format!(
        "The plan was amended{new}: read the last amendment in workflow-state.json first. {stale}"
    )
}

/// The stages that run again by a point: those that failed, and those that it invalidates.
fn again<'a>(flow: &Flow, prospect: &'a Prospect<'_>) -> (Vec<Cow<'a, str>>, Vec<Cow<'a, str>>) {
    let is = |id: &str, status| flow.state.with(status).any(|stage| stage.id == id);
    let ids = prospect.redone.iter().map(|item| item.id.lossy());
    ids.filter(|id| !is(id, StageStatus::Invalidated))
        .partition(|id| is(id, StageStatus::Failed))
}

/// The failed stages that depend on what runs again: their next attempt needs the new results.
fn failed_again(flow: &Flow, point: Point, prospect: &Prospect<'_>) -> Option<String> {
    let (mut failed, _) = again(flow, prospect);
    let after = flow.graph.downstream(point.stage?);
    let after = || after.iter().filter_map(|at| flow.stage(*at));
    failed.retain(|id| after().any(|stage| stage.id == *id));
    let words = format::plural(failed.len(), "depends", "depend");
    let them = format::plural(failed.len(), "it", "them");
    (!failed.is_empty()).then(|| {
        let ids = format::list(&failed);
        format!("{ids} failed and {words} on this: retry {them} only afterwards.")
    })
}

/// The point's own task, in one or two sentences.
fn own_task(flow: &Flow, point: Point, wrote: bool) -> String {
    let Some(stage) = point.of(flow) else {
        let text = "Every stage is done: do the completion step (report, workflow_status, commit).";
        return text.to_owned();
    };
    let id = stage.plain_id();
    let row = flow.row(stage);
    match point.verb {
        Verb::Monitor => monitor(&id, row, wrote),
        Verb::Verify if flow.logged.contains_key(&stage.index) => format!(
            "Verify the results of {id} against its success_criteria before anything new: {}. Then correct the state file to match the files.",
            flow.verify_words(stage.index)
        ),
        Verb::Verify => format!(
            "Collect and verify the results of {id} against its success_criteria before anything new."
        ),
        Verb::Retry if wrote => format!(
            "{id} was made ready for one more attempt: find the cause of its failure first, then run it."
        ),
        Verb::Retry if flow.state.is_exhausted(stage) => format!(
            "{id} has used up its retries: show last_error and ask me whether to try once more or to skip it."
        ),
        Verb::Retry if row == Some(Row::AskExit) => format!(
            "{id}: {}. Look at its files and ask me whether it failed before you mark it failed, debug it systematically and retry it.",
            flow.job_words(stage.index).unwrap_or_default()
        ),
        Verb::Retry => format!(
            "Mark {id} failed if it is not, debug it systematically, then retry it."
        ),
        Verb::Rerun if flow.next == Next::Deadlock(stage.index) => {
            "No stage can continue. Tell me what blocks the stages and propose an amendment before you change anything.".to_owned()
        }
        Verb::Rerun if stage.status == StageStatus::Completed => {
            let ids = flow.ids(&points::invalidated(flow, stage.index));
            format!("These were invalidated by an amendment and must run again: {ids}.")
        }
        Verb::Rerun if wrote || stage.status == StageStatus::Ready => {
            let ask = " First ask me whether the skipped stage that it needs counts as done.";
            let ask = if list::needs_skipped(flow, stage) { ask } else { "" };
            format!("Run {id}; it is ready.{ask}")
        }
        Verb::Rerun if list::needs_skipped(flow, stage) => {
            format!("Ask me whether the skipped stage that {id} needs counts as done; if so, promote {id} to ready and run it.")
        }
        Verb::Rerun => format!("Promote {id} to ready and run it."),
        Verb::Skip if flow.graph.downstream(stage.index).is_empty() => {
            format!("{id} was skipped by an amendment.")
        }
        Verb::Skip => format!(
            "{id} was skipped by an amendment. Ask me whether it counts as done before you run a stage that depends on it."
        ),
        Verb::Fail => format!(
            "{id} was marked failed: debug it systematically, then retry it within its limit."
        ),
        Verb::Amend | Verb::Completion => String::new(),
    }
}

fn monitor(id: &str, row: Option<Row>, wrote: bool) -> String {
    match row {
        Some(Row::Keep) => {
            format!("Attach a background wait to the running job of {id} before anything else.")
        }
        Some(Row::AskMarker) if wrote => format!(
            "The old done marker of {id} was moved aside: launch its wrapper again in a new tmux session and wait for it."
        ),
        Some(Row::AskMarker) => format!(
            "Do not trust the done marker of {id}: ask me whether its job runs again; if so, move the marker and the exit code file aside, then launch the wrapper again and wait for it."
        ),
        _ => format!(
            "Launch the wrapper of {id} again with only `tmux new-session -d -s <name> \"bash <wrapper_script>\"`, set recovery_attempted, and wait for it."
        ),
    }
}

fn briefing(
    scene: Scene<'_>,
    after: Option<&Flow>,
    (point, own_client): (Point, bool),
    task: &str,
) -> String {
    let Scene { facts, flow, .. } = scene;
    let was = point.of(flow);
    let done = after.map(|_| format!("Done by relight: {}.", list::done(flow, after, point)));
    // What a change of the state file leaves to do follows from the changed file.
    let flow = after.unwrap_or(flow);
    let next = after.map_or(Some(point), list::recommended);
    let (id, wf) = (&flow.state.workflow_id, facts.wf.shown());
    let purpose = facts.log.purpose();
    let purpose = purpose.as_deref().unwrap_or("not stated in the log");
    let mut lines = vec![
        format!("Workflow {id} in {wf}"),
        format!("Purpose: {purpose}"),
    ];
    lines.extend(done);
    match next {
        Some(next) => lines.extend([
            format!("Next action: {}", list::label(flow, next)),
            format!("Why: {}", list::reason(flow, next)),
        ]),
        None => lines.push("Next action: none; nothing is left to do.".to_owned()),
    }
    lines.push(format!("Task: {task}"));
    lines.extend(sessions(facts, flow));
    lines.extend(flow.jobs.keys().filter_map(|at| {
        let stage = flow.stage(*at)?;
        Some(format!("Job of {}: {}.", stage.id, flow.job_words(*at)?))
    }));
    for at in warnings::all_marked(flow) {
        lines.push(format!("Stale done marker: {}.", flow.ids(&[at])));
    }
    let failed = next.and_then(|next| next.of(flow));
    // A retry clears the error, and its cause is still to be found.
    let failed = failed.map(|stage| match was {
        Some(was) if was.index == stage.index => was,
        _ => stage,
    });
    let failed = failed.filter(|stage| !stage.status.is_done());
    if let Some(error) = failed.and_then(|stage| stage.last_error.as_ref()) {
        lines.push(format!("Last error: {error}"));
    }
    lines.push(String::new());
    lines.push(protocol(facts));
    lines.push("To change parameters or criteria or to insert a stage, propose the amendment; `relight amend` records what I approve.".to_owned());
    lines.push(String::new());
    lines.extend(commands::all(scene, own_client, task));
    let clean = |line| Foreign::from(line).clean().into_string();
    let lines: Vec<String> = lines.into_iter().map(clean).collect();
    lines.join("\n")
}

/// The first steps of the resume protocol. Only existing files are named.
fn protocol(facts: &Facts) -> String {
    let mut read = vec!["the state file"];
    if facts.log.missing.is_none() {
        read.push("the last 50 lines of the log");
    }
    if facts.repo.is_ok() {
        read.push("`git log --oneline -10`");
    }
    let read = format::list(read);
    let init = if facts.has_init { " run init.sh;" } else { "" };
    format!(
        "Before anything new: read {read};{init} check every running job. Do not change a name, dependency, input, parameter, criterion or backend without an amendment that I approve."
    )
}

fn sessions(facts: &Facts, flow: &Flow) -> Vec<String> {
    let alive = flow.jobs.iter();
    let alive = alive.filter(|(_, job)| job.session == Session::Alive);
    let jobs = alive.filter_map(|(at, _)| flow.stage(*at)?.job.as_ref());
    let alive: Vec<&str> = jobs.map(|job| job.tmux_session.as_str()).collect();
    let runner = flow.state.runner_session();
    let mut sessions = facts.tmux.iter().flatten();
    let runs = sessions.any(|session| session.name == *runner);
    let alive = (!alive.is_empty()).then(|| format!("Live sessions: {}.", alive.join(", ")));
    let runs = runs.then(|| format!("The runner is alive: {runner}. Do not start a second one."));
    alive.into_iter().chain(runs).collect()
}

/// What the completion step must clarify first. A plan names failed checks by itself.
pub(crate) fn of_completion(checks: &[Check]) -> impl Iterator<Item = String> {
    let warned = warnings::disputing(checks).filter(|check| check.verdict == Verdict::Warn);
    warned.map(|check| format!("{}: {}", check.subject().shown(), check.evidence.shown()))
}

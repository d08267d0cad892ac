//! How the orchestrator goes on: the command, what to type, and a briefing that can be handed over as it is.

use crate::formats::json;
use crate::model::{Foreign, Handoff, Prospect};
use crate::systems::superscientist::facts::{Facts, Flow};
use crate::systems::superscientist::files::StageStatus;
use crate::systems::superscientist::jobs::{Row, Session};
use crate::systems::superscientist::next::Next;
use crate::systems::superscientist::runner::{self, quote};
use crate::world::World;

use super::{Point, Verb, points};

/// What a session is told when it is started without a terminal (format note, section i).
const ONE_SESSION: &str = "Invoke the session-resume skill for the workflow in this directory. The workflow-state.json and progress.log are in the current directory.";
/// The tools that such a session may use.
const TOOLS: &str = "Bash(*) Read Write Edit Glob Grep Agent Skill";

/// The hand-off of a point.
pub(crate) fn handoff(facts: &Facts, prospect: &Prospect<'_>, world: &dyn World) -> Handoff {
    let Ok(flow) = &facts.flow else {
        return Handoff::default();
    };
    let all = points::all(flow);
    let Some(point) = all
        .into_iter()
        .find(|p| points::id(flow, *p) == *prospect.point)
    else {
        return Handoff::default();
    };
    let task = task(flow, point, !prospect.actions.is_empty());
    Handoff {
        cwd: facts.wf.clone(),
        argv: vec!["claude".into()],
        prompt: format!(
            "Invoke superscientist:session-resume. {}",
            Foreign::from(task.as_str()).clean()
        )
        .into(),
        briefing: briefing(facts, flow, point, &task, world).into(),
        ..Handoff::default()
    }
}

/// What the session shall do, in a sentence or two.
fn task(flow: &Flow, point: Point, wrote: bool) -> String {
    let Some(stage) = point.stage.and_then(|at| flow.stage(at)) else {
        return "Every stage is done: carry out the completion step (report, workflow_status, commit).".to_owned();
    };
    let id = points::plain(stage);
    let row = flow.jobs.get(&stage.index).map(|job| job.row);
    match point.verb {
        Verb::Monitor => match row {
            Some(Row::Keep) => {
                format!("Attach a background wait to the running job of {id} before anything else.")
            }
            Some(Row::AskMarker) if wrote => {
                format!(
                    "The old done marker of {id} was moved aside: launch its wrapper again in a new tmux session and wait for it."
                )
            }
            Some(Row::AskMarker) => {
                format!(
                    "Do not trust the done marker of {id}: move it and the exit code file aside, then launch the wrapper again and wait for it."
                )
            }
            _ => format!(
                "Launch the wrapper of {id} again with only `tmux new-session -d -s <name> \"bash <wrapper_script>\"`, set recovery_attempted, and wait for it."
            ),
        },
        Verb::Verify => format!(
            "Collect and verify the results of {id} against its success_criteria before anything new."
        ),
        Verb::Retry if wrote => format!(
            "{id} was made ready for one more attempt: find the cause of its failure first, then run it."
        ),
        Verb::Retry if flow.state.is_exhausted(stage) => {
            format!(
                "{id} has used up its retries: show last_error and ask me whether to try once more or to skip it."
            )
        }
        Verb::Retry => format!(
            "Mark {id} failed if it is not, debug it systematically, then retry it. Move an old done marker aside before the launch."
        ),
        Verb::Rerun if flow.next == Next::Deadlock(stage.index) => {
            "Nothing can go on. Tell me what keeps the stages back and propose an amendment before you change anything.".to_owned()
        }
        Verb::Rerun if stage.status == StageStatus::Completed => {
            let ids = flow.ids(&super::invalidated(flow, stage.index));
            format!(
                "These were invalidated by an amendment: {ids}. Promote each to ready when its dependencies are completed, exactly like a pending stage, and run it."
            )
        }
        Verb::Rerun if wrote || stage.status == StageStatus::Ready => {
            format!("Run {id}; it is ready.")
        }
        Verb::Rerun if flow.next == Next::AfterSkip(stage.index) => {
            format!("Ask me whether the skipped stage that {id} needs counts as done; if so, promote {id} to ready and run it.")
        }
        Verb::Rerun => format!("Promote {id} to ready (an invalidated stage exactly like a pending one, its operational fields cleared) and run it."),
        Verb::Skip => format!(
            "{id} was skipped by an amendment; I confirm that it counts as done for what rests on it."
        ),
        Verb::Fail => format!(
            "{id} was marked failed: debug it systematically, then retry it within its limit."
        ),
        Verb::Completion => String::new(),
    }
}

fn briefing(facts: &Facts, flow: &Flow, point: Point, task: &str, world: &dyn World) -> String {
    let file = &flow.state;
    let mut lines = vec![
        format!("Workflow {} in {}", file.workflow_id, facts.wf.display()),
        format!(
            "Purpose: {}",
            facts.log.purpose().unwrap_or("not stated in the log")
        ),
        format!("Done: {} of {} stages.", file.done(), file.stages.len()),
        format!("Next action: {}", points::label(flow, point)),
        format!("Why: {}", points::reason(flow, point)),
        format!("Task: {task}"),
    ];
    lines.extend(sessions(facts, flow));
    lines.extend(flow.jobs.keys().filter_map(|at| {
        let stage = flow.stage(*at)?;
        Some(format!("Job of {}: {}.", stage.id, flow.job_words(*at)?))
    }));
    for at in flow.leftovers.keys() {
        lines.push(format!("Stale done marker: {}.", flow.ids(&[*at])));
    }
    if let Some(error) = point
        .stage
        .and_then(|at| flow.stage(at))
        .and_then(|s| s.last_error.as_ref())
    {
        lines.push(format!("Last error: {error}"));
    }
    lines.extend(
        points::warnings(facts, flow, point)
            .iter()
            .map(|w| format!("Mind: {}", w.lossy())),
    );
    lines.push(String::new());
    lines.push("Before anything new: read the state file, the last 50 lines of the log and `git log --oneline -10`; run init.sh; settle every running job. Do not change a name, dependency, input, parameter, criterion or backend without an amendment that I approve.".to_owned());
    lines.push("To change parameters or criteria or to insert a stage, propose the amendment in the session; relight records only re-runs and skips.".to_owned());
    lines.push(String::new());
    lines.extend(commands(facts, flow, world));
    lines
        .iter()
        .map(|line| Foreign::from(line.as_str()).clean().into_string())
        .collect::<Vec<_>>()
        .join("\n")
}

fn sessions(facts: &Facts, flow: &Flow) -> Vec<String> {
    let alive: Vec<&str> = flow
        .jobs
        .iter()
        .filter(|(_, job)| job.session == Session::Alive)
        .filter_map(|(at, _)| flow.stage(*at)?.job.as_ref())
        .map(|job| job.tmux_session.as_str())
        .collect();
    let runner = flow.state.runner_session();
    let runs = facts
        .tmux
        .as_ref()
        .is_ok_and(|all| all.iter().any(|s| s.name == *runner));
    let mut lines = Vec::new();
    if !alive.is_empty() {
        lines.push(format!("Live sessions: {}.", alive.join(", ")));
    }
    if runs {
        lines.push(format!(
            "The runner is alive: {runner}. Do not start a second one."
        ));
    }
    lines
}

/// Commands to copy.
fn commands(facts: &Facts, flow: &Flow, world: &dyn World) -> Vec<String> {
    let wf = facts.wf.to_string_lossy().into_owned();
    if facts.wf.to_str().is_none() || wf.chars().any(char::is_control) {
        return vec![
            "The path of the workflow cannot be written into a command; change into it by hand."
                .to_owned(),
        ];
    }
    let at = quote(&wf);
    let name = quote(&format!("={}", flow.state.runner_session()));
    let mut lines = vec![
        format!("Interactive: cd {at} && claude"),
        format!(
            "One session: cd {at} && timeout 7200 claude -p {} --allowedTools {}",
            quote(ONE_SESSION),
            quote(TOOLS)
        ),
    ];
    let script = runner::find(facts, world);
    let script = script
        .as_ref()
        .map(|path| path.to_string_lossy().into_owned());
    match script.filter(|path| !path.chars().any(char::is_control)) {
        Some(path) => {
            let chain = format!("bash {} {at} 20", quote(&path));
            let session = quote(&flow.state.runner_session());
            lines.push(format!(
                "Chain of sessions: tmux new-session -d -s {session} {}",
                quote(&chain)
            ));
        }
        None => lines.push(
            "Chain of sessions: run-workflow.sh was not found; it lies at the root of the plugin."
                .to_owned(),
        ),
    }
    lines.push(if facts.paused {
        format!("Resume: rm {at}/PAUSE")
    } else {
        format!("Pause: touch {at}/PAUSE")
    });
    lines.push(format!("Stop the runner: tmux kill-session -t {name}"));
    lines.push(format!("Watch: tail -f {at}/progress.log"));
    if json::child(&flow.state.map, "session_config").is_none() {
        lines.push("The state file has no session_config: sessions are not counted.".to_owned());
    }
    lines
}

//! The commands of a briefing: sessions with and without a terminal, the runner, the pause.

use std::path::Path;

use crate::formats::json;
use crate::model::Foreign;
use crate::systems::superscientist::facts::{Scene, runner};
use crate::text::format::quoted;

/// The prompt of a session without a terminal.
const ONE_SESSION: &str = "Invoke the session-resume skill for the workflow in this directory.";
/// The tools that such a session may use.
const TOOLS: &str = "Bash(*) Read Write Edit Glob Grep Agent Skill";

/// Commands to copy. Another client has other options: its command is the hand-off's.
pub(super) fn all(scene: Scene<'_>, own_client: bool, task: &str) -> Vec<String> {
    let Scene { facts, flow, .. } = scene;
    let Some(wf) = typed(&facts.wf) else {
        let text = "The path of the workflow cannot be part of a command; change to it yourself.";
        return vec![text.to_owned()];
    };
    let at = quoted(wf);
    let name = quoted(&format!("={}", flow.state.runner_session()));
    let mut lines = Vec::new();
    if !own_client {
        let task = Foreign::from(task).clean();
        let prompt = quoted(&format!("{ONE_SESSION} {}", task.as_str()));
        lines.push(format!("Interactive: cd {at} && claude"));
        lines.push(format!(
            "One session: cd {at} && timeout 7200 claude -p {prompt} --allowedTools {}",
            quoted(TOOLS)
        ));
    }
    // The runner starts claude, whatever client the configuration names.
    let ran = facts.log.has_runner();
    if !own_client || ran {
        lines.extend(chain(scene, &at, task));
        lines.push(format!("Stop the runner: tmux kill-session -t {name}"));
    }
    if own_client && ran {
        lines.push("run-workflow.sh starts claude; the log has sessions of it.".to_owned());
    }
    lines.push(if facts.paused {
        format!("Resume, once the person says that it may go on: rm {at}/PAUSE")
    } else {
        format!("Pause: touch {at}/PAUSE")
    });
    if facts.log.missing.is_none() {
        lines.push(format!("Watch: tail -f {at}/progress.log"));
    }
    if json::child(&flow.state.map, "session_config").is_none() {
        lines.push("The state file has no session_config: sessions are not counted.".to_owned());
    }
    lines
}

/// A path that can be part of a command.
fn typed(path: &Path) -> Option<&str> {
    let path = path.to_str()?;
    (!path.chars().any(char::is_control)).then_some(path)
}

/// How the runner is started. Its sessions get a fixed prompt, so everything in the task beyond the protocol must reach
/// them through the log, whose end every session reads.
fn chain(scene: Scene<'_>, at: &str, task: &str) -> Vec<String> {
    let script = runner::find(scene.facts, scene.world);
    let Some(path) = script.as_deref().and_then(typed) else {
        let text = "Chain of sessions: run-workflow.sh was not found; it is in the plugin's top directory.";
        return vec![text.to_owned()];
    };
    let chain = format!("bash {} {at} 20", quoted(path));
    let session = quoted(&scene.flow.state.runner_session());
    let note = format!("Task for the next session: {}", Foreign::from(task).clean());
    let first =
        "The runner uses its own prompt for its sessions; write the task into the log first.";
    vec![
        first.to_owned(),
        format!(
            "Chain of sessions: echo \"[$(date -Iseconds)] \"{} >> {at}/progress.log && tmux new-session -d -s {session} {}",
            quoted(&note),
            quoted(&chain)
        ),
    ]
}

//! `relight hooks`: what to paste where, so that a pipeline is checkpointed and recorded. Prints and never writes.

use serde_json::{Value, json};

use super::setup::Session;
use crate::cli::answer::{Answer, Failure, Tone};
use crate::cli::page::Page;
use crate::engine::{EngineError, ErrorKind};

/// A snippet: what it is for, the file it belongs to, and its text.
struct Snippet {
    title: &'static str,
    file: &'static str,
    text: String,
}

/// Claude Code's settings. A hook that fails must not stop the agent.
const CLAUDE: &str = r#"{
  "hooks": {
    "SessionStart": [
      { "hooks": [{ "type": "command", "command": "relight list --brief --quiet || true" }] }
    ],
    "PostToolUse": [
      {
        "matcher": "Edit|Write|NotebookEdit",
        "hooks": [{ "type": "command", "command": "[ -z \"$RELIGHT_PIPELINE\" ] || relight checkpoint \"$RELIGHT_PIPELINE\" --reason 'after an edit' --quiet >/dev/null || true" }]
      }
    ],
    "Stop": [
      { "hooks": [{ "type": "command", "command": "[ -z \"$RELIGHT_PIPELINE\" ] || relight checkpoint \"$RELIGHT_PIPELINE\" --reason 'end of a turn' --tree --quiet >/dev/null || true" }] }
    ]
  }
}"#;

const GIT: &str = r#"#!/bin/sh
[ -z "$RELIGHT_PIPELINE" ] ||
    relight checkpoint "$RELIGHT_PIPELINE" --reason "commit $(git rev-parse --short HEAD)" --quiet >/dev/null || true"#;

const PROMPT: &str = r#"relight_waiting() { relight list --brief --quiet 2>/dev/null | head -n 1; }
PS1='$(relight_waiting)'"$PS1""#;

/// What an orchestrator's prompt should say, by system.
const ORCHESTRATORS: [(&str, &str); 5] = [
    (
        "crucible",
        "Never write manifest.jsonl, dispatch files or .pipeline-active yourself. Call:
relight record SESSION init --system crucible                     (at the start)
relight record SESSION dispatch ROLE --phase P --template T --body FILE   (before a dispatch; prints number and file)
relight record SESSION done SEQ --status completed --summary TEXT         (when it returns)
relight checkpoint SESSION --reason pre-wave-N                            (at each boundary)
relight record SESSION phase P --from HANDOFF.md                          (between phases)
relight record SESSION finish                                             (at the end)",
    ),
    (
        "autoconference",
        "Never write conference_events.jsonl or the result tables yourself. Call:
relight record DIR init                                                   (at the start)
relight record DIR round.started researcher_states:='[\"A:ready\"]'
relight record DIR iteration --researcher A --iteration N --value V --status kept --description TEXT
relight checkpoint DIR --reason 'end of round N'
relight record DIR conference.completed",
    ),
    (
        "mgw",
        "Never write the issue's JSON file with node or jq. Call:
relight record N --step plan --stage planning --action spawn-executor --context plan_num=4
relight record N --step execute --stage executing --progress tasks_completed=2
relight checkpoint N --reason 'before verify'
relight record N complete",
    ),
    (
        "superscientist",
        "Never write workflow-state.json or progress.log yourself. Call:
relight record WORKFLOW session start --note TEXT
relight record WORKFLOW stage-N preparing|running|post_processing|completed
relight record WORKFLOW stage-N failed --error TEXT
relight wait WORKFLOW stage-N
relight checkpoint WORKFLOW --reason 'stage-N completed'",
    ),
    (
        "nine-step",
        "Never write workflow-state.json yourself. Call:
relight record WORKTREE --phase P --step S --status completed|failed [--error TEXT]
relight record WORKTREE --phase P --step 2.5 --status approved --approved-by NAME
relight checkpoint WORKTREE --reason 'phase P done' --tree",
    ),
];

pub(super) fn run(
    session: &Session,
    system: Option<&str>,
    width: usize,
) -> Result<Answer, Failure> {
    let known: Vec<&str> = session.engine.systems().collect();
    let system = system.or(session.request.system.as_deref());
    if let Some(name) = system.filter(|name| !known.contains(name)) {
        let error = EngineError::new(ErrorKind::Usage, format!("There is no system {name}."));
        return Err(error.near(name, known).into());
    }
    let snippets = snippets(system);
    let mut page = Page::new(width);
    let text = "Nothing is written. Set RELIGHT_PIPELINE to the pipeline that hooks checkpoint.";
    page.say(Tone::Plain, text);
    for snippet in &snippets {
        page.blank();
        page.say(Tone::Strong, snippet.title);
        page.indent(2, Tone::Faint, snippet.file);
        for line in snippet.text.lines() {
            // Broken lines could not be pasted.
            page.line([Tone::Plain.of(line)]);
        }
    }
    let one = |snippet: &Snippet| json!({"title": snippet.title, "file": snippet.file, "text": snippet.text});
    let all: Vec<Value> = snippets.iter().map(one).collect();
    Ok(Answer::new(json!({"schema": 1, "hooks": all}), page))
}

fn snippets(system: Option<&str>) -> Vec<Snippet> {
    let fixed = [
        ("Claude Code hooks", ".claude/settings.json", CLAUDE),
        (
            "Git hook",
            ".git/hooks/post-commit (make it executable)",
            GIT,
        ),
        ("Shell prompt", "~/.bashrc", PROMPT),
    ];
    let fixed = fixed.map(|(title, file, text)| (title, file, text.to_owned()));
    let wanted = ORCHESTRATORS
        .iter()
        .filter(|(name, _)| system.is_none_or(|one| one == *name));
    let orchestrators = wanted.map(|(_, text)| {
        (
            "Lines for an orchestrator's prompt",
            "the prompt or the skill",
            (*text).to_owned(),
        )
    });
    let all = fixed.into_iter().chain(orchestrators);
    all.map(|(title, file, text)| Snippet { title, file, text })
        .collect()
}

//! `relight hooks`: the text to paste into an orchestrator, so that its pipelines are checkpointed and recorded. Prints
//! and never writes.

use serde_json::{Value, json};

use crate::cli::prelude::*;

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
        "matcher": "Edit|MultiEdit|Write|NotebookEdit",
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

// In PS1 itself the line would lose its newline. The exit status is handed on, because prompts show it.
const PROMPT: &str = r#"relight_waiting() { set -- "$?"; relight list --brief --quiet --filter status:waiting 2>/dev/null | head -n 1; return "$1"; }
PROMPT_COMMAND="relight_waiting; $PROMPT_COMMAND""#;

pub(super) fn run(session: &Session, system: Option<&str>) -> Result<Answer> {
    let system = system.or(session.request.system.as_deref());
    if let Some(name) = system.filter(|name| !session.engine.systems().any(|one| one == *name)) {
        return Err(session.engine.no_system(name));
    }
    let mut page = session.page();
    let prompts = prompts(session.engine.prompts(system));
    let snippets: Vec<Snippet> = if let Some(name) = system {
        let text = match prompts.as_slice() {
            [] => clean!(
                "There are no lines for {}: relight only reads its files.",
                name
            ),
            [..] => Clean::new("Nothing is written."),
        };
        page.say(Tone::Plain, text);
        prompts
    } else {
        let text =
            "Nothing is written. Set RELIGHT_PIPELINE to the pipeline that hooks checkpoint.";
        page.say(Tone::Plain, text);
        hooks().into_iter().chain(prompts).collect()
    };
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

/// The hooks, which are the same for every system.
fn hooks() -> [Snippet; 3] {
    let git = ".git/hooks/post-commit (make it executable)";
    [
        ("Claude Code hooks", ".claude/settings.json", CLAUDE),
        ("Git hook", git, GIT),
        ("Shell prompt", "~/.bashrc", PROMPT),
    ]
    .map(|(title, file, text)| Snippet {
        title,
        file,
        text: text.to_owned(),
    })
}

fn prompts<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<Snippet> {
    let prompt = |text: &str| Snippet {
        title: "Lines for an orchestrator's prompt",
        file: "the prompt or the skill",
        text: text.to_owned(),
    };
    texts.map(prompt).collect()
}

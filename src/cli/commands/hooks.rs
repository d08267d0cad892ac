//! `relight hooks`: the text to paste into an orchestrator, so that its pipelines are checkpointed and recorded. Prints
//! and never writes.

use serde::Serialize;
use serde_json::json;

use crate::cli::page::block;
use crate::cli::prelude::*;

/// A snippet: what it is for, the file it belongs to, and its text.
#[derive(Serialize)]
struct Snippet {
    title: &'static str,
    file: String,
    text: &'static str,
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

const GIT_FILE: &str = ".git/hooks/post-commit (make it executable)";
const GIT: &str = r#"#!/bin/sh
[ -z "$RELIGHT_PIPELINE" ] ||
    relight checkpoint "$RELIGHT_PIPELINE" --reason "commit $(git rev-parse --short HEAD)" --quiet >/dev/null || true"#;

// In PS1 itself the line would lose its newline. The exit status is handed on, because prompts show it.
const PROMPT: &str = r#"relight_waiting() { set -- "$?"; relight list --brief --quiet --filter status:waiting 2>/dev/null | head -n 1; return "$1"; }
PROMPT_COMMAND="relight_waiting; $PROMPT_COMMAND""#;

/// The hooks, which are the same for every system.
const HOOKS: [(&str, &str, &str); 3] = [
    ("Claude Code hooks", ".claude/settings.json", CLAUDE),
    ("Git hook", GIT_FILE, GIT),
    ("Shell prompt", "~/.bashrc", PROMPT),
];

pub(super) fn run(session: &Session, system: Option<&str>) -> Result<Answer> {
    let system = system.or(session.request.system.as_deref());
    if let Some(name) = system.filter(|name| !session.engine.systems().any(|one| one == *name)) {
        return Err(session.engine.no_system(name));
    }
    let prompts = session.engine.prompts(system).map(|(name, text)| Snippet {
        title: "Lines for an orchestrator's prompt",
        file: format!("the prompt of {name}'s orchestrator"),
        text,
    });
    let hooks = HOOKS.iter().filter(|_| system.is_none());
    let hooks = hooks.map(|(title, file, text)| Snippet {
        title,
        file: (*file).to_owned(),
        text,
    });
    let snippets: Vec<Snippet> = hooks.chain(prompts).collect();
    let mut page = session.page();
    let text = match system {
        Some(name) if snippets.is_empty() => {
            let why = "relight only reads its files.";
            clean!("There are no lines for {}: {}", name, why)
        }
        Some(_) => Clean::new("Nothing is written."),
        None => {
            let set = "Set RELIGHT_PIPELINE to the pipeline that hooks checkpoint.";
            clean!("Nothing is written. {}", set)
        }
    };
    page.say(Tone::Plain, text);
    for snippet in &snippets {
        page.blank();
        page.say(Tone::Strong, snippet.title);
        page.indent(2, Tone::Faint, &snippet.file);
        // Broken lines could not be pasted.
        page.lines(block(&snippet.text.into()));
    }
    Ok(Answer::new(json!({"schema": 1, "hooks": snippets}), page))
}

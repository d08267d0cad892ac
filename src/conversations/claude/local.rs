//! Lines of a person that the client answered by itself: local commands (`/exit`, `!git status`) with their output, and
//! notifications. They start no turn, so they tell nothing about how the last one ended.

use super::background;
use super::entry::{Entry, Role};

/// The beginnings of outputs of slash commands.
const OUTPUTS: &[&str] = &["<local-command-stdout>", "<local-command-stderr>"];
/// The beginnings of other such lines.
const OTHERS: &[&str] = &[
    "<local-command-caveat>",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
];
/// Commands that the client carries out itself. Their output is missing where it was closed meanwhile, and in some
/// versions.
const COMMANDS: &[&str] = &[
    "clear",
    "config",
    "context",
    "cost",
    "effort",
    "exit",
    "extra-usage",
    "help",
    "login",
    "logout",
    "model",
    "quit",
    "rate-limit-options",
    "resume",
    "stats",
    "status",
    "upgrade",
    "usage",
];

/// Walks backwards over the lines.
#[derive(Default)]
pub(in crate::conversations) struct Local {
    /// Whether the output of a command was seen, and the command not yet.
    output: bool,
}

impl Local {
    /// Whether the line before those that were seen is such a line. Skills and the person's own commands start a turn
    /// and have no output of this kind.
    pub(in crate::conversations) fn wrote(&mut self, entry: &Entry) -> bool {
        let texts = entry.texts();
        let is = |begins: &[&str]| {
            let begins = |text: &&str| begins.iter().any(|one| text.trim_start().starts_with(one));
            !texts.is_empty() && texts.iter().all(begins)
        };
        if entry.role != Role::User || entry.answers().next().is_some() {
            return false;
        }
        if is(OUTPUTS) {
            self.output = true;
            return true;
        }
        if is(&["<command-name>", "<command-message>"]) {
            let mut names = entry.typed().map(|(name, _)| name);
            let output = std::mem::take(&mut self.output);
            return output || names.any(|name| COMMANDS.contains(&name.as_str()));
        }
        is(OTHERS) || texts.iter().any(|text| background::is_notice(text))
    }
}

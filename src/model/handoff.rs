//! The hand-off: how the original orchestrator resumes.

use std::path::{Path, PathBuf};

use chrono::{DateTime, FixedOffset};

use super::{Clean, Foreign, Stamp};
use crate::clean;
use crate::text::format::{shell_line, shell_word};

/// The briefing and the command with which the original orchestrator resumes.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Handoff {
    /// The directory in which to run the command.
    #[serde(with = "crate::text::stored")]
    pub cwd: PathBuf,
    /// The command as an argument vector; it never passes through a shell.
    pub argv: Vec<Foreign>,
    /// What to type once it runs; empty where the command contains it.
    pub prompt: Foreign,
    /// The text to hand over, lines separated by `\n`.
    pub briefing: Foreign,
    /// The file that holds the briefing, named in the prompt; `None` where nothing was written.
    #[serde(skip)]
    pub briefing_file: Option<PathBuf>,
    /// The reset of the usage limit at which the agent stopped.
    #[serde(skip)]
    pub limit_until: Option<Stamp>,
    /// Whether the work starts over, so that an old conversation would be misleading.
    #[serde(skip)]
    pub starts_over: bool,
}

impl Handoff {
    /// A command, run in a directory, with what to type and what to hand over.
    pub fn new(
        cwd: impl Into<PathBuf>,
        argv: Vec<Foreign>,
        prompt: impl Into<Foreign>,
        briefing: impl Into<Foreign>,
    ) -> Self {
        Self {
            cwd: cwd.into(),
            argv,
            prompt: prompt.into(),
            briefing: briefing.into(),
            ..Self::default()
        }
    }

    /// The same, its prompt naming the file that holds the briefing.
    #[must_use]
    pub fn briefed_by(self, file: &Path) -> Self {
        let named = Foreign::from(file.as_os_str()).clean().into_string();
        let file = Some(file.to_owned());
        let prompt = said(&self.prompt, &format!("Read {named} first."));
        Self {
            briefing_file: file,
            ..self.saying(prompt.into())
        }
    }

    /// The same, its prompt carrying the whole briefing: for a plan, which writes no file.
    #[must_use]
    pub fn with_briefing_inline(self) -> Self {
        if self.briefing.is_empty() || self.prompt.is_empty() {
            return self;
        }
        let prompt = [self.prompt.as_bytes(), b"\n\n", self.briefing.as_bytes()].concat();
        self.saying(prompt.into())
    }

    /// The same with another prompt, which is also the last word of the command.
    #[must_use]
    pub fn saying(self, prompt: Foreign) -> Self {
        let mut argv = self.argv;
        if argv.len() > 1 && argv.last() == Some(&self.prompt) {
            argv.pop();
        }
        if !argv.is_empty() && !prompt.is_empty() {
            argv.push(prompt.clone());
        }
        Self {
            argv,
            prompt,
            ..self
        }
    }

    /// What a person must know before the command is run, in a sentence: a usage limit that has not reset.
    pub fn limit(&self, now: DateTime<FixedOffset>) -> Option<String> {
        let until = self.limit_until.filter(|until| until.at > now)?;
        let until = until.words();
        Some(format!(
            "The usage limit resets at {until}: an agent that starts before that stops again."
        ))
    }

    /// The command as a line that a POSIX shell reads as exactly this argument vector, with `cd` first. `None` where an
    /// argument contains a control or invisible character: such a line is never offered for copying.
    pub fn command_line(&self) -> Option<Clean> {
        if self.argv.is_empty() {
            return None;
        }
        let directory = shell_word(self.cwd.to_str()?)?;
        Some(clean!("cd {} && {}", directory, shell_line(&self.argv)?))
    }
}

/// A prompt with a sentence added. After a slash command the sentence is in parentheses, so that it is not read as an
/// argument.
pub fn said(prompt: &Foreign, sentence: &str) -> String {
    let prompt = prompt.lossy();
    let prompt = prompt.trim_end();
    match prompt.strip_suffix(')') {
        _ if prompt.is_empty() || sentence.is_empty() => format!("{prompt}{sentence}"),
        Some(open) if prompt.starts_with('/') => format!("{open} {sentence})"),
        None if prompt.starts_with('/') => format!("{prompt} ({sentence})"),
        Some(_) | None => format!("{prompt} {sentence}"),
    }
}

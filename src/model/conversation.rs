//! Conversations of agents that worked on a pipeline.

use std::path::PathBuf;

use chrono::{DateTime, FixedOffset};

use super::{Aliveness, Cause, Clean, Foreign, Stamp};
use crate::text::format::{self, shell_line, shell_path};
use crate::{clean, string_enum};

string_enum! {
    /// The program that holds a conversation.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Client {
        /// Claude Code.
        ClaudeCode = "claude-code",
        /// Codex CLI.
        Codex = "codex",
        /// Gemini CLI.
        GeminiCli = "gemini-cli",
        /// opencode.
        Opencode = "opencode",
    }
}

impl Client {
    /// Whether the command that continues a conversation takes a prompt as its last word.
    pub const fn takes_prompt(self) -> bool {
        matches!(self, Self::ClaudeCode | Self::Codex)
    }

    /// Its name in a sentence.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::GeminiCli => "Gemini CLI",
            Self::Opencode => "opencode",
        }
    }
}

/// A command, and the directory it is meant for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResumeCommand {
    /// The directory; `None` where it is not known.
    pub cwd: Option<PathBuf>,
    /// The program and its arguments.
    pub argv: Vec<Foreign>,
}

impl ResumeCommand {
    /// The command as a line that a POSIX shell reads back as exactly this argument vector. `None` where an
    /// argument has control or invisible characters.
    pub fn line(&self) -> Option<Clean> {
        let command = shell_line(&self.argv)?;
        match &self.cwd {
            Some(cwd) => Some(clean!("cd {} && {}", shell_path(cwd)?, command)),
            None => Some(command),
        }
    }
}

/// A passage of a conversation. Shown only where a person asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// Who said it: `person`, `agent`, `tool`.
    pub from: &'static str,
    /// When.
    pub at: Option<Stamp>,
    /// What was said, shortened, with secrets removed.
    pub text: Foreign,
}

/// A conversation of an agent that worked on a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// The program that holds it.
    pub client: Client,
    /// Its id, by which the client resumes it.
    pub id: Foreign,
    /// Its file.
    pub file: PathBuf,
    /// The directory it last worked in.
    pub cwd: Option<PathBuf>,
    /// The branch it last worked on.
    pub branch: Option<Foreign>,
    /// Its first time.
    pub started_at: Option<Stamp>,
    /// Its last time.
    pub last_at: Option<Stamp>,
    /// What one reply of it last read: the cost of resuming it.
    pub tokens: Option<u64>,
    /// Whether it is open now.
    pub alive: Aliveness,
    /// Why it is taken to have worked on the pipeline, the strongest reason first.
    pub reasons: Vec<Foreign>,
    /// When its client will delete it, as an estimate.
    pub expires_at: Option<Stamp>,
    /// How to resume it; `None` where it is open or its directory is gone.
    pub resume: Option<ResumeCommand>,
    /// How it ended.
    pub cause: Cause,
    /// Whether it went on to other work after the pipeline's last write, so that its end may be about that.
    pub went_on: bool,
    /// Its last passages. Empty unless they were asked for.
    pub quotes: Vec<Quote>,
}

impl Conversation {
    /// Its client and the beginning of its id.
    pub fn name(&self) -> Clean {
        clean!(
            "{} {}",
            self.client.word(),
            format::short_uuid(&self.id.lossy())
        )
    }

    /// Whether it is open.
    pub const fn state(&self) -> &'static str {
        match self.alive {
            Aliveness::Alive => "open now",
            Aliveness::Dead => "closed",
            Aliveness::Unknown => "unknown whether it is open",
        }
    }

    /// What a person should know of it, with its label each, without its file and the command that continues it.
    pub fn facts(&self, now: DateTime<FixedOffset>) -> Vec<(&'static str, Clean)> {
        let time = |at: Option<Stamp>| at.map_or_else(|| "unknown".to_owned(), |at| at.words());
        let ago = format::ago(now, self.last_at.map(|at| at.at));
        let ended = clean!("{}: {}", self.cause.kind.label(), self.cause.sentences());
        let times = clean!(
            "{} to {} ({})",
            time(self.started_at),
            time(self.last_at),
            ago
        );
        let cost = |tokens| clean!("re-reads {}", format::count(tokens, "token"));
        let reasons: Vec<_> = self.reasons.iter().map(|reason| reason.lossy()).collect();
        let expires = |at: Stamp| clean!("about {}, by its client", format::date(at.at));
        let branch = self.branch.as_ref();
        let facts = [
            Some(("ended", ended)),
            Some(("time", times)),
            Some(("state", Clean::new(self.state()))),
            branch.map(|branch| ("branch", branch.clean())),
            self.tokens.map(|tokens| ("cost", cost(tokens))),
            Some(("match", Clean::new(&reasons.join(" ")))),
            self.expires_at.map(|at| ("deleted", expires(at))),
        ];
        facts.into_iter().flatten().collect()
    }
}

//! Why a pipeline stopped, and the conversations of agents that worked on it.

use std::path::PathBuf;

use chrono::{DateTime, FixedOffset, TimeDelta};

use super::{Aliveness, Clean, Foreign, Stamp, Status};
use crate::text::format::{self, shell_line, shell_path};
use crate::{clean, string_enum};

string_enum! {
    /// What stopped a pipeline or an agent.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum CauseKind {
        /// Nothing: it is running.
        Running = "running",
        /// A question that nobody answered.
        WaitingAnswer = "waiting_answer",
        /// A plan or a gate that nobody approved.
        WaitingApproval = "waiting_approval",
        /// A permission prompt of the client.
        WaitingPermission = "waiting_permission",
        /// A usage limit of the plan.
        UsageLimit = "usage_limit",
        /// Overload, a server error, the network, a throttle or a model that does not exist.
        ApiError = "api_error",
        /// Login or billing.
        Auth = "auth",
        /// The context was full.
        ContextFull = "context_full",
        /// A reply was longer than allowed.
        OutputLimit = "output_limit",
        /// The model refused.
        Refused = "refused",
        /// A person interrupted it.
        UserInterrupted = "user_interrupted",
        /// A person denied a tool call.
        ToolDenied = "tool_denied",
        /// It ended in the middle of a tool call.
        KilledInTool = "killed_in_tool",
        /// It ended after a tool call and before the next reply.
        KilledBetweenTurns = "killed_between_turns",
        /// It ended before or in a reply.
        CutWhileStreaming = "cut_while_streaming",
        /// A hook stopped it.
        HookStopped = "hook_stopped",
        /// The limit on turns was reached.
        TurnLimit = "turn_limit",
        /// The limit on cost was reached.
        BudgetLimit = "budget_limit",
        /// The turn ended; nothing more was asked of it.
        TurnEnded = "turn_ended",
        /// The turn ended while background work was unfinished.
        BackgroundUnfinished = "background_unfinished",
        /// A program or script that the pipeline ran failed.
        ScriptFailed = "script_failed",
        /// Nothing that relight knows.
        Unknown = "unknown",
    }
}

impl CauseKind {
    /// The cause as a column shows it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::WaitingAnswer => "needs answer",
            Self::WaitingApproval => "needs approval",
            Self::WaitingPermission => "permission prompt",
            Self::UsageLimit => "usage limit",
            Self::ApiError => "API error",
            Self::Auth => "login or billing",
            Self::ContextFull => "context full",
            Self::OutputLimit => "output limit",
            Self::Refused => "model refused",
            Self::UserInterrupted => "interrupted by user",
            Self::ToolDenied => "tool denied",
            Self::KilledInTool => "tool call",
            Self::KilledBetweenTurns => "between turns",
            Self::CutWhileStreaming => "cut-off reply",
            Self::HookStopped => "stopped by a hook",
            Self::TurnLimit => "turn limit",
            Self::BudgetLimit => "budget limit",
            Self::TurnEnded => "turn ended",
            Self::BackgroundUnfinished => "background work unfinished",
            Self::ScriptFailed => "step failed",
            Self::Unknown => "unknown",
        }
    }

    /// Whether a person is awaited.
    pub const fn awaits_person(self) -> bool {
        matches!(
            self,
            Self::WaitingAnswer | Self::WaitingApproval | Self::WaitingPermission
        )
    }

    /// Whether a fresh conversation is better than the old one: the old one cannot continue, or would fail again.
    pub const fn wants_fresh(self) -> bool {
        matches!(self, Self::ContextFull | Self::Refused)
    }
}

string_enum! {
    /// How sure a cause is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Sure {
        /// The records allow other explanations.
        Guess = "guess",
        /// The records point to it, and another explanation is possible.
        Likely = "likely",
        /// Recorded as such.
        Certain = "certain",
    }
}

/// One record that a cause was concluded from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CauseEvidence {
    /// The file.
    pub file: PathBuf,
    /// Its line, counted from 1, where the file was read from its beginning.
    pub line: Option<u64>,
    /// What it says, in words of relight's own: never a quotation.
    pub text: Foreign,
}

impl CauseEvidence {
    /// Its file, with the line where that is known: `state.json:12`.
    pub fn place(&self) -> Clean {
        match self.line {
            Some(line) => clean!("{}:{}", self.file, line),
            None => clean!("{}", self.file),
        }
    }
}

/// Why something stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// What stopped it.
    pub kind: CauseKind,
    /// The same in a sentence.
    pub text: Foreign,
    /// Since when.
    pub at: Option<Stamp>,
    /// Until when it cannot continue: the reset of a limit.
    pub until: Option<Stamp>,
    /// How sure that is.
    pub sure: Sure,
    /// What it was concluded from, the most important first.
    pub evidence: Vec<CauseEvidence>,
    /// What to do now.
    pub next: Vec<Foreign>,
    /// Whether it is that of a conversation that is open now.
    pub open: bool,
}

impl Cause {
    /// A cause that nothing is known of.
    pub fn unknown(text: impl Into<Foreign>) -> Self {
        Self {
            kind: CauseKind::Unknown,
            text: text.into(),
            at: None,
            until: None,
            sure: Sure::Guess,
            evidence: Vec::new(),
            next: Vec::new(),
            open: false,
        }
    }

    /// The same cause with something to do about it.
    #[must_use]
    pub fn advising(mut self, next: impl Into<Foreign>) -> Self {
        self.next.push(next.into());
        self
    }

    /// The cause in a line: `usage limit, resets 17:50 UTC`, where that is less than a day away, else with the date
    /// alone; afterward `usage limit, reset 5 h ago`.
    pub fn label(&self, now: DateTime<FixedOffset>) -> String {
        let zone = self.clock(now).map(|at| format!(" {}", format::zone(at)));
        self.in_column(now) + &zone.unwrap_or_default()
    }

    /// The same without the zone, for which a column has no room.
    pub fn in_column(&self, now: DateTime<FixedOffset>) -> String {
        let label = self.kind.label();
        let Some(until) = self.until else {
            return label.to_owned();
        };
        let when = if until.at <= now {
            return format!("{label}, reset {}", format::ago(now, Some(until.at)));
        } else if let Some(at) = self.clock(now) {
            format::clock_minute(at)
        } else {
            format::date(until.at)
        };
        format!("{label}, resets {when}")
    }

    /// The reset of a limit that its label gives as a time of day.
    pub fn clock(&self, now: DateTime<FixedOffset>) -> Option<DateTime<FixedOffset>> {
        let until = self.until.map(|until| until.at);
        until.filter(|at| *at > now && *at - now < TimeDelta::days(1))
    }

    /// What it says, and when a limit resets: the text itself never has that time. True before that and after it.
    pub fn sentences(&self) -> Clean {
        match self.until {
            Some(until) => clean!("{} Reset of the limit: {}.", self.text, until.words()),
            None => self.text.clean(),
        }
    }

    /// What a person should know of it, with its label each, the evidence left out.
    pub fn facts(&self) -> Vec<(&'static str, Clean)> {
        let sure = match self.sure {
            // There is nothing to be sure of.
            _ if self.kind == CauseKind::Unknown => "",
            Sure::Certain => "",
            Sure::Likely => " (likely)",
            Sure::Guess => " (a guess)",
        };
        let when = |label, at: Option<Stamp>| at.map(|at| (label, at.words().into()));
        let known = [
            Some(("cause", clean!("{}{}", self.kind.label(), sure))),
            Some(("why", self.text.clean())),
            when("since", self.at),
            when("resets", self.until),
        ];
        let next = self.next.iter().map(|next| ("next", next.clean()));
        known.into_iter().flatten().chain(next).collect()
    }

    /// Whether a pipeline of this status waits for a person because of it. A permission prompt is certain only where
    /// the client's register of running sessions says so. A live one waits only for the answer in an open conversation:
    /// its own records may be older than the process.
    pub fn makes_waiting(&self, status: Status) -> bool {
        let stands = status == Status::Interrupted || status == Status::Live && self.open;
        stands && self.kind.awaits_person() && self.sure == Sure::Certain
    }
}

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

/// Why a pipeline stopped, with the conversations that worked on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// The newest and surest cause.
    pub cause: Cause,
    /// The conversations, the newest first.
    pub conversations: Vec<Conversation>,
    /// Whether relight changed files after the last turn of the newest one, which it cannot know.
    pub outdated: bool,
    /// What could not be read, a sentence each.
    pub notes: Vec<Foreign>,
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

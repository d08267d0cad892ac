//! Why a pipeline stopped.

use std::path::PathBuf;

use chrono::{DateTime, FixedOffset, TimeDelta};

use super::{Clean, Conversation, Foreign, Stamp, Status};
use crate::text::format;
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

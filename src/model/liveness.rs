//! Whether a process is still working on a pipeline: alive, dead or unknown, with the evidence in sentences.

use chrono::{DateTime, TimeDelta, Utc};

use super::Foreign;

use crate::string_enum;

string_enum! {
    /// The verdict of the liveness oracle.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Aliveness {
        /// Positive evidence that a process works on it.
        Alive = "alive",
        /// Every source could be read and is negative, and the last write is older than the threshold.
        Dead = "dead",
        /// A source could not be read, or the last write is young. Age alone never proves death.
        Unknown = "unknown",
    }
}

/// The verdict with its evidence, strongest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Liveness {
    /// Alive, dead or unknown.
    pub verdict: Aliveness,
    /// One sentence for each source.
    pub evidence: Vec<Foreign>,
}

/// Which source a sign of life came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SignKind {
    /// A lock or process-id file of the system.
    Lock,
    /// A process with its start time and working directory.
    Process,
    /// A tmux session of exactly this name.
    Tmux,
    /// A marker file that a live system keeps or removes.
    Marker,
    /// A git `index.lock` in the pipeline's repository or worktree.
    IndexLock,
}

/// What one source found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SignVerdict {
    /// Positive evidence of life.
    Positive,
    /// The source was read and shows no life.
    Negative,
    /// The source could not be read, so its silence proves nothing.
    Unreadable,
    /// Worth stating, but without effect on the verdict (`you are running inside it`).
    Note,
}

/// One source's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LifeSign {
    /// Which source.
    pub kind: SignKind,
    /// What it found.
    pub verdict: SignVerdict,
    /// The same in one sentence.
    pub text: Foreign,
    /// The process that it is about, where it is about a single one.
    pub pid: Option<u32>,
}

impl LifeSign {
    /// What one source found.
    pub fn new(kind: SignKind, verdict: SignVerdict, text: impl Into<Foreign>) -> Self {
        let text = text.into();
        Self {
            kind,
            verdict,
            text,
            pid: None,
        }
    }

    /// The same of a process.
    #[must_use]
    pub fn of(self, pid: u32) -> Self {
        let pid = Some(pid);
        Self { pid, ..self }
    }
}

impl LifeEvidence {
    /// Judges it. Positive evidence means *alive*. *Dead* needs every source to be readable and negative, and a last
    /// write older than the threshold. All else is *unknown*: age alone never proves death.
    pub fn verdict(&self, now: DateTime<Utc>) -> Aliveness {
        let has = |verdict| self.signs.iter().any(|sign| sign.verdict == verdict);
        if has(SignVerdict::Positive) {
            // One positive sign outweighs any number of negative ones: an agent that is seen is there, whoever else is
            // not.
            Aliveness::Alive
        } else if self.is_young(now) || has(SignVerdict::Unreadable) || !has(SignVerdict::Negative)
        {
            // A source that cannot be read may be the one that knows of the agent, and a young write may be an agent's
            // on another machine. Both are answered by a person, never by a guess. No sign at all is not a negative
            // one: a system without any source would be declared dead by its age alone.
            Aliveness::Unknown
        } else {
            Aliveness::Dead
        }
    }

    /// Whether the last write is too young to count as silence, or dated in the future, so that its age proves nothing.
    pub fn is_young(&self, now: DateTime<Utc>) -> bool {
        let quiet = TimeDelta::seconds(self.quiet_after_s);
        self.newest_write().is_some_and(|at| {
            let age = now - at;
            age < TimeDelta::zero() || age < quiet
        })
    }

    /// The newest write of the pipeline's own files or of a conversation.
    pub fn newest_write(&self) -> Option<DateTime<Utc>> {
        self.last_write.max(self.last_talk)
    }
}

/// All that the oracle needs to decide.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LifeEvidence {
    /// What each source of this system found.
    pub signs: Vec<LifeSign>,
    /// The newest write that the pipeline's own files show (file times, never times written inside them).
    pub last_write: Option<DateTime<Utc>>,
    /// The newest write of a conversation of the project, where that may be the agent's although another may have
    /// written it.
    pub last_talk: Option<DateTime<Utc>>,
    /// How old the last write must be before silence counts, in seconds.
    pub quiet_after_s: i64,
    /// Whether an open conversation is no evidence of its own: a run can be dead although the conversation that owns it
    /// is open.
    pub of_conversation: bool,
}

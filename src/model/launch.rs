//! The outcome of running the orchestrator in place, and of watching for its first new record.
//!
//! Plain data and one decision; nothing here starts or reads anything.

use std::fmt;

use super::{Origin, Stamp, text::Foreign};

/// How a program that was launched in place ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LaunchEnd {
    /// With this exit status.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
}

impl LaunchEnd {
    /// True for status 0.
    pub fn is_ok(self) -> bool {
        self == Self::Exited(0)
    }
}

impl fmt::Display for LaunchEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(status) => write!(f, "exit {status}"),
            Self::Signalled(signal) => write!(f, "stopped by signal {signal}"),
        }
    }
}

/// Whether the orchestrator has written anything since a watch began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resumed {
    /// Nothing new.
    No,
    /// Its first new record.
    Yes {
        /// What the record says, in a line.
        text: Foreign,
        /// Its status.
        origin: Origin,
        /// When, as the record states it, else when its file was last written.
        at: Option<Stamp>,
        /// What the new records say about steps; all false where the system does not go step by step.
        step: StepNews,
    },
}

/// What new records say about the steps of a system that goes step by step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "several new records may say any of these at once"
)]
pub struct StepNews {
    /// A step was finished.
    pub done: bool,
    /// What comes next waits for a person: an approval, a verdict with conditions, the merge.
    pub gate: bool,
    /// A step failed or was rejected.
    pub error: bool,
    /// The step that was finished was the last one of its phase.
    pub phase_done: bool,
}

/// How far a system that goes step by step may continue without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum StepMode {
    /// Ask after each finished step.
    #[default]
    EachStep,
    /// Go on by itself until the phase ends.
    UntilPhaseEnds,
}

/// What is to be done after looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Next {
    /// Go on: nothing was finished yet, or the next step may follow unasked.
    GoOn,
    /// Ask: continue, pause here, or all until the phase ends.
    Ask,
    /// Pause, and say why: no mode continues past a gate or an error.
    Pause,
}

/// What is to be done after a look, in a mode.
pub fn after_step(mode: StepMode, seen: &Resumed) -> Next {
    let Resumed::Yes { step, .. } = seen else {
        return Next::GoOn;
    };
    if step.gate || step.error {
        Next::Pause
    } else if step.done && (mode == StepMode::EachStep || step.phase_done) {
        Next::Ask
    } else {
        Next::GoOn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(words: &str) -> Resumed {
        let has = |word: &str| words.split(' ').any(|w| w == word);
        Resumed::Yes {
            text: "step 3: completed".into(),
            origin: Origin::file("/p/workflow-state.json"),
            at: None,
            step: StepNews {
                done: has("done"),
                gate: has("gate"),
                error: has("error"),
                phase_done: has("phase"),
            },
        }
    }

    #[test]
    fn each_step_asks_and_a_gate_or_an_error_pauses_in_every_mode() {
        use StepMode::{EachStep, UntilPhaseEnds};
        let table = [
            (EachStep, "", Next::GoOn),
            (EachStep, "done", Next::Ask),
            (EachStep, "done phase", Next::Ask),
            (EachStep, "done gate", Next::Pause),
            (EachStep, "gate", Next::Pause),
            (EachStep, "error", Next::Pause),
            (UntilPhaseEnds, "", Next::GoOn),
            (UntilPhaseEnds, "done", Next::GoOn),
            (UntilPhaseEnds, "done phase", Next::Ask),
            (UntilPhaseEnds, "done gate", Next::Pause),
            (UntilPhaseEnds, "done phase gate", Next::Pause),
            (UntilPhaseEnds, "gate", Next::Pause),
            (UntilPhaseEnds, "error", Next::Pause),
            (UntilPhaseEnds, "done error", Next::Pause),
        ];
        for (mode, words, next) in table {
            assert_eq!(after_step(mode, &news(words)), next, "{mode:?} {words}");
        }
        assert_eq!(after_step(EachStep, &Resumed::No), Next::GoOn);
    }

    #[test]
    fn an_end_is_told_in_words() {
        assert_eq!(LaunchEnd::Exited(127).to_string(), "exit 127");
        assert_eq!(LaunchEnd::Signalled(9).to_string(), "stopped by signal 9");
        assert!(LaunchEnd::Exited(0).is_ok() && !LaunchEnd::Signalled(0).is_ok());
    }
}

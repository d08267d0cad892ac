//! What is next, as a list of rules: the first that applies decides. See
//! [the format](crate::docs::formats::autoconference).

use super::converge::{self, Ending};
use super::resumed::{Entry, void_before};
use super::{Evidence, State};
use crate::systems::autoconference::shape::{EVENTS, Raw};

/// What is next, given the state of a conference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Nothing left; true where that was concluded from the end documents.
    Done {
        /// Whether no event says it.
        inferred: bool,
    },
    /// All researchers failed in one round.
    Failed,
    /// Only the synthesis is left.
    Synthesis(Ending),
    /// Nothing has begun; true while the pre-flight confirmation is pending.
    NotStarted {
        /// Whether a person must confirm first.
        preflight: bool,
    },
    /// The round begins with its first phase. With what would end the conference, where the orchestrator has not
    /// declared it yet: that is its own decision, made before the round begins.
    Start(Option<Ending>),
    /// The first phase continues for those that have not finished it.
    Mid,
    /// This phase of the round is next.
    Phase(u8),
    /// A sibling mode, which this algorithm does not fit.
    Sibling(&'static str),
    /// Nothing says where it stopped.
    Nothing,
}

/// Applies the rules.
pub(crate) fn decide(raw: &Raw, state: &State) -> Decision {
    outside(raw, state)
        .or_else(|| ended(raw, state))
        .or_else(|| unbegun(raw, state))
        .unwrap_or_else(|| {
            if state.open {
                within_round(raw, state)
            } else {
                between_rounds(raw, state)
            }
        })
}

/// What the algorithm does not apply to.
fn outside(raw: &Raw, state: &State) -> Option<Decision> {
    let log = raw.log.as_ref();
    if log.is_some_and(|l| l.has("conference.completed")) {
        return Some(Decision::Done { inferred: false });
    }
    if let Some(kind) = raw.sibling {
        return Some(Decision::Sibling(kind));
    }
    let config = raw.config.as_ref().is_some_and(|c| c.recognised);
    let blind = log.is_none_or(|l| l.events.is_empty() && l.lines > 0);
    if blind && !config && !state.log_lost {
        return Some(Decision::Nothing);
    }
    // A log of nothing but damage, or one that cannot be read, had events once. A single line that was
    // cut off had none: nothing had started.
    let damaged = raw.unread(EVENTS).is_some()
        || log.is_some_and(|l| l.events.is_empty() && (l.lines > 1 || l.lines == 1 && !l.torn()));
    (damaged && !state.log_lost).then_some(Decision::Nothing)
}

/// Rules 2 to 4: what ends a conference whatever its rounds look like.
fn ended(raw: &Raw, state: &State) -> Option<Decision> {
    // A recovery that continued with a round after an end was declared overrules it.
    let rounds = state.resumed.iter().filter(|r| r.entry != Entry::Synthesis);
    let overruled = rounds.map(|r| r.line).max().unwrap_or(0);
    let has = |name: &str| {
        let log = raw.log.as_ref();
        log.is_some_and(|l| l.named(name).any(|e| e.line > overruled))
    };
    // A round that is open in a log that does record completions is not over, whatever documents are there.
    let all_rounds = !state.open || state.completed.is_empty();
    if raw.synthesis > 0 && raw.report > 0 && all_rounds {
        return Some(Decision::Done { inferred: true });
    }
    if has("conference.failed") {
        return Some(Decision::Failed);
    }
    let ended = [
        ("conference.converged", "CONVERGED"),
        ("conference.stalled", "STALLED"),
    ];
    let declared = ended.iter().find(|(name, _)| has(name));
    if let Some((name, word)) = declared {
        return Some(Decision::Synthesis(Ending {
            word,
            text: format!("the log holds `{name}`"),
        }));
    }
    let entered = state.entered(raw).map(|r| r.entry);
    (entered == Some(Entry::Synthesis)).then(|| {
        Decision::Synthesis(Ending {
            word: "SYNTHESIS",
            text: "the log says that the conference was resumed at the synthesis".to_owned(),
        })
    })
}

/// Rule 5: no event at all, and nothing else that shows work.
fn unbegun(raw: &Raw, state: &State) -> Option<Decision> {
    let preflight = raw.config.as_ref().is_some_and(|c| c.preflight_pending);
    (raw.events().is_empty() && !state.log_lost).then_some(Decision::NotStarted { preflight })
}

/// Rule 6.
fn between_rounds(raw: &Raw, state: &State) -> Decision {
    let entered = state.entered(raw).map(|r| r.entry);
    if entered == Some(Entry::Phase(1)) {
        return Decision::Start(converge::ending(raw, state));
    }
    if let Some(ending) = converge::rounds(raw, state) {
        return Decision::Synthesis(ending);
    }
    if (state.done > 0 || state.log_lost) && (raw.synthesis > 0 || raw.report > 0) {
        return Decision::Synthesis(Ending {
            word: "SYNTHESIS",
            text: "one of the two end documents is there, so the synthesis was interrupted"
                .to_owned(),
        });
    }
    Decision::Start(converge::ending(raw, state))
}

/// Rule 7.
fn within_round(raw: &Raw, state: &State) -> Decision {
    // Somebody chose to let those work on who only probably ended.
    let entered = state.entered(raw).map(|r| r.entry);
    let doubted = entered == Some(Entry::Mid) && !state.probable().is_empty();
    if state.review.holds() {
        Decision::Phase(4)
    } else if state.poster.holds() || (state.ids.len() == 1 && state.all_done()) {
        Decision::Phase(3)
    } else if state.all_done() && !doubted {
        Decision::Phase(2)
    } else if state.work.begun(state.round) {
        Decision::Mid
    } else if state.traced && void_before(&state.resumed, state.round, 1) == 0 {
        // Something was done, though no row says how much: nobody begins again over it.
        let shared = [state.poster, state.review];
        if shared.iter().any(|e| *e != Evidence::None) {
            Decision::Phase(2)
        } else {
            Decision::Mid
        }
    } else {
        Decision::Start(None)
    }
}

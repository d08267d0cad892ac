//! The next step, by a list of rules: the first that applies decides. See
//! [the format](crate::docs::formats::autoconference).

use super::converge::{self, Ending};
use super::resumed::{Entry, void_before};
use super::{Evidence, State};
use crate::systems::autoconference::shape::{EVENTS, Raw};

/// The next step of a conference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Nothing is left; true if that was inferred from the end documents.
    Done {
        /// Whether no event says so.
        inferred: bool,
    },
    /// All researchers failed in one round.
    Failed,
    /// Only the synthesis is left.
    Synthesis(Ending),
    /// Nothing has started; true while the pre-flight confirmation is pending.
    NotStarted {
        /// Whether a person must confirm first.
        preflight: bool,
    },
    /// The round starts with its first phase. Has the reason that would end the conference, if the orchestrator has not
    /// declared it yet: that is its own decision before a round.
    Start(Option<Ending>),
    /// The first phase continues for the researchers that have not finished it.
    Mid,
    /// This phase of the round is next.
    Phase(u8),
    /// A sibling mode, to which this algorithm does not apply.
    Sibling(&'static str),
    /// No record shows where it stopped.
    Nothing,
}

impl Decision {
    /// Whether there is any point to resume from.
    pub(crate) fn has_points(&self) -> bool {
        !matches!(self, Self::Done { .. } | Self::Sibling(_) | Self::Nothing)
    }
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

/// Conferences to which the algorithm does not apply.
fn outside(raw: &Raw, state: &State) -> Option<Decision> {
    let log = raw.log.as_ref();
    if raw.has("conference.completed") {
        return Some(Decision::Done { inferred: false });
    }
    if let Some(kind) = raw.sibling {
        return Some(Decision::Sibling(kind));
    }
    let blind = log.is_none_or(|l| l.events.is_empty() && l.lines > 0);
    if blind && !raw.config.recognized && !state.log_lost {
        return Some(Decision::Nothing);
    }
    // A log of nothing but damage, or an unreadable one, had events once. A single truncated line had none: nothing had
    // started.
    let damaged = raw.unread(EVENTS).is_some()
        || log.is_some_and(|l| l.events.is_empty() && (l.lines > 1 || l.lines == 1 && !l.torn()));
    (damaged && !state.log_lost).then_some(Decision::Nothing)
}

/// Rules 2 to 4: reasons that end a conference whatever its rounds.
fn ended(raw: &Raw, state: &State) -> Option<Decision> {
    let has = |name: &str| state.has_declared(raw, name);
    // If a log does record completions, its open round is not over, whatever documents exist.
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
        let text = format!("the log has `{name}`");
        return Some(Decision::Synthesis(Ending::new(word, text)));
    }
    let entered = state.entered(raw).map(|r| r.entry);
    (entered == Some(Entry::Synthesis)).then(|| {
        Decision::Synthesis(Ending {
            word: None,
            text: "the log says that the conference was resumed at the synthesis".to_owned(),
        })
    })
}

/// Rule 5: no event, and no other record shows work.
fn unbegun(raw: &Raw, state: &State) -> Option<Decision> {
    let preflight = raw.config.preflight_pending;
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
            word: None,
            text: "one of the two end documents exists".to_owned(),
        });
    }
    Decision::Start(converge::ending(raw, state))
}

/// Rule 7.
fn within_round(raw: &Raw, state: &State) -> Decision {
    // A person chose to let researchers continue that only probably finished.
    let entered = state.entered(raw).map(|r| r.entry);
    let doubted = entered == Some(Entry::Mid) && !state.probable().is_empty();
    if state.review.holds() {
        Decision::Phase(4)
    } else if state.poster.holds() || (state.ids.len() == 1 && state.research_is_over()) {
        Decision::Phase(3)
    } else if state.research_is_over() && !doubted {
        Decision::Phase(2)
    } else if state.work.begun(state.round) {
        Decision::Mid
    } else if state.traced && void_before(&state.resumed, state.round, 1) == 0 {
        // Some work was done, although no row shows how much, so it must not start over.
        if state
            .sessions()
            .iter()
            .all(|one| one.evidence == Evidence::None)
        {
            Decision::Mid
        } else {
            Decision::Phase(2)
        }
    } else {
        Decision::Start(None)
    }
}

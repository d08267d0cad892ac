//! Where a conference stands, from all evidence together: the rounds, each researcher's standing in the open
//! round, and the point the note's algorithm chooses (format note, section e.3). Pure: raw facts in.
//!
//! The log is the declared source of truth, but real logs drift from its documentation, so tables and round
//! files speak too. `conference.resumed`, `researcher.stuck` and unknown events never decide the point.

pub(crate) mod converge;
pub(crate) mod decide;
pub(crate) mod standing;
pub(crate) mod work;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use super::files::Raw;
use standing::Standing;
use work::Work;

pub(crate) use decide::Decision;

/// Whether a phase of the open round was held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// Nothing says so.
    None,
    /// An event says so.
    Event,
    /// A file says so, in a log that never writes events of phases.
    File,
    /// Only a file is there although this log does write events of phases: probably cut off.
    Doubtful,
}

impl Evidence {
    /// Whether it counts.
    pub(crate) fn holds(self) -> bool {
        matches!(self, Self::Event | Self::File)
    }
}

/// Where a conference stands.
#[derive(Debug)]
pub(crate) struct State {
    /// The researchers: those the count asks for, and those that left traces.
    pub ids: BTreeSet<char>,
    /// Rounds with a completion event.
    pub completed: BTreeSet<u64>,
    /// Rounds completed more than once.
    pub duplicates: BTreeSet<u64>,
    /// The last round of an unbroken row of completed ones; 0 for none.
    pub done: u64,
    /// The round after it.
    pub round: u64,
    /// Whether that round has begun.
    pub open: bool,
    /// Whether this log writes events of phases at all.
    pub phase_events: bool,
    /// The iterations.
    pub work: Work,
    /// Each researcher in the open round.
    pub standings: BTreeMap<char, Standing>,
    /// True where the number of iterations a round had to be guessed from the peers.
    pub low_confidence: bool,
    /// Whether the poster session of the open round was held.
    pub poster: Evidence,
    /// Whether its peer review was.
    pub review: Evidence,
    /// What follows.
    pub decision: Decision,
}

impl State {
    /// Folds the raw facts.
    pub(crate) fn fold(raw: &Raw) -> Self {
        let work = Work::gather(raw);
        let mut completed = BTreeSet::new();
        let mut duplicates = BTreeSet::new();
        let ends = raw.events().iter().filter(|e| e.name == "round.completed");
        for round in ends.filter_map(|e| e.round).filter(|n| *n > 0) {
            if !completed.insert(round) {
                duplicates.insert(round);
            }
        }
        let unbroken = (1..).zip(&completed).take_while(|(n, round)| n == *round);
        let done = unbroken.last().map_or(0, |(n, _)| n);
        let round = done.saturating_add(1);
        let phase_events = raw
            .events()
            .iter()
            .any(|e| PHASE_EVENTS.contains(&e.name.as_str()));
        let mut state = Self {
            ids: ids(raw, &work),
            open: is_open(raw, &work, round),
            poster: evidence(
                raw,
                phase_events,
                "round.poster_session",
                round,
                raw.posters.get(&round).copied(),
            ),
            review: evidence(
                raw,
                phase_events,
                "round.peer_review",
                round,
                raw.reviews.get(&round).map(|(size, _)| *size),
            ),
            completed,
            duplicates,
            done,
            round,
            phase_events,
            work,
            standings: BTreeMap::new(),
            low_confidence: false,
            decision: Decision::Nothing,
        };
        let (standings, low) = standing::all(raw, &state);
        state.standings = standings;
        state.low_confidence = low;
        state.decision = decide::decide(raw, &state);
        state
    }

    /// Researchers that began the open round and did not end it.
    pub(crate) fn incomplete(&self) -> Vec<char> {
        self.standing_in(|s| matches!(s, Standing::Incomplete(_)))
    }

    /// Researchers that have still to work in the open round.
    pub(crate) fn unfinished(&self) -> Vec<char> {
        self.standing_in(|s| !s.is_done())
    }

    /// Researchers of whom it is not sure that they ended the open round.
    pub(crate) fn probable(&self) -> Vec<char> {
        self.standing_in(|s| matches!(s, Standing::Probably(_)))
    }

    fn standing_in(&self, wanted: impl Fn(&Standing) -> bool) -> Vec<char> {
        let fitting = self.standings.iter().filter(|(_, s)| wanted(s));
        fitting.map(|(id, _)| *id).collect()
    }

    /// True where every researcher ended the open round.
    pub(crate) fn all_done(&self) -> bool {
        !self.standings.is_empty() && self.standings.values().all(Standing::is_done)
    }
}

const PHASE_EVENTS: &[&str] = &["round.poster_session", "round.peer_review", "round.started"];

/// The researchers: A, B, … as many as configured, and any other that an event, a row or a table names.
fn ids(raw: &Raw, work: &Work) -> BTreeSet<char> {
    let count = raw.config.as_ref().and_then(|c| c.count).unwrap_or(0);
    let configured = ('A'..='Z').take(usize::try_from(count).unwrap_or(0));
    configured
        .chain(raw.tables.keys().copied())
        .chain(work.researchers())
        .collect()
}

/// Any event of the round, its files, or rows beyond those of the completed rounds.
fn is_open(raw: &Raw, work: &Work, round: u64) -> bool {
    let event = raw.events().iter().any(|e| {
        e.round == Some(round)
            && (e.name.starts_with("round.") || e.name.starts_with("researcher."))
    });
    let file = raw.posters.get(&round).is_some_and(|size| *size > 0)
        || raw.reviews.get(&round).is_some_and(|(size, _)| *size > 0);
    event || file || work.begun(round)
}

fn evidence(raw: &Raw, phase_events: bool, name: &str, round: u64, file: Option<u64>) -> Evidence {
    let event = raw
        .events()
        .iter()
        .any(|e| e.name == name && e.round == Some(round));
    match (event, file) {
        (true, _) => Evidence::Event,
        (false, Some(size)) if size > 0 && !phase_events => Evidence::File,
        (false, Some(_)) if phase_events => Evidence::Doubtful,
        (false, Some(_) | None) => Evidence::None,
    }
}

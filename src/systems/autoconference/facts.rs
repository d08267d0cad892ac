//! The state of a conference, from all evidence together: the rounds, each researcher in the open round, and what
//! is next. Pure: raw facts in.
//!
//! The log is the declared source of truth, but real logs drift from its documentation, so tables and round
//! files are read too: where the log is lost or ends too early, they show which rounds are over. `researcher.stuck`
//! and unknown events never decide the point; `conference.resumed` says which work was discarded.

pub(crate) mod causes;
pub(crate) mod converge;
pub(crate) mod decide;
pub(crate) mod reading;
pub(crate) mod required;
pub(crate) mod resumed;
pub(crate) mod runs;
pub(crate) mod standing;
mod traces;
pub(crate) mod work;
pub(crate) mod worktrees;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use super::shape::table::Row;
use super::shape::{Raw, poster_name};
use resumed::{Entry, Resumption, void_before};
use standing::Standing;
use traces::Traces;
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
    /// Only a file is there, and it is half written: something is missing.
    Partial,
    /// An event says so and the file is gone, so the next phase has nothing to read.
    Lost,
}

impl Evidence {
    /// Whether it counts.
    pub(crate) fn holds(self) -> bool {
        matches!(self, Self::Event | Self::File)
    }
}

/// The state of a conference.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one independent fact about the conference"
)]
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
    /// The last round that the log itself completes in that row; what `done` has beyond it is concluded from the
    /// other records.
    pub logged: u64,
    /// Whether the log has no events although other records show that work was done.
    pub log_lost: bool,
    /// Whether other records show work in the open round that the log does not know of.
    pub traced: bool,
    /// Where the conference was resumed before, oldest first; recoveries that were undone are left out.
    pub resumed: Vec<Resumption>,
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
        let resumed = resumed::all(raw.events());
        let work = Work::gather(raw, &resumed);
        let traces = Traces::gather(raw);
        let mut completed = BTreeSet::new();
        let mut duplicates = BTreeSet::new();
        let ends = raw.events().iter().filter(|e| e.name == "round.completed");
        for round in ends.filter_map(|e| e.round).filter(|n| *n > 0) {
            if !completed.insert(round) {
                duplicates.insert(round);
            }
        }
        let unbroken = (1..).zip(&completed).take_while(|(n, round)| n == *round);
        let logged = unbroken.last().map_or(0, |(n, _)| n);
        let silent = raw.events().is_empty();
        let last_logged = last_logged(raw);
        // A lost log knows nothing, a cut one nothing of the rounds that other records name.
        let last = if silent {
            traces.last()
        } else {
            traces.sure(raw)
        };
        let ahead = if last > last_logged {
            over(raw, &traces, last)
        } else {
            0
        };
        // A round whose completion was lost is over all the same once a later one was worked on.
        let crossed = work.crossed(logged);
        let done = crossed.max(ahead).max(resumed::over(&resumed));
        let round = done.saturating_add(1);
        let phase_events = raw
            .events()
            .iter()
            .any(|e| PHASE_EVENTS.contains(&e.name.as_str()));
        let files_speak = !phase_events || round > last_logged;
        let (poster, review) = phases(raw, &work, &resumed, round, files_speak);
        let mut state = Self {
            ids: ids(raw, &work),
            open: is_open(raw, round) || work.begun(round) || traces.begun.contains(&round),
            poster,
            review,
            completed,
            duplicates,
            done,
            logged,
            log_lost: silent && (traces.last() > 0 || raw.synthesis > 0 || raw.report > 0),
            traced: round > last_logged && traces.begun.contains(&round),
            resumed,
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

    /// Whether a round is over.
    pub(crate) fn is_over(&self, round: u64) -> bool {
        round <= self.done || self.completed.contains(&round)
    }

    /// Where the log says that the open round was resumed, as long as no work of it was logged since.
    pub(crate) fn entered(&self, raw: &Raw) -> Option<&Resumption> {
        let last = self.resumed.last()?;
        let here = last.round == self.round || last.entry == Entry::Synthesis;
        let worked = raw.events().iter().any(|e| {
            e.line > last.line
                && (e.name.starts_with("round.") || e.name.starts_with("researcher."))
        });
        (here && !worked).then_some(last)
    }

    /// What the poster or review file of the open round is missing, in a clause.
    pub(crate) fn missing_part(&self, raw: &Raw, name: &str) -> String {
        let workers = self.work.of_round(self.round).map(|(id, _)| id).collect();
        let found = if name == poster_name(self.round) {
            let poster = raw.posters.get(&self.round);
            poster.and_then(|(_, p)| p.problem(&workers))
        } else {
            let review = raw.reviews.get(&self.round);
            review.and_then(|(_, r)| r.problem(&workers))
        };
        found.unwrap_or_else(|| "nothing is missing".to_owned())
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

/// Any event of the round.
fn is_open(raw: &Raw, round: u64) -> bool {
    raw.events().iter().any(|e| {
        e.round == Some(round)
            && (e.name.starts_with("round.") || e.name.starts_with("researcher."))
    })
}

/// The last round that any event of a round or a researcher names; 0 for none.
fn last_logged(raw: &Raw) -> u64 {
    let own = raw
        .events()
        .iter()
        .filter(|e| e.name.starts_with("round.") || e.name.starts_with("researcher."));
    own.filter_map(|e| e.round).max().unwrap_or(0)
}

/// The last round that is over by every record but the log. The round before the last one that was begun is; the
/// last one itself where its knowledge transfer left everything it leaves.
fn over(raw: &Raw, traces: &Traces, last: u64) -> u64 {
    let reviewed = raw.review_size(last) > 0;
    // Findings are shared and rows logged when a round ends. Where its review is still there, the other parts of
    // the transfer can be asked for too.
    let shared = traces.shared.contains(&last) && (!reviewed || transferred(raw, last));
    if shared { last } else { last.saturating_sub(1) }
}

/// Whether the conference's table has a verdict in every row of a round.
fn transferred(raw: &Raw, round: u64) -> bool {
    let rows = raw.results.iter().flat_map(|t| &t.rows);
    let mut rows = rows.filter(|r| r.round == Some(round));
    rows.all(Row::is_reviewed)
}

/// Whether the poster session and the peer review of a round were held.
fn phases(
    raw: &Raw,
    work: &Work,
    resumed: &[Resumption],
    round: u64,
    files_speak: bool,
) -> (Evidence, Evidence) {
    let logged = |name: &str, phase: u8| {
        let from = void_before(resumed, round, phase);
        // A recovery at a later phase counted this one as held.
        if resumed::vouched(resumed, round, phase) > from {
            return true;
        }
        raw.events()
            .iter()
            .any(|e| e.name == name && e.round == Some(round) && e.line >= from)
    };
    let workers: BTreeSet<char> = work.of_round(round).map(|(id, _)| id).collect();
    let poster = raw.posters.get(&round);
    let review = raw.reviews.get(&round);
    let poster = evidence(
        logged("round.poster_session", 2),
        poster.map(|(size, _)| *size),
        files_speak,
        || poster.and_then(|(_, p)| p.problem(&workers)).is_none(),
    );
    // A lone researcher presents to nobody: what says that phase 2 was held needs no file.
    let alone = raw.config.as_ref().and_then(|c| c.count) == Some(1);
    let poster = if alone && poster == Evidence::Lost {
        Evidence::Event
    } else {
        poster
    };
    let review = evidence(
        logged("round.peer_review", 3),
        review.map(|(size, _)| *size),
        files_speak,
        || review.and_then(|(_, r)| r.problem(&workers)).is_none(),
    );
    (poster, review)
}

fn evidence(
    event: bool,
    file: Option<u64>,
    files_speak: bool,
    whole: impl Fn() -> bool,
) -> Evidence {
    match (event, file.unwrap_or(0)) {
        (true, 0) => Evidence::Lost,
        (true, _) => Evidence::Event,
        (false, 0) if file.is_none() || files_speak => Evidence::None,
        (false, _) if !files_speak => Evidence::Doubtful,
        (false, _) if whole() => Evidence::File,
        (false, _) => Evidence::Partial,
    }
}

//! The state of a conference, from all evidence together: the rounds, each researcher in the open round, and the next
//! step. Pure: takes raw facts.
//!
//! The log is the declared source of truth, but real logs drift from its documentation. So tables and round files are
//! read too: if the log is lost or ends too early, they show which rounds are over. `researcher.stuck` and unknown
//! events never decide the point; `conference.resumed` says which work was discarded.

pub(crate) mod causes;
pub(crate) mod claims;
pub(crate) mod converge;
pub(crate) mod decide;
pub(crate) mod ends;
pub(crate) mod reading;
pub(crate) mod required;
pub(crate) mod research_status;
pub(crate) mod resumed;
pub(crate) mod runs;
mod traces;
pub(crate) mod work;
pub(crate) mod worktrees;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use super::shape::table::Row;
use super::shape::{Raw, poster_name, review_name};
use research_status::ResearchStatus;
use resumed::{Entry, Resumption, void_before};
use traces::Traces;
use work::Work;

pub(crate) use decide::Decision;

pub(crate) use resumed::REBUILT;
pub(crate) use work::Iteration;
pub(crate) use worktrees::Trees;

/// Whether a phase of the open round was held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// None.
    None,
    /// An event.
    Event,
    /// A file, in a log that never has events of phases.
    File,
    /// Only a file, although this log does have events of phases: the file is probably truncated.
    Doubtful,
    /// Only a file, and it is incomplete.
    Partial,
    /// An event, but the file is missing, so the next phase has nothing to read.
    Lost,
}

/// A phase that the researchers of the open round share, and its file.
#[derive(Debug)]
pub(crate) struct Session {
    /// Its number.
    pub phase: u8,
    /// Its name.
    pub what: &'static str,
    /// The name of its file.
    pub file: String,
    /// Size of the file; 0 without one.
    pub size: usize,
    /// What is missing in the file, as a clause; empty if nothing is.
    pub missing: String,
    /// Whether it was held.
    pub evidence: Evidence,
}

impl Session {
    /// Whether it counts as held.
    pub(crate) fn holds(&self) -> bool {
        matches!(self.evidence, Evidence::Event | Evidence::File)
    }
}

/// The state of a conference.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one independent fact about the conference"
)]
#[derive(Debug)]
pub(crate) struct State {
    /// The researchers: as many as configured, and any others with traces.
    pub ids: BTreeSet<char>,
    /// Rounds with a completion event.
    pub completed: BTreeSet<u64>,
    /// Rounds completed more than once.
    pub duplicates: BTreeSet<u64>,
    /// The last of the consecutively completed rounds; 0 for none.
    pub done: u64,
    /// The last of those rounds that the log itself completes. Any later ones in `done` are inferred from the other
    /// records.
    pub logged: u64,
    /// Whether the log has no events although other records show work.
    pub log_lost: bool,
    /// Whether other records show work in the open round that is not in the log.
    pub traced: bool,
    /// Earlier recoveries, oldest first, without those that were undone.
    pub resumed: Vec<Resumption>,
    /// The round after it.
    pub round: u64,
    /// Whether that round has started.
    pub open: bool,
    /// Whether this log has events of phases.
    pub phase_events: bool,
    /// The iterations.
    pub work: Work,
    /// Each researcher in the open round.
    pub research: BTreeMap<char, ResearchStatus>,
    /// True if the number of iterations in a round had to be estimated from the other researchers.
    pub low_confidence: bool,
    /// The poster session of the open round.
    pub poster: Session,
    /// Its peer review.
    pub review: Session,
    /// The next step.
    pub decision: Decision,
}

impl State {
    /// Derives the state from the raw facts.
    pub(crate) fn fold(raw: &Raw) -> Self {
        let resumed = resumed::all(raw.events());
        let work = Work::gather(raw, &resumed);
        let traces = Traces::gather(raw);
        let mut completed = BTreeSet::new();
        let mut duplicates = BTreeSet::new();
        let ends = raw.named("round.completed");
        for round in ends.filter_map(|e| e.round).filter(|n| *n > 0) {
            if !completed.insert(round) {
                duplicates.insert(round);
            }
        }
        let unbroken = (1..).zip(&completed).take_while(|(n, round)| n == *round);
        let logged = unbroken.last().map_or(0, |(n, _)| n);
        let silent = raw.events().is_empty();
        let last_logged = last_logged(raw);
        let mut events = raw.events().iter();
        // A lost log shows nothing, and a truncated one nothing about the rounds in other records.
        let last = if silent {
            traces.last()
        } else {
            traces.sure(raw)
        };
        let ahead = (last > last_logged).then(|| over(raw, &traces, last));
        // A round whose completion was lost is over all the same once a later one was worked on.
        let crossed = work.crossed(logged);
        let done = crossed.max(ahead.unwrap_or(0)).max(resumed::over(&resumed));
        let round = done.saturating_add(1);
        let phase_events = PHASE_EVENTS.iter().any(|name| raw.has(name));
        let files_speak = !phase_events || round > last_logged;
        let [poster, review] = sessions(raw, &work, &resumed, round, files_speak);
        let mut state = Self {
            ids: ids(raw, &work),
            open: events.any(|e| e.round == Some(round) && e.is_work())
                || work.begun(round)
                || traces.begun.contains(&round),
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
            research: BTreeMap::new(),
            low_confidence: false,
            decision: Decision::Nothing,
        };
        (state.research, state.low_confidence) = research_status::all(raw, &state);
        state.decision = decide::decide(raw, &state);
        state
    }

    /// Whether a round is over.
    pub(crate) fn is_over(&self, round: u64) -> bool {
        round <= self.done || self.completed.contains(&round)
    }

    /// The recovery at which the open round was resumed, if no work was logged since.
    pub(crate) fn entered(&self, raw: &Raw) -> Option<&Resumption> {
        let last = self.resumed.last()?;
        let here = last.round == self.round || last.entry == Entry::Synthesis;
        let mut events = raw.events().iter();
        let worked = events.any(|e| e.line > last.line && e.is_work());
        (here && !worked).then_some(last)
    }

    /// Whether the log declares an end that still holds.
    pub(crate) fn has_declared(&self, raw: &Raw, name: &str) -> bool {
        let overruled = self.overruled();
        raw.named(name).any(|event| event.line > overruled)
    }

    /// Whether the event of the last completed round says that the conference converged, and that still holds.
    pub(crate) fn has_converged(&self, raw: &Raw) -> bool {
        let overruled = self.overruled();
        let mut ends = raw.of_round("round.completed", self.done);
        ends.any(|event| event.line > overruled && event.declares_end())
    }

    /// The line up to which no declared end holds: that of the last recovery that continued with a round.
    pub(crate) fn overruled(&self) -> u64 {
        let rounds = self.resumed.iter().filter(|r| r.entry != Entry::Synthesis);
        rounds.map(|r| r.line).max().unwrap_or(0)
    }

    /// The two phases of the open round that leave a file.
    pub(crate) fn sessions(&self) -> [&Session; 2] {
        [&self.poster, &self.review]
    }

    /// Researchers that started the open round and did not finish it.
    pub(crate) fn incomplete(&self) -> Vec<char> {
        use ResearchStatus::{Closed, Incomplete};
        self.researchers_with(|s| matches!(s, Incomplete(1..) | Closed(1..)))
    }

    /// Researchers that did not finish the open round.
    pub(crate) fn unfinished(&self) -> Vec<char> {
        self.researchers_with(|s| !s.is_done())
    }

    /// Researchers that only probably finished the open round.
    pub(crate) fn probable(&self) -> Vec<char> {
        self.researchers_with(|s| matches!(s, ResearchStatus::Probably(_)))
    }

    fn researchers_with(&self, wanted: impl Fn(&ResearchStatus) -> bool) -> Vec<char> {
        let fitting = self.research.iter().filter(|(_, s)| wanted(s));
        fitting.map(|(id, _)| *id).collect()
    }

    /// True if every researcher finished the open round, or a person chose to go on without the others.
    pub(crate) fn research_is_over(&self) -> bool {
        !self.research.is_empty() && self.research.values().all(ResearchStatus::is_over)
    }
}

const PHASE_EVENTS: &[&str] = &["round.poster_session", "round.peer_review", "round.started"];

/// The researchers: A, B, … as many as configured, and any other that an event, a row or a table names.
fn ids(raw: &Raw, work: &Work) -> BTreeSet<char> {
    let count = raw.config.count.unwrap_or(0);
    let configured = ('A'..='Z').take(usize::try_from(count).unwrap_or(0));
    configured
        .chain(raw.tables.keys().copied())
        .chain(work.researchers())
        .collect()
}

/// The last round in any event of a round or a researcher; 0 for none.
fn last_logged(raw: &Raw) -> u64 {
    let own = raw.events().iter().filter(|e| e.is_work());
    own.filter_map(|e| e.round).max().unwrap_or(0)
}

/// The last round that is over according to every record except the log: the round before the last one that started, or
/// the last one itself if its knowledge transfer is complete.
fn over(raw: &Raw, traces: &Traces, last: u64) -> u64 {
    let reviewed = raw.review_size(last) > 0;
    // Findings are shared and rows logged at the end of a round. If its review exists, the other parts of the transfer
    // can be checked too.
    let shared = traces.shared.contains(&last) && (!reviewed || transferred(raw, last));
    if shared { last } else { last.saturating_sub(1) }
}

/// Whether the conference's table has a verdict in every row of a round.
fn transferred(raw: &Raw, round: u64) -> bool {
    let rows = raw.results.iter().flat_map(|t| &t.rows);
    let mut rows = rows.filter(|r| r.round == Some(round));
    rows.all(Row::is_reviewed)
}

/// The poster session and the peer review of a round.
fn sessions(
    raw: &Raw,
    work: &Work,
    resumed: &[Resumption],
    round: u64,
    files_speak: bool,
) -> [Session; 2] {
    let session = |phase, what, event, file, found: Option<(usize, Option<String>)>| {
        let from = void_before(resumed, round, phase);
        // A recovery at a later phase counted this one as held.
        let logged = resumed::vouched(resumed, round, phase) > from
            || raw.of_round(event, round).any(|e| e.line >= from);
        // By the event, by the size of the file, and by whether the file is complete.
        let evidence = match (logged, &found) {
            (true, None | Some((0, _))) => Evidence::Lost,
            (true, Some(_)) => Evidence::Event,
            (false, Some(_)) if !files_speak => Evidence::Doubtful,
            (false, None | Some((0, _))) => Evidence::None,
            (false, Some((_, None))) => Evidence::File,
            (false, Some((_, Some(_)))) => Evidence::Partial,
        };
        let (size, missing) = found.unwrap_or_default();
        Session {
            phase,
            what,
            file,
            size,
            missing: missing.unwrap_or_default(),
            evidence,
        }
    };
    let workers: BTreeSet<char> = work.of_round(round).map(|(id, _)| id).collect();
    let poster = raw.posters.get(&round);
    let poster = poster.map(|poster| (poster.size, poster.problem(&workers)));
    let (what, name) = ("poster session", poster_name(round));
    let mut poster = session(2, what, "round.poster_session", name, poster);
    // A single researcher presents to nobody, so an event for phase 2 needs no file.
    if poster.evidence == Evidence::Lost && raw.config.count == Some(1) {
        poster.evidence = Evidence::Event;
    }
    let review = raw.reviews.get(&round);
    let review = review.map(|review| (review.size, review.problem(&workers)));
    let (what, name) = ("peer review", review_name(round));
    [poster, session(3, what, "round.peer_review", name, review)]
}

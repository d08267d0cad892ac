//! The rounds in every record except the log. The system itself makes git ignore the log, so it is easily lost while
//! tables, posters, reviews and `conference.md` remain: a missing log does not mean that nothing happened.

use std::collections::BTreeSet;

use crate::systems::autoconference::shape::Raw;
use crate::systems::autoconference::shape::rounds::leading_round;
use crate::systems::autoconference::shape::values::first_int;

/// Later rounds are ignored: a hostile file may have any number.
pub(crate) const MOST: u64 = 10_000;

/// The rounds with a trace outside the log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Traces {
    /// Rounds with any work.
    pub begun: BTreeSet<u64>,
    /// Those that a record names; the others are inferred from the positions of rows alone.
    pub named: BTreeSet<u64>,
    /// Rounds with findings or rows in `conference.md`, which are written at the end of a round.
    pub shared: BTreeSet<u64>,
}

impl Traces {
    /// Reads the records.
    pub(crate) fn gather(raw: &Raw) -> Self {
        let mut traces = Self::default();
        for row in raw.tables.values().flat_map(|t| &t.rows) {
            if let Some(round) = row.round.filter(|_| row.counts()) {
                traces.begun.insert(round);
                traces.named.extend((!row.placed).then_some(round));
            }
        }
        let results = raw.results.iter().flat_map(|t| &t.rows);
        let results = results.filter(|r| r.counts()).filter_map(|r| r.round);
        let posters = raw.posters.iter().filter(|(_, poster)| poster.size > 0);
        let reviews = raw.reviews.iter().filter(|(_, review)| review.size > 0);
        let notes = raw.logs.values().flat_map(|n| n.rounds.iter().copied());
        traces.shared = shared(raw);
        traces.named.extend(results);
        traces.named.extend(posters.map(|(round, _)| *round));
        traces.named.extend(reviews.map(|(round, _)| *round));
        traces.named.extend(notes);
        traces.named.extend(&traces.shared);
        traces.begun.extend(&traces.named);
        for rounds in [&mut traces.begun, &mut traces.named, &mut traces.shared] {
            rounds.retain(|round| (1..=MOST).contains(round));
        }
        traces
    }

    /// The last round with any work; 0 for none.
    pub(crate) fn last(&self) -> u64 {
        self.begun.last().copied().unwrap_or(0)
    }

    /// The last round that certainly started. Rows without a round may be a second attempt at the round before, unless
    /// that one was reviewed.
    pub(crate) fn sure(&self, raw: &Raw) -> u64 {
        let reviewed = |round: &&u64| raw.review_size(**round - 1) > 0;
        let placed = self.begun.iter().rev().find(reviewed);
        let named = self.named.last();
        placed.max(named).copied().unwrap_or(0)
    }
}

/// The rounds in the Shared Knowledge and the Conference Log.
fn shared(raw: &Raw) -> BTreeSet<u64> {
    let knowledge = raw.config.knowledge.iter().flatten();
    let knowledge = knowledge.filter_map(|line| leading_round(line));
    let log = raw.config.log.iter().flatten();
    let log = log.filter_map(|cells| cells.first().and_then(|cell| first_int(cell)));
    knowledge.chain(log).collect()
}

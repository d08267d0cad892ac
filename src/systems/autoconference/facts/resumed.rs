//! The recoveries that `conference.resumed` recorded. A recovery that repeats work is recorded there, and earlier
//! events of that work no longer count. A recovery that was undone does not count.

use super::traces::MOST;
use crate::systems::autoconference::shape::Event;
use crate::systems::autoconference::shape::log::{Body, letter};

/// The event of a recovery.
pub(crate) const RESUMED: &str = "conference.resumed";
/// The event of an undone recovery.
pub(crate) const UNDONE: &str = "conference.resume_undone";

/// The event after those that relight rebuilt from other records.
pub(crate) const REBUILT: &str = "conference.rebuilt";

/// The point at which a conference was resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// At the start of a phase.
    Phase(u8),
    /// Inside the research.
    Mid,
    /// At the synthesis.
    Synthesis,
}

/// One `conference.resumed` that still counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Resumption {
    /// Its line in the log.
    pub line: u64,
    /// Its round; 0 if it has none.
    pub round: u64,
    /// The point at which the conference was resumed.
    pub entry: Entry,
    /// The researchers whose rows or worktree were restored.
    pub reverted: Vec<char>,
}

/// A recovery of the log, undone and redone or not.
struct Logged {
    line: u64,
    what: Option<Resumption>,
    /// The lines at which it was undone and redone, in turn.
    turns: Vec<u64>,
}

impl Logged {
    /// Whether an undo or a redo discarded the work of an event after it: what is undone or redone puts back the rows
    /// and the worktrees of these researchers as they were before it.
    fn discards(&self, event: &Event) -> bool {
        let reverted = self.what.as_ref().map(|what| what.reverted.as_slice());
        let reverted = reverted.unwrap_or_default();
        let later = self.turns.iter().filter(|turn| **turn > event.line);
        event.line > self.line
            && later.count() % 2 == 1
            && match event.researcher {
                Some(id) => reverted.contains(&id),
                None => !reverted.is_empty(),
            }
    }
}

/// All of them that still count, in order of the log.
pub(crate) fn all(events: &[Event]) -> Vec<Resumption> {
    let all = logged(events).into_iter();
    let stands = all.filter(|one| one.turns.len().is_multiple_of(2));
    stands.filter_map(|one| one.what).collect()
}

/// Marks the events of work that an undo discarded.
pub(crate) fn discard(events: &mut [Event]) {
    let mut all = logged(events);
    all.retain(|one| !one.turns.is_empty());
    for event in events.iter_mut().filter(|event| event.is_work()) {
        event.discarded = all.iter().any(|one| one.discards(event));
    }
}

fn logged(events: &[Event]) -> Vec<Logged> {
    let mut all: Vec<Logged> = Vec::new();
    let (mut standing, mut undone): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for event in events {
        if *event.name == *UNDONE {
            // The summary of a redo says so, and the undone recovery counts again.
            let body = event.body();
            let words = body.text("summary").unwrap_or_default();
            let (from, to) = if words.ends_with(" redone") {
                (&mut undone, &mut standing)
            } else {
                (&mut standing, &mut undone)
            };
            let Some(at) = from.pop() else {
                continue;
            };
            to.push(at);
            if let Some(one) = all.get_mut(at) {
                one.turns.push(event.line);
            }
            continue;
        }
        // The undo of a rebuilt log is logged like any other, and must not void the recovery before it.
        let what = match &*event.name {
            RESUMED => one(event),
            REBUILT => None,
            _ => continue,
        };
        if *event.name == *RESUMED {
            undone.clear();
        }
        standing.push(all.len());
        all.push(Logged {
            line: event.line,
            what,
            turns: Vec::new(),
        });
    }
    all
}

fn one(event: &Event) -> Option<Resumption> {
    let body = event.body();
    let text = body.text("recovery_point").unwrap_or_default();
    let text = text.to_lowercase();
    let entry = entry(&text);
    let round = number(&text, "round").or(event.round);
    let reverted = reverted_ids(&body);
    if entry.is_none() && reverted.is_empty() {
        return None;
    }
    Some(Resumption {
        line: event.line,
        round: round.unwrap_or(0),
        // Restored rows without a phase belong to the research.
        entry: entry.unwrap_or(Entry::Mid),
        reverted,
    })
}

/// Parses the recovery points of the resume skill: `Start of Round 2, Phase 1`, `Mid-Phase 1, Round 2`,
/// `Start of Phase 3, Round 2`, `Phase 4 (Knowledge Transfer), Round 2`, `Start of Round 3`, `Synthesis only`.
fn entry(text: &str) -> Option<Entry> {
    if text.contains("synthesis") {
        return Some(Entry::Synthesis);
    }
    if text.contains("mid-phase") {
        return Some(Entry::Mid);
    }
    match number(text, "phase") {
        Some(phase) => u8::try_from(phase)
            .ok()
            .filter(|p| (1..=4).contains(p))
            .map(Entry::Phase),
        None => (text.contains("start of") && number(text, "round").is_some())
            .then_some(Entry::Phase(1)),
    }
}

/// The number that follows a word.
fn number(text: &str, word: &str) -> Option<u64> {
    let (_, rest) = text.split_once(word)?;
    let rest = rest.strip_prefix([' ', '_', '-'])?;
    let end = rest.find(|c: char| !c.is_ascii_digit());
    rest.get(..end.unwrap_or(rest.len()))?.parse().ok()
}

/// The line before which events of a phase of a round no longer count; 0 if all count.
pub(crate) fn void_before(all: &[Resumption], round: u64, phase: u8) -> u64 {
    let voids = |r: &&Resumption| {
        r.round == round
            && match r.entry {
                Entry::Phase(from) => from <= phase,
                Entry::Mid => phase > 1,
                Entry::Synthesis => false,
            }
    };
    all.iter().filter(voids).map(|r| r.line).max().unwrap_or(0)
}

/// The line of the last recovery that counted a phase of a round as held; 0 for none.
pub(crate) fn vouched(all: &[Resumption], round: u64, phase: u8) -> u64 {
    let later =
        |r: &&Resumption| r.round == round && matches!(r.entry, Entry::Phase(from) if from > phase);
    all.iter().filter(later).map(|r| r.line).max().unwrap_or(0)
}

/// The last round that a recovery counted as over: the one before the round that it resumed.
pub(crate) fn over(all: &[Resumption]) -> u64 {
    let rounds = all.iter().filter(|r| r.entry != Entry::Synthesis);
    let rounds = rounds.map(|r| r.round).filter(|round| *round <= MOST);
    rounds.max().unwrap_or(0).saturating_sub(1)
}

/// The researchers that a `conference.resumed` lists as reverted.
fn reverted_ids(body: &Body) -> Vec<char> {
    let named = body
        .field("reverted_researchers")
        .and_then(serde_json::Value::as_array);
    named
        .into_iter()
        .flatten()
        .filter_map(|v| letter(v.as_str()?))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f4_reads_the_recovery_points_of_both_writers() {
        use Entry::{Mid, Phase, Synthesis};
        for (text, wanted) in [
            ("start of round 2, phase 1", Some(Phase(1))),
            ("start of phase 1, round 2", Some(Phase(1))),
            ("start of phase 3, round 2 — poster done", Some(Phase(3))),
            ("phase 4 (knowledge transfer), round 2", Some(Phase(4))),
            ("mid-phase 1, round 2", Some(Mid)),
            ("synthesis only", Some(Synthesis)),
            ("start of round 3", Some(Phase(1))),
            ("start of round n+1", None),
            ("phase 9, round 1", None),
            ("wherever", None),
            ("", None),
        ] {
            assert_eq!(entry(text), wanted, "{text}");
        }
        assert_eq!(number("mid-phase 1, round 12", "round"), Some(12));
    }

    #[test]
    fn f4_a_point_voids_its_phase_and_the_later_ones() {
        let at = |line, entry| Resumption {
            line,
            round: 2,
            entry,
            reverted: Vec::new(),
        };
        for (entry, voided) in [
            (Entry::Phase(1), [true, true, true]),
            (Entry::Mid, [false, true, true]),
            (Entry::Phase(2), [false, true, true]),
            (Entry::Phase(3), [false, false, true]),
            (Entry::Phase(4), [false, false, false]),
            (Entry::Synthesis, [false, false, false]),
        ] {
            let all = [at(9, entry)];
            let seen = [1, 2, 3].map(|phase| void_before(&all, 2, phase) == 9);
            assert_eq!(seen, voided, "{entry:?}");
            assert_eq!(void_before(&all, 3, 3), 0);
        }
    }
}

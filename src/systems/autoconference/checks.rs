//! The checks `A1` to `A26`. Foreign text is compared and quoted, never followed.

mod config;
mod log;
mod rounds;
mod tables;
mod times;
mod worktrees;

#[cfg(test)]
mod tests;

use super::Conference;
use super::shape::{CONFIG, EVENTS, RESULTS};
use crate::model::Check;
use crate::systems::kit::checks::{self, Outcome, Row, either, warn};
use crate::text::format::list_first;
use crate::world::World;

/// The input of the checks.
pub(crate) struct Scene<'a> {
    case: &'a Conference,
    world: &'a dyn World,
}

/// The checks, in order.
#[rustfmt::skip]
pub(crate) fn table<'a>() -> [Row<Scene<'a>>; 26] {
    let (row, one) = (Row::new, Row::one);
    [
        one("A1", CONFIG, "conference.md has goal, mode, researchers and rounds", |s| config::valid(s.case)),
        one("A2", EVENTS, "the event log exists", |s| log::present(s.case)),
        one("A3", "lines of the log", "every line of the log is an event with a time", |s| either(log::lines(s.case))),
        one("A4", "end of the log", "the log ends with a complete line", |s| either(log::end(s.case))),
        one("A5", "times of the events", "event times increase and are not in the future", |s| either(log::times(s.case, s.world))),
        one("A6", "dialect of the log", "events have their documented names", |s| either(log::dialect(s.case))),
        one("A7", "order of rounds", "rounds are completed in order, each once", |s| either(log::rounds(s.case))),
        row("A8", "researchers", "every researcher has its table", |s| tables::exist(s.case)),
        row("A9", "researchers", "every event has its row, and only baselines have rows alone", |s| tables::rows_and_events(s.case)),
        row("A10", "tables", "tables have a known header and complete rows", |s| tables::shapes(s.case)),
        row("A11", "tables", "every round starts at iteration 0", |s| tables::resets(s.case)),
        one("A12", RESULTS, "the conference's table agrees with the log", |s| either(tables::agreement(s.case))),
        one("A13", "round files", "every completed round has its poster session and review", |s| rounds::files(s.case)),
        one("A14", "review verdicts", "reviews have as many verdicts as their events say", |s| either(rounds::verdicts(s.case))),
        one("A15", "verdict column", "every row of a completed round has its verdict", |s| either(tables::verdicts(s.case))),
        one("A16", "shared knowledge", "Shared Knowledge exists and names completed rounds", |s| either(config::knowledge(s.case))),
        one("A17", "conference log", "the Conference Log agrees with the researchers' results", |s| either(config::conference_log(s.case))),
        one("A18", "loop process", "no loop script is running", |s| worktrees::running(&s.case.raw, &s.case.contents.reading)),
        row("A19", worktrees::TREES, "every researcher has its branch and worktree", |s| worktrees::expected(s.case, s.world)),
        row("A20", worktrees::TREES, "worktrees have no uncommitted changes", |s| worktrees::uncommitted(s.case, s.world)),
        row("A21", worktrees::TREES, "how far each branch is from conference/best", |s| worktrees::distances(s.case, s.world)),
        one("A22", "last activity", "the conference was active lately", |s| times::age(s.case, s.world)),
        one("A23", "time budget", "the time budget is not used up", |s| either(times::budget(s.case))),
        one("A24", "limits", "no limit of rounds or iterations is reached", |s| times::limits(s.case)),
        one("A25", "text of the log", "no text of the log reads like an instruction", |s| either(log::instructions(s.case))),
        one("A26", "kind of conference", "it is a conference of rounds", |s| config::kind(s.case)),
    ]
}

/// Runs every check.
pub(crate) fn all(case: &Conference, world: &dyn World) -> Vec<Check> {
    checks::run(table(), &Scene { case, world }, true)
}

/// At most eight items, so that a damaged file does not fill the screen.
fn some<T: ToString>(all: &[T]) -> String {
    list_first(all.iter().map(T::to_string), 8)
}

/// A warning that ends with what is wrong; `None` if nothing is.
fn wrong<T: ToString>(what: &str, all: &[T], remedy: &'static str) -> Option<Outcome> {
    (!all.is_empty()).then(|| warn(format!("{what}{}.", some(all)), remedy))
}

//! The 26 checks of the format note, section f, as `A1` to `A26`. Each says what was seen and, where it is
//! not well, what a person can do. Foreign text is compared and quoted, never obeyed.

mod config;
mod log;
mod rounds;
mod tables;
mod times;
mod worktrees;

#[cfg(test)]
mod tests;

use crate::model::{Check, Foreign, Subject, Verdict};
use crate::world::World;

use super::Conference;

/// All checks, in the note's order.
pub(crate) fn all(case: &Conference, world: &dyn World) -> Vec<Check> {
    let mut checks = Vec::new();
    checks.push(config::configuration(case));
    checks.extend(log::all(case, world));
    checks.extend(tables::files(case));
    checks.extend(rounds::all(case));
    checks.push(tables::verdicts(case));
    checks.extend(config::knowledge(case));
    checks.extend(worktrees::all(case, world));
    checks.extend(times::all(case, world));
    checks.push(config::dialect(case));
    checks.sort_by_key(|c| {
        c.id.0
            .trim_start_matches('A')
            .parse::<u64>()
            .unwrap_or(u64::MAX)
    });
    checks
}

fn pass(id: &str, subject: impl Into<Subject>, evidence: impl Into<Foreign>) -> Check {
    Check::new(id, subject, Verdict::Pass, evidence)
}

fn skipped(id: &str, subject: impl Into<Subject>, evidence: impl Into<Foreign>) -> Check {
    Check::new(id, subject, Verdict::Skipped, evidence)
        .remedy("Nothing to do unless what it needs should be there.")
}

fn warn(
    id: &str,
    subject: impl Into<Subject>,
    evidence: impl Into<Foreign>,
    remedy: impl Into<Foreign>,
) -> Check {
    Check::new(id, subject, Verdict::Warn, evidence).remedy(remedy)
}

fn fail(
    id: &str,
    subject: impl Into<Subject>,
    evidence: impl Into<Foreign>,
    remedy: impl Into<Foreign>,
) -> Check {
    Check::new(id, subject, Verdict::Fail, evidence).remedy(remedy)
}

/// `3, 5 and 12 more`: at most eight, so that a damaged file does not fill the screen.
fn some<T: ToString>(all: &[T]) -> String {
    let shown: Vec<String> = all.iter().take(8).map(T::to_string).collect();
    let rest = all.len().saturating_sub(8);
    if rest == 0 {
        shown.join(", ")
    } else {
        format!("{} and {rest} more", shown.join(", "))
    }
}

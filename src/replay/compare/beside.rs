//! Figures that are shown in addition to the outcome and are never judged. Pure.

use super::metrics::own_metrics;
use super::pairs::is_behind;
use super::runs::newest;
use crate::model::{Beside, Metric, Party, RoleFindings, RunKind, Said, TestOutcome};

/// The figures that are no outcome.
const FIGURES: [&str; 4] = [
    "tokens",
    "cost in USD",
    "output characters",
    "files changed",
];

/// Tokens, money, sizes and what reviewers said, of two sides or of the two arms of an experiment.
pub(super) fn beside(
    a: &Party,
    b: &Party,
    from: Option<u64>,
    metrics: &[Metric],
    arms: bool,
) -> Beside {
    let replayed = b.runs.iter().any(|run| run.kind == RunKind::Replay);
    let names = match (arms, replayed) {
        (true, _) => ["control", "mutated"],
        (false, true) if a.name == "original" => ["original", "replayed"],
        (false, _) => [a.name.as_str(), b.name.as_str()],
    };
    let own = own_metrics(a, b);
    let names_of_figures = FIGURES.into_iter().chain(own.iter().map(String::as_str));
    let figure = |name: &str| {
        let mut whole = metrics.iter().filter(|one| !one.from_resume_point);
        whole.find(|one| one.name == name).cloned()
    };
    Beside {
        sides: names.map(str::to_owned),
        figures: names_of_figures.filter_map(figure).collect(),
        findings: findings(a, b, from),
        usage: [a.usage(), b.usage()],
    }
}

/// Each reviewing role, in the order of its first dispatch. Work before the point from which B ran does not count.
fn findings(a: &Party, b: &Party, from: Option<u64>) -> Vec<RoleFindings> {
    let mut found: Vec<RoleFindings> = Vec::new();
    for (party, is_b) in [(a, false), (b, true)] {
        let work = party.runs.iter().flat_map(|run| newest(&run.work));
        for one in work.filter(|one| one.is_review() && is_behind(&one.key, from)) {
            if found.iter().all(|known| known.role != one.role) {
                found.push(RoleFindings {
                    role: one.role.clone(),
                    a: Said::default(),
                    b: Said::default(),
                });
            }
            let Some(role) = found.iter_mut().find(|known| known.role == one.role) else {
                continue;
            };
            let said = if is_b { &mut role.b } else { &mut role.a };
            *match one.verdict {
                TestOutcome::Pass => &mut said.pass,
                TestOutcome::Fail => &mut said.fail,
                TestOutcome::Unknown => &mut said.neither,
            } += 1;
        }
    }
    found
}

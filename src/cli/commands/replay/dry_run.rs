//! `replay --dry-run`: the seed's report of what would be skipped and re-executed, adapted to a replay (format
//! note crucible, section j). Writes nothing.

mod markdown;

use super::conflicts;
use super::in_place;
use crate::cli::Exit;
use crate::cli::answer::{Answer, Failure, Line};
use crate::cli::commands::plan::page;
use crate::cli::commands::setup::Session;
use crate::cli::commands::words::again;
use crate::cli::report::ReplayPlanReport;
use crate::model::{Dispatch, ReplayPlan};

pub(super) fn run(session: &Session, plan: &ReplayPlan, width: usize) -> Result<Answer, Failure> {
    let mut lines = report(plan, width);
    let mut refused = conflicts::refusal(plan);
    let ground = plan
        .ask
        .in_place
        .then(|| session.engine.replay_ground(plan))
        .transpose()?;
    if let Some(ground) = &ground {
        refused = refused.or_else(|| crate::cli::commands::plan::refusal(ground));
        lines.push(vec![]);
        lines.extend(page::page(ground, None, width));
        lines.extend(in_place::then(plan, width));
    }
    if refused.is_none() {
        let said = session.said.iter().filter(|word| *word != "--dry-run");
        let said: Vec<std::ffi::OsString> =
            said.filter(|word| *word != "--json").cloned().collect();
        lines.push(vec![]);
        lines.extend(again(&said, None, &[]).map(|line| page::next(&line)));
    }
    let exit = refused
        .as_ref()
        .map_or(Exit::Done, |error| error.kind.into());
    let wire = ReplayPlanReport::new(
        plan,
        &skipped(plan),
        ground.as_ref(),
        text(&report(plan, usize::MAX)),
        refused.as_ref(),
    );
    Ok(Answer::new(wire, lines).exit(exit))
}

/// The report, its tables as wide as they may be.
pub(super) fn report(plan: &ReplayPlan, width: usize) -> Vec<Line> {
    markdown::lines(plan, &skipped(plan), width)
}

/// The dispatches of the original run that are not run again.
fn skipped(plan: &ReplayPlan) -> Vec<&Dispatch> {
    let redone = |one: &&Dispatch| plan.steps.iter().all(|step| step.original.seq != one.seq);
    plan.experiment.original().filter(redone).collect()
}

/// Lines as a text.
fn text(lines: &[Line]) -> String {
    let mut text = String::new();
    for line in lines {
        text.extend(line.iter().map(|span| span.1.as_str()));
        text.push('\n');
    }
    text
}

//! `replay --dry-run`: crucible's report of what would be skipped and run again, adapted to a replay. Writes
//! nothing.

mod markdown;

use super::conflicts;
use super::in_place;
use crate::cli::commands::plan;
use crate::cli::commands::retyped::without_dry_run;
use crate::cli::prelude::*;
use crate::cli::report::replay_plan;

pub(super) fn run(session: &Session, plan: &ReplayPlan, options: &PlanOptions) -> Result<Answer> {
    let mut page = session.page();
    let conflict = conflicts::refusal(plan);
    let refusal = || session.engine.replay_refusal(plan);
    let refusal = conflict.is_none().then(refusal).flatten();
    if let Some(error) = &refusal {
        page.warn(clean!("This would be refused: {}", error.text));
        let hints = error.hints.iter();
        hints.for_each(|hint| page.indent(2, Tone::Plain, hint));
        page.blank();
    }
    page.lines(report(plan, session.width));
    let in_place = plan.ask.in_place;
    let ground = in_place.then(|| session.engine.replay_ground(plan, options));
    let ground = ground.transpose()?;
    let refused = conflict.or(refusal);
    let refused = refused.or_else(|| ground.as_ref().and_then(plan::refusal));
    if let Some(ground) = &ground {
        page.blank();
        plan::page::plan(ground, None, &[], session.engine.now(), &mut page);
        in_place::then(plan, &mut page);
    }
    if refused.is_none()
        && let Some(line) = without_dry_run(&session.said, &[])
    {
        page.blank();
        page.command("run", line);
    }
    let exit = Exit::refused(refused.as_ref());
    let mut text = String::new();
    for line in report(plan, usize::MAX) {
        text.extend(line.iter().map(|span| span.1.as_str()));
        text.push('\n');
    }
    let (skipped, ground, refused) = (skipped(plan), ground.as_ref(), refused.as_ref());
    let wire = replay_plan(plan, &skipped, ground, &text, refused);
    Ok(Answer::new(wire, page).exit(exit))
}

/// The report, its tables at most this wide.
pub(super) fn report(plan: &ReplayPlan, width: usize) -> Vec<Line> {
    let mut page = Page::new(width);
    markdown::report(plan, &skipped(plan), &mut page);
    page.into_iter().collect()
}

/// The dispatches of the original run that are not run again.
fn skipped(plan: &ReplayPlan) -> Vec<&Dispatch> {
    let redone = |one: &&Dispatch| plan.steps.iter().all(|step| step.original.seq != one.seq);
    plan.experiment.original().filter(redone).collect()
}

//! `relight plan`, and the plan of every other command: from the request to one plan object.

pub(super) mod actions;
pub(super) mod page;

use std::path::Component;

use super::handoff;
use super::retyped::{PATH, WORK_TREE, is_on, value, without_dry_run};
use crate::cli::answer::Late;
use crate::cli::args::{OptionArgs, PlanArgs, PointArgs};
use crate::cli::prelude::*;
use crate::model::{PointId, RestoreMode, one_line_reason};
use crate::text::Shown as _;

/// The longest reason, in bytes.
const REASON_MOST: usize = 1_000;

pub(super) fn run(session: &Session, args: &PlanArgs) -> Result<Answer> {
    let id = select(session, &args.target)?;
    let (choice, options) = (choice(&args.point), explained(args)?);
    dry_run(session, session.engine.plan(&id, &choice, &options))
}

/// A plan that is printed and not applied, by `plan` and every `--dry-run`.
pub(super) fn dry_run(session: &Session, plan: Result<Plan>) -> Result<Answer> {
    let mut page = session.page();
    let plan = match plan {
        Ok(mut plan) => {
            session.tell(plan.advice());
            plan
        }
        Err(error) if error.kind == ErrorKind::NothingToDo => {
            return Ok(session.nothing(error, page, |error| report::no_plan(&error.text.lossy())));
        }
        Err(error) => return Err(error),
    };
    let upstream = match plan.asked {
        Asked::Resume { .. } if !plan.is_of_files() => session.engine.dry_run_report(&plan)?,
        Asked::Resume { .. } | Asked::Undo { .. } => None,
    };
    let refused = refusal(&plan);
    let exit = Exit::refused(refused.as_ref());
    // The plan is shown even if the pipeline can no longer be read.
    let ledger = session.engine.ledger(&plan.pipeline).unwrap_or_default();
    let now = session.engine.now();
    page::plan(&plan, upstream.as_ref(), &ledger, now, &mut page);
    let continuation = session.engine.continuation(&plan, &plan.handoff);
    if let Some(found) = &continuation {
        handoff::continuation(found, session.engine.now(), &mut page);
        page.blank();
    }
    let idle = idle(session, &plan);
    // A restore that changes nothing hands nothing over either.
    let is_done = plan.is_of_files() && plan.actions.is_empty();
    if refused.is_none()
        && !is_done
        && let Some(line) = without_dry_run(&session.said, &idle)
    {
        page.command("apply", &line);
    }
    let note = clean!("no effect on this plan: {}", list(&idle));
    let report = move || {
        let upstream = upstream.as_ref().map(|report| report.lossy().into_owned());
        let report = report::plan(&plan, upstream, &ledger, refused.as_ref());
        report::continued(report, continuation.as_ref())
    };
    let answer = Answer::new(Late(report), page).exit(exit);
    Ok(answer.noted((!idle.is_empty()).then_some(note)))
}

/// The pipeline that was named.
pub(super) fn select(session: &Session, target: &Target) -> Result<PipelineId> {
    let request = Request {
        work_tree: target.work_tree.clone(),
        ..session.request.clone()
    };
    let id = session.engine.select(&target.pipeline, &request)?;
    session.remember(&target.pipeline, &id);
    Ok(id)
}

/// The chosen resume point.
pub(super) fn choice(args: &PointArgs) -> PointChoice {
    match (&args.word, &args.id, &args.from_phase, args.from_seq) {
        (Some(id), ..) | (_, Some(id), ..) => PointChoice::Id(PointId(id.clone())),
        (_, _, Some(phase), _) => PointChoice::FromPhase(phase.clone()),
        (_, _, _, Some(seq)) => PointChoice::FromSeq(seq),
        (None, None, None, None) => PointChoice::Recommended,
    }
}

/// The options of the plan. A path that leads out of the work tree is refused; an absolute one is taken relative to it
/// once that is known.
pub(super) fn options(args: &OptionArgs) -> Result<PlanOptions> {
    let outside = |path: &&PathBuf| path.components().any(|part| part == Component::ParentDir);
    if let Some(path) = args.only.iter().find(outside) {
        let path = path.shown();
        let text = format!("--path {path} is not a path inside the work tree.");
        let error = EngineError::usage(text);
        return Err(error.hint("Name paths relative to the work tree."));
    }
    let (exact, overlay) = (RestoreMode::Exact, RestoreMode::Overlay);
    Ok(PlanOptions {
        mode: if args.exact { exact } else { overlay },
        paths: args.only.clone(),
        branch: args.branch.clone(),
        assume_stopped: args.assume_stopped,
        accept: args.accept.clone(),
        rewind_branch: args.rewind_branch,
        reason: None,
    })
}

/// The options of a plan that ends in a hand-off.
pub(super) fn explained(args: &PlanArgs) -> Result<PlanOptions> {
    Ok(PlanOptions {
        reason: args.reason.as_deref().map(reason).transpose()?,
        ..options(&args.options)?
    })
}

/// The options that were typed and have no effect on this plan: the command that applies it does not repeat them.
fn idle(session: &Session, plan: &Plan) -> Vec<&'static str> {
    // What an option did may be that the plan is refused.
    if plan.guards.iter().any(Guard::refuses) {
        return Vec::new();
    }
    let tree = plan.actions.iter().any(|one| one.kind.touches_tree());
    let of_trees = ["--exact", "--rewind-branch"].into_iter();
    let of_trees = of_trees.filter(|switch| !tree && is_on(&session.said, switch));
    // What was left out is why nothing is restored.
    let excludes = tree || !plan.left_out.is_empty() || !plan.kept_newer.is_empty();
    let path = value(&session.said, PATH).filter(|_| !excludes);
    let place = value(&session.said, WORK_TREE).filter(|place| {
        let cwd = &session.request.cwd;
        let engine = &session.engine;
        !engine.is_work_tree(&plan.pipeline, cwd, Path::new(place))
    });
    let valued = [path.map(|_| PATH), place.map(|_| WORK_TREE)];
    of_trees.chain(valued.into_iter().flatten()).collect()
}

/// A reason as it is recorded: one line, not empty.
pub(super) fn reason(text: &str) -> Result<String> {
    let line = one_line_reason(text).filter(|line| line.len() <= REASON_MOST);
    line.ok_or_else(|| {
        let text = format!("--reason must be a text of at most {REASON_MOST} bytes.");
        EngineError::usage(text)
            .hint("Give one sentence; put longer explanations into the workflow's documents.")
    })
}

/// The error that accompanies a plan with a failed guard.
pub(super) fn refusal(plan: &Plan) -> Option<EngineError> {
    let guards = plan.guards.iter().filter(|guard| guard.refuses());
    let guards: Vec<_> = guards.cloned().collect();
    if guards.is_empty() {
        return None;
    }
    let text = format!("The plan is refused by {}.", count(guards.len(), "guard"));
    let mut error = EngineError::refused(text);
    let cures = guards
        .iter()
        .filter_map(|guard| guard.would_hold_if.clone());
    error.hints = cures.collect();
    // A rebase fails two guards, and one command ends it.
    error.hints.dedup();
    error.guards = guards;
    Some(error)
}

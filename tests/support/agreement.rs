//! What a plan, its prompt and its briefing say must be the same (findings H1, H2, H4, H9).

use relight::engine::Engine;
use relight::model::{
    ActionKind, Aliveness, Foreign, GuardKind, Handoff, PathChange, Pipeline, Plan, PlanOptions,
    PointChoice, ResumePoint,
};

use super::Trouble;

/// The questions that may be put, by how their ids begin.
const ASKS: [&str; 4] = ["gate:", "override:", "repeat-failure:", "convergence"];

/// Holds a plan against its point, and the same plan with a path left out against itself.
pub(crate) fn check(
    engine: &Engine,
    pipeline: &Pipeline,
    point: &ResumePoint,
    plan: &Plan,
) -> Result<(), Trouble> {
    let mut wrongs = of_point(point, plan);
    wrongs.extend(of_guards(pipeline, plan));
    wrongs.extend(of_handoff(plan));
    let choice = PointChoice::Id(point.boundary.id.clone());
    let again = |options: &PlanOptions| {
        engine
            .plan(&pipeline.id, &choice, options)
            .map_err(|why| Trouble(why.to_string()))
    };
    if let Some(path) = one_of_several(plan) {
        let part = again(&PlanOptions {
            paths: vec![path],
            ..PlanOptions::default()
        })?;
        wrongs.extend(left_out(plan, &part));
    }
    let asks = plan.guards.iter().filter(|g| g.kind == GuardKind::Ask);
    let accept: Vec<String> = asks.map(|guard| guard.id.to_string()).collect();
    if !accept.is_empty() {
        let accepted = again(&PlanOptions {
            accept,
            ..PlanOptions::default()
        })?;
        if accepted.guards.iter().any(relight::model::Guard::is_open) {
            wrongs.push("a question stays open though it was accepted".to_owned());
        }
        if accepted.fingerprint != plan.fingerprint {
            wrongs.push("an answer makes another plan".to_owned());
        }
    }
    if wrongs.is_empty() {
        return Ok(());
    }
    let id = &point.boundary.id;
    let said = format!(
        "{}\n---\n{}",
        plan.handoff.prompt.lossy(),
        plan.handoff.briefing.lossy()
    );
    Err(Trouble(format!(
        "{}, {id}: {}\n{said}",
        pipeline.id,
        wrongs.join("; ")
    )))
}

/// The point's numbers and warnings are the plan's.
fn of_point(point: &ResumePoint, plan: &Plan) -> Vec<String> {
    let mut wrongs = Vec::new();
    let counted = (point.boundary.kept, point.boundary.redone);
    let listed = (plan.kept.len() as u64, plan.redone.len() as u64);
    if counted != listed {
        wrongs.push(format!(
            "kept and redone are {counted:?} in points and {listed:?} in the plan"
        ));
    }
    if plan.warnings != point.boundary.warnings {
        wrongs.push("the plan has other warnings than its point".to_owned());
    }
    wrongs
}

/// Life, the recorded branch and the questions.
fn of_guards(pipeline: &Pipeline, plan: &Plan) -> Vec<String> {
    let mut wrongs = Vec::new();
    let refuses = |id: &str| plan.guards.iter().any(|g| g.id == id && g.refuses());
    if !plan.guards.iter().any(|guard| guard.id == "liveness") {
        wrongs.push("nothing is asked about life".to_owned());
    }
    if pipeline.standing.liveness.verdict == Aliveness::Alive && !refuses("liveness") {
        wrongs.push("handed over although it is alive".to_owned());
    }
    let branch = pipeline.branch.as_ref();
    let pair = branch.and_then(|b| b.expected.as_ref().zip(b.actual.as_ref()));
    let wrong = pair.is_some_and(|(expected, actual)| !expected.is_empty() && expected != actual);
    if wrong && pipeline.work_tree.is_some() && !refuses("branch") {
        wrongs.push("handed over on the wrong branch".to_owned());
    }
    for guard in plan.guards.iter().filter(|g| g.kind == GuardKind::Ask) {
        if !ASKS.iter().any(|ask| guard.id.starts_with(ask)) || guard.holds {
            wrongs.push(format!("{} is no open question", guard.id));
        }
    }
    wrongs
}

/// The prompt is one line and the last word of the command; the briefing lists what the plan lists.
fn of_handoff(plan: &Plan) -> Vec<String> {
    let handoff = &plan.handoff;
    if *handoff == Handoff::default() {
        return vec!["there is no hand-off".to_owned()];
    }
    let mut wrongs = Vec::new();
    let (prompt, briefing) = (handoff.prompt.lossy(), handoff.briefing.lossy());
    if !prompt.is_empty() && handoff.argv.last() != Some(&handoff.prompt) {
        wrongs.push("the command does not carry the prompt".to_owned());
    }
    if prompt.contains(['\n', '\r']) {
        wrongs.push("the prompt has more than one line".to_owned());
    }
    // The sections of every hand-off come last; a system may have lists of its own before them.
    let section = |title: &str| -> usize {
        let head = format!("{title}:");
        let lines: Vec<&str> = briefing.lines().collect();
        let at = lines.iter().rposition(|line| *line == head);
        let items = at.map_or(&[][..], |at| &lines[at + 1..]);
        items
            .iter()
            .take_while(|line| line.starts_with("- "))
            .count()
    };
    for (title, count) in [
        ("Kept", plan.kept.len()),
        ("Will run again", plan.redone.len()),
        ("Warnings", plan.warnings.len()),
    ] {
        let found = section(title);
        if found != count {
            wrongs.push(format!("“{title}” lists {found} of {count}"));
        }
    }
    let restores = plan
        .actions
        .iter()
        .any(|a| a.kind == ActionKind::RestoreTree);
    if restores != prompt.contains("relight restored ") {
        wrongs.push("the prompt says otherwise what was restored".to_owned());
    }
    wrongs
}

/// A path of a plan that restores several.
fn one_of_several(plan: &Plan) -> Option<std::path::PathBuf> {
    let tree = plan
        .actions
        .iter()
        .find(|a| a.kind == ActionKind::RestoreTree)?;
    let put = |change| matches!(change, PathChange::Write | PathChange::Create);
    let mut paths = tree.paths.iter().filter(|path| put(path.change));
    let first = paths.next()?;
    paths.next()?;
    Some(path_of(&first.path))
}

fn path_of(path: &Foreign) -> std::path::PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    std::path::PathBuf::from(std::ffi::OsStr::from_bytes(path.as_bytes()))
}

/// H2: every path that was left out is counted in the prompt and named in the briefing.
fn left_out(whole: &Plan, part: &Plan) -> Vec<String> {
    let mut wrongs = of_handoff(part);
    let tree = whole
        .actions
        .iter()
        .find(|a| a.kind == ActionKind::RestoreTree);
    let put = |change| matches!(change, PathChange::Write | PathChange::Create);
    let all = tree.map_or(0, |tree| {
        tree.paths.iter().filter(|p| put(p.change)).count()
    });
    let prompt = part.handoff.prompt.lossy();
    if part.left_out.len() < all.saturating_sub(1) {
        wrongs.push(format!(
            "{} of {all} are said to be left out",
            part.left_out.len()
        ));
    }
    let counted = format!("{} file", part.left_out.len());
    if !prompt.contains("not restored") || !prompt.contains(&counted) {
        wrongs.push("the prompt does not say what was left out".to_owned());
    }
    if prompt.contains("already match") {
        wrongs.push("the prompt says that all of it was restored".to_owned());
    }
    let briefing = part.handoff.briefing.lossy();
    for path in &part.left_out {
        if !briefing.contains(&format!("- '{}'", path.clean())) {
            wrongs.push(format!("the briefing does not name {}", path.lossy()));
        }
    }
    wrongs
}

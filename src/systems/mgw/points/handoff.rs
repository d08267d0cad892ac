//! The hand-off: the command to run in ROOT, and a briefing that corrects the orchestrator's own mapping.

use std::borrow::Cow;

use crate::model::{
    Action as Change, ActionKind, Check, Foreign, Handoff, PathChange, Preview, Prospect, Verdict,
};
use crate::systems::mgw::facts::reading::{named_paths, seen_text};
use crate::systems::mgw::facts::{Evidence, Facts, Source};
use crate::systems::mgw::points::{Goal, Point, Scene, applying, lacks};
use crate::systems::mgw::record::step_start;
use crate::systems::mgw::shape::{Action, Checkpoint, Stage, State, Step, state_files};
use crate::text::Shown as _;
use crate::text::format::capital;

pub(crate) fn handoff(scene: &Scene<'_>, prospect: &Prospect<'_>) -> Option<Handoff> {
    let facts = scene.facts;
    let mut points = applying(scene).into_iter();
    let point = points.find(|point| point.id() == *prospect.point)?;
    let after = after(scene, prospect.actions);
    let prompt = prompt(scene, point, &after);
    let briefing = briefing(scene, point, (&prompt, &after), prospect);
    let program = vec![facts.program.into()];
    Some(Handoff::new(
        &facts.root,
        program,
        prompt,
        briefing.join("\n"),
    ))
}

/// The facts as the plan leaves the worktree and the branch.
fn after<'a>(scene: &Scene<'a>, actions: &[Change]) -> Cow<'a, Facts> {
    let facts = scene.facts;
    let mut actions = actions.iter();
    let reset = actions.find(|action| action.kind == ActionKind::ResetWorktree);
    let Some((action, Preview::Tree { commit, .. })) = reset.map(|one| (one, &one.preview)) else {
        return Cow::Borrowed(facts);
    };
    let paths = action.paths.iter();
    let removed = paths.filter(|path| path.change == PathChange::Remove);
    let removed = removed.map(|path| action.target.join(path.path.as_path()));
    Cow::Owned(facts.reset_to(scene.world, commit, removed.collect()))
}

fn briefing(
    scene: &Scene<'_>,
    point: Point,
    (prompt, after): (&str, &Facts),
    prospect: &Prospect<'_>,
) -> Vec<String> {
    let facts = scene.facts;
    let mut lines = vec![
        format!("Issue #{}: {}", facts.number, one_line(&facts.title())),
        format!("Command: {prompt}"),
        format!("Project: {}", facts.root.shown()),
        format!("Resume at: {}", place(scene, point)),
    ];
    // The reason is from before a reset, which may remove the evidence for it.
    if scene.is_chosen(point) && after.branch.tip == facts.branch.tip {
        lines.push(format!("Why: {}", scene.target.why));
    }
    // The run reads the file as the plan leaves it, not the current one.
    let written = written(facts, prospect);
    let state = written.as_ref().unwrap_or(scene.state);
    let stage = state.stage_text().unwrap_or("missing");
    lines.push(format!("Stage in the state file: {stage}"));
    lines.extend(scene.gate().map(|gate| gate_line(point, gate)));
    match state.checkpoint() {
        None => lines.push("Checkpoint: none".to_owned()),
        Some(checkpoint) => {
            let action = checkpoint.action_text.as_deref().unwrap_or("none");
            let (step, action) = (one_line(&checkpoint.step_text), one_line(action));
            lines.push(format!("Checkpoint: step {step}, action {action}"));
            let context = serde_json::Value::Object(checkpoint.context.clone());
            lines.push(format!("Context: {context}"));
        }
    }
    lines.push(format!("Branch: {}", one_line(&facts.branch.name)));
    lines.push(worktree(facts));
    let listed = facts.listed();
    lines.extend(listed.map(|listed| format!("Belongs to: {}", one_line(&listed.context()))));
    let evidence = evidence(scene, point, after).summary();
    lines.push(format!("Evidence: {evidence}"));
    lines.extend(named_paths(scene.state).iter().map(|named| {
        let seen = seen_text(after.lookup.find(scene.world, &named.path));
        format!("Document: {} ({seen})", one_line(&named.path))
    }));
    lines.extend(troubles(prospect));
    lines.push(String::new());
    lines
}

/// Checks of what a reset of the worktree replaces: documents, branch, commits, changes.
const OF_THE_WORKTREE: [&str; 6] = ["M10", "M11", "M12", "M13", "M14", "M15"];

/// The checks that did not pass. They looked before the plan changed anything: what it replaces is left out.
fn troubles(prospect: &Prospect<'_>) -> impl Iterator<Item = String> {
    let mut kinds = prospect.actions.iter().map(|action| action.kind);
    let reset = kinds.any(|kind| kind == ActionKind::ResetWorktree);
    let unchanged = prospect.actions.is_empty();
    let when = if unchanged {
        ""
    } else {
        " before these changes"
    };
    let stale = move |check: &Check| reset && OF_THE_WORKTREE.contains(&check.id.0.as_str());
    let checks = prospect.checks.iter();
    let checks = checks.filter(move |check| check.verdict > Verdict::Skipped && !stale(check));
    checks.map(move |check| {
        let (id, verdict) = (&check.id.0, check.verdict.word());
        let (subject, evidence) = (check.subject().clean(), check.evidence.clean());
        format!("Check {id} {verdict}{when} ({subject}): {evidence}")
    })
}

/// The orchestrator's command, and where to continue.
fn prompt(scene: &Scene<'_>, point: Point, after: &Facts) -> String {
    let gate = scene.gate().filter(|_| point != Point::Override);
    let gate = gate.map(|gate| {
        let word = gate.word();
        format!("The issue is waiting at {word}: ask me, and do not override it.")
    });
    let lacking = lacks(after, point).map(|document| {
        let lack = capital(&after.evidence.lack(document));
        format!("{lack}: ask me for it, and do not continue without it.")
    });
    let branch = &scene.facts.branch;
    let root = &scene.facts.root;
    let tree = scene.recreates(point).then(|| match branch.recreate(root) {
        _ if branch.may_have_moved() => "The worktree that git lists is missing, and may have been moved: ask me before you create another one.".to_owned(),
        Some(command) => format!("There is no worktree of the issue. If the run does not create it, use `{command}`."),
        None => "There is no worktree of the issue; let the run create it.".to_owned(),
    });
    let unread = branch.unread.as_ref().map(|_| {
        let name = one_line(&branch.name);
        format!("git cannot read the branch {name}: ask me, and do not create it again.")
    });
    let gaps = scene.gaps(point);
    let gaps = gaps.map(|gaps| format!("{gaps}: ask me before you create the pull request."));
    let parts = [
        Some(command(scene, point)),
        instruction(scene, point),
        earlier(scene, point, after),
        lacking,
        unread,
        gate,
        gaps.map(|gaps| one_line(&gaps)),
        tree,
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Whether a point goes back to a step that was done.
fn rewinds(scene: &Scene<'_>, point: Point) -> bool {
    matches!(point, Point::Step(_) | Point::Fresh) && !scene.is_chosen(point)
}

/// The evidence against the state file as a point leaves it: a rewind is newer than all that was done before it.
fn evidence<'a>(scene: &Scene<'_>, point: Point, after: &'a Facts) -> Cow<'a, Evidence> {
    if !rewinds(scene, point) || scene.facts.source != Source::File {
        return Cow::Borrowed(&after.evidence);
    }
    Cow::Owned(Evidence {
        since: Some(scene.world.clock().now().to_utc()),
        ..after.evidence.clone()
    })
}

/// What was done before a rewind and stays on disk, where the agent would take it for the result.
fn earlier(scene: &Scene<'_>, point: Point, after: &Facts) -> Option<String> {
    let checkpoint = scene.state.checkpoint();
    let rewound = checkpoint.is_some_and(|checkpoint| checkpoint.rewound);
    if !rewound && !rewinds(scene, point) {
        return None;
    }
    let step = scene.leads_to(point).step()?;
    let before = step.index().checked_sub(1)?;
    // A reset leaves the commits of the kept steps only.
    let reset = after.branch.tip != scene.facts.branch.tip;
    let later = || Some(step_start::of(scene, step).ok()?.later as u64);
    let later = if reset { Some(0) } else { later() };
    let evidence = evidence(scene, point, after);
    let words = evidence.outdated(Step::ALL.get(before).copied(), later)?;
    Some(format!(
        "The earlier results do not count and are made again: {words}."
    ))
}

/// The orchestrator's command that continues at a point.
pub(super) fn command(scene: &Scene<'_>, point: Point) -> String {
    let state = scene.state;
    let number = &scene.facts.number;
    let run = |flag: &str| format!("/mgw:run {number}{flag}");
    let triage = || format!("/mgw:issue {number}");
    match point {
        Point::Cleanup => "/mgw:sync".to_owned(),
        Point::ReTriage => triage(),
        Point::Override => run(match scene.gate() {
            Some(Stage::NeedsInfo) => " --force",
            Some(Stage::NeedsSecurityReview) => " --security-ack",
            _ => "",
        }),
        Point::FromTmp if scene.leads_to(point) == Goal::Step(Step::Triage) => triage(),
        Point::Step(Step::Triage) if !scene.is_chosen(point) => triage(),
        Point::Step(_) if scene.is_chosen(point) && state.reconstructed() => triage(),
        Point::Step(step) if scene.is_chosen(point) => {
            // A failed run stops at once without the flag. The flag of a gate is never given here: the orchestrator
            // stops at the gate and asks its user.
            let failed = state.has_failed();
            let plain = !failed && !state.stage().is_some_and(Stage::waits);
            match step {
                Step::Triage if plain => triage(),
                Step::Pr if plain && !resumes_there(state.checkpoint(), scene.target.goal) => {
                    format!("/mgw:pr {number}")
                }
                _ if failed => run(" --retry"),
                Step::Triage | Step::Plan | Step::Execute | Step::Verify | Step::Pr => run(""),
            }
        }
        Point::Step(_) | Point::Fresh | Point::Retry | Point::FromTmp => run(""),
    }
}

/// How the gate that the issue is waiting at is handled.
fn gate_line(point: Point, gate: Stage) -> String {
    let word = gate.word();
    if point == Point::Override {
        return format!("Gate: {word}, overridden by the user's explicit decision.");
    }
    format!(
        "Gate: {word}. It is not overridden: the run stops there until the user has decided. Do not pass --force or --security-ack unasked."
    )
}

/// True if the orchestrator's own resume prompt appears and leads to the target.
fn resumes_there(checkpoint: Option<&Checkpoint>, goal: Goal) -> bool {
    checkpoint.is_some_and(|checkpoint| {
        let stage = checkpoint.action.map_or("planning", Action::upstream);
        checkpoint.offered_upstream() && !checkpoint.regressed() && stage == goal.word()
    })
}

/// The instruction after the command: where to continue, and how to answer the orchestrator's question.
fn instruction(scene: &Scene<'_>, point: Point) -> Option<String> {
    let goal = scene.leads_to(point);
    let place = place(scene, point);
    let fixed = match goal {
        Goal::Cleanup => "Clean up only: the pull request exists, so do not plan again.",
        Goal::Step(Step::Triage) if scene.gate().is_some() && point != Point::ReTriage => {
            return None;
        }
        _ if command(scene, point).starts_with("/mgw:pr ") => {
            "Create the pull request; the steps before it are done."
        }
        Goal::Step(Step::Triage) => "Triage the issue; do not delete its branch or its documents.",
        Goal::Nothing | Goal::Step(_) => {
            return Some(match is_exact(scene, point, goal) {
                None => format!("Continue with {place}; no checkpoint is offered to resume."),
                Some(true) => format!("Choose Resume when asked; it continues with {place}."),
                Some(false) => format!(
                    "Choose Resume when asked, but continue with {place}, not with the step that Resume names."
                ),
            });
        }
    };
    Some(fixed.to_owned())
}

/// Whether the orchestrator's own Resume leads to the goal; `None` if it offers none.
fn is_exact(scene: &Scene<'_>, point: Point, goal: Goal) -> Option<bool> {
    use Point as P;
    let checkpoint = match (point, &scene.tmp) {
        (P::FromTmp, Some(_)) => {
            let tmp = scene.facts.valid_tmp();
            tmp.and_then(|tmp| tmp.state()?.checkpoint())
        }
        _ => scene.state.checkpoint(),
    };
    match point {
        // These write the checkpoint themselves, with an action that leads to exactly that step. The plan of the first
        // phase is written as a checkpoint at triage, which the orchestrator does not offer.
        P::Step(Step::Plan) if !scene.is_chosen(point) => {
            (!scene.history.finished.is_empty()).then_some(true)
        }
        P::Step(_) if !scene.is_chosen(point) => Some(true),
        P::Fresh => None,
        P::Step(_) | P::Retry | P::Cleanup | P::FromTmp | P::ReTriage | P::Override => {
            let offered = checkpoint.filter(|checkpoint| checkpoint.offered_upstream());
            offered.map(|_| resumes_there(checkpoint, goal))
        }
    }
}

/// The stage of a point's goal, with the phase.
fn place(scene: &Scene<'_>, point: Point) -> String {
    let target = match (point, &scene.tmp) {
        (Point::FromTmp, Some(tmp)) => tmp,
        _ => scene.target,
    };
    let goal = scene.leads_to(point);
    let word = goal.word();
    let detail = match &target.phase {
        _ if point == Point::Fresh => String::new(),
        _ if goal == target.goal => one_line(&target.detail),
        Some(phase) => format!("phase {}", one_line(phase)),
        None => String::new(),
    };
    if detail.is_empty() {
        word.to_owned()
    } else {
        format!("{word} ({detail})")
    }
}

/// The state file as the plan's own actions leave it; `None` if none of them writes it.
fn written(facts: &Facts, prospect: &Prospect<'_>) -> Option<State> {
    state_files::parse(prospect.content_of(&facts.file()?.path)?).ok()
}

/// The worktree, or the exact command that creates it again.
fn worktree(facts: &Facts) -> String {
    let branch = &facts.branch;
    match (branch.present(), &branch.tip) {
        (Some(tree), _) => format!("Worktree: {}", tree.shown()),
        (None, None) if branch.unread.is_some() => {
            "Worktree: none, and git cannot read the branch.".to_owned()
        }
        (None, None) => "Worktree: none, and no branch; the run creates both.".to_owned(),
        (None, Some(_)) => format!("Worktree: none. {}", branch.bring_back(&facts.root)),
    }
}

/// Foreign text on one line of the briefing.
fn one_line(text: &str) -> String {
    Foreign::from(text).clean().into_string()
}

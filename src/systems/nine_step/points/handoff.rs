//! The hand-off. The plugin's resume command plans again, and its code is wrong in several cases, so the prompt names
//! the step and the briefing has the context that the agents of steps 3 to 8 require.

use std::borrow::Cow;

use crate::model::{Foreign, Handoff, Prospect};
use crate::systems::nine_step::Scene;
use crate::systems::nine_step::facts::{Facts, Home, Ledger, Position};
use crate::systems::nine_step::points::open::{self, Open};
use crate::systems::nine_step::points::{
    self, Point, Target, guards, later_work, lost, merge_stage,
};
use crate::systems::nine_step::shape::{self, Class, StepNo, WORKTREE_DIRS, feature_names};
use crate::text::Shown as _;

/// How many findings of the previous step the briefing lists.
const MOST_FINDINGS: usize = 40;

/// The hand-off of a point.
pub(crate) fn of(scene: Scene<'_>, prospect: &Prospect<'_>) -> Handoff {
    let Some(point) = points::find(scene, prospect.point) else {
        return Handoff::default();
    };
    let facts = scene.facts;
    let target = point.leads_to(facts);
    let skipped = match point {
        Point::SkipPhase(..) => " The phase before it is unfinished: I skip it for now.",
        Point::Resume(_) | Point::FromBackup | Point::Commit { .. } => "",
    };
    let mut prompt = prompt(scene, target) + skipped;
    if let Some(rejection) = open::rejection(scene, target) {
        prompt = format!("{prompt} {rejection}");
    }
    let lost = lost::passed(facts, target).into_iter();
    let lost = lost.chain(lost::unknown(facts));
    let lost = lost.map(|text| format!("{text} Ask me before you go past it."));
    for text in lost.chain(later_work::sentences(scene, &point)) {
        prompt.push(' ');
        prompt.push_str(&one_line(&text));
    }
    let mut briefing = briefing(scene, target, written(scene, prospect).as_deref());
    for file in later_work::all_files(scene, &point) {
        briefing.push_str(&one_line(&file));
        briefing.push('\n');
    }
    Handoff::new(&facts.layout.top, vec!["claude".into()], prompt, briefing)
}

/// Foreign text for an argument or a line to copy: safe to show, on one line, clipped.
pub(crate) fn plain(text: &str) -> String {
    Foreign::from(text).clean().clip(400).into_string()
}

/// Text with names of files: safe to show, on one line.
fn one_line(text: &str) -> String {
    Foreign::from(text).clean().into_string()
}

fn worktree(facts: &Facts) -> String {
    let dir = facts.dir().shown();
    plain(&match &facts.home {
        Home::Linked(_) | Home::Orphan(_) => dir.to_string(),
        Home::Main(_) => format!("{dir} (the main work tree)"),
        Home::BranchOnly(branch) => {
            let path = format!("{}/{}", WORKTREE_DIRS[0], feature_names::of_branch(branch));
            guards::add_command(facts, &path).map_or_else(
                || "none: create one with git worktree add first".to_owned(),
                |command| format!("none: create one first with `{command}`"),
            )
        }
    })
}

fn branch(facts: &Facts) -> String {
    let name = facts.text("branch_name").or(facts.git.branch.as_deref());
    plain(name.unwrap_or("not on record"))
}

fn plan(facts: &Facts) -> String {
    let found = facts.plan.path().map(|path| path.shown().to_string());
    plain(&found.unwrap_or_else(|| "not found".to_owned()))
}

/// A prompt that is enough to continue.
fn prompt(scene: Scene<'_>, target: Target) -> String {
    let facts = scene.facts;
    let open = open::at(scene, target);
    let feature = plain(&facts.feature());
    let (place, rule) = match target {
        Target::Merge => merge_stage::prompt(facts),
        Target::Step(phase, step) => (
            format!(
                "at phase {phase}, step {}, with the agent {}{}; do not plan the resume point again",
                step.named(),
                step.agent(),
                match open {
                    Some((_, Open::Pending | Open::Rejected)) => "",
                    Some((_, Open::Conditions)) | None => ", and at no other step",
                }
            ),
            match open {
                Some((position, open)) => rule(position, open),
                None if step == StepNo::Approval => {
                    " Ask me for approval of the plan first.".to_owned()
                }
                None => String::new(),
            },
        ),
    };
    format!(
        "Continue the nine-step workflow of {feature} {place}. Context: worktree {}, branch {}, plan {}.{rule}",
        worktree(facts),
        branch(facts),
        plan(facts)
    )
}

/// What the agent does about an open decision before anything else.
fn rule(position: &Position, open: Open) -> String {
    let ended = open::ended(position);
    let rule = match open {
        Open::Pending => {
            ": it is waiting for my decision. Ask me for it, run nothing before I answer, and continue as I decide."
        }
        Open::Rejected => {
            ". Ask me how to continue (revise the plan, go back one step, reduce the scope, or abort), do nothing before I answer, and do not repeat the review."
        }
        Open::Conditions => {
            ": it was approved under conditions. Verify first that they are met; if they are not, ask me."
        }
    };
    format!(" {ended}{rule}")
}

/// The records as the plan leaves them; `None` without a usable state file.
fn written<'a>(scene: Scene<'a>, prospect: &Prospect<'_>) -> Option<Cow<'a, Position>> {
    let file = scene.facts.doc().map(shape::Doc::path);
    let Some(content) = file.and_then(|file| prospect.content_of(&file)) else {
        return scene.facts.position().map(Cow::Borrowed);
    };
    let state = shape::parse(content, scene.world.clock()).ok()?;
    Some(Cow::Owned(Ledger::of(&state).position))
}

/// The context, under the keys that the agents ask for.
fn briefing(scene: Scene<'_>, target: Target, last: Option<&Position>) -> String {
    let facts = scene.facts;
    let mut lines = vec![
        "Work Context:".to_owned(),
        format!("- Worktree path: {}", worktree(facts)),
        format!("- Branch: {}", branch(facts)),
    ];
    match target {
        Target::Step(phase, step) => {
            let total = facts.total().map(|total| format!(" of {total}"));
            let name = facts.phase_name(phase).map(|n| format!(" - {}", plain(n)));
            lines.push(format!(
                "- Current Phase: {phase}{}{}",
                total.unwrap_or_default(),
                name.unwrap_or_default()
            ));
            let (title, agent) = (step.title(), step.agent());
            lines.push(format!("- Current Step: {step} ({title}, agent {agent})"));
        }
        Target::Merge => lines.push(format!("- Current Phase: {}", merge_stage::stage(facts))),
    }
    lines.push(format!("- Feature name: {}", plain(&facts.feature())));
    lines.push(format!("- Plan document: {}", plan(facts)));
    let state = facts.state.as_ref();
    let issues = state.and_then(|state| state.map.get("related_issues"));
    lines.extend(issues.map(|issues| format!("- Related issues: {}", plain(&issues.to_string()))));
    lines.push(String::new());
    lines.extend(previous(target, last));
    // A plan that goes on elsewhere takes it out of the state file.
    let held = facts.position().filter(|held| !held.class.is_done());
    if let Some(held) = held.filter(|held| last.is_some_and(|last| last.record != held.record)) {
        lines.push(format!(
            "\nRecorded before, no longer in the state file (Phase {}, Step {} - {}):",
            held.phase,
            held.step,
            plain(&held.record.agent)
        ));
        lines.push(format!("- It ended with: {}", plain(&held.record.status)));
        lines.extend(findings(held));
    }
    lines.push(format!("\nTask Scope:\n{}\n", scope(scene, target)));
    lines.join("\n")
}

/// What the last step reported, for the agent that continues.
fn previous(target: Target, last: Option<&Position>) -> Vec<String> {
    // The step that runs again is not the one before it, unless it reported something.
    let is_itself = |position: &&Position| {
        let same = target == Target::Step(position.phase, position.step);
        same && position.class == Class::InFlight && position.record.error.is_none()
    };
    let Some(position) = last.filter(|position| !is_itself(position)) else {
        return vec!["Previous Step Result: not on record.".to_owned()];
    };
    let record = &position.record;
    let mut lines = vec![
        format!(
            "Previous Step Result (Step {} - {}):",
            position.step,
            plain(&record.agent)
        ),
        format!("- Status: {}", plain(&record.status)),
    ];
    if !matches!(target, Target::Step(phase, _) if phase == position.phase) {
        lines.push(format!("- Phase: {}", position.phase));
    }
    // An error of an earlier attempt is not the result of one that passed.
    if !position.class.is_done() {
        lines.extend(findings(position));
    }
    lines
}

/// What a step found, a line each.
fn findings(position: &Position) -> Vec<String> {
    let Some(error) = &position.record.error else {
        return Vec::new();
    };
    let findings = error.split("; ").take(MOST_FINDINGS);
    let mut lines = vec!["- Findings:".to_owned()];
    lines.extend(findings.map(|finding| format!("  - {}", plain(finding))));
    lines
}

fn scope(scene: Scene<'_>, target: Target) -> String {
    let decision = scene.decision;
    let chosen = target == decision.chosen;
    let reason = chosen.then(|| plain(&decision.reason) + " ");
    let reason = reason.unwrap_or_default();
    let open = open::at(scene, target).map(|(_, open)| open);
    match target {
        _ if open == Some(Open::Rejected) => {
            format!("{reason}Ask the user which of these to do, and do nothing before that.")
        }
        _ if open == Some(Open::Pending) => {
            format!("{reason}Do nothing before the answer, and continue as the user decides.")
        }
        Target::Merge => merge_stage::scope(scene.facts),
        Target::Step(_, StepNo::Approval) => format!(
            "{reason}Show the plan, ask the user for approval, and continue with step 3 only after a yes."
        ),
        Target::Step(phase, step) => {
            let first = open.map_or("", |_| "Verify the conditions first. ");
            format!(
                "{reason}{first}Run step {} of phase {phase}; every review after it still has to be done.",
                step.named()
            )
        }
    }
}

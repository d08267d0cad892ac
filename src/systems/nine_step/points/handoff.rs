//! The hand-off: the plugin's own resume command plans anew with code that is known to be wrong in several
//! cases, so the step is named in prose, with the context its agents ask for (format note, section l).

use crate::model::{Foreign, Handoff, Prospect};
use crate::systems::nine_step::facts::{Facts, Home};
use crate::systems::nine_step::points::decision::{self, Decision, Target};
use crate::systems::nine_step::points::{self, Point, guards};
use crate::systems::nine_step::sentence;
use crate::systems::nine_step::shape::status::Class;
use crate::systems::nine_step::shape::steps::StepNo;
use crate::systems::nine_step::shape::{WORKTREE_DIRS, feature_names};

/// The hand-off of a point.
pub(crate) fn of(facts: &Facts, decision: &Decision, prospect: &Prospect<'_>) -> Handoff {
    let Some(point) = points::find(facts, decision, prospect.point) else {
        return Handoff::default();
    };
    let target = match &point {
        Point::Take(target) => *target,
        Point::FromBackup => {
            decision::of_backup(facts).map_or(decision.chosen, |decision| decision.chosen)
        }
        Point::Commit { phase, .. } => Target::Step(phase.saturating_add(1), StepNo::Plan),
    };
    let line = one_line(facts, target);
    Handoff {
        cwd: facts.layout.top.clone(),
        argv: vec!["claude".into()],
        prompt: sentence(line.clone()),
        briefing_file: None,
        briefing: sentence(briefing(facts, decision, target, &line)),
    }
}

/// Foreign text as it may become part of an argument and of a copied line: presentable, one line, shortened.
fn plain(text: &str) -> String {
    Foreign::from(text).clean().clip(400).into_string()
}

fn worktree(facts: &Facts) -> String {
    match &facts.home {
        Home::Linked(_) | Home::Orphan(_) => facts.dir().display().to_string(),
        Home::Main(_) => format!("{} (the main work tree)", facts.dir().display()),
        Home::BranchOnly(branch) => {
            let path = format!("{}/{}", WORKTREE_DIRS[0], feature_names::of_branch(branch));
            let command = guards::add_command(facts, &path);
            command.map_or_else(
                || "none: make one with git worktree add first".to_owned(),
                |command| format!("none: make one first with `{command}`"),
            )
        }
    }
}

fn branch(facts: &Facts) -> &str {
    facts
        .text("branch_name")
        .or(facts.git.branch.as_deref())
        .unwrap_or("not on record")
}

fn plan(facts: &Facts) -> String {
    let found = facts.plan.path().map(|path| path.display().to_string());
    found.unwrap_or_else(|| "not found".to_owned())
}

/// The command's own text: enough to go on with nothing else.
fn one_line(facts: &Facts, target: Target) -> String {
    let feature = plain(&facts.feature());
    let context = format!(
        "worktree {}, branch {}, plan {}",
        plain(&worktree(facts)),
        plain(branch(facts)),
        plain(&plan(facts))
    );
    match target {
        Target::Merge => format!(
            "Continue the nine-step workflow of {feature} at its merge stage: every phase is committed. Ask me for approval before merging. Context: {context}."
        ),
        Target::Step(phase, step) => format!(
            "Continue the nine-step workflow of {feature} at phase {phase}, step {} ({}), with the agent {}, and at no other step; do not plan the resume point anew. Context: {context}.{}",
            step.word(),
            step.title(),
            step.agent(),
            if step == StepNo::Approval {
                " Ask me for approval of the plan first."
            } else {
                ""
            }
        ),
    }
}

/// The prose form, with the keys that the agents of steps 3 to 8 insist on.
fn briefing(facts: &Facts, decision: &Decision, target: Target, line: &str) -> String {
    let mut text = String::new();
    let mut add = |line: &str| {
        text.push_str(line);
        text.push('\n');
    };
    add(line);
    add("");
    add("Work Context:");
    add(&format!("- Worktree path: {}", plain(&worktree(facts))));
    add(&format!("- Branch: {}", plain(branch(facts))));
    match target {
        Target::Step(phase, step) => {
            let of = facts
                .total()
                .map(|total| format!(" of {total}"))
                .unwrap_or_default();
            let name = facts
                .phase_name(phase)
                .map(|n| format!(" - {}", plain(n)))
                .unwrap_or_default();
            add(&format!("- Current Phase: {phase}{of}{name}"));
            add(&format!(
                "- Current Step: {} ({}, agent {})",
                step.word(),
                step.title(),
                step.agent()
            ));
        }
        Target::Merge => add("- Current Phase: all phases are committed; merge stage"),
    }
    add(&format!("- Feature name: {}", plain(&facts.feature())));
    add(&format!("- Plan document: {}", plain(&plan(facts))));
    if let Some(issues) = facts
        .state
        .as_ref()
        .and_then(|state| state.map.get("related_issues"))
    {
        add(&format!("- Related issues: {}", plain(&issues.to_string())));
    }
    add("");
    for line in previous(facts) {
        add(&line);
    }
    add("Task Scope:");
    add(&scope(facts, decision, target));
    text
}

/// What the last step left, for the agent that takes over.
fn previous(facts: &Facts) -> Vec<String> {
    let Some(position) = facts.ledger.as_ref().map(|ledger| &ledger.position) else {
        return vec![
            "Previous Step Result: not on record.".to_owned(),
            String::new(),
        ];
    };
    let record = &position.record;
    let mut lines = vec![
        format!(
            "Previous Step Result (Step {} - {}):",
            position.step.word(),
            plain(&record.agent)
        ),
        format!("- Status: {}", plain(&record.status)),
    ];
    // An error of an earlier attempt is not the result of one that passed.
    if let Some(error) = record.error.as_ref().filter(|_| !position.class.is_done()) {
        lines.push("- Findings:".to_owned());
        lines.extend(
            error
                .split("; ")
                .take(40)
                .map(|finding| format!("  - {}", plain(finding))),
        );
    }
    lines.push(String::new());
    lines
}

fn scope(facts: &Facts, decision: &Decision, target: Target) -> String {
    let reason = if target == decision.chosen {
        plain(&decision.reason)
    } else {
        String::new()
    };
    let position = facts.ledger.as_ref().map(|ledger| &ledger.position);
    let hard = position.is_some_and(|p| p.class == Class::Hard);
    match target {
        _ if hard && target == decision.chosen => {
            format!("{reason} Ask the user which of these it shall be, and do nothing before.")
        }
        Target::Merge => "Ask for approval, then merge with --no-ff and clean up.".to_owned(),
        Target::Step(_, StepNo::Approval) => {
            format!(
                "{reason} Show the plan, ask the user for approval, and go on to step 3 only after a yes."
            )
        }
        Target::Step(phase, step) => format!(
            "{reason} Run step {} ({}) of phase {phase}; every review after it is still to be made.",
            step.word(),
            step.title()
        ),
    }
}

//! What must hold before the orchestrator goes on, and what only the person answers: the state file and the plan that
//! its protocol reads, a worktree on its branch, the gates, and a review that failed again and again.

use crate::model::{Guard, shell_word};
use crate::systems::nine_step::facts::{Facts, Home, Source};
use crate::systems::nine_step::points::Point;
use crate::systems::nine_step::points::decision::{Decision, Means, Target};
use crate::systems::nine_step::sentence;
use crate::systems::nine_step::shape::status::Class;
use crate::systems::nine_step::shape::steps::StepNo;
use crate::world::git::GitState;

/// The guards of a point, beside those of its actions.
pub(crate) fn of(facts: &Facts, decision: &Decision, point: &Point) -> Vec<Guard> {
    let target = match point {
        Point::Take(target) => *target,
        // The backup is restored whatever comes after it.
        Point::FromBackup => return Vec::new(),
        // A reset has guards of its own, and writes the state from its backup where there is one.
        Point::Commit { .. } => {
            let lost = facts.source == Source::Inferred;
            return state_file(facts, true)
                .into_iter()
                .filter(|_| lost)
                .collect();
        }
    };
    let mut all: Vec<Guard> = Vec::new();
    all.extend(state_file(facts, target == decision.chosen));
    all.extend(plan(facts, target));
    all.extend(work_tree(facts, target));
    all.extend(loose(facts));
    all.extend(busy(facts));
    all.extend(gate(facts, decision, target));
    all.extend(loops(decision, target));
    all
}

/// The plugin loads the state file before each step and saves it after; without a readable one it stops.
fn state_file(facts: &Facts, chosen: bool) -> Option<Guard> {
    let doc = facts.doc()?;
    let damage = doc.content.as_ref().err()?;
    // Another point writes the state file anew, from its backup.
    if facts.source == Source::Backup && !chosen {
        return None;
    }
    let path = doc.path().to_string_lossy().into_owned();
    let text = format!(
        "The state file cannot be read: {}.",
        damage.text.trim_end_matches('.')
    );
    let cure = match (facts.source, shell_word(&path)) {
        (Source::Backup, _) => "Restore its backup first: --point from-backup.".to_owned(),
        (_, Some(path)) if doc.modified.is_some() => format!(
            "Repair it by hand, or move it away and resume without it: mv {path} {path}.damaged"
        ),
        _ => format!("Repair {path} by hand."),
    };
    Some(Guard::fails(
        "required_file",
        sentence(text),
        sentence(cure),
    ))
}

/// Steps 2 to 8 read the plan document.
fn plan(facts: &Facts, target: Target) -> Option<Guard> {
    let Target::Step(phase, step) = target else {
        return None;
    };
    let needed = step > StepNo::Plan && step < StepNo::Commit;
    if facts.plan.path().is_some() || !needed {
        return None;
    }
    let named = facts.text("plan_reference").unwrap_or("the plan document");
    Some(Guard::fails(
        "required_file",
        sentence(format!(
            "Step {} reads {named}, which is missing.",
            step.word()
        )),
        sentence(format!(
            "Restore it, or have it written again: --point phase-{phase}-step-1, if that point is offered."
        )),
    ))
}

/// From step 3 on the work is in its worktree.
fn work_tree(facts: &Facts, target: Target) -> Option<Guard> {
    let needed = !matches!(target, Target::Step(_, step) if step < StepNo::Code);
    if facts.git.error.is_some() || !needed {
        return None;
    }
    match &facts.home {
        Home::Orphan(dir) => Some(Guard::fails(
            "work_tree",
            sentence(format!(
                "git does not list {} as a worktree.",
                dir.display()
            )),
            sentence(crate::text::format::shell_path(&dir).map_or_else(
                || "Repair it with git worktree repair.".to_owned(),
                |dir| format!("git worktree repair {dir}"),
            )),
        )),
        Home::Main(_) => {
            let recorded = facts.text("worktree_path")?;
            let command = add_command(facts, recorded);
            Some(Guard::fails(
                "work_tree",
                sentence(format!("The recorded worktree {recorded} is gone.")),
                sentence(command.unwrap_or_else(|| "Make the worktree again.".to_owned())),
            ))
        }
        Home::Linked(_) | Home::BranchOnly(_) => None,
    }
}

/// The command that makes a worktree again, typed in the project.
pub(crate) fn add_command(facts: &Facts, path: &str) -> Option<String> {
    let branch = facts
        .git
        .branch
        .as_deref()
        .filter(|_| facts.git.tip.is_some())?;
    Some(format!(
        "git worktree add {} {}",
        shell_word(path)?,
        shell_word(branch)?
    ))
}

/// A worktree whose HEAD names no branch: the phase commits would be on none.
fn loose(facts: &Facts) -> Option<Guard> {
    let Home::Linked(worktree) = &facts.home else {
        return None;
    };
    if worktree.branch.is_some() || worktree.prunable {
        return None;
    }
    let branch = facts.text("branch_name").or(facts.git.branch.as_deref());
    let command = crate::text::format::shell_path(&worktree.path)
        .zip(branch.and_then(shell_word))
        .map(|(tree, branch)| format!("git -C {tree} switch {branch}"));
    Some(Guard::fails(
        "branch",
        "HEAD of the worktree is detached.",
        sentence(command.unwrap_or_else(|| "Switch the worktree to its branch.".to_owned())),
    ))
}

/// A merge or rebase that is under way would be continued or lost by the next commit.
fn busy(facts: &Facts) -> Option<Guard> {
    let GitState::Busy(what) = facts.git.state else {
        return None;
    };
    Some(Guard::fails(
        "git_state",
        format!("A {what} is under way in the work tree."),
        format!("Finish or abort the {what}."),
    ))
}

/// What the workflow itself would stop for: the approval of the plan, the merge, a rejection.
fn gate(facts: &Facts, decision: &Decision, target: Target) -> Option<Guard> {
    let feature = facts.feature();
    let means = decision.offers.iter().find(|offer| offer.target == target);
    let approves = means.is_some_and(|offer| offer.means == Means::Approve);
    let rejected = facts
        .ledger
        .as_ref()
        .filter(|ledger| ledger.position.class == Class::Hard);
    match target {
        Target::Merge => Some(Guard::ask(
            "gate:merge",
            sentence(format!(
                "Every phase of {feature} is committed, and the merge needs your approval. Go on to the merge?"
            )),
        )),
        Target::Step(phase, StepNo::Approval) => Some(Guard::ask(
            "gate:plan-approval",
            sentence(format!(
                "The plan of phase {phase} waits for your approval; the agent will ask for it. Go on?"
            )),
        )),
        Target::Step(phase, _) if approves => Some(Guard::ask(
            "gate:plan-approval",
            sentence(format!("Do you approve the plan of phase {phase}?")),
        )),
        _ if target == decision.chosen => rejected.map(|ledger| {
            let position = &ledger.position;
            Guard::ask(
                "gate:rejected",
                sentence(format!(
                    "Step {} ({}) of phase {} was rejected, and you must decide how to go on. Hand that decision over?",
                    position.step.word(),
                    position.step.title(),
                    position.phase
                )),
            )
        }),
        Target::Step(..) => None,
    }
}

/// A third failure of one review: the loop goes on only by the person's word. Going back before the code leaves it.
fn loops(decision: &Decision, target: Target) -> Vec<Guard> {
    let Target::Step(phase, step) = target else {
        return Vec::new();
    };
    let within = decision.loops.iter();
    let within = within.filter(|(at, _, _)| *at == phase && step >= StepNo::Code);
    within
        .map(|(_, reviewer, times)| {
            Guard::ask(
                format!("repeat-failure:{}", reviewer.word()),
                sentence(format!(
                    "Step {} ({}) of phase {phase} failed {times} times. Continue anyway?",
                    reviewer.word(),
                    reviewer.title()
                )),
            )
        })
        .collect()
}

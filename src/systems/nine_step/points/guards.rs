//! What must hold before the orchestrator resumes, and questions that only the person can answer: the state file and
//! the plan that its protocol reads, a worktree on its branch, the gates, and a review that failed repeatedly.

use crate::foreign;
use crate::model::{Foreign, Guard};
use crate::systems::nine_step::Scene;
use crate::systems::nine_step::facts::{Facts, Home, Source};
use crate::systems::nine_step::points::open::{self, Open};
use crate::systems::nine_step::points::{self, Decision, Means, Point, Target, lost, merge_stage};
use crate::systems::nine_step::shape::{PlanFound, StepNo, feature_names};
use crate::text::Shown as _;
use crate::text::format::{shell_path, shell_word};

/// The guards of a point, in addition to those of its actions.
pub(crate) fn of(scene: Scene<'_>, point: &Point) -> Vec<Guard> {
    let (facts, decision) = (scene.facts, scene.decision);
    let target = match point {
        Point::Resume(target) | Point::SkipPhase(_, target) => *target,
        // A reset has its own guards, and writes the state from its backup if there is one.
        Point::Commit { .. } if facts.source == Source::Inferred => {
            return state_file(facts, true).into_iter().collect();
        }
        // Restoring the backup is always possible, whatever later work needs.
        Point::Commit { .. } | Point::FromBackup => return Vec::new(),
    };
    let all = [
        state_file(facts, target == decision.chosen),
        plan(scene, target),
        work_tree(facts, target),
        busy(facts),
        lost::question(facts, target),
        unknown_phases(facts, target),
        gate(scene, target),
    ];
    let all = all.into_iter().flatten();
    all.chain(loops(decision, target)).collect()
}

/// The plugin loads the state file before each step and saves it after; without a readable one it stops.
fn state_file(facts: &Facts, chosen: bool) -> Option<Guard> {
    let doc = facts.doc()?;
    let damage = doc.content.as_ref().err()?;
    // Any other point rewrites the state file from its backup.
    if facts.source == Source::Backup && !chosen {
        return None;
    }
    let path = doc.path();
    let text = format!("The state file cannot be read: {}.", damage.why);
    let cure = match (facts.source, shell_path(&path)) {
        (_, _) if damage.cure.is_some() => damage.cure.clone().unwrap_or_default(),
        (Source::Backup, _) => "Restore its backup first: --point from-backup.".to_owned(),
        (_, Some(path)) if doc.modified.is_some() => format!(
            "Repair it by hand, or move it away and resume without it: mv {path} {path}.damaged"
        ),
        _ => format!("Repair {} by hand.", path.shown()),
    };
    Some(Guard::fails("required_file", text, cure))
}

/// Steps 2 to 8 read the plan document.
fn plan(scene: Scene<'_>, target: Target) -> Option<Guard> {
    let facts = scene.facts;
    let (phase, step) = target.spot()?;
    let needed = step > StepNo::Plan && step < StepNo::Commit;
    if !needed {
        return None;
    }
    let lack = match &facts.plan.found {
        PlanFound::AsReferred | PlanFound::ByName => return None,
        PlanFound::Unreadable(odd) => odd.problem.as_str(),
        PlanFound::Missing | PlanFound::Refused(_) => "is missing",
    };
    let named = facts.text("plan_reference").unwrap_or("the plan document");
    Some(Guard::fails(
        "required_file",
        format!("Step {step} reads {named}, which {lack}."),
        if points::offers(scene, &Target::Step(phase, StepNo::Plan).id()) {
            format!("Restore it, or have it written again: --point phase-{phase}-step-1.")
        } else {
            "Restore it.".to_owned()
        },
    ))
}

/// From step 3 on, the work is in its worktree.
fn work_tree(facts: &Facts, target: Target) -> Option<Guard> {
    let needed = !matches!(target, Target::Step(_, step) if step < StepNo::Code);
    if facts.git.error.is_some() || !needed {
        return None;
    }
    let (text, command, otherwise) = match &facts.home {
        Home::Orphan(dir) => {
            let text = format!("git does not list {} as a worktree.", dir.shown());
            let repair = shell_path(dir).map(|dir| format!("git worktree repair {dir}"));
            (text, repair, "Repair it with git worktree repair.")
        }
        Home::Main(_) => {
            let recorded = facts.text("worktree_path")?;
            let text = format!("The recorded worktree {recorded} is missing.");
            (
                text,
                add_command(facts, recorded),
                "Create the worktree again.",
            )
        }
        Home::Linked(_) | Home::BranchOnly(_) => return None,
    };
    let cure = command.unwrap_or_else(|| otherwise.to_owned());
    Some(Guard::fails("work_tree", text, cure))
}

/// The command that creates a worktree again; it must run in the project.
pub(crate) fn add_command(facts: &Facts, path: &str) -> Option<String> {
    facts.git.tip.as_ref()?;
    let branch = shell_word(facts.git.branch.as_deref()?)?;
    Some(format!("git worktree add {} {branch}", shell_word(path)?))
}

/// What ends a mismatch of the worktree and the recorded branch, as commands to copy. The plugin would also create the
/// worktree again; that would lose commits that are on no branch and an operation in progress, and a switch is enough.
pub(crate) fn mismatch(facts: &Facts) -> Option<Foreign> {
    let Home::Linked(worktree) = &facts.home else {
        return None;
    };
    let expected = facts.text("branch_name")?;
    let actual = worktree.branch.as_ref().map(Foreign::lossy);
    let fits = actual.is_some_and(|actual| feature_names::same(expected, &actual));
    if fits || worktree.prunable {
        return None;
    }
    let head = &facts.git.head;
    let switch = Guard::switch(&worktree.path, Some(&expected.into()), head);
    let said = "Worktree state doesn't match workflow state.";
    if head.busy.is_some() {
        return Some(foreign!("{} {}", said, switch));
    }
    let top = shell_path(&facts.layout.top)?;
    let first = if head.unnamed {
        ""
    } else {
        "Check out the branch: "
    };
    let anew = format!("Or abort and start a new workflow: cd {top} && claude /workflow-exec");
    Some(foreign!("{} {}{}. {}", said, first, switch, anew))
}

/// Where the work continues is for the person to say if git cannot.
fn unknown_phases(facts: &Facts, target: Target) -> Option<Guard> {
    let unknown = lost::unknown(facts)?;
    let at = match target {
        Target::Step(phase, step) => format!("step {} of phase {phase}", step.named()),
        Target::Merge => "the merge".to_owned(),
    };
    let text = format!("{unknown} Continue at {at}?");
    Some(Guard::ask("gate:phase-commit", text))
}

/// A merge or rebase in progress would be continued or lost by the next commit, which conflicts prevent.
fn busy(facts: &Facts) -> Option<Guard> {
    let git = &facts.git;
    let state = Guard::git_state(facts.dir(), git.busy, &git.unmerged);
    Some(state).filter(Guard::refuses)
}

/// Questions of the workflow itself: the approval of the plan, the merge, a rejection.
fn gate(scene: Scene<'_>, target: Target) -> Option<Guard> {
    let (facts, decision) = (scene.facts, scene.decision);
    let approves = decision.means_of(target) == Some(Means::Approve);
    let (id, text) = match target {
        Target::Merge => ("gate:merge", merge_stage::question(facts)),
        Target::Step(phase, StepNo::Approval) => (
            "gate:plan-approval",
            format!(
                "The plan of phase {phase} is waiting for your approval; the agent will ask for it. Continue?"
            ),
        ),
        Target::Step(phase, _) if approves => (
            // An answer of its own: a gate is asked in the session, this is written as the approval.
            "override:plan-approval",
            format!("Do you approve the plan of phase {phase}?"),
        ),
        Target::Step(..) => {
            let (position, open) = open::at(scene, target)?;
            let (step, phase) = (position.step, position.phase);
            let named = step.named();
            match open {
                Open::Rejected => (
                    "gate:rejected",
                    format!(
                        "Step {named} of phase {phase} was rejected, and you must decide how to continue; the agent will ask for it. Continue?"
                    ),
                ),
                Open::Pending => {
                    let text = format!(
                        "Step {named} of phase {phase} is waiting for your decision; the agent will ask for it. Continue?"
                    );
                    return Some(Guard::ask(format!("gate:step-{step}"), text));
                }
                Open::Conditions => return None,
            }
        }
    };
    Some(Guard::ask(id, text))
}

/// A third failure of one review: the loop continues only if the person says so. Going back before the code leaves the
/// loop.
fn loops(decision: &Decision, target: Target) -> Vec<Guard> {
    let Target::Step(phase, step) = target else {
        return Vec::new();
    };
    let within = decision.loops.iter();
    let within = within.filter(|(at, _, _)| *at == phase && step >= StepNo::Code);
    let ask = |(_, reviewer, times): &(i64, StepNo, u64)| {
        let named = reviewer.named();
        let text = format!("Step {named} of phase {phase} failed {times} times. Continue anyway?");
        Guard::ask(format!("repeat-failure:{reviewer}"), text)
    };
    within.map(ask).collect()
}

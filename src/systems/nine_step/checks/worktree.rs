//! N4, N5, N6, N13, N14, N15: worktree, branch, uncommitted work, merge, leftovers, upstream.

use crate::model::{Check, Place, Verdict};
use crate::systems::nine_step::checks::{check, pass, skipped};
use crate::systems::nine_step::facts::git_history::Merged;
use crate::systems::nine_step::facts::{Facts, Home, layout};
use crate::systems::nine_step::points::decision::{Decision, Target};
use crate::systems::nine_step::shape::feature_names;
use crate::systems::nine_step::shape::steps::StepNo;
use crate::world::World;
use crate::world::git::GitState;

/// N4: the worktree is registered, at the recorded path.
pub(crate) fn worktree(facts: &Facts, world: &dyn World) -> Check {
    let subject = "worktree";
    if let Some(error) = &facts.git.error {
        return skipped("N4", subject, format!("git cannot be asked: {error}."));
    }
    let add = "git worktree add PATH BRANCH makes it anew where the branch is still there.";
    let worktree = match &facts.home {
        Home::Linked(worktree) => worktree,
        Home::Main(_) if facts.text("worktree_path").is_none() => {
            return pass(
                "N4",
                subject,
                "None is recorded; the work is in the main work tree.",
            );
        }
        Home::Main(_) => {
            let text = "The recorded worktree is not among those that git lists.".to_owned();
            return check("N4", subject, Verdict::Fail, text, add);
        }
        Home::Orphan(_) => {
            let text = "The directory is there, and git does not list it as a worktree.".to_owned();
            return check(
                "N4",
                subject,
                Verdict::Fail,
                text,
                "git worktree repair PATH, or move the files to a new worktree.",
            );
        }
        Home::BranchOnly(_) => {
            return check(
                "N4",
                subject,
                Verdict::Warn,
                "No worktree holds the branch.".to_owned(),
                add,
            );
        }
    };
    if worktree.prunable {
        let text = "git says that its directory is gone.".to_owned();
        return check("N4", subject, Verdict::Fail, text, add);
    }
    if worktree.locked {
        let text = "It is registered and locked.".to_owned();
        return check(
            "N4",
            subject,
            Verdict::Warn,
            text,
            "git worktree unlock PATH once nobody needs the lock.",
        );
    }
    match facts.text("worktree_path") {
        Some(recorded) => recorded_path(facts, recorded, world),
        None => pass("N4", subject, "It is registered; no path is recorded."),
    }
}

/// The recorded path, from the project or absolute; compared by text, then by what it truly names.
fn recorded_path(facts: &Facts, recorded: &str, world: &dyn World) -> Check {
    let subject = "worktree";
    let dir = facts.dir();
    let place = Place::foreign(&[&facts.layout.top, dir], recorded.as_bytes());
    let path = match &place {
        Ok(place) => place.path(),
        Err(_) => std::path::PathBuf::from(recorded.trim_end_matches('/')),
    };
    if path == dir {
        return pass("N4", subject, "It is registered at the recorded path.");
    }
    if path.is_absolute() && layout::canonical(world, &path) == layout::canonical(world, dir) {
        return pass(
            "N4",
            subject,
            "It is registered; the recorded path names it in another way.",
        );
    }
    let why = match place {
        Ok(_) => String::new(),
        Err(why) => format!(" ({why})"),
    };
    check(
        "N4",
        subject,
        Verdict::Warn,
        format!(
            "It is registered at {}, and recorded as `{recorded}`{why}.",
            dir.display()
        ),
        "Correct worktree_path in the state file if the project was moved.",
    )
}

/// N5: the branch that is checked out.
pub(crate) fn branch(facts: &Facts) -> Check {
    let subject = "branch";
    if let Some(error) = &facts.git.error {
        return skipped("N5", subject, format!("git cannot be asked: {error}."));
    }
    let expected = facts.text("branch_name");
    let switch =
        "git switch to the recorded branch in the worktree; relight never switches by itself.";
    let Some(actual) = &facts.git.checked_out else {
        return match facts.home {
            Home::Orphan(_) | Home::BranchOnly(_) => {
                skipped("N5", subject, "There is no worktree to look at.")
            }
            Home::Linked(_) | Home::Main(_) => check(
                "N5",
                subject,
                Verdict::Fail,
                "HEAD is detached.".to_owned(),
                switch,
            ),
        };
    };
    let actual = actual.lossy();
    match expected {
        None => pass(
            "N5",
            subject,
            format!("On `{actual}`; no branch is recorded."),
        ),
        Some(expected) if expected == actual => {
            pass("N5", subject, format!("On `{actual}`, as recorded."))
        }
        Some(_) if matches!(facts.home, Home::Main(_)) && facts.git.tip.is_none() => pass(
            "N5",
            subject,
            format!("On `{actual}`; the recorded branch is not made yet."),
        ),
        Some(expected) if feature_names::same(expected, &actual) => check(
            "N5",
            subject,
            Verdict::Warn,
            format!("On `{actual}`, recorded as `{expected}`: the same name in another spelling."),
            "Correct branch_name in the state file.",
        ),
        Some(expected) => check(
            "N5",
            subject,
            Verdict::Fail,
            format!(
                "Worktree state doesn't match workflow state: expected branch `{expected}`, actual `{actual}`."
            ),
            switch,
        ),
    }
}

/// N6: uncommitted changes, as the step lets one expect them.
pub(crate) fn changes(facts: &Facts, decision: &Decision) -> Check {
    let subject = "uncommitted changes";
    if let GitState::Busy(what) = facts.git.state {
        let text = format!("A {what} is under way.");
        return check(
            "N6",
            subject,
            Verdict::Fail,
            text,
            "Finish or abort it with git first.",
        );
    }
    let changes = match &facts.git.changes {
        Ok(changes) => changes.len(),
        Err(why) => return skipped("N6", subject, format!("They are not known: {why}.")),
    };
    let text = match changes {
        0 => "The work tree is clean".to_owned(),
        1 => "One path is uncommitted".to_owned(),
        n => format!("{n} paths are uncommitted"),
    };
    let position = facts.ledger.as_ref().map(|ledger| &ledger.position);
    let committed = position.is_some_and(|p| p.class.is_done() && p.step == StepNo::Commit);
    let working = match (position, decision.chosen) {
        (Some(position), _) => (StepNo::Code..=StepNo::TestReview).contains(&position.step),
        (None, _) => false,
    };
    let started = position.is_some_and(|p| p.step > StepNo::Code || p.class.is_done());
    if committed && changes > 0 {
        let text = format!("{text}, though the phase is recorded as committed.");
        return check(
            "N6",
            subject,
            Verdict::Warn,
            text,
            "Commit what belongs to the phase, or keep it for the next one.",
        );
    }
    if working && started && changes == 0 && decision.chosen != Target::Merge {
        let text = format!("{text}, though the phase is under way and not committed.");
        return check(
            "N6",
            subject,
            Verdict::Warn,
            text,
            "Look whether the work was stashed, reset or committed early (git reflog, git stash list).",
        );
    }
    pass(
        "N6",
        subject,
        format!("{text}, as the step lets one expect."),
    )
}

/// N13: resuming what is merged makes no sense.
pub(crate) fn merged(facts: &Facts) -> Check {
    let subject = "not merged yet";
    match &facts.git.merged {
        Merged::No => pass("N13", subject, "The main branch does not have the work."),
        Merged::NothingYet => pass(
            "N13",
            subject,
            "The branch has nothing of its own that could be merged.",
        ),
        Merged::Unknown(why) => check(
            "N13",
            subject,
            Verdict::Warn,
            format!("It cannot be told whether the work is merged: {why}."),
            "Look with git branch --merged.",
        ),
        Merged::Yes(why) => check(
            "N13",
            subject,
            Verdict::Fail,
            format!("It is merged: {why}. Resuming makes no sense."),
            "Only the cleaning up is left: plan, worktree, branch.",
        ),
    }
}

/// N14: temporary tests are cleaned up after step 7.
pub(crate) fn tests(facts: &Facts) -> Check {
    let subject = "temporary tests";
    let position = facts.ledger.as_ref().map(|ledger| &ledger.position);
    let after = position
        .is_none_or(|p| p.step > StepNo::Test || (p.step == StepNo::Test && p.class.is_done()));
    match facts.tests.len() {
        0 => pass("N14", subject, "There are none in .test/."),
        n if !after => pass(
            "N14",
            subject,
            format!("{n} in .test/, as before the end of step 7."),
        ),
        n => check(
            "N14",
            subject,
            Verdict::Warn,
            format!("{n} left in .test/."),
            "Remove them once the tests were reviewed.",
        ),
    }
}

/// N15: commits that only one side has.
pub(crate) fn upstream(facts: &Facts, world: &dyn World) -> Check {
    let subject = "upstream";
    if let Some(error) = &facts.git.error {
        return skipped("N15", subject, format!("git cannot be asked: {error}."));
    }
    let Some((branch, tip)) = facts.git.branch.as_deref().zip(facts.git.tip.as_deref()) else {
        return skipped("N15", subject, "There is no branch to look at.");
    };
    let top = &facts.layout.top;
    let theirs = match world.git().upstream(top, branch) {
        Ok(Some(theirs)) => theirs,
        Ok(None) => return pass("N15", subject, "The branch tracks none."),
        Err(error) => return skipped("N15", subject, format!("It is not known: {error}.")),
    };
    match world.git().ahead_behind(top, tip, &theirs) {
        Ok((0, 0)) => pass("N15", subject, "Level with it."),
        Ok((ahead, behind)) => check(
            "N15",
            subject,
            Verdict::Warn,
            format!("{ahead} commits ahead and {behind} behind."),
            "Pull or push before going on, as the work wants it.",
        ),
        Err(error) => skipped("N15", subject, format!("It is not known: {error}.")),
    }
}

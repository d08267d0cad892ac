//! A replay in place: a recovery first restores the work tree at the boundary. It is confirmed and undone like
//! any other.

use super::{before, swapped};
use crate::cli::args::{ConsentArgs, ReplayArgs};
use crate::cli::commands::act::{Answers, Applied, Desk, Facts, apply, needed};
use crate::cli::prelude::*;

/// The recovery of the work tree before the replay.
#[derive(Default)]
pub(super) struct Ground {
    /// The recovery, where one was needed.
    pub(super) outcome: Option<Outcome>,
    /// The command that undoes it.
    pub(super) undo: Option<Clean>,
    /// What a person should know of it, such as a pending recovery that was rolled back first.
    pub(super) notes: Vec<Foreign>,
}

impl Ground {
    /// An error of the replay itself, with a hint about the restored work tree.
    pub(super) fn beside(&self, error: EngineError) -> EngineError {
        let restored = "The work tree was restored to the start of the replay; to undo that:";
        let undo = self.undo.iter().map(|undo| format!("{restored} {undo}"));
        error.hints(&self.notes).hints(undo)
    }

    /// The recovery's id.
    pub(super) fn id(&self) -> Option<String> {
        let recovery = self.outcome.as_ref()?.recovery.as_ref()?;
        Some(recovery.id.0.clone())
    }
}

/// The options of the recovery.
pub(super) fn options(args: &ReplayArgs) -> PlanOptions {
    let consent = &args.consent;
    PlanOptions {
        branch: consent.branch.clone(),
        assume_stopped: consent.assume_stopped,
        accept: consent.accept.clone(),
        ..PlanOptions::default()
    }
}

/// Asks, and restores the work tree.
pub(super) fn ground(
    session: &Session,
    args: &ReplayArgs,
    plan: &ReplayPlan,
    desk: &mut Desk<'_>,
) -> Result<Ground> {
    let consent = ConsentArgs {
        confirm: args.consent.confirm.clone(),
        yes: args.consent.yes,
        dry_run: false,
    };
    let options = options(args);
    let make = |answers: &Answers| {
        let options = answers.added_to(&options);
        session.engine.replay_ground(plan, &options)
    };
    let facts = |ground: &Plan| Facts {
        then: effects(plan),
        ..Facts::of(session, ground)
    };
    match apply(session, desk, &consent, &make, &facts)? {
        Applied::Nothing(error, notes) => Err(error.hints(notes)),
        Applied::Empty(_, notes) => {
            // The files already match, but the runner's changes to them still need consent.
            let agreed = consent.yes || consent.confirm.is_some();
            let lines = question(plan, desk.person.width());
            needed(desk.person, agreed, &session.said, "yes", &lines)?;
            Ok(Ground {
                notes,
                ..Ground::default()
            })
        }
        Applied::Done(done) => {
            let outcome = done.1;
            let id = outcome.recovery.as_ref().map(|recovery| &recovery.id);
            Ok(Ground {
                notes: outcome.notes.clone(),
                undo: id.map(|id| session.about("undo", id)),
                outcome: Some(outcome),
            })
        }
    }
}

fn question(plan: &ReplayPlan, width: usize) -> Vec<Line> {
    let mut page = Page::new(width);
    page.say(Tone::Strong, before::title(plan));
    for text in effects(plan) {
        page.indent(2, Tone::Plain, text);
    }
    page.into_iter().collect()
}

/// What the replay does in the work tree.
fn effects(plan: &ReplayPlan) -> Vec<Clean> {
    let dispatches = count(plan.steps.len(), "dispatch");
    let mut effects = vec![
        match &plan.runner {
            Some(runner) => clean!(
                "{} run by {}, which may change any file there; no backup is made of what it changes.",
                dispatches,
                crate::model::runner_title(&runner.name)
            ),
            None => clean!("{} written for you to run.", dispatches),
        },
        clean!(
            "Their lines are appended to {}; an undo does not remove them.",
            plan.experiment.manifest
        ),
    ];
    effects.extend(plan.mutations.iter().map(swapped));
    effects
}

/// The recovery for a dry run.
pub(super) fn then(plan: &ReplayPlan, page: &mut Page) {
    page.heading("Then");
    for text in effects(plan) {
        page.indent(2, Tone::Plain, text);
    }
}

#[cfg(test)]
mod tests {
    /// A hint of a guard names an option; each command that prints that guard has it.
    #[test]
    fn every_command_takes_the_answers_that_its_guards_name() {
        let all = crate::cli::command();
        let answers: [(&[&str], &[&str]); 2] = [
            (
                &["plan", "resume", "restore", "rehearse", "replay"],
                &["assume-stopped", "branch", "accept", "work-tree"],
            ),
            (&["amend", "undo", "redo", "recover"], &["assume-stopped"]),
        ];
        for (commands, options) in answers {
            for (name, option) in commands
                .iter()
                .flat_map(|c| options.iter().map(move |o| (c, o)))
            {
                let command = all.find_subcommand(name).unwrap();
                let mut known = command.get_arguments().filter_map(|arg| arg.get_long());
                assert!(known.any(|long| long == *option), "{name} --{option}");
            }
        }
    }
}

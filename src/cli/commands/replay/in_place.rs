//! A replay in place: the work tree is put back to the boundary first, by a recovery that is agreed to like any
//! other, and taken back like any other.

use super::{before, dispatches, swapped};
use crate::clean;
use crate::cli::answer::{Failure, Line, Span, Tone};
use crate::cli::args::{ConsentArgs, ReplayArgs};
use crate::cli::commands::act::{Answers, Desk, Facts, Walked, needed, then as sentences, walk};
use crate::cli::commands::setup::Session;
use crate::cli::commands::words::{heading, under};
use crate::engine::EngineError;
use crate::model::{Clean, Outcome, ReplayPlan};

/// What was done to the work tree before the replay began.
#[derive(Default)]
pub(super) struct Ground {
    /// The recovery, where one was needed.
    pub(super) outcome: Option<Outcome>,
    /// What takes it back.
    pub(super) undo: Option<Clean>,
}

impl Ground {
    /// An error of the replay itself, with what stands of its ground.
    pub(super) fn beside(&self, error: EngineError) -> EngineError {
        match &self.undo {
            Some(undo) => error.hint(format!(
                "The work tree was put back to where the replay begins; {undo} takes that back."
            )),
            None => error,
        }
    }

    /// The recovery's id.
    pub(super) fn id(&self) -> Option<String> {
        let recovery = self.outcome.as_ref()?.recovery.as_ref()?;
        Some(recovery.id.0.clone())
    }
}

/// Asks, and puts the work tree back.
pub(super) fn ground(
    session: &Session,
    args: &ReplayArgs,
    plan: &ReplayPlan,
    desk: &mut Desk<'_>,
) -> Result<Ground, Failure> {
    let consent = ConsentArgs {
        confirm: args.consent.confirm.clone(),
        yes: args.consent.yes,
        dry_run: false,
    };
    let make = |_: &Answers| session.engine.replay_ground(plan);
    let facts = |ground: &crate::model::Plan| Facts {
        pipeline: session
            .engine
            .dossier(&ground.pipeline)
            .ok()
            .map(|d| d.pipeline),
        then: deeds(plan),
        ..Facts::default()
    };
    match walk(session, desk, &consent, &make, &facts)? {
        Walked::Nothing(error) => Err(error.into()),
        Walked::Empty(_) => {
            // The files are there already; what the runner does to them is still to be agreed to.
            let agreed = consent.yes || consent.confirm.is_some();
            let lines = question(plan, desk.person.width());
            needed(desk.person, agreed, &session.said, "yes", &lines)?;
            Ok(Ground::default())
        }
        Walked::Done(done) => {
            let outcome = done.1;
            let id = outcome.recovery.as_ref().map(|recovery| &recovery.id);
            Ok(Ground {
                undo: id.map(|id| session.about("undo", id)),
                outcome: Some(outcome),
            })
        }
    }
}

fn question(plan: &ReplayPlan, width: usize) -> Vec<Line> {
    let head = Span::plain(Clean::empty());
    let mut lines = under(head, Tone::Strong, &before::title(plan), width);
    lines.extend(sentences(&deeds(plan), width));
    lines
}

/// What is done in the work tree afterwards.
fn deeds(plan: &ReplayPlan) -> Vec<Clean> {
    let count = dispatches(plan.steps.len() as u64);
    let mut deeds = vec![
        match &plan.runner {
            Some(runner) => clean!(
                "{} by {}, which may change any file there; what it changes is not kept.",
                count,
                runner.name
            ),
            None => clean!("{} written for whoever runs them.", count),
        },
        clean!(
            "Their lines are appended to {}; lines stay, whatever is taken back.",
            plan.experiment.manifest
        ),
    ];
    deeds.extend(plan.mutations.iter().map(swapped));
    deeds
}

/// The same for a dry run.
pub(super) fn then(plan: &ReplayPlan, width: usize) -> Vec<Line> {
    let mut lines = heading("Then").to_vec();
    lines.extend(sentences(&deeds(plan), width));
    lines
}

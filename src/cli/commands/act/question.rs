//! The text above the question: what will be done and where, the changes with exact counts, and last, next to the
//! prompt, what is lost and how to undo it.

use crate::cli::commands::plan::actions;
use crate::cli::commands::plan::page::{irreversible, warnings};
use crate::cli::commands::show::time;
use crate::cli::page::key_span;
use crate::cli::prelude::*;
use crate::model::CheckpointNeed;

/// Rows of a list before the rest is only counted.
const CAP: usize = 8;

/// What is shown in addition to the plan.
#[derive(Default)]
pub(in crate::cli::commands) struct Facts {
    /// The pipeline, where it can still be read.
    pub(in crate::cli::commands) pipeline: Option<Pipeline>,
    /// The recovery that is undone.
    pub(in crate::cli::commands) recovery: Option<Recovery>,
    /// What the pipeline did outside the files that cannot be undone.
    pub(in crate::cli::commands) ledger: Vec<Irreversible>,
    /// The options with which an undo without an id finds its recovery.
    pub(in crate::cli::commands) scope: String,
    /// What is done once the plan is applied, a sentence each: a replay in place.
    pub(in crate::cli::commands) then: Vec<Clean>,
}

impl Facts {
    /// Those of any plan. An undo works even if the pipeline can no longer be read.
    pub(in crate::cli::commands) fn of(session: &Session, plan: &Plan) -> Self {
        let undone = match &plan.asked {
            Asked::Undo { recovery, .. } => session.engine.named_recovery(&recovery.0).ok(),
            Asked::Resume { .. } => None,
        };
        let dossier = session.engine.dossier(&plan.pipeline);
        let pipeline = dossier.ok().map(|dossier| dossier.pipeline);
        let root = pipeline.as_ref().map(|found| found.reading.root.as_path());
        Self {
            scope: session.scope_of(root),
            pipeline,
            recovery: undone,
            ..Self::default()
        }
    }
}

/// Everything above the prompt.
pub(super) fn lines(plan: &Plan, facts: &Facts, width: usize) -> Vec<Line> {
    let mut page = Page::new(width);
    page.say(Tone::Strong, title(plan, facts));
    place(plan, facts, &mut page);
    page.heading(count(plan.actions.len(), "change"));
    for action in &plan.actions {
        actions::action((action, plan.phrase(action)), CAP, &mut page);
    }
    if !facts.then.is_empty() {
        page.heading("Then");
        let then = facts.then.iter();
        then.for_each(|text| page.indent(2, Tone::Plain, text));
    }
    irreversible(&facts.ledger, CAP, &mut page);
    warnings(plan, &mut page);
    page.blank();
    let undo = match plan.asked.reversal() {
        Some((Reversal::Undo, _)) => clean!("relight redo{}", facts.scope),
        Some((Reversal::Redo, _)) | None => clean!("relight undo{}", facts.scope),
    };
    let kept = Tone::Plain.of(" (replaced files are kept as backups)");
    let undo = [key_span("undo with"), Tone::Strong.of(undo)].into_iter();
    page.line(undo.chain(plan.destructive.then_some(kept)));
    page.fact("fingerprint", short_id(&plan.fingerprint.0));
    page.into_iter().collect()
}

fn title(plan: &Plan, facts: &Facts) -> Clean {
    let boundary = &plan.point.boundary;
    let (id, point) = (&plan.pipeline.0, &boundary.id.0);
    let of_it = plan.pipeline.of_it();
    match &plan.asked {
        Asked::Resume {
            choice: PointChoice::Checkpoint(wanted),
            ..
        } => {
            let wanted = short_id(wanted);
            clean!("Restore files of {} from checkpoint {}", id, wanted)
        }
        Asked::Resume {
            choice: PointChoice::Amend(_),
            ..
        } => clean!("Amend {}: {}", id, boundary.label),
        Asked::Resume { .. } if !facts.then.is_empty() => {
            clean!("Replay {} in place from {}: {}", id, point, boundary.label)
        }
        Asked::Resume { .. } => clean!("Resume {} at {}: {}", id, point, boundary.label),
        Asked::Undo {
            redoes: Some(recovery),
            ..
        } => clean!("Redo {}{}", recovery.0, of_it),
        Asked::Undo { recovery, .. } => match &facts.recovery {
            Some(found) => clean!("Undo {}: {}{}", recovery.0, found.label, of_it),
            None => clean!("Undo {}{}", recovery.0, of_it),
        },
    }
}

/// Project, branch, the checkpoint with its reason and time.
fn place(plan: &Plan, facts: &Facts, page: &mut Page) {
    let pipeline = facts.pipeline.as_ref();
    let root = pipeline.map(|p| p.reading.work_tree.as_ref().unwrap_or(&p.reading.root));
    if let Some(root) = root.or_else(|| facts.recovery.as_ref().map(|r| &r.root)) {
        page.fact("project", root);
    }
    let branch = pipeline.and_then(|p| p.reading.branch.as_ref());
    if let Some(branch) = branch.and_then(|b| b.actual.as_ref()) {
        page.fact("branch", branch);
    }
    if let Some(recovery) = &facts.recovery {
        page.fact("applied at", time_full(recovery.started_at));
    }
    if matches!(plan.asked, Asked::Resume { .. })
        && let CheckpointNeed::Found(checkpoint) = &plan.point.boundary.checkpoint
    {
        let taken = time(checkpoint.taken_at);
        let text = clean!("{}, taken {}", checkpoint.reason, taken);
        page.fact("checkpoint", text);
    }
}

/// A question that only a person answers.
pub(super) fn open(guard: &Guard, width: usize) -> Vec<Line> {
    let mut page = Page::new(width);
    page.under(Tone::Warn.of("  ? "), Tone::Plain, &guard.text);
    page.into_iter().collect()
}

/// It is unknown whether the pipeline still runs.
pub(super) fn unknown_liveness(refused: &EngineError, width: usize) -> Vec<Line> {
    let mut page = Page::new(width);
    let guards = refused.guards.iter();
    guards.for_each(|guard| page.warn(&guard.text));
    page.into_iter().collect()
}

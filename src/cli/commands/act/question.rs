//! What is said above the question: the deed, where, its actions with exact counts; what would be lost last,
//! nearest the prompt, then how it is taken back (product.md, Confirm; safety.md 3.2).

use crate::clean;
use crate::cli::answer::{Line, Span, Tone};
use crate::cli::commands::plan::{actions, page};
use crate::cli::commands::words::{fact, heading, moment, plural, short, stated, under};
use crate::engine::EngineError;
use crate::model::{
    Asked, CheckpointNeed, Clean, Foreign, Guard, Irreversible, Pipeline, Plan, PointChoice,
    Recovery, short_id,
};

/// Rows of a list before the rest is only counted.
const CAP: usize = 8;

/// What the question says beside the plan.
#[derive(Default)]
pub(in crate::cli::commands) struct Facts {
    /// The pipeline, where it can still be read.
    pub(in crate::cli::commands) pipeline: Option<Pipeline>,
    /// The recovery that is taken back.
    pub(in crate::cli::commands) recovery: Option<Recovery>,
    /// What the pipeline did in the world that no recovery takes back.
    pub(in crate::cli::commands) ledger: Vec<Irreversible>,
    /// What is done once the plan is carried out, a sentence each: a replay in place.
    pub(in crate::cli::commands) then: Vec<Clean>,
}

/// Everything above the prompt.
pub(super) fn lines(plan: &Plan, facts: &Facts, width: usize) -> Vec<Line> {
    let head = Span::plain(Clean::empty());
    let mut lines = under(head, Tone::Strong, &title(plan, facts), width);
    lines.extend(place(plan, facts, width));
    lines.extend(heading(&plural(plan.actions.len() as u64, "action")));
    for action in &plan.actions {
        lines.extend(actions::lines(action, CAP, width));
    }
    if !facts.then.is_empty() {
        lines.extend(heading("Then"));
        lines.extend(then(&facts.then, width));
    }
    if !facts.ledger.is_empty() {
        lines.extend(heading("What the pipeline did that stays done"));
        lines.extend(ledger(&facts.ledger, width));
    }
    if !plan.warnings.is_empty() {
        lines.extend(heading("Warnings"));
        lines.extend(page::warnings(plan, width));
    }
    if !plan.losses.is_empty() {
        lines.extend(heading("Losses"));
        lines.extend(page::losses(plan, width));
    }
    lines.push(vec![]);
    lines.push(taken_back(plan, facts));
    let short = short_id(&plan.fingerprint.0);
    lines.push(vec![
        Span(Tone::Faint, Clean::new("plan        ")),
        Span::plain(Clean::new(short)),
    ]);
    lines
}

fn title(plan: &Plan, facts: &Facts) -> Clean {
    let boundary = &plan.point.boundary;
    let id = &plan.pipeline.0;
    match &plan.asked {
        Asked::Resume {
            choice: PointChoice::Checkpoint(wanted),
            ..
        } => clean!("Restore files of {} from checkpoint {}", id, short(wanted)),
        Asked::Resume { .. } if !facts.then.is_empty() => {
            clean!(
                "Replay {} in place from {}: {}",
                id,
                boundary.id.0,
                boundary.label
            )
        }
        Asked::Resume { .. } => {
            clean!("Resume {} at {}: {}", id, boundary.id.0, boundary.label)
        }
        Asked::Undo { recovery, .. } => {
            let is_redo = facts.recovery.as_ref().is_some_and(|r| r.undoes.is_some());
            let verb = if is_redo { "Redo: take back" } else { "Undo" };
            match &facts.recovery {
                Some(found) => clean!("{} {}: {} of {}", verb, recovery.0, found.label, id),
                None => clean!("{} {} of {}", verb, recovery.0, id),
            }
        }
    }
}

/// Project, branch, the checkpoint with its reason and time.
fn place(plan: &Plan, facts: &Facts, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut say = |key: &str, value: Clean| lines.extend(fact(key, Tone::Plain, &value, width));
    let pipeline = facts.pipeline.as_ref();
    let root = pipeline.map(|p| p.work_tree.as_ref().unwrap_or(&p.root));
    if let Some(root) = root.or_else(|| facts.recovery.as_ref().map(|r| &r.root)) {
        say("project", clean!("{}", root));
    }
    let branch = pipeline.and_then(|p| p.branch.as_ref());
    if let Some(branch) = branch.and_then(|b| b.actual.as_ref()) {
        say("branch", branch.clean());
    }
    if let Some(recovery) = &facts.recovery {
        say("done at", moment(Some(stated(recovery.started_at))));
    }
    if matches!(plan.asked, Asked::Resume { .. })
        && let CheckpointNeed::Found(checkpoint) = &plan.point.boundary.checkpoint
    {
        let taken = moment(checkpoint.taken_at);
        say(
            "checkpoint",
            clean!("{}, taken {}", checkpoint.reason, taken),
        );
    }
    lines
}

/// What stays done, each with what could be done about it.
fn ledger(ledger: &[Irreversible], width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for entry in ledger.iter().take(CAP) {
        let head = Span(Tone::Warn, Clean::new("  ! "));
        let text = clean!("{}: {}", entry.kind, entry.text);
        lines.extend(under(head, Tone::Plain, &text, width));
        if !entry.remedy.is_empty() {
            let head = Span::plain(Clean::new("    "));
            lines.extend(under(
                head,
                Tone::Faint,
                &clean!("→ {}", entry.remedy),
                width,
            ));
        }
    }
    lines.extend(actions::more(ledger.len(), CAP));
    lines
}

/// What is done afterwards, a sentence each.
pub(in crate::cli::commands) fn then(sentences: &[Clean], width: usize) -> Vec<Line> {
    let line = |text: &Clean| under(Span::plain(Clean::new("  ")), Tone::Plain, text, width);
    sentences.iter().flat_map(line).collect()
}

/// What would take it back afterwards.
fn taken_back(plan: &Plan, facts: &Facts) -> Line {
    let is_redo = facts.recovery.as_ref().is_some_and(|r| r.undoes.is_some());
    let command = match plan.asked {
        Asked::Undo { .. } if !is_redo => "relight redo",
        Asked::Undo { .. } | Asked::Resume { .. } => "relight undo",
    };
    vec![
        Span(Tone::Faint, Clean::new("afterwards  ")),
        Span(Tone::Strong, Clean::new(command)),
        Span::plain(Clean::new(" takes it back; what is replaced is kept.")),
    ]
}

/// A question that only the person answers.
pub(super) fn open(guard: &Guard, width: usize) -> Vec<Line> {
    let head = Span(Tone::Warn, Clean::new("  ? "));
    under(head, Tone::Plain, &guard.text.clean(), width)
}

/// Nobody knows whether it still runs.
pub(super) fn unknown_liveness(refused: &EngineError, width: usize) -> Vec<Line> {
    let say = |text: &Foreign| {
        let head = Span(Tone::Warn, Clean::new("  ! "));
        under(head, Tone::Plain, &text.clean(), width)
    };
    refused.guards.iter().flat_map(|g| say(&g.text)).collect()
}

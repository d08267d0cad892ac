//! Merges in which template and dispatch changed the same lines. They are shown, and a person resolves each; none
//! is resolved silently.

use crate::cli::prelude::*;
use crate::model::{Merge, MergePiece, ReplayStep, StepBody};
use crate::text::format::list_first;

/// Lines of one side of a conflict before the rest is only counted.
const CAP: usize = 40;

/// Why this plan cannot be run yet, and how to resolve each conflict.
pub(super) fn refusal(plan: &ReplayPlan) -> Option<EngineError> {
    let open: Vec<u64> = plan.conflicts().map(|step| step.original.seq).collect();
    let first = open.first()?;
    let dispatches = count_of(open.len(), "dispatch has", "dispatches have");
    let numbers = list_first(&open, 8);
    let what = "template and dispatch changed the same lines. Nothing was run.";
    let text = format!("{dispatches} a conflict ({numbers}): {what}");
    Some(
        EngineError::refused(text)
            .hint("To show the conflicts, add --dry-run.")
            .hint(format!(
                "--resolve {first}=replacement takes the replacement's lines, --resolve {first}=original the \
                 dispatch's, --resolve {first}=FILE a text that you edited."
            ))
            .hint("--resolve replacement, without a number, resolves all that are not named."),
    )
}

/// Every open conflict as a block of the three texts, and how to resolve it.
pub(super) fn show(plan: &ReplayPlan, page: &mut Page) {
    for step in plan.conflicts() {
        if let StepBody::Conflict(merge) = &step.body {
            block(step, merge, page);
        }
    }
}

fn block(step: &ReplayStep, merge: &Merge, page: &mut Page) {
    let seq = step.original.seq;
    page.heading(clean!("### Dispatch {}: {}", seq, step.original.file));
    page.blank();
    page.line([Tone::Plain.of("```")]);
    for piece in &merge.pieces {
        match piece {
            MergePiece::Resolved(bytes) => {
                let lines = count(Foreign::from(bytes.as_slice()).lines().count(), "line");
                page.line([Tone::Faint.of(format!("@@ {lines} without a conflict @@"))]);
            }
            MergePiece::Conflict {
                template,
                dispatch,
                replacement,
            } => {
                for (mark, side, tone) in [
                    ("<<<<<<< original dispatch", dispatch, Tone::Bad),
                    ("||||||| template", template, Tone::Faint),
                    ("======= replacement", replacement, Tone::Good),
                ] {
                    page.line([Tone::Plain.of(mark)]);
                    let lines: Vec<Foreign> = Foreign::from(side.as_slice()).lines().collect();
                    let shown = lines.iter().take(CAP);
                    shown.for_each(|line| page.line([tone.of(line)]));
                    page.rest(0, lines.len(), CAP);
                }
                page.line([Tone::Plain.of(">>>>>>>")]);
            }
        }
    }
    page.line([Tone::Plain.of("```")]);
    page.blank();
    for (how, what) in [
        ("replacement", "takes the replacement's lines"),
        ("original", "keeps the dispatch's lines"),
        ("FILE", "takes a whole dispatch text that you edited"),
    ] {
        page.line([
            Tone::Plain.of("- "),
            Tone::Strong.of(format!("--resolve {seq}={how}")),
            Tone::Plain.of(format!(" {what}")),
        ]);
    }
}

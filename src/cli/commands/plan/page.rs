//! The whole plan for a person: counts exact, lists capped with the rest counted, what would be lost last.

use super::actions;
use crate::clean;
use crate::cli::answer::{Line, Span, Tone};
use crate::cli::commands::handoff;
use crate::cli::commands::words::{block, duration, heading, under};
use crate::model::{Asked, Clean, Foreign, GuardKind, Plan, WorkItem};

/// Rows of a list before the rest is only counted.
const CAP: usize = 12;

pub(in crate::cli::commands) fn page(
    plan: &Plan,
    report: Option<&Foreign>,
    width: usize,
) -> Vec<Line> {
    let boundary = &plan.point.boundary;
    let mut lines = vec![vec![Span(Tone::Strong, title(plan))]];
    lines.extend(under(
        Span::plain(Clean::empty()),
        Tone::Plain,
        &clean!("{}. {}", boundary.label, plan.point.reason),
        width,
    ));
    lines.push(vec![Span(
        Tone::Faint,
        Clean::new("A dry run: nothing has been written."),
    )]);
    lines.extend(items("Kept", &plan.kept, width));
    lines.extend(items("Redone", &plan.redone, width));
    lines.extend(heading(&format!("Actions ({})", plan.actions.len())));
    if plan.actions.is_empty() {
        lines.push(vec![Span::plain(Clean::new(
            "  None: nothing on disk would change; the hand-off follows.",
        ))]);
    }
    lines.extend(
        plan.actions
            .iter()
            .flat_map(|action| actions::lines(action, CAP, width)),
    );
    lines.extend(handoff::brief(&plan.handoff, width));
    if let Some(report) = report {
        lines.push(vec![]);
        lines.extend(block(report));
    }
    lines.extend(guards(plan, width));
    if !plan.warnings.is_empty() {
        lines.extend(heading("Warnings"));
        lines.extend(warnings(plan, width));
    }
    if !plan.losses.is_empty() {
        lines.extend(heading("Losses"));
        lines.extend(losses(plan, width));
    }
    let kind = if plan.destructive {
        "Destructive: files that are there are replaced, cut or moved; what was there is kept."
    } else {
        "Not destructive: nothing that is there is replaced, cut or moved."
    };
    lines.push(vec![]);
    let head = Span::plain(Clean::empty());
    lines.extend(under(head, Tone::Faint, &Clean::new(kind), width));
    lines.push(vec![
        Span(Tone::Faint, Clean::new("fingerprint ")),
        Span::plain(Clean::new(&plan.fingerprint.0)),
    ]);
    lines
}

fn items(title: &str, items: &[WorkItem], width: usize) -> Vec<Line> {
    if items.is_empty() {
        return Vec::new();
    }
    let known: u64 = items.iter().filter_map(|i| i.duration_s).sum();
    let time = if known > 0 {
        format!(", {}", duration(Some(known)))
    } else {
        String::new()
    };
    let mut lines = heading(&format!("{title} ({}{time})", items.len())).to_vec();
    for item in items.iter().take(CAP) {
        let text = clean!("{}  {}  {}", item.id, item.label, item.detail);
        lines.push(vec![
            Span::plain(Clean::new("  ")),
            Span::plain(text.clip(width.saturating_sub(2))),
        ]);
    }
    lines.extend(actions::more(items.len(), CAP));
    lines
}

/// What to type next; whole, because it is copied.
pub(in crate::cli::commands) fn next(line: &str) -> Line {
    vec![
        Span(Tone::Faint, Clean::new("carry it out: ")),
        Span(Tone::Strong, Clean::new(line)),
    ]
}

/// What the plan is, in one line.
fn title(plan: &Plan) -> Clean {
    match &plan.asked {
        Asked::Resume { .. } => {
            clean!(
                "Plan: take up {} at {}",
                plan.pipeline.0,
                plan.point.boundary.id.0
            )
        }
        Asked::Undo { recovery, .. } => {
            clean!(
                "Plan: take back recovery {} of {}",
                recovery.0,
                plan.pipeline.0
            )
        }
    }
}

/// Guards, the failing ones nearest the eye.
fn guards(plan: &Plan, width: usize) -> Vec<Line> {
    let mut lines = heading("Guards").to_vec();
    for guard in plan.guards.iter().rev() {
        let (sign, tone) = match guard.kind {
            _ if guard.holds => ("  ✓ ", Tone::Good),
            GuardKind::Must => ("  ✗ ", Tone::Bad),
            GuardKind::Ask => ("  ? ", Tone::Warn),
        };
        let head = Span(tone, Clean::new(sign));
        lines.extend(under(head, Tone::Plain, &guard.text.clean(), width));
        if let Some(cure) = &guard.would_hold_if {
            let head = Span::plain(Clean::new("    "));
            lines.extend(under(head, Tone::Faint, &clean!("→ {}", cure), width));
        }
    }
    lines
}

/// What would be lost, a sentence each.
pub(in crate::cli::commands) fn losses(plan: &Plan, width: usize) -> Vec<Line> {
    marked(&plan.losses, width)
}

/// What to know about the point, a sentence each.
pub(in crate::cli::commands) fn warnings(plan: &Plan, width: usize) -> Vec<Line> {
    marked(&plan.warnings, width)
}

fn marked(sentences: &[Foreign], width: usize) -> Vec<Line> {
    let line = |sentence: &Foreign| {
        let head = Span(Tone::Warn, Clean::new("  ! "));
        under(head, Tone::Plain, &sentence.clean(), width)
    };
    sentences.iter().flat_map(line).collect()
}

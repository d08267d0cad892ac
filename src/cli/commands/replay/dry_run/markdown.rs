//! The report itself: Markdown whose tables fit the terminal.

use crate::clean;
use crate::cli::answer::{Line, Span, Tone};
use crate::cli::commands::replay::{before, conflicts, dispatches, size, swapped};
use crate::cli::commands::words::{duration, under};
use crate::model::{
    Clean, Dispatch, DispatchStatus, Experiment, Foreign, ReplayPlan, ReplayStep, StepBody,
};

pub(super) fn lines(plan: &ReplayPlan, skipped: &[&Dispatch], width: usize) -> Vec<Line> {
    let mut lines = vec![
        vec![Span(Tone::Strong, Clean::new("# Replay Plan (dry-run)"))],
        vec![],
    ];
    lines.extend(head(plan, skipped, width));
    lines.extend(title("## Dispatches to skip (verified complete)"));
    let row = |one: &&Dispatch| {
        let summary = one
            .summary
            .as_ref()
            .map_or_else(Clean::empty, Foreign::clean);
        vec![
            clean!("{}", one.seq),
            one.role.clean(),
            one.phase.clean(),
            summary,
        ]
    };
    let rows: Vec<Vec<Clean>> = skipped.iter().map(row).collect();
    lines.extend(table(&["Seq", "Role", "Phase", "Summary"], &rows, width));
    lines.extend(title("## Dispatches to re-execute"));
    let rows: Vec<Vec<Clean>> = plan.steps.iter().map(step).collect();
    lines.extend(table(
        &[
            "Seq",
            "Role",
            "Phase",
            "Original Status",
            "Template",
            "Text",
        ],
        &rows,
        width,
    ));
    if !plan.mutations.is_empty() {
        lines.extend(title("## Template Mutations"));
        for swap in &plan.mutations {
            let text = clean!(
                "{}; the template as in {}",
                swapped(swap),
                swap.template_from
            );
            lines.extend(item(&text, width));
        }
    }
    for (heading, texts) in [
        ("## Confounders", &plan.confounders),
        ("## Notes", &plan.notes),
    ] {
        if !texts.is_empty() {
            lines.extend(title(heading));
            lines.extend(texts.iter().flat_map(|text| item(&text.clean(), width)));
        }
    }
    let open = plan.conflicts().count();
    if open > 0 {
        lines.extend(title(&format!("## Conflicts to settle ({open})")));
        lines.extend(conflicts::lines(plan));
    }
    lines
}

/// The bold lines.
fn head(plan: &ReplayPlan, skipped: &[&Dispatch], width: usize) -> Vec<Line> {
    let experiment = &plan.experiment;
    let started = experiment
        .started_at
        .map_or_else(|| "unknown".to_owned(), |at| at.at.to_rfc3339());
    let mut lines = Vec::new();
    let mut say = |key: &str, value: &Clean| {
        let head = Span(Tone::Strong, clean!("**{}:** ", key));
        lines.extend(under(head, Tone::Plain, value, width));
    };
    say("Source", &clean!("{}", experiment.manifest));
    say(
        "Original pipeline",
        &clean!(
            "{} | Session: {} | Started: {}",
            experiment.skill,
            experiment.session,
            started
        ),
    );
    if let Some(crashed) = crashed(experiment) {
        say("Crashed at", &crashed);
    }
    if let Some(start) = plan.begin() {
        let reason = start.checkpoint.as_ref().map_or_else(
            || start.label.clean(),
            |checkpoint| checkpoint.reason.clean(),
        );
        say(
            "Resume point",
            &clean!("Phase {} boundary ({})", start.phase, reason),
        );
    }
    let seconds: u64 = skipped.iter().filter_map(|one| one.duration_s).sum();
    say(
        "Work preserved",
        &clean!(
            "{} of active time ({})",
            duration(Some(seconds)),
            dispatches(skipped.len() as u64)
        ),
    );
    say("Runs", &runs(plan));
    say("Runner", &before::runner(plan));
    say("Where", &before::place(plan));
    if let Some(commit) = &plan.commit {
        say("Commit", &Clean::new(commit));
    }
    say("Templates", &templates(plan));
    say("Plan", &Clean::new(&plan.fingerprint.0));
    lines
}

/// `5, each of 6 dispatches in 2 waves, one at a time`.
fn runs(plan: &ReplayPlan) -> Clean {
    let jobs = match plan.ask.jobs {
        0 | 1 => "one at a time".to_owned(),
        many => format!("at most {many} of a wave at a time"),
    };
    let each = if plan.ask.repeat > 1 { "each of" } else { "of" };
    clean!("{}, {} {}, {}", plan.ask.repeat, each, size(plan), jobs)
}

/// The first dispatch that never came back, where there is one.
fn crashed(experiment: &Experiment) -> Option<Clean> {
    let lost = experiment
        .original()
        .find(|one| one.status == DispatchStatus::Dispatched)?;
    Some(clean!(
        "Phase {}, dispatch {} ({})",
        lost.phase,
        lost.seq,
        lost.role
    ))
}

fn templates(plan: &ReplayPlan) -> Clean {
    let from = plan.ask.templates.as_ref().map_or_else(
        || Clean::new("the installed plugin"),
        |dir| clean!("{}", dir),
    );
    match &plan.ask.template_ref {
        Some(pinned) => clean!("{}, pinned to {}", from, pinned),
        None => clean!("{}, not pinned", from),
    }
}

fn step(step: &ReplayStep) -> Vec<Clean> {
    let one = &step.original;
    let text = match (&step.body, step.mutation) {
        (StepBody::Conflict(_), _) => "CONFLICT",
        (StepBody::Ready(_), Some(_)) => "swapped",
        (StepBody::Ready(_), None) => "as it was",
    };
    vec![
        clean!("{}", one.seq),
        one.role.clean(),
        one.phase.clean(),
        Clean::new(one.status.word()),
        one.template.clean(),
        Clean::new(text),
    ]
}

fn title(text: &str) -> [Line; 3] {
    [vec![], vec![Span(Tone::Strong, Clean::new(text))], vec![]]
}

fn item(text: &Clean, width: usize) -> Vec<Line> {
    under(Span::plain(Clean::new("- ")), Tone::Plain, text, width)
}

/// A Markdown table whose columns stand below each other, its widest column cut so that a row fits.
fn table(columns: &[&str], rows: &[Vec<Clean>], width: usize) -> Vec<Line> {
    let cell = |text: &Clean| Clean::new(&text.as_str().replace('|', "\\|"));
    let rows: Vec<Vec<Clean>> = rows
        .iter()
        .map(|row| row.iter().map(cell).collect())
        .collect();
    let mut widths: Vec<usize> = columns.iter().map(|title| title.len().max(3)).collect();
    for row in &rows {
        for (have, cell) in widths.iter_mut().zip(row) {
            *have = cell.width().max(*have);
        }
    }
    let taken = widths.iter().sum::<usize>() + 3 * widths.len() + 1;
    if let Some(widest) = widths.iter_mut().max() {
        *widest = widest.saturating_sub(taken.saturating_sub(width)).max(12);
    }
    let line = |cells: &mut dyn Iterator<Item = Clean>| -> Line {
        let mut text = String::from("|");
        for (cell, width) in cells.zip(&widths) {
            let cell = cell.clip(*width);
            let pad = " ".repeat(width.saturating_sub(cell.width()));
            text.push(' ');
            text.push_str(cell.as_str());
            text.push_str(&pad);
            text.push_str(" |");
        }
        vec![Span::plain(Clean::new(&text))]
    };
    let mut lines = vec![
        line(&mut columns.iter().map(|title| Clean::new(title))),
        line(&mut widths.iter().map(|width| Clean::new(&"-".repeat(*width)))),
    ];
    lines.extend(rows.into_iter().map(|row| line(&mut row.into_iter())));
    lines
}

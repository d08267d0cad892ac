//! The report itself: Markdown whose tables fit the terminal.

use crate::cli::commands::replay::{before, conflicts, size, swapped};
use crate::cli::prelude::*;
use crate::model::{Dispatch, DispatchStatus, Experiment, ReplayPlan, ReplayStep, StepBody};
use crate::text::format::duration;

pub(super) fn report(plan: &ReplayPlan, skipped: &[&Dispatch], page: &mut Page) {
    page.line([Tone::Strong.of("# Replay Plan (dry-run)")]);
    page.blank();
    head(plan, skipped, page);
    title("## Dispatches to skip (verified complete)", page);
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
    table(&["Seq", "Role", "Phase", "Summary"], &rows, page);
    title("## Dispatches to re-execute", page);
    let columns = [
        "Seq",
        "Role",
        "Phase",
        "Original Status",
        "Template",
        "Text",
    ];
    let rows: Vec<Vec<Clean>> = plan.steps.iter().map(step).collect();
    table(&columns, &rows, page);
    if !plan.mutations.is_empty() {
        title("## Template Mutations", page);
        for swap in &plan.mutations {
            let from = &swap.template_from;
            page.under(
                Tone::Plain.of("- "),
                Tone::Plain,
                clean!("{}; the template from {}", swapped(swap), from),
            );
        }
    }
    paths(plan, page);
    for (heading, texts) in [
        ("## Confounders", &plan.confounders),
        ("## Notes", &plan.notes),
    ] {
        if !texts.is_empty() {
            title(heading, page);
            let items = texts.iter();
            items.for_each(|text| page.under(Tone::Plain.of("- "), Tone::Plain, text));
        }
    }
    let open = plan.conflicts().count();
    if open > 0 {
        title(&format!("## Conflicts to resolve ({open})"), page);
        conflicts::show(plan, page);
    }
}

/// How many lines with replaced paths are shown of each dispatch.
const LINES: usize = 12;

/// The paths of the original that are replaced, as a difference.
fn paths(plan: &ReplayPlan, page: &mut Page) {
    let rewritten = &plan.isolation.rewritten;
    if rewritten.is_empty() {
        return;
    }
    title(
        "## Paths of the original (RUN is the directory of the run)",
        page,
    );
    page.line([Tone::Plain.of("```diff")]);
    for text in rewritten {
        let all = text.lines().count();
        for (number, before, after) in text.lines().take(LINES) {
            page.line([Tone::Faint.of(clean!("@@ dispatch {}, line {} @@", text.seq, number))]);
            for (tone, sign, line) in [(Tone::Bad, "-", before), (Tone::Good, "+", after)] {
                page.line([tone.of(clean!("{}{}", sign, Foreign::from(line)))]);
            }
        }
        if all > LINES {
            let rest = count(all - LINES, "more line");
            page.line([Tone::Faint.of(clean!("@@ dispatch {}: {} @@", text.seq, rest))]);
        }
    }
    page.line([Tone::Plain.of("```")]);
}

/// The bold lines.
fn head(plan: &ReplayPlan, skipped: &[&Dispatch], page: &mut Page) {
    let experiment = &plan.experiment;
    let started = experiment.started_at;
    let started = started.map_or_else(|| "unknown".to_owned(), |at| at.at.to_rfc3339());
    let mut say = |key: &str, value: Clean| {
        let head = Tone::Strong.of(clean!("**{}:** ", key));
        page.under(head, Tone::Plain, value);
    };
    say("Source", clean!("{}", experiment.manifest));
    say(
        "Original pipeline",
        clean!(
            "{} | Session: {} | Started: {}",
            experiment.skill,
            experiment.session,
            started
        ),
    );
    if let Some(crashed) = crashed(experiment) {
        say("Crashed at", crashed);
    }
    if let Some(start) = plan.begin() {
        let checkpoint = start.checkpoint.as_ref();
        let reason = checkpoint.map_or(&start.label, |checkpoint| &checkpoint.reason);
        say(
            "Resume point",
            clean!("Phase {} boundary ({})", start.phase, reason),
        );
    }
    let seconds: u64 = skipped.iter().filter_map(|one| one.duration_s).sum();
    let dispatches = count(skipped.len(), "dispatch");
    say(
        "Work preserved",
        clean!("{} of active time ({})", duration(seconds), dispatches),
    );
    say("Runs", runs(plan));
    for (key, text) in plan.cost_texts().into_iter().skip(1) {
        let key = match key {
            "time" => "Time",
            "disk" => "Disk",
            _ => "Tokens",
        };
        say(key, Clean::new(&text));
    }
    say("Runner", before::runner(plan));
    say("Where", before::place(plan));
    say("Sandbox", before::sandbox(plan));
    if let Some(paths) = before::paths(plan) {
        say("Paths", paths);
    }
    if let Some(setup) = before::setup(plan) {
        say("Setup", setup);
    }
    if let Some(commit) = &plan.commit {
        say("Commit", Clean::new(commit));
    }
    say("Templates", templates(plan));
    say("Plan", Clean::new(&plan.fingerprint.0));
}

/// `5, each of 6 dispatches in 2 waves, one at a time`.
fn runs(plan: &ReplayPlan) -> Clean {
    let jobs = match plan.ask.jobs {
        0 | 1 => "one at a time".to_owned(),
        many => format!("at most {many} of a wave at a time"),
    };
    let each = if plan.ask.repeat > 1 { "each of" } else { "of" };
    if plan.ask.repeat > 1 && plan.ask.arms().len() == 2 {
        return clean!(
            "{} ({} of a control run and a mutated run), each of {}, {}",
            2 * plan.ask.repeat,
            count(plan.ask.repeat, "block"),
            size(plan),
            jobs
        );
    }
    clean!("{}, {} {}, {}", plan.ask.repeat, each, size(plan), jobs)
}

/// The first dispatch without a result, if there is one.
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
    let text = match &step.body {
        StepBody::Conflict(_) => "CONFLICT",
        StepBody::Ready(_) if step.is_swapped() => "replaced",
        StepBody::Ready(_) => "as it was",
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

fn title(text: &str, page: &mut Page) {
    page.heading(text);
    page.blank();
}

/// A Markdown table with aligned columns. The widest is truncated so that a row fits.
fn table(columns: &[&str], rows: &[Vec<Clean>], page: &mut Page) {
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
        *widest = widest
            .saturating_sub(taken.saturating_sub(page.width()))
            .max(12);
    }
    let line = |cells: &[Clean]| -> Line {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| {
            let cell = cell.clip(*width);
            let pad = " ".repeat(width.saturating_sub(cell.width()));
            clean!(" {}{} |", cell, pad)
        });
        let row = Clean::concat(&padded.collect::<Vec<_>>());
        vec![Tone::Plain.of(clean!("|{}", row))]
    };
    let titles: Vec<Clean> = columns.iter().map(|title| Clean::new(title)).collect();
    let rule: Vec<Clean> = widths
        .iter()
        .map(|width| Clean::new(&"-".repeat(*width)))
        .collect();
    page.lines([line(&titles), line(&rule)]);
    page.lines(rows.iter().map(|row| line(row)));
}

//! The report itself: Markdown whose tables fit the terminal.

use crate::cli::commands::replay::{before, conflicts, size, swapped};
use crate::cli::prelude::*;
use crate::model::{DispatchStatus, Experiment, ReplayStep, StepBody};
use crate::text::format::capital;

pub(super) fn report(plan: &ReplayPlan, skipped: &[&Dispatch], page: &mut Page) {
    page.line([Tone::Strong.of("# Replay Plan (dry-run)")]);
    page.blank();
    head(plan, skipped, page);
    title("## Dispatches to skip (verified complete)", page);
    let row = |one: &&Dispatch| {
        let summary = one.summary.as_ref().map(Foreign::clean);
        let [seq, role, phase] = numbered(one);
        vec![seq, role, phase, summary.unwrap_or_default()]
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
            item(
                clean!("{}; the template from {}", swapped(swap), from),
                page,
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
            for text in texts {
                item(text, page);
            }
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
    let heading = "## Paths of the original (RUN is the directory of the run)";
    title(heading, page);
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
    let (skill, session) = (&experiment.skill, &experiment.session);
    let text = clean!("{} | Session: {} | Started: {}", skill, session, started);
    say("Original pipeline", text);
    if let Some(crashed) = crashed(experiment) {
        say("Crashed at", crashed);
    }
    if let Some(start) = plan.begin() {
        let checkpoint = start.checkpoint.as_ref();
        let reason = checkpoint.map_or(&start.label, |checkpoint| &checkpoint.reason);
        let text = clean!("Phase {} boundary ({})", start.phase, reason);
        say("Resume point", text);
    }
    let seconds: u64 = skipped.iter().filter_map(|one| one.duration_s).sum();
    let (time, dispatches) = (duration(seconds), count(skipped.len(), "dispatch"));
    let text = clean!("{} of active time ({})", time, dispatches);
    say("Work preserved", text);
    say("Runs", runs(plan));
    for (key, text) in before::facts(plan).skip(1) {
        say(&capital(key), text);
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
    let mut all = experiment.original();
    let lost = all.find(|one| one.status == DispatchStatus::Dispatched)?;
    let (phase, seq, role) = (&lost.phase, lost.seq, &lost.role);
    Some(clean!("Phase {}, dispatch {} ({})", phase, seq, role))
}

fn templates(plan: &ReplayPlan) -> Clean {
    let dir = plan.ask.templates.as_ref().map(Present::present);
    let from = dir.unwrap_or_else(|| Clean::new("the installed plugin"));
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
    let [seq, role, phase] = numbered(one);
    let status = Clean::new(one.status.word());
    vec![
        seq,
        role,
        phase,
        status,
        one.template.clean(),
        Clean::new(text),
    ]
}

/// The first cells of a dispatch.
fn numbered(one: &Dispatch) -> [Clean; 3] {
    [clean!("{}", one.seq), one.role.clean(), one.phase.clean()]
}

fn item(text: impl Present, page: &mut Page) {
    page.under(Tone::Plain.of("- "), Tone::Plain, text);
}

fn title(text: &str, page: &mut Page) {
    page.heading(text);
    page.blank();
}

/// A Markdown table with aligned columns. The widest is truncated so that a row fits.
fn table(columns: &[&str], rows: &[Vec<Clean>], page: &mut Page) {
    let cell = |text: &Clean| Clean::new(&text.as_str().replace('|', "\\|"));
    let row = |row: &Vec<Clean>| row.iter().map(cell).collect();
    let rows: Vec<Vec<Clean>> = rows.iter().map(row).collect();
    let mut widths: Vec<usize> = columns.iter().map(|title| title.len().max(3)).collect();
    for row in &rows {
        for (have, cell) in widths.iter_mut().zip(row) {
            *have = cell.width().max(*have);
        }
    }
    let taken = widths.iter().sum::<usize>() + 3 * widths.len() + 1;
    if let Some(widest) = widths.iter_mut().max() {
        let over = taken.saturating_sub(page.width);
        *widest = widest.saturating_sub(over).max(12);
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
    let dashes = |width: &usize| Clean::new(&"-".repeat(*width));
    let rule: Vec<Clean> = widths.iter().map(dashes).collect();
    page.lines([line(&titles), line(&rule)]);
    page.lines(rows.iter().map(|row| line(row)));
}

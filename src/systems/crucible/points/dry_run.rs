//! The dry-run report in crucible's own words.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use rayon::iter::ParallelIterator as _;
use rayon::slice::ParallelSlice as _;

use super::intent::PART;
use super::{Stop, redo_of};
use crate::model::{Foreign, Intent, PointId, Status, WorkItem};
use crate::systems::crucible::facts::work::{Unit, is_failure};
use crate::systems::crucible::facts::{Run, reading};
use crate::systems::crucible::shape::manifest::template;
use crate::systems::crucible::shape::{Entry, Manifest, Reread};
use crate::text::Shown as _;
use crate::world::World;

/// Writes the report of a point.
pub(crate) fn report(
    run: &Run,
    point: &PointId,
    intent: &Intent,
    world: &dyn World,
) -> Option<Foreign> {
    let manifest = run.usable()?;
    let (_, stop) = redo_of(run, point, world)?;
    let (phase, reason) = boundary(run, point, stop.as_ref());
    let mut out = header(run, manifest, (phase, reason), intent);
    // A failure whose work a later dispatch did is neither verified nor run again.
    let failed = |item: &WorkItem| dispatch(run, item).is_some_and(|(_, entry)| is_failure(entry));
    let rows = |items: &[WorkItem], columns: &[&str], all: bool| {
        let parts = items.par_chunks(PART).map(|part| {
            let mut lines = manifest.reread(world.files());
            let rows = part.iter().filter(|item| all || !failed(item));
            let rows = rows.map(|item| row(run, item, &mut lines, columns));
            rows.collect::<String>()
        });
        parts.collect::<String>()
    };
    out.push_str("\n## Dispatches to skip (verified complete)\n\n| Seq | Role | Phase | Summary |\n|-----|------|-------|---------|\n");
    out.push_str(&rows(&intent.kept, &["role", "phase", "summary"], false));
    out.push_str("\n## Dispatches to re-execute\n\n| Seq | Role | Phase | Original Status | Template |\n|-----|------|-------|-----------------|----------|\n");
    let columns = ["role", "phase", "status", "template"];
    out.push_str(&rows(&intent.redone, &columns, true));
    let mutations = manifest.entries.iter();
    let mutations = mutations.filter_map(|entry| manifest.word(manifest.mutation(entry)));
    let mutations: BTreeSet<&str> = mutations.collect();
    if !mutations.is_empty() {
        out.push_str("\n## Template Mutations\n\n");
        for mutation in mutations {
            let _ = writeln!(out, "- {mutation}");
        }
    }
    Some(out.into())
}

/// What was run, where it crashed, and what a resume keeps.
fn header(
    run: &Run,
    manifest: &Manifest,
    (phase, reason): (&str, String),
    intent: &Intent,
) -> String {
    let kept = intent.kept.iter();
    let kept_seconds: u64 = kept.clone().filter_map(|item| item.duration_s).sum();
    let kept = kept.filter_map(|item| dispatch(run, item));
    let mut phases = kept.filter_map(|(unit, _)| run.work.phase_of(unit));
    let is_begun = phases.any(|facts| facts.name.base == phase);
    let started = run.started_at.map(|at| at.at.to_rfc3339());
    let started = started.unwrap_or_else(|| "unknown".to_owned());
    let crashed = reading::stopped_where(run, Status::Interrupted);
    let crashed = crashed.shown().to_string();
    let crashed = match crashed.strip_prefix("phase ") {
        Some(rest) => format!("Phase {rest}"),
        None => crashed,
    };
    let (source, skill, session) = (manifest.path(), &run.skill, &run.session);
    let (source, kept) = (source.shown(), span(kept_seconds));
    let through = through(phase, is_begun);
    format!(
        "# Replay Plan (dry-run)\n\n\
         **Source:** {source}\n\
         **Original pipeline:** {skill} | Session: {session} | Started: {started}\n\
         **Crashed at:** {crashed}\n\
         **Resume point:** Phase {phase} boundary ({reason})\n\
         **Work preserved:** {kept} of active time{through}\n"
    )
}

/// The phase that a resume begins with, and why there is a boundary.
fn boundary<'a>(run: &'a Run, point: &PointId, stop: Option<&'a Stop>) -> (&'a str, String) {
    let Some(stop) = stop else {
        if point.0 == "fresh" {
            return ("1", "start fresh".to_owned());
        }
        let current = run.work.current();
        let phase = current.map_or("4", |facts| facts.name.base.as_str());
        return (phase, "current disk state".to_owned());
    };
    let saved = stop.saved.as_ref().map(|saved| saved.reason.clone());
    let reason = saved.unwrap_or_else(|| stop.reasons.join(" or "));
    (stop.phase, reason)
}

/// The phases whose work is kept: all before one, and of that one what is done.
fn through(phase: &str, is_begun: bool) -> String {
    let before = match phase.parse::<u64>() {
        Ok(2) => "phase 1".to_owned(),
        Ok(number) if number > 2 => format!("phases 1 through {}", number - 1),
        Ok(_) | Err(_) => return String::new(),
    };
    if is_begun {
        format!(" ({before} and part of phase {phase})")
    } else {
        format!(" ({before})")
    }
}

/// The entry of a dispatch of the plan.
fn dispatch<'a>(run: &'a Run, item: &WorkItem) -> Option<(Unit, &'a Entry)> {
    run.unit(item.id.as_str()?.parse().ok()?)
}

/// A row of a table.
fn row(run: &Run, item: &WorkItem, lines: &mut Reread<'_>, columns: &[&str]) -> String {
    let entry = dispatch(run, item);
    let line = entry.and_then(|(_, entry)| lines.members(entry));
    let line = line.unwrap_or_default();
    let mut out = format!("| {} |", item.id.shown());
    for column in columns {
        let value = match *column {
            "template" => template(|key| line.shown(key)),
            column => line.shown(column),
        };
        let value = value.unwrap_or_else(|| "-".into());
        let value = value.replace('|', "\\|").replace(['\n', '\r'], " ");
        let _ = write!(out, " {value} |");
    }
    out.push('\n');
    out
}

/// `1h 23m`.
fn span(seconds: u64) -> String {
    let minutes = seconds / 60;
    if minutes < 60 {
        format!("{minutes}m")
    } else {
        format!("{}h {}m", minutes / 60, minutes % 60)
    }
}

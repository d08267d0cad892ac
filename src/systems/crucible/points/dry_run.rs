//! The dry-run report in crucible's own words.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{Stop, redo_of};
use crate::model::{Foreign, Intent, PointId, Status, WorkItem};
use crate::systems::crucible::facts::work::Unit;
use crate::systems::crucible::facts::{Run, reading};
use crate::systems::crucible::shape::manifest::template;
use crate::systems::crucible::shape::{Manifest, Reread};
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
    let mut lines = manifest.reread(world.files());
    out.push_str("\n## Dispatches to skip (verified complete)\n\n| Seq | Role | Phase | Summary |\n|-----|------|-------|---------|\n");
    for item in &intent.kept {
        let columns = ["role", "phase", "summary"];
        row(run, item, &mut lines, &mut out, &columns);
    }
    out.push_str("\n## Dispatches to re-execute\n\n| Seq | Role | Phase | Original Status | Template |\n|-----|------|-------|-----------------|----------|\n");
    for item in &intent.redone {
        let columns = ["role", "phase", "status", "template"];
        row(run, item, &mut lines, &mut out, &columns);
    }
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
    let is_begun = kept.filter_map(|item| unit(run, item)).any(|unit| {
        let facts = run.work.phase_of(unit);
        facts.is_some_and(|facts| facts.name.base == phase)
    });
    let started = run.started_at.map(|at| at.at.to_rfc3339());
    let started = started.unwrap_or_else(|| "unknown".to_owned());
    let crashed = reading::stopped_where(run, Status::Interrupted);
    let crashed = crashed.shown().to_string();
    let crashed = match crashed.strip_prefix("phase ") {
        Some(rest) => format!("Phase {rest}"),
        None => crashed,
    };
    let mut out = String::from("# Replay Plan (dry-run)\n\n");
    let _ = writeln!(out, "**Source:** {}", manifest.path().shown());
    let _ = writeln!(
        out,
        "**Original pipeline:** {} | Session: {} | Started: {started}",
        run.skill, run.session
    );
    let _ = writeln!(out, "**Crashed at:** {crashed}");
    let _ = writeln!(out, "**Resume point:** Phase {phase} boundary ({reason})");
    let _ = writeln!(
        out,
        "**Work preserved:** {} of active time{}",
        span(kept_seconds),
        through(phase, is_begun)
    );
    out
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
    (
        stop.phase,
        saved.unwrap_or_else(|| stop.reasons.join(" or ")),
    )
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

/// The unit of a kept dispatch.
fn unit(run: &Run, item: &WorkItem) -> Option<Unit> {
    let seq = item.id.as_str()?.parse().ok()?;
    run.unit(seq).map(|(unit, _)| unit)
}

fn row(run: &Run, item: &WorkItem, lines: &mut Reread<'_>, out: &mut String, columns: &[&str]) {
    let entry = item
        .id
        .as_str()
        .and_then(|id| run.manifest.as_deref()?.entry(id.parse().ok()?));
    let line = entry
        .and_then(|entry| lines.members(entry))
        .unwrap_or_default();
    let _ = write!(out, "| {} |", item.id.shown());
    for column in columns {
        let value = if *column == "template" {
            template(|key| line.shown(key))
        } else {
            line.shown(column)
        };
        let value = value.unwrap_or_else(|| "-".into());
        let _ = write!(
            out,
            " {} |",
            value.replace('|', "\\|").replace(['\n', '\r'], " ")
        );
    }
    out.push('\n');
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

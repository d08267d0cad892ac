//! The dry-run report in crucible's own words.

use std::fmt::Write as _;

use super::redo_of;
use crate::model::{Foreign, Intent, PointId, Status, WorkItem};
use crate::systems::crucible::facts::{Run, reading};
use crate::systems::crucible::shape::Reread;
use crate::systems::crucible::shape::manifest::template;
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
    let started = run
        .started_at
        .map_or_else(|| "unknown".to_owned(), |at| at.at.to_rfc3339());
    // A resume moves the place of the next work, not that of the crash.
    let own = run.resumed.as_ref().filter(|own| !own.newer.any);
    let where_ = own.and_then(|own| own.stopped.clone());
    let where_ = where_.unwrap_or_else(|| reading::stopped_where(run, Status::Interrupted));
    let where_ = where_.lossy();
    let crashed = where_
        .strip_prefix("phase ")
        .map_or_else(|| where_.to_string(), |rest| format!("Phase {rest}"));
    let current = run
        .work
        .current()
        .map_or("4", |facts| facts.name.base.as_str());
    let phase = stop
        .as_ref()
        .map_or(if point.0 == "fresh" { "1" } else { current }, |stop| {
            stop.phase
        });
    let reason = stop.as_ref().map_or_else(
        || {
            if point.0 == "fresh" {
                "start fresh"
            } else {
                "current disk state"
            }
            .to_owned()
        },
        |stop| {
            stop.saved
                .as_ref()
                .map_or_else(|| stop.reasons.join(" or "), |saved| saved.reason.clone())
        },
    );
    let seconds: u64 = intent.kept.iter().filter_map(|item| item.duration_s).sum();
    let mut out = String::from("# Replay Plan (dry-run)\n\n");
    let _ = writeln!(out, "**Source:** {}", manifest.path().display());
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
        span(seconds),
        through(phase)
    );
    let mut lines = manifest.reread(world.files());
    out.push_str("\n## Dispatches to skip (verified complete)\n\n| Seq | Role | Phase | Summary |\n|-----|------|-------|---------|\n");
    for item in &intent.kept {
        row(
            run,
            item,
            &mut lines,
            &mut out,
            &["role", "phase", "summary"],
        );
    }
    out.push_str("\n## Dispatches to re-execute\n\n| Seq | Role | Phase | Original Status | Template |\n|-----|------|-------|-----------------|----------|\n");
    for item in &intent.redone {
        row(
            run,
            item,
            &mut lines,
            &mut out,
            &["role", "phase", "status", "template"],
        );
    }
    let mut mutations: Vec<&str> = manifest
        .entries
        .iter()
        .filter_map(|e| manifest.word(manifest.mutation(e)))
        .collect();
    mutations.sort_unstable();
    mutations.dedup();
    if !mutations.is_empty() {
        out.push_str("\n## Template Mutations\n\n");
        for mutation in mutations {
            let _ = writeln!(out, "- {mutation}");
        }
    }
    Some(out.into())
}

fn through(phase: &str) -> String {
    match phase.parse::<u64>() {
        Ok(2) => " (phase 1)".to_owned(),
        Ok(number) if number > 2 => format!(" (phases 1 through {})", number - 1),
        Ok(_) | Err(_) => String::new(),
    }
}

fn row(run: &Run, item: &WorkItem, lines: &mut Reread<'_>, out: &mut String, columns: &[&str]) {
    let entry = item
        .id
        .as_str()
        .and_then(|id| run.manifest.as_deref()?.entry(id.parse().ok()?));
    let line = entry
        .and_then(|entry| lines.members(entry))
        .unwrap_or_default();
    let _ = write!(out, "| {} |", item.id.lossy());
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

//! The sandbox: every point of every pipeline in it, and how the pipeline reads afterwards.

use std::collections::BTreeMap;

use chrono::DateTime;
use relight::model::{PlanOptions, PointChoice, ResumePoint};

use super::part::{SOME, all_is_tried, tried};
use super::round::{Depth, Seen, options, round};
use super::site::Site;
use super::support::Trouble;

/// What is applied, and then the status with the point that is recommended next. A conference's log says more than
/// its last line, so there the recommended point may be the same as before.
const AFTERWARDS: &[(&str, &str)] = &[
    // The sandbox's clock is behind the file that was just written, and a time ahead of it says nothing.
    ("57 fresh", "interrupted step-verify"),
    ("57 step-execute", "interrupted step-execute"),
    ("57 step-plan", "interrupted step-plan"),
    ("57 step-triage", "interrupted step-triage"),
    ("58 fresh", "interrupted step-plan"),
    ("58 step-execute", "interrupted step-plan"),
    ("58 step-triage", "interrupted step-triage"),
    ("61 override", "interrupted step-plan"),
    ("catalyst-scan stage-1:rerun", "waiting stage-1:rerun"),
    ("catalyst-scan stage-2:skip", "waiting completion"),
    ("csv-export phase-0-commit", "interrupted phase-1-step-3"),
    ("polymer-ring stage-1:rerun", "interrupted stage-1:rerun"),
    ("polymer-ring stage-2:skip", "interrupted stage-3:rerun"),
    ("polymer-ring stage-3:skip", "interrupted stage-2:retry"),
    ("price-alerts from-backup", "interrupted phase-2-step-4"),
    ("price-alerts phase-0-commit", "interrupted phase-1-step-1"),
    ("price-alerts phase-1-commit", "interrupted phase-2-step-1"),
    ("price-alerts phase-1-step-1", "interrupted phase-1-step-1"),
    ("price-alerts phase-1-step-2", "interrupted phase-1-step-2"),
    (
        "price-alerts phase-1-step-2.5",
        "interrupted phase-1-step-2.5",
    ),
    ("price-alerts phase-1-step-3", "interrupted phase-1-step-3"),
    ("price-alerts phase-1-step-4", "interrupted phase-1-step-4"),
    ("price-alerts phase-1-step-5", "interrupted phase-1-step-5"),
    ("price-alerts phase-1-step-6", "interrupted phase-1-step-6"),
    ("price-alerts phase-1-step-7", "interrupted phase-1-step-7"),
    ("price-alerts phase-1-step-8", "interrupted phase-1-step-8"),
    ("price-alerts phase-1-step-9", "interrupted phase-1-step-9"),
    ("price-alerts phase-2-step-4", "interrupted phase-2-step-4"),
    ("price-alerts skip-phase", "interrupted phase-3-step-3"),
    ("tokenizer-speed fresh", "waiting round-1-phase-1"),
    ("tokenizer-speed round-2-keep", "interrupted round-2-keep"),
    ("tokenizer-speed round-2-mid", "interrupted round-2-mid"),
    (
        "tokenizer-speed round-2-phase-1",
        "interrupted round-2-phase-1",
    ),
    (
        "tokenizer-speed round-2-phase-2",
        "interrupted round-2-phase-2",
    ),
    ("tokenizer-speed synthesis", "interrupted synthesis"),
    ("two-factor phase-1-step-1", "interrupted phase-1-step-1"),
    ("two-factor phase-1-step-2", "interrupted phase-1-step-2"),
    ("two-factor phase-1-step-3", "interrupted phase-1-step-3"),
];

/// What is found: how much was done, and how each pipeline reads after each point.
type Found = (Seen, BTreeMap<String, String>);

/// One of `every` wanted points (by system and `pipeline point`) of each pipeline in the sandbox. The first that writes
/// anything is redone, too.
fn sandbox(
    every: usize,
    options: &PlanOptions,
    wanted: &dyn Fn(&str, &str) -> bool,
) -> Result<Found, Trouble> {
    let dir = crate::support::temporary::directory();
    let root = std::fs::canonicalize(dir.path())?.join("sandbox");
    let now = DateTime::parse_from_rfc3339("2026-11-21T06:45:00+00:00")?;
    relight::demo::build(&root, now.to_utc())?;
    let site = Site::of_sandbox(&root, now);
    let engine = site.engine()?;
    let survey = engine.survey(&site.request, &|_| {})?;
    let mut seen = Seen::default();
    let mut found = BTreeMap::new();
    for (nth, pipeline) in survey.pipelines.iter().enumerate() {
        let named = |point: ResumePoint| {
            let id = point.boundary.id;
            let name = format!("{} {id}", pipeline.reading.native.lossy());
            wanted(pipeline.reading.system.0, &name).then_some((id, name))
        };
        let points = engine.dossier(&pipeline.id)?.points;
        let points = points.into_iter().filter_map(named).collect();
        let mut depth = Depth::Redo;
        for (id, name) in tried(points, nth, every) {
            let choice = PointChoice::Id(id);
            let done = round(&site, pipeline, &choice, options, depth, None);
            let (what, after) = done.map_err(|why| Trouble(format!("{name}: {}", why.0)))?;
            if what.acted > 0 {
                depth = Depth::Undo;
            }
            seen.add(what);
            if let Some(after) = after {
                let next = after.recommended.unwrap_or_default();
                found.insert(name, format!("{} {next}", after.status.word()));
            }
        }
    }
    Ok((seen, found))
}

#[test]
fn every_point_of_the_sandbox_reads_as_its_format_says_afterwards() -> Result<(), Trouble> {
    let (seen, found) = sandbox(SOME, &options(), &|system, _| system != "crucible")?;
    let wanted: BTreeMap<&str, &str> = AFTERWARDS.iter().copied().collect();
    let other =
        |(point, after): &(&String, &String)| wanted.get(point.as_str()) != Some(&after.as_str());
    let others: Vec<_> = found.iter().filter(other).collect();
    assert!(others.is_empty(), "{others:#?}");
    let part = if all_is_tried() { 1 } else { 6 };
    assert!(found.len() >= wanted.len() / part, "{found:?}");
    assert_eq!((seen.acted, seen.refused), (found.len(), 0), "{seen:?}");
    Ok(())
}

#[test]
fn every_point_of_crucible_in_the_sandbox_is_as_shown_undone_and_redone() -> Result<(), Trouble> {
    let (seen, _) = sandbox(1, &options(), &|system, _| system == "crucible")?;
    assert!(seen.acted >= 2, "{seen:?}");
    Ok(())
}

#[test]
fn an_issue_goes_back_with_its_worktree_when_asked() -> Result<(), Trouble> {
    let rewind = PlanOptions {
        rewind_branch: true,
        ..options()
    };
    let (seen, found) = sandbox(1, &rewind, &|_, name| name.starts_with("57 step-"))?;
    // At step-execute the reset would remove the plan that it keeps, which was committed only after it was executed.
    assert!(seen.refused >= 1, "{seen:?}");
    let wanted = [
        ("57 step-plan", "interrupted step-plan"),
        ("57 step-triage", "interrupted step-triage"),
    ];
    let wanted = wanted.map(|(point, after)| (point.to_owned(), after.to_owned()));
    assert_eq!(found, BTreeMap::from(wanted), "{seen:?}");
    Ok(())
}

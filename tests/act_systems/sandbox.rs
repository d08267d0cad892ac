//! The sandbox: every point of every pipeline in it, and how the pipeline reads afterwards.

use std::collections::BTreeMap;

use chrono::DateTime;

use super::round::{Seen, options, round};
use super::site::Site;
use super::support::Trouble;
use relight::model::PointChoice;

#[test]
fn every_point_of_the_sandbox_reads_as_its_format_says_afterwards() -> Result<(), Trouble> {
    let dir = tempfile::tempdir()?;
    let root = std::fs::canonicalize(dir.path())?.join("sandbox");
    let now = DateTime::parse_from_rfc3339("2026-11-21T06:45:00+00:00")?;
    relight::demo::build(&root, now.to_utc())?;
    let site = Site::of_sandbox(&root, now);
    let engine = site.engine()?;
    let survey = engine.survey(&site.request, &|_| {})?;
    let mut seen = Seen::default();
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for pipeline in &survey.pipelines {
        if pipeline.system.0 == "crucible" {
            continue;
        }
        for point in engine.dossier(&pipeline.id)?.points {
            let id = point.boundary.id;
            let name = format!("{} {id}", pipeline.native.lossy());
            let done = round(&site, pipeline, &PointChoice::Id(id), &options());
            let (what, after) = done.map_err(|why| Trouble(format!("{name}: {}", why.0)))?;
            seen.add(what);
            if let Some(after) = after {
                let next = after.recommended.unwrap_or_default();
                found.insert(name, format!("{} {next}", after.status.word()));
            }
        }
    }
    println!("{seen:?} {found:#?}");
    Ok(())
}

//! Records that were interrupted. They are named wherever their pipeline is, until the next record, a recovery or
//! `recover` ends them.

use std::path::PathBuf;
use std::sync::Arc;

use super::ledger::object;
use crate::apply::disk::RealDisk;
use crate::apply::history::Unreadable;
use crate::apply::home::{Home, own};
use crate::apply::recording;
use crate::apply::session::Session;
use crate::engine::write_place::unreadable_state;
use crate::engine::{Engine, Opened, Request, Result};
use crate::foreign;
use crate::formats::json;
use crate::model::{Cancel, Check, Finding, Foreign, Origin, Pipeline, Verdict, lock};
use crate::world::World;

/// The word of its finding.
const CODE: &str = "interrupted-record";

/// What ends it.
const REMEDY: &str = "To finish or undo it, run relight recover in its project.";

/// Those that were interrupted, and what cannot be read where they would be.
#[derive(Default)]
pub(in crate::engine) struct InterruptedRecords {
    found: Vec<InterruptedRecord>,
    unreadable: Vec<Unreadable>,
}

/// One that was interrupted.
struct InterruptedRecord {
    /// The name of the folder that keeps it.
    project: String,
    /// The pipeline's file.
    file: PathBuf,
    /// The root of its project.
    root: PathBuf,
}

impl Engine {
    /// All of them, read once for all pipelines of a survey.
    fn all_interrupted(&self) -> Arc<InterruptedRecords> {
        let read = || {
            let state = self.state_dir().ok()?;
            let read = recording::interrupted(&RealDisk::new(), &state);
            let (found, unreadable) = read.ok()?;
            let one = |(project, line): (String, Vec<u8>)| {
                let line = object(&line)?;
                Some(InterruptedRecord {
                    project,
                    file: json::text(&line, "file")?.into(),
                    root: json::text(&line, "root")?.into(),
                })
            };
            let found = found.into_iter().filter_map(one).collect();
            Some(InterruptedRecords { found, unreadable })
        };
        let mut known = lock(&self.cut);
        Arc::clone(known.get_or_insert_with(|| Arc::new(read().unwrap_or_default())))
    }

    /// What of the records of all projects cannot be read, so that one that was interrupted may be missing.
    pub(in crate::engine) fn unread_records(&self) -> Vec<Unreadable> {
        self.all_interrupted().unreadable.clone()
    }

    /// The pipelines' files of interrupted records in the request's scope.
    pub fn interrupted_records(&self, request: &Request) -> Result<Vec<PathBuf>> {
        let scope = self.in_scope(request)?;
        let all = self.all_interrupted();
        let here = all.found.iter().filter(|one| {
            let is_its = |found: &Pipeline| found.reading.state_files.contains(&one.file);
            scope.area.holds_path(&one.file) || scope.holds(&one.root, &is_its)
        });
        Ok(here.map(|one| one.file.clone()).collect())
    }

    /// Finishes or undoes the interrupted records in the request's scope. Gives a sentence for each.
    pub fn end_records(&self, request: &Request, cancel: &Cancel) -> Result<Vec<Foreign>> {
        self.forget_own_recoveries();
        let here = self.interrupted_records(request)?;
        let (all, disk) = (self.all_interrupted(), RealDisk::new());
        let mut said = Vec::new();
        for one in all.found.iter().filter(|one| here.contains(&one.file)) {
            let place = self.write_place(one.root.clone())?;
            let home = Home::open(&disk, &place.state, &one.project);
            let home =
                home.map_err(|why| unreadable_state(&own(&place.state).join(&one.project), &why))?;
            let Some(home) = home else { continue };
            let context = place.context(self, &disk, cancel);
            let session = Session::lock_home(&context, home);
            let session = session.map_err(|error| error.after(&said))?;
            said.extend(session.ended_record().map(|finished| {
                if finished {
                    foreign!("The interrupted record of {} is finished.", &one.file)
                } else {
                    foreign!("The interrupted record of {} is undone.", &one.file)
                }
            }));
        }
        self.forget_own_recoveries();
        Ok(said)
    }

    /// Adds the finding for an interrupted record of a pipeline.
    pub(in crate::engine) fn find_interrupted(&self, pipeline: &mut Pipeline) {
        let reading = &mut pipeline.reading;
        let all = self.all_interrupted();
        let own = all
            .found
            .iter()
            .filter(|one| reading.state_files.contains(&one.file));
        let found = own.map(|one| {
            let text = "A record was interrupted, so the files may have a part of it only.";
            Finding::warn(CODE, Origin::file(&one.file), format!("{text} {REMEDY}"))
        });
        reading.findings.extend(found.collect::<Vec<_>>());
    }
}

impl Opened {
    /// The checks of its system, then that of an interrupted record.
    pub(in crate::engine) fn verify(&self, world: &dyn World) -> Vec<Check> {
        let mut checks = self.case.verify(world);
        let findings = self.pipeline.reading.findings.iter();
        checks.extend(findings.filter(|found| found.code == CODE).map(|_| {
            let text = "It was interrupted, so the files may have a part of it only.";
            Check::new("R1", "record", Verdict::Warn, text).remedy(REMEDY)
        }));
        checks
    }
}

//! relight's own recoveries as facts about their pipelines: the resumes that still hold, whether files changed since a
//! time, and when the pipeline itself last wrote. Reads only.

use std::collections::HashSet;
use std::io;
use std::path::Path;

use chrono::{DateTime, FixedOffset, Utc};
use serde::Deserialize;

use super::bytes::Bytes;
use super::disk::Disk;
use super::folder::Mark;
use super::history::visit;
use super::record::FilesOf;
use crate::model::{OwnResume, OwnWrites, PipelineId, Stamp, UndoneWork};

/// What is needed of a record. Journals and backups, which may be large, are not read.
#[derive(Deserialize)]
struct Brief {
    pipeline: PipelineId,
    root: Bytes,
    label: Bytes,
    started_at: String,
    undoes: Option<String>,
    #[serde(default)]
    files_of: Option<FilesOf>,
    #[serde(default)]
    left_out: Vec<Bytes>,
    #[serde(default)]
    number: u64,
    #[serde(default)]
    last_work: Option<Stamp>,
}

/// One that was applied.
struct Applied {
    brief: Brief,
    id: String,
    ended: Option<DateTime<Utc>>,
}

/// Every recovery that was applied, of all projects, the latest first.
#[derive(Default)]
pub struct OwnRecoveries(Vec<Applied>);

impl OwnRecoveries {
    /// Reads them. What cannot be read is left out: it proves nothing.
    pub fn read<D: Disk>(disk: &D, state: &Path) -> io::Result<Self> {
        let mut all: Vec<Applied> = Vec::new();
        visit(disk, state, |_, folder| {
            if folder.has(disk, Mark::Done).unwrap_or(false) {
                let record = folder.record(disk).unwrap_or_default();
                let brief = serde_json::from_slice(&record).ok();
                let ended = folder.ended_ns(disk).unwrap_or(None);
                all.extend(brief.map(|brief| Applied {
                    brief,
                    id: folder.name.clone(),
                    ended: ended.map(DateTime::from_timestamp_nanos),
                }));
            }
        })?;
        all.sort_by(|a, b| (b.brief.number, &b.id).cmp(&(a.brief.number, &a.id)));
        Ok(Self(all))
    }

    /// Whether there is none, so that nothing needs to be asked of them.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The resumes of pipelines that are not undone.
    pub fn standing(&self, is_own: &dyn Fn(&PipelineId) -> bool) -> Vec<OwnResume> {
        let resumes = not_undone(self.of(is_own)).into_iter();
        let resumes = resumes.filter(|one| one.brief.undoes.is_none());
        let resume = |one: &Applied| {
            let files_of = one.brief.files_of.clone();
            let left_out = one.brief.left_out.iter();
            Some(OwnResume {
                at: one.began()?,
                pipeline: one.brief.pipeline.clone(),
                root: one.brief.root.path(),
                point: String::from_utf8(one.brief.label.0.clone()).ok()?,
                files_of: files_of.map(FilesOf::restored),
                left_out: left_out.map(|path| path.0.clone().into()).collect(),
            })
        };
        resumes.filter_map(resume).collect()
    }

    /// The work that undos and redos which hold discarded.
    pub fn undone(&self, is_own: &dyn Fn(&PipelineId) -> bool) -> Vec<UndoneWork> {
        let all: Vec<&Applied> = self.of(is_own).collect();
        let undone = undone(&all);
        let by_id = |id: &str| all.iter().find(|one| one.id == id).copied();
        let work = |undo: &&Applied| {
            let of = by_id(undo.brief.undoes.as_deref()?)?;
            // An undo of an undo changes the files of what was undone first.
            let mut first = of;
            while let Some(earlier) = first.brief.undoes.as_deref().and_then(by_id) {
                first = Some(earlier).filter(|one| one.brief.number < first.brief.number)?;
            }
            let files = first.brief.files_of.clone().map(FilesOf::restored);
            // What some files were restored for cannot be told.
            let whole = files.is_none_or(|files| files.whole);
            let work = UndoneWork {
                root: of.brief.root.path(),
                from: of.began()?,
                until: undo.began()?,
            };
            whole.then_some(work)
        };
        let stand = all.iter().filter(|one| !undone.contains(one.id.as_str()));
        stand.filter_map(work).collect()
    }

    /// Whether relight changed files of a pipeline after a time, and has not undone that since. An undo of an older
    /// recovery is such a change too.
    pub fn changed_since(
        &self,
        is_own: &dyn Fn(&PipelineId) -> bool,
        since: DateTime<Utc>,
    ) -> bool {
        let newer = self.of(is_own);
        let newer = newer.filter(|one| one.began().is_some_and(|at| at > since));
        !not_undone(newer).is_empty()
    }

    /// relight's own writes to a pipeline, if nobody else wrote to it after them: its files were last written at
    /// `written`. Before each of them relight or a person made sure that no process worked on the pipeline.
    pub fn last_writes(
        &self,
        is_own: &dyn Fn(&PipelineId) -> bool,
        written: DateTime<Utc>,
    ) -> Option<OwnWrites> {
        let latest = self.of(is_own).next()?;
        let last_work = latest.brief.last_work?;
        latest.ended.filter(|ended| *ended >= written)?;
        // Those before it that no work of the pipeline lies between.
        let since = self.of(is_own);
        let since = since.take_while(|one| one.brief.last_work == Some(last_work));
        Some(OwnWrites {
            since: since.filter_map(Applied::began).min()?.to_utc(),
            last_work,
        })
    }

    fn of<'a>(
        &'a self,
        is_own: &'a dyn Fn(&PipelineId) -> bool,
    ) -> impl Iterator<Item = &'a Applied> {
        let all = self.0.iter();
        all.filter(move |one| is_own(&one.brief.pipeline))
    }
}

impl Applied {
    fn began(&self) -> Option<DateTime<FixedOffset>> {
        DateTime::parse_from_rfc3339(&self.brief.started_at).ok()
    }
}

/// Those of them that no other one undoes, and that undo no other one of them.
fn not_undone<'a>(applied: impl Iterator<Item = &'a Applied>) -> Vec<&'a Applied> {
    let mut applied: Vec<&Applied> = applied.collect();
    let ids: HashSet<&str> = applied.iter().map(|one| one.id.as_str()).collect();
    let undone = undone(&applied);
    let undoes_one = |one: &Applied| {
        let of = one.brief.undoes.as_deref();
        of.is_some_and(|id| ids.contains(id))
    };
    applied.retain(|one| !undone.contains(one.id.as_str()) && !undoes_one(one));
    applied
}

/// The ids of those that one of them undoes which holds. They are sorted, the latest first.
fn undone<'a>(applied: &[&'a Applied]) -> HashSet<&'a str> {
    let mut undone: HashSet<&str> = HashSet::new();
    for one in applied {
        if !undone.contains(one.id.as_str()) {
            undone.extend(one.brief.undoes.as_deref());
        }
    }
    undone
}

//! The resumes of relight's own that still hold, its restores of a checkpoint's files, and whether it changed anything
//! since a time. Reads only.

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
use crate::model::{OwnResume, PipelineId};

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
    number: u64,
}

/// The resumes that were applied and are not undone, of all projects, the latest first. What cannot be read is left
/// out: it proves nothing.
pub fn standing<D: Disk>(disk: &D, state: &Path) -> io::Result<Vec<OwnResume>> {
    let mut all = Vec::new();
    for brief in not_undone(done(disk, state)?) {
        let at = began(&brief).filter(|_| brief.undoes.is_none());
        let (Some(at), Ok(point)) = (at, String::from_utf8(brief.label.0)) else {
            continue;
        };
        all.push(OwnResume {
            pipeline: brief.pipeline,
            root: brief.root.path(),
            point,
            files_of: brief.files_of.map(FilesOf::restored),
            at,
        });
    }
    Ok(all)
}

/// Whether relight changed files of a pipeline after a time, and has not undone that since. An undo of an older
/// recovery is such a change too.
pub fn changed_since<D: Disk>(
    disk: &D,
    state: &Path,
    is_own: &dyn Fn(&PipelineId) -> bool,
    since: DateTime<Utc>,
) -> io::Result<bool> {
    let mut newer = done(disk, state)?;
    newer.retain(|(brief, _)| is_own(&brief.pipeline) && began(brief).is_some_and(|at| at > since));
    Ok(!not_undone(newer).is_empty())
}

/// What was applied, the latest first.
fn done<D: Disk>(disk: &D, state: &Path) -> io::Result<Vec<(Brief, String)>> {
    let mut done: Vec<(Brief, String)> = Vec::new();
    visit(disk, state, |_, folder| {
        if folder.has(disk, Mark::Done).unwrap_or(false) {
            let record = folder.record(disk).unwrap_or_default();
            let brief = serde_json::from_slice(&record).ok();
            done.extend(brief.map(|brief| (brief, folder.name.clone())));
        }
    })?;
    done.sort_by(|(a, a_id), (b, b_id)| (b.number, b_id).cmp(&(a.number, a_id)));
    Ok(done)
}

/// Those of them that no other one undoes, and that undo no other one of them.
fn not_undone(done: Vec<(Brief, String)>) -> Vec<Brief> {
    let ids: HashSet<String> = done.iter().map(|(_, id)| id.clone()).collect();
    let mut undone = HashSet::new();
    let mut left = Vec::new();
    for (brief, id) in done {
        if undone.contains(&id) {
            continue;
        }
        match &brief.undoes {
            Some(other) if ids.contains(other) => {
                undone.insert(other.clone());
            }
            Some(_) | None => left.push(brief),
        }
    }
    left
}

fn began(brief: &Brief) -> Option<DateTime<FixedOffset>> {
    DateTime::parse_from_rfc3339(&brief.started_at).ok()
}

//! The resumes of relight's own that still hold, and its restores of a checkpoint's files. Reads only.

use std::collections::HashSet;
use std::io;
use std::path::Path;

use chrono::DateTime;
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
    pipeline: String,
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
    let mut done: Vec<(Brief, String)> = Vec::new();
    visit(disk, state, |_, folder| {
        if folder.has(disk, Mark::Done).unwrap_or(false) {
            let record = folder.record(disk).unwrap_or_default();
            let brief = serde_json::from_slice(&record).ok();
            done.extend(brief.map(|brief| (brief, folder.name.clone())));
        }
    })?;
    done.sort_by(|(a, a_id), (b, b_id)| (b.number, b_id).cmp(&(a.number, a_id)));
    let mut undone = HashSet::new();
    let mut all = Vec::new();
    for (brief, id) in done {
        if undone.contains(&id) {
            continue;
        }
        if let Some(other) = brief.undoes {
            undone.insert(other);
            continue;
        }
        let (Ok(at), Ok(point)) = (
            DateTime::parse_from_rfc3339(&brief.started_at),
            String::from_utf8(brief.label.0),
        ) else {
            continue;
        };
        all.push(OwnResume {
            pipeline: PipelineId(brief.pipeline),
            root: brief.root.path(),
            point,
            files_of: brief.files_of.map(FilesOf::restored),
            at,
        });
    }
    Ok(all)
}

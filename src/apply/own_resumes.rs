//! The resumes of relight's own that still hold. Reads only.

use std::collections::HashSet;
use std::io;
use std::path::Path;

use chrono::DateTime;
use serde::Deserialize;

use super::bytes::Bytes;
use super::disk::Disk;
use super::folder::{Folder, Mark};
use super::history::is_id;
use super::home::{Home, projects};
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
    number: u64,
}

/// The resumes that were applied and are not undone, of all projects, the latest first. What cannot be read is left
/// out: it proves nothing.
pub fn standing<D: Disk>(disk: &D, state: &Path) -> io::Result<Vec<OwnResume>> {
    let mut done: Vec<(Brief, String)> = Vec::new();
    for project in projects(disk, state)? {
        let Ok(Some(home)) = Home::open(disk, state, &project) else {
            continue;
        };
        let brief = |name: &str| {
            let folder = Folder::open(disk, &home.dir, name).ok()?;
            let is_done = folder.has(disk, Mark::Done).unwrap_or(false);
            let record = is_done.then(|| folder.record(disk).ok()).flatten()?;
            serde_json::from_slice(&record).ok()
        };
        for name in disk.list(&home.dir).unwrap_or_default() {
            if let Some(name) = name.to_str().filter(|name| is_id(name)) {
                done.extend(brief(name).map(|brief| (brief, name.to_owned())));
            }
        }
    }
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
            at,
        });
    }
    Ok(all)
}

//! The report of a comparison, and its record, kept beside the manifest of the replay.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::super::{Engine, EngineError, Result};
use crate::apply::disk::{Disk as _, RealDisk};
use crate::foreign;
use crate::model::{Comparison, ReplaySession, Run};
use crate::replay::report::{self, RECORD, lines};
use crate::world::files::SMALL_CAP;

impl Engine {
    /// The report as Markdown, in crucible's own form.
    pub fn markdown(&self, comparison: &Comparison) -> String {
        report::markdown(comparison)
    }

    /// The record's lines, one for each run of B, each without its newline.
    pub fn record_lines(&self, comparison: &Comparison) -> Vec<String> {
        lines(comparison)
    }

    /// Appends the record of a comparison beside the manifest of each session of B that has a folder of its own,
    /// and answers with the files. A line that is there already is not written again.
    pub fn keep_report(&self, comparison: &Comparison) -> Result<Vec<PathBuf>> {
        let sessions = self.replays(&comparison.pipeline)?;
        let folder = |run: &Run| {
            let id = run.session.as_ref()?;
            let mine = |one: &&ReplaySession| one.id == *id && one.folder.is_some();
            sessions.iter().find(mine)?.folder.clone()
        };
        let mut written = Vec::new();
        for (run, line) in comparison.b.runs.iter().zip(lines(comparison)) {
            let Some(folder) = folder(run) else {
                continue;
            };
            let path = folder.join(RECORD);
            append(&folder, &line).map_err(|error| {
                EngineError::unreadable(foreign!("{} was not written: {error}.", &path))
            })?;
            written.push(path);
        }
        Ok(written)
    }
}

/// Appends a line that is not there yet; a truncated last line stays a line of its own.
fn append(folder: &Path, line: &str) -> std::io::Result<()> {
    let disk = RealDisk::new();
    let dir = disk.root(folder)?;
    let name = OsStr::new(RECORD);
    let there = match disk.look(&dir, name)? {
        Some(_) => disk.read(&dir, name, SMALL_CAP)?,
        None => Vec::new(),
    };
    let mut lines = there.split(|byte| *byte == b'\n');
    if lines.any(|one| one == line.as_bytes()) {
        return Ok(());
    }
    let torn = !there.is_empty() && !there.ends_with(b"\n");
    let heal: &[u8] = if torn { b"\n" } else { b"" };
    disk.append(&dir, name, &[heal, line.as_bytes(), b"\n"].concat())
}

//! Files of a pipeline that are there and cannot be read: what they would have said is not known, whatever follows from
//! the others.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::foreign;
use crate::model::{Badge, Boundary, Finding, Foreign, Origin, Pipeline, Severity};
use crate::text::format::count;
use crate::world::files::ReadError;

/// Adds a finding for each file that none names yet, and takes back what was counted without them. Returns them all. A
/// file elsewhere belongs to another pipeline, which names it.
pub(super) fn say(
    pipeline: &mut Pipeline,
    mut unread: BTreeMap<PathBuf, ReadError>,
) -> Vec<PathBuf> {
    let reading = &mut pipeline.reading;
    let folders = reading.state_files.iter().filter_map(|file| file.parent());
    let tree = reading.work_tree.iter().map(PathBuf::as_path);
    let own: Vec<&Path> = folders
        .chain(tree)
        .chain([reading.root.as_path()])
        .collect();
    let warned = || {
        let findings = reading.findings.iter();
        let findings = findings.filter(|one| one.severity > Severity::Info);
        findings.map(|one| one.origin.file.as_path())
    };
    let is_named = |path: &Path| warned().any(|file| file == path);
    unread.retain(|path, _| {
        // A closed directory above them hides all that is in them.
        let mut own = own.iter().filter(|folder| !folder.as_os_str().is_empty());
        own.any(|folder| path.starts_with(folder) || folder.starts_with(path))
            || warned().any(|file| file.starts_with(path))
    });
    let unnamed = unread.iter().filter(|(path, _)| !is_named(path));
    let found = unnamed.map(|(path, why)| {
        let text = format!("It cannot be read, so what it holds is unknown: {why}.");
        Finding::warn("unreadable-file", Origin::file(path), text)
    });
    let found: Vec<Finding> = found.collect();
    if !found.is_empty() && !reading.badges.contains(&Badge::Damaged) {
        reading.badges.push(Badge::Damaged);
        reading.badges.sort();
    }
    reading.findings.extend(found);
    if !unread.is_empty() {
        reading.progress = reading.progress.without_some_files();
        for phase in &mut reading.phases {
            let known = phase.progress().without_some_files();
            (phase.done, phase.at_least) = (known.done, known.at_least);
        }
    }
    unread.into_keys().collect()
}

/// The same for the work of resume points, each of which says why.
pub(super) fn uncount(boundaries: &mut [Boundary], unread: &[PathBuf]) {
    let Some((first, others)) = unread.split_first() else {
        return;
    };
    let what = match others {
        [] => Foreign::from(first.as_path()),
        others => foreign!("{} and {}", first, count(others.len(), "other file")),
    };
    for boundary in boundaries {
        // What is on record is kept at least. What seems to run again may be done.
        boundary.kept = boundary.kept.filter(|kept| *kept > 0);
        boundary.redone = None;
        let text = "cannot be read, so not all work that is kept or runs again is known.";
        boundary.warnings.push(foreign!("{} {}", &what, text));
    }
}

//! Which of the newest writes to a pipeline's files are relight's own. Reads only.

use std::io;
use std::path::{Path, PathBuf};

use super::crash::State;
use super::disk::{Disk, Node};
use super::exchange::{Opened, path_of};
use super::history;
use super::journal::Journal;
use crate::model::{PipelineId, RecoveryId};

/// The latest recovery, undo or redo of a pipeline that ended at a time (in nanoseconds since the epoch) or later, if
/// those of these files that it wrote are as it left them. Before it ended, relight or a person made sure that no
/// process works on the pipeline, so what was written until then is no sign of one.
pub fn latest<D: Disk>(
    past: &history::Reader<'_, D>,
    since_ns: i64,
    is_own: &dyn Fn(&PipelineId) -> bool,
    files: &[PathBuf],
) -> io::Result<Option<RecoveryId>> {
    let (disk, mut late) = (past.disk, Vec::new());
    history::visit(disk, past.state, |home, folder| {
        let ended = folder.ended_ns(disk).unwrap_or(None);
        if let Some(ended) = ended.filter(|ended| *ended >= since_ns) {
            late.push((ended, home.clone(), folder.name.clone()));
        }
    })?;
    // Records and journals are read only until the latest of the pipeline is found.
    late.sort_by_key(|(ended, ..)| std::cmp::Reverse(*ended));
    let latest = late.into_iter().find_map(|(_, home, name)| {
        let entry = past.entry(&home, &name).ok().flatten()?;
        let own = entry.state == State::Done && is_own(&entry.recovery.pipeline);
        own.then_some(entry)
    });
    let as_left = latest.filter(|entry| {
        let journal = entry.good_journal();
        journal.is_some_and(|journal| is_as_left(disk, journal, files))
    });
    Ok(as_left.map(|entry| entry.recovery.id))
}

/// Whether those of the files that a journal wrote are as it left them.
fn is_as_left<D: Disk>(disk: &D, journal: &Journal, files: &[PathBuf]) -> bool {
    let journal = journal.clone().present(disk);
    let opened = Opened::open_some(disk, &journal.bases);
    let path = |base: usize, rel: &Path| path_of(&journal.bases, base, rel);
    let now = |base: usize, rel: &Path| -> io::Result<Option<Node>> {
        let (Some(parent), Some(name)) = (rel.parent(), rel.file_name()) else {
            return Ok(None);
        };
        opened.look(base, parent, name)
    };
    let exchanged = journal.exchanges.iter().all(|one| {
        let rel = one.here.rel();
        let left = one.there_had.map(|known| known.node);
        !files.contains(&path(one.here.base, &rel))
            || now(one.here.base, &rel).is_ok_and(|now| now == left)
    });
    exchanged
        && journal.appends.iter().all(|append| {
            let rel = super::appends::shown(append);
            let grown = append.before + append.block.0.len() as u64;
            // A line that had no end was ended first.
            let sizes = [grown, grown + 1];
            !files.contains(&path(append.base, &rel))
                || now(append.base, &rel)
                    .is_ok_and(|now| now.is_some_and(|now| sizes.contains(&now.size)))
        })
}

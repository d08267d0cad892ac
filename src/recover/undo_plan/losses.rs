//! What an undo does not restore, and what it overwrites.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::Facts;
use crate::model::{Foreign, Loss};
use crate::text::format;

/// How many files a sentence names.
const NAMED: usize = 8;

/// Lines that a recovery appended to a log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Appended {
    /// The log.
    pub log: PathBuf,
    /// The lines, in order.
    pub lines: Vec<Foreign>,
}

/// What an undo does not restore, and what it overwrites.
pub fn losses(facts: &Facts) -> Vec<Loss> {
    let mut losses = Vec::new();
    if !facts.drifted.is_empty() {
        let mut names: Vec<_> = facts.drifted.iter().map(|p| p.to_string_lossy()).collect();
        names.sort();
        let shown = format::list_first(names, NAMED);
        let text =
            format!("Changed after the recovery and overwritten; redo restores them: {shown}.");
        losses.push(Loss::overwritten(text));
    }
    for (here, to) in &facts.moved {
        losses.push(Loss::not_restored(format!(
            "{} changed after the recovery; the undo moves it to {}.",
            here.to_string_lossy(),
            to.to_string_lossy()
        )));
    }
    for dir in facts
        .staying
        .iter()
        .filter(|dir| is_top(dir, &facts.staying))
    {
        let logs = facts.appended.iter();
        let why = match logs.map(|one| &one.log).find(|log| log.starts_with(dir)) {
            Some(log) => format!("the log {} is in it", log.to_string_lossy()),
            None => "it contains newer files".to_owned(),
        };
        let text = format!("{} is kept: {why}.", dir.to_string_lossy());
        losses.push(Loss::not_restored(text));
    }
    for one in &facts.appended {
        losses.push(Loss::not_restored(one.stays()));
        losses.extend(one.dangling(facts).map(Loss::not_restored));
    }
    losses
}

/// An undo does not fail because its line cannot be written to a log; the line is left out.
pub fn unlogged(log: &Path) -> Foreign {
    format!(
        "{} has another name (a hard link), so the undo is not logged in it.",
        log.to_string_lossy()
    )
    .into()
}

/// True for a directory that is inside no other of the list.
fn is_top(dir: &Path, all: &[PathBuf]) -> bool {
    !all.iter()
        .any(|other| other != dir && dir.starts_with(other))
}

impl Appended {
    fn stays(&self) -> Foreign {
        let count = format::count(self.lines.len(), "line");
        let stay = format::plural(self.lines.len(), "stays", "stay");
        let log = self.log.to_string_lossy();
        let head = format!("{count} appended to {log} {stay}");
        match self.lines.first() {
            Some(only) if self.lines.len() == 1 => {
                [head.as_bytes(), b": ", only.as_bytes()].concat().into()
            }
            Some(first) => [head.as_bytes(), b", beginning with: ", first.as_bytes()]
                .concat()
                .into(),
            None => format!("{head}.").into(),
        }
    }

    /// Directories that those lines name and that no longer exist after the undo.
    fn dangling(&self, facts: &Facts) -> Option<Foreign> {
        let gone = facts.made.iter().filter(|path| {
            let stays = facts.keeps(path) || facts.staying.contains(path);
            // A log names folders relative to the pipeline, mostly by two components; the full path is hardly ever in it.
            let top = path.ancestors().nth(2);
            let tail = top
                .and_then(|top| path.strip_prefix(top).ok())
                .unwrap_or(path);
            let tail = tail.as_os_str().as_bytes();
            let names = |line: &Foreign| memchr::memmem::find(line.as_bytes(), tail).is_some();
            !stays && self.lines.iter().any(names)
        });
        let mut names: Vec<_> = gone.map(|path| path.to_string_lossy()).collect();
        if names.is_empty() {
            return None;
        }
        names.sort();
        let (names, log) = (format::list_first(names, 1), self.log.to_string_lossy());
        Some(format!("{log} still names {names}, which the undo removes.").into())
    }
}

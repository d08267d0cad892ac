//! What an undo does not restore, and what it overwrites.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::{Facts, Within};
use crate::foreign;
use crate::model::{Foreign, Loss, PathChange, Recovery};
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

/// How a path is left as it is, for a person who reads what would happen to it.
fn to_keep(recovery: &Recovery, facts: &Facts, what: &str, path: impl Into<Foreign>) -> Foreign {
    let (verb, id) = match recovery.undoes.as_ref().filter(|_| facts.redo) {
        Some(redone) => ("redo", redone),
        None => ("undo", &recovery.id),
    };
    let id = id.0.as_str();
    foreign!(
        "to {}: relight {} {} --keep {}",
        what,
        verb,
        id,
        path.into()
    )
}

impl Facts {
    /// Whether a place moves as a whole with something that changed in it.
    fn moves_changed(&self, here: &Path) -> bool {
        let within = self.whole.get(here);
        within.is_some_and(|within| within.iter().any(|one| one.drifted))
    }

    /// What changed since the recovery in directories that move as a whole: what is overwritten, and by the place of the
    /// directory what leaves with it.
    fn changed_within(&self) -> (Vec<&PathBuf>, Vec<(&PathBuf, Vec<&PathBuf>)>) {
        let (mut overwritten, mut leaving) = (Vec::new(), Vec::new());
        for (here, within) in &self.whole {
            let files = within.iter().filter(|one| one.drifted && !one.is_dir);
            let (written, left): (Vec<&Within>, Vec<&Within>) =
                files.partition(|one| one.change == PathChange::Write || one.here == *here);
            overwritten.extend(written.into_iter().map(|one| &one.here));
            leaving.push((here, left.into_iter().map(|one| &one.here).collect()));
        }
        (overwritten, leaving)
    }
}

/// What an undo does not restore, and what it overwrites.
pub fn losses(recovery: &Recovery, facts: &Facts) -> Vec<Loss> {
    let mut losses = Vec::new();
    let alone = facts.drifted.iter();
    let alone = alone.filter(|path| !facts.moves_changed(path));
    let (deleted, mut changed): (Vec<&PathBuf>, Vec<&PathBuf>) =
        alone.partition(|path| facts.empty.contains(*path));
    let shown = |paths: Vec<&PathBuf>| {
        let mut names: Vec<Foreign> = paths.into_iter().map(Foreign::from).collect();
        names.sort();
        Foreign::list_first(names, NAMED)
    };
    let keep = |what, path: &Path| to_keep(recovery, facts, what, path);
    let one = Path::new("PATH");
    let is_alone = !changed.is_empty();
    let (overwritten, leaving) = facts.changed_within();
    changed.extend(overwritten);
    let back = if facts.redo { "undo" } else { "redo" };
    if !changed.is_empty() {
        let text = foreign!(
            "Changed after the recovery and overwritten; {} restores them: {}.",
            back,
            shown(changed)
        );
        let stays = leaving.iter().filter(|(_, left)| left.is_empty());
        let stays = stays.map(|(here, _)| keep("keep all that is in it", here));
        let alone = is_alone.then(|| keep("keep one as it is", one));
        let loss = Loss::overwritten(text);
        losses.push(
            alone
                .into_iter()
                .chain(stays)
                .fold(loss, |loss, tip| loss.unless(&tip)),
        );
    }
    for (here, left) in leaving.into_iter().filter(|(_, left)| !left.is_empty()) {
        let text = foreign!(
            "Changed after the recovery and moved aside with {}; {} restores them: {}.",
            here,
            back,
            shown(left)
        );
        let tip = keep("keep all that is in it", here);
        losses.push(Loss::overwritten(text).unless(&tip));
    }
    // What the recovery created and somebody deleted is as before the recovery already.
    let restored: Vec<_> = deleted
        .into_iter()
        .filter(|path| !facts.made.contains(*path))
        .collect();
    if !restored.is_empty() {
        let text = foreign!(
            "Deleted after the recovery and restored: {}.",
            shown(restored)
        );
        let tip = keep("leave one deleted", one);
        losses.push(Loss::overwritten(text).unless(&tip));
    }
    for (here, to) in &facts.moved {
        let text = foreign!(
            "{} changed after the recovery; the undo moves it to {}.",
            here,
            to
        );
        let done = foreign!(
            "{} changed after the recovery; the undo moved it to {}.",
            here,
            to
        );
        let tip = keep("keep it there", here);
        losses.push(Loss::not_restored(text).then(done).unless(&tip));
    }
    let in_moved = facts.in_moved.iter();
    for (here, changed) in in_moved.filter(|(_, changed)| !changed.is_empty()) {
        let changed = shown(changed.iter().collect());
        let text = foreign!(
            "Changed after the recovery and moved as it is now: {}.",
            changed
        );
        let tip = keep("leave it where it is", here);
        losses.push(Loss::not_restored(text).unless(&tip));
    }
    losses.extend(left_by_choice(facts));
    for dir in facts
        .staying
        .iter()
        .filter(|dir| is_top(dir, &facts.staying))
    {
        let logs = facts.appended.iter();
        let why = match logs.map(|one| &one.log).find(|log| log.starts_with(dir)) {
            Some(log) => foreign!("the log {} is in it", log),
            None => "it contains newer files".into(),
        };
        losses.push(Loss::not_restored(foreign!("{} is kept: {}.", dir, why)));
    }
    for one in &facts.appended {
        losses.push(Loss::not_restored(one.stays()));
        losses.extend(one.dangling(facts));
    }
    losses
}

/// The paths that the person chose to leave as they are.
fn left_by_choice(facts: &Facts) -> Option<Loss> {
    let names: Vec<Foreign> = facts.keep.iter().map(Foreign::from).collect();
    let text = (!names.is_empty()).then(|| Foreign::list_first(names, NAMED));
    text.map(|names| Loss::not_restored(foreign!("Left as it is (--keep): {}.", names)))
}

/// An undo does not fail because its line cannot be written to a log; the line is left out.
pub fn unlogged(log: &Path) -> Foreign {
    foreign!(
        "{} has another name (a hard link), so the undo is not logged in it.",
        log
    )
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
        let head = foreign!("{} appended to {} {}", count, &self.log, stay);
        match self.lines.first() {
            Some(only) if self.lines.len() == 1 => foreign!("{}: {}", head, only),
            Some(first) => foreign!("{}, beginning with: {}", head, first),
            None => foreign!("{}.", head),
        }
    }

    /// Directories that those lines name and that no longer exist after the undo.
    fn dangling(&self, facts: &Facts) -> Option<Loss> {
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
        let mut names: Vec<Foreign> = gone.map(Foreign::from).collect();
        if names.is_empty() {
            return None;
        }
        names.sort();
        let head = foreign!(
            "{} still names {}",
            &self.log,
            Foreign::list_first(names, 1)
        );
        let loss = Loss::not_restored(foreign!("{}, which the undo removes.", &head));
        Some(loss.then(foreign!("{}, which the undo removed.", &head)))
    }
}

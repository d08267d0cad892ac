//! What may be true after a crash and its recovery, and nothing else.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::kit::{Case, committed, recover};
use crate::apply::disk::sim::{Picture, Seen, SimDisk};
use crate::apply::draft::Draft;
use crate::apply::error::ApplyError;

/// The side of a transaction that the tree is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    After,
}

/// What a case starts from and comes to, and how many recoveries it was held against.
pub(super) struct Truth {
    pub(super) case: Case,
    pub(super) draft: Draft,
    pub(super) start: SimDisk,
    pub(super) before: Picture,
    pub(super) after: Picture,
    /// Inodes that are there at the start.
    known: BTreeSet<u64>,
    /// Mutating calls of an undisturbed run.
    pub(super) steps: u64,
    /// Contents that may never be lost.
    contents: BTreeSet<Vec<u8>>,
    runs: AtomicU64,
}

/// True for what is not part of the tree: relight's own folders, and logs, which are judged by themselves.
fn apart(path: &Path) -> bool {
    let own = [
        "state",
        ".relight",
        "other/.relight",
        "refs",
        "p/.git/relight",
    ];
    own.iter().any(|own| path.starts_with(own)) || path.extension().is_some_and(|e| e == "jsonl")
}

/// The tree of the project, without what is judged apart.
pub(super) fn tree(disk: &SimDisk) -> Picture {
    let mut picture = disk.picture("/");
    picture.retain(|path, _| !apart(path));
    picture
}

/// The tree without the locks of git and the probes, which are left to the next run and taken away in it.
pub(super) fn unlocked(disk: &SimDisk) -> Picture {
    let mut tree = tree(disk);
    tree.retain(|path, _| {
        let path = path.to_string_lossy();
        !path.contains("index.lock") && !path.contains(".relight-probe-")
    });
    tree
}

fn references(disk: &SimDisk) -> Vec<(PathBuf, Vec<u8>)> {
    let picture = disk.picture("/refs").into_iter();
    picture.map(|(path, seen)| (path, seen.bytes)).collect()
}

impl Truth {
    pub(super) fn of(case: Case) -> Self {
        Self::tried(case).unwrap_or_else(|refused| panic!("{}: {:?}", refused.0.name, refused.1))
    }

    /// The same, where the plan may be one that is refused.
    pub(super) fn tried(case: Case) -> Result<Self, Box<(Case, ApplyError)>> {
        let start = case.world();
        let draft = (case.draft)(&start);
        let end = start.branch();
        if let Err(why) = case.carry(&end, &draft) {
            assert_eq!(tree(&end), tree(&start), "{}", case.name);
            return Err(Box::new((case, why)));
        }
        let truth = Self {
            before: tree(&start),
            after: tree(&end),
            steps: end.steps(),
            contents: start.contents(),
            known: start.inodes(),
            runs: AtomicU64::new(0),
            case,
            draft,
            start,
        };
        assert_eq!(truth.judge(&end, "undisturbed"), Side::After);
        Ok(truth)
    }

    pub(super) fn runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    /// Fails with everything there is to know.
    pub(super) fn fail(&self, disk: &SimDisk, what: &str, why: &str) -> ! {
        panic!("{}, {what}: {why}\n{}", self.case.name, disk.trace());
    }

    /// Before anything is recovered: no content that was there is gone, whatever happened.
    pub(super) fn nothing_lost(&self, disk: &SimDisk, what: &str) {
        self.nothing_lost_but(disk, what, Path::new("/none"));
    }

    /// The same, but for the content of one file that somebody else wrote over.
    pub(super) fn nothing_lost_but(&self, disk: &SimDisk, what: &str, but: &Path) {
        self.nothing_lost_bytes(disk, what, self.start.content(but).as_deref());
    }

    /// The same, but for this content.
    pub(super) fn nothing_lost_bytes(&self, disk: &SimDisk, what: &str, but: Option<&[u8]>) {
        let now = disk.contents();
        let lost = self
            .contents
            .difference(&now)
            .filter(|lost| Some(lost.as_slice()) != but);
        for lost in lost {
            // A log may have grown; a lock's text is nobody's content.
            let grown = |now: &Vec<u8>| now.starts_with(lost);
            let sign = lost.starts_with(b"process ") || lost.is_empty();
            let reference = lost.len() == 4;
            if !sign && !reference && !now.iter().any(grown) {
                let lost = lost.escape_ascii();
                self.fail(disk, what, &format!("\"{lost}\" is lost"));
            }
        }
    }

    /// Recovers, and holds the tree against before and after. Running it again changes nothing.
    pub(super) fn settled(&self, disk: &SimDisk, what: &str) -> Side {
        let side = self.recovered_once(disk, what);
        let shape = |disk: &SimDisk| -> Vec<PathBuf> { disk.picture("/").into_keys().collect() };
        let again = disk.branch();
        match recover(&again) {
            Ok(notes) if notes.is_empty() && shape(&again) == shape(disk) => {}
            Ok(notes) => self.fail(&again, what, &format!("a second recovery: {notes:?}")),
            Err(why) => self.fail(&again, what, &format!("a second recovery: {why:?}")),
        }
        side
    }

    /// Recovers, and holds the tree against before and after. Running it again changes nothing, and a power cut
    /// right afterwards does not either.
    pub(super) fn recovered(&self, disk: &SimDisk, what: &str) -> Side {
        let side = self.settled(disk, what);
        for cut in disk.crash_states(4, self.runs()) {
            let still = self.recovered_once(&cut, what);
            if still != side {
                self.fail(&cut, what, &format!("it was {side:?} before the power cut"));
            }
        }
        side
    }

    /// The same after a call that failed: a line whose flush failed may be lost in a later power cut, whatever is
    /// done, because the kernel takes its page for clean from then on.
    pub(super) fn held(&self, disk: &SimDisk, what: &str) -> Side {
        if self.draft.appends.is_empty() {
            self.recovered(disk, what)
        } else {
            self.settled(disk, what)
        }
    }

    fn recovered_once(&self, disk: &SimDisk, what: &str) -> Side {
        self.runs.fetch_add(1, Ordering::Relaxed);
        if let Err(why) = recover(disk) {
            self.fail(disk, what, &format!("{why:?}"));
        }
        self.nothing_lost(disk, what);
        self.judge(disk, what)
    }

    /// A tree as it can be compared between runs: what was made anew has another number and time in each.
    fn comparable(&self, mut tree: Picture) -> Picture {
        for seen in tree.values_mut() {
            if !self.known.contains(&seen.node.id.ino) {
                seen.node.id.ino = 0;
                seen.node.mtime_ns = 0;
            }
        }
        tree
    }

    /// The first path that is not as on this side, but for some.
    pub(super) fn differs(
        &self,
        disk: &SimDisk,
        side: Side,
        but: &dyn Fn(&Path) -> bool,
    ) -> Option<String> {
        let expected = match side {
            Side::Before => &self.before,
            Side::After => &self.after,
        };
        let [mut now, mut expected] =
            [tree(disk), expected.clone()].map(|tree| self.comparable(tree));
        now.retain(|path, _| !but(path));
        expected.retain(|path, _| !but(path));
        difference(&now, &expected)
    }

    /// The side that the tree is on: exactly one of them, and after if and only if it is marked so.
    pub(super) fn judge(&self, disk: &SimDisk, what: &str) -> Side {
        let (side, expected) = if committed(disk, &self.case.id()) {
            (Side::After, &self.after)
        } else {
            (Side::Before, &self.before)
        };
        let (now, expected) = (
            self.comparable(tree(disk)),
            self.comparable(expected.clone()),
        );
        if let Some(difference) = difference(&now, &expected) {
            self.fail(disk, what, &format!("not as {side:?}: {difference}"));
        }
        let mut wanted = references(&self.start);
        for moved in &self.draft.refs {
            let path = PathBuf::from(moved.name.replace('/', "+"));
            let now = wanted.iter().position(|(known, _)| *known == path);
            if side == Side::After {
                if let Some(now) = now {
                    wanted.remove(now);
                }
                let new = moved
                    .new
                    .iter()
                    .map(|new| (path.clone(), new.as_bytes().to_vec()));
                wanted.extend(new);
                wanted.sort();
            }
        }
        let found = references(disk);
        if found != wanted {
            self.fail(disk, what, &format!("references {found:?}, not {wanted:?}"));
        }
        for append in &self.draft.appends {
            let base = &self.draft.bases[append.place.base].path;
            let path = base.join(&append.place.rel);
            let old = self.start.content(&path);
            let new = disk.content(&path);
            if let Err(why) = log(old.as_deref(), new.as_deref(), &append.block, side) {
                self.fail(disk, what, &format!("{}: {why}", path.display()));
            }
        }
        side
    }
}

/// The first path that differs.
fn difference(now: &Picture, expected: &Picture) -> Option<String> {
    let mut paths: BTreeSet<&PathBuf> = now.keys().collect();
    paths.extend(expected.keys());
    let word =
        |seen: Option<&Seen>| seen.map_or_else(|| "nothing".to_owned(), |seen| format!("{seen:?}"));
    let differs = paths
        .into_iter()
        .find(|path| now.get(*path) != expected.get(*path))?;
    let (is, was) = (word(now.get(differs)), word(expected.get(differs)));
    Some(format!("/{} is {is}, not {was}", differs.display()))
}

/// Whether a log holds what it must: what it held before, and once it is committed the block as whole lines,
/// once. Torn bytes of an earlier try may be before it.
fn log(old: Option<&[u8]>, new: Option<&[u8]>, block: &[u8], side: Side) -> Result<(), String> {
    if side == Side::Before {
        let same = old == new;
        return same
            .then_some(())
            .ok_or_else(|| "the log changed".to_owned());
    }
    let new = new.ok_or("there is no log")?;
    let Some(rest) = new.strip_prefix(old.unwrap_or_default()) else {
        return Err("what was there is gone".to_owned());
    };
    let found = rest
        .windows(block.len())
        .filter(|window| *window == block)
        .count();
    let line = rest == block || rest.ends_with(&[b"\n", block].concat());
    if found == 1 && line {
        Ok(())
    } else {
        Err(format!("\"{}\" was added", rest.escape_ascii()))
    }
}

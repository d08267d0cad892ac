//! Where a transaction keeps its slots: on the file system of the files that it changes, because a rename cannot cross
//! file systems, and where `git clean` and `git worktree remove` do not delete them.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use super::{RELIGHT, private};
use crate::apply::crash::remove_all;
use crate::apply::disk::Disk;
use crate::apply::error::{ApplyError, is_full};
use crate::apply::exchange::present;
use crate::apply::preflight::because;
use crate::apply::stage::SlotFolder;
use crate::foreign;
use crate::model::Foreign;
use crate::model::path::is_git_dir;

/// The folder of slots in the folder of a transaction.
const SLOTS: &str = "slots";

/// The folder for slots next to a root.
const BESIDE: &str = ".relight";

/// The prefix of the files that say where else a transaction keeps something.
const POINTER: &str = "kept-in-";

/// A transaction that needs slots.
#[derive(Debug)]
pub struct Seat<'a, D: Disk> {
    /// The disk.
    pub disk: &'a D,
    /// The id of the transaction.
    pub tx: &'a str,
    /// Its folder.
    pub dir: &'a D::Dir,
    /// The canonical path of its folder.
    pub path: &'a Path,
    /// The roots and work trees that take part, canonical: no slot may be in one.
    pub roots: &'a [PathBuf],
    /// The user's id.
    pub me: u32,
    /// Whether nothing is kept in the slots: a record only stages there. They may then be in a root, where nothing that
    /// cleans a work tree could delete them.
    pub brief: bool,
}

/// Why a candidate is not taken.
enum Unfit {
    /// It cannot be used, but another may.
    Place(Foreign),
    /// What is at this path cannot be written at all, so no other candidate helps.
    Full(PathBuf, io::Error),
}

impl From<io::Error> for Unfit {
    fn from(why: io::Error) -> Self {
        Self::Place(because_of(why))
    }
}

type Taken<D> = Result<SlotFolder<<D as Disk>::Dir>, Unfit>;

impl<D: Disk> Seat<'_, D> {
    /// The folder of slots for places in the directory `place`. A new one is tested with real renames. `root` is the
    /// canonical root that contains the place, `git_common_dir` the git directory of its repository. The candidates are
    /// the transaction's own folder, the git directory, then a folder next to the root; the error is a sentence that
    /// says why none of them can be used.
    ///
    /// Places of one mount and device share a folder: call this once for each mount.
    pub fn slots_for(
        &self,
        place: &D::Dir,
        git_common_dir: Option<&Path>,
        root: &Path,
    ) -> Result<SlotFolder<D::Dir>, ApplyError> {
        let above = root.parent().unwrap_or(root);
        let own = || Some(self.take(place, (self.dir, self.path), &[SLOTS], false));
        let common = || Some(self.at(place, git_common_dir?, RELIGHT, false));
        let beside = || Some(self.beside(place, root));
        let within = || {
            let may = self.brief && !self.in_work_tree(root);
            may.then(|| self.at(place, root, BESIDE, true))
        };
        let paths = [self.path, git_common_dir.unwrap_or(root), above, root];
        let candidates: [&dyn Fn() -> Option<Taken<D>>; 4] = [&own, &common, &beside, &within];
        let mut whys = Vec::new();
        for (path, taken) in paths.into_iter().zip(candidates) {
            match taken() {
                None => {}
                Some(Ok(slots)) => return Ok(slots),
                Some(Err(Unfit::Place(why))) => whys.push((path.to_path_buf(), why)),
                Some(Err(Unfit::Full(path, why))) => return Err(unwritable(&path, &why)),
            }
        }
        let read_only = self.disk.room(place).is_ok_and(|room| room.read_only);
        Err(ApplyError::refused(none(root, &whys)).hint(if read_only {
            "Mount the file system of the project writable, then try again."
        } else if self.is_whole_mount(place, above) {
            "The project is a whole file system: move it into a directory of it, or make it a git repository."
        } else {
            "Set XDG_STATE_HOME to a directory on the same file system, outside the project."
        }))
    }

    /// Whether the directory above a root is on another mount.
    fn is_whole_mount(&self, place: &D::Dir, above: &Path) -> bool {
        let above = self.disk.root(above);
        above.is_ok_and(|above| self.same_mount(place, &above).is_err())
    }

    /// The nearest folder above the root that is in no work tree.
    fn beside(&self, place: &D::Dir, root: &Path) -> Taken<D> {
        let mut above = root.ancestors().skip(1).peekable();
        let why = match above.peek() {
            Some(_) => "every directory above the root is in a work tree",
            None => "it has no parent directory",
        };
        // A folder further up is not more likely to be usable, and may not be the person's own.
        match above.find(|above| !self.in_work_tree(above)) {
            Some(above) => self.at(place, above, BESIDE, false),
            None => Err(Unfit::Place(why.into())),
        }
    }

    /// Whether a folder is in a git work tree. A folder that cannot be read counts as none.
    fn in_work_tree(&self, path: &Path) -> bool {
        path.ancestors().any(|above| {
            self.disk
                .root(above)
                .and_then(|dir| self.disk.look(&dir, OsStr::new(".git")))
                .is_ok_and(|found| found.is_some())
        })
    }

    /// Takes a folder of slots for this transaction in a folder of relight's own under an existing one.
    fn at(&self, place: &D::Dir, base: &Path, own: &str, within: bool) -> Taken<D> {
        let dir = self.disk.root(base)?;
        self.take(place, (&dir, base), &[own, self.tx, SLOTS], within)
    }

    /// Creates the folders of these names under a folder and tests them; removes them again if they cannot be used.
    /// `within` says whether they may be in a root.
    fn take(
        &self,
        place: &D::Dir,
        (base, base_path): (&D::Dir, &Path),
        names: &[&str],
        within: bool,
    ) -> Taken<D> {
        let path = base_path.join(names.iter().collect::<PathBuf>());
        let mut roots = self.roots.iter().filter(|_| !within);
        if let Some(root) = roots.find(|root| is_cleaned(root, &path)) {
            return Err(Unfit::Place(foreign!("it is in {}", root)));
        }
        self.same_mount(place, base)?;
        if base_path != self.path {
            self.point(&path)
                .map_err(|why| Unfit::Full(self.path.to_path_buf(), why))?;
        }
        let mut made: Vec<(D::Dir, &str)> = Vec::new();
        let fit = self.made(base, base_path, names, &mut made);
        let fit = fit.and_then(|dir| {
            self.same_mount(place, &dir)?;
            // Only a new folder is tested: one that an earlier record created passed then, or it would have been removed.
            if !made.is_empty() {
                self.exchanges(&dir).map_err(|why| unfit(base_path, why))?;
            }
            Ok(SlotFolder { path, dir })
        });
        if fit.is_err() {
            for (above, name) in made.iter().rev() {
                // An empty folder that cannot be removed does no harm.
                drop(self.disk.remove(above, OsStr::new(name)));
            }
        }
        fit
    }

    /// Creates folders one in the other, and notes those that are new.
    fn made<'n>(
        &self,
        base: &D::Dir,
        path: &Path,
        names: &[&'n str],
        made: &mut Vec<(D::Dir, &'n str)>,
    ) -> Result<D::Dir, Unfit> {
        let (mut at, mut above) = (base.clone(), path.to_path_buf());
        for name in names {
            let inner = private(self.disk, (&at, &above), OsStr::new(name), self.me);
            let (dir, new) = inner.map_err(|why| unfit(path, why))?;
            let before = std::mem::replace(&mut at, dir);
            above.push(name);
            if new {
                made.push((before, name));
            }
        }
        Ok(at)
    }

    fn same_mount(&self, place: &D::Dir, dir: &D::Dir) -> Result<(), Unfit> {
        let where_is = |dir| -> io::Result<_> {
            // Both are compared: volumes of one mount can differ in their device, mounts of one device in their id.
            Ok((self.disk.mount(dir)?, self.disk.node(dir)?.id.dev))
        };
        let (a, b) = (where_is(place)?, where_is(dir)?);
        if a == b {
            Ok(())
        } else {
            Err(Unfit::Place("it is on another mount".into()))
        }
    }

    /// Notes in the transaction's own folder that it keeps something elsewhere, before anything is created there: after
    /// a crash it could not be found otherwise.
    fn point(&self, path: &Path) -> io::Result<()> {
        let bytes = path.as_os_str().as_bytes();
        let known = pointers(self.disk, self.dir)?;
        if known.iter().any(|known| known == path) {
            return Ok(());
        }
        // A killed process may have left an empty pointer, so they are counted by name.
        let names = self.disk.list(self.dir)?;
        let pointers = names
            .iter()
            .filter(|name| name.as_bytes().starts_with(POINTER.as_bytes()));
        let name = format!("{POINTER}{}", pointers.count());
        self.disk.put(self.dir, OsStr::new(&name), 0o600, bytes)?;
        self.disk.barrier(std::slice::from_ref(self.dir))
    }

    /// Tests both kinds of rename on probe files. A file system can support one and not the other.
    fn exchanges(&self, dir: &D::Dir) -> io::Result<()> {
        let names = ["probe-a", "probe-b", "probe-c"].map(OsStr::new);
        let tried = self.try_renames(dir, names);
        for name in names {
            match self.disk.remove(dir, name) {
                Err(why) if tried.is_ok() && why.kind() != io::ErrorKind::NotFound => {
                    return Err(why);
                }
                Ok(()) | Err(_) => {}
            }
        }
        tried
    }

    fn try_renames(&self, dir: &D::Dir, [a, b, c]: [&OsStr; 3]) -> io::Result<()> {
        let disk = self.disk;
        for name in [a, b, c] {
            // A crash may have left a probe.
            disk.remove_if_any(dir, name)?;
        }
        drop(disk.create(dir, a, 0o600)?);
        drop(disk.create(dir, b, 0o600)?);
        let id = |name| -> io::Result<_> { Ok(disk.look(dir, name)?.map(|node| node.id)) };
        let (first, second) = (id(a)?, id(b)?);
        disk.swap((dir, a), (dir, b))?;
        let swapped = (id(a)?, id(b)?) == (second, first);
        disk.shift((dir, a), (dir, c))?;
        let kept = disk.shift((dir, b), (dir, c)).is_err() && id(c)? == second;
        if swapped && kept && id(a)?.is_none() {
            Ok(())
        } else {
            Err(io::ErrorKind::Unsupported.into())
        }
    }
}

/// Whether a command that cleans the root would delete a path: it is in the root, but not in its git directory.
pub fn is_cleaned(root: &Path, path: &Path) -> bool {
    path.strip_prefix(root)
        .is_ok_and(|rest| !rest.iter().any(|name| is_git_dir(name.as_bytes())))
}

/// The folders outside its own in which a transaction keeps something, or was going to.
pub fn pointers<D: Disk>(disk: &D, tx: &D::Dir) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for name in disk.list(tx)? {
        if name.as_bytes().starts_with(POINTER.as_bytes()) {
            let bytes = disk.read(tx, &name, 64 * 1024)?;
            if !bytes.is_empty() {
                paths.push(PathBuf::from(std::ffi::OsString::from_vec(bytes)));
            }
        }
    }
    Ok(paths)
}

/// A full disk is no reason to look elsewhere: the other places are on the same file system.
fn unfit(path: &Path, why: io::Error) -> Unfit {
    if is_full(&why) {
        Unfit::Full(path.to_path_buf(), why)
    } else {
        why.into()
    }
}

fn unwritable(path: &Path, why: &io::Error) -> ApplyError {
    let text = foreign!("Nothing was changed: {}: {}.", path, because(why));
    ApplyError::failed(text, why)
}

/// An error as the end of a sentence.
#[expect(clippy::needless_pass_by_value, reason = "for use in `map_err`")]
fn because_of(why: io::Error) -> Foreign {
    Foreign::from(because(&why))
}

/// Removes everything that a transaction keeps outside its own folder; after that it cannot be undone. May be repeated.
/// What other transactions keep there stays.
pub fn forget<D: Disk>(disk: &D, tx: &str, dir: &D::Dir) -> io::Result<()> {
    for path in pointers(disk, dir)? {
        let own = path
            .parent()
            .filter(|own| path.ends_with(SLOTS) && own.ends_with(tx));
        let base = own
            .and_then(Path::parent)
            .filter(|base| base.ends_with(RELIGHT) || base.ends_with(BESIDE));
        let Some(base) = base else {
            let text = "a pointer names a directory that is not relight's";
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        };
        let Some(kept) = present(disk.root(base))? else {
            continue;
        };
        if let Some(own) = present(disk.dir(&kept, Path::new(tx)))? {
            remove_all(disk, &own)?;
            disk.remove(&kept, OsStr::new(tx))?;
        }
        // With the last transaction, the common folder is removed, too.
        if let (Some(above), Some(name)) = (base.parent(), base.file_name())
            && disk.list(&kept)?.is_empty()
        {
            disk.remove(&disk.root(above)?, name)?;
        }
    }
    Ok(())
}

fn none(root: &Path, whys: &[(PathBuf, Foreign)]) -> Foreign {
    let mut text = b"There is no place for the backups of ".to_vec();
    text.extend_from_slice(root.as_os_str().as_bytes());
    text.extend_from_slice(b". Unusable: ");
    for (n, (path, why)) in whys.iter().enumerate() {
        text.extend_from_slice(if n == 0 { b"" } else { b"; " });
        text.extend_from_slice(path.as_os_str().as_bytes());
        text.extend_from_slice(b": ");
        text.extend_from_slice(why.as_bytes());
    }
    text.push(b'.');
    Foreign::from(text)
}

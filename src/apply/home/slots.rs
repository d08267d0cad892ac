//! Where a transaction keeps what it exchanges: on the very file system of what it exchanges with, and out of
//! reach of `git clean` and `git worktree remove`.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use super::{present, private};
use crate::apply::crash::remove_all;
use crate::apply::disk::Disk;
use crate::apply::preflight::because;
use crate::model::Foreign;
use crate::model::path::is_git_dir;

/// The folder of the slots in that of a transaction.
const SLOTS: &str = "slots";

/// The folder for transactions beside a root.
const BESIDE: &str = ".relight";

/// How the files begin that say where else a transaction keeps something.
const POINTER: &str = "kept-in-";

/// What a transaction is that needs slots.
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
    /// The roots and work trees that take part, canonical: no slot may lie in one.
    pub roots: &'a [PathBuf],
    /// The user's id.
    pub me: u32,
}

/// A folder for slots.
#[derive(Debug, Clone)]
pub struct Slots<D: Disk> {
    /// The folder, opened.
    pub dir: D::Dir,
    /// Its path, by which [`Disk::root`] opens it again.
    pub path: PathBuf,
}

/// A place where slots could be: a folder that is there, and the names beneath it.
struct Candidate<D: Disk> {
    base: D::Dir,
    path: PathBuf,
    names: Vec<String>,
}

impl<D: Disk> Seat<'_, D> {
    /// The folder of slots for places in the directory `place`, tried by a real exchange when it is made. `root` is
    /// the canonical root that the place lies in, `git_common_dir` that of its repository. Looks in the
    /// transaction's own folder, in the git directory, then beside the root; the error is a sentence that says
    /// why none of them will do.
    ///
    /// Places of one mount and device share a folder: ask once for each.
    pub fn slots_for(
        &self,
        place: &D::Dir,
        git_common_dir: Option<&Path>,
        root: &Path,
    ) -> Result<Slots<D>, Foreign> {
        let own = Candidate {
            base: self.dir.clone(),
            path: self.path.to_path_buf(),
            names: vec![SLOTS.to_owned()],
        };
        let mut whys = Vec::new();
        match self.take(place, &own) {
            Ok(slots) => return Ok(slots),
            Err(why) => whys.push((self.path.to_path_buf(), why)),
        }
        if let Some(common) = git_common_dir {
            let names = ["relight", self.tx, SLOTS].map(str::to_owned).to_vec();
            match self.open(common, names).and_then(|c| self.take(place, &c)) {
                Ok(slots) => return Ok(slots),
                Err(why) => whys.push((common.to_path_buf(), why)),
            }
        }
        match self.beside(place, root) {
            Ok(slots) => Ok(slots),
            Err(why) => {
                whys.push((root.parent().unwrap_or(root).to_path_buf(), why));
                Err(none(root, &whys))
            }
        }
    }

    /// The nearest folder above the root that no work tree reaches.
    fn beside(&self, place: &D::Dir, root: &Path) -> Result<Slots<D>, Foreign> {
        let mut last = Foreign::from("there is no folder above it");
        for above in root.ancestors().skip(1) {
            if self.in_work_tree(above) {
                last = Foreign::from("every folder above the root is in a work tree");
                continue;
            }
            let names = [BESIDE, self.tx, SLOTS].map(str::to_owned).to_vec();
            match self.open(above, names).and_then(|c| self.take(place, &c)) {
                Ok(slots) => return Ok(slots),
                Err(why) => {
                    last = why;
                    // A folder further up is no nearer, and less the person's own.
                    break;
                }
            }
        }
        Err(last)
    }

    /// Whether a folder is in a work tree of git. One that cannot be looked into is taken for none.
    fn in_work_tree(&self, path: &Path) -> bool {
        path.ancestors().any(|above| {
            self.disk
                .root(above)
                .and_then(|dir| self.disk.look(&dir, OsStr::new(".git")))
                .is_ok_and(|found| found.is_some())
        })
    }

    fn open(&self, base: &Path, names: Vec<String>) -> Result<Candidate<D>, Foreign> {
        let dir = self.disk.root(base).map_err(because_of)?;
        Ok(Candidate {
            base: dir,
            path: base.to_path_buf(),
            names,
        })
    }

    /// Makes the folders of a candidate and tries it; removes them again where it cannot be used.
    fn take(&self, place: &D::Dir, candidate: &Candidate<D>) -> Result<Slots<D>, Foreign> {
        let path = candidate
            .names
            .iter()
            .fold(candidate.path.clone(), |path, name| path.join(name));
        if let Some(root) = self.roots.iter().find(|root| reaches(root, &path)) {
            let mut why = b"it lies in ".to_vec();
            why.extend_from_slice(root.as_os_str().as_bytes());
            return Err(Foreign::from(why));
        }
        self.same_mount(place, &candidate.base)?;
        if candidate.path != self.path {
            self.point(&path).map_err(because_of)?;
        }
        let mut made: Vec<(D::Dir, &str)> = Vec::new();
        let mut at = candidate.base.clone();
        let mut fit = Ok(());
        for name in &candidate.names {
            match private(self.disk, &at, OsStr::new(name), self.me) {
                Ok((dir, new)) => {
                    let above = std::mem::replace(&mut at, dir);
                    if new {
                        made.push((above, name));
                    }
                }
                Err(why) => {
                    fit = Err(because_of(why));
                    break;
                }
            }
        }
        let fit = fit.and_then(|()| self.same_mount(place, &at));
        // One that an earlier record made was tried then: those that cannot be used are removed again.
        let fit = fit.and_then(|()| match made.as_slice() {
            [] => Ok(()),
            _ => self.exchanges(&at).map_err(because_of),
        });
        match fit {
            Ok(()) => Ok(Slots { dir: at, path }),
            Err(why) => {
                for (above, name) in made.iter().rev() {
                    // An empty folder that is left harms nobody.
                    drop(self.disk.remove(above, OsStr::new(name)));
                }
                Err(why)
            }
        }
    }

    fn same_mount(&self, place: &D::Dir, dir: &D::Dir) -> Result<(), Foreign> {
        let where_is = |dir| -> io::Result<_> {
            // Volumes of one mount may differ in their device, mounts of one device in their id.
            Ok((self.disk.mount(dir)?, self.disk.node(dir)?.id.dev))
        };
        let (a, b) = where_is(place)
            .and_then(|a| Ok((a, where_is(dir)?)))
            .map_err(because_of)?;
        if a == b {
            Ok(())
        } else {
            Err(Foreign::from("it lies on another mount"))
        }
    }

    /// Says in the transaction's own folder that it keeps something elsewhere, before there is anything.
    fn point(&self, path: &Path) -> io::Result<()> {
        let bytes = path.as_os_str().as_bytes();
        let known = pointers(self.disk, self.dir)?;
        if known.iter().any(|known| known == path) {
            return Ok(());
        }
        // A process that was killed may have left one that is still empty.
        let names = self.disk.list(self.dir)?;
        let pointers = names
            .iter()
            .filter(|name| name.as_bytes().starts_with(POINTER.as_bytes()));
        let name = format!("{POINTER}{}", pointers.count());
        let mut file = self.disk.create(self.dir, OsStr::new(&name), 0o600)?;
        self.disk.write(&mut file, bytes)?;
        self.disk.sync(&file)?;
        self.disk.barrier(std::slice::from_ref(self.dir))
    }

    /// Tries both renames between two files made for it.
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
            // A probe that a crash left is in the way.
            if disk.look(dir, name)?.is_some() {
                disk.remove(dir, name)?;
            }
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

/// Whether what empties a root reaches a path: it lies in the root, and not in its git directory.
fn reaches(root: &Path, path: &Path) -> bool {
    path.strip_prefix(root)
        .is_ok_and(|rest| !rest.iter().any(|name| is_git_dir(name.as_bytes())))
}

/// The folders outside its own in which a transaction keeps something, or was about to.
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

/// An error as the end of a sentence.
#[expect(clippy::needless_pass_by_value, reason = "It stands in `map_err`.")]
fn because_of(why: io::Error) -> Foreign {
    Foreign::from(because(&why))
}

/// Removes what a transaction keeps outside its own folder, or had begun to. Afterwards it cannot be undone,
/// or never was applied. It may be repeated; what others keep beside it stays.
pub fn forget<D: Disk>(disk: &D, tx: &str, dir: &D::Dir) -> io::Result<()> {
    for path in pointers(disk, dir)? {
        let own = path
            .parent()
            .filter(|own| path.ends_with(SLOTS) && own.ends_with(tx));
        let base = own
            .and_then(Path::parent)
            .filter(|base| base.ends_with(super::RELIGHT) || base.ends_with(BESIDE));
        let Some(base) = base else {
            let text = "a pointer leads to a folder that is not relight's";
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        };
        let Some(kept) = present(disk.root(base))? else {
            continue;
        };
        if let Some(own) = present(disk.dir(&kept, Path::new(tx)))? {
            remove_all(disk, &own)?;
            disk.remove(&kept, OsStr::new(tx))?;
        }
        // The folder of all of them goes with the last.
        if let (Some(above), Some(name)) = (base.parent(), base.file_name())
            && disk.list(&kept)?.is_empty()
        {
            disk.remove(&disk.root(above)?, name)?;
        }
    }
    Ok(())
}

fn none(root: &Path, whys: &[(PathBuf, Foreign)]) -> Foreign {
    let mut text = b"The backups for ".to_vec();
    text.extend_from_slice(root.as_os_str().as_bytes());
    text.extend_from_slice(b" have no place: ");
    for (n, (path, why)) in whys.iter().enumerate() {
        text.extend_from_slice(if n == 0 { b"" } else { b"; " });
        text.extend_from_slice(path.as_os_str().as_bytes());
        text.extend_from_slice(b" cannot be used, ");
        text.extend_from_slice(why.as_bytes());
    }
    text.extend_from_slice(
        b". Set XDG_STATE_HOME to a folder on the same file system, outside of this one.",
    );
    Foreign::from(text)
}

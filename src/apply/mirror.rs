//! Mirrors one of relight's own folders into another, so that changes in it can be undone from the copy. Only
//! differences are written; files share their blocks if the file system supports that.
//!
//! Like `rsync`, it takes a file as unchanged if kind, mode, size and modification time are equal. Owners, extended
//! attributes and hard links are not copied: both folders belong to relight.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{
    AtFlags, Mode, OFlags, Stat, Timespec, Timestamps, UTIME_OMIT, fchmod, futimens, ioctl_ficlone,
    mkdirat, openat, readlinkat, symlinkat, unlinkat,
};

use super::disk::{FileKind, RealDir, entries, find};

/// The flags for opening a folder in which entries are changed.
const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// Makes `to` equal to `from`. Both must exist. Pipes, sockets and devices are left out.
pub fn mirror(from: &RealDir, to: &RealDir) -> io::Result<()> {
    let open = |dir: &RealDir| openat(dir, ".", FOLDER, Mode::empty());
    let (from, to) = (open(from)?, open(to)?);
    sync(&from, &to)
}

/// Removes everything in a folder, even if an agent made it read-only.
pub fn clear(dir: &RealDir) -> io::Result<()> {
    let dir = openat(dir, ".", FOLDER, Mode::empty())?;
    for name in entries(&dir)? {
        remove(&dir, &name)?;
    }
    Ok(())
}

fn sync(from: &OwnedFd, to: &OwnedFd) -> io::Result<()> {
    let wanted = entries(from)?;
    for name in entries(to)? {
        if wanted.binary_search(&name).is_err() {
            remove(to, &name)?;
        }
    }
    for name in &wanted {
        entry(from, to, name)?;
    }
    Ok(())
}

fn entry(from: &OwnedFd, to: &OwnedFd, name: &OsStr) -> io::Result<()> {
    let Some(new) = find(from, name)? else {
        return Ok(());
    };
    let mut old = find(to, name)?;
    let kind = FileKind::of_mode(new.st_mode);
    if old
        .as_ref()
        .is_some_and(|old| FileKind::of_mode(old.st_mode) != kind)
    {
        remove(to, name)?;
        old = None;
    }
    match kind {
        FileKind::Dir => {
            if old.is_none() {
                mkdirat(to, name, Mode::RWXU)?;
            }
            let source = openat(from, name, FOLDER, Mode::empty())?;
            let target = openat(to, name, FOLDER, Mode::empty())?;
            // Nothing could be created in a read-only folder, so it gets its own mode last.
            fchmod(&target, Mode::RWXU)?;
            sync(&source, &target)?;
            Ok(fchmod(&target, mode(&new))?)
        }
        FileKind::File => match old {
            Some(old) if is_same(&old, &new) => Ok(()),
            old => {
                if old.is_some() {
                    unlinkat(to, name, AtFlags::empty())?;
                }
                copy(from, to, name, &new)
            }
        },
        FileKind::Link => {
            let target = readlinkat(from, name, Vec::new())?;
            if old.is_some() {
                if readlinkat(to, name, Vec::new())? == target {
                    return Ok(());
                }
                unlinkat(to, name, AtFlags::empty())?;
            }
            Ok(symlinkat(target, to, name)?)
        }
        FileKind::Other => Ok(()),
    }
}

/// Copies a file to a free name. Time and mode are set last, so that an interrupted copy never looks complete.
fn copy(from: &OwnedFd, to: &OwnedFd, name: &OsStr, like: &Stat) -> io::Result<()> {
    let read = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut source = File::from(openat(from, name, read, Mode::empty())?);
    let write = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut target = File::from(openat(to, name, write, Mode::RUSR | Mode::WUSR)?);
    // File systems that cannot share blocks say so in different ways; all of them can copy.
    if ioctl_ficlone(&target, &source).is_err() {
        io::copy(&mut source, &mut target)?;
    }
    fchmod(&target, mode(like))?;
    let times = Timestamps {
        last_access: Timespec {
            tv_sec: 0,
            tv_nsec: UTIME_OMIT,
        },
        last_modification: Timespec {
            tv_sec: like.st_mtime,
            tv_nsec: i64::try_from(like.st_mtime_nsec).unwrap_or(0),
        },
    };
    Ok(futimens(&target, &times)?)
}

fn remove(dir: &OwnedFd, name: &OsStr) -> io::Result<()> {
    let Some(stat) = find(dir, name)? else {
        return Ok(());
    };
    if FileKind::of_mode(stat.st_mode) != FileKind::Dir {
        return Ok(unlinkat(dir, name, AtFlags::empty())?);
    }
    let inner = openat(dir, name, FOLDER, Mode::empty())?;
    fchmod(&inner, Mode::RWXU)?;
    for one in entries(&inner)? {
        remove(&inner, &one)?;
    }
    Ok(unlinkat(dir, name, AtFlags::REMOVEDIR)?)
}

fn mode(stat: &Stat) -> Mode {
    Mode::from_raw_mode(stat.st_mode & 0o7777)
}

fn is_same(old: &Stat, new: &Stat) -> bool {
    let facts = |stat: &Stat| {
        (
            stat.st_mode,
            stat.st_size,
            stat.st_mtime,
            stat.st_mtime_nsec,
        )
    };
    facts(old) == facts(new)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::Path;

    use super::super::disk::{Disk as _, RealDisk};
    use super::*;

    fn made_like(from: &Path, to: &Path) {
        let disk = RealDisk::new();
        let dir = |path: &Path| disk.root(&path.canonicalize().unwrap()).unwrap();
        mirror(&dir(from), &dir(to)).unwrap();
    }

    /// Every entry with its mode, time and content.
    fn picture(dir: &Path) -> Vec<String> {
        let mut found = Vec::new();
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let meta = path.symlink_metadata().unwrap();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if meta.is_dir() {
                let inner = picture(&path).into_iter();
                found.extend(inner.map(|line| format!("{name}/{line}")));
                found.push(format!("{name} {:o}", meta.permissions().mode()));
            } else if meta.is_symlink() {
                found.push(format!(
                    "{name} -> {}",
                    fs::read_link(&path).unwrap().display()
                ));
            } else {
                let (mode, time) = (meta.permissions().mode(), meta.modified().unwrap());
                let text = fs::read_to_string(&path).unwrap();
                found.push(format!("{name} {mode:o} {time:?} {text}"));
            }
        }
        found.sort();
        found
    }

    #[test]
    fn a_folder_becomes_like_another_and_back() {
        let dir = crate::world::temporary::directory();
        let (tree, kept) = (dir.path().join("tree"), dir.path().join("kept"));
        fs::create_dir_all(tree.join("src/deep")).unwrap();
        fs::create_dir(&kept).unwrap();
        let write = |name: &str, text: &str| fs::write(tree.join(name), text).unwrap();
        write("a", "1");
        write("src/b", "2");
        write("src/deep/c", "3");
        write("run", "#!");
        fs::set_permissions(tree.join("run"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("../outside", tree.join("link")).unwrap();
        fs::set_permissions(tree.join("src"), fs::Permissions::from_mode(0o555)).unwrap();
        made_like(&tree, &kept);
        let before = picture(&tree);
        assert_eq!(picture(&kept), before);
        // An attempt changes, removes, creates, and turns one kind into another.
        fs::set_permissions(tree.join("src"), fs::Permissions::from_mode(0o755)).unwrap();
        write("a", "changed");
        fs::remove_dir_all(tree.join("src/deep")).unwrap();
        write("src/deep", "a file now");
        fs::remove_file(tree.join("link")).unwrap();
        fs::create_dir(tree.join("link")).unwrap();
        write("link/new", "new");
        symlink("a", tree.join("made")).unwrap();
        fs::set_permissions(tree.join("run"), fs::Permissions::from_mode(0o644)).unwrap();
        made_like(&kept, &tree);
        assert_eq!(picture(&tree), before);
        assert_eq!(picture(&kept), before);
    }
}

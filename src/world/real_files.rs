//! Files of this machine. The kernel itself resolves paths below a root
//! (`openat2` with `RESOLVE_BENEATH | NO_SYMLINKS | NO_MAGICLINKS`).

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, openat, readlinkat, statat};
use rustix::io::Errno;

use super::files::{Entry, FileKind, Files, LOG_CAP, ReadError, SMALL_CAP, Stat};
use crate::model::{Foreign, Place, RelPath};

/// The limit for whole files if the system does not report how much memory it has.
const FALLBACK: u64 = 256 << 20;

/// How a directory is opened.
const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

/// The files of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealFiles;

impl Files for RealFiles {
    fn read(&self, place: &Place, cap: u64) -> Result<Vec<u8>, ReadError> {
        let (file, size) = open_regular(place)?;
        if size > cap {
            return Err(ReadError::TooLarge { size, cap });
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
        // What is appended meanwhile is left to the next read. The kernel's own files state no size.
        file.take(if size > 0 { size } else { cap + 1 })
            .read_to_end(&mut bytes)
            .map_err(|e| ReadError::Other(e.to_string()))?;
        let size = bytes.len() as u64;
        if size > cap {
            return Err(ReadError::TooLarge { size, cap });
        }
        Ok(bytes)
    }

    fn largest(&self) -> u64 {
        let told = std::fs::read_to_string("/proc/meminfo").ok();
        let free = told.and_then(|text| available(&text));
        // A parsed line takes about ten times its bytes.
        free.map_or(FALLBACK, |bytes| (bytes / 16).clamp(SMALL_CAP, LOG_CAP))
    }

    fn read_range(&self, place: &Place, offset: u64, len: usize) -> Result<Vec<u8>, ReadError> {
        let (file, size) = open_regular(place)?;
        let room = usize::try_from(size.saturating_sub(offset)).unwrap_or(usize::MAX);
        let mut bytes = vec![0; len.min(room)];
        let mut filled = 0;
        while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match file.read_at(rest, offset + filled as u64) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(ReadError::Other(e.to_string())),
            }
        }
        bytes.truncate(filled);
        Ok(bytes)
    }

    fn stat(&self, place: &Place) -> Result<Stat, ReadError> {
        let root = place.opened_root();
        let stat = match place.beneath().map(RelPath::as_path) {
            None => statat(CWD, root, AtFlags::SYMLINK_NOFOLLOW).map_err(refusal)?,
            Some(path) => {
                let name = path.file_name().ok_or(ReadError::NotFound)?;
                match path.parent().filter(|above| !above.as_os_str().is_empty()) {
                    // No component is between that could be a link: one call where the other way takes three.
                    None => statat(CWD, root.join(name), AtFlags::SYMLINK_NOFOLLOW),
                    Some(above) => {
                        let above = beneath(root, above, DIRECTORY)?;
                        statat(&above, name, AtFlags::SYMLINK_NOFOLLOW)
                    }
                }
                .map_err(refusal)?
            }
        };
        let nanos = u32::try_from(stat.st_mtime_nsec).unwrap_or(0);
        Ok(Stat {
            kind: FileKind::of_mode(stat.st_mode),
            size: u64::try_from(stat.st_size).unwrap_or(0),
            modified: DateTime::<Utc>::from_timestamp(stat.st_mtime, nanos).unwrap_or_default(),
            mode: stat.st_mode & 0o7777,
            uid: stat.st_uid,
            identity: (stat.st_dev, stat.st_ino),
            links: stat.st_nlink,
        })
    }

    fn list(&self, place: &Place) -> Result<Vec<Entry>, ReadError> {
        let dir = open_dir(place.opened_root(), place.beneath().map(RelPath::as_path))?;
        let mut dir = Dir::new(dir).map_err(refusal)?;
        let mut entries = Vec::new();
        while let Some(entry) = dir.read() {
            let entry = entry.map_err(refusal)?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let name = std::ffi::OsStr::from_bytes(name).to_owned();
            let mut kind = entry.file_type();
            if kind == FileType::Unknown {
                let dir = dir.fd().map_err(refusal)?;
                let stat =
                    statat(dir, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW).map_err(refusal)?;
                kind = FileType::from_raw_mode(stat.st_mode);
            }
            entries.push(Entry {
                name,
                is_dir: kind == FileType::Directory,
                is_link: kind == FileType::Symlink,
            });
        }
        entries.sort();
        Ok(entries)
    }

    fn link_target(&self, place: &Place) -> Result<Foreign, ReadError> {
        let rel = place.beneath().ok_or(ReadError::NotRegular)?.as_path();
        let name = rel.file_name().ok_or(ReadError::NotFound)?;
        let parent = open_dir(place.opened_root(), rel.parent())?;
        let target = readlinkat(&parent, name, Vec::new()).map_err(refusal)?;
        Ok(Foreign::from(target.as_bytes()))
    }

    fn canonical(&self, path: &Path) -> Option<PathBuf> {
        // Most of these paths are canonical already. One system call shows that, where `realpath` needs one for each
        // component.
        if is_plain(path) && without_links(path, OFlags::PATH | OFlags::CLOEXEC).is_ok() {
            return Some(path.to_owned());
        }
        std::fs::canonicalize(path).ok()
    }

    fn unwritable(&self, dir: &Path) -> Option<(PathBuf, io::Error)> {
        super::file_facts::unwritable(dir)
    }
}

/// True for an absolute path in the form that the kernel would return.
fn is_plain(path: &Path) -> bool {
    let rebuilt: PathBuf = path.components().collect();
    path.is_absolute()
        && rebuilt.as_os_str() == path.as_os_str()
        && !path.iter().any(|part| part == "..")
}

/// The available memory in bytes, from Linux's `/proc/meminfo`.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|l| l.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// Opens a regular file without following links and without blocking on pipes.
fn open_regular(place: &Place) -> Result<(File, u64), ReadError> {
    let rel = place.beneath().ok_or(ReadError::NotRegular)?;
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let file = File::from(beneath(place.opened_root(), rel.as_path(), flags)?);
    let meta = file
        .metadata()
        .map_err(|e| ReadError::Other(e.to_string()))?;
    if meta.is_file() {
        Ok((file, meta.size()))
    } else {
        Err(ReadError::NotRegular)
    }
}

fn open_root(root: &Path) -> Result<OwnedFd, ReadError> {
    openat(CWD, root, DIRECTORY, Mode::empty()).map_err(refusal)
}

fn open_dir(root: &Path, rel: Option<&Path>) -> Result<OwnedFd, ReadError> {
    match rel {
        Some(rel) if !rel.as_os_str().is_empty() => beneath(root, rel, DIRECTORY),
        _ => open_root(root),
    }
}

/// Opens an entry below a root. The root itself may be reached through links.
#[cfg(target_os = "linux")]
fn beneath(root: &Path, rel: &Path, flags: OFlags) -> Result<OwnedFd, ReadError> {
    use rustix::fs::{ResolveFlags, openat2};
    // A path without any link stays below its root. This is one call instead of three.
    match without_links(&root.join(rel), flags) {
        Err(Errno::LOOP | Errno::NOSYS | Errno::PERM | Errno::NAMETOOLONG) => {}
        other => return other.map_err(refusal),
    }
    let root = &open_root(root)?;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(root, rel, flags, Mode::empty(), resolve) {
        // Old kernels and some sandboxes do not have openat2.
        Err(Errno::NOSYS | Errno::PERM) => step_by_step(root, rel, flags),
        other => other.map_err(refusal),
    }
}

#[cfg(target_os = "linux")]
fn without_links(path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    openat2(CWD, path, flags, Mode::empty(), resolve)
}

#[cfg(not(target_os = "linux"))]
fn beneath(root: &Path, rel: &Path, flags: OFlags) -> Result<OwnedFd, ReadError> {
    step_by_step(&open_root(root)?, rel, flags)
}

#[cfg(not(target_os = "linux"))]
fn without_links(_path: &Path, _flags: OFlags) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// The same guarantee without `openat2`: every component is opened by itself, without following links.
fn step_by_step(root: &OwnedFd, rel: &Path, flags: OFlags) -> Result<OwnedFd, ReadError> {
    let mut parts = rel.iter().peekable();
    let mut dir = rustix::io::dup(root).map_err(refusal)?;
    while let Some(part) = parts.next() {
        let last = parts.peek().is_none();
        let step = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = openat(
            &dir,
            part,
            if last { flags | OFlags::NOFOLLOW } else { step },
            Mode::empty(),
        );
        let opened = opened.map_err(|e| {
            if e == Errno::NOTDIR && !last {
                ReadError::Link
            } else {
                refusal(e)
            }
        })?;
        if last {
            return Ok(opened);
        }
        dir = opened;
    }
    Ok(dir)
}

/// Why something could not be read, by the error of the system.
pub(crate) fn refusal(errno: Errno) -> ReadError {
    match errno {
        Errno::NOENT | Errno::NOTDIR => ReadError::NotFound,
        Errno::LOOP | Errno::XDEV => ReadError::Link,
        Errno::ACCESS | Errno::PERM => ReadError::Denied,
        Errno::NXIO | Errno::ISDIR => ReadError::NotRegular,
        other => ReadError::Other(std::io::Error::from(other).to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn place(root: &Path, rel: &str) -> Place {
        Place::known(root, rel).unwrap()
    }

    #[test]
    fn reads_lists_and_never_follows_a_link() {
        let outside = crate::world::temporary::directory();
        std::fs::write(outside.path().join("secret"), "canary").unwrap();
        let dir = crate::world::temporary::directory();
        let root = dir.path();
        std::fs::create_dir(root.join("sub")).unwrap();
        std::fs::write(root.join("sub/file"), "hello").unwrap();
        symlink(outside.path(), root.join("way-out")).unwrap();
        symlink(outside.path().join("secret"), root.join("sub/leaf")).unwrap();
        symlink("sub", root.join("inner")).unwrap();
        let files = RealFiles;
        assert_eq!(files.read(&place(root, "sub/file"), 10).unwrap(), b"hello");
        assert_eq!(
            files.read_range(&place(root, "sub/file"), 3, 10).unwrap(),
            b"lo"
        );
        assert_eq!(
            files.read(&place(root, "sub/file"), 3),
            Err(ReadError::TooLarge { size: 5, cap: 3 })
        );
        for link in ["way-out/secret", "sub/leaf", "inner/file"] {
            assert_eq!(
                files.read(&place(root, link), 10),
                Err(ReadError::Link),
                "{link}"
            );
        }
        assert_eq!(
            files.stat(&place(root, "sub/leaf")).unwrap().kind,
            FileKind::Link
        );
        assert_eq!(files.list(&place(root, "way-out")), Err(ReadError::Link));
        let names: Vec<_> = files
            .list(&Place::root(root))
            .unwrap()
            .into_iter()
            .map(|e| e.name)
            .collect();
        assert_eq!(names, ["inner", "sub", "way-out"]);
        assert_eq!(
            files.read(&place(root, "none"), 10),
            Err(ReadError::NotFound)
        );
        assert_eq!(
            files.read(&place(root, "sub"), 10),
            Err(ReadError::NotRegular)
        );
    }

    #[test]
    fn a_true_path_is_what_realpath_says() {
        let dir = crate::world::temporary::directory();
        let root = &dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/f"), "").unwrap();
        symlink("a", root.join("l")).unwrap();
        symlink("none", root.join("dangling")).unwrap();
        let all = "a a/ a/./b a//b/ a/b/.. a/. a/f a/f/ a/f/b l l/ l/b/ l/f l/none l/../a none none/a dangling";
        for path in all.split(' ') {
            let path = root.join(path);
            let said = path.canonicalize().ok();
            assert_eq!(RealFiles.canonical(&path), said, "{}", path.display());
        }
        assert_eq!(RealFiles.canonical(Path::new("")), None);
        assert!(RealFiles.canonical(Path::new(".")).is_some());
        // The root may be reached through a link, what is in it may not.
        let kind = |rel| RealFiles.stat(&place(&root.join("l"), rel)).map(|s| s.kind);
        assert_eq!(kind("b"), Ok(FileKind::Dir));
        assert_eq!(kind("none"), Err(ReadError::NotFound));
        symlink("b", root.join("a/m")).unwrap();
        assert_eq!(kind("m"), Ok(FileKind::Link));
        assert_eq!(kind("m/x"), Err(ReadError::Link));
    }

    #[test]
    fn f8_only_memory_limits_a_state_file() {
        let text = "MemTotal:  8000 kB\nMemAvailable:    1024 kB\nSwapFree: 1 kB\n";
        assert_eq!(available(text), Some(1 << 20));
        assert_eq!(available("MemAvailable: many kB\n"), None);
        assert_eq!(available(""), None);
        assert!((SMALL_CAP..=LOG_CAP).contains(&RealFiles.largest()));
    }

    #[test]
    fn a_pipe_does_not_block() {
        let dir = crate::world::temporary::directory();
        rustix::fs::mknodat(
            CWD,
            dir.path().join("pipe"),
            FileType::Fifo,
            Mode::RUSR | Mode::WUSR,
            0,
        )
        .unwrap();
        assert_eq!(
            RealFiles.read(&place(dir.path(), "pipe"), 10),
            Err(ReadError::NotRegular)
        );
    }

    #[test]
    fn the_fallback_gives_the_same_guarantee() {
        let dir = crate::world::temporary::directory();
        std::fs::create_dir_all(dir.path().join("a/b")).unwrap();
        std::fs::write(dir.path().join("a/b/c"), "x").unwrap();
        symlink("a", dir.path().join("l")).unwrap();
        let root = open_root(dir.path()).unwrap();
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        assert!(step_by_step(&root, Path::new("a/b/c"), flags).is_ok());
        assert_eq!(
            step_by_step(&root, Path::new("l/b/c"), flags).unwrap_err(),
            ReadError::Link
        );
    }
}

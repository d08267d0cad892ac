//! Reads `/proc`. A process that ends meanwhile is left out; one whose facts cannot be read is kept and marked.

use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::model::Foreign;
use crate::text::Shown as _;
use crate::world::process::Process;

/// Clock ticks for a second in `/proc/*/stat`: the kernel reports them in this unit whatever its own timer is.
const TICKS: u64 = 100;

/// How many bytes of one file of `/proc` are read. Longer argument vectors are cut.
const CAP: u64 = 256 << 10;

/// How much of such a file the kernel returns at once.
const PAGE: usize = 4096;

/// How many open files of one process are looked at.
const FILES: usize = 4096;

/// The processes, by id; those of `user` are marked.
pub(super) fn list(proc: &Path, user: u32) -> Result<Vec<Process>, Foreign> {
    let entries = fs::read_dir(proc)
        .map_err(|why| Foreign::from(format!("{} cannot be read: {why}", proc.shown())))?;
    let boot = read(&proc.join("stat"))
        .ok()
        .and_then(|text| boot_time(&text));
    let mut found: Vec<Process> = entries
        .filter_map(Result::ok)
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|pid| one(proc, pid, (boot, user)))
        .collect();
    if found.is_empty() {
        let text = format!("{} lists no process", proc.shown());
        return Err(text.into());
    }
    found.sort_unstable_by_key(|process| process.pid);
    Ok(found)
}

/// One process; `None` if it is gone, or a zombie.
fn one(proc: &Path, pid: u32, (boot, user): (Option<u64>, u32)) -> Option<Process> {
    let dir = proc.join(pid.to_string());
    let text = read(&dir.join("stat")).ok()?;
    let stat = Stat::parse(&text).filter(|stat| !stat.has_ended())?;
    let (flags, ticks): (u64, u64) = stat.field(9).zip(stat.field(22))?;
    let mut process = Process {
        pid,
        parent: stat.field(4)?,
        name: Foreign::from(stat.name),
        started: boot.and_then(|boot| started(boot, ticks)),
        readable: true,
        ..Process::default()
    };
    // `PF_KTHREAD`: a thread of the kernel.
    if flags & 0x0020_0000 != 0 {
        return Some(process);
    }
    process.argv = arguments(&read(&dir.join("cmdline")).unwrap_or_default());
    match fs::read_link(dir.join("cwd")) {
        Ok(cwd) => process.cwd = Some(cwd),
        Err(why) if why.kind() == ErrorKind::NotFound => {}
        Err(_) => process.readable = false,
    }
    match open_files(&dir) {
        Ok((open, writes)) => {
            process.open_files = open;
            process.writes = writes;
        }
        Err(why) if why.kind() == ErrorKind::NotFound => {}
        Err(_) => process.readable = false,
    }
    process.own = process.readable || is_of(user, &dir);
    Some(process)
}

/// Whether a process belongs to a user. The owner of its directory does not tell: it is root for a process that cannot
/// be inspected. If unknown, the answer is yes.
fn is_of(user: u32, dir: &Path) -> bool {
    let status = read(&dir.join("status")).unwrap_or_default();
    let text = String::from_utf8_lossy(&status);
    let line = text.lines().find_map(|line| line.strip_prefix("Uid:"));
    let real = line.and_then(|ids| ids.split_ascii_whitespace().next()?.parse::<u32>().ok());
    real.is_none_or(|real| real == user)
}

/// A line of `/proc/PID/stat`.
pub(in crate::world) struct Stat<'a> {
    pub(in crate::world) name: &'a [u8],
    fields: Vec<&'a str>,
}

impl<'a> Stat<'a> {
    /// The name is in parentheses and may contain some itself, so fields are counted after the last one.
    pub(in crate::world) fn parse(text: &'a [u8]) -> Option<Self> {
        let (open, close) = (memchr::memchr(b'(', text)?, memchr::memrchr(b')', text)?);
        let rest = std::str::from_utf8(text.get(close + 1..)?).ok()?;
        Some(Self {
            name: text.get(open + 1..close)?,
            fields: rest.split_ascii_whitespace().collect(),
        })
    }

    /// A field as proc(5) counts them: from 1, and the name is the second.
    pub(in crate::world) fn field<T: std::str::FromStr>(&self, n: usize) -> Option<T> {
        self.fields.get(n - 3)?.parse().ok()
    }

    /// Whether it has ended already, and only its parent does not know it yet.
    pub(in crate::world) fn has_ended(&self) -> bool {
        matches!(self.fields.first(), Some(&("Z" | "X")))
    }
}

/// The boot time of the machine, in seconds since 1970.
fn boot_time(stat: &[u8]) -> Option<u64> {
    let text = String::from_utf8_lossy(stat);
    let line = text.lines().find_map(|line| line.strip_prefix("btime "))?;
    line.trim().parse().ok()
}

fn started(boot: u64, ticks: u64) -> Option<DateTime<Utc>> {
    let seconds = boot.checked_add(ticks / TICKS)?;
    DateTime::from_timestamp(i64::try_from(seconds).ok()?, 0)
}

/// Arguments, each terminated by a NUL. A program that overwrote its title may leave many NULs at the end.
fn arguments(bytes: &[u8]) -> Vec<Foreign> {
    let end = bytes.iter().rposition(|b| *b != 0).map_or(0, |at| at + 1);
    match bytes.get(..end) {
        None | Some([]) => Vec::new(),
        Some(text) => text.split(|b| *b == 0).map(Foreign::from).collect(),
    }
}

/// The open files of the file system, and those that are open for writing. Pipes, sockets and the like have no absolute
/// path.
fn open_files(dir: &Path) -> std::io::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let (mut open, mut writes) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(dir.join("fd"))?
        .take(FILES)
        .filter_map(Result::ok)
    {
        let Ok(target) = fs::read_link(entry.path()) else {
            continue;
        };
        let elsewhere = ["/proc", "/sys"].iter().any(|top| target.starts_with(top));
        // Most of what is open there is a device, but `/dev/shm` is a file system.
        let device = || target.starts_with("/dev") && !is_regular(&entry.path());
        if !target.is_absolute() || elsewhere || device() {
            continue;
        }
        if may_write(&dir.join("fdinfo").join(entry.file_name())) {
            writes.push(target.clone());
        }
        open.push(target);
    }
    Ok((open, writes))
}

fn is_regular(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|meta| meta.is_file())
}

/// Whether a file was opened for writing, by the octal flags of its `fdinfo`.
pub(in crate::world) fn may_write(fdinfo: &Path) -> bool {
    let text = read(fdinfo).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u64::from_str_radix(flags.trim(), 8).ok());
    // O_WRONLY and O_RDWR.
    flags.is_some_and(|flags| matches!(flags & 3, 1 | 2))
}

fn read(file: &Path) -> std::io::Result<Vec<u8>> {
    // Such files have the size 0, so that an empty buffer would be read in steps of 32 bytes.
    let mut bytes = Vec::with_capacity(PAGE);
    File::open(file)?.take(CAP).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A directory in the layout of `/proc`.
    fn fake(pid: u32, stat: &str, cmdline: &[u8], cwd: Option<&str>) -> tempfile::TempDir {
        let proc = crate::world::temporary::directory();
        fs::write(proc.path().join("stat"), "cpu 1 2\nbtime 1000\n").unwrap();
        fs::write(proc.path().join("version"), "not a process").unwrap();
        let dir = proc.path().join(pid.to_string());
        fs::create_dir_all(dir.join("fd")).unwrap();
        fs::write(dir.join("stat"), stat).unwrap();
        fs::write(dir.join("cmdline"), cmdline).unwrap();
        for (fd, target) in [("0", "/dev/null"), ("1", "pipe:[7]"), ("2", "/p/log.jsonl")] {
            symlink(target, dir.join("fd").join(fd)).unwrap();
        }
        fs::create_dir_all(dir.join("fdinfo")).unwrap();
        fs::write(
            dir.join("fdinfo/2"),
            "pos:\t7\nflags:\t0102001\nmnt_id:\t1\n",
        )
        .unwrap();
        symlink("/p/notes", dir.join("fd/3")).unwrap();
        fs::write(dir.join("fdinfo/3"), "pos:\t0\nflags:\t0100000\n").unwrap();
        if let Some(cwd) = cwd {
            symlink(cwd, dir.join("cwd")).unwrap();
        }
        proc
    }

    /// A line of `/proc/PID/stat` up to the start time.
    fn stat(pid: u32, name: &str, state: char, parent: u32, flags: u64, ticks: u64) -> String {
        format!(
            "{pid} ({name}) {state} {parent} 1 1 0 -1 {flags} 0 0 0 0 0 0 0 0 20 0 1 0 {ticks} 0 0\n"
        )
    }

    #[test]
    fn an_agent_is_read_with_its_folder_files_and_start() {
        let proc = fake(
            42,
            &stat(42, "claude", 'S', 7, 0x400, 250),
            b"claude\0--resume\0\0\0",
            Some("/p"),
        );
        let all = list(proc.path(), 1000).unwrap();
        assert_eq!(
            all,
            [Process {
                pid: 42,
                parent: 7,
                name: "claude".into(),
                argv: vec!["claude".into(), "--resume".into()],
                cwd: Some("/p".into()),
                started: DateTime::from_timestamp(1002, 0),
                open_files: all[0].open_files.clone(),
                writes: vec!["/p/log.jsonl".into()],
                readable: true,
                own: true,
            }]
        );
        let mut open = all[0].open_files.clone();
        open.sort();
        assert_eq!(open, [PathBuf::from("/p/log.jsonl"), "/p/notes".into()]);
    }

    #[test]
    fn a_regular_file_beneath_dev_is_a_file_and_a_device_is_none() {
        let Ok(memory) = tempfile::tempdir_in("/dev/shm") else {
            return;
        };
        let log = memory.path().join("log.jsonl");
        fs::write(&log, "").unwrap();
        let proc = fake(42, &stat(42, "x", 'S', 7, 0, 0), b"x\0", Some("/p"));
        let dir = proc.path().join("42");
        symlink(&log, dir.join("fd/4")).unwrap();
        fs::write(dir.join("fdinfo/4"), "flags:\t0100001\n").unwrap();
        fs::write(dir.join("fdinfo/0"), "flags:\t0100001\n").unwrap();
        let all = list(proc.path(), 1000).unwrap();
        let beneath = |files: &[PathBuf]| -> Vec<PathBuf> {
            let dev = files.iter().filter(|file| file.starts_with("/dev"));
            dev.cloned().collect()
        };
        assert_eq!(beneath(&all[0].open_files), [log.as_path()]);
        assert_eq!(beneath(&all[0].writes), [log]);
    }

    #[test]
    fn w7_the_real_user_owns_a_process_that_cannot_be_inspected() {
        for (status, own) in [
            ("Name:\tx\nUid:\t1000\t0\t0\t0\n", true),
            ("Name:\tx\nUid:\t0\t1000\t0\t0\n", false),
            ("Name:\tx\n", true),
        ] {
            let proc = fake(42, &stat(42, "x", 'S', 7, 0, 0), b"x\0", Some("/p"));
            let dir = proc.path().join("42");
            fs::remove_dir_all(dir.join("fd")).unwrap();
            fs::write(dir.join("fd"), "no directory").unwrap();
            fs::write(dir.join("status"), status).unwrap();
            let all = list(proc.path(), 1000).unwrap();
            assert_eq!((all[0].readable, all[0].own), (false, own), "{status}");
        }
    }

    #[test]
    fn a_hostile_name_does_not_shift_the_fields() {
        let name = "x) Z 1 (\u{1b}y";
        let proc = fake(42, &stat(42, name, 'S', 7, 0, 100), b"", None);
        let all = list(proc.path(), 1000).unwrap();
        assert_eq!(all[0].name, name);
        assert_eq!(
            (all[0].parent, all[0].started),
            (7, DateTime::from_timestamp(1001, 0))
        );
        assert_eq!(all[0].argv, <[Foreign; 0]>::default());
    }

    #[test]
    fn zombies_kernel_threads_and_garbled_entries_are_left_out() {
        for (line, shown) in [
            (stat(42, "claude", 'Z', 7, 0, 0), false),
            (stat(42, "kworker", 'I', 2, 0x0020_8040, 0), true),
            ("garbage".to_owned(), false),
            (String::new(), false),
            ("42 (x) S".to_owned(), false),
            ("42 )x( S 1".to_owned(), false),
        ] {
            let proc = fake(42, &line, b"", None);
            assert_eq!(list(proc.path(), 1000).is_ok(), shown, "{line}");
        }
    }

    #[test]
    fn no_proc_is_an_error_and_not_an_empty_list() {
        let dir = crate::world::temporary::directory();
        assert!(list(&dir.path().join("none"), 0).is_err());
        assert!(list(dir.path(), 0).is_err());
    }
}

//! The system calls of a run, and how strace injects a fault at one of them.
//!
//! Only the main thread is traced: it is the one that writes, and its calls come in the same order every time.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::ground::{Ground, Ran};

/// Calls that change what is on a disk.
const CHANGING: &str = "rename,renameat,renameat2,openat,mkdir,mkdirat,unlink,unlinkat,rmdir,symlinkat,\
    link,linkat,fsync,fdatasync,syncfs,write,pwrite64,writev,fchmod,fchmodat,chmod,fchown,fchownat,\
    utimensat,ftruncate,fallocate,fsetxattr,flock,copy_file_range";

/// Calls that only look.
const LOOKING: &str = "openat2,newfstatat,fstat,statx,read,pread64,getdents64,lseek";

/// One call of a run: its name, and the how-manieth of that name it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Call {
    /// The name of the system call.
    pub(crate) name: String,
    /// Counted from 1.
    pub(crate) at: usize,
}

/// Whether strace can do here what these tests need; says so where it cannot.
pub(crate) fn strace() -> bool {
    let words = ["-e", "trace=openat", "-o", "/dev/null", "true"];
    let tried = std::process::Command::new("strace").args(words).output();
    let can = tried.is_ok_and(|output| output.status.success());
    if !can {
        println!("SKIPPED: no strace that may trace here");
    }
    can
}

/// Runs a command and lists its calls on files beneath the sandbox that change something, in order.
pub(crate) fn changing(
    ground: &Ground,
    project: &str,
    args: &[impl AsRef<str>],
) -> (Ran, Vec<Call>) {
    let (ran, calls) = traced(ground, CHANGING, project, args);
    let root = ground.root().to_string_lossy().into_owned();
    let counts = |line: &str, name: &str| match name {
        "openat" => line.contains("O_CREAT"),
        "write" | "writev" | "pwrite64" => line.contains(&format!("<{root}")),
        "flock" => true,
        _ => line.contains(root.as_str()),
    };
    let kept = calls
        .into_iter()
        .filter(|(call, line)| counts(line, &call.name));
    (ran, kept.map(|(call, _)| call).collect())
}

/// The same for calls that only look, from the first one on that a lock was taken before.
pub(crate) fn looking(
    ground: &Ground,
    project: &str,
    args: &[impl AsRef<str>],
) -> (Ran, Vec<Call>) {
    let both = format!("{LOOKING},flock");
    let (ran, calls) = traced(ground, &both, project, args);
    let locked = calls.iter().position(|(call, _)| call.name == "flock");
    let kept = calls.into_iter().skip(locked.unwrap_or(0) + 1);
    let kept = kept.filter(|(call, _)| call.name != "flock");
    (ran, kept.map(|(call, _)| call).collect())
}

fn traced(
    ground: &Ground,
    names: &str,
    project: &str,
    args: &[impl AsRef<str>],
) -> (Ran, Vec<(Call, String)>) {
    let to = ground.beside("trace");
    let trace = format!("trace={names}");
    let words = ["strace", "-y", "-e", &trace, "-o", to.to_str().unwrap()];
    let ran = ground.behind(&words, project, args);
    let calls = parse(&to);
    (ran, calls)
}

fn parse(trace: &Path) -> Vec<(Call, String)> {
    let text = fs::read(trace).unwrap();
    let text = String::from_utf8_lossy(&text);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut calls = Vec::new();
    for line in text.lines() {
        let Some((name, _)) = line.split_once('(') else {
            continue;
        };
        if !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            continue;
        }
        let count = counts.entry(name).or_default();
        *count += 1;
        let call = Call {
            name: name.to_owned(),
            at: *count,
        };
        calls.push((call, line.to_owned()));
    }
    calls
}

impl Call {
    /// Runs a command that does not live to see this call.
    pub(crate) fn kill(&self, ground: &Ground, project: &str, args: &[impl AsRef<str>]) -> Ran {
        self.inject(ground, "signal=KILL", "", project, args)
    }

    /// Runs a command to which this signal comes at this call.
    pub(crate) fn signal(
        &self,
        ground: &Ground,
        signal: &str,
        project: &str,
        args: &[impl AsRef<str>],
    ) -> Ran {
        self.inject(ground, &format!("signal={signal}"), "", project, args)
    }

    /// Runs a command in which this call, and with `+` each later one of its name, fails.
    pub(crate) fn fail(
        &self,
        ground: &Ground,
        errno: &str,
        on: &str,
        project: &str,
        args: &[impl AsRef<str>],
    ) -> Ran {
        self.inject(ground, &format!("error={errno}"), on, project, args)
    }

    fn inject(
        &self,
        ground: &Ground,
        what: &str,
        on: &str,
        project: &str,
        args: &[impl AsRef<str>],
    ) -> Ran {
        let Self { name, at } = self;
        let trace = format!("trace={name}");
        let inject = format!("inject={name}:{what}:when={at}{on}");
        let words = ["strace", "-e", &trace, "-e", &inject, "-o", "/dev/null"];
        ground.behind(&words, project, args)
    }
}

/// The child of a process, once it is stopped.
pub(crate) fn stopped_child(run: &mut std::process::Child) -> i32 {
    let parent = run.id();
    for _ in 0..2400 {
        std::thread::sleep(std::time::Duration::from_millis(50));
        let ended = run.try_wait().unwrap();
        assert_eq!(ended, None, "it ended without having stopped");
        let children = format!("/proc/{parent}/task/{parent}/children");
        let children = std::fs::read_to_string(children).unwrap_or_default();
        let Some(child) = children.split_whitespace().next() else {
            continue;
        };
        let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        let state = stat
            .rsplit_once(") ")
            .and_then(|(_, rest)| rest.chars().next());
        let status = std::fs::read_to_string(format!("/proc/{child}/status")).unwrap_or_default();
        // A traced process is in `t` at every call too; a stop that lasts is one of the signal.
        if matches!(state, Some('T' | 't')) && is_still_stopped(child) && status.contains("relight")
        {
            return child.parse().unwrap();
        }
    }
    panic!("it never stopped");
}

/// Whether it is stopped for longer than strace stops it at a call, and was scheduled not once meanwhile.
fn is_still_stopped(child: &str) -> bool {
    let switches = || {
        let status = std::fs::read_to_string(format!("/proc/{child}/status")).unwrap_or_default();
        let lines = status.lines().filter(|line| line.contains("ctxt_switches"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let before = switches();
    (0..40).all(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        (stat.contains(") T ") || stat.contains(") t ")) && switches() == before
    })
}

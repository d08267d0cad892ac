//! Real programs, created by each test.

use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};

use super::*;
use crate::model::Place;
use crate::world::files::Files as _;
use crate::world::real_files::RealFiles;

/// A script for `/bin/sh`. A shell copies it into place: a file that this process has open for writing cannot be
/// executed while another thread starts a program.
fn script(dir: &Path, name: &str, text: &str) -> PathBuf {
    let file = dir.join(name);
    let made = command::scrubbed(
        Path::new("/bin/sh"),
        &[
            OsStr::new("-c"),
            OsStr::new("printf '%s' \"$2\" > \"$1\" && chmod 755 \"$1\""),
            OsStr::new("sh"),
            file.as_os_str(),
            OsStr::new(&format!("#!/bin/sh\n{text}\n")),
        ],
    )
    .status();
    assert!(made.unwrap().success());
    file
}

fn words<'a>(words: &'a [&'a str]) -> Vec<&'a OsStr> {
    words.iter().map(OsStr::new).collect()
}

#[test]
fn arguments_arrive_as_they_are_in_the_directory_that_was_named() {
    let dir = crate::world::temporary::directory();
    let at = dir.path().canonicalize().unwrap();
    let tool = script(&at, "tool", "pwd > out; printf '%s|' \"$@\" >> out");
    let odd = ["a;b", "$(touch pwned)", "--", "it's", "", "`id`", "*"];
    let end = run(&tool, &words(&odd), Some(&at)).unwrap();
    assert_eq!(end, LaunchEnd::Exited(0));
    let out = std::fs::read_to_string(at.join("out")).unwrap();
    assert_eq!(out, format!("{}\n{}|", at.display(), odd.join("|")));
    assert!(!at.join("pwned").exists());
}

#[test]
fn exit_status_and_signal_are_distinguished() {
    let dir = crate::world::temporary::directory();
    let table = [
        ("exit 3", LaunchEnd::Exited(3)),
        ("exit 127", LaunchEnd::Exited(127)),
        ("kill -9 $$", LaunchEnd::Signalled(9)),
        ("kill -15 $$", LaunchEnd::Signalled(15)),
    ];
    for (place, (text, end)) in table.into_iter().enumerate() {
        let tool = script(dir.path(), &format!("tool{place}"), text);
        assert_eq!(run(&tool, &[], Some(dir.path())).unwrap(), end, "{text}");
    }
}

#[test]
fn an_interrupt_of_the_terminal_ends_the_program_and_not_relight() {
    let dir = crate::world::temporary::directory();
    // The script sends what the terminal would send to the whole group: to its parent, then to itself. In the script
    // the signal has its usual effect, so it is not ignored there.
    let table = [("INT", 2), ("QUIT", 3)];
    for (name, number) in table {
        let text = format!("ulimit -c 0; kill -{name} $PPID; kill -{name} $$; exit 0");
        let tool = script(dir.path(), name, &text);
        let end = run(&tool, &[], Some(dir.path())).unwrap();
        assert_eq!(end, LaunchEnd::Signalled(number), "{name}");
        assert!(
            under_way(),
            "an interrupt a moment later is also the program's"
        );
    }
}

#[test]
fn nothing_that_relight_holds_open_reaches_the_program() {
    let dir = crate::world::temporary::directory();
    let at = dir.path().canonicalize().unwrap();
    let held = at.join("held");
    std::fs::create_dir(&held).unwrap();
    std::fs::write(held.join("log"), "x\n").unwrap();
    let _lock = File::create(held.join("lock")).unwrap();
    let _private = OpenOptions::new()
        .read(true)
        .mode(0o600)
        .open(held.join("log"))
        .unwrap();
    let place = Place::known(&held, "log").unwrap();
    assert_eq!(RealFiles.read(&place, 10).unwrap(), b"x\n");
    let _dir = rustix::fs::open(
        &held,
        rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::CLOEXEC,
        rustix::fs::Mode::empty(),
    )
    .unwrap();
    let tool = script(&at, "tool", "ls -l /proc/$$/fd > fds");
    run(&tool, &[], Some(&at)).unwrap();
    let fds = std::fs::read_to_string(at.join("fds")).unwrap();
    assert!(fds.contains("/tool") || fds.contains(" -> "), "{fds}");
    assert!(!fds.contains(held.to_str().unwrap()), "{fds}");
}

#[test]
fn a_program_is_absolute_or_on_the_path() {
    let dir = crate::world::temporary::directory();
    let tool = script(dir.path(), "tool", "exit 0");
    std::fs::write(dir.path().join("text"), "").unwrap();
    std::fs::set_permissions(
        dir.path().join("text"),
        std::fs::Permissions::from_mode(0o644),
    )
    .unwrap();
    let path = Some(dir.path().as_os_str());
    assert_eq!(program(OsStr::new("tool"), path), Some(tool.clone()));
    assert_eq!(program(tool.as_os_str(), None), Some(tool));
    for missing in ["text", "./tool", "a/tool", "", "no-such-tool"] {
        assert_eq!(program(OsStr::new(missing), path), None, "{missing}");
    }
    assert_eq!(program(dir.path().join("text").as_os_str(), path), None);
    assert_eq!(program(dir.path().as_os_str(), path), None);
}

#[test]
fn a_program_that_cannot_be_started_is_an_error() {
    let dir = crate::world::temporary::directory();
    assert!(run(&dir.path().join("gone"), &[], Some(dir.path())).is_err());
    let tool = script(dir.path(), "tool", "exit 0");
    assert!(run(&tool, &[], Some(&dir.path().join("gone"))).is_err());
}

#[test]
fn caught_signals_are_read_from_the_mask() {
    let status = "Name:\tx\nSigIgn:\t0000000000001000\nSigCgt:\t0000000100000002\n";
    let table = [(SIGINT, true), (SIGQUIT, false), (33, true), (1, false)];
    for (signal, caught) in table {
        assert_eq!(is_in(status, "SigCgt:", signal), caught, "{signal}");
    }
    assert!(!is_in("", "SigCgt:", SIGINT));
}

/// The variable that tells this program, run again as a child, which part to play.
const PART: &str = "RELIGHT_LAUNCH_PART";

/// This program, run again to play a part of a test.
fn again(part: &str) -> (PathBuf, [String; 3], [(String, String); 1]) {
    let args = [
        "--exact",
        "world::launch::tests::a_part_in_a_child",
        "--nocapture",
    ];
    (
        std::env::current_exe().unwrap(),
        args.map(str::to_owned),
        [(PART.to_owned(), part.to_owned())],
    )
}

/// Not a test of its own: code that the tests below run in a process that may be stopped, or has a terminal.
#[test]
fn a_part_in_a_child() {
    let script = match std::env::var(PART).as_deref() {
        Ok("stop") => "kill -STOP $$; exit 5",
        Ok("modes") => "stty raw -echo; kill -9 $$",
        _ => return,
    };
    let end = run(
        Path::new("/bin/sh"),
        &words(&["-c", script]),
        Some(Path::new("/")),
    )
    .unwrap();
    let canonical = tcgetattr(io::stdin()).is_ok_and(|modes| {
        modes
            .local_modes
            .contains(rustix::termios::LocalModes::ICANON)
    });
    println!("ended: {end}; canonical: {canonical}.");
}

#[test]
fn a_program_that_stops_also_stops_and_continues_relight() {
    let (exe, args, env) = again("stop");
    let mut child = std::process::Command::new(exe)
        .args(args)
        .envs(env)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let pid = Pid::from_child(&child);
    let (_, status) = waitpid(Some(pid), WaitOptions::UNTRACED).unwrap().unwrap();
    assert_eq!(status.stopping_signal(), Some(SIGSTOP));
    kill_process(pid, Signal::CONT).unwrap();
    let mut said = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert!(said.contains("ended: exit 5;"), "{said}");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_program_that_dies_leaves_the_terminal_as_it_was() {
    let pty = portable_pty::native_pty_system();
    let pair = pty.openpty(portable_pty::PtySize::default()).unwrap();
    let (exe, args, env) = again("modes");
    let mut command = portable_pty::CommandBuilder::new(exe);
    command.args(args);
    for (name, value) in env {
        command.env(name, value);
    }
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut said = Vec::new();
    // On this system, reading to the end of a pseudo-terminal is an error.
    drop(
        pair.master
            .try_clone_reader()
            .unwrap()
            .read_to_end(&mut said),
    );
    child.wait().unwrap();
    let said = String::from_utf8_lossy(&said);
    assert!(
        said.contains("ended: stopped by signal 9; canonical: true."),
        "{said}"
    );
}

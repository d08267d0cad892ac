use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

const LONG: Duration = Duration::from_secs(60);

/// A script for `/bin/sh` in a folder.
fn job(dir: &Path, script: &str) -> Job {
    Job {
        argv: ["/bin/sh", "-c", script].map(OsString::from).to_vec(),
        dir: dir.to_owned(),
        wrapper: Vec::new(),
        vars: Vec::new(),
        mark: Vec::new(),
        timeout: LONG,
        grace: Duration::from_secs(5),
        keep: KEPT,
    }
}

fn never() -> bool {
    false
}

/// Runs a script; its output and its result.
fn sh(script: &str) -> (Outcome, Vec<u8>) {
    let dir = crate::world::temporary::directory();
    let mut kept = Vec::new();
    let outcome = run(&job(dir.path(), script), &mut kept, &never);
    (outcome, kept)
}

#[test]
fn the_end_the_output_and_the_last_line_are_known() {
    let table: &[(&str, End, &str, &[u8])] = &[
        (
            "echo one; echo two >&2",
            End::Exited(0),
            "two",
            b"one\ntwo\n",
        ),
        ("echo nö; exit 3", End::Exited(3), "nö", "nö\n".as_bytes()),
        ("printf 'a\\n \\n\\n'", End::Exited(0), "a", b"a\n \n\n"),
        ("printf 'no end'", End::Exited(0), "no end", b"no end"),
        ("true", End::Exited(0), "", b""),
        ("kill -KILL $$", End::Signalled(9), "", b""),
    ];
    for (script, end, last, kept) in table {
        let (outcome, bytes) = sh(script);
        assert_eq!(outcome.end, *end, "{script}");
        assert_eq!(
            String::from_utf8_lossy(&outcome.last_line),
            *last,
            "{script}"
        );
        assert_eq!(bytes, *kept, "{script}");
        assert_eq!(outcome.bytes, u64::try_from(kept.len()).unwrap());
        assert!(
            outcome.left_behind.is_empty() && outcome.unkept.is_none(),
            "{script}"
        );
    }
    assert_eq!(sh("printf 'nö\\n'").0.chars, 3);
}

#[test]
fn it_runs_in_its_folder_with_its_variables_and_no_input() {
    let dir = crate::world::temporary::directory();
    let dir = dir.path().canonicalize().unwrap();
    let mut job = job(
        &dir,
        "pwd; echo $RELIGHT_SEQ; cat; cut -d' ' -f5 /proc/$$/stat; echo $$",
    );
    job.vars = vec![("RELIGHT_SEQ".into(), "7".into())];
    let mut kept = Vec::new();
    assert_eq!(run(&job, &mut kept, &never).end, End::Exited(0));
    let said = String::from_utf8(kept).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[..2], [dir.to_str().unwrap(), "7"]);
    assert_eq!(lines[2], lines[3], "its own group");
}

#[test]
fn a_program_that_cannot_start_says_why() {
    let dir = crate::world::temporary::directory();
    let text = dir.path().join("text");
    std::fs::write(&text, "").unwrap();
    let table = [
        (
            "no-such-program-anywhere",
            "no-such-program-anywhere is not installed",
        ),
        (
            "bin/tool",
            "`bin/tool` is not a program: give a bare name or an absolute path",
        ),
        (
            "",
            "`` is not a program: give a bare name or an absolute path",
        ),
        (
            "/nowhere/tool",
            "/nowhere/tool is not an executable program",
        ),
        (text.to_str().unwrap(), "is not an executable program"),
    ];
    for (program, says) in table {
        let mut job = job(dir.path(), "");
        job.argv = vec![program.into()];
        let end = run(&job, &mut std::io::sink(), &never).end;
        assert!(
            matches!(&end, End::Missing(why) if why.ends_with(says)),
            "{program}: {end:?}"
        );
    }
    let mut job = job(dir.path(), "");
    job.argv.clear();
    assert!(matches!(
        run(&job, &mut std::io::sink(), &never).end,
        End::Missing(_)
    ));
    let gone = self::job(&dir.path().join("gone"), "true");
    assert!(matches!(
        run(&gone, &mut std::io::sink(), &never).end,
        End::NotStarted(_)
    ));
}

#[test]
fn a_program_that_takes_too_long_is_terminated_and_then_killed() {
    let dir = crate::world::temporary::directory();
    let polite = "trap 'echo asked; exit 0' TERM; echo up; while :; do /bin/sleep 0.01; done";
    let deaf = "trap '' TERM; echo up; while :; do /bin/sleep 0.01; done";
    let silent = "exec >&- 2>&-; while :; do /bin/sleep 0.01; done";
    for (script, last) in [(polite, "asked"), (deaf, "up"), (silent, "")] {
        let mut job = job(dir.path(), script);
        job.timeout = Duration::from_millis(300);
        job.grace = Duration::from_millis(if script == deaf { 100 } else { 60_000 });
        let outcome = run(&job, &mut std::io::sink(), &never);
        assert_eq!(outcome.end, End::TimedOut, "{script}");
        assert_eq!(
            String::from_utf8_lossy(&outcome.last_line),
            last,
            "{script}"
        );
        assert!(outcome.took < LONG);
    }
}

#[test]
fn the_switch_stops_it_with_all_of_its_group() {
    let dir = crate::world::temporary::directory();
    // The grandchild writes its pid to a file before anything is printed.
    let script = "/bin/sh -c 'echo $$ > pid; exec /bin/sleep 600' & while ! test -s pid; do :; done; echo up; wait";
    let up = AtomicBool::new(false);
    let mut sink = Watching(&up);
    let outcome = run(&job(dir.path(), script), &mut sink, &|| {
        up.load(Ordering::SeqCst)
    });
    assert_eq!(outcome.end, End::Cancelled);
    assert!(outcome.left_behind.is_empty(), "it was killed");
    assert!(!runs(dir.path()), "the grandchild is gone");
}

#[test]
fn processes_left_running_are_killed_and_named() {
    let dir = crate::world::temporary::directory();
    for deaf in ["", "trap \"\" TERM; "] {
        let script = format!(
            "rm -f pid; /bin/sh -c '{deaf}echo $$ > pid; while :; do /bin/sleep 0.01; done' & while ! test -s pid; do :; done; echo done"
        );
        let mut job = job(dir.path(), &script);
        job.grace = Duration::from_millis(100);
        let outcome = run(&job, &mut std::io::sink(), &never);
        assert_eq!(outcome.end, End::Exited(0));
        assert!(!outcome.left_behind.is_empty(), "{deaf}");
        assert_eq!(outcome.last_line, b"done");
        assert!(!runs(dir.path()), "{deaf}");
    }
}

#[test]
fn a_process_that_left_the_group_with_the_pipe_is_not_waited_for() {
    let dir = crate::world::temporary::directory();
    let script = "setsid /bin/sh -c 'echo $$ > pid; exec /bin/sleep 600' & while ! test -s pid; do :; done; echo done";
    let outcome = run(&job(dir.path(), script), &mut std::io::sink(), &never);
    assert_eq!(outcome.end, End::Exited(0));
    assert_eq!(outcome.last_line, b"done");
    assert!(runs(dir.path()), "it left the group");
    let pid = rustix::process::Pid::from_raw(pid(dir.path()).parse().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

#[test]
fn of_a_flood_the_beginning_and_the_end_are_kept() {
    let dir = crate::world::temporary::directory();
    let script = "echo begun; head -c 5000000 /dev/zero; echo; echo the end";
    let mut job = job(dir.path(), script);
    job.keep = 1_000;
    let mut kept = Vec::new();
    let outcome = run(&job, &mut kept, &never);
    assert_eq!((outcome.bytes, outcome.kept), (5_000_015, 1_000 - CUT));
    let text = String::from_utf8(kept).unwrap();
    assert!((937..=1_000).contains(&text.len()), "{}", text.len());
    assert!(text.starts_with("begun\n") && text.ends_with("\nthe end\n"));
    assert!(
        text.contains("\n[4999079 bytes were not kept]\n"),
        "{text:?}"
    );
    assert_eq!(outcome.last_line, b"the end");
}

#[test]
fn an_output_that_just_fits_is_kept_whole() {
    let dir = crate::world::temporary::directory();
    let mut job = job(dir.path(), "head -c 936 /dev/zero");
    job.keep = 1_000;
    let mut kept = Vec::new();
    assert_eq!(run(&job, &mut kept, &never).kept, 936);
    assert_eq!(kept.len(), 936);
}

#[test]
fn output_that_cannot_be_kept_does_not_stop_it() {
    let dir = crate::world::temporary::directory();
    let outcome = run(&job(dir.path(), "echo a; echo b"), &mut Full, &never);
    assert_eq!(outcome.end, End::Exited(0));
    assert_eq!(outcome.last_line, b"b");
    assert!(outcome.unkept.is_some());
}

/// The pid that a script wrote to the file `pid`.
fn pid(dir: &Path) -> String {
    let text = std::fs::read_to_string(dir.join("pid")).unwrap();
    text.trim().to_owned()
}

/// Whether the process with that pid runs.
fn runs(dir: &Path) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid(dir)));
    stat.is_ok_and(|stat| !stat.contains(") Z"))
}

/// Sets a switch at the first byte.
struct Watching<'a>(&'a AtomicBool);

impl io::Write for Watching<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.store(true, Ordering::SeqCst);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A full disk.
struct Full;

impl io::Write for Full {
    fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_process_that_left_the_group_is_named_and_ended_by_its_mark() {
    let dir = crate::world::temporary::directory();
    let mark = vec![(
        OsString::from("RELIGHT_TREE"),
        dir.path().as_os_str().to_owned(),
    )];
    let script = "setsid sleep 600 >/dev/null 2>&1 & echo $! > pid; sleep 0.2";
    let job = Job {
        vars: mark.clone(),
        mark: mark.clone(),
        ..job(dir.path(), script)
    };
    let outcome = run(&job, &mut std::io::sink(), &never);
    assert_eq!(outcome.end, End::Exited(0));
    assert_eq!(outcome.left_behind, [Foreign::from("sleep")]);
    assert_eq!(marked(&mark), []);
    let pid = std::fs::read_to_string(dir.path().join("pid")).unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/status", pid.trim()));
    assert!(status.is_err() || status.unwrap().contains("State:\tZ"));
    // Only processes with the whole mark count.
    let other = [(OsString::from("RELIGHT_TREE"), OsString::from("/elsewhere"))];
    assert_eq!(marked(&other), []);
    assert_eq!(marked(&[]), []);
}

#[test]
fn when_relight_is_gone_the_group_and_what_left_it_end() {
    let dir = crate::world::temporary::directory();
    let mark = vec![(
        OsString::from("RELIGHT_TREE"),
        dir.path().as_os_str().to_owned(),
    )];
    let script =
        "setsid sleep 600 & while ! test -e go; do sleep 0.01; done; echo $$ > pid; exec sleep 600";
    let job = Job {
        vars: mark.clone(),
        ..job(dir.path(), script)
    };
    let (mut child, _pipe) = start(&job, Path::new("/bin/sh")).unwrap();
    while marked(&mark)
        .iter()
        .filter(|one| one.name.as_bytes() == b"sleep")
        .count()
        < 2
    {}
    std::fs::write(dir.path().join("go"), "").unwrap();
    // A process that starts its program has no environment for a moment.
    let sleeps =
        |one: &descendants::Descendant| one.pid == child.id() && one.name.as_bytes() == b"sleep";
    while !marked(&mark).iter().any(sleeps) {}
    // Nothing was told: nothing is ended.
    wait_for_the_end(&b""[..]);
    assert!(marked(&mark).len() > 1);
    // Nor is what has ended by itself, nor half a record.
    let group = Group::of(&child);
    let (told, ended) = (lifeline::told(group, &mark), lifeline::ended(group));
    wait_for_the_end(&[&told[..], &ended].concat()[..]);
    wait_for_the_end(&told[..told.len() - 2]);
    assert!(marked(&mark).len() > 1);
    wait_for_the_end(&[&told[..], &ended, &told].concat()[..]);
    assert_eq!(marked(&mark), []);
    assert!(!child.wait().unwrap().success());
}

#[test]
fn when_relight_is_gone_programs_that_ignore_it_end_together() {
    let dir = crate::world::temporary::directory();
    let script = "trap '' TERM; : > $READY; while :; do sleep 0.05; done";
    let started = ["1", "2", "3", "4", "5", "6"].map(|name| {
        let ready = dir.path().join(name);
        let job = Job {
            vars: vec![("READY".into(), ready.clone().into())],
            ..job(dir.path(), script)
        };
        let (child, pipe) = start(&job, Path::new("/bin/sh")).unwrap();
        while !ready.exists() {}
        (child, pipe)
    });
    let groups = started.each_ref().map(|(child, _)| Group::of(child));
    let told = groups.map(|group| lifeline::told(group, &Vec::new()));
    let since = Instant::now();
    wait_for_the_end(&told.concat()[..]);
    // One after the other they would take a second each.
    assert!(since.elapsed() < Duration::from_secs(4));
    for (mut child, _pipe) in started {
        assert!(!child.wait().unwrap().success());
    }
}

#[test]
fn a_wrapper_starts_the_program_and_its_status_above_128_is_a_signal() {
    let dir = crate::world::temporary::directory();
    for (script, end) in [
        ("exit 3", End::Exited(3)),
        ("exit 137", End::Signalled(9)),
        ("test $WRAPPED = yes", End::Exited(0)),
    ] {
        let job = Job {
            wrapper: ["/usr/bin/env", "WRAPPED=yes"].map(OsString::from).to_vec(),
            ..job(dir.path(), script)
        };
        assert_eq!(run(&job, &mut std::io::sink(), &never).end, end, "{script}");
    }
    let gone = Job {
        argv: vec!["no-such-program-anywhere".into()],
        wrapper: vec!["/usr/bin/env".into()],
        ..job(dir.path(), "")
    };
    let end = run(&gone, &mut std::io::sink(), &never).end;
    assert!(matches!(end, End::Missing(_)), "{end:?}");
}

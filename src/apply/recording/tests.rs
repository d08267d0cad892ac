//! A record on the simulated disk: killed or without power before every call, it happened whole or not at all once
//! the next record has begun.

use std::path::Path;
use std::time::Duration;

use chrono::DateTime;

use super::Recording;
use crate::apply::disk::Disk as _;
use rustix::io::Errno;

use crate::apply::disk::sim::{Fault, SimDisk, SimRefs};
use crate::apply::error::ApplyError;
use crate::apply::session::Context;
use crate::git::RealGit;
use crate::model::{Action, Cancel, ClockStyle, ErrorKind, Step};

fn world() -> SimDisk {
    let disk = SimDisk::new();
    disk.folder("/state").mode("/state", 0o700, 1000);
    disk.folder("/p");
    disk.file("/p/state.json", "{\"n\": 1}");
    disk.file("/p/log", "first\n");
    disk
}

fn replace(before: Option<&str>, after: &str) -> Step {
    let before = before.map(|text| text.as_bytes().to_vec());
    Step::replace_file("/p/state.json", before, after.into(), None, "s")
}

fn create(path: &str, text: &str) -> Step {
    Step::replace_file(path, None, text.into(), None, "s")
}

fn line(text: &str) -> Step {
    Step::append_lines(
        "/p/log",
        vec![text.to_owned()],
        ClockStyle::LocalOffset,
        "s",
    )
}

fn moved(from: &str, to: &str) -> Step {
    Step::move_aside(from, to, "s")
}

/// Records, or only takes the locks, as the next record does first.
fn record(disk: &SimDisk, steps: &[Step]) -> Result<(), ApplyError> {
    let refs = SimRefs(disk);
    let cancel = Cancel::new();
    let context = Context {
        disk,
        refs: &refs,
        state: Path::new("/state"),
        root: Path::new("/p"),
        common_dir: None,
        me: 1000,
        now: DateTime::parse_from_rfc3339("2026-11-21T07:00:00Z").unwrap(),
        cancel: &cancel,
    };
    let recording = Recording::begin(&context, Duration::ZERO)?;
    let actions: Vec<Action> = steps.iter().filter_map(Step::change).cloned().collect();
    if actions.is_empty() {
        return Ok(());
    }
    let line = format!("{{\"call\":{}}}\n", disk.steps());
    recording.write(&actions, &RealGit, line.as_bytes(), (context.now, true))
}

/// What the person's folder holds. Of the log only whole lines: a power cut may leave a torn one, which is closed and
/// stays.
fn files(disk: &SimDisk) -> Vec<(String, String)> {
    let dir = disk.root("/p".as_ref()).unwrap();
    let mut all = Vec::new();
    for name in disk.list(&dir).unwrap() {
        let name = name.to_str().unwrap().to_owned();
        let inside = disk.dir(&dir, Path::new(&name));
        let moved = inside.and_then(|dir| disk.read(&dir, "state.json".as_ref(), 1 << 20));
        let Ok(bytes) = moved.or_else(|_| disk.read(&dir, name.as_ref(), 1 << 20)) else {
            continue;
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let whole = ["first", "zero", "second"];
        let text = match name.as_str() {
            "log" => text.lines().filter(|line| whole.contains(line)).collect(),
            _ => text,
        };
        all.push((name, text));
    }
    all
}

fn cases() -> Vec<(&'static str, Vec<Step>)> {
    let changed = || replace(Some("{\"n\": 1}"), "{\"n\": 2}");
    vec![
        ("one file", vec![changed()]),
        ("a new file", vec![create("/p/new", "x")]),
        ("a line", vec![line("second")]),
        ("a file and a line", vec![changed(), line("second")]),
        (
            "two files",
            vec![create("/p/state.json.backup", "{\"n\": 1}"), changed()],
        ),
        (
            "a new directory",
            vec![create("/p/a/b/new", "x"), line("second")],
        ),
        ("a move", vec![moved("/p/state.json", "/p/done.json")]),
        (
            "a move into a new directory",
            vec![moved("/p/state.json", "/p/done/state.json")],
        ),
    ]
}

/// The world after its first record, which made the folders.
fn begun() -> SimDisk {
    let start = world();
    record(&start, &[line("zero")]).unwrap();
    let start = start.after_kill();
    start.heal();
    start
}

#[test]
fn a_record_that_is_cut_anywhere_happened_whole_or_not_at_all() {
    for (name, steps) in cases() {
        let start = begun();
        let before = files(&start);
        let whole = start.branch();
        record(&whole, &steps).unwrap();
        let (after, calls) = (files(&whole), whole.steps());
        assert_ne!(before, after, "{name}");
        for step in 0..=calls {
            let disk = start.branch();
            disk.die_at(step);
            let done = record(&disk, &steps).is_ok();
            let mut found = vec![disk.after_kill()];
            found.extend(disk.crash_states(6, step));
            for disk in found {
                record(&disk, &[]).unwrap();
                let seen = files(&disk);
                let fits = seen == after || !done && seen == before;
                assert!(
                    fits,
                    "{name} before call {step}: {seen:?}\n{}",
                    disk.trace()
                );
            }
        }
    }
}

/// The lines of the ledger that are valid.
fn ledger(disk: &SimDisk) -> usize {
    let (text, _) = super::ledgers(disk, Path::new("/state")).unwrap();
    super::from_the_end(&text).count()
}

/// A record is killed before any of its calls, then another program saves a file of it: what it saved stays, and of
/// the record everything else is applied, or nothing.
#[test]
fn a_record_that_is_cut_before_another_program_saves_stands_whole_or_not_at_all() {
    for (name, steps) in cases() {
        let start = begun();
        let whole = start.branch();
        record(&whole, &steps).unwrap();
        let (before, calls) = (files(&start), whole.steps());
        let after = files(&whole);
        let others =
            ["/p/state.json", "/p/new"].map(|path| (path, path.rsplit('/').next().unwrap()));
        for (path, short) in others {
            let without = |files: &[(String, String)]| {
                let mut files = files.to_vec();
                files.retain(|(name, _)| name != short);
                files
            };
            let (before, after) = (without(&before), without(&after));
            for step in 0..=calls {
                let disk = start.branch();
                disk.die_at(step);
                let _cut = record(&disk, &steps);
                let disk = disk.after_kill();
                disk.file(path, "theirs");
                record(&disk, &[]).unwrap();
                let mut seen = files(&disk);
                let at = seen.iter().position(|(name, _)| name == short).unwrap();
                assert_eq!(seen.remove(at).1, "theirs", "{name} before call {step}");
                let made = ledger(&disk) == 2;
                let same = if made { &after } else { &before };
                assert_eq!(&seen, same, "{name} before call {step}\n{}", disk.trace());
            }
        }
    }
}

#[test]
fn a_record_that_was_not_made_is_not_in_the_ledger() {
    for (name, steps) in cases() {
        let start = begun();
        let before = files(&start);
        let whole = start.branch();
        record(&whole, &steps).unwrap();
        for step in 0..=whole.steps() {
            let disk = start.branch();
            disk.die_at(step);
            let _cut = record(&disk, &steps);
            let disk = disk.after_kill();
            if files(&disk) == before {
                assert_eq!(ledger(&disk), 1, "{name} before call {step}");
            }
            record(&disk, &[]).unwrap();
            let made = files(&disk) != before;
            assert_eq!(
                ledger(&disk),
                1 + usize::from(made),
                "{name} before call {step}"
            );
        }
    }
}

#[test]
fn a_change_of_another_program_stays() {
    let disk = world();
    let steps = [replace(Some("{\"n\": 0}"), "{\"n\": 2}"), line("second")];
    assert!(record(&disk, &steps).is_err());
    assert_eq!(files(&disk), files(&world()));
}

#[test]
fn nothing_is_recorded_over_a_pending_recovery() {
    let disk = world();
    record(&disk, &[line("zero")]).unwrap();
    let state = disk.root("/state/relight".as_ref()).unwrap();
    let project = disk.list(&state).unwrap();
    let project = project.iter().find(|name| name.len() == 16).unwrap();
    let folder = Path::new("/state/relight").join(project);
    disk.folder(folder.join("20261121T070000000-aaaa/slots"));
    disk.file(folder.join("20261121T070000000-aaaa/PREPARED"), "");
    let before = files(&disk);
    let error = record(&disk, &[line("second")]).unwrap_err();
    assert!(
        error.text.lossy().contains("20261121T070000000-aaaa"),
        "{error:?}"
    );
    assert_eq!(files(&disk), before);
}

/// What the log holds, byte for byte.
fn log(disk: &SimDisk) -> String {
    String::from_utf8(disk.content("/p/log").unwrap()).unwrap()
}

/// The cases, on a disk whose writes come short and where somebody may have left the last line of the log open.
fn short_worlds() -> Vec<(&'static str, Vec<Step>, SimDisk)> {
    let mut all = Vec::new();
    for (name, steps) in cases() {
        for torn in [false, true] {
            let start = begun();
            if torn {
                start.file("/p/log", "first\nzero\nopen");
            }
            start.write_short();
            all.push((name, steps.clone(), start));
        }
    }
    all
}

/// Every state that may remain: as before, or as a record that went well leaves it.
fn either(start: &SimDisk, steps: &[Step]) -> [(Vec<(String, String)>, String); 2] {
    let whole = start.branch();
    record(&whole, steps).unwrap();
    [start, &whole].map(|disk| (files(disk), log(disk)))
}

#[test]
fn a_line_that_a_kill_has_cut_is_ended_by_the_next_record() {
    for (name, steps, start) in short_worlds() {
        let wanted = either(&start, &steps);
        let whole = start.branch();
        record(&whole, &steps).unwrap();
        for step in 0..=whole.steps() {
            let disk = start.branch();
            disk.die_at(step);
            let _cut = record(&disk, &steps);
            let disk = disk.after_kill();
            record(&disk, &[]).unwrap();
            let seen = (files(&disk), log(&disk));
            assert!(
                wanted.contains(&seen),
                "{name} before call {step}: {seen:?}"
            );
        }
    }
}

#[test]
fn a_record_on_a_full_disk_leaves_nothing_and_says_so() {
    for (name, steps, start) in short_worlds() {
        let wanted = either(&start, &steps);
        for at in 0.. {
            let disk = start.branch();
            disk.fail(Fault {
                at,
                errno: Errno::NOSPC,
                lasting: true,
                done: false,
            });
            let done = record(&disk, &steps);
            if !disk.fault_struck() {
                break;
            }
            let case = format!("{name} full from call {at}");
            let seen = (files(&disk), log(&disk));
            match done {
                Ok(()) => assert_eq!(seen, wanted[1], "{case}"),
                Err(ApplyError {
                    kind: ErrorKind::RolledBack,
                    hints,
                    ..
                }) => {
                    assert_eq!(seen, wanted[0], "{case}\n{}", disk.trace());
                    assert!(hints[0].lossy().contains("Free some space"), "{case}");
                }
                // No rename may be possible any more.
                Err(why) if why.kind == ErrorKind::Unclear => assert_ne!(name, "a line", "{case}"),
                Err(other) => panic!("{case}: {other:?}"),
            }
            disk.heal();
            record(&disk, &[]).unwrap();
            let seen = (files(&disk), log(&disk));
            let made = seen == wanted[1];
            assert!(made || seen == wanted[0], "{case}: {seen:?}");
            assert_eq!(ledger(&disk), 1 + usize::from(made), "{case}");
        }
    }
}

#[test]
fn what_another_program_appended_after_a_cut_line_stays() {
    for (name, steps, start) in short_worlds() {
        let whole = start.branch();
        record(&whole, &steps).unwrap();
        for step in 0..=whole.steps() {
            let disk = start.branch();
            disk.die_at(step);
            let _cut = record(&disk, &steps);
            let disk = disk.after_kill();
            disk.file("/p/log", log(&disk) + "theirs\n");
            record(&disk, &[]).unwrap();
            let lines = log(&disk);
            assert!(
                lines.contains("theirs\n"),
                "{name} before call {step}: {lines}"
            );
            let second = lines.lines().filter(|line| *line == "second").count();
            assert!(second < 2, "{name} before call {step}: {lines}");
        }
    }
}

//! The process table, row by row, and the freshness of markers with real files.

use std::fs;
use std::time::{Duration, SystemTime};

use super::*;
use crate::systems::superscientist::tests::{state, with_job};
use crate::world::fake::FakeWorld;
use crate::world::process::{Pane, TmuxSession};

fn record(recovery: bool) -> JobRecord {
    with_job(&mut state(&[("stage-2", "running", &[])]), 0, recovery)
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is one table")]
fn every_row_of_the_process_table() {
    let alive = Session::Alive;
    let gone = Session::Gone;
    let blind = Session::Unknown("no tmux".into());
    let elsewhere = Session::Elsewhere("/x".into());
    let fresh = Marker::Fresh;
    let none = Marker::None;
    let stale = Marker::Stale(String::new());
    let zero = Ok(0);
    let odd = Err(String::new());
    let (first, second) = (record(false), record(true));
    let running = StageStatus::Running;
    let preparing = StageStatus::Preparing;
    let table = [
        ("1", running, Some(&first), &alive, &none, &odd, Row::Keep),
        (
            "1 preparing",
            preparing,
            Some(&first),
            &alive,
            &none,
            &odd,
            Row::Keep,
        ),
        (
            "1 with a marker",
            running,
            Some(&first),
            &alive,
            &fresh,
            &zero,
            Row::Keep,
        ),
        ("2", running, Some(&first), &gone, &fresh, &zero, Row::Ended),
        (
            "2 without tmux",
            running,
            Some(&first),
            &blind,
            &fresh,
            &zero,
            Row::Ended,
        ),
        (
            "3",
            running,
            Some(&first),
            &gone,
            &fresh,
            &Ok(137),
            Row::Broke(137),
        ),
        (
            "4",
            running,
            Some(&first),
            &gone,
            &none,
            &odd,
            Row::Relaunch,
        ),
        (
            "4 another's session",
            running,
            Some(&first),
            &elsewhere,
            &none,
            &odd,
            Row::Relaunch,
        ),
        (
            "4 preparing",
            preparing,
            Some(&first),
            &gone,
            &none,
            &odd,
            Row::Relaunch,
        ),
        (
            "5",
            running,
            Some(&second),
            &gone,
            &none,
            &odd,
            Row::DiedTwice,
        ),
        ("6", running, None, &gone, &none, &odd, Row::NoData),
        ("7", preparing, None, &gone, &none, &odd, Row::Preparing),
        (
            "stale marker",
            running,
            Some(&second),
            &gone,
            &stale,
            &odd,
            Row::AskMarker,
        ),
        (
            "no code",
            running,
            Some(&first),
            &gone,
            &fresh,
            &odd,
            Row::AskExit,
        ),
        (
            "blind",
            running,
            Some(&second),
            &blind,
            &none,
            &odd,
            Row::AskSession,
        ),
        (
            "verifying",
            StageStatus::PostProcessing,
            None,
            &gone,
            &none,
            &odd,
            Row::Verify,
        ),
    ];
    for (name, status, record, session, marker, exit, expected) in table {
        assert_eq!(
            row(status, record, session, marker, exit),
            expected,
            "{name}"
        );
    }
}

#[test]
fn a_session_is_ours_only_by_its_exact_name_and_its_pane() {
    let dir = crate::world::temporary::directory();
    let wf = fs::canonicalize(dir.path()).unwrap().join("wf");
    fs::create_dir_all(wf.join("stage-1")).unwrap();
    let world = FakeWorld::from("2026-06-01T00:00:00Z");
    let session_at = |name: &str, cwd: &Path| TmuxSession {
        name: name.into(),
        created: None,
        panes: vec![Pane {
            pid: 1,
            cwd: cwd.to_owned(),
            command: "bash".into(),
        }],
    };
    let ours = Ok(vec![session_at("dpdisp_stage-1", &wf.join("stage-1"))]);
    let longer = Ok(vec![session_at("dpdisp_stage-10", &wf)]);
    let other = Ok(vec![session_at("dpdisp_stage-1", dir.path())]);
    let seen = |tmux: &_| session(&wf, "dpdisp_stage-1", tmux, &world);
    assert_eq!(seen(&ours), Session::Alive);
    assert_eq!(seen(&longer), Session::Gone);
    assert!(matches!(seen(&other), Session::Elsewhere(_)));
    assert!(matches!(seen(&Err("no tmux".into())), Session::Unknown(_)));
}

/// Writes a file with an age in seconds.
fn aged(path: &Path, text: &str, age: u64) {
    fs::write(path, text).unwrap();
    let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_780_000_000 - age);
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(at).unwrap();
}

#[test]
fn a_marker_counts_only_if_it_is_no_older_than_its_launch() {
    type Case = (
        &'static str,
        Option<u64>,
        &'static str,
        Option<&'static str>,
        &'static str,
    );
    let world = FakeWorld::from("2026-06-01T00:00:00Z");
    // 1780000000 is 2026-05-28T20:26:40Z.
    let table: [Case; 8] = [
        ("newer than its wrapper", Some(100), "", None, "fresh"),
        ("older than its wrapper", Some(10), "", None, "stale"),
        (
            "older than the log says",
            None,
            "[2026-05-28T20:26:30+00:00] stage-2: status -> running\n",
            None,
            "stale",
        ),
        (
            "newer than the log says",
            None,
            "[2026-05-28T20:25:30+00:00] stage-2: status -> running\n",
            Some("2026-05-28T20:27:00Z"),
            "fresh",
        ),
        (
            "older than launched_at alone",
            None,
            "",
            Some("2026-05-28T20:26:30Z"),
            "stale",
        ),
        (
            "of the attempt that failed, after which one began that is not in the log",
            Some(100),
            "[2026-05-28T20:20:00+00:00] stage-2: status -> running\n\
             [2026-05-28T20:26:50+00:00] stage-2: status -> failed\n",
            Some("2026-05-28T20:28:00Z"),
            "stale",
        ),
        (
            "of the attempt whose failure is only in the log",
            Some(100),
            "[2026-05-28T20:20:00+00:00] stage-2: status -> running\n\
             [2026-05-28T20:26:50+00:00] stage-2: status -> failed\n",
            Some("2026-05-28T20:20:01Z"),
            "fresh",
        ),
        ("nothing to hold it against", None, "", None, "undated"),
    ];
    for (name, wrapper, text, launched, expected) in table {
        let dir = crate::world::temporary::directory();
        fs::create_dir(dir.path().join("stage-2")).unwrap();
        aged(&dir.path().join("stage-2/DPDISP_DONE"), "", 50);
        if let Some(age) = wrapper {
            aged(&dir.path().join("stage-2/dpdisp-run.sh"), "x", age);
        }
        let mut state = state(&[("stage-2", "running", &[])]);
        let mut job = with_job(&mut state, 0, false);
        job.launched_at = launched.map(str::to_owned);
        let log = Log::read(text.as_bytes().to_vec(), world.clock());
        let seen = match marker(dir.path(), &state.stages[0], &job, &log, &world) {
            Marker::Fresh => "fresh",
            Marker::Stale(_) => "stale",
            Marker::Undated => "undated",
            Marker::None => "none",
            Marker::Refused(_) => "refused",
            Marker::Unread(_) => "unread",
        };
        assert_eq!(seen, expected, "{name}");
    }
}

#[test]
fn an_exit_code_is_a_whole_number_or_unknown() {
    let world = FakeWorld::from("2026-06-01T00:00:00Z");
    let table = [
        ("0\n", Some(0)),
        ("137", Some(137)),
        ("", None),
        ("zero", None),
        ("1.5", None),
    ];
    for (text, code) in table {
        let dir = crate::world::temporary::directory();
        fs::create_dir(dir.path().join("stage-2")).unwrap();
        fs::write(dir.path().join("stage-2/DPDISP_EXIT_CODE"), text).unwrap();
        let seen = exit_code(dir.path(), &record(false), &world);
        match code {
            Some(code) => assert_eq!(seen, Ok(code), "{text}"),
            None => assert!(seen.is_err(), "{text}"),
        }
    }
}

#[test]
fn a_hostile_marker_path_is_never_opened() {
    let world = FakeWorld::from("2026-06-01T00:00:00Z");
    let mut state = state(&[("stage-2", "running", &[])]);
    for path in [
        "../../etc/passwd",
        "/etc/passwd",
        "~/x",
        "a\0b",
        ".git/HEAD",
    ] {
        let mut job = with_job(&mut state, 0, false);
        job.done_marker = path.to_owned();
        state.stages[0].job = Some(job);
        let dir = crate::world::temporary::directory();
        let tmux = Ok(Vec::new());
        let seen = gather(
            dir.path(),
            &state,
            &state.stages[0],
            &Log::default(),
            &tmux,
            &world,
        );
        assert!(matches!(seen.marker, Marker::Refused(_)), "{path}");
        assert_eq!(seen.row, Row::AskMarker, "{path}");
    }
}

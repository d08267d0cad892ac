//! Lines of the log, in every known dialect.

use super::*;
use crate::world::clock::FixedClock;

fn zone() -> FixedClock {
    FixedClock(chrono::DateTime::parse_from_rfc3339("2026-06-01T00:00:00+02:00").unwrap())
}

/// F17: includes the lines that real workflows write at the end of each job.
#[test]
fn f17_reads_every_dialect_of_a_status_line() {
    let table = [
        (
            "stage-2 (Relax): status -> running (tmux: dpdisp_stage-2)",
            Some(2),
            Some("running"),
        ),
        (
            "Stage 2 (Relax): status → failed (exit 1)",
            Some(2),
            Some("failed"),
        ),
        (
            "stage-3: status -> post_processing",
            Some(3),
            Some("post_processing"),
        ),
        (
            "stage-4 (A (b): c): status -> ready",
            Some(4),
            Some("ready"),
        ),
        ("stage-2: retry #1 after fix: smaller step", Some(2), None),
        (
            "Recovering stage-5: re-launching DPDispatcher",
            Some(5),
            None,
        ),
        ("Stage 7 still running (tmux: x)", Some(7), None),
        (
            "stage-2 (Minimization and Equilibration): DPDISP_DONE exit=1. status -> failed. SLURM job terminated 4x — mpirun missing",
            Some(2),
            Some("failed"),
        ),
        (
            "stage-3: DPDISP_DONE exit=0. status -> post_processing. Invoking result-verification.",
            Some(3),
            Some("post_processing"),
        ),
        (
            "stage-3: was failed; status → ready",
            Some(3),
            Some("ready"),
        ),
        (
            "stage-1 (x: status -> completed): status -> ready",
            Some(1),
            Some("ready"),
        ),
        ("stage-1: its last status -> failed", Some(1), None),
        ("stage-1: substatus -> failed", Some(1), None),
        ("stage-x: status -> ready", None, None),
        ("the status -> ready of stage-1", None, None),
    ];
    for (message, about, stated) in table {
        assert_eq!(
            (stage(message).map(|(number, _)| number), status(message)),
            (about, stated),
            "{message}"
        );
    }
}

#[test]
fn a_truncated_last_line_has_no_status() {
    let log = Log::read(
        b"[2026-06-01T10:00:00+02:00] stage-1: status -> running\n[2026-06-01T11:00:00+02:00] stage-1: status -> completed".to_vec(),
        &zone(),
    );
    assert_eq!(log.status(1), Some(("running", 1)));
    assert!(!log.lines[1].ended);
}

/// A million lines cost little: a line owns no text, and reads its words again, however damaged they are.
#[test]
fn a_line_is_small_and_says_what_was_written() {
    fn owns_nothing<T: Copy>(_: &[T]) -> usize {
        size_of::<T>()
    }
    let text = b"\xef\xbb\xbf[soon] first\r\n\n[2026-06-01T10:00:00Z]  b\xffd  \0\0\nplain [x] y\0";
    let log = Log::read(text.to_vec(), &zone());
    assert!(owns_nothing(&log.lines) <= 64);
    let said = log.lines.iter().map(|line| {
        let at = log.at_text(line).unwrap_or_default();
        (line.number, at, log.message(line).into_owned())
    });
    let said: Vec<_> = said.collect();
    let wanted = [
        (1, "soon", "first"),
        (3, "", "b\u{fffd}d"),
        (4, "", "plain [x] y"),
    ];
    assert_eq!(
        said,
        wanted.map(|(line, at, text)| (line, at.into(), text.into()))
    );
}

#[test]
fn a_stamp_without_zone_is_not_used_for_ordering() {
    let log = Log::read(
        b"[2026-06-01 10:00] stage-1: status -> running\n".to_vec(),
        &zone(),
    );
    assert!(log.launched.is_empty());
    assert_eq!(log.lines[0].at.unwrap().zone, Zone::Assumed);
}

#[test]
fn counts_sessions_that_never_ended() {
    let text = "[t] Session 1 started. x\n[t] Session ending: budget exhausted (6/6)\n[t] Session 2 started.\n[t] Session 1 ended: 431s, +2 stages, status=in_progress\n";
    let seen = Log::read(text.as_bytes().to_vec(), &zone()).sessions();
    assert_eq!((seen.started, seen.open), (2, 1));
}

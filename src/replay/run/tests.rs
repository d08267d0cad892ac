//! Runs over a synthetic book, with scripts that `/bin/sh` really runs. What they wait for are files of one another,
//! never the clock.

mod kit;

use std::sync::Mutex;

use super::*;
use crate::model::StepState;
use crate::world::clock::FixedClock;
use kit::{MadeUp, sh};

/// Every picture that was told: the words of its states.
#[derive(Default)]
struct Told(Mutex<Vec<Vec<StepProgress>>>);

impl Told {
    fn words(&self) -> Vec<String> {
        let all = self.0.lock().unwrap();
        let words = |steps: &Vec<StepProgress>| {
            let words: Vec<&str> = steps.iter().map(|one| one.state.word()).collect();
            words.join(" ")
        };
        all.iter().map(words).collect()
    }
}

/// Runs a book to its end.
fn go(book: &mut MadeUp, runner: &Runner, jobs: usize) -> (io::Result<SessionState>, Told) {
    go_until(book, runner, jobs, &Cancel::new(), &|_| {})
}

fn go_until(
    book: &mut MadeUp,
    runner: &Runner,
    jobs: usize,
    cancel: &Cancel,
    see: &(dyn Fn(&[StepProgress]) + Sync),
) -> (io::Result<SessionState>, Told) {
    let told = Told::default();
    let clock = FixedClock(chrono::DateTime::UNIX_EPOCH.fixed_offset());
    let tell = |steps: Vec<StepProgress>| {
        see(&steps);
        told.0.lock().unwrap().push(steps);
    };
    let grace = Duration::from_millis(200);
    let state = super::run(book, runner, jobs, &clock, cancel, &tell, grace);
    (state, told)
}

#[test]
fn steps_run_in_order_and_every_change_is_told() {
    let mut book = MadeUp::new(&[0, 1]);
    let runner = sh("echo \"did $RELIGHT_SEQ of $RELIGHT_SESSION\"; cat \"$RELIGHT_DISPATCH\"");
    let (state, told) = go(&mut book, &runner, 1);
    assert_eq!(state.unwrap(), SessionState::Done);
    assert_eq!(
        book.log,
        [
            "begin 0.1",
            "end 0 completed dispatch 100",
            "begin 1.1",
            "end 1 completed dispatch 101"
        ]
    );
    assert_eq!(
        told.words(),
        [
            "running waiting",
            "completed waiting",
            "completed running",
            "completed completed"
        ]
    );
    assert_eq!(book.output(0), "did 100 of 17-2\ndispatch 100\n");
    let last = told.0.lock().unwrap().pop().unwrap();
    assert_eq!(last[1].seq, Some(101));
    assert_eq!((last[1].attempt, last[1].of), (1, 1));
    assert!(last[1].begun_at.is_some() && last[1].output.is_some());
}

#[test]
fn steps_of_one_wave_overlap_up_to_the_jobs_and_waves_do_not() {
    // The two of the first wave wait for one another; the third would see what they leave when they go.
    let script = "case $RELIGHT_SEQ in
        100) touch a; while ! test -e b; do :; done; touch a.done;;
        101) touch b; while ! test -e a; do :; done; touch b.done;;
        *) test -e a.done && test -e b.done || exit 9; echo after;;
    esac";
    let mut book = MadeUp::new(&[0, 0, 1]);
    let (state, _) = go(&mut book, &sh(script), 2);
    assert_eq!(state.unwrap(), SessionState::Done);
    assert_eq!(book.log[..2], ["begin 0.1", "begin 1.1"]);
    assert_eq!(book.log[5], "end 2 completed after");
}

#[test]
fn one_job_is_one_runner_at_a_time() {
    let script = "mkdir lock || exit 9; rmdir lock; echo alone";
    let mut book = MadeUp::new(&[0, 0, 0]);
    let (state, _) = go(&mut book, &sh(script), 1);
    assert_eq!(state.unwrap(), SessionState::Done);
    let ended = book
        .log
        .iter()
        .filter(|line| line.contains("completed alone"));
    assert_eq!(ended.count(), 3, "{:?}", book.log);
}

#[test]
fn the_ways_to_end_and_none_of_them_ends_the_run() {
    let script = "case $RELIGHT_SEQ in
        100) echo no luck; exit 3;;
        101) kill -SEGV $$;;
        102) printf 'a\\377b\\000\\n';;
        103) /bin/sleep 600 & while ! grep -q sleep /proc/$!/comm; do :; done; echo left one;;
        104) head -c 300000 /dev/zero | tr '\\0' 'x'; echo; echo flooded;;
        *) echo fine;;
    esac";
    let mut book = MadeUp::new(&[0, 1, 2, 3, 4, 5]);
    let (state, _) = go(&mut book, &sh(script), 1);
    assert_eq!(state.unwrap(), SessionState::Done);
    let ends: Vec<&str> = book
        .log
        .iter()
        .filter(|line| line.starts_with("end"))
        .map(String::as_str)
        .collect();
    assert_eq!(
        ends,
        [
            "end 0 failed no luck",
            "end 1 error ended by signal 11",
            "end 2 completed a\u{fffd}b",
            "end 3 completed left one (still running, then ended: sleep)",
            "end 4 completed flooded",
            "end 5 completed fine",
        ]
    );
}

#[test]
fn a_step_that_was_killed_from_outside_has_no_end_and_stops_the_run() {
    for signal in ["KILL", "TERM"] {
        let mut book = MadeUp::new(&[0, 0, 1]);
        let script = format!("test $RELIGHT_SEQ = 100 && kill -{signal} $$; echo fine");
        let runner = Runner {
            retries: 1,
            ..sh(&script)
        };
        let (state, _) = go(&mut book, &runner, 1);
        assert_eq!(state.unwrap(), SessionState::Interrupted, "{signal}");
        let log = [
            "begin 0.1",
            "begin 0.2",
            "begin 1.1",
            "end 1 completed fine",
        ];
        let said: Vec<_> = book
            .log
            .iter()
            .filter(|line| !line.starts_with("cut"))
            .collect();
        assert_eq!(said, log, "{signal}");
    }
}

#[test]
fn a_step_without_an_end_is_stopped_and_tried_again() {
    // The first attempt never ends, the second does.
    let script = "if mkdir tried; then while :; do /bin/sleep 0.01; done; fi; echo second try";
    let mut book = MadeUp::new(&[0]);
    let runner = Runner {
        timeout_s: 1,
        retries: 1,
        ..sh(script)
    };
    let (state, told) = go(&mut book, &runner, 1);
    assert_eq!(state.unwrap(), SessionState::Done);
    assert_eq!(
        book.log,
        [
            "begin 0.1",
            "end 0 error stopped after 1 s without an end",
            "begin 0.2",
            "end 0 completed second try"
        ]
    );
    assert_eq!(told.words(), ["running", "error", "running", "completed"]);
}

#[test]
fn retries_are_for_errors_alone_and_come_to_an_end() {
    let mut book = MadeUp::new(&[0, 1]);
    let runner = Runner {
        retries: 2,
        ..sh("test $RELIGHT_SEQ = 100 && kill -SEGV $$; exit 1")
    };
    let (state, _) = go(&mut book, &runner, 1);
    assert_eq!(state.unwrap(), SessionState::Done);
    let begun: Vec<&str> = book
        .log
        .iter()
        .filter(|line| line.starts_with("begin"))
        .map(String::as_str)
        .collect();
    assert_eq!(begun, ["begin 0.1", "begin 0.2", "begin 0.3", "begin 1.1"]);
}

#[test]
fn a_runner_that_is_missing_is_said_once_and_the_rest_waits() {
    for jobs in [1, 3] {
        let mut book = MadeUp::new(&[0, 0, 0, 1]);
        let mut runner = sh("");
        runner.argv = vec!["no-such-program-anywhere".into()];
        runner.retries = 3;
        let (state, told) = go(&mut book, &runner, jobs);
        assert_eq!(state.unwrap(), SessionState::Interrupted);
        assert_eq!(
            book.log,
            [
                "begin 0.1",
                "end 0 error no-such-program-anywhere is not installed"
            ]
        );
        assert_eq!(
            told.words().last().unwrap(),
            "error waiting waiting waiting"
        );
    }
}

#[test]
fn what_ended_earlier_is_left_alone_and_what_was_running_runs_anew() {
    let mut book = MadeUp::new(&[0, 0, 1, 1, 2]);
    book.states = vec![
        StepState::Completed,
        StepState::Error,
        StepState::Running,
        StepState::Cancelled,
        StepState::Waiting,
    ];
    let (state, _) = go(&mut book, &sh("echo ok"), 1);
    assert_eq!(state.unwrap(), SessionState::Done);
    let begun: Vec<&str> = book
        .log
        .iter()
        .filter(|line| line.starts_with("begin"))
        .map(String::as_str)
        .collect();
    assert_eq!(begun, ["begin 2.1", "begin 3.1", "begin 4.1"]);
    let mut book = MadeUp::new(&[0]);
    book.states = vec![StepState::Failed];
    assert_eq!(
        go(&mut book, &sh("exit 9"), 1).0.unwrap(),
        SessionState::Done
    );
    assert!(book.log.is_empty());
}

#[test]
fn cancelling_stops_what_runs_and_writes_no_end_for_it() {
    let mut book = MadeUp::new(&[0, 0, 1]);
    let cancel = Cancel::new();
    let script = "while :; do /bin/sleep 0.01; done";
    let both = |steps: &[StepProgress]| {
        if steps
            .iter()
            .filter(|one| one.state == StepState::Running)
            .count()
            == 2
        {
            cancel.cancel();
        }
    };
    let (state, told) = go_until(&mut book, &sh(script), 2, &cancel, &both);
    assert_eq!(state.unwrap(), SessionState::Cancelled);
    assert_eq!(book.log, ["begin 0.1", "begin 1.1"]);
    assert_eq!(told.words().last().unwrap(), "cancelled cancelled waiting");
}

#[test]
fn a_run_cancelled_before_it_begins_begins_nothing_and_one_that_is_over_is_done() {
    let cancel = Cancel::new();
    cancel.cancel();
    let mut book = MadeUp::new(&[0]);
    let (state, told) = go_until(&mut book, &sh("echo"), 1, &cancel, &|_| {});
    assert_eq!(state.unwrap(), SessionState::Cancelled);
    assert!(book.log.is_empty() && told.words().is_empty());
    let cancel = Cancel::new();
    let at_the_end = |steps: &[StepProgress]| {
        if steps.iter().all(|one| one.state == StepState::Completed) {
            cancel.cancel();
        }
    };
    let mut book = MadeUp::new(&[0]);
    let (state, _) = go_until(&mut book, &sh("echo"), 1, &cancel, &at_the_end);
    assert_eq!(state.unwrap(), SessionState::Done);
}

#[test]
fn a_book_that_cannot_be_written_ends_the_run_and_what_runs() {
    // The first would run for ever; the second cannot be begun.
    let mut book = MadeUp::new(&[0, 0]);
    book.full_at = Some(1);
    let (state, _) = go(&mut book, &sh("while :; do /bin/sleep 0.01; done"), 2);
    assert_eq!(state.unwrap_err().kind(), io::ErrorKind::StorageFull);
    assert_eq!(book.log, ["begin 0.1"]);
}

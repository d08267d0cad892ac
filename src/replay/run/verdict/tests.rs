use super::*;

fn outcome(end: End, last: &str) -> Outcome {
    Outcome {
        end,
        took: Duration::from_millis(2_500),
        bytes: 7,
        kept: 7,
        chars: 6,
        last_line: last.as_bytes().to_vec(),
        left_behind: Vec::new(),
        unkept: None,
    }
}

#[test]
fn an_end_is_an_answer_none_or_nothing_yet() {
    use DispatchStatus::{Completed, Error, Failed};
    let table = [
        (End::Exited(0), "PASS: all", Completed, "PASS: all", false),
        (End::Exited(0), "", Completed, "it printed nothing", false),
        (End::Exited(3), "no luck", Failed, "no luck", false),
        (
            End::Exited(3),
            "",
            Failed,
            "exit status 3, and it printed nothing",
            false,
        ),
        (
            End::Signalled(11),
            "half",
            Error,
            "ended by signal 11; last: half",
            true,
        ),
        (
            End::TimedOut,
            "",
            Error,
            "stopped after 2 s without an end",
            true,
        ),
        (
            End::NotStarted("no fork".into()),
            "",
            Error,
            "no fork",
            true,
        ),
        (
            End::Missing("x is not installed".into()),
            "",
            Error,
            "x is not installed",
            false,
        ),
    ];
    for (end, last, status, summary, retry) in table {
        let (ended, again) = match of(&outcome(end.clone(), last)) {
            AttemptResult::Final(ended) => (ended, false),
            AttemptResult::Retry(ended) => (ended, true),
            AttemptResult::Cancelled | AttemptResult::CutShort(_) => panic!("{end:?}"),
        };
        assert_eq!(ended.status, status, "{end:?}");
        assert_eq!(ended.summary.lossy(), summary, "{end:?}");
        assert_eq!(again, retry, "{end:?}");
        assert_eq!((ended.duration_s, ended.output_chars), (3, 6));
    }
    assert_eq!(of(&outcome(End::Cancelled, "x")), AttemptResult::Cancelled);
    for signal in [1, 2, 9, 15] {
        let found = of(&outcome(End::Signalled(signal), "x"));
        assert!(matches!(found, AttemptResult::CutShort(_)), "{signal}");
    }
}

#[test]
fn what_is_odd_about_an_answer_is_said() {
    let mut left = outcome(End::Exited(0), &"x".repeat(400));
    left.left_behind = vec!["sleep".into(), "sleep".into(), "node".into()];
    let AttemptResult::Final(ended) = of(&left) else {
        panic!("it is an answer")
    };
    let text = ended.summary.lossy().into_owned();
    assert_eq!(text.chars().count(), SUMMARY);
    assert!(text.ends_with("… (still running, then ended: node and sleep)"));
    let mut flood = outcome(End::Exited(0), "done");
    (flood.bytes, flood.kept) = (20 << 20, 16 << 20);
    let AttemptResult::Final(ended) = of(&flood) else {
        panic!("it is an answer")
    };
    let text = ended.summary.lossy().into_owned();
    assert_eq!(
        text,
        "done (of 20971520 bytes that it printed, 16777216 were kept)"
    );
    let mut unkept = outcome(End::Exited(0), "done");
    unkept.unkept = Some("no space".into());
    let AttemptResult::Retry(ended) = of(&unkept) else {
        panic!("without its output it is no answer")
    };
    assert_eq!(
        ended.summary.lossy(),
        "its output could not be saved: no space; last: done"
    );
}

#[test]
fn a_summary_is_one_line_that_can_be_shown() {
    let table: &[(&[u8], &str)] = &[
        (b"plain", "plain"),
        (b"10%\r50%\rdone\r", "done"),
        (b"\x1b[1;32mPASS\x1b[0m: ok", "PASS: ok"),
        (b"a\tb\x07\x08c", "a bc"),
        (b"\xff\xfe", "\u{fffd}\u{fffd}"),
        (b"cut off \x1b[3", "cut off"),
        ("wide: \u{6c34}".as_bytes(), "wide: \u{6c34}"),
    ];
    for (bytes, text) in table {
        assert_eq!(line(bytes), *text, "{bytes:?}");
    }
    assert_eq!(cut("äöü", 3), "äöü");
    assert_eq!(cut("äöüß", 3), "äö…");
}

//! Resets of limits, in every wording.

use chrono::DateTime;

use super::*;
use crate::model::Zone;
use crate::world::clock::{FixedClock, InZone};

#[test]
#[expect(clippy::too_many_lines, reason = "one row an era")]
fn resets_of_every_era() {
    let local = FixedClock(DateTime::parse_from_rfc3339("2026-01-01T00:00:00+09:00").unwrap());
    // The text, the time of its line, the reset, and whether its zone was stated.
    let table = [
        (
            "Claude AI usage limit reached|1750000000",
            "2025-06-15T12:00:00Z",
            "2025-06-15T15:06:40Z",
            true,
        ),
        (
            "Claude usage limit reached. Your limit will reset at 3pm (America/Bogota).",
            "2025-09-02T15:00:00Z",
            "2025-09-02T20:00:00Z",
            true,
        ),
        (
            "5-hour limit reached ∙ resets 6pm",
            "2025-10-01T05:00:00Z",
            "2025-10-01T09:00:00Z",
            false,
        ),
        (
            "Session limit reached ∙ resets 8pm",
            "2025-10-01T12:00:00Z",
            "2025-10-02T11:00:00Z",
            false,
        ),
        (
            "Weekly limit reached ∙ resets Sep 29, 9am (Asia/Tokyo)",
            "2025-09-25T00:00:00Z",
            "2025-09-29T00:00:00Z",
            true,
        ),
        (
            "Opus weekly limit reached ∙ resets Jan 2, 9am (Asia/Tokyo)",
            "2025-12-30T00:00:00Z",
            "2026-01-02T00:00:00Z",
            true,
        ),
        (
            "Limit reached · resets 11:30am (Asia/Calcutta) · /upgrade to Max",
            "2025-12-01T05:00:00Z",
            "2025-12-01T06:00:00Z",
            true,
        ),
        (
            "You've hit your limit · resets 1:20am (Europe/Berlin)",
            "2026-02-01T22:00:00Z",
            "2026-02-02T00:20:00Z",
            true,
        ),
        (
            "You’ve hit your limit · resets May 5 at 9pm (America/New_York)",
            "2026-05-04T22:00:00Z",
            "2026-05-06T01:00:00Z",
            true,
        ),
        (
            "You're out of extra usage · resets 5pm (UTC)",
            "2026-02-01T22:00:00Z",
            "2026-02-02T17:00:00Z",
            true,
        ),
        (
            "You've hit your session limit · resets 12:50pm (Europe/Paris)",
            "2026-09-01T08:00:00Z",
            "2026-09-01T10:50:00Z",
            true,
        ),
        (
            "You've hit your weekly limit · resets Oct 1, 11am (Europe/London)",
            "2026-09-29T08:00:00Z",
            "2026-10-01T10:00:00Z",
            true,
        ),
        (
            "You've hit your weekly limit · resets Oct 2 at 7am (America/Phoenix)",
            "2026-09-29T08:00:00Z",
            "2026-10-02T14:00:00Z",
            true,
        ),
        (
            "You've hit your Opus limit · resets Mon 12:00am",
            "2026-11-21T08:00:00Z",
            "2026-11-22T15:00:00Z",
            false,
        ),
        (
            "spend limit reached (daily; resets 2026-08-09 00:00 UTC)",
            "2026-08-08T08:00:00Z",
            "2026-08-09T00:00:00Z",
            true,
        ),
        // The hour that occurs twice (before and during it), and the one that is skipped.
        (
            "Limit reached · resets 2:30am (Europe/Berlin)",
            "2026-10-24T23:00:00Z",
            "2026-10-25T00:30:00Z",
            true,
        ),
        (
            "Limit reached · resets 2:30am (Europe/Berlin)",
            "2026-10-25T00:45:00Z",
            "2026-10-25T01:30:00Z",
            true,
        ),
        (
            "Limit reached · resets 2:30am (Europe/Berlin)",
            "2026-03-28T23:00:00Z",
            "2026-03-29T01:30:00Z",
            true,
        ),
    ];
    for (text, said, expected, stated) in table {
        assert!(is_limit(text), "{text}");
        let said = DateTime::parse_from_rfc3339(said).unwrap();
        let found = reset(text, Some(said), &local).and_then(|found| found.at());
        let found = found.unwrap_or_else(|| panic!("{text}"));
        let expected = DateTime::parse_from_rfc3339(expected).unwrap();
        assert_eq!(found.at, expected, "{text}: {found:?}");
        assert_eq!(found.zone == Zone::Stated, stated, "{text}");
    }
    assert!(!is_limit(
        "API Error: Server is temporarily limiting requests (not your usage limit)"
    ));
    assert!(!is_limit("Prompt is too long"));
    for text in [
        "You've hit your limit",
        "resets ",
        "|x",
        "Try again later",
        "the resets.",
    ] {
        assert_eq!(of(text), None, "{text}");
    }
}

/// The reset in a text of 06:20 UTC.
fn of(text: &str) -> Option<Reset> {
    let local = FixedClock(DateTime::parse_from_rfc3339("2026-01-01T00:00:00+09:00").unwrap());
    let said = DateTime::parse_from_rfc3339("2026-11-28T06:20:00Z").unwrap();
    reset(text, Some(said), &local)
}

#[test]
fn a_reset_is_read_as_people_and_programs_write_it() {
    for (text, expected) in [
        ("resets 00:30 (Europe/Paris)", "2026-11-28T23:30:00Z"),
        ("resets 5 pm (Europe/Paris)", "2026-11-28T16:00:00Z"),
        (
            "resets Dec 1, 2026, 9am (Europe/London)",
            "2026-12-01T09:00:00Z",
        ),
        ("resets 1 Dec at 9:15 AM (UTC)", "2026-12-01T09:15:00Z"),
        ("resets 12:30am (GMT+2)", "2026-11-28T22:30:00Z"),
        ("resets 12:30am (UTC-05:30)", "2026-11-29T06:00:00Z"),
        ("resets 12:30am GMT+2 · /upgrade", "2026-11-28T22:30:00Z"),
        (
            "resets 12:30am (Australia/Lord_Howe)",
            "2026-11-28T13:30:00Z",
        ),
        ("resets in 3 hours", "2026-11-28T09:20:00Z"),
        ("resets in 2h5m", "2026-11-28T08:25:00Z"),
        (
            "try again in 3 days 2 hours 5 minutes.",
            "2026-12-01T08:25:00Z",
        ),
        (
            "or try again at Nov 29th, 2026 6:29 PM.",
            "2026-11-29T09:29:00Z",
        ),
        (
            "Try again after 3pm (Europe/Paris). Thanks",
            "2026-11-28T14:00:00Z",
        ),
        (
            "Your access will be restored at 3pm, or upgrade",
            "2026-11-29T06:00:00Z",
        ),
    ] {
        let found = of(text).and_then(|found| found.at());
        let expected = DateTime::parse_from_rfc3339(expected).unwrap();
        assert_eq!(found.map(|found| found.at), Some(expected), "{text}");
    }
}

#[test]
fn a_reset_that_is_not_understood_is_shown_as_it_was_written() {
    for (text, expected) in [
        (
            "resets 12:30am (PST)",
            "12:30am (PST)\", whose zone relight does not know.",
        ),
        (
            "resets 12:30am PST · /upgrade",
            "12:30am PST\", whose zone relight does not know.",
        ),
        ("resets 27pm", "27pm\", which relight cannot read."),
        ("resets Foo 9am", "Foo 9am\", which relight cannot read."),
        ("resets 5", "5\", which relight cannot read."),
        (
            "resets at mid\u{1b}[31mnight",
            "mid31mnight\", which relight cannot read.",
        ),
    ] {
        let found = of(text);
        let said = reached("The limit was reached", found.as_ref());
        let begin = "The limit was reached; its reset was recorded as \"";
        assert_eq!(said.strip_prefix(begin), Some(expected), "{text}");
        assert_eq!(found.and_then(|found| found.at()), None, "{text}");
    }
    let long = format!("resets {}", "x".repeat(4_000));
    assert!(reached("", of(&long).as_ref()).len() < 120);
    let undated = reset("resets 3pm (UTC)", None, &FixedClock(DateTime::default()));
    assert!(reached("", undated.as_ref()).contains("on a line without a time"));
}

/// The clocks of Berlin are put back at 01:00 UTC on 25 October and put forward at 01:00 UTC on 29 March.
#[test]
fn the_local_zone_is_read_right_on_both_sides_of_a_clock_change() {
    let local = InZone(chrono_tz::Europe::Berlin);
    for (text, said, expected) in [
        ("resets 5am", "2026-10-24T22:30:00Z", "2026-10-25T04:00:00Z"),
        (
            "resets 2:30am",
            "2026-10-24T22:30:00Z",
            "2026-10-25T00:30:00Z",
        ),
        (
            "resets 2:30am",
            "2026-10-25T00:45:00Z",
            "2026-10-25T01:30:00Z",
        ),
        (
            "resets 2:30am",
            "2026-10-25T01:45:00Z",
            "2026-10-26T01:30:00Z",
        ),
        (
            "resets Oct 25, 2:30am",
            "2026-10-25T00:45:00Z",
            "2026-10-25T01:30:00Z",
        ),
        (
            "resets 12:30am",
            "2026-10-24T22:15:00Z",
            "2026-10-24T22:30:00Z",
        ),
        (
            "resets 11:30pm",
            "2026-10-25T22:15:00Z",
            "2026-10-25T22:30:00Z",
        ),
        ("resets 5am", "2026-03-28T23:30:00Z", "2026-03-29T03:00:00Z"),
        (
            "resets Mon 1am",
            "2026-03-28T23:30:00Z",
            "2026-03-29T23:00:00Z",
        ),
        (
            "resets 2026-10-25 02:30",
            "2026-10-25T00:45:00Z",
            "2026-10-25T01:30:00Z",
        ),
        (
            "resets 2026-10-25 02:30",
            "2026-10-25T09:00:00Z",
            "2026-10-25T01:30:00Z",
        ),
    ] {
        let said = DateTime::parse_from_rfc3339(said).unwrap();
        let found = reset(text, Some(said), &local).and_then(|found| found.at());
        let expected = DateTime::parse_from_rfc3339(expected).unwrap();
        assert_eq!(
            found.map(|found| found.at),
            Some(expected),
            "{text}, {said}"
        );
    }
}

//! When a usage limit resets, from the text of an error line. The wording has changed every few months since 2025, so
//! only the time is searched for.

use chrono::{
    DateTime, Datelike as _, Days, FixedOffset, MappedLocalTime, NaiveDate, NaiveDateTime,
    NaiveTime, TimeDelta, TimeZone as _, Weekday,
};
use chrono_tz::Tz;

use crate::model::{LocalTime, Stamp, Zone};

/// Texts of a usage limit in an error line. People quote them, so they prove nothing elsewhere.
const WORDINGS: &[&str] = &[
    "usage limit reached",
    "limit reached",
    "hit your limit",
    "hit your session limit",
    "hit your weekly limit",
    "hit your opus limit",
    "hit your sonnet limit",
    "hit your fable limit",
    "out of extra usage",
    "spend limit",
    "usage credit limit",
    "session limit",
    "weekly limit",
    "opus limit",
    "sonnet limit",
    "fable limit",
];

/// Whether the text of an error line is about a usage limit.
pub(super) fn is_limit(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    // A throttling server says so, and that is not the plan's limit.
    !text.contains("not your usage limit")
        && (WORDINGS.iter().any(|wording| text.contains(wording))
            || text.contains("limit will reset"))
}

/// The name of the limit, such as `session limit`, from the client's own kind or from the text.
pub(super) fn label(kind: Option<&str>, text: &str) -> &'static str {
    match kind {
        Some("five_hour") => return "session limit",
        Some("seven_day") => return "weekly limit",
        Some("seven_day_opus") => return "Opus limit",
        Some("seven_day_sonnet") => return "Sonnet limit",
        Some("seven_day_overage_included") => return "Fable limit",
        Some("overage") => return "usage credit limit",
        Some(_) | None => {}
    }
    let text = text.to_ascii_lowercase();
    let known = [
        ("opus", "Opus limit"),
        ("sonnet", "Sonnet limit"),
        ("fable", "Fable limit"),
        ("weekly", "weekly limit"),
        ("5-hour", "session limit"),
        ("session", "session limit"),
        ("credit", "usage credit limit"),
        ("extra usage", "usage credit limit"),
        ("spend", "spend limit"),
    ];
    let found = known.iter().find(|(part, _)| text.contains(part));
    found.map_or("usage limit", |(_, label)| label)
}

/// The reset in a text, relative to the time of its line: `resets 3pm`, `resets Oct 1, 11am (Europe/London)`,
/// `resets Mon 12:00am`, `resets 2026-08-09 00:00 UTC`, `…|1750000000`.
pub(super) fn reset(
    text: &str,
    said: DateTime<FixedOffset>,
    local: &dyn LocalTime,
) -> Option<Stamp> {
    if let Some((_, epoch)) = text.rsplit_once('|')
        && let Ok(seconds) = epoch.trim().parse::<i64>()
    {
        return Stamp::from_unix(seconds);
    }
    let lower = text.to_ascii_lowercase();
    let at = lower.rfind("resets ").map(|at| at + "resets ".len());
    let at = at.or_else(|| lower.rfind("reset at ").map(|at| at + "reset at ".len()))?;
    let rest = text.get(at..)?;
    let zone = named_zone(rest);
    let words: Vec<&str> = rest
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '.' | ';'))
        .filter(|word| !word.is_empty() && !word.eq_ignore_ascii_case("at"))
        .take(4)
        .collect();
    When::parse(&words)?.after(said, zone, local)
}

/// The zone in parentheses, if it is an IANA zone.
fn named_zone(text: &str) -> Option<Tz> {
    let (_, inside) = text.split_once('(')?;
    inside.split(')').next()?.trim().parse().ok()
}

/// A time of day with its day, if given.
struct When {
    day: Day,
    time: NaiveTime,
    utc: bool,
}

enum Day {
    Next,
    Weekday(Weekday),
    OfYear { month: u32, day: u32 },
    Exact(NaiveDate),
}

impl When {
    fn parse(words: &[&str]) -> Option<Self> {
        let (first, rest) = words.split_first()?;
        let second = rest.first();
        let (day, time) = if let Some(time) = time_of_day(first) {
            (Day::Next, time)
        } else if let Ok(date) = NaiveDate::parse_from_str(first, "%Y-%m-%d") {
            let time = NaiveTime::parse_from_str(second?, "%H:%M").ok()?;
            (Day::Exact(date), time)
        } else if let Some(month) = month(first) {
            let day = second?.parse().ok()?;
            (Day::OfYear { month, day }, time_of_day(rest.get(1)?)?)
        } else {
            (Day::Weekday(first.parse().ok()?), time_of_day(second?)?)
        };
        let utc = matches!(day, Day::Exact(_)) && rest.get(1) == Some(&"UTC");
        Some(Self { day, time, utc })
    }

    /// The first such moment at or after `said`.
    fn after(
        &self,
        said: DateTime<FixedOffset>,
        zone: Option<Tz>,
        local: &dyn LocalTime,
    ) -> Option<Stamp> {
        let zone = zone.or_else(|| self.utc.then_some(Tz::UTC));
        let stamp = |naive: NaiveDateTime| match zone {
            Some(zone) => Stamp::stated(in_zone(zone, naive, said)),
            None => Stamp {
                at: local.local(naive),
                zone: Zone::Assumed,
            },
        };
        let today = if let Some(zone) = zone {
            said.with_timezone(&zone).date_naive()
        } else {
            let offset = *local.local(said.naive_utc()).offset();
            said.with_timezone(&offset).date_naive()
        };
        let days: Vec<NaiveDate> = match self.day {
            Day::Exact(date) => return Some(stamp(date.and_time(self.time))),
            Day::Next => (0..3)
                .filter_map(|more| today.checked_add_days(Days::new(more)))
                .collect(),
            Day::Weekday(weekday) => (0..15)
                .filter_map(|more| today.checked_add_days(Days::new(more)))
                .filter(|day| day.weekday() == weekday)
                .collect(),
            Day::OfYear { month, day } => (0..5)
                .filter_map(|more| NaiveDate::from_ymd_opt(today.year() + more, month, day))
                .collect(),
        };
        let mut moments = days.into_iter().map(|day| stamp(day.and_time(self.time)));
        moments.find(|moment| moment.at >= said)
    }
}

/// A wall time in a zone. If it occurs twice because clocks go back, the earlier moment that has not passed.
fn in_zone(zone: Tz, naive: NaiveDateTime, said: DateTime<FixedOffset>) -> DateTime<FixedOffset> {
    match zone.from_local_datetime(&naive) {
        MappedLocalTime::Single(at) => at.fixed_offset(),
        MappedLocalTime::Ambiguous(early, late) => {
            let early = early.fixed_offset();
            if early >= said {
                early
            } else {
                late.fixed_offset()
            }
        }
        // Clocks skip over it; an hour later the time exists in every zone.
        MappedLocalTime::None => {
            let later = naive + TimeDelta::hours(1);
            let at = zone.from_local_datetime(&later).earliest();
            at.map_or_else(|| later.and_utc().fixed_offset(), |at| at.fixed_offset())
        }
    }
}

/// `6pm`, `11:30am`.
fn time_of_day(word: &str) -> Option<NaiveTime> {
    let word = word.to_ascii_lowercase();
    let (digits, afternoon) = match word.strip_suffix("pm") {
        Some(digits) => (digits, true),
        None => (word.strip_suffix("am")?, false),
    };
    let (hour, minute) = digits.split_once(':').unwrap_or((digits, "0"));
    let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
    if !(1..=12).contains(&hour) {
        return None;
    }
    NaiveTime::from_hms_opt(hour % 12 + if afternoon { 12 } else { 0 }, minute, 0)
}

fn month(word: &str) -> Option<u32> {
    let month: chrono::Month = word.parse().ok()?;
    Some(month.number_from_month())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::clock::FixedClock;

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
            let found = reset(text, said, &local).unwrap_or_else(|| panic!("{text}"));
            let expected = DateTime::parse_from_rfc3339(expected).unwrap();
            assert_eq!(found.at, expected, "{text}: {found:?}");
            assert_eq!(found.zone == Zone::Stated, stated, "{text}");
        }
        assert!(!is_limit(
            "API Error: Server is temporarily limiting requests (not your usage limit)"
        ));
        assert!(!is_limit("Prompt is too long"));
        let said = DateTime::parse_from_rfc3339("2026-01-01T00:00:00Z").unwrap();
        for text in [
            "You've hit your limit",
            "resets ",
            "resets 27pm",
            "resets Foo 9am",
            "|x",
        ] {
            assert_eq!(reset(text, said, &local), None, "{text}");
        }
    }
}

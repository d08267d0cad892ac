//! Parses every timestamp format that the systems write.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};

use crate::model::{LocalTime, Stamp, Zone};

/// Parses a timestamp: RFC 3339 with `Z` or an offset (also without its colon, also with a space for the `T`), the same
/// without a zone (read in the person's zone and marked so), with or without seconds and fractions, a date alone (its
/// midnight), and Unix seconds or milliseconds.
pub fn parse(text: &str, zone: &dyn LocalTime) -> Option<Stamp> {
    let text = text.trim();
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return Some(Stamp::stated(at));
    }
    for format in [
        "%Y-%m-%dT%H:%M:%S%.f%#z",
        "%Y-%m-%d %H:%M:%S%.f%#z",
        "%Y-%m-%d %H:%M:%S%.f %#z",
        "%Y-%m-%dT%H:%M%#z",
    ] {
        if let Ok(at) = DateTime::parse_from_str(text, format) {
            return Some(Stamp::stated(at));
        }
    }
    if let Some(naive) = text
        .strip_suffix(['Z', 'z'])
        .or_else(|| text.strip_suffix(" UTC"))
        .and_then(naive)
    {
        return Some(Stamp::utc(naive.and_utc()));
    }
    if let Some(naive) = naive(text) {
        return Some(Stamp {
            at: zone.local(naive),
            zone: Zone::Assumed,
        });
    }
    unix(text)
}

/// Corrects times that were written one after the other. A clock that is set back in autumn passes an hour twice: a time
/// without a zone that seems to be before the one written before it is that of the second pass, if it may be.
pub fn in_order<'a>(stamps: impl Iterator<Item = &'a mut Option<Stamp>>, zone: &dyn LocalTime) {
    let hour = TimeDelta::hours(1);
    let mut last: Option<Stamp> = None;
    for stamp in stamps.flatten() {
        if let Some(last) = last.filter(|last| stamp.zone == Zone::Assumed && stamp.at < last.at)
            && let Some(later) = stamp.at.naive_local().checked_add_signed(hour)
            && zone.local(later) - hour >= last.at
        {
            stamp.at = zone.local(later) - hour;
        }
        last = Some(*stamp);
    }
}

fn naive(text: &str) -> Option<NaiveDateTime> {
    let formats = [
        "%Y-%m-%dT%H:%M:%S%.f",
        "%Y-%m-%d %H:%M:%S%.f",
        "%Y-%m-%dT%H:%M",
        "%Y-%m-%d %H:%M",
    ];
    formats
        .iter()
        .find_map(|format| NaiveDateTime::parse_from_str(text, format).ok())
        .or_else(|| {
            NaiveDate::parse_from_str(text, "%Y-%m-%d")
                .ok()
                .map(|day| day.and_time(NaiveTime::MIN))
        })
}

/// Ten digits are seconds, thirteen milliseconds.
fn unix(text: &str) -> Option<Stamp> {
    let all_digits = text.bytes().all(|b| b.is_ascii_digit());
    match text.len() {
        10 if all_digits => Stamp::from_unix(text.parse().ok()?),
        13 if all_digits => DateTime::from_timestamp_millis(text.parse().ok()?).map(Stamp::utc),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::clock::FixedClock;

    #[test]
    fn reads_every_format_and_marks_a_missing_zone() {
        let zone = FixedClock(DateTime::parse_from_rfc3339("2026-01-01T00:00:00+03:00").unwrap());
        let table = [
            (
                "2026-04-08T10:22:41Z",
                "2026-04-08T10:22:41+00:00",
                Zone::Stated,
            ),
            (
                "2026-05-01T09:00:00.000Z",
                "2026-05-01T09:00:00+00:00",
                Zone::Stated,
            ),
            (
                "2026-05-23T23:30:26+08:00",
                "2026-05-23T23:30:26+08:00",
                Zone::Stated,
            ),
            (
                "2026-05-23T23:30:26+0800",
                "2026-05-23T23:30:26+08:00",
                Zone::Stated,
            ),
            (
                "2026-05-23 23:30:26 +0800",
                "2026-05-23T23:30:26+08:00",
                Zone::Stated,
            ),
            (
                "2025-11-09T14:30:00",
                "2025-11-09T14:30:00+03:00",
                Zone::Assumed,
            ),
            (
                "2025-11-09T14:30:00.000005",
                "2025-11-09T14:30:00.000005+03:00",
                Zone::Assumed,
            ),
            (
                "2026-04-02 01:41",
                "2026-04-02T01:41:00+03:00",
                Zone::Assumed,
            ),
            (
                "2026-04-08 10:02:11",
                "2026-04-08T10:02:11+03:00",
                Zone::Assumed,
            ),
            ("2026-04-08", "2026-04-08T00:00:00+03:00", Zone::Assumed),
            ("1775430161", "2026-04-05T23:02:41+00:00", Zone::Stated),
            ("1775430161000", "2026-04-05T23:02:41+00:00", Zone::Stated),
        ];
        for (text, at, zoned) in table {
            let stamp = parse(text, &zone).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(
                (stamp.at, stamp.zone),
                (DateTime::parse_from_rfc3339(at).unwrap(), zoned),
                "{text}"
            );
        }
        for bad in [
            "",
            "soon",
            "2026-13-01",
            "2026-04-08T25:00:00Z",
            "12345",
            "2026-04-08T10:00:00+24:00",
        ] {
            assert_eq!(parse(bad, &zone), None, "{bad}");
        }
    }
}

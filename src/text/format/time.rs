//! Times, ages and durations.

use std::sync::OnceLock;

use chrono::{DateTime, FixedOffset, TimeDelta, Utc};

/// The offset of a zone at a moment, and its name where it has one: `JST`.
pub type Zone = fn(DateTime<Utc>) -> (FixedOffset, Option<String>);

/// The zone that times are shown in. It is UTC until a front end sets it, so that no test depends on the machine.
static ZONE: OnceLock<Zone> = OnceLock::new();

/// Sets, once and before anything is shown, the zone that times are shown in.
pub fn show_times_in(zone: Zone) {
    // A second call is ignored: a screen never mixes zones.
    let _first = ZONE.set(zone);
}

/// A moment converted to the zone that times are shown in.
pub fn local(at: DateTime<FixedOffset>) -> DateTime<FixedOffset> {
    named(at).0
}

/// A moment in the zone that times are shown in, and the name of that zone.
fn named(at: DateTime<FixedOffset>) -> (DateTime<FixedOffset>, Option<String>) {
    let utc = at.to_utc();
    let Some((offset, name)) = ZONE.get().map(|zone| zone(utc)) else {
        return (utc.fixed_offset(), None);
    };
    (utc.with_timezone(&offset), name)
}

/// A time for a row: `2026-11-22 10:48 JST`.
pub fn time(at: DateTime<FixedOffset>) -> String {
    zoned(named(at), "%Y-%m-%d %H:%M")
}

/// A time in full, for details: `2026-11-22 10:48:07 JST`.
pub fn time_full(at: DateTime<FixedOffset>) -> String {
    zoned(named(at), "%Y-%m-%d %H:%M:%S")
}

/// The zone in which a time is shown: `JST`.
pub fn zone(at: DateTime<FixedOffset>) -> String {
    zoned(named(at), "").trim_start().to_owned()
}

/// The time of day to the minute: `10:48`.
pub fn clock_minute(at: DateTime<FixedOffset>) -> String {
    local(at).format("%H:%M").to_string()
}

/// The time of day, for a place that shows the date next to it: `10:48:07`.
pub fn clock(at: DateTime<FixedOffset>) -> String {
    local(at).format("%H:%M:%S").to_string()
}

/// The date: `2026-11-22`.
pub fn date(at: DateTime<FixedOffset>) -> String {
    local(at).format("%Y-%m-%d").to_string()
}

fn zoned((at, name): (DateTime<FixedOffset>, Option<String>), format: &str) -> String {
    let time = at.format(format);
    match (name, at.offset().local_minus_utc()) {
        (Some(name), _) => format!("{time} {name}"),
        (None, 0) => format!("{time} UTC"),
        (None, _) => format!("{time} {}", at.format("%:z")),
    }
}

/// How long before `now` a moment was, in one unit: `now`, `5 min`, `26 h`, `3 d`; `unknown` without a moment, `future`
/// if it is more than five minutes ahead. For a column; [`ago`] is for a sentence.
pub fn age(now: DateTime<FixedOffset>, then: Option<DateTime<FixedOffset>>) -> String {
    let Some(then) = then else {
        return "unknown".to_owned();
    };
    let span = now.signed_duration_since(then);
    // The clocks of machines that share files differ slightly.
    if span < TimeDelta::minutes(-5) {
        "future".to_owned()
    } else if span < TimeDelta::minutes(1) {
        "now".to_owned()
    } else {
        longest_unit(span)
    }
}

/// The age for a sentence: `just now`, `26 h ago`, `at an unknown time`, `in the future`.
pub fn ago(now: DateTime<FixedOffset>, then: Option<DateTime<FixedOffset>>) -> String {
    let age = age(now, then);
    match age.as_str() {
        "unknown" => "at an unknown time".to_owned(),
        "future" => "in the future".to_owned(),
        "now" => "just now".to_owned(),
        _ => format!("{age} ago"),
    }
}

/// A span in its longest unit, truncated: `45 s`, `12 min`, `26 h`, `3 d`. For ages, limits and estimates.
pub fn longest_unit(span: TimeDelta) -> String {
    let seconds = span.num_seconds();
    match seconds.abs() {
        0..=119 => format!("{seconds} s"),
        120..=7_199 => format!("{} min", seconds / 60),
        7_200..=172_799 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// How long something took, for a column: `70 s`, `12 min`, `1 h 05`, `3 d 4 h`, `12 d`. The rest is left out.
pub fn brief_duration(seconds: u64) -> String {
    // Eight cells are enough.
    const DAY: u64 = 86_400;
    if seconds < 120 && seconds != 60 {
        return format!("{seconds} s");
    }
    let rest = if seconds < 10 * DAY { 60 } else { DAY };
    let text = duration(seconds - seconds % rest);
    match text.strip_suffix(" min").filter(|_| seconds >= 3_600) {
        Some(hours) => hours.to_owned(),
        None => text,
    }
}

/// How long something took, in two units: `45 s`, `12 min 05 s`, `15 min`, `2 h 05 min`, `3 d 4 h`.
pub fn duration(seconds: u64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 if seconds.is_multiple_of(60) => format!("{minutes} min"),
        60..3_600 => format!("{minutes} min {:02} s", seconds % 60),
        3_600..86_400 if minutes.is_multiple_of(60) => format!("{hours} h"),
        3_600..86_400 => format!("{hours} h {:02} min", minutes % 60),
        _ if hours.is_multiple_of(24) => format!("{days} d"),
        _ => format!("{days} d {} h", hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<FixedOffset> {
        DateTime::parse_from_rfc3339(text).unwrap()
    }

    #[test]
    fn every_time_has_its_zone() {
        let full = "%Y-%m-%d %H:%M:%S";
        let table = [
            ("2026-11-22T01:48:07Z", full, "2026-11-22 01:48:07 UTC"),
            (
                "2026-11-22T10:48:07+09:00",
                full,
                "2026-11-22 10:48:07 +09:00",
            ),
            (
                "2026-11-21T20:48:07-05:00",
                "%Y-%m-%d %H:%M",
                "2026-11-21 20:48 -05:00",
            ),
            (
                "2026-11-22T07:18:07+05:30",
                "%Y-%m-%d %H:%M",
                "2026-11-22 07:18 +05:30",
            ),
        ];
        for (stated, format, expected) in table {
            assert_eq!(zoned((at(stated), None), format), expected);
        }
        let named = (at("2026-11-22T10:48:07+09:00"), Some("JST".to_owned()));
        assert_eq!(zoned(named, "%H:%M"), "10:48 JST");
        // Unit tests set no zone, so times are in UTC.
        let tokyo = at("2026-11-22T10:48:07+09:00");
        assert_eq!(time(tokyo), "2026-11-22 01:48 UTC");
        assert_eq!(time_full(tokyo), "2026-11-22 01:48:07 UTC");
        assert_eq!(
            (clock(tokyo).as_str(), date(tokyo).as_str()),
            ("01:48:07", "2026-11-22")
        );
    }

    #[test]
    fn ages_have_one_unit() {
        let now = at("2026-11-22T10:00:00Z");
        for (seconds, column, sentence) in [
            (-301, "future", "in the future"),
            (-60, "now", "just now"),
            (59, "now", "just now"),
            (61, "61 s", "61 s ago"),
            (120, "2 min", "2 min ago"),
            (7_199, "119 min", "119 min ago"),
            (26 * 3_600, "26 h", "26 h ago"),
            (86_400 * 3, "3 d", "3 d ago"),
        ] {
            let then = Some(now - TimeDelta::seconds(seconds));
            assert_eq!(age(now, then), column);
            assert_eq!(ago(now, then), sentence);
        }
        assert_eq!(age(now, None), "unknown");
        assert_eq!(ago(now, None), "at an unknown time");
    }

    #[test]
    fn durations_have_two_units() {
        for (seconds, expected) in [
            (0, "0 s"),
            (59, "59 s"),
            (725, "12 min 05 s"),
            (1_800, "30 min"),
            (7_200, "2 h"),
            (172_800, "2 d"),
            (7_500, "2 h 05 min"),
            (90_000, "1 d 1 h"),
        ] {
            assert_eq!(duration(seconds), expected);
        }
        assert_eq!(brief_duration(725), "12 min");
        assert_eq!(brief_duration(3_602), "1 h");
        assert_eq!(brief_duration(3_900), "1 h 05");
        assert_eq!(brief_duration(59), "59 s");
        assert_eq!(brief_duration(90_061), "1 d 1 h");
        assert_eq!(brief_duration(864_000 + 7_200), "10 d");
        assert_eq!(brief_duration(u64::MAX), "213503982334601 d");
    }
}

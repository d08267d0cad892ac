//! The real clock, and a fixed one for tests and reproducible runs.

use std::sync::OnceLock;

use chrono::{
    DateTime, FixedOffset, Local, MappedLocalTime, NaiveDateTime, Offset as _, TimeDelta, TimeZone,
    Utc,
};
use chrono_tz::{OffsetName as _, Tz};

use super::Clock;
use crate::model::LocalTime;

/// The machine's clock in the person's zone (`TZ`).
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

/// Shows times in the person's zone (`TZ`) for the rest of the process.
pub fn show_local_times() {
    static ZONE: OnceLock<Option<Tz>> = OnceLock::new();
    crate::text::format::show_times_in(|at| {
        let offset = Local.offset_from_utc_datetime(&at.naive_utc());
        let named = ZONE.get_or_init(zone).as_ref();
        (offset, named.and_then(|zone| name(*zone, at, offset)))
    });
}

/// The zone of `TZ`, or else of the machine, where it is one of the known ones.
fn zone() -> Option<Tz> {
    let name = std::env::var("TZ").or_else(|_| iana_time_zone::get_timezone());
    name.ok()?.trim_start_matches(':').parse().ok()
}

/// What people call a zone at a moment, such as `JST`; many zones have only an offset.
fn name(zone: Tz, at: DateTime<Utc>, offset: FixedOffset) -> Option<String> {
    let there = zone.offset_from_utc_datetime(&at.naive_utc());
    // A library with other rules than the system's must not put a wrong name beside the time.
    let same = there.fix() == offset;
    let name = there.abbreviation().filter(|_| same)?;
    let letters = name.bytes().all(|byte| byte.is_ascii_alphabetic());
    letters.then(|| name.to_owned())
}

impl LocalTime for SystemClock {
    fn local(&self, naive: NaiveDateTime) -> DateTime<FixedOffset> {
        in_zone(&Local, naive)
    }

    fn here(&self, at: DateTime<Utc>) -> DateTime<FixedOffset> {
        at.with_timezone(&Local).fixed_offset()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> DateTime<FixedOffset> {
        Local::now().fixed_offset()
    }
}

/// A clock that stands still, in one zone.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub DateTime<FixedOffset>);

impl LocalTime for FixedClock {
    fn local(&self, naive: NaiveDateTime) -> DateTime<FixedOffset> {
        InZone(*self.0.offset()).local(naive)
    }

    fn here(&self, at: DateTime<Utc>) -> DateTime<FixedOffset> {
        InZone(*self.0.offset()).here(at)
    }
}

/// The clocks of a zone.
#[derive(Debug, Clone, Copy)]
pub struct InZone<Z>(pub Z);

impl<Z: TimeZone> LocalTime for InZone<Z> {
    fn local(&self, naive: NaiveDateTime) -> DateTime<FixedOffset> {
        in_zone(&self.0, naive)
    }

    fn here(&self, at: DateTime<Utc>) -> DateTime<FixedOffset> {
        at.with_timezone(&self.0).fixed_offset()
    }
}

impl Clock for FixedClock {
    fn now(&self) -> DateTime<FixedOffset> {
        self.0
    }
}

/// The earlier of two meanings in autumn; one hour later in the spring gap.
fn in_zone<Z: TimeZone>(zone: &Z, naive: NaiveDateTime) -> DateTime<FixedOffset> {
    match zone.from_local_datetime(&naive) {
        MappedLocalTime::Single(at) => at.fixed_offset(),
        // The library orders the two of the machine's zone by their offsets.
        MappedLocalTime::Ambiguous(a, b) => a.fixed_offset().min(b.fixed_offset()),
        MappedLocalTime::None => {
            let later = naive
                .checked_add_signed(TimeDelta::hours(1))
                .unwrap_or(naive);
            zone.from_local_datetime(&later)
                .earliest()
                .map_or_else(|| later.and_utc().fixed_offset(), |at| at.fixed_offset())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_has_its_name_where_people_have_one() {
        let at = |text: &str| DateTime::parse_from_rfc3339(text).unwrap();
        for (zone, moment, expected) in [
            (Tz::Asia__Tokyo, "2026-11-22T10:48:07+09:00", Some("JST")),
            (Tz::Europe__Berlin, "2026-11-22T10:48:07+01:00", Some("CET")),
            (
                Tz::Europe__Berlin,
                "2026-07-22T10:48:07+02:00",
                Some("CEST"),
            ),
            (Tz::UTC, "2026-11-22T10:48:07Z", Some("UTC")),
            // Only an offset, and a system with other rules than the library.
            (Tz::America__Sao_Paulo, "2026-11-22T10:48:07-03:00", None),
            (Tz::Asia__Tokyo, "2026-11-22T10:48:07+08:00", None),
        ] {
            let at = at(moment);
            assert_eq!(
                name(zone, at.to_utc(), *at.offset()).as_deref(),
                expected,
                "{moment}"
            );
        }
    }
}

//! The real clock, and a fixed one for tests and reproducible runs.

use chrono::{DateTime, FixedOffset, Local, MappedLocalTime, NaiveDateTime, TimeDelta, TimeZone};

use super::Clock;
use crate::model::LocalTime;

/// The machine's clock in the person's zone (`TZ`).
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

/// Shows times in the person's zone (`TZ`) for the rest of the process.
pub fn show_local_times() {
    crate::text::format::show_times_in(|at| Local.offset_from_utc_datetime(&at.naive_utc()));
}

impl LocalTime for SystemClock {
    fn local(&self, naive: NaiveDateTime) -> DateTime<FixedOffset> {
        in_zone(&Local, naive)
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
        in_zone(self.0.offset(), naive)
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
        MappedLocalTime::Single(at) | MappedLocalTime::Ambiguous(at, _) => at.fixed_offset(),
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

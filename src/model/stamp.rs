//! A moment, with what is known about its zone, and how both faces write it.

use std::sync::OnceLock;

use chrono::{DateTime, FixedOffset, NaiveDateTime, TimeDelta, Utc};

/// Whether a file stated the zone of a time, or `TZ` had to be assumed (contract.md, JSON).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Zone {
    /// The source gave `Z` or an offset, or it is a clock of the system itself.
    Stated,
    /// The source gave none; it was read in the person's own zone.
    Assumed,
}

/// A moment in time as some source stated it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// The moment, with the offset it was stated or assumed in.
    pub at: DateTime<FixedOffset>,
    /// Whether that offset was stated.
    pub zone: Zone,
}

impl Stamp {
    /// A moment whose zone is known.
    pub fn stated(at: DateTime<FixedOffset>) -> Self {
        Self {
            at,
            zone: Zone::Stated,
        }
    }

    /// A moment from a clock that has no zone of its own (file times, commit times).
    pub fn utc(at: DateTime<Utc>) -> Self {
        Self::stated(at.fixed_offset())
    }

    /// From seconds since 1970, if that is a moment at all.
    pub fn from_unix(seconds: i64) -> Option<Self> {
        DateTime::from_timestamp(seconds, 0).map(Self::utc)
    }

    /// The moment for a person; one whose zone the file did not state says so.
    pub fn words(&self) -> String {
        let words = moment_words(self.at);
        match self.zone {
            Zone::Stated => words,
            Zone::Assumed => format!("{words} (zone assumed)"),
        }
    }

    /// Seconds since 1970.
    pub fn unix(&self) -> i64 {
        self.at.timestamp()
    }
}

impl PartialOrd for Stamp {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Stamp {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.at
            .cmp(&other.at)
            .then_with(|| (self.zone == Zone::Assumed).cmp(&(other.zone == Zone::Assumed)))
    }
}

/// Reads a time without zone in the person's own zone. Implemented by the world's clock; fixed in tests.
pub trait LocalTime {
    /// The moment that the naive time means here; the earlier one where it means two (autumn), the
    /// moment the gap ends where it means none (spring).
    fn local(&self, naive: NaiveDateTime) -> DateTime<FixedOffset>;
}

/// The offset of a zone at a moment.
pub type Offset = fn(DateTime<Utc>) -> FixedOffset;

/// The zone that times are shown in; UTC until a face says otherwise, so that no test depends on the machine's.
static SHOWN: OnceLock<Offset> = OnceLock::new();

/// Says once, before anything is shown, in which zone times are shown.
pub fn show_times_in(zone: Offset) {
    // A second call changes nothing: times on one screen never differ in their zone.
    let _first = SHOWN.set(zone);
}

/// A moment in the zone that times are shown in.
pub fn shown(at: DateTime<FixedOffset>) -> DateTime<FixedOffset> {
    let utc = at.to_utc();
    let offset = SHOWN.get().map(|zone| zone(utc));
    offset.map_or_else(|| utc.fixed_offset(), |offset| utc.with_timezone(&offset))
}

/// A moment for a person, the same in both faces: `2026-11-22 10:48:07 +09:00`, or `UTC` in place of an offset of
/// nothing.
pub fn moment_words(at: DateTime<FixedOffset>) -> String {
    let at = shown(at);
    let time = at.format("%Y-%m-%d %H:%M:%S");
    if at.offset().local_minus_utc() == 0 {
        format!("{time} UTC")
    } else {
        format!("{time} {}", at.format("%:z"))
    }
}

/// A span of time in its largest unit: `45 s`, `12 min`, `3 h`, `5 d`.
pub fn span_words(span: TimeDelta) -> String {
    let seconds = span.num_seconds();
    match seconds.abs() {
        0..=119 => format!("{seconds} s"),
        120..=7_199 => format!("{} min", seconds / 60),
        7_200..=172_799 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

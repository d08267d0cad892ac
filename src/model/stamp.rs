//! A moment, with what is known about its zone.

use chrono::{DateTime, FixedOffset, NaiveDateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::text::format;

/// Whether a file stated the zone of a time, or the local one had to be assumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Zone {
    /// The source gave `Z` or an offset, or it is a clock of the system itself.
    Stated,
    /// The source gave none; it was read in the local zone.
    Assumed,
}

/// A moment in time as some source stated it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "Stored", try_from = "Stored")]
pub struct Stamp {
    /// The moment, with the offset it was stated or assumed in.
    pub at: DateTime<FixedOffset>,
    /// Whether that offset was stated.
    pub zone: Zone,
}

/// A moment as records have it.
#[derive(Serialize, Deserialize)]
struct Stored {
    at: String,
    #[serde(default)]
    assumed: bool,
}

impl From<Stamp> for Stored {
    fn from(stamp: Stamp) -> Self {
        Self {
            at: stamp.at.to_rfc3339(),
            assumed: stamp.zone == Zone::Assumed,
        }
    }
}

impl TryFrom<Stored> for Stamp {
    type Error = chrono::ParseError;

    fn try_from(Stored { at, assumed }: Stored) -> Result<Self, Self::Error> {
        Ok(Self {
            at: DateTime::parse_from_rfc3339(&at)?,
            zone: if assumed { Zone::Assumed } else { Zone::Stated },
        })
    }
}

impl Stamp {
    /// What a limit does at this moment, or did: `resets` or `reset`.
    pub fn resets(&self, now: DateTime<FixedOffset>) -> &'static str {
        if self.at > now { "resets" } else { "reset" }
    }

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

    /// The time in full; one whose zone the file did not state is marked as such.
    pub fn words(&self) -> String {
        let time = format::time_full(self.at);
        match self.zone {
            Zone::Stated => time,
            Zone::Assumed => format!("{time} (zone assumed)"),
        }
    }

    /// The seconds from one moment to a later one; `None` if one is unknown or they are not in order.
    pub fn seconds_between(from: Option<Self>, to: Option<Self>) -> Option<u64> {
        u64::try_from(to?.unix() - from?.unix()).ok()
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

/// Reads a time without zone in the local zone. Implemented by the world's clock; fixed in tests.
pub trait LocalTime {
    /// The moment that the naive time means here: the earlier one where it means two (autumn), the end of
    /// the gap where it means none (spring).
    fn local(&self, naive: NaiveDateTime) -> DateTime<FixedOffset>;

    /// A moment with the offset that clocks have here then.
    fn here(&self, at: DateTime<Utc>) -> DateTime<FixedOffset>;
}

//! Replays that a crucible manifest records, and the record that is kept of a comparison.

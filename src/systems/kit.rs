//! What the readers of all systems share, so that each says only what is its own.
//!
//! # How to add a system
//!
//! 1. Make a folder here with five modules: `shape` (the files on disk, as types), `facts` (the files and the
//!    world read together, once), `checks` (a table of [`checks::Row`]s), `points` (where the work can resume,
//!    and what that writes) and `record` (the lines and fields that are written).
//! 2. Implement [`System`](super::System) (what to look for, and whether a hit is one) and
//!    [`Case`](super::Case) (what a pipeline that was read answers). Only [`Case`](super::Case)'s methods
//!    without a body are needed; a system that can run dispatches again also answers
//!    [`Case::replayable`](super::Case::replayable).
//! 3. Add one line to [`SYSTEMS`](super::SYSTEMS).
//!
//! # How to add a check
//!
//! Write a function from the system's scene to [`checks::Outcome`]s, and add one [`checks::Row`] to the
//! system's table: the id, its topic, what it proves, the function. An id never changes its meaning, because
//! scripts filter by it. If a resume point depends on the check, name its id in the system's `depends_on`
//! table; nothing else decides by it.

pub(crate) mod badges;
pub(crate) mod checks;
pub(crate) mod depends_on;
pub mod trails;

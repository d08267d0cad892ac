//! Finds what looks like a pipeline: one parallel walk for all systems, by the names they mark their files
//! with. It never follows a link (every directory is opened relative to its parent), never enters what is
//! pruned, and hands on each hit as it is found.

mod entries;
mod mounts;
mod names;
mod places;
mod walk;

pub use names::{Names, enters};
pub use places::{claude_projects, temp_entries};
pub use walk::{Limits, Tally, walk};

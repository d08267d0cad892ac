//! Finds candidates for pipelines: one parallel walk for all systems, by the file names that they use as markers. It
//! never follows a link (every directory is opened relative to its parent), never enters a pruned directory, and
//! reports each hit as it is found.

mod entries;
mod mounts;
mod names;
mod places;
mod walk;

pub use names::{Names, enters};
pub use places::{claude_projects, temp_entries};
pub use walk::{Limits, Tally, walk};

//! The space that the trees of a replay take, known before the first of them is made.

use std::path::Path;

use super::tree::space;
use crate::apply::disk::{Disk as _, RealDisk};
use crate::git::blobs::Blobs;
use crate::model::{DiskCost, ReplayPlan};

/// The repository, the records and the folders of a run, measured in runs of small projects and rounded up.
const RECORDS: u64 = 128 << 10;
/// What is kept of a dispatch beside what its runner writes: its files, each rounded up to a block, and its lines.
const DISPATCH: u64 = 16 << 10;

/// The space that all runs of a plan take under the canonical state folder; `None` where nothing is copied, or the
/// checkpoint cannot be read.
pub fn disk_cost(plan: &ReplayPlan, runs: usize, state: Option<&Path>) -> Option<DiskCost> {
    if plan.ask.in_place {
        return None;
    }
    let checkpoint = plan.begin()?.checkpoint.as_ref()?;
    let blobs = Blobs::open(checkpoint.kind.repository()?).ok()?;
    let entries = blobs.entries(&checkpoint.id).ok()?;
    let dispatches = plan.steps.len() as u64;
    let each = space(&blobs, &entries) + RECORDS + dispatches.saturating_mul(DISPATCH);
    // A run keeps a copy of its tree while it works, from which further attempts begin.
    let copies = runs + plan.ask.parallel.clamp(1, runs.max(1));
    Some(DiskCost {
        each,
        all: each.saturating_mul(copies as u64),
        free: state.and_then(free_space),
    })
}

/// The bytes that are free where a folder is or will be made; `None` where that cannot be told.
pub fn free_space(folder: &Path) -> Option<u64> {
    let disk = RealDisk::new();
    let dir = folder.ancestors().find_map(|one| disk.root(one).ok())?;
    disk.room(&dir).ok().map(|room| room.bytes)
}

//! Runs a function for each of many items, on several threads if there are many.

use rayon::iter::{
    IndexedParallelIterator as _, IntoParallelRefIterator as _, ParallelIterator as _,
};

/// The least number of items for a thread: to start one takes longer than to do fewer.
const PART: usize = 64;

/// Runs a function for each item, in any order, until one fails. Returns the results in the order of the items.
pub(super) fn each<T: Sync, R: Send, E: Send>(
    all: &[T],
    work: impl Fn(&T) -> Result<R, E> + Send + Sync,
) -> Result<Vec<R>, E> {
    if all.len() < 2 * PART {
        return all.iter().map(work).collect();
    }
    all.par_iter().with_min_len(PART).map(work).collect()
}

//! The same for each of many things, on several threads where there are many.

use rayon::iter::{
    IndexedParallelIterator as _, IntoParallelRefIterator as _, ParallelIterator as _,
};

/// So many are done by one thread: fewer are done sooner than another thread begins.
const PART: usize = 64;

/// Does the same for each, in any order, until one fails; gives the answers in the order of the things.
pub(super) fn each<T: Sync, R: Send, E: Send>(
    all: &[T],
    work: impl Fn(&T) -> Result<R, E> + Send + Sync,
) -> Result<Vec<R>, E> {
    if all.len() < 2 * PART {
        return all.iter().map(work).collect();
    }
    all.par_iter().with_min_len(PART).map(work).collect()
}

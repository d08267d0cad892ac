//! Work on many items, on several cores.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;

/// Does work on each item and gives the results in the order of the items. Every core has a part of them, of at least
/// `least` items: to start a thread takes longer than to do fewer.
///
/// For work of a few milliseconds. The calling thread does the first part and each other part has a new thread, which
/// begins on an idle core; of a pool, the threads that sleep may all wake on one core, and have done the work before
/// they are moved.
pub fn in_parts<T: Sync, R: Send>(
    items: &[T],
    least: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let one = |part: &[T]| part.iter().map(&work).collect::<Vec<R>>();
    if items.len() < 2 * least {
        return one(items);
    }
    // Asked only here, because it reads several files of the kernel.
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let part = items.len().div_ceil(cores).max(least).max(1);
    let (first, rest) = items.split_at(part.min(items.len()));
    thread::scope(|scope| {
        let rest = rest.chunks(part);
        let one = &one;
        let started = |part| {
            let thread = thread::Builder::new().spawn_scoped(scope, move || one(part));
            // Where no more threads are allowed, this one does it.
            thread.map_err(|_refused| part)
        };
        let others: Vec<_> = rest.map(started).collect();
        let mut all = one(first);
        for other in others {
            all.extend(match other {
                Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                Err(part) => one(part),
            });
        }
        all
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for len in [0, 1, 2, 3, 7, 64, 1001] {
            let items: Vec<usize> = (0..len).collect();
            for least in [1, 2, 64, 2000] {
                let doubled = in_parts(&items, least, |n| n * 2);
                assert_eq!(doubled, (0..len).map(|n| n * 2).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_panic_of_one_part_is_that_of_the_caller() {
        let items = [1, 2, 3, 4];
        let ended = std::panic::catch_unwind(|| in_parts(&items, 1, |n| assert!(*n < 4)));
        assert!(ended.is_err());
    }
}

//! Locks.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a mutex guards, even if a thread panicked while it held the lock.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

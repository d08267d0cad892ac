//! A person's wish to stop, and whether it comes in time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How far the work that a switch may stop has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Reach {
    /// Nothing looks at the switch.
    #[default]
    Idle,
    /// What runs stops when the switch is set, and removes what it has prepared.
    Open,
    /// It is too late: what runs is finished first.
    Late,
}

/// A switch that stops what runs, as long as it can be stopped. Clones are the same switch.
#[derive(Debug, Clone, Default)]
pub struct Cancel {
    asked: Arc<AtomicBool>,
    reach: Arc<Mutex<Reach>>,
}

impl Cancel {
    /// A switch that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets it; it cannot be unset. Gives how far the work has come: it is stopped unless that is late.
    pub fn cancel(&self) -> Reach {
        self.asked.store(true, Ordering::SeqCst);
        self.reach()
    }

    /// Whether it is set.
    pub fn is_cancelled(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    /// The flag itself, for a signal handler: it may take no lock.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.asked)
    }

    /// How far the work has come.
    pub fn reach(&self) -> Reach {
        *self.lock()
    }

    /// From here on the work looks at the switch.
    pub fn open(&self) {
        *self.lock() = Reach::Open;
    }

    /// From here on it is too late. False where the switch was set before: then it is not, and the work must stop.
    #[must_use]
    pub fn commit(&self) -> bool {
        // Whoever sets the switch asks for the reach afterwards, and waits for this lock: both agree on who was
        // first.
        let mut reach = self.lock();
        if self.is_cancelled() {
            return false;
        }
        *reach = Reach::Late;
        true
    }

    /// Runs this unless it is too late, and keeps it from becoming so meanwhile. False where it is too late.
    pub fn unless_late(&self, run: impl FnOnce()) -> bool {
        let reach = self.lock();
        let in_time = *reach != Reach::Late;
        if in_time {
            run();
        }
        in_time
    }

    fn lock(&self) -> MutexGuard<'_, Reach> {
        self.reach.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PartialEq for Cancel {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.asked, &other.asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w1_whoever_comes_first_wins_and_both_know_it() {
        let early = Cancel::new();
        early.open();
        assert_eq!(early.cancel(), Reach::Open);
        assert!(!early.commit());
        assert_eq!(early.reach(), Reach::Open);
        let late = Cancel::new();
        late.open();
        assert!(late.commit());
        assert_eq!(late.cancel(), Reach::Late);
        assert!(late.is_cancelled());
        // What comes after is stopped before it begins.
        late.open();
        assert!(!late.commit());
    }
}

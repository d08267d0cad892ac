//! A disk in memory that forgets what was not made durable, for testing the transaction.
//!
//! It keeps two trees, what is there now and what a power cut would leave at the least, and between them the
//! changes of entries that are not durable yet, in order. [`SimDisk::crash_states`] gives what may be found after
//! a power cut; [`SimDisk::after_kill`] what the next process finds after a kill.
//!
//! # What it promises, and what it does not
//!
//! It promises less than any file system that was measured, so that whatever holds here holds
//! there:
//!
//! - A change of entries is one atomic operation on one or two directories. If an operation survives,
//!   so do the earlier ones of its directories, and nothing else: not the operations of other directories, not
//!   the creation of its own directory, not the content of the file it names.
//! - Content that was not synced comes back as it was when it last was (nothing, for a new file), cut anywhere,
//!   with NUL bytes in place of what was cut, or whole. Mode, owner and attributes come back old or new.
//! - An fsync that failed is never made good by a later one.
//! - Inode numbers that are free are given out again, the lowest first.
//!
//! [`Promises`] turns the two weakest of these into what most file systems do. It is never compiled into the
//! program.

mod build;
mod calls;
mod changes;
mod content;
mod fault;
mod loss;
mod picture;
mod refs;
mod remains;
mod rng;
mod state;
mod tree;

#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use calls::{SimDir, SimFile, SimLock};
pub use fault::Fault;
pub use loss::Loss;
pub use picture::{Picture, Seen};
pub use refs::SimRefs;
pub use rng::Rng;
pub use rustix::io::Errno;

use fault::{Faults, How, Meddling, Moment, Verb, Verdict};
use state::State;

/// What the disk guarantees beyond the least (see the module).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Promises {
    /// A barrier on a directory makes the content of the files in it durable, not only its entries.
    pub barrier_syncs_content: bool,
    /// What happens in a directory that was just made does not survive without the directory's own entry.
    pub children_need_parents: bool,
}

/// A disk in memory. A clone is the same disk, as another process sees it; [`SimDisk::branch`] makes another disk.
#[derive(Debug, Clone)]
pub struct SimDisk {
    state: Arc<Mutex<State>>,
}

impl Default for SimDisk {
    fn default() -> Self {
        Self::new()
    }
}

impl SimDisk {
    /// An empty disk: `/`, and plenty of room.
    pub fn new() -> Self {
        Self::of(State::new())
    }

    fn of(state: State) -> Self {
        Self {
            state: Arc::new(Mutex::new(state)),
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, State> {
        // A failed assertion elsewhere must not be hidden by this one.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another disk with the same content, history and faults to come; nothing that happens to one reaches the
    /// other. Open directories can be used on both.
    #[must_use]
    pub fn branch(&self) -> Self {
        let mut state = self.lock_state();
        state.trace.freeze();
        Self::of(state.clone())
    }

    /// What the next process finds when this one was killed: the same entries and content, made durable or not,
    /// no locks, no faults, counters at zero.
    #[must_use]
    pub fn after_kill(&self) -> Self {
        let next = self.branch();
        next.lock_state().restart("the process was killed");
        next
    }

    /// What may be found after a power cut at this instant, all of it where that is at most `limit` disks; else
    /// `limit` of it, drawn by `seed`. That everything survived and that nothing did are always among them.
    pub fn crash_states(&self, limit: usize, seed: u64) -> impl Iterator<Item = Self> + use<> {
        let base = self.branch();
        let losses = base.lock_state().losses(limit, seed);
        losses.into_iter().map(move |loss| base.after_loss(&loss))
    }

    /// What may be lost at this instant, as [`SimDisk::crash_states`] would choose it.
    pub fn losses(&self, limit: usize, seed: u64) -> Vec<Loss> {
        self.lock_state().losses(limit, seed)
    }

    /// What is found after a power cut that cost this.
    #[must_use]
    pub fn after_loss(&self, loss: &Loss) -> Self {
        let next = self.branch();
        next.lock_state().lose(loss);
        next
    }

    /// Sets what the disk guarantees beyond the least.
    pub fn promise(&self, promises: Promises) {
        self.lock_state().promises = promises;
    }

    /// Limits the bytes and files that the disk holds in all.
    pub fn limit(&self, bytes: u64, inodes: u64) {
        self.lock_state().quota = Some((bytes, inodes));
    }

    /// Lets the process die right before its mutating call with this number, counted from 0. From then on every
    /// call fails.
    pub fn die_at(&self, step: u64) {
        self.lock_state().faults.die_at = Some(step);
    }

    /// Lets a call fail. Only calls that may give that error are counted.
    pub fn fail(&self, fault: Fault) {
        self.lock_state().faults.fault = Some(fault);
    }

    /// Lets every write come short once, so that it takes two calls.
    pub fn write_short(&self) {
        self.lock_state().faults.short_writes = true;
    }

    /// Lets somebody else act right before the mutating call with this number.
    pub fn meddle_at(&self, step: u64, meddle: impl Fn(&Self) + Send + Sync + 'static) {
        self.meddle(Moment::Step(step), meddle);
    }

    /// Lets somebody else act right before the call with this number, calls that only look included.
    pub fn meddle_at_call(&self, call: u64, meddle: impl Fn(&Self) + Send + Sync + 'static) {
        self.meddle(Moment::Call(call), meddle);
    }

    fn meddle(&self, at: Moment, meddle: impl Fn(&Self) + Send + Sync + 'static) {
        let meddling = Meddling::new(at, meddle);
        self.lock_state().faults.meddling.push(meddling);
    }

    /// Takes away the faults that are to come and starts counting anew.
    pub fn heal(&self) {
        self.lock_state().faults = Faults::default();
    }

    /// Mutating calls so far.
    pub fn steps(&self) -> u64 {
        self.lock_state().faults.steps
    }

    /// All calls so far, those that only look included.
    pub fn calls(&self) -> u64 {
        self.lock_state().faults.calls
    }

    /// True once the process has died.
    pub fn is_dead(&self) -> bool {
        self.lock_state().faults.dead
    }

    /// True once the fault that was set has occurred.
    pub fn fault_struck(&self) -> bool {
        self.lock_state().faults.struck
    }

    /// The mutating calls that led here and how they ended, a line each.
    pub fn trace(&self) -> String {
        let state = self.lock_state();
        let mut text = String::new();
        match state.trace.write(&mut text, &state.now) {
            Ok(()) => text,
            Err(error) => error.to_string(),
        }
    }

    /// One call: counted, failed if a fault is due, run, written into the trace.
    fn perform<T>(
        &self,
        verb: Verb,
        on: &[(SimDir, &OsStr)],
        effect: impl FnOnce(&mut State, How) -> io::Result<T>,
    ) -> io::Result<T> {
        let meddling = self.lock_state().faults.due(verb);
        if let Some(meddling) = meddling {
            meddling.act(self);
        }
        let mut state = self.lock_state();
        let (step, was_dead) = (state.faults.steps, state.faults.dead);
        let verdict = state.faults.before(verb);
        let struck = matches!(verdict, Verdict::Fails { .. });
        let result = match verdict {
            Verdict::Go => effect(&mut state, How::Well),
            Verdict::Dead => Err(fault::dead()),
            Verdict::Fails { errno, done: true } => {
                effect(&mut state, How::Well).and(Err(errno.into()))
            }
            Verdict::Fails { errno, done: false } if verb.leaves_traces() => {
                effect(&mut state, How::Badly).and(Err(errno.into()))
            }
            Verdict::Fails { errno, .. } => Err(errno.into()),
        };
        let failed = result.as_ref().err();
        if !was_dead && (verb.changes() || struck) {
            state.trace.note(step, verb, on, failed);
        }
        result
    }
}

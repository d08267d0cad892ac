//! Faults that are put before a call: the process dies, a call gives an error, somebody else acts.

use std::fmt;
use std::io;
use std::sync::Arc;

use rustix::io::Errno;

use super::SimDisk;

/// What a call does, as far as faults care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Open,
    Look,
    Lock,
    Make,
    Write,
    Sync,
    Barrier,
    Metadata,
    Remove,
    Cut,
    Rename,
    Sign,
}

impl Verb {
    /// True where the call changes something, or makes a change durable.
    pub(super) fn changes(self) -> bool {
        !matches!(self, Self::Open | Self::Look | Self::Lock)
    }

    /// True where the call, failing, leaves something behind.
    pub(super) fn leaves_traces(self) -> bool {
        matches!(self, Self::Write | Self::Sync | Self::Barrier | Self::Sign)
    }

    /// True where a call like this may give that error.
    fn may_give(self, errno: Errno) -> bool {
        match errno {
            Errno::NOSPC | Errno::DQUOT => {
                !matches!(self, Self::Open | Self::Look | Self::Remove | Self::Cut)
            }
            Errno::ROFS => self.changes() && !matches!(self, Self::Sync | Self::Barrier),
            Errno::ACCESS | Errno::PERM => {
                !matches!(self, Self::Sync | Self::Barrier | Self::Write)
            }
            Errno::MFILE | Errno::NFILE => matches!(self, Self::Open | Self::Make | Self::Lock),
            Errno::XDEV => matches!(self, Self::Rename),
            Errno::INTR => !matches!(self, Self::Look),
            _ => true,
        }
    }
}

/// An error that a call is to give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Which of the calls that may give this error, counted from 0.
    pub at: u64,
    /// The error.
    pub errno: Errno,
    /// From then on always, or only once.
    pub lasting: bool,
    /// The call does what it was asked and gives the error all the same.
    pub done: bool,
}

/// The call before which somebody else acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// A mutating call, counted from 0.
    Step(u64),
    /// Any call, one that only looks included, counted from 0.
    Call(u64),
}

/// Somebody else who acts at a certain call.
#[derive(Clone)]
pub(super) struct Meddling {
    at: Moment,
    act: Arc<dyn Fn(&SimDisk) + Send + Sync>,
}

impl Meddling {
    pub(super) fn new(at: Moment, act: impl Fn(&SimDisk) + Send + Sync + 'static) -> Self {
        Self {
            at,
            act: Arc::new(act),
        }
    }

    pub(super) fn act(&self, disk: &SimDisk) {
        (self.act)(disk);
    }
}

impl fmt::Debug for Meddling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Meddling at {:?}", self.at)
    }
}

/// The faults to come, and how far they are.
#[derive(Debug, Clone, Default)]
pub(super) struct Faults {
    /// Mutating calls so far.
    pub(super) steps: u64,
    /// All calls so far.
    pub(super) calls: u64,
    /// Calls so far that might have given the error of `fault`.
    suitable: u64,
    pub(super) die_at: Option<u64>,
    pub(super) fault: Option<Fault>,
    pub(super) struck: bool,
    pub(super) dead: bool,
    pub(super) short_writes: bool,
    pub(super) meddling: Vec<Meddling>,
}

/// What becomes of a call.
pub(super) enum Verdict {
    Go,
    Dead,
    Fails { errno: Errno, done: bool },
}

/// How a call runs: as it should, or so that it fails and leaves traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    Well,
    Badly,
}

impl Faults {
    /// The meddling that comes before this call.
    pub(super) fn due(&mut self, verb: Verb) -> Option<Meddling> {
        if self.dead {
            return None;
        }
        let due = self.meddling.iter().position(|meddling| match meddling.at {
            Moment::Step(step) => verb.changes() && step == self.steps,
            Moment::Call(call) => call == self.calls,
        });
        self.calls += 1;
        due.map(|due| self.meddling.swap_remove(due))
    }

    /// Counts a call and says what becomes of it.
    pub(super) fn before(&mut self, verb: Verb) -> Verdict {
        if self.dead {
            return Verdict::Dead;
        }
        if verb.changes() {
            if self.die_at == Some(self.steps) {
                self.dead = true;
                return Verdict::Dead;
            }
            self.steps += 1;
        }
        let Some(fault) = self.fault.filter(|fault| verb.may_give(fault.errno)) else {
            return Verdict::Go;
        };
        let this = self.suitable;
        self.suitable += 1;
        if this == fault.at || (fault.lasting && this > fault.at) {
            self.struck = true;
            let Fault { errno, done, .. } = fault;
            return Verdict::Fails { errno, done };
        }
        Verdict::Go
    }
}

/// What every call gives once the process is dead.
pub(super) fn dead() -> io::Error {
    io::Error::other("The simulated process is dead.")
}

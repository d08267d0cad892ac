//! The recovery transaction, described in [recovery](crate::docs::recovery): the only module that writes.
//!
//! A confirmed plan becomes a [`draft`], the draft is staged into [`exchange`]s, the exchanges are written
//! into a [`journal`] and moved in batches by a [`transaction`]; [`crash`] decides what to do with what a crash left.

pub mod appends;
pub mod batches;
pub mod briefings;
pub mod bytes;
pub mod compile;
pub mod consent;
pub mod crash;
pub mod disk;
pub mod draft;
mod each;
pub mod error;
pub mod exchange;
pub mod export;
pub mod folder;
pub mod history;
pub mod home;
pub mod journal;
pub mod locks;
pub mod mirror;
pub mod own_recoveries;
pub mod own_writes;
pub mod preflight;
pub mod purge;
pub mod record;
pub mod recording;
pub mod refs;
pub mod rehearse;
#[cfg(test)]
mod rerun;
pub mod session;
pub mod stage;
#[cfg(test)]
mod tests;
pub mod transaction;
pub mod undo;

pub use consent::Consent;
pub use error::ApplyError;

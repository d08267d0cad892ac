//! The recovery transaction: the only room that writes (safety.md, section 3).
//!
//! A plan that was agreed to becomes a [`draft`], the draft is staged into [`token`]s, the tokens are written
//! into a [`journal`] and moved in waves by a [`transaction`]; [`settle`] decides what a crash left.

#[cfg(test)]
mod again;
pub mod appends;
pub mod briefings;
pub mod bytes;
pub mod carry;
pub mod compile;
pub mod consent;
pub mod disk;
pub mod draft;
pub mod folder;
pub mod history;
pub mod home;
pub mod journal;
pub mod locks;
pub mod preflight;
pub mod purge;
pub mod record;
pub mod refs;
pub mod rehearse;
pub mod settle;
pub mod stage;
#[cfg(test)]
mod tests;
pub mod token;
pub mod transaction;
pub mod trouble;
pub mod undo;
pub mod waves;

pub use consent::Consent;
pub use trouble::Trouble;

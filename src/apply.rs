//! The recovery transaction: the only room that writes (safety.md, section 3).

#[cfg(test)]
mod again;
pub mod consent;
pub mod disk;
pub mod home;
pub mod preflight;

pub use consent::Consent;

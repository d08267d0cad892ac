//! The verdict of an experiment: a pure function of its blocks.
//!
//! [experiments](crate::docs::experiments) explains the rules.

mod advice;
mod evidence;
mod interval;
mod judge;
mod power;
mod run_value;
mod sentence;

pub(crate) use evidence::{blocks_for, needed};
pub(crate) use judge::{judge, next_is_useless, statistics};
pub(crate) use power::{rate_to_show, share_to_show};
pub(crate) use run_value::{blocks, has_failed, original_value};

#[cfg(test)]
mod tests;

//! Trees put back: what a plan says happens to each path, done by the real transaction in a sandbox, with the
//! git command line as the judge.

#[cfg(test)]
#[path = "trees/kit.rs"]
mod kit;
#[cfg(test)]
#[path = "trees/matrix.rs"]
mod matrix;
#[cfg(test)]
#[path = "trees/reset.rs"]
mod reset;
#[cfg(test)]
#[path = "trees/rewind.rs"]
mod rewind;

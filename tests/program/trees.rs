//! Trees put back: what a plan says happens to each path, done by the real transaction in a sandbox, with the
//! git command line as the judge.

mod kit;
mod matrix;
mod reset;
mod rewind;

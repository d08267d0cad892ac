//! Restored trees: the real transaction does in a sandbox what the plan says of each path, and the git command line
//! judges the result.

mod kit;
mod matrix;
mod reset;
mod rewind;

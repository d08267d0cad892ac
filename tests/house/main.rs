//! Rules of the repository: which room may import which, and whose code may be linked.
//!
//! Run one of them with `cargo test --test house architecture::`.

mod architecture;
mod licences;

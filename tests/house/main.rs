//! Rules of the repository: which module may import which, whose code may be linked, and where pages lead.
//!
//! Run one of them with `cargo test --test house architecture::`.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test ends at the first surprise"
)]

mod architecture;
mod licences;
mod pages;
mod places;

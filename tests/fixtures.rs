//! Every case of `fixtures/<system>/<case>/`, read as a person would and held against what it expects; and
//! every state file of every case, cut short anywhere; and every conference, read by its own resume protocol.
//!
//! Run some with `cargo test --test fixtures crucible` or `… crucible::torn_tail`. Adding a case needs no
//! code; its format is told in `fixtures/README.md`.

#[cfg(test)]
fn main() -> std::process::ExitCode {
    support::harness::main(support::runner::tests())
}

#[cfg(not(test))]
fn main() {}

#[cfg(test)]
mod support {
    pub(crate) mod agreement;
    pub(crate) mod asked;
    pub(crate) mod build;
    pub(crate) mod case;
    pub(crate) mod compare;
    pub(crate) mod cuts;
    pub(crate) mod harness;
    pub(crate) mod lost;
    pub(crate) mod orchestrator;
    pub(crate) mod own;
    pub(crate) mod reader;
    pub(crate) mod repos;
    pub(crate) mod resumed;
    pub(crate) mod runner;
    pub(crate) mod sweep;
    pub(crate) mod words;
    pub(crate) mod workflow;
    pub(crate) mod world;

    /// Why a case failed.
    #[derive(Debug)]
    pub(crate) struct Trouble(pub(crate) String);

    impl<E: std::error::Error> From<E> for Trouble {
        fn from(error: E) -> Self {
            Self(error.to_string())
        }
    }
}

//! What the fixtures' own runner and the tests of the program share: a case is read, built and named.

pub(crate) mod build;
pub(crate) mod case;
#[path = "../../src/world/fake.rs"]
pub(crate) mod fake;
pub(crate) mod repos;
#[path = "../../src/world/temporary.rs"]
pub(crate) mod temporary;
pub(crate) mod words;
pub(crate) mod world;

/// Why a case failed.
#[derive(Debug)]
pub(crate) struct Trouble(pub(crate) String);

impl<E: std::error::Error> From<E> for Trouble {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

//! What each system's recovery leaves on disk: every point of the sandbox and of the fixtures is carried out,
//! and each byte afterwards is held against what the plan showed; then it is taken back and done again.

#[cfg(test)]
#[path = "act_systems/expected.rs"]
mod expected;
#[cfg(test)]
#[path = "act_systems/formats.rs"]
mod formats;
#[cfg(test)]
#[path = "act_systems/round.rs"]
mod round;
#[cfg(test)]
#[path = "act_systems/sandbox.rs"]
mod sandbox;
#[cfg(test)]
#[path = "act_systems/site.rs"]
mod site;
#[cfg(test)]
#[path = "act_systems/snapshot.rs"]
mod snapshot;

#[cfg(test)]
#[expect(dead_code, reason = "the fixtures' own runner uses the rest")]
#[path = "support"]
mod support {
    pub(crate) mod build;
    pub(crate) mod case;
    pub(crate) mod repos;
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
}

#[cfg(test)]
use support::Trouble;

/// Carries out every point of every fixture of a system.
#[cfg(test)]
fn fixtures(system: &str) -> Result<round::Seen, Trouble> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut seen = round::Seen::default();
    for fixture in support::case::all(&root)? {
        let own = fixture.name.starts_with(&format!("{system}::"));
        if !own {
            continue;
        }
        let case = fixture.case()?;
        let built = support::build::build(&fixture, &case)?;
        let site = site::Site::of_case(built.root(), &built.words, &case);
        let acted = round::every_point(&site);
        seen.add(acted.map_err(|why| Trouble(format!("{}: {}", fixture.name, why.0)))?);
    }
    Ok(seen)
}

/// A table of what must be reached at least, so that a fixture that falls silent is noticed.
#[cfg(test)]
fn at_least(system: &str, acted: usize, refused: usize) -> Result<(), Trouble> {
    let seen = fixtures(system)?;
    if seen.acted >= acted && seen.refused >= refused {
        return Ok(());
    }
    Err(Trouble(format!("{system}: {seen:?}")))
}

#[test]
fn every_point_of_autoconference_is_as_shown_undone_and_redone() -> Result<(), Trouble> {
    at_least("autoconference", 80, 10)
}

#[test]
fn every_point_of_mgw_is_as_shown_undone_and_redone() -> Result<(), Trouble> {
    at_least("mgw", 50, 9)
}

#[test]
fn every_point_of_superscientist_is_as_shown_undone_and_redone() -> Result<(), Trouble> {
    at_least("superscientist", 65, 25)
}

#[test]
fn every_point_of_nine_step_is_as_shown_undone_and_redone() -> Result<(), Trouble> {
    at_least("nine-step", 85, 8)
}

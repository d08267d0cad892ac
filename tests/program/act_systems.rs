//! Each system's recovery on disk: every resume point of the sandbox and of the fixtures is applied, every byte is
//! compared with the plan, and then the recovery is undone and redone.

mod causes;
mod expected;
mod formats;
pub(crate) mod part;
mod rehearsed;
pub(crate) mod round;
mod sandbox;
mod shown;
pub(crate) mod site;
mod snapshot;

use crate::seed_mgw_nine::{mgw, nine_step};
use crate::support::{self, Trouble};

/// Applies every point of every fixture of a system.
fn fixtures(system: &str, reader: Option<round::Reader>) -> Result<round::Seen, Trouble> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut seen = round::Seen::default();
    let mut own = support::case::all(&root)?;
    own.retain(|fixture| fixture.name.starts_with(&format!("{system}::")));
    for (nth, fixture) in own.into_iter().enumerate() {
        let case = fixture.case()?;
        let built = support::build::build(&fixture, &case)?;
        let site = site::Site::of_case(built.root(), &built.words, &case);
        let acted = round::every_point(&site, system, nth, reader);
        seen.add(acted.map_err(|why| Trouble(format!("{}: {}", fixture.name, why.0)))?);
    }
    Ok(seen)
}

/// What must be reached at least where all points are tried, and a part of it otherwise, so that a fixture that falls
/// silent is noticed.
fn at_least(
    system: &str,
    acted: usize,
    refused: usize,
    reader: Option<round::Reader>,
) -> Result<(), Trouble> {
    let seen = fixtures(system, reader)?;
    let part = if part::all_is_tried() { 1 } else { 4 };
    let (acted, refused) = (acted / part, refused / part);
    if seen.acted >= acted && seen.refused >= refused {
        return Ok(());
    }
    Err(Trouble(format!("{system}: {seen:?}")))
}

#[test]
fn every_point_of_autoconference_is_as_shown_undone_and_redone() -> Result<(), Trouble> {
    at_least("autoconference", 80, 10, None)
}

/// H7 and H8: the hand-off leads the orchestrator where the plan says.
#[test]
fn every_point_of_mgw_is_as_shown_undone_and_redone() -> Result<(), Trouble> {
    at_least("mgw", 47, 9, Some(mgw::read))
}

#[test]
fn every_point_of_superscientist_is_as_shown_undone_and_redone() -> Result<(), Trouble> {
    at_least("superscientist", 65, 25, None)
}

#[test]
fn every_point_of_nine_step_is_as_shown_undone_and_redone() -> Result<(), Trouble> {
    at_least("nine-step", 85, 8, Some(nine_step::read))
}

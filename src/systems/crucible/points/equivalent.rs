//! A boundary without a checkpoint of its own. Upstream commits to the store without `--allow-empty`, so a
//! boundary before which no file changed has none: the newest one before it holds the same files.

use std::collections::BTreeSet;

use super::{Position, Stop};
use crate::model::Stamp;
use crate::systems::crucible::facts::Run;
use crate::systems::crucible::facts::roles;
use crate::systems::crucible::facts::stores::{self, Saved};
use crate::systems::crucible::facts::waves;
use crate::systems::crucible::facts::work::{Unit, UnitState};
use crate::systems::crucible::shape::manifest::{Entry, Manifest};
use crate::world::World;

/// Why an earlier checkpoint may be used in place of a boundary's own.
#[derive(Debug, Clone)]
pub(crate) struct Equivalent {
    /// When the first work after the boundary began; `None` where the run stopped at it.
    pub(crate) began: Option<Stamp>,
    /// For a person, a sentence.
    pub(crate) why: String,
}

/// The checkpoint that has the files of a boundary, where only work that changes no file came in between.
pub(crate) fn find(run: &Run, stop: &Stop, world: &dyn World) -> Option<(Saved, Equivalent)> {
    let manifest = run.usable()?;
    let after: Vec<(Unit, &Entry)> = run
        .work
        .counted(manifest)
        .filter(|(unit, entry)| comes_after(run, manifest, stop, *unit, entry))
        .collect();
    // A boundary in the middle of a phase that the run left without coming to it.
    let passed = !matches!(stop.position, Position::Start)
        && !after
            .iter()
            .any(|(unit, _)| run.work.is_in(*unit, stop.rank));
    if passed && !after.is_empty() {
        return None;
    }
    let after: Vec<&Entry> = after.into_iter().map(|(_, entry)| entry).collect();
    let began = after.iter().filter_map(|entry| run.start_of(entry)).min();
    let current = run.work.current().map(|facts| facts.name.rank);
    let stopped_here = after.is_empty() && current == Some(stop.rank);
    if began.is_none() && !stopped_here {
        return None;
    }
    let before = |at: Stamp| began.is_none_or(|began| at < began);
    let saved = run
        .saved
        .iter()
        .rfind(|saved| began.is_none_or(|began| saved.at <= began))?;
    // What is saved before a restore is not what the restore left.
    if stores::is_reason(&saved.reason, "pre-restore-safety") {
        return None;
    }
    let after: BTreeSet<u64> = after.iter().map(|entry| entry.seq).collect();
    let between = roles_between(run, manifest, saved.at, &before, &after)?;
    let commits = run.commits(world).ok()?;
    let committed = commits.iter().map(|commit| Stamp::utc(commit.time));
    if committed.into_iter().any(|at| saved.at <= at && before(at)) {
        return None;
    }
    let ran = if between.is_empty() {
        "nothing ran".to_owned()
    } else {
        let names: Vec<&str> = between.into_iter().collect();
        format!("only {} ran", names.join(", "))
    };
    let why = format!(
        "No checkpoint was taken for this boundary, because no file had changed: {} has the same files ({ran} in between, and nothing was committed).",
        saved.reason
    );
    Some((saved.clone(), Equivalent { began, why }))
}

/// The roles that ran between a checkpoint and a boundary; `None` where one of them may have changed files.
fn roles_between<'a>(
    run: &Run,
    manifest: &'a Manifest,
    saved_at: Stamp,
    before: &dyn Fn(Stamp) -> bool,
    after: &BTreeSet<u64>,
) -> Option<BTreeSet<&'a str>> {
    let starts = run.clock.iter().filter(|(_, at)| **at < saved_at);
    let last_before = starts.map(|(seq, _)| *seq).max().unwrap_or(0);
    let mut names = BTreeSet::new();
    for (unit, entry) in run.work.units.iter().zip(&manifest.entries) {
        if unit.state == UnitState::Experiment || after.contains(&entry.seq) {
            continue;
        }
        let (between, unfinished) = match run.start_of(entry) {
            Some(at) => (
                saved_at <= at && before(at),
                at < saved_at && unit.state == UnitState::Open,
            ),
            // Without a time its number decides.
            None => (entry.seq > last_before, false),
        };
        if !between && !unfinished {
            continue;
        }
        let role = manifest.role(entry);
        if !roles::changes_no_files(role) {
            return None;
        }
        names.insert(role);
    }
    Some(names)
}

/// True for work that comes after a boundary.
fn comes_after(run: &Run, manifest: &Manifest, stop: &Stop, unit: Unit, entry: &Entry) -> bool {
    let rank = run.work.phase_of(unit).map(|facts| facts.name.rank);
    let own = match stop.position {
        Position::Start => true,
        Position::Before(kind) => kind(manifest.role(entry)),
        Position::Within(wave) => waves::planned(run, unit, entry).is_some_and(|own| own >= wave),
    };
    rank.is_some_and(|rank| rank > stop.rank || (rank == stop.rank && own))
}

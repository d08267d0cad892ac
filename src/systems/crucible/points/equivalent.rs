//! A boundary without its own checkpoint. Crucible commits to the store without `--allow-empty`, so a boundary without
//! changed files before it has none: the newest earlier one has the same files. If files did change, the project's
//! commit at that time has them, as far as they were committed.

use std::collections::BTreeSet;

use super::{Position, Stop};
use crate::model::Stamp;
use crate::systems::crucible::facts::{
    Run, Saved, Unit, UnitState, evidence, roles, stores, waves,
};
use crate::systems::crucible::shape::Entry;
use crate::world::World;

/// Why an earlier checkpoint or a commit can replace a boundary's own.
#[derive(Debug, Clone)]
pub(crate) struct Equivalent {
    /// When the first work after the boundary started; `None` if the run stopped at it.
    pub(crate) began: Option<Stamp>,
    /// The reason for a person, as a sentence.
    pub(crate) why: String,
}

/// The checkpoint or commit with the files of a boundary, if all work in between changed no file.
pub(crate) fn find(run: &Run, stop: &Stop, world: &dyn World) -> Option<(Saved, Equivalent)> {
    run.usable()?;
    let is_after = |(unit, entry): &(Unit, &Entry)| comes_after(run, stop, *unit, entry);
    let mut after = run.counted().filter(is_after).peekable();
    let stopped_here = after.peek().is_none();
    // A boundary in the middle of a phase that the run left without reaching the boundary.
    let is_own = |(unit, _): (Unit, &Entry)| run.work.is_in(unit, stop.rank);
    let passed = !stopped_here && !matches!(stop.position, Position::Start);
    if passed && !run.counted().filter(is_after).any(is_own) {
        return None;
    }
    let began = after.filter_map(|(_, entry)| run.start_of(entry)).min();
    let current = run.work.current().map(|facts| facts.name.rank);
    if began.is_none() && !(stopped_here && current == Some(stop.rank)) {
        return None;
    }
    let gap = Gap { run, stop, began };
    let (saved, why) = gap.checkpoint(world).or_else(|| gap.commit(world))?;
    Some((saved, Equivalent { began, why }))
}

/// The time before a boundary.
struct Gap<'a> {
    run: &'a Run,
    stop: &'a Stop,
    /// When the first work after the boundary started; `None` if the run stopped at it.
    began: Option<Stamp>,
}

/// How long after its last commit a dispatch may still report that it is done.
const REPORTS_S: i64 = 120;

impl Gap<'_> {
    fn before(&self, at: Stamp) -> bool {
        self.began.is_none_or(|began| at < began)
    }

    /// The newest checkpoint of the store, if no file changed since.
    fn checkpoint(&self, world: &dyn World) -> Option<(Saved, String)> {
        let is_before = |saved: &&Saved| self.began.is_none_or(|began| saved.at <= began);
        let saved = self.run.saved.iter().rfind(is_before)?;
        // A checkpoint taken before a restore does not have the restored files.
        if stores::is_reason(&saved.reason, "pre-restore-safety") {
            return None;
        }
        let between = self.roles_since(saved.at)?;
        let commits = self.run.commits(world).ok()?;
        let mut committed = commits.iter().map(|commit| Stamp::utc(commit.time));
        if committed.any(|at| saved.at <= at && self.before(at)) {
            return None;
        }
        let (reason, ran) = (&saved.reason, ran(&between));
        let why = format!(
            "No checkpoint was taken for this boundary, because no file had changed: {reason} has the same files ({ran} in between, and nothing was committed)."
        );
        Some((saved.clone(), why))
    }

    /// The project's commit at that time, if all work that may change files had ended with it.
    fn commit(&self, world: &dyn World) -> Option<(Saved, String)> {
        let mut commits = evidence::commits_of_run(self.run, world);
        let commit = commits.find(|commit| self.before(Stamp::utc(commit.time)))?;
        let saved = Saved::of_project(self.run.work_tree()?, commit);
        let between = self.roles_since(saved.at)?;
        let mut earlier = self.run.counted().filter(|(unit, entry)| {
            !comes_after(self.run, self.stop, *unit, entry)
                && !roles::changes_no_files(self.run.role(entry))
        });
        let ended = earlier.all(|(unit, entry)| {
            let start = self.run.start_of(entry);
            let took = entry.duration_s().and_then(|s| i64::try_from(s).ok());
            let end = start.zip(took).map(|(start, took)| start.unix() + took);
            unit.state == UnitState::Done
                && end.is_some_and(|end| end <= saved.at.unix() + REPORTS_S)
        });
        if !ended {
            return None;
        }
        let (name, ran) = (saved.name(), ran(&between));
        let none = if self.run.has_unread_store() {
            "No checkpoint was found for this boundary, and a checkpoint store cannot be read"
        } else {
            "No checkpoint was taken for this boundary"
        };
        let why = format!(
            "{none}: {name} was the newest one then ({ran} in between). Uncommitted changes are not in the checkpoint."
        );
        Some((saved, why))
    }

    /// The roles that ran between a moment and the boundary; `None` if one of them may have changed files.
    fn roles_since(&self, saved_at: Stamp) -> Option<BTreeSet<&str>> {
        let before = self.run.starts().filter(|(_, at)| *at < saved_at);
        let last_before = before.map(|(seq, _)| seq).max().unwrap_or(0);
        let mut names = BTreeSet::new();
        let entries = &self.run.usable()?.entries;
        for (unit, entry) in self.run.work.units.iter().zip(entries) {
            let is_after = || unit.counts() && comes_after(self.run, self.stop, *unit, entry);
            let apart = matches!(unit.state, UnitState::Experiment | UnitState::Undone);
            if apart || is_after() {
                continue;
            }
            let (between, unfinished) = match self.run.start_of(entry) {
                Some(at) => (
                    saved_at <= at && self.before(at),
                    at < saved_at && unit.state == UnitState::Open,
                ),
                // Without a time, its number decides.
                None => (entry.seq > last_before, false),
            };
            if !between && !unfinished {
                continue;
            }
            let role = self.run.role(entry);
            if !roles::changes_no_files(role) {
                return None;
            }
            names.insert(role);
        }
        Some(names)
    }
}

/// The work that ran, as part of a sentence.
fn ran(roles: &BTreeSet<&str>) -> String {
    if roles.is_empty() {
        return "nothing ran".to_owned();
    }
    let names: Vec<&str> = roles.iter().copied().collect();
    format!("only {} ran", names.join(", "))
}

/// True for work after a boundary.
fn comes_after(run: &Run, stop: &Stop, unit: Unit, entry: &Entry) -> bool {
    let rank = run.rank_of(unit);
    let own = match stop.position {
        Position::Start => true,
        Position::Before(kind) => kind(run.role(entry)),
        Position::Within(wave) => waves::planned(run, unit, entry).is_some_and(|own| own >= wave),
    };
    rank.is_some_and(|rank| rank > stop.rank || (rank == stop.rank && own))
}

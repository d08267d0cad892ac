//! The checks F1 to F14 (format note, section f), in its order.

mod dispatches;
mod documents;
mod manifest;
mod repository;

use super::facts::Run;
use super::shape::manifest::{Entry, Manifest};
use crate::model::{Check, CheckId, Subject, Verdict};
use crate::world::World;

/// Checks of one id that are listed one by one; the rest are summed up in one more.
const LISTED: usize = 200;

/// Makes all checks of a run.
pub(crate) fn checks(run: &Run, world: &dyn World) -> Vec<Check> {
    let ground = repository::Ground::look(run, world);
    let mut all = manifest::checks(run);
    all.push(repository::marker(run));
    all.push(ground.branch(run));
    all.push(ground.baseline(run, world));
    all.extend(dispatches::checks(run, world));
    all.extend(documents::checks(run, world));
    let number = |check: &Check| check.id.0.get(1..).and_then(|n| n.parse::<u32>().ok());
    all.sort_by_key(number);
    all
}

/// The subject of a check about one dispatch.
pub(crate) fn dispatch_subject(manifest: &Manifest, entry: &Entry) -> Subject {
    Subject::Dispatch {
        seq: entry.seq,
        name: super::facts::reading::named(manifest, entry).into(),
    }
}

/// The dispatch a check is about; of a summary, the first.
pub(crate) fn seq_in(check: &Check) -> Option<u64> {
    match check.about {
        Subject::Dispatch { seq, .. } | Subject::DispatchesFrom(seq) => Some(seq),
        _ => None,
    }
}

/// Per-dispatch checks: those worse than pass one by one, the passing ones summed up.
struct Group {
    id: &'static str,
    passed: u64,
    listed: Vec<Check>,
    more: Option<(u64, u64, Verdict)>,
}

impl Group {
    fn new(id: &'static str) -> Self {
        Self {
            id,
            passed: 0,
            listed: Vec::new(),
            more: None,
        }
    }

    fn pass(&mut self) {
        self.passed += 1;
    }

    fn add(&mut self, seq: u64, check: Check) {
        if self.listed.len() < LISTED {
            self.listed.push(check);
            return;
        }
        let more = self.more.get_or_insert((seq, 0, check.verdict));
        more.1 += 1;
        more.2 = more.2.max(check.verdict);
    }

    fn finish(mut self, passed: &str, none: &str) -> Vec<Check> {
        if let Some((seq, count, verdict)) = self.more {
            let check = Check::new(
                self.id,
                Subject::DispatchesFrom(seq),
                verdict,
                format!("{count} more of the same."),
            );
            self.listed
                .push(check.remedy("Look at the dispatches listed above first."));
        }
        if self.passed > 0 {
            let evidence = format!("{}: {passed}", self.passed);
            self.listed.push(Check::new(
                self.id,
                "the other dispatches",
                Verdict::Pass,
                evidence,
            ));
        } else if self.listed.is_empty() {
            self.listed
                .push(Check::new(self.id, "dispatches", Verdict::Pass, none));
        }
        self.listed
    }
}

/// The worst verdict among checks of one id that fit.
pub(crate) fn worst<'a>(
    checks: &'a [Check],
    id: &str,
    fits: impl Fn(&Check) -> bool + 'a,
) -> Option<(Verdict, CheckId)> {
    let of_id = checks
        .iter()
        .filter(|check| check.id.0 == id && fits(check));
    of_id
        .max_by_key(|check| check.verdict)
        .map(|check| (check.verdict, check.id.clone()))
}

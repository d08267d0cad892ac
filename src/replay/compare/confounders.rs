//! The confounders of a comparison: those of the runs themselves, and those that only the comparison shows. Pure.

use std::collections::BTreeSet;

use super::runs::{newest, recorded};
use crate::model::{Foreign, Pair, Party, Run, RunKind, Work, WorkStatus};
use crate::text::{Shown as _, distinct, format};

/// The confounders of any two sides, each once: first those that the runs record. What only differs from the original
/// confounds no two replays.
pub(super) fn all(a: &Party, b: &Party, pairs: &[Pair]) -> Vec<Foreign> {
    let mut found = if are_replays(a, b) {
        Vec::new()
    } else {
        unlike_original(a, b)
    };
    found.extend(runs(a, b).flat_map(|run| run.confounders.clone()));
    found.extend(of_arms(a, b, pairs, false));
    found.extend(open("side A", a));
    found.extend(open("side B", b));
    distinct(found)
}

/// Whether both sides are replays, so that the original is on neither.
pub(super) fn are_replays(a: &Party, b: &Party) -> bool {
    runs(a, b).all(|run| run.kind == RunKind::Replay)
}

fn runs<'a>(a: &'a Party, b: &'a Party) -> impl Iterator<Item = &'a Run> {
    a.runs.iter().chain(&b.runs)
}

/// The recorded differences between the runs and the original.
pub(super) fn unlike_original(a: &Party, b: &Party) -> Vec<Foreign> {
    distinct(runs(a, b).flat_map(|run| run.unlike_original.clone()))
}

/// The same, and what else the runs record.
pub(super) fn of_runs(a: &Party, b: &Party) -> Vec<Foreign> {
    let recorded = runs(a, b).flat_map(|run| run.unlike_original.iter().chain(&run.confounders));
    distinct(recorded.cloned())
}

/// The confounders that only the comparison shows. Missing runs are no confounder: the verdict takes them into account.
/// With `unswapped`, dispatches without a swap were already reported.
pub(super) fn of_arms(a: &Party, b: &Party, pairs: &[Pair], unswapped: bool) -> Vec<Foreign> {
    let mut found: Vec<Foreign> = models(pairs).into_iter().collect();
    found.extend(starts(runs(a, b)));
    found.extend(conditions(&[("side A", a), ("side B", b)]));
    let kept = runs(a, b).filter_map(|run| run.conditions.as_ref()?.kept_paths.clone());
    found.extend(kept);
    found.extend(mutations(a, "side A"));
    found.extend(mutations(b, "side B"));
    found.extend(runs(a, b).filter_map(|run| unlike_recorded(run, unswapped)));
    distinct(found)
}

/// Models that are known on both sides and differ.
fn models(pairs: &[Pair]) -> Option<Foreign> {
    let of = |side: &[Option<Work>]| -> BTreeSet<Foreign> {
        let works = side.iter().flatten();
        works.filter_map(|one| one.model.clone()).collect()
    };
    let mut differing = pairs
        .iter()
        .map(|pair| (of(&pair.a), of(&pair.b)))
        .filter(|(a, b)| !a.is_empty() && !b.is_empty() && a != b);
    let (a, b) = differing.next()?;
    let count = 1 + differing.count();
    let names = |models: &BTreeSet<Foreign>| {
        let names: Vec<_> = models.iter().map(Foreign::lossy).collect();
        names.join(", ")
    };
    let pairs = format::count(count, "pair");
    let (a, b) = (names(&a), names(&b));
    Some(format!("The model is another one in {pairs}: {a} in side A, {b} in side B.").into())
}

/// Replays that do not begin at the same boundary.
fn starts<'a>(runs: impl Iterator<Item = &'a Run>) -> Option<Foreign> {
    let starts = runs.filter_map(|run| run.start.as_ref());
    let points = distinct(starts.map(|(point, _)| point.0.as_str()));
    let several = points.len() > 1;
    several.then(|| {
        let points = points.join(", ");
        format!("The replays begin at several boundaries: {points}.").into()
    })
}

/// A value of a condition, and the sides that have it.
type Had<'a> = (&'a Foreign, Vec<&'a str>);

/// Different conditions of the runs: another runner, other limits, another setup.
fn conditions(sides: &[(&str, &Party)]) -> Vec<Foreign> {
    let mut seen: Vec<(&str, Vec<Had<'_>>)> = Vec::new();
    for (side, party) in sides {
        let conditions = party.runs.iter().filter_map(|run| run.conditions.as_ref());
        for (name, value) in conditions.flat_map(|one| &one.settings) {
            if seen.iter().all(|(known, _)| known != name) {
                seen.push((name, Vec::new()));
            }
            let Some((_, values)) = seen.iter_mut().find(|(known, _)| known == name) else {
                continue;
            };
            match values.iter_mut().find(|(known, _)| *known == value) {
                Some((_, sides)) if sides.contains(side) => {}
                Some((_, sides)) => sides.push(side),
                None => values.push((value, vec![side])),
            }
        }
    }
    let differing = seen.into_iter().filter(|(_, values)| values.len() > 1);
    let sentence = |(name, values): (&str, Vec<Had<'_>>)| {
        let values = values.iter();
        let values =
            values.map(|(value, sides)| format!("{} in {}", value.shown(), sides.join(" and ")));
        let values = values.collect::<Vec<_>>().join(", ");
        format!("The {name} is not the same in all runs: {values}.").into()
    };
    differing.map(sentence).collect()
}

/// Repeats of one side that did not swap the same templates.
fn mutations(party: &Party, side: &str) -> Option<Foreign> {
    let (first, rest) = party.runs.split_first()?;
    let differs = |other: &Run| !first.replaces_as(other);
    rest.iter()
        .any(differs)
        .then(|| format!("The runs of {side} did not all replace the same templates.").into())
}

/// A replay whose dispatches record other mutations than the session does.
fn unlike_recorded(run: &Run, unswapped: bool) -> Option<Foreign> {
    if run.kind != RunKind::Replay {
        return None;
    }
    let recorded = recorded(&run.work);
    let name = &run.name;
    let strange = recorded.iter().find(|one| !run.mutations.contains(one));
    if let Some(one) = strange.map(Foreign::clean) {
        let text = format!(
            "A dispatch of {name} was written with {one}, which its session does not record."
        );
        return Some(text.into());
    }
    // In an unfinished run, the dispatch of a mutation may not have run yet.
    let mut absent = run.mutations.iter().filter(|one| !recorded.contains(one));
    let one = absent
        .next()
        .filter(|_| !run.unfinished && !unswapped)?
        .clean();
    let text = format!("No dispatch of {name} was written with {one}, which its session records.");
    Some(text.into())
}

/// Unfinished runs, with their unfinished work.
fn open(side: &str, party: &Party) -> Option<Foreign> {
    let unfinished = || party.runs.iter().filter(|run| run.unfinished);
    let number = unfinished().count();
    let open = unfinished().flat_map(|run| newest(&run.work));
    let open = open.filter(|one| one.status == WorkStatus::Open).count();
    let dispatched = |run: &Run| matches!(run.kind, RunKind::Original | RunKind::Replay);
    let open = match open {
        0 => String::new(),
        open => format!(
            ": {} open",
            open_work(open, party.runs.iter().any(dispatched))
        ),
    };
    let runs = format::count(number, "run");
    let has = format::plural(number, "has", "have");
    (number > 0).then(|| format!("{runs} of {side} {has} not ended{open}.").into())
}

/// `2 dispatches are`, or where nothing was dispatched `1 work item is`.
pub(super) fn open_work(number: usize, dispatched: bool) -> String {
    let (one, many) = if dispatched {
        ("dispatch is", "dispatches are")
    } else {
        ("work item is", "work items are")
    };
    format::count_of(number, one, many)
}

#[cfg(test)]
mod tests;

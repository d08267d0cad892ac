//! The confounders of a comparison: those of the runs themselves, and those that only the comparison shows. Pure.

use super::runs::{newest, recorded};
use crate::model::{Foreign, Pair, Party, Run, RunKind, Work, WorkStatus};
use crate::text::{Shown as _, format};

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
    once(found)
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
    let found = runs(a, b).flat_map(|run| run.unlike_original.clone());
    once(found.collect())
}

/// The same, and what else the runs record.
pub(super) fn of_runs(a: &Party, b: &Party) -> Vec<Foreign> {
    let recorded = runs(a, b).flat_map(|run| run.unlike_original.iter().chain(&run.confounders));
    once(recorded.cloned().collect())
}

/// The confounders that only the comparison shows. Missing runs are no confounder: the verdict takes them into account.
/// With `unswapped`, dispatches without a swap were already reported.
pub(super) fn of_arms(a: &Party, b: &Party, pairs: &[Pair], unswapped: bool) -> Vec<Foreign> {
    let runs = || a.runs.iter().chain(&b.runs);
    let mut found: Vec<Foreign> = models(pairs).into_iter().collect();
    found.extend(starts(runs()));
    found.extend(conditions(&[("side A", a), ("side B", b)]));
    let kept = runs().filter_map(|run| run.conditions.as_ref()?.kept_paths.clone());
    found.extend(kept);
    found.extend(mutations(a, "side A"));
    found.extend(mutations(b, "side B"));
    found.extend(runs().filter_map(|run| unlike_recorded(run, unswapped)));
    once(found)
}

fn once(found: Vec<Foreign>) -> Vec<Foreign> {
    let mut once: Vec<Foreign> = Vec::new();
    for one in found {
        if !once.contains(&one) {
            once.push(one);
        }
    }
    once
}

/// Models that are known on both sides and differ.
fn models(pairs: &[Pair]) -> Option<Foreign> {
    let of = |side: &[Option<Work>]| -> Vec<Foreign> {
        let mut models: Vec<Foreign> = side
            .iter()
            .flatten()
            .filter_map(|one| one.model.clone())
            .collect();
        models.sort();
        models.dedup();
        models
    };
    let mut differing = pairs
        .iter()
        .map(|pair| (of(&pair.a), of(&pair.b)))
        .filter(|(a, b)| !a.is_empty() && !b.is_empty() && a != b);
    let (a, b) = differing.next()?;
    let count = 1 + differing.count();
    let names = |models: &[Foreign]| {
        let names: Vec<_> = models.iter().map(|one| one.lossy().into_owned()).collect();
        names.join(", ")
    };
    let pairs = format::count(count, "pair");
    let (a, b) = (names(&a), names(&b));
    Some(format!("The model is another one in {pairs}: {a} in side A, {b} in side B.").into())
}

/// Replays that do not begin at the same boundary.
fn starts<'a>(runs: impl Iterator<Item = &'a Run>) -> Option<Foreign> {
    let starts = runs.filter_map(|run| run.start.as_ref());
    let mut points: Vec<&str> = Vec::new();
    for (point, _) in starts {
        if !points.contains(&point.0.as_str()) {
            points.push(&point.0);
        }
    }
    let several = points.len() > 1;
    several.then(|| {
        format!(
            "The replays begin at several boundaries: {}.",
            points.join(", ")
        )
        .into()
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
            let at = seen.iter().position(|(known, _)| known == name);
            let at = at.unwrap_or_else(|| {
                seen.push((name, Vec::new()));
                seen.len() - 1
            });
            let Some((_, values)) = seen.get_mut(at) else {
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
        let values: Vec<String> = values
            .iter()
            .map(|(value, sides)| format!("{} in {}", value.shown(), sides.join(" and ")))
            .collect();
        format!(
            "The {name} is not the same in all runs: {}.",
            values.join(", ")
        )
        .into()
    };
    differing.map(sentence).collect()
}

/// Repeats of one side that did not swap the same templates.
fn mutations(party: &Party, side: &str) -> Option<Foreign> {
    let names = |run: &Run| {
        let mut mutations = run.mutations.clone();
        mutations.sort();
        mutations
    };
    // By content where it is known: a template has a short name, too.
    let contents = |run: &Run| run.conditions.as_ref().map(|one| one.swaps.clone());
    let (first, rest) = party.runs.split_first()?;
    let differs = |other: &Run| match (contents(first), contents(other)) {
        (Some(one), Some(other)) => one != other,
        _ => names(first) != names(other),
    };
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
    let strange = recorded.iter().find(|one| !run.mutations.contains(one));
    if let Some(one) = strange {
        let text = format!(
            "A dispatch of {} was written with {}, which its session does not record.",
            run.name,
            one.clean()
        );
        return Some(text.into());
    }
    // In an unfinished run, the dispatch of a mutation may not have run yet.
    let mut absent = run.mutations.iter().filter(|one| !recorded.contains(one));
    let one = absent.next().filter(|_| !run.unfinished && !unswapped)?;
    let text = format!(
        "No dispatch of {} was written with {}, which its session records.",
        run.name,
        one.clean()
    );
    Some(text.into())
}

/// Unfinished runs, with their unfinished work.
fn open(side: &str, party: &Party) -> Option<Foreign> {
    let unfinished = party.runs.iter().filter(|run| run.unfinished);
    let (mut runs, mut open) = (0_usize, 0_usize);
    for run in unfinished {
        runs += 1;
        open += newest(&run.work)
            .filter(|one| one.status == WorkStatus::Open)
            .count();
    }
    if runs == 0 {
        return None;
    }
    let runs = match runs {
        1 => format!("1 run of {side} has"),
        several => format!("{several} runs of {side} have"),
    };
    let dispatched = |run: &Run| matches!(run.kind, RunKind::Original | RunKind::Replay);
    let (one, several) = if party.runs.iter().any(dispatched) {
        ("dispatch is", "dispatches are")
    } else {
        ("work item is", "work items are")
    };
    Some(
        match open {
            0 => format!("{runs} not ended."),
            1 => format!("{runs} not ended: 1 {one} open."),
            many => format!("{runs} not ended: {many} {several} open."),
        }
        .into(),
    )
}

#[cfg(test)]
mod tests;

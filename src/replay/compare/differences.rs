//! What differs between two sides that are no experiment, in sentences, and why nothing is judged. Pure.

mod counts;

use super::pairs::{is_behind, is_other_stage};
use super::runs::newest;
use crate::model::{Artifacts, Bucket, Metric, Pair, Party, RunKind, WorkStatus};
use crate::text::format::count_of;
use counts::Counts;

/// What the sentences are made from.
pub(super) struct Facts<'a> {
    pub(super) a: &'a Party,
    pub(super) b: &'a Party,
    pub(super) pairs: &'a [Pair],
    /// The first original dispatch after the resume point.
    pub(super) from: Option<u64>,
    /// Whether the sides differ anywhere after it.
    pub(super) diverges: bool,
    pub(super) metrics: &'a [Metric],
    pub(super) artifacts: Option<&'a Artifacts>,
}

/// Why nothing is judged, then what differs.
pub(super) fn sentences(facts: &Facts<'_>) -> String {
    let replays = has(facts, RunKind::Replay);
    let mut parts = vec![unjudged(facts).to_owned(), unfinished(facts)];
    if same(facts) {
        parts.push(nothing_differs(facts));
    } else if replays {
        parts.extend([counts(facts).words(true), files(facts)]);
    } else {
        parts.extend([work(facts), files(facts), figures(facts)]);
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}

fn has(facts: &Facts<'_>, kind: RunKind) -> bool {
    let mut runs = facts.a.runs.iter().chain(&facts.b.runs);
    runs.any(|run| run.kind == kind)
}

/// Only two arms that ran side by side can be judged.
fn unjudged(facts: &Facts<'_>) -> &'static str {
    let is = |kind| has(facts, kind);
    if facts.a.name == facts.b.name {
        "Both sides are the same."
    } else if is(RunKind::Replay) && is(RunKind::Original) {
        "The original ran once, on another day, so it is a reference and not a side of a test. \
         For a verdict, replay with --repeat 10."
    } else if is_one_block(facts) {
        "These are the two runs of one block. One block cannot distinguish noise from an effect: the experiment is judged by \
         all its blocks."
    } else if is(RunKind::Replay) {
        "These runs are not the two arms of one experiment."
    } else if is_other_stage(facts.a, facts.b) {
        "These are two different stages, and neither is a version of the other."
    } else if has_several_kinds(facts) {
        "These are two different things, and neither is a version of the other."
    } else if is(RunKind::Round) {
        "Each round of a conference builds on the one before, so none is better by itself."
    } else if is(RunKind::Stage) {
        "Each version of a stage was made for another reason."
    } else if is(RunKind::Before) {
        "These are the files before and after a recovery."
    } else {
        "These are the files after two recoveries."
    }
}

/// Whether the sides have nothing in common that could be two versions. Before and after a recovery are two.
fn has_several_kinds(facts: &Facts<'_>) -> bool {
    let has_both = |some: &[RunKind], others: &[RunKind]| {
        some.iter().any(|one| has(facts, *one)) && others.iter().any(|one| has(facts, *one))
    };
    let recoveries = [RunKind::Before, RunKind::After];
    has_both(&[RunKind::Original], &[RunKind::Round, RunKind::Stage])
        || has_both(&[RunKind::Original], &recoveries)
        || has_both(&[RunKind::Round], &[RunKind::Stage])
        || has_both(&[RunKind::Round, RunKind::Stage], &recoveries)
}

/// Whether the sides are the control run and the mutated run of one block.
fn is_one_block(facts: &Facts<'_>) -> bool {
    let ([a], [b]) = (facts.a.runs.as_slice(), facts.b.runs.as_slice()) else {
        return false;
    };
    let (Some(a), Some(b)) = (&a.place, &b.place) else {
        return false;
    };
    a.experiment == b.experiment && a.block == b.block && a.arm != b.arm
}

fn unfinished(facts: &Facts<'_>) -> String {
    let runs = || facts.b.runs.iter().filter(|run| run.unfinished);
    if runs().next().is_none() {
        return String::new();
    }
    let open = runs().flat_map(|run| newest(&run.work));
    let open = open.filter(|one| one.status == WorkStatus::Open).count();
    let noun = if has(facts, RunKind::Replay) {
        ("dispatch is", "dispatches are")
    } else {
        ("piece of work is", "pieces of work are")
    };
    match open {
        0 => "B has not ended, so figures may change.".to_owned(),
        open => format!(
            "B has not ended: {} open, and figures may change.",
            count_of(open, noun.0, noun.1)
        ),
    }
}

/// How many pieces of work differ.
fn work(facts: &Facts<'_>) -> String {
    let differing = facts.pairs.iter().filter(|pair| differs(pair)).count();
    match facts.pairs.len() {
        0 => String::new(),
        all => format!(
            "{differing} of {} {}.",
            count_of(all, "piece of work", "pieces of work"),
            if differing == 1 { "differs" } else { "differ" }
        ),
    }
}

fn differs(pair: &Pair) -> bool {
    let of = |side: &[Option<crate::model::Work>]| {
        let each = side.iter().map(|one| {
            one.as_ref()
                .map(|one| (one.status, one.verdict, one.summary.clone()))
        });
        each.collect::<Vec<_>>()
    };
    of(&pair.a) != of(&pair.b)
}

/// Whether nothing differs, as far as it could be compared.
fn same(facts: &Facts<'_>) -> bool {
    let files = facts.artifacts.is_none_or(|one| one.files.is_empty());
    let counted = facts.metrics.iter().filter(|one| !is_time(&one.name));
    let figures = facts.from.is_some() || counted.clone().all(|one| one.a == one.b);
    let compared = !facts.pairs.is_empty() || facts.artifacts.is_some() || counted.count() > 0;
    !facts.diverges && files && figures && compared
}

/// Durations always differ, so they do not count.
fn is_time(name: &str) -> bool {
    matches!(name, "wall clock" | "summed duration")
}

fn nothing_differs(facts: &Facts<'_>) -> String {
    let files = match facts.artifacts {
        Some(_) => "no file differs",
        None => "the files could not be compared",
    };
    match facts
        .pairs
        .iter()
        .filter(|pair| is_behind(&pair.key, facts.from))
        .count()
    {
        0 => format!("Nothing differs: {files}."),
        pairs => format!(
            "Nothing differs: {} alike, and {files}.",
            count_of(pairs, "pair ended", "pairs ended")
        ),
    }
}

fn files(facts: &Facts<'_>) -> String {
    match facts.artifacts.map(|one| one.files.len()) {
        None | Some(0) => String::new(),
        Some(files) => format!("{}.", count_of(files, "file differs", "files differ")),
    }
}

fn figures(facts: &Facts<'_>) -> String {
    let whole = facts.metrics.iter().filter(|one| !one.from_resume_point);
    match whole.filter(|one| one.a != one.b).count() {
        0 => String::new(),
        figures => format!("{}.", count_of(figures, "figure differs", "figures differ")),
    }
}

fn counts(facts: &Facts<'_>) -> Counts {
    let behind =
        |pair: &&Pair| is_behind(&pair.key, facts.from) || pair.bucket != Bucket::NotReplayed;
    Counts::of(facts.pairs.iter().filter(behind))
}

//! What differs between two sides that are no experiment, in sentences, and why nothing is judged. Pure.

use super::confounders::open_work;
use super::pairs::{ended_alike, is_behind, is_other_stage};
use super::runs::newest;
use crate::model::{Bucket, Comparison, Pair, RunKind, STILL_OPEN, VerdictText, Work, WorkStatus};
use crate::text::format::{count, count_of, numbered, plural};

/// Why nothing is judged, then what differs, and the command for the verdict where there is one.
pub(super) fn text(of: &Comparison, from: Option<u64>) -> VerdictText {
    let text = VerdictText::from(sentences(of, from));
    let Some(experiment) = &of.judged_by else {
        return text;
    };
    VerdictText {
        lead: Some("To show the verdict of the experiment".to_owned()),
        command: Some(format!("relight compare {} {experiment}", of.pipeline.0).into()),
        ..text
    }
}

fn sentences(of: &Comparison, from: Option<u64>) -> String {
    let replays = of.has(RunKind::Replay);
    let mut parts = vec![
        unjudged(of).to_owned(),
        way_to_a_verdict(of).to_owned(),
        unfinished(of),
    ];
    if same(of, from) {
        parts.push(nothing_differs(of, from));
    } else if replays {
        parts.extend([outcomes(of, from), files(of)]);
    } else {
        parts.extend([work(of), files(of), figures(of)]);
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}

/// Only two arms that ran side by side can be judged.
fn unjudged(of: &Comparison) -> &'static str {
    let is = |kind| of.has(kind);
    if of.a.name == of.b.name {
        "Both sides are the same."
    } else if is(RunKind::Replay) && is(RunKind::Original) {
        "The original ran once, on another day, so it is a reference and not a side of a test."
    } else if is_one_block(of) {
        "These are the two runs of one block. One block cannot distinguish noise from an effect: the experiment is judged by \
         all its blocks."
    } else if is(RunKind::Replay) {
        "These runs are not the two arms of one experiment."
    } else if is_other_stage(&of.a, &of.b) {
        "These are two different stages, and neither is a version of the other."
    } else if has_several_kinds(of) {
        "These are two different things, and neither is a version of the other."
    } else if is(RunKind::Round) {
        "Each round of a conference builds on the one before, so none is better by itself."
    } else if is(RunKind::Stage) {
        "Each version of a stage was made for another reason."
    } else if is(RunKind::Before) {
        "These are the files before and after a recovery, without the lines that it appended to logs."
    } else {
        "These are the files after two recoveries, without the lines that they appended to logs."
    }
}

/// What a replay lacks for a verdict; nothing where its experiment has one, and for answers of the stub runner, on which
/// a verdict would be no evidence.
fn way_to_a_verdict(of: &Comparison) -> &'static str {
    let beside_original = of.has(RunKind::Replay) && of.has(RunKind::Original);
    if !beside_original || of.judged_by.is_some() || of.a.has_stub() || of.b.has_stub() {
        return "";
    }
    let replays = || {
        let runs = of.a.runs.iter().chain(&of.b.runs);
        runs.filter(|run| run.kind == RunKind::Replay)
    };
    if replays().all(|run| run.mutations.is_empty()) {
        "Nothing was replaced, so no template can be judged: for a verdict, replay with --mutate and --repeat 10."
    } else if replays().any(|run| run.place.is_some()) {
        "The control arm was left out: for a verdict, replay without --no-control."
    } else {
        "For a verdict, replay with --repeat 10."
    }
}

/// Whether the sides have nothing in common that could be two versions. Before and after a recovery are two.
fn has_several_kinds(of: &Comparison) -> bool {
    let has_both = |some: &[RunKind], others: &[RunKind]| {
        some.iter().any(|one| of.has(*one)) && others.iter().any(|one| of.has(*one))
    };
    let recoveries = [RunKind::Before, RunKind::After];
    has_both(&[RunKind::Original], &[RunKind::Round, RunKind::Stage])
        || has_both(&[RunKind::Original], &recoveries)
        || has_both(&[RunKind::Round], &[RunKind::Stage])
        || has_both(&[RunKind::Round, RunKind::Stage], &recoveries)
}

/// Whether the sides are the control run and the mutated run of one block.
fn is_one_block(of: &Comparison) -> bool {
    let ([a], [b]) = (of.a.runs.as_slice(), of.b.runs.as_slice()) else {
        return false;
    };
    let (Some(a), Some(b)) = (&a.place, &b.place) else {
        return false;
    };
    a.experiment == b.experiment && a.block == b.block && a.arm != b.arm
}

fn unfinished(of: &Comparison) -> String {
    let runs = || of.b.runs.iter().filter(|run| run.unfinished);
    if runs().next().is_none() {
        return String::new();
    }
    let open = runs().flat_map(|run| newest(&run.work));
    let open = open.filter(|one| one.status == WorkStatus::Open).count();
    // An actor of the pipeline may be called B, too.
    let side = format!("Side B ({})", of.b.name);
    if open == 0 {
        return format!("{side} has not ended, so metrics may change.");
    }
    let open = open_work(open, of.has(RunKind::Replay));
    format!("{side} has not ended: {open} open, and metrics may change.")
}

/// How many work items differ.
fn work(of: &Comparison) -> String {
    let differing = of.pairs.iter().filter(|pair| differs(pair)).count();
    if of.pairs.is_empty() {
        return String::new();
    }
    let all = count(of.pairs.len(), "work item");
    format!(
        "{differing} of {all} {}.",
        plural(differing, "differs", "differ")
    )
}

fn differs(pair: &Pair) -> bool {
    let of = |one: &Option<Work>| {
        let one = one.as_ref();
        one.map(|one| (one.status, one.verdict, one.summary.clone()))
    };
    !pair.a.iter().map(of).eq(pair.b.iter().map(of))
}

/// Whether nothing differs, as far as it could be compared.
fn same(of: &Comparison, from: Option<u64>) -> bool {
    let files = of.artifacts.as_ref().is_none_or(|one| one.files.is_empty());
    let counted = of.metrics.iter().filter(|one| !is_time(&one.name));
    let figures = from.is_some() || counted.clone().all(|one| one.a == one.b);
    let compared = !of.pairs.is_empty() || of.artifacts.is_some() || counted.count() > 0;
    let mut pairs = of.pairs.iter().filter(|pair| is_behind(&pair.key, from));
    of.divergence.is_none() && pairs.all(ended_alike) && files && figures && compared
}

/// Durations always differ, so they do not count.
fn is_time(name: &str) -> bool {
    matches!(name, "wall clock" | "summed duration")
}

fn nothing_differs(of: &Comparison, from: Option<u64>) -> String {
    // Nothing follows for what was not compared.
    let (found, files) = match of.artifacts {
        Some(_) => ("Nothing differs", "no file differs"),
        None => ("No difference was found", "the files could not be compared"),
    };
    let pairs = of.pairs.iter().filter(|pair| is_behind(&pair.key, from));
    match pairs.count() {
        0 => format!("{found}: {files}."),
        pairs => format!(
            "{found}: {} alike, and {files}.",
            count_of(pairs, "pair ended", "pairs ended")
        ),
    }
}

fn files(of: &Comparison) -> String {
    match of.artifacts.as_ref().map(|one| one.files.len()) {
        None | Some(0) => String::new(),
        Some(files) => format!("{}.", count_of(files, "file differs", "files differ")),
    }
}

fn figures(of: &Comparison) -> String {
    let whole = of.metrics.iter().filter(|one| !one.from_resume_point);
    match whole.filter(|one| one.a != one.b).count() {
        0 => String::new(),
        figures => format!("{}.", count_of(figures, "metric differs", "metrics differ")),
    }
}

/// How many pairs ended how; of several runs only how many came out differently.
fn outcomes(of: &Comparison, from: Option<u64>) -> String {
    let behind =
        |pair: &&Pair| is_behind(&pair.key, from) || pair.bucket != Some(Bucket::NotReplayed);
    let pairs = || of.pairs.iter().filter(behind);
    if !pairs().any(Pair::is_counted) {
        return by_bucket(&pairs().collect::<Vec<_>>());
    }
    let differing = pairs().filter(|pair| !ended_alike(pair)).count();
    let pairs = count(pairs().count(), "pair");
    format!("{differing} of {pairs} came out differently.")
}

/// `7 of 9 pairs succeed in both; 0 regressed, 2 fixed.` Reviews and pairs of several runs are in no bucket.
fn by_bucket(pairs: &[&Pair]) -> String {
    let number = |bucket, open| {
        let is = |pair: &&&Pair| pair.bucket == Some(bucket) && pair.is_open() == open;
        pairs.iter().filter(is).count() as u64
    };
    let [regressed, fixed, failing, unchanged] = [
        Bucket::Regressed,
        Bucket::Fixed,
        Bucket::StillFailing,
        Bucket::Unchanged,
    ]
    .map(|bucket| number(bucket, false));
    let rest = numbered([
        (failing, "still failing"),
        (number(Bucket::NoAnswer, false), "without an answer"),
        (number(Bucket::NoAnswer, true), STILL_OPEN),
        (number(Bucket::NotReplayed, false), "not replayed"),
        (number(Bucket::New, false), "new"),
    ]);
    let answered = regressed + fixed + failing + unchanged;
    if answered == 0 {
        let colon = if rest.is_empty() { "" } else { ": " };
        return format!(
            "No pair has an answer on both sides{colon}{}.",
            rest.join(", ")
        );
    }
    let parts = [
        vec![format!("{regressed} regressed"), format!("{fixed} fixed")],
        rest,
    ]
    .concat();
    let verb = plural(unchanged, "succeeds", "succeed");
    let pairs = count(answered, "pair");
    format!(
        "{unchanged} of {pairs} {verb} in both; {}.",
        parts.join(", ")
    )
}

//! What may be said of two sides, and no more: the word, and the sentences with the figures that bear it. Pure.
//!
//! A replay is called better or worse than what it is compared with only if every original behind the resume
//! point has its pair, at least three runs of B and six pairs have answers, chance is unlikely, and no confounder
//! stands. Otherwise neither word is used, in the sentences as little as in the verdict.

mod counts;
mod figures;

use super::pairs::is_behind;
use super::runs::newest;
use super::statistics::FEWEST_RUNS;
use crate::model::{
    Artifacts, Bucket, ComparisonVerdict as Verdict, Effect, Foreign, Metric, Pair, Party, RunKind,
    Statistics, WorkStatus,
};
use counts::{Counts, many};
use figures::effects;

/// Pairs with an answer without which nothing is said.
const FEWEST_PAIRS: usize = 6;

/// How unlikely chance must be.
const UNLIKELY: f64 = 0.05;

/// A change of the share of successes that is not worth speaking of.
const SMALL: f64 = 0.1;

/// What a verdict rests on.
pub(super) struct Facts<'a> {
    pub(super) a: &'a Party,
    pub(super) b: &'a Party,
    pub(super) pairs: &'a [Pair],
    /// The first original behind the resume point.
    pub(super) from: Option<u64>,
    /// Whether the sides part anywhere behind it.
    pub(super) diverges: bool,
    pub(super) metrics: &'a [Metric],
    pub(super) artifacts: Option<&'a Artifacts>,
    pub(super) statistics: Option<&'a Statistics>,
    pub(super) confounders: &'a [Foreign],
}

/// The verdict and its sentences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    pub(super) text: String,
}

/// Judges.
pub(super) fn judge(facts: &Facts<'_>) -> Judged {
    if facts.b.runs.iter().any(|run| run.unfinished) {
        return unfinished(facts);
    }
    match facts.statistics {
        _ if !is_experiment(facts) => plain(facts),
        None => single(facts),
        Some(statistics) => repeated(facts, statistics),
    }
}

/// Whether one side is a replay.
fn is_experiment(facts: &Facts<'_>) -> bool {
    let mut runs = facts.a.runs.iter().chain(&facts.b.runs);
    runs.any(|run| run.kind == RunKind::Replay)
}

fn said(verdict: Verdict, sentences: &[String]) -> Judged {
    let spoken = sentences.iter().filter(|one| !one.is_empty());
    let spoken: Vec<&str> = spoken.map(String::as_str).collect();
    Judged {
        verdict,
        text: spoken.join(" "),
    }
}

fn unfinished(facts: &Facts<'_>) -> Judged {
    let runs = facts.b.runs.iter().filter(|run| run.unfinished);
    let open: usize = runs
        .map(|run| {
            let work = newest(&run.work);
            work.filter(|one| one.status == WorkStatus::Open).count()
        })
        .sum();
    let left = match (open, is_experiment(facts)) {
        (0, true) => "something is still to be run".to_owned(),
        (0, false) => "something is still to come".to_owned(),
        (open, true) => many(open, "dispatch is open", "dispatches are open"),
        (open, false) => many(open, "piece of work is open", "pieces of work are open"),
    };
    let text = format!("B has not come to an end: {left}, and figures may change.");
    said(
        Verdict::Unfinished,
        &[text, counts(facts).words(is_experiment(facts))],
    )
}

/// Sides that are no experiment: they are the same, or they are not.
fn plain(facts: &Facts<'_>) -> Judged {
    if same(facts) {
        return said(Verdict::Same, &[nothing_differs(facts)]);
    }
    let differing = facts.pairs.iter().filter(|pair| differs(pair)).count();
    let work = match facts.pairs.len() {
        0 => String::new(),
        all => format!(
            "{differing} of {} {}.",
            many(all, "piece of work", "pieces of work"),
            if differing == 1 { "differs" } else { "differ" }
        ),
    };
    said(Verdict::Different, &[work, files(facts), figures(facts)])
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

/// One run, which cannot tell noise from effect.
fn single(facts: &Facts<'_>) -> Judged {
    if same(facts) {
        return said(Verdict::Same, &[nothing_differs(facts)]);
    }
    let advice = "One run cannot tell noise from effect; --repeat 5 gives five.".to_owned();
    said(
        Verdict::Undecided,
        &[advice, counts(facts).words(true), files(facts)],
    )
}

fn repeated(facts: &Facts<'_>, statistics: &Statistics) -> Judged {
    let counts = counts(facts);
    let runs = facts.b.runs.len();
    let Some(success) = &statistics.success else {
        let text = "Nothing can be said.".to_owned();
        return said(Verdict::Undecided, &[text, counts.words(true)]);
    };
    let effects = effects(statistics);
    let unlikely = success.p < UNLIKELY && success.mean != 0.0;
    let enough = runs as u64 >= FEWEST_RUNS && success.pairs >= FEWEST_PAIRS;
    let match_up = counts.unpaired() == 0;
    let fair = match_up && facts.confounders.is_empty();
    let (low, high) = success.interval;
    let small = low >= -SMALL && high <= SMALL;
    // Only a difference that is unlikely by chance, seen often enough, and with no other explanation gets a word.
    if unlikely && enough && fair {
        let (verdict, word) = if success.mean > 0.0 {
            (Verdict::Better, "better")
        } else {
            (Verdict::Worse, "worse")
        };
        let head = format!("B is {word} over {}.", many(runs, "run", "runs"));
        return said(verdict, &[head, counts.words(true), effects]);
    }
    // The difference is real, but the sides differ in more than the template.
    if unlikely && enough {
        let text = withheld(facts, &counts);
        return said(Verdict::Confounded, &[text, counts.words(true), effects]);
    }
    // A narrow interval around zero is a finding of its own; a wide one only means too few runs.
    if small && match_up && runs as u64 >= FEWEST_RUNS {
        let head = "No change worth speaking of.".to_owned();
        return said(
            Verdict::NoMeaningfulChange,
            &[head, counts.words(true), effects],
        );
    }
    let advice = advice(runs, success, &counts);
    said(Verdict::Undecided, &[advice, counts.words(true), effects])
}

/// Why no word is given to a difference that is there.
fn withheld(facts: &Facts<'_>, counts: &Counts) -> String {
    let mut because = Vec::new();
    match facts.confounders.len() {
        0 => {}
        one => because.push(many(one, "confounder stands", "confounders stand")),
    }
    match counts.unpaired() {
        0 => {}
        one => because.push(many(one, "dispatch has no pair", "dispatches have no pair")),
    }
    format!(
        "The difference cannot be put down to the template: {}.",
        because.join(", and ")
    )
}

/// What would help.
fn advice(runs: usize, success: &Effect, counts: &Counts) -> String {
    if success.pairs < FEWEST_PAIRS {
        return format!(
            "Too few pairs to say: {} an answer on both sides, and {FEWEST_PAIRS} are needed however often it is run.",
            many(success.pairs, "pair has", "pairs have")
        );
    }
    if counts.unpaired() > 0 {
        return format!(
            "{}, so the sides do not match.",
            many(
                counts.unpaired(),
                "dispatch has no pair",
                "dispatches have no pair"
            )
        );
    }
    match success.runs_needed {
        Some(needed) if needed > runs as u64 => {
            format!("This may be chance. About {needed} runs would be needed to tell.")
        }
        Some(_) if (runs as u64) < FEWEST_RUNS => {
            format!("This may be chance. At least {FEWEST_RUNS} runs are needed to tell.")
        }
        Some(_) => "This may be chance.".to_owned(),
        None => "No difference was seen; more runs would narrow what it could be.".to_owned(),
    }
}

/// Whether not one thing differs, as far as it could be looked at.
fn same(facts: &Facts<'_>) -> bool {
    let files = facts.artifacts.is_none_or(|one| one.files.is_empty());
    let counted = facts.metrics.iter().filter(|one| !is_time(&one.name));
    let figures = facts.from.is_some() || counted.clone().all(|one| one.a == one.b);
    let compared = !facts.pairs.is_empty() || facts.artifacts.is_some() || counted.count() > 0;
    !facts.diverges && files && figures && compared
}

/// Time is never the same twice.
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
            many(pairs, "pair ended", "pairs ended")
        ),
    }
}

fn files(facts: &Facts<'_>) -> String {
    match facts.artifacts.map(|one| one.files.len()) {
        None | Some(0) => String::new(),
        Some(files) => format!("{}.", many(files, "file differs", "files differ")),
    }
}

fn figures(facts: &Facts<'_>) -> String {
    let whole = facts.metrics.iter().filter(|one| !one.from_resume_point);
    match whole.filter(|one| one.a != one.b).count() {
        0 => String::new(),
        figures => format!("{}.", many(figures, "figure differs", "figures differ")),
    }
}

fn counts(facts: &Facts<'_>) -> Counts {
    let behind =
        |pair: &&Pair| is_behind(&pair.key, facts.from) || pair.bucket != Bucket::NotReplayed;
    Counts::of(facts.pairs.iter().filter(behind))
}

#[cfg(test)]
mod tests;

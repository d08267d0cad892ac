//! The sentences of a verdict: the observation, and what to do next.

use std::fmt::Write as _;

use super::advice::{advised, blocks_to_add, to_run, with_command};
use super::evidence::{Decided, blocks_for, evidence, wins_needed};
use super::interval::newcombe;
use super::judge::{needed_wins, passed};
use super::power::rate_to_show;
use crate::model::{Block, BlockTally, ExperimentFacts, Foreign, Statistics, VerdictText};
use crate::text::format::{capital, count, count_of, number, plural};

/// What to do where later blocks speak against a verdict: more of them is all that would help.
pub(super) const WEAKENED: &str = "Look at the later blocks before you choose a template.";

/// Better or worse.
pub(super) fn decided(
    statistics: &Statistics,
    facts: &ExperimentFacts,
    one: Decided,
) -> VerdictText {
    let word = if one.better { "better" } else { "worse" };
    let (more, fewer) = (
        one.at.wins.max(one.at.losses),
        one.at.wins.min(one.at.losses),
    );
    let mut text = format!(
        "The mutated arm is {word}: {} ({more} to {fewer} was enough, at {}).",
        tally(statistics.tally),
        count(one.at.blocks(), "block")
    );
    text.push_str(&reproduces(statistics, facts));
    let now = evidence(statistics.tally.wins, statistics.tally.losses);
    let weakened = now < statistics.enough;
    if weakened {
        let enough = statistics.enough;
        let _ = write!(
            text,
            " Later blocks weakened the evidence to {now:.1}, below {enough:.0}."
        );
    }
    if statistics.tally.blocks() < statistics.planned {
        text.push_str(" The true difference is probably smaller than the observed one.");
    }
    let advice = if weakened {
        WEAKENED
    } else if one.better {
        "Use the replacement."
    } else {
        "Keep the original template."
    };
    advised(text, facts, |text| format!("{text} {advice}").into())
}

/// The difference is smaller than the margin, at the number of blocks that was fixed.
pub(super) fn no_meaningful_change(
    statistics: &Statistics,
    facts: &ExperimentFacts,
    (margin, at): (f64, u32),
) -> VerdictText {
    let fixed = statistics.blocks.get(..at as usize).unwrap_or_default();
    let then = fixed.iter().filter_map(|block| block.sign);
    let then = then.fold(BlockTally::default(), BlockTally::with);
    let interval = |blocks: &[Block]| {
        let [control, mutated] = passed(blocks);
        newcombe(control, mutated)
    };
    // To a tenth, because it may end just below the margin.
    let words =
        |(low, high): (f64, f64)| format!("{:+.1} to {:+.1} points", low * 100.0, high * 100.0);
    let mut text = format!(
        "At the {} that were fixed, the pass rates differ by less than {:.0} points: {}",
        count(at, "block"),
        margin * 100.0,
        tally(then),
    );
    if let Some(interval) = interval(fixed) {
        let _ = write!(text, " (90 % interval: {})", words(interval));
    }
    text.push('.');
    let now = statistics.tally.blocks();
    let mut advice = "Keep the simpler template.";
    if now > at
        && let Some((low, high)) = interval(&statistics.blocks)
    {
        let what = if low >= -margin && high <= margin {
            "agree with this"
        } else {
            advice = WEAKENED;
            "weakened this"
        };
        let (blocks, interval) = (count(now, "block"), words((low, high)));
        let _ = write!(
            text,
            " Later blocks {what}: at {blocks} the 90 % interval is {interval}."
        );
    }
    text.push_str(&reproduces(statistics, facts));
    advised(text, facts, |text| format!("{text} {advice}").into())
}

/// Not enough evidence yet.
pub(super) fn undecided(statistics: &Statistics, facts: &ExperimentFacts) -> VerdictText {
    let text = so_far(statistics, facts);
    match to_run(statistics, facts) {
        Some(missing) => {
            let text = format!("{text} {}", missing.sentence());
            missing.advice(text, facts)
        }
        None => blocks_to_add(text, statistics, facts),
    }
}

/// What is known while the experiment is being run.
pub(super) fn running(statistics: &Statistics, facts: &ExperimentFacts) -> String {
    let running = count_of(facts.running, "run is", "runs are");
    format!("{} {running} running.", so_far(statistics, facts))
}

fn so_far(statistics: &Statistics, facts: &ExperimentFacts) -> String {
    let mut text = if statistics.tally.blocks() > 0 {
        let tally = capital(&tally(statistics.tally));
        format!("{tally}.{}", reproduces(statistics, facts))
    } else if facts.disturbed > 0 {
        "No block counts: files of the original changed while they ran.".to_owned()
    } else {
        "No block is complete yet.".to_owned()
    };
    text.push_str(&distance(statistics));
    text
}

/// The mean speaks against the verdict that fell: of pass or fail, or of numbers that later blocks turned as well, the
/// signs do, too.
pub(super) fn opposed(statistics: &Statistics, one: Decided) -> String {
    let (word, other) = if one.better {
        ("better", "worse")
    } else {
        ("worse", "better")
    };
    let by = match statistics.numbers {
        Some(numbers) => format!(" (by {})", number(numbers.mean.abs())),
        None => String::new(),
    };
    let (blocks, tally) = (count(one.at.blocks(), "block"), tally(statistics.tally));
    let BlockTally { wins, losses, .. } = statistics.tally;
    if wins != losses && (wins > losses) == one.better {
        return format!(
            "The mutated arm is {word} in most blocks, {other} on average{by}: {tally}. Look at the blocks with the largest differences."
        );
    }
    format!(
        "The mutated arm was {word} at {blocks}, and is {other} on average{by} since later blocks: {tally}. {WEAKENED}"
    )
}

/// The verdict would not hold if the missing runs went the other way.
pub(super) fn hangs_on_missing(
    statistics: &Statistics,
    facts: &ExperimentFacts,
    one: Decided,
) -> VerdictText {
    let missing: u32 = statistics.missing.iter().sum();
    let word = if one.better { "better" } else { "worse" };
    let text = format!(
        "{}, but {} missing, and \"{word}\" depends on how {} would have ended.",
        capital(&tally(statistics.tally)),
        count_of(missing, "run is", "runs are"),
        plural(missing, "it", "they"),
    );
    match to_run(statistics, facts) {
        Some(missing) => missing.advice(text, facts),
        None => text.into(),
    }
}

/// The arms differ in more than the template.
pub(super) fn confounded(facts: &ExperimentFacts) -> VerdictText {
    let first = facts.confounders.first().map(Foreign::lossy);
    let more = match facts.confounders.len().saturating_sub(1) {
        0 => String::new(),
        more => {
            let more = count_of(more, "more confounder is", "more confounders are");
            format!(" ({more} listed below.)")
        }
    };
    // The first confounder is that both arms were sent the same text, where they were.
    let why = if facts.unswapped > 0 {
        "The arms do not differ where a replacement was asked for"
    } else {
        "The arms differ in more than the template"
    };
    let text = format!(
        "{why}, so no verdict is given. {}{more} Correct that, then start again",
        first.unwrap_or_default(),
    );
    match &facts.anew {
        Some(anew) => with_command(text, format!("{}{}", anew.options, anew.runner)),
        None => format!("{text} with --fresh.").into(),
    }
}

/// A single block.
pub(super) fn one_block(statistics: &Statistics, facts: &ExperimentFacts) -> VerdictText {
    let text = "One block cannot distinguish noise from an effect.".to_owned();
    // Several metrics that decide need more evidence, and so more blocks.
    let more = blocks_for(statistics.enough).1 - 1;
    advised(text, facts, |text| {
        super::advice::add(
            format!("{text} For a verdict, add {more} blocks"),
            more,
            facts,
        )
    })
}

/// `better in 7, worse in 0, the same in 3 of 10 blocks`.
fn tally(tally: BlockTally) -> String {
    format!(
        "better in {}, worse in {}, the same in {} of {}",
        tally.wins,
        tally.losses,
        tally.ties,
        count(tally.blocks(), "block")
    )
}

/// How far a verdict is, and what the planned blocks can show.
fn distance(statistics: &Statistics) -> String {
    let tally = statistics.tally;
    let mut text = String::new();
    let is_up = tally.wins >= tally.losses;
    if tally.blocks() > 0 {
        let (one, several, other) = if is_up {
            ("win", "wins", "a loss")
        } else {
            ("loss", "losses", "a win")
        };
        let needed = needed_wins(statistics);
        let noun = plural(needed, one, several);
        text = format!(" {needed} more {noun} without {other} would decide.");
    }
    let fewest = wins_needed(0, statistics.enough);
    if statistics.planned < fewest {
        let _ = write!(text, " Fewer than {fewest} blocks cannot reach a verdict.");
    } else if let Some(rate) = control_rate(statistics) {
        let Statistics {
            planned, enough, ..
        } = *statistics;
        let shown = if is_up {
            statistics.can_show.flatten()
        } else {
            rate_to_show(in_direction(statistics, rate), planned, enough)
        };
        let blocks = count(planned, "block");
        let what = match (shown, is_up) {
            (Some(least), true) => format!("can show a mutated arm that passes {least} % or more"),
            (Some(fall), false) => {
                format!(
                    "can show a mutated arm that passes {} % or less",
                    100 - fall
                )
            }
            (None, true) => "cannot show an improvement".to_owned(),
            (None, false) => "cannot show a decline".to_owned(),
        };
        let rate = rate * 100.0;
        let _ = write!(
            text,
            " Against a control that passes {rate:.0} %, {blocks} {what}."
        );
    }
    text
}

/// The fewest control runs by which its pass rate is known well enough to advise by it.
const FEWEST_RUNS: u32 = 4;

/// The pass rate of the control; `None` for numbers, and where it is not known yet.
pub(super) fn control_rate(statistics: &Statistics) -> Option<f64> {
    let [(passed, of), _] = statistics.passed?;
    (of >= FEWEST_RUNS).then(|| f64::from(passed) / f64::from(of))
}

/// The rate of the control in the direction in which the mutated arm leads: a fall is the mirror image of a rise.
pub(super) fn in_direction(statistics: &Statistics, rate: f64) -> f64 {
    let is_up = statistics.tally.wins >= statistics.tally.losses;
    if is_up { rate } else { 1.0 - rate }
}

/// Said where no control run comes out as the original did.
fn reproduces(statistics: &Statistics, facts: &ExperimentFacts) -> String {
    let Some(original) = facts.original else {
        return String::new();
    };
    let complete = statistics.blocks.iter().filter(|one| one.sign.is_some());
    let mut controls = complete.map(|block| block.control).peekable();
    if controls.peek().is_none() || controls.any(|control| control == original) {
        return String::new();
    }
    " The control does not reproduce the original; this compares two replays only.".to_owned()
}

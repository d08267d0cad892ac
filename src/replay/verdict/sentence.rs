//! The sentences of a verdict: the observation, and what to do next.

use std::fmt::Write as _;

use super::evidence::{Decided, FEWEST_BLOCKS, evidence, wins_needed};
use super::judge::left;
use crate::model::{ExperimentFacts, Statistics, VerdictText};
use crate::text::format::{capital, count, count_of, plural};

/// Better or worse.
pub(super) fn decided(
    statistics: &Statistics,
    facts: &ExperimentFacts,
    one: Decided,
) -> VerdictText {
    let word = if one.better { "better" } else { "worse" };
    let (more, fewer) = if one.better {
        (one.at.wins, one.at.losses)
    } else {
        (one.at.losses, one.at.wins)
    };
    let mut text = format!(
        "The mutated arm is {word}: {} ({more} to {fewer} was enough).",
        tally(statistics)
    );
    text.push_str(&reproduces(statistics, facts));
    let now = evidence(statistics.tally.wins, statistics.tally.losses);
    if now < statistics.enough {
        let _infallible = write!(
            text,
            " Later blocks weakened the evidence to {now:.1}, below {:.0}.",
            statistics.enough
        );
    }
    if statistics.tally.blocks() < statistics.planned {
        text.push_str(" The true difference is probably smaller than the observed one.");
    }
    let advice = if one.better {
        "Use the replacement."
    } else {
        "Keep the original template."
    };
    advised(text, facts, |text| format!("{text} {advice}").into())
}

/// Adds what to do next. Where the runs say nothing about a template, nothing that they came to is a reason for it.
fn advised(
    observed: String,
    facts: &ExperimentFacts,
    advise: impl FnOnce(String) -> VerdictText,
) -> VerdictText {
    if facts.no_evidence.is_none() {
        return advise(observed);
    }
    let command = format!(
        "relight replay {} … --runner NAME --fresh",
        facts.pipeline.0
    );
    let text = format!("{observed} To test the template, replay with an agent");
    with_command(text, command)
}

/// The difference is smaller than the margin.
pub(super) fn no_meaningful_change(
    statistics: &Statistics,
    facts: &ExperimentFacts,
    margin: f64,
) -> VerdictText {
    let text = format!(
        "The pass rates differ by less than {:.0} points: {}.{}",
        margin * 100.0,
        tally(statistics),
        reproduces(statistics, facts)
    );
    advised(text, facts, |text| {
        format!("{text} Keep the simpler template.").into()
    })
}

/// Not enough evidence yet.
pub(super) fn undecided(statistics: &Statistics, facts: &ExperimentFacts) -> VerdictText {
    let mut text = format!("{}.", capital(&tally(statistics)));
    text.push_str(&reproduces(statistics, facts));
    text.push_str(&distance(statistics, facts));
    let missing: u32 = statistics.missing.iter().sum();
    let open = left(facts, statistics.tally);
    if missing > 0 {
        let missing_runs = count_of(missing, "run is", "runs are");
        return to_run(format!("{text} {missing_runs} missing."), missing, facts);
    }
    if open > 0 && !statistics.unreachable && !ceiling(statistics) {
        let blocks = count_of(open, "block is", "blocks are");
        return with_command(format!("{text} {blocks} not run yet"), continued(facts, ""));
    }
    advised(text, facts, |text| {
        if ceiling(statistics) {
            let what = "The control passes too often for pass or fail to show an improvement within 30 blocks. \
                        Measure a number instead";
            return with_command(format!("{text} {what}"), "--metric NAME=CMD".to_owned());
        }
        let more = more(statistics);
        let command = continued(facts, &format!(" --repeat +{more}"));
        with_command(format!("{text} Add {more} blocks"), command)
    })
}

/// The command that continues the experiment.
fn continued(facts: &ExperimentFacts, options: &str) -> String {
    format!(
        "relight replay {} --continue {}{options}",
        facts.pipeline.0, facts.id
    )
}

fn with_command(sentences: String, command: String) -> VerdictText {
    VerdictText {
        command: Some(command.into()),
        ..VerdictText::from(sentences)
    }
}

/// Sentences about missing runs, and how to run them.
fn to_run(sentences: String, missing: u32, facts: &ExperimentFacts) -> VerdictText {
    let them = plural(missing, "it", "them");
    VerdictText {
        lead: Some(if facts.unmeasured == missing {
            format!("To measure {them} again")
        } else {
            format!("To run {them}")
        }),
        ..with_command(sentences, continued(facts, ""))
    }
}

/// Better in most blocks, worse on average, or the other way round.
pub(super) fn opposed(statistics: &Statistics, one: Decided) -> String {
    let (most, average) = if one.better {
        ("better", "worse")
    } else {
        ("worse", "better")
    };
    format!(
        "The mutated arm is {most} in most blocks, {average} on average: {}. Look at the blocks with the largest differences.",
        tally(statistics)
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
        capital(&tally(statistics)),
        count_of(missing, "run is", "runs are"),
        plural(missing, "it", "they"),
    );
    to_run(text, missing, facts)
}

/// The arms differ in more than the template.
pub(super) fn confounded(facts: &ExperimentFacts) -> VerdictText {
    let first = facts
        .confounders
        .first()
        .map(|one| one.lossy().into_owned());
    let more = match facts.confounders.len().saturating_sub(1) {
        0 => String::new(),
        more => format!(
            " ({} listed below.)",
            count_of(more, "more confounder is", "more confounders are")
        ),
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
    with_command(
        text,
        format!("relight replay {} … --fresh", facts.pipeline.0),
    )
}

/// A single block.
pub(super) fn one_block(facts: &ExperimentFacts) -> VerdictText {
    let text = "One block cannot distinguish noise from an effect.".to_owned();
    advised(text, facts, |text| {
        let text = format!("{text} For a verdict, add 9 blocks");
        with_command(text, continued(facts, " --repeat +9"))
    })
}

/// `the mutated arm was better in 7 blocks, worse in 0, the same in 3`.
fn tally(statistics: &Statistics) -> String {
    let tally = statistics.tally;
    format!(
        "better in {}, worse in {}, the same in {} of {}",
        tally.wins,
        tally.losses,
        tally.ties,
        count(tally.blocks(), "block")
    )
}

/// How far a verdict is, and what the planned blocks can show.
fn distance(statistics: &Statistics, facts: &ExperimentFacts) -> String {
    let tally = statistics.tally;
    if tally.blocks() == 0 && facts.disturbed > 0 {
        return " No block counts: files of the original changed while they ran.".to_owned();
    }
    if tally.blocks() == 0 {
        return " No block is complete yet.".to_owned();
    }
    let (more, fewer, side) = if tally.wins >= tally.losses {
        (tally.wins, tally.losses, ("win", "wins", "a loss"))
    } else {
        (tally.losses, tally.wins, ("loss", "losses", "a win"))
    };
    let needed = wins_needed(fewer, statistics.enough).saturating_sub(more);
    let mut text = format!(
        " {needed} more {} without {} would decide.",
        plural(needed, side.0, side.1),
        side.2
    );
    if let (Some([(passed, of), _]), Some(shown)) = (statistics.passed, statistics.can_show) {
        let rate = f64::from(passed) / f64::from(of.max(1)) * 100.0;
        let blocks = count(statistics.planned, "block");
        let can_show = match shown {
            Some(percent) => format!(
                " Against a control that passes {rate:.0} %, {blocks} can show a mutated arm that passes {percent} % or more."
            ),
            None => format!(
                " Against a control that passes {rate:.0} %, {blocks} cannot show an improvement."
            ),
        };
        text.push_str(&can_show);
    }
    text
}

/// Whether the control leaves no room for "better" within 30 blocks.
fn ceiling(statistics: &Statistics) -> bool {
    statistics
        .passed
        .is_some_and(|[(passed, of), _]| of >= FEWEST_BLOCKS && passed * 10 >= of * 8)
        && statistics.tally.losses <= statistics.tally.wins
}

/// Blocks worth adding: at least five.
fn more(statistics: &Statistics) -> u32 {
    let tally = statistics.tally;
    let (more, fewer) = (tally.wins.max(tally.losses), tally.wins.min(tally.losses));
    wins_needed(fewer, statistics.enough)
        .saturating_sub(more)
        .max(5)
}

/// Said where no control run comes out as the original did.
fn reproduces(statistics: &Statistics, facts: &ExperimentFacts) -> String {
    let Some(original) = facts.original else {
        return String::new();
    };
    let mut complete = statistics
        .blocks
        .iter()
        .filter(|one| one.sign.is_some())
        .peekable();
    if complete.peek().is_none() || complete.any(|block| block.control == original) {
        return String::new();
    }
    " The control does not reproduce the original; this compares two replays only.".to_owned()
}

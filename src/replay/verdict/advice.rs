//! What to do next after a verdict: which runs to run, how many blocks to add, or what else. Every command that is named
//! can be run as it is printed.

use super::evidence::blocks_for;
use super::judge::{left, needed_wins};
use super::power::is_shown;
use super::sentence::{control_rate, in_direction};
use crate::model::{Block, ExperimentFacts, RunValue, SessionId, Statistics, VerdictText};
use crate::text::format::{count, count_of, plural};

/// Fewer blocks rarely change what is known.
const FEWEST_TO_ADD: u32 = 5;

/// Blocks beyond which nobody is advised to go on with pass or fail.
const MOST: u32 = 30;

/// Adds what to do next. Where the runs say nothing about a template, nothing that they came to is a reason for it.
pub(super) fn advised(
    observed: String,
    facts: &ExperimentFacts,
    advise: impl FnOnce(String) -> VerdictText,
) -> VerdictText {
    if facts.no_evidence.is_none() {
        return advise(observed);
    }
    let text = format!("{observed} To test the template, replay with an agent");
    match &facts.anew {
        Some(anew) => with_command(text, format!("{} --runner claude", anew.options)),
        None => format!("{text} (--runner).").into(),
    }
}

pub(super) fn with_command(sentences: String, command: String) -> VerdictText {
    VerdictText {
        command: Some(command.into()),
        ..VerdictText::from(sentences)
    }
}

/// The command that continues an experiment.
fn continued(facts: &ExperimentFacts, id: &SessionId) -> String {
    format!("relight replay {} --continue {id}", facts.pipeline.0)
}

/// Sentences, and the command that adds so many blocks to the experiment.
pub(super) fn add(sentences: String, blocks: u32, facts: &ExperimentFacts) -> VerdictText {
    let command = format!("{} --repeat +{blocks}", continued(facts, &facts.id));
    VerdictText {
        adds: Some(blocks),
        ..with_command(sentences, command)
    }
}

/// Runs that are missing, and what continuing the oldest experiment with such runs would run.
pub(super) struct ToRun<'a> {
    experiment: &'a SessionId,
    /// All that are missing.
    missing: u32,
    /// Those of them that are of this experiment.
    here: u32,
    /// The blocks of it that have not begun.
    open: u32,
    /// Whether all that is missing is a value.
    to_measure: bool,
}

/// Sentences, and the command that runs the blocks of the experiment that are left.
fn run_left(sentences: &str, open: u32, facts: &ExperimentFacts) -> VerdictText {
    let blocks = count_of(open, "block is", "blocks are");
    let text = format!("{sentences} {blocks} not run yet");
    with_command(text, continued(facts, &facts.id))
}

/// What is to be run before anything else; `None` where no run is missing.
pub(super) fn to_run<'a>(statistics: &'a Statistics, facts: &ExperimentFacts) -> Option<ToRun<'a>> {
    let lost = |block: &Block| {
        let values = [block.control, block.mutated].into_iter();
        values.filter(|one| *one == RunValue::Missing).count()
    };
    let mut blocks = statistics.blocks.iter();
    let experiment = &blocks.find(|block| lost(block) > 0)?.experiment;
    let own = || {
        let blocks = statistics.blocks.iter();
        blocks.filter(|block| block.experiment == *experiment)
    };
    let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let mut earlier = facts.earlier.iter();
    let planned = match earlier.find(|(id, _)| id == experiment) {
        Some((_, planned)) => *planned,
        None => facts.planned.saturating_sub(facts.disturbed),
    };
    let missing = statistics.missing.iter().sum();
    Some(ToRun {
        experiment,
        missing,
        here: small(own().map(lost).sum()),
        open: planned.saturating_sub(small(own().count())),
        to_measure: facts.unmeasured == missing,
    })
}

impl ToRun<'_> {
    /// All runs that continuing the experiment runs.
    fn runs(&self) -> u32 {
        self.here + 2 * self.open
    }

    /// `2 runs are missing, and 3 blocks have not begun: 8 runs are left.`
    pub(super) fn sentence(&self) -> String {
        let missing = count_of(self.missing, "run is", "runs are");
        let others = if self.here < self.missing {
            format!(", {} of them in experiment {}", self.here, self.experiment)
        } else {
            String::new()
        };
        match self.open {
            0 => format!("{missing} missing{others}."),
            open => format!(
                "{missing} missing{others}, and {} not begun: {} left.",
                count_of(open, "block has", "blocks have"),
                count_of(self.runs(), "run is", "runs are")
            ),
        }
    }

    /// Sentences, and how to run them.
    pub(super) fn advice(&self, sentences: String, facts: &ExperimentFacts) -> VerdictText {
        let them = plural(self.runs(), "it", "them");
        VerdictText {
            lead: Some(if self.to_measure && self.open == 0 {
                format!("To measure {them} again")
            } else if self.here < self.missing {
                format!("To run those of {}", self.experiment)
            } else {
                format!("To run {them}")
            }),
            ..with_command(sentences, continued(facts, self.experiment))
        }
    }
}

/// The blocks that would help: those that are left, and as many more as a verdict needs; or another measure.
pub(super) fn blocks_to_add(
    text: String,
    statistics: &Statistics,
    facts: &ExperimentFacts,
) -> VerdictText {
    let open = left(&statistics.blocks, facts);
    let worth = worth(statistics);
    if open > 0 && !statistics.unreachable && worth.is_some() && facts.at_least == 0 {
        return run_left(&text, open, facts);
    }
    advised(text, facts, |text| {
        let Some(worth) = worth else {
            return format!("{text} {}", ceiling(statistics)).into();
        };
        // Blocks that were not needed before are run as well.
        let more = worth.saturating_sub(statistics.tally.blocks() + open);
        let more = more.max(facts.at_least);
        match (open, more) {
            (0, _) => add(format!("{text} Add {}", count(more, "block")), more, facts),
            (_, 0) => run_left(&text, open, facts),
            _ => {
                let open = count_of(open, "block that is", "blocks that are");
                let text = format!("{text} Run the {open} left, and add {more}");
                add(text, more, facts)
            }
        }
    })
}

/// The number of blocks in all that is worth having: wins alone would decide, and an improvement over a control that
/// passes as often as this one can be shown. `None` where pass or fail cannot show one.
fn worth(statistics: &Statistics) -> Option<u32> {
    let fewest = statistics.tally.blocks() + needed_wins(statistics).max(FEWEST_TO_ADD);
    if statistics.passed.is_none() {
        return Some(fewest);
    }
    let Some(rate) = control_rate(statistics) else {
        return Some(fewest.max(blocks_for(statistics.enough).1));
    };
    let rate = in_direction(statistics, rate);
    let mut numbers = fewest..=fewest.max(MOST);
    numbers.find(|blocks| is_shown(rate, (*blocks).min(MOST), statistics.enough))
}

/// Said where pass or fail has no room.
fn ceiling(statistics: &Statistics) -> String {
    let (often, what) = if statistics.tally.wins >= statistics.tally.losses {
        ("often", "an improvement")
    } else {
        ("rarely", "a decline")
    };
    format!(
        "The control passes too {often} for pass or fail to show {what} within {MOST} blocks. \
         Measure a number instead: replay with --metric NAME=CMD."
    )
}

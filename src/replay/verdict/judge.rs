//! From blocks to a verdict.

use super::evidence::{Decided, FEWEST_BLOCKS, evidence, first_verdict, needed, wins_needed};
use super::interval::{interval, newcombe};
use super::power::rate_to_show;
use super::run_value::sign;
use super::sentence;
use crate::model::{
    Block, BlockTally, ComparisonVerdict as Verdict, ExperimentFacts, MARGIN, NumberSummary,
    RunValue, Sign, Statistics, VerdictText,
};
use crate::replay::compare::median;

/// The verdict and its sentences.
type Judged = (Verdict, VerdictText);

/// Adds the blocks of an experiment up.
pub(crate) fn statistics(blocks: Vec<Block>, facts: &ExperimentFacts) -> Statistics {
    let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let enough = needed(facts.primaries);
    let signs = || blocks.iter().filter_map(|block| block.sign);
    let tally = signs().fold(BlockTally::default(), BlockTally::with);
    let numbers = numbers(&blocks, facts);
    let passed = (!blocks.iter().any(has_number)).then(|| rates(&blocks, |_| true));
    // Of an experiment that is being run nothing is missing yet.
    let missing = |of: fn(&Block) -> RunValue| {
        let waits = |one: &Block| facts.running > 0 && one.experiment == facts.id;
        let missing = blocks.iter();
        let missing = missing.filter(|one| of(one) == RunValue::Missing && !waits(one));
        small(missing.count())
    };
    let left = left(&blocks, facts);
    let before = blocks.iter().filter(|one| one.experiment != facts.id);
    let before = before.filter(|one| one.sign.is_some()).count();
    let planned = facts.planned + small(before);
    // In the order of the blocks: a verdict that fell stays, whatever came after, or looking often would change it.
    let decided = first_verdict(signs(), enough);
    let shows = |(passed, of): (u32, u32)| {
        (of > 0).then(|| rate_to_show(f64::from(passed) / f64::from(of), planned, enough))
    };
    let primary = facts.primary.as_ref();
    let mut statistics = Statistics {
        metric: primary.map_or("outcome", |metric| &metric.name).to_owned(),
        evidence: evidence(tally.wins, tally.losses),
        enough,
        decided_at: None,
        missing: [missing(|one| one.control), missing(|one| one.mutated)],
        equal_at: None,
        // What was chosen after its outcome was known is valid at no look, and what is confounded measures something else.
        interval: (tally.blocks() >= FEWEST_BLOCKS
            && passed.is_some()
            && facts.unjudged.is_none()
            && facts.confounders.is_empty())
        .then(|| interval(tally, enough)),
        can_show: passed.and_then(|[control, _]| shows(control)),
        passed,
        numbers,
        tally,
        planned,
        earlier: small(facts.earlier.len()),
        left_out: facts.left_out,
        unreachable: false,
        lacking: 0,
        blocks,
    };
    // The two are different tests, each with its own chance to be wrong. The one that fell first is the answer, or a
    // person could choose the one that pleases.
    let equal = no_meaningful_change(&statistics, facts);
    statistics.equal_at =
        equal.filter(|at| decided.is_none_or(|decided| decided.at.blocks() > *at));
    // More blocks may turn a mean that opposes the verdict.
    let stands = decided.filter(|decided| !is_opposed(&statistics, *decided));
    statistics.decided_at = stands.map(|decided| decided.at);
    let is_open = decided.is_none() && statistics.equal_at.is_none();
    statistics.unreachable = is_open && out_of_reach(&statistics, facts, left);
    if statistics.unreachable {
        statistics.lacking = needed_wins(&statistics).saturating_sub(left);
    }
    statistics
}

/// Judges an experiment with two arms.
pub(crate) fn judge(statistics: &Statistics, facts: &ExperimentFacts) -> Judged {
    let (verdict, mut text) = by_blocks(statistics, facts);
    // What is being run can neither be continued nor added to.
    let is_open = matches!(verdict, Verdict::Undecided | Verdict::NotJudged);
    if facts.running > 0 && facts.unjudged.is_none() && is_open {
        text = sentence::running(statistics, facts).into();
    }
    text.no_evidence.clone_from(&facts.no_evidence);
    (verdict, text)
}

fn by_blocks(statistics: &Statistics, facts: &ExperimentFacts) -> Judged {
    // From here on the order is of trust: what cannot be judged, what is not comparable, then what the blocks say.
    if let Some(why) = &facts.unjudged {
        return (Verdict::NotJudged, why.as_str().into());
    }
    if !facts.confounders.is_empty() {
        return (Verdict::Confounded, sentence::confounded(facts));
    }
    if statistics.planned < 2 {
        return (Verdict::NotJudged, sentence::one_block(statistics, facts));
    }
    if let Some(at) = statistics.equal_at {
        let text = sentence::no_meaningful_change(statistics, facts, (margin(facts), at));
        return (Verdict::NoMeaningfulChange, text);
    }
    let signs = statistics.blocks.iter().filter_map(|block| block.sign);
    if let Some(decided) = first_verdict(signs, statistics.enough) {
        return with_direction(statistics, facts, decided);
    }
    (Verdict::Undecided, sentence::undecided(statistics, facts))
}

/// A verdict was reached; two things can still invalidate it.
fn with_direction(statistics: &Statistics, facts: &ExperimentFacts, decided: Decided) -> Judged {
    if is_opposed(statistics, decided) {
        return (
            Verdict::Undecided,
            sentence::opposed(statistics, decided).into(),
        );
    }
    // Runs that are missing may be missing because of what is tested: a template that makes runs crash would win by
    // the runs that survive.
    let lower = lower_is_better(facts);
    let worst = statistics.blocks.iter();
    let worst = worst.map(|block| at_worst(block, decided.better, lower));
    let worst = first_verdict(worst, statistics.enough);
    if worst.is_none_or(|one| one.better != decided.better) {
        let text = sentence::hangs_on_missing(statistics, facts, decided);
        return (Verdict::Undecided, text);
    }
    let verdict = if decided.better {
        Verdict::Better
    } else {
        Verdict::Worse
    };
    (verdict, sentence::decided(statistics, facts, decided))
}

/// Whether the mean speaks against a verdict. Signs count blocks, not sizes: many small wins and one great loss are no
/// improvement. The mean of what passes or fails is as its signs are, and later blocks may have turned them.
fn is_opposed(statistics: &Statistics, decided: Decided) -> bool {
    let BlockTally { wins, losses, .. } = statistics.tally;
    let mean = statistics.numbers.map(|numbers| numbers.mean);
    let mean = mean.unwrap_or_else(|| f64::from(wins) - f64::from(losses));
    if decided.better {
        mean < 0.0
    } else {
        mean > 0.0
    }
}

/// How a block would have ended if its missing runs were the worst for the winner.
fn at_worst(block: &Block, better: bool, lower: bool) -> Sign {
    if let Some(sign) = block.sign {
        return sign;
    }
    // What the missing run would have had is not known; an infinite number beats any that another run has.
    let best = if has_number(block) {
        let infinity = if lower {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        };
        RunValue::Number(infinity)
    } else {
        RunValue::Pass
    };
    let filled = |value, is_best| match value {
        RunValue::Missing if is_best => best,
        RunValue::Missing => RunValue::Fail,
        RunValue::Pass | RunValue::Fail | RunValue::Number(_) => value,
    };
    let (control, mutated) = (
        filled(block.control, better),
        filled(block.mutated, !better),
    );
    sign(control, mutated, lower).unwrap_or(Sign::Tie)
}

fn has_number(block: &Block) -> bool {
    let is_number = |value| matches!(value, RunValue::Number(_));
    is_number(block.control) || is_number(block.mutated)
}

/// The number of blocks at which "no meaningful change" fell: the one that was fixed before the first run, where the
/// interval of the difference is within the margin there.
fn no_meaningful_change(statistics: &Statistics, facts: &ExperimentFacts) -> Option<u32> {
    let fewest = fewest_for(margin(facts));
    let fixed = facts.fixed.filter(|fixed| *fixed >= fewest)?;
    // Numbers have no margin in common: only rates can be called the same.
    statistics.passed?;
    let first = statistics.blocks.get(..fixed as usize)?;
    // Exactly the blocks that were fixed: with fewer the interval does not keep its promise.
    if first.iter().any(|block| block.sign.is_none()) {
        return None;
    }
    let [control, mutated] = passed(first);
    within(control, mutated, margin(facts)).then_some(fixed)
}

fn within(control: (u32, u32), mutated: (u32, u32), margin: f64) -> bool {
    newcombe(control, mutated).is_some_and(|(low, high)| low >= -margin && high <= margin)
}

fn lower_is_better(facts: &ExperimentFacts) -> bool {
    let primary = facts.primary.as_ref();
    primary.is_some_and(|one| one.lower_is_better)
}

fn margin(facts: &ExperimentFacts) -> f64 {
    let own = facts.primary.as_ref().and_then(|metric| metric.margin);
    own.unwrap_or(MARGIN)
}

/// The fewest blocks whose interval keeps its promise at a margin.
fn fewest_for(margin: f64) -> u32 {
    if margin >= 0.2 { 11 } else { 25 }
}

/// The blocks of the experiment itself that can still be completed: one that is left out never will be.
pub(super) fn left(blocks: &[Block], facts: &ExperimentFacts) -> u32 {
    let own = blocks.iter().filter(|one| one.experiment == facts.id);
    let complete = own.filter(|one| one.sign.is_some()).count();
    let past = u32::try_from(complete).unwrap_or(u32::MAX) + facts.disturbed;
    facts.planned.saturating_sub(past)
}

/// How many more wins would decide, or losses where they are more.
pub(super) fn needed_wins(statistics: &Statistics) -> u32 {
    let BlockTally { wins, losses, .. } = statistics.tally;
    wins_needed(wins.min(losses), statistics.enough).saturating_sub(wins.max(losses))
}

/// Whether no verdict can be reached with so many blocks left.
fn out_of_reach(statistics: &Statistics, facts: &ExperimentFacts, left: u32) -> bool {
    let BlockTally { wins, losses, .. } = statistics.tally;
    // Every block that is left would have to be a win.
    let reaches = |more: u32, fewer: u32| more + left >= wins_needed(fewer, statistics.enough);
    !reaches(wins, losses) && !reaches(losses, wins) && !equal_in_reach(statistics, facts, left)
}

/// Whether "no meaningful change" is still possible: by any outcome of the blocks left.
fn equal_in_reach(statistics: &Statistics, facts: &ExperimentFacts, left: u32) -> bool {
    let margin = margin(facts);
    let fixed = facts.fixed.filter(|fixed| *fixed >= fewest_for(margin));
    let Some(fixed) = fixed.filter(|_| statistics.passed.is_some()) else {
        return false;
    };
    if statistics.tally.blocks() >= fixed {
        return no_meaningful_change(statistics, facts).is_some();
    }
    let [(control, _), (mutated, _)] = passed(&statistics.blocks);
    // A run that is missing, or whose mate has not begun yet, is among those that are left.
    let left = left.min(fixed - statistics.tally.blocks());
    let equal = |a, b| within((control + a, fixed), (mutated + b, fixed), margin);
    (0..=left).any(|a| (0..=left).any(|b| equal(a, b)))
}

/// Whether running on cannot change the answer: there is a verdict, or none can be reached.
pub(crate) fn next_is_useless(statistics: &Statistics, facts: &ExperimentFacts) -> bool {
    statistics.is_decided() || statistics.unreachable || !facts.confounders.is_empty()
}

/// Runs of each arm that passed, of those in complete blocks: what is tested.
pub(super) fn passed(blocks: &[Block]) -> [(u32, u32); 2] {
    rates(blocks, |block| block.sign.is_some())
}

/// Runs of each arm that passed, of those that ended: of all blocks, whatever became of the other run of each, this is
/// what is shown.
fn rates(blocks: &[Block], counts: fn(&Block) -> bool) -> [(u32, u32); 2] {
    let of = |arm: fn(&Block) -> RunValue| {
        let values = blocks.iter().filter(|block| counts(block)).map(arm);
        let values = values.filter(|value| *value != RunValue::Missing);
        values.fold((0, 0), |(passed, all), value| {
            (passed + u32::from(value == RunValue::Pass), all + 1)
        })
    };
    [of(|one| one.control), of(|one| one.mutated)]
}

/// The differences, where any complete block has a number. A failed run has none, and is left out of their size.
fn numbers(blocks: &[Block], facts: &ExperimentFacts) -> Option<NumberSummary> {
    let difference = |block: &Block| match (block.control, block.mutated) {
        (RunValue::Number(control), RunValue::Number(mutated)) => Some(mutated - control),
        _ => None,
    };
    let mut differences: Vec<f64> = blocks.iter().filter_map(difference).collect();
    differences.sort_by(f64::total_cmp);
    let (low, high) = (*differences.first()?, *differences.last()?);
    let count = u32::try_from(differences.len()).ok()?;
    let mean = differences.iter().sum::<f64>() / f64::from(count);
    Some(NumberSummary {
        // It leads, because one slow run would move a mean; the mean only has to agree in direction.
        median: median(differences)?,
        mean: if lower_is_better(facts) { -mean } else { mean },
        range: (low, high),
        blocks: count,
    })
}

//! Gates whose record outlives the files: relight never writes the gate ledger, so it still says of phases that run again
//! that they passed, and a build that believes it skips their gates. And the gate that stopped the run.

use crate::systems::crucible::facts::{Rank, Run, phase_order, reading};
use crate::text::format::list;

/// What an agent must be told where the gate ledger says that this phase or a later one passed.
pub(crate) fn outdated(run: &Run, from: Rank) -> Option<String> {
    let ledger = run.documents.ledger.iter();
    let passed = ledger.flat_map(|doc| &doc.what.phases);
    let passed = passed.filter(|phase| phase.is_passed());
    let known = passed.filter_map(|phase| phase_order::understand(&run.skill, &phase.number));
    let again = known.filter(|known| known.rank >= from);
    let names: Vec<String> = again.map(|known| known.base).collect();
    let (phase, its) = match names.as_slice() {
        [] => return None,
        [_] => ("phase", "its gate"),
        [_, _, ..] => ("phases", "their gates"),
    };
    Some(format!(
        "The gate ledger still says passed for {phase} {}, from before: run {its} again.",
        list(&names)
    ))
}

/// Why the run waits for a person, whose decision the agent must have before it runs anything.
pub(crate) fn escalated(run: &Run) -> String {
    reading::escalation(run).map_or_else(String::new, |escalation| {
        let words = escalation.words;
        format!("{words} Ask the user how to continue before you run anything. ")
    })
}

//! Checks of `conference.md`: A1, A16, A17 and, for the mode, A26.

use crate::model::Check;

use super::{fail, pass, skipped, warn};
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::Decision;
use crate::systems::autoconference::points::transfer::mentions_round;
use crate::systems::autoconference::shape::CONFIG;
use crate::systems::autoconference::shape::log::letter;
use crate::systems::autoconference::shape::values;
use crate::systems::plural;

/// A1.
pub(crate) fn configuration(case: &Conference) -> Check {
    let Some(config) = &case.raw.config else {
        let dir = case.raw.dir.display();
        if let Some(file) = case.missing.iter().find(|file| file.name == CONFIG) {
            let text = format!("Cannot resume: {CONFIG} {} ({dir}).", file.problem);
            return fail("A1", "conference.md", text, file.remedy.clone());
        }
        return fail(
            "A1",
            "conference.md",
            format!("Cannot resume: {CONFIG} is missing from {dir}."),
            "Put the file back, or start a new conference with /autoconference (set one up with /autoconference:plan).",
        );
    };
    let problems = config.problems();
    if problems.is_empty() {
        return pass(
            "A1",
            "conference.md",
            "Goal, mode, researchers and rounds can be read.",
        );
    }
    fail(
        "A1",
        "conference.md",
        format!("These rules are broken: {}.", problems.join("; ")),
        "Repair conference.md by hand, then look again.",
    )
}

/// A16 and A17.
pub(crate) fn knowledge(case: &Conference) -> Vec<Check> {
    let Some(config) = &case.raw.config else {
        let why = "There is no conference.md.";
        return vec![
            skipped("A16", "shared knowledge", why),
            skipped("A17", "conference log", why),
        ];
    };
    let shared = match &config.knowledge {
        None => fail(
            "A16",
            "shared knowledge",
            "conference.md has no `## Shared Knowledge` section.",
            "Add the heading `## Shared Knowledge` to conference.md.",
        ),
        Some(lines) => {
            let missing: Vec<u64> = (1..=case.state.done)
                .filter(|n| !mentions_round(lines, *n))
                .collect();
            let text = if missing.is_empty() {
                "The section is there and names every completed round.".to_owned()
            } else {
                format!(
                    "The section is there; it does not name round {}.",
                    super::some(&missing)
                )
            };
            pass("A16", "shared knowledge", text)
        }
    };
    vec![shared, conference_log(case, config.log.as_deref())]
}

fn conference_log(case: &Conference, log: Option<&[Vec<String>]>) -> Check {
    let Some(rows) = log else {
        return warn(
            "A17",
            "conference log",
            "The Conference Log has no table.",
            "Add the table `| Round | Researcher | Best Metric | Key Finding | Status |` to conference.md.",
        );
    };
    let direction = case
        .raw
        .config
        .as_ref()
        .map(|c| c.direction)
        .unwrap_or_default();
    let mut compared = 0;
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|cells| {
            let round = cells.first().and_then(|c| values::first_int(c))?;
            let who = cells.get(1).map(|c| c.trim())?;
            let said = cells.get(2).and_then(|c| values::first_float(c))?;
            let best = if who.eq_ignore_ascii_case("all") {
                case.state.work.best(round, direction)?.0
            } else {
                let run = case.state.work.run(round, letter(who)?)?;
                let results = run
                    .values()
                    .filter_map(crate::systems::autoconference::facts::work::Iteration::result);
                results.reduce(|a, b| direction.best(a, b))?
            };
            compared += 1;
            ((best - said).abs() > 1e-9)
                .then(|| format!("{who} in round {round}: {said} against {best}"))
        })
        .collect();
    if compared == 0 {
        let rows = plural::of(rows.len(), "row", "rows");
        return skipped(
            "A17",
            "conference log",
            format!("The table has {rows}; none could be compared with a researcher's result."),
        );
    }
    if wrong.is_empty() {
        let rows = plural::of(rows.len(), "row", "rows");
        let agree = plural::agree(compared, "agrees", "agree");
        return pass(
            "A17",
            "conference log",
            format!("The table has {rows}, and {compared} {agree} with the researchers' results."),
        );
    }
    warn(
        "A17",
        "conference log",
        format!(
            "The best metric differs from the tables: {}.",
            super::some(&wrong)
        ),
        "Trust the tables; correct the Conference Log if it is read by people.",
    )
}

/// A26.
pub(crate) fn dialect(case: &Conference) -> Check {
    match (case.raw.sibling, &case.state.decision) {
        (Some(kind), decision) if !matches!(decision, Decision::Done { .. }) => fail(
            "A26",
            "kind of conference",
            format!("The files are those of {kind}, which leaves no checkpoint to resume from."),
            "Start it anew with its own skill; its files stay.",
        ),
        _ => pass(
            "A26",
            "kind of conference",
            "An ordinary conference of rounds.",
        ),
    }
}

//! Checks of `conference.md`: A1, A16, A17 and, for the kind of conference, A26.

use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::{Decision, Iteration};
use crate::systems::autoconference::points::transfer::mentions_round;
use crate::systems::autoconference::shape::log::letter;
use crate::systems::autoconference::shape::{CONFIG, Config, values};
use crate::systems::kit::checks::{Made, Outcome, fail, pass, skipped, warn};
use crate::text::format::{count, plural};

use super::some;
use crate::text::Shown as _;

pub(crate) fn valid(case: &Conference) -> Outcome {
    let config = &case.raw.config;
    let missing = case.missing(CONFIG).or_else(|| case.raw.unread(CONFIG));
    let problems = config.problems();
    if problems.is_empty() {
        return pass("Goal, mode, researchers and rounds can be read.");
    }
    let dir = case.raw.dir.shown();
    let (text, remedy) = match missing {
        _ if config.exists => (
            format!("These rules are broken: {}.", problems.join("; ")),
            "Repair conference.md by hand, then verify again.",
        ),
        Some(file) => (
            format!("Cannot resume: {CONFIG} {} ({dir}).", file.problem),
            "",
        ),
        None => (
            format!("Cannot resume: {CONFIG} is missing from {dir}."),
            "Restore the file, or start a new conference with /autoconference (set one up with /autoconference:plan).",
        ),
    };
    fail(text, missing.map_or(remedy, |file| file.remedy.as_str()))
}

fn config(case: &Conference) -> Result<&Config, Outcome> {
    let config = Some(&case.raw.config).filter(|config| config.exists);
    config.ok_or_else(|| skipped(case.raw.without(CONFIG, "There is no conference.md.")))
}

pub(crate) fn knowledge(case: &Conference) -> Made {
    let Some(lines) = &config(case)?.knowledge else {
        return Ok(fail(
            "conference.md has no `## Shared Knowledge` section.",
            "Add the heading `## Shared Knowledge` to conference.md.",
        ));
    };
    let missing = (1..=case.state.done).filter(|n| !mentions_round(lines, *n));
    let missing: Vec<u64> = missing.collect();
    let text = if missing.is_empty() {
        "The section exists and names every completed round.".to_owned()
    } else {
        format!(
            "The section exists; it does not name round {}.",
            some(&missing)
        )
    };
    Ok(pass(text))
}

pub(crate) fn conference_log(case: &Conference) -> Made {
    let Some(rows) = &config(case)?.log else {
        return Ok(warn(
            "The Conference Log has no table.",
            "Add the table `| Round | Researcher | Best Metric | Key Finding | Status |` to conference.md.",
        ));
    };
    let direction = case.raw.config.direction;
    let mut compared = 0;
    let mut wrong = Vec::new();
    for cells in rows {
        let compare = || {
            let round = values::first_int(cells.first()?)?;
            let who = cells.get(1)?.trim();
            let stated = values::first_float(cells.get(2)?)?;
            let best = if who.eq_ignore_ascii_case("all") {
                case.state.work.best(round, direction)?.0
            } else {
                let run = case.state.work.run(round, letter(who)?)?;
                let results = run.values().filter_map(Iteration::result);
                results.reduce(|a, b| direction.best(a, b))?
            };
            Some((round, who, stated, best))
        };
        let Some((round, who, stated, best)) = compare() else {
            continue;
        };
        compared += 1;
        if (best - stated).abs() > 1e-9 {
            wrong.push(format!(
                "{who} in round {round}: {stated} instead of {best}"
            ));
        }
    }
    let rows = count(rows.len(), "row");
    if compared == 0 {
        let text =
            format!("The table has {rows}; none could be compared with a researcher's result.");
        return Err(skipped(text));
    }
    let what = "The best metric differs from the tables: ";
    let remedy = "Trust the tables; correct the Conference Log if it is read by people.";
    let agree = plural(compared, "agrees", "agree");
    let text =
        format!("The table has {rows}, and {compared} {agree} with the researchers' results.");
    Ok(super::wrong(what, &wrong, remedy).unwrap_or_else(|| pass(text)))
}

pub(crate) fn kind(case: &Conference) -> Outcome {
    match (case.raw.sibling, &case.state.decision) {
        (Some(kind), decision) if !matches!(decision, Decision::Done { .. }) => fail(
            format!("The files are those of {kind}, which has no checkpoint to resume from."),
            "Start it again with its own skill; its files are kept.",
        ),
        _ => pass("A regular conference of rounds."),
    }
}

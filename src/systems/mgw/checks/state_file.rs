//! M1 to M5: the state file itself, its name, its doubles and leftovers.

use crate::model::{Check, Subject, Verdict};
use crate::systems::mgw::checks::{Case, check, fail, no_state, pass, skipped, warn};
use crate::systems::mgw::shape::state_files::{Home, StateFile};
use crate::systems::mgw::shape::vocabulary::Stage;

/// M1: it parses and is an object.
pub(crate) fn parses(case: &Case<'_>) -> Vec<Check> {
    let number = &case.facts.number;
    if case.facts.files.is_empty() {
        return fail(
            "state file",
            format!(
                "No state file found for issue #{number}; only the leftover of an interrupted write."
            ),
            format!(
                "Compare the leftover and rename it yourself, or triage again with /mgw:issue {number}."
            ),
        );
    }
    let one = |file: &StateFile| match &file.parsed {
        Ok(_) => check(
            Subject::File((&file.path).into()),
            Verdict::Pass,
            "It is a JSON object.",
        ),
        Err(damage) => check(
            Subject::File((&file.path).into()),
            Verdict::Fail,
            format!("Cannot parse state file for #{number}: {}.", damage.why),
        )
        .remedy(format!(
            "Mend the file by hand, or move it away and triage again with /mgw:issue {number}."
        )),
    };
    case.facts.files.iter().map(one).collect()
}

/// M2: the stage is one of the fourteen.
pub(crate) fn stage(case: &Case<'_>) -> Vec<Check> {
    let Some(state) = case.facts.recorded() else {
        return no_state("stage");
    };
    let remedy = format!(
        "Set pipeline_stage by hand, or triage again with /mgw:issue {}.",
        case.facts.number
    );
    match (state.stage_text(), state.stage()) {
        (None, _) => fail("stage", "There is no pipeline_stage.", remedy),
        (Some(text), None) => fail("stage", format!("The stage {text} is not known."), remedy),
        (Some(_), Some(Stage::PrPending)) => pass(
            "stage",
            "The stage pr-pending is not one of the fourteen; it means that the pull request is not created yet.",
        ),
        (Some(text), Some(_)) => pass("stage", format!("The stage {text} is known.")),
    }
}

/// M3: the number in the name is the issue's.
pub(crate) fn number(case: &Case<'_>) -> Vec<Check> {
    let Some((file, state)) = case.facts.file().and_then(|f| Some((f, f.state()?))) else {
        return no_state("issue number");
    };
    let named = &file.name.number;
    match state.number() {
        None => skipped(
            "issue number",
            "The file names no issue number.",
            "Add issue.number to the state file.",
        ),
        Some(number) if named.parse() == Ok(number) => pass(
            "issue number",
            format!("Name and content both say {number}."),
        ),
        Some(number) => warn(
            "issue number",
            format!("The name says {named}, and the content says {number}."),
            "Find out which issue it is, and rename the file or correct the number.",
        ),
    }
}

/// M4: one file for each number.
pub(crate) fn duplicates(case: &Case<'_>) -> Vec<Check> {
    let Some((first, rest)) = case.facts.files.split_first() else {
        return no_state("doubles");
    };
    if rest.is_empty() {
        return pass("doubles", "It is the only state file of this issue.");
    }
    let one = |other: &StateFile| {
        let what = if other.stray {
            "lies in a worktree"
        } else if other.home != first.home && other.home == Home::Completed {
            "is archived while one is at work"
        } else {
            "has the same number"
        };
        let newer = match (first.modified, other.modified) {
            (Some(first), Some(other)) if other > first => ", and was written later",
            _ => "",
        };
        check(
            Subject::File((&other.path).into()),
            Verdict::Warn,
            format!(
                "It {what}{newer}; the orchestrator takes {}.",
                first.path.to_string_lossy()
            ),
        )
        .remedy("Compare the two and move the one that is not wanted away.")
    };
    rest.iter().map(one).collect()
}

/// M5: no leftover of an interrupted write.
pub(crate) fn leftovers(case: &Case<'_>) -> Vec<Check> {
    if case.facts.leftovers.is_empty() {
        return pass("leftovers", "No .tmp file was left behind.");
    }
    let written = case.facts.file().and_then(|file| file.modified);
    let one = |tmp: &StateFile| {
        let whole = if tmp.parsed.is_ok() {
            "It parses"
        } else {
            "It does not parse"
        };
        let age = match (tmp.modified, written) {
            (Some(tmp), Some(file)) if tmp > file => " and is newer than the state file.",
            (Some(_), Some(_)) => " and is not newer than the state file.",
            _ => ".",
        };
        check(
            Subject::File((&tmp.path).into()),
            Verdict::Warn,
            format!("{whole}{age}"),
        )
        .remedy("Compare it with the state file, keep what is wanted, and remove the leftover.")
    };
    case.facts.leftovers.iter().map(one).collect()
}

//! M1 to M5: the state file itself, its name, its duplicates and `.tmp` files.

use super::{Scene, no_state};
use crate::model::Subject;
use crate::systems::kit::checks::{Made, Outcome, fail, pass, skipped, warn};
use crate::systems::mgw::shape::{Home, Stage, StateFile};
use crate::text::Shown as _;

fn about(file: &StateFile) -> Subject {
    Subject::File((&file.path).into())
}

/// M1: it parses and is an object.
pub(super) fn parses(scene: &Scene<'_>) -> Vec<Outcome> {
    let number = &scene.facts.number;
    let again = format!("triage again with /mgw:issue {number}.");
    if scene.facts.files.is_empty() {
        if let Some((folder, odd)) = scene.facts.closed() {
            let text = format!("{} {}.", folder.shown(), odd.problem);
            return vec![fail(text, odd.remedy.as_str())];
        }
        let (what, cure) = if scene.facts.tmp_files.is_empty() {
            ("", "Restore it from a copy")
        } else {
            let what = "; only the .tmp file of an interrupted write";
            (what, "Compare the .tmp file and rename it yourself")
        };
        let text = format!("No state file found for issue #{number}{what}.");
        return vec![fail(text, format!("{cure}, or {again}"))];
    }
    let one = |file: &StateFile| {
        let Err(damage) = &file.parsed else {
            return pass("It is a JSON object.").about(about(file));
        };
        let text = format!("Cannot parse state file for #{number}: {}.", damage.why);
        let by_hand = || format!("Repair the file by hand, or move it away and {again}");
        let cure = file.cure().map_or_else(by_hand, ToOwned::to_owned);
        fail(text, cure).about(about(file))
    };
    scene.facts.files.iter().map(one).collect()
}

/// M2: the stage is one of the fourteen.
pub(super) fn stage(scene: &Scene<'_>) -> Made {
    let state = scene.state()?;
    let number = &scene.facts.number;
    let remedy = format!("Set pipeline_stage by hand, or triage again with /mgw:issue {number}.");
    Ok(match (state.stage_text(), state.stage()) {
        (None, _) => fail("There is no pipeline_stage.", remedy),
        (Some(text), None) => fail(format!("The stage {text} is unknown."), remedy),
        (Some(_), Some(Stage::PrPending)) => pass(
            "The stage pr-pending is not one of the fourteen; it means that the pull request does not exist yet.",
        ),
        (Some(text), Some(_)) => pass(format!("The stage {text} is known.")),
    })
}

/// M3: the number in the name is the issue's.
pub(super) fn number(scene: &Scene<'_>) -> Made {
    let (file, state) = scene.facts.parsed().ok_or_else(no_state)?;
    let named = &file.name.number;
    Ok(match state.number() {
        None => {
            skipped("The file has no issue number.").remedy("Add issue.number to the state file.")
        }
        Some(number) if named.parse() == Ok(number) => {
            pass(format!("File name and content both say issue {number}."))
        }
        Some(number) => warn(
            format!("The file name says issue {named}, and the content says {number}."),
            "Find out which issue it is, and rename the file or correct the number.",
        ),
    })
}

/// M4: one file for each number.
pub(super) fn duplicates(scene: &Scene<'_>) -> Vec<Outcome> {
    let Some((first, rest)) = scene.facts.files.split_first() else {
        return no_state().into();
    };
    if rest.is_empty() {
        return pass("It is the only state file of this issue.").into();
    }
    let one = |other: &StateFile| {
        let what = if other.stray {
            "is in a worktree"
        } else if other.home != first.home && other.home == Home::Completed {
            "is archived while another is in progress"
        } else {
            "has the same number"
        };
        let times = first.modified.zip(other.modified);
        let newer = times.is_some_and(|(first, other)| other > first);
        let newer = if newer { ", and was written later" } else { "" };
        let path = first.path.shown();
        warn(
            format!("It {what}{newer}; the orchestrator uses {path}."),
            "Compare the two and move the wrong one away.",
        )
        .about(about(other))
    };
    rest.iter().map(one).collect()
}

/// M5: no `.tmp` file of an interrupted write.
pub(super) fn tmp_files(scene: &Scene<'_>) -> Vec<Outcome> {
    let all = &scene.facts.tmp_files;
    if all.is_empty() {
        return pass("No .tmp file is left.").into();
    }
    let written = scene.facts.file().and_then(|file| file.modified);
    let one = |tmp: &StateFile| {
        let whole = tmp.parsed.is_ok();
        let parses = if whole {
            "It parses"
        } else {
            "It does not parse"
        };
        let age = match tmp.modified.zip(written) {
            Some((tmp, file)) if tmp > file => " and is newer than the state file",
            Some(_) => " and is not newer than the state file",
            None => "",
        };
        warn(
            format!("{parses}{age}."),
            "Compare it with the state file, keep the right one, and remove the .tmp file.",
        )
        .about(about(tmp))
    };
    all.iter().map(one).collect()
}

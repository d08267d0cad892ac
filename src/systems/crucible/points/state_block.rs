//! The state block that crucible emits when it resumes, from the same sources in the same order. The plan decides what
//! it calls done: a source about work that runs again is left out.

use std::collections::HashSet;
use std::path::PathBuf;

use super::handoff::Outlook;
use crate::formats::markdown;
use crate::model::{PathChange, Place, Verdict};
use crate::systems::crucible::checks::seq_in;
use crate::systems::crucible::facts::documents::Document;
use crate::systems::crucible::facts::{evidence, reading};
use crate::systems::crucible::shape::{Handoff, Manifest};
use crate::text::Shown as _;
use crate::world::World;

/// How many decisions are listed; crucible reads no more.
const DECISIONS: usize = 10;
/// How many phases are summarized.
const MILESTONES: usize = 8;

/// The block between `===COMPRESSION_STATE===` and its end.
pub(crate) fn state_block(outlook: &Outlook<'_>, world: &dyn World) -> Vec<String> {
    let run = outlook.run;
    let before = complete_before(outlook);
    let mut progress = Vec::new();
    if let (Some(first), Some(last)) = (before.first(), before.last()) {
        let phases = if first == last {
            format!("Phase {first}")
        } else {
            format!("Phases {first} through {last}")
        };
        progress.push(format!("{phases} completed in prior session"));
    }
    progress.extend(milestones(outlook));
    progress.push(format!("Resuming via relight: {}", outlook.place()));
    let mut constraints = constraints(outlook);
    let replay = before.last().map(|last| verified(outlook, last));
    constraints.extend(replay.map(|said| format!("Replay session -- {said}")));
    let scratch = run.sources.scratch();
    let scratch = scratch.map(|path| format!("Location: {}", path.shown()));
    let modified = format!("see {}", evidence::log_command(run));
    let sections = [
        ("Progress:", progress),
        ("Key Decisions (prior session):", decisions(outlook)),
        ("Active Constraints:", constraints),
        ("Files Modified:", vec![modified]),
        (
            "Scratch State:",
            scratch.into_iter().chain(sources(outlook)).collect(),
        ),
    ];
    let goal = reading::goal(run).unwrap_or("not recorded; ask");
    let mut out = vec![
        "===COMPRESSION_STATE===".to_owned(),
        format!("Goal: {goal}"),
        format!("Skill: {}", run.skill),
        format!("Phase: {}", outlook.phase().unwrap_or("4")),
        "Health: GREEN (reset on resume)".to_owned(),
    ];
    for (heading, items) in sections {
        out.push(heading.to_owned());
        out.extend(items.iter().map(|item| format!("- {item}")));
    }
    out.push("Next Steps:".to_owned());
    let steps = (1..).zip(next_steps(outlook, world));
    out.extend(steps.map(|(number, step)| format!("{number}. {step}")));
    out.push("===END_COMPRESSION_STATE===".to_owned());
    out
}

/// The finished phases before the point of which nothing runs again.
fn complete_before<'a>(outlook: &'a Outlook<'_>) -> Vec<&'a str> {
    let rank = outlook.rank();
    let all = outlook.run.work.phases.iter();
    let before = all.take_while(|facts| {
        let mut own = outlook.run.counted_in(facts.name.rank);
        let again = own.any(|(_, entry)| outlook.redone.contains(&entry.seq));
        facts.finished() && !again && rank.is_none_or(|rank| facts.name.rank < rank)
    });
    before.map(|facts| facts.name.base.as_str()).collect()
}

/// How much of each phase stays done.
fn milestones(outlook: &Outlook<'_>) -> Vec<String> {
    let phases = outlook.run.work.phases.iter();
    let begun = phases.filter(|facts| facts.total > 0).take(MILESTONES);
    let stays = begun.map(|facts| {
        let own = outlook.run.counted_in(facts.name.rank);
        let stay = own.filter(|(_, entry)| outlook.kept.contains(&entry.seq));
        let (base, stay, total) = (&facts.name.base, stay.count(), facts.total);
        format!("Phase {base}: {stay} of {total} dispatches stay done")
    });
    stays.collect()
}

/// crucible's statement about earlier work, as far as the checks support it.
fn verified(outlook: &Outlook<'_>, last: &str) -> String {
    if outlook.run.usable().is_none() {
        return format!("work through Phase {last} not verified, the manifest is missing");
    }
    let mut doubtful: Vec<&str> = outlook
        .prospect
        .checks
        .iter()
        .filter(|check| check.verdict != Verdict::Pass)
        .filter(|check| match check.id.0.as_ref() {
            "F1" => true,
            "F6" | "F7" => seq_in(check).is_none_or(|seq| outlook.kept.contains(&seq)),
            _ => false,
        })
        .map(|check| check.id.0.as_ref())
        .collect();
    doubtful.dedup();
    if doubtful.is_empty() {
        return format!("prior work verified through Phase {last}");
    }
    let checks = doubtful.join(", ");
    format!("prior work through Phase {last} not fully verified (relight verify: {checks})")
}

/// The hand-offs to phases that the plan keeps, newest first. A later one is about work that runs again.
fn handoffs<'a>(outlook: &'a Outlook<'_>) -> impl Iterator<Item = &'a Handoff> {
    kept(outlook).map(|doc| &doc.what)
}

fn kept<'a>(outlook: &'a Outlook<'_>) -> impl Iterator<Item = &'a Document<Handoff>> {
    let rank = outlook.rank();
    let all = outlook.run.documents.handoffs.iter().rev();
    all.filter(move |doc| {
        let to = outlook.run.rank(&doc.what.to);
        rank.is_none() || to.is_none_or(|to| rank.is_some_and(|rank| to <= rank))
    })
}

fn decisions(outlook: &Outlook<'_>) -> Vec<String> {
    let page = outlook.run.documents.status.iter();
    let page = page.filter(|_| outlook.is_where_it_stopped());
    let handed = handoffs(outlook).flat_map(|doc| doc.decisions.iter());
    let mut all = distinct(handed.chain(page.flat_map(|doc| doc.what.decisions.iter())));
    all.truncate(DECISIONS);
    if all.is_empty() {
        all.push("none recorded".to_owned());
    }
    all
}

fn constraints(outlook: &Outlook<'_>) -> Vec<String> {
    let documents = &outlook.run.documents;
    let page = documents.status.iter();
    let page = page.flat_map(|doc| doc.what.constraints.iter());
    // Obligations that were open when the run stopped do not exist at an earlier point.
    let cairn = documents.cairn.iter();
    let cairn = cairn.filter(|_| outlook.is_where_it_stopped());
    let mode = mode(outlook);
    let handed = handoffs(outlook).flat_map(|doc| doc.constraints.iter());
    distinct(handed.chain(page).chain(cairn).chain(mode.iter()))
}

/// Feature or refactoring: from the newest hand-off, else from the mode file, which any project may have overwritten.
fn mode(outlook: &Outlook<'_>) -> Option<String> {
    let documents = &outlook.run.documents;
    let all = documents.handoffs.iter().rev();
    let told = { all }.find_map(|doc| doc.what.mode.clone());
    let file = || {
        let text = &documents.mode.as_ref()?.what;
        let mode = markdown::value(text.lines(), "mode")?;
        Some(format!("{mode} (from the shared mode file; confirm)"))
    };
    told.or_else(file).map(|mode| format!("Mode: {mode}"))
}

fn distinct<'a>(items: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut seen = HashSet::new();
    items.filter(|item| seen.insert(*item)).cloned().collect()
}

/// The existing files that have more information. A status page, a gate or a later hand-off tells an agent at an
/// earlier point that work is done which runs again.
fn sources(outlook: &Outlook<'_>) -> Option<String> {
    let run = outlook.run;
    let manifest = run.usable().map(Manifest::path);
    let here = outlook.is_where_it_stopped();
    let counts = |file: &PathBuf| here || kept(outlook).any(|doc| doc.file == *file);
    let files = run.documents.files().filter(counts).chain(manifest);
    let all: Vec<String> = files.map(|path| path.shown().to_string()).collect();
    (!all.is_empty()).then(|| format!("Recovery: {}", all.join(", ")))
}

/// The next steps: the position, the input of the phase, the work that runs again, the planned steps.
fn next_steps(outlook: &Outlook<'_>, world: &dyn World) -> Vec<String> {
    let mut all = vec![outlook.place()];
    let phase = outlook.phase().unwrap_or_default();
    let into = handoffs(outlook).find(|doc| doc.to == phase);
    let inputs = into.into_iter().flat_map(|doc| &doc.inputs);
    all.extend(inputs.map(|(name, value)| input(outlook, name, value, world)));
    if !outlook.redone.is_empty() {
        all.push("Dispatch again what \"Will run again\" lists below".to_owned());
    }
    all.extend(outlook.outdated_gates());
    if outlook.run.usable().is_none() {
        let log = evidence::log_command(outlook.run);
        all.push(format!(
            "Compare the plan's tasks with the files and with {log}"
        ));
    }
    if outlook.is_where_it_stopped() {
        let page = outlook.run.documents.status.iter();
        all.extend(page.flat_map(|doc| doc.what.next_steps.iter().cloned()));
    }
    all
}

/// An input of a phase. A file that does not exist is marked as missing.
fn input(outlook: &Outlook<'_>, name: &str, value: &str, world: &dyn World) -> String {
    let is_path = value.contains('/') && !value.contains(char::is_whitespace);
    let tree = outlook.run.work_tree().filter(|_| is_path);
    let missing = tree.is_some_and(|tree| {
        let Ok(place) = Place::foreign(&[tree], value.as_bytes()) else {
            return false;
        };
        let mut planned = outlook.prospect.actions.iter().flat_map(|a| &a.paths);
        let comes = planned.any(|planned| {
            let own = planned.path.as_str().map(|own| tree.join(own));
            own == Some(place.path()) && planned.change != PathChange::Remove
        });
        !world.files().exists(&place) && !comes
    });
    if missing {
        format!("Input {name}: {value} (not in the work tree; look for it in git log)")
    } else {
        format!("Input {name}: {value}")
    }
}

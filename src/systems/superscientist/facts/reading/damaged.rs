//! The facts about a workflow whose state file cannot be used: from its log, from the last complete version in git,
//! from the folders of its stages. It is interrupted, not unreadable, as long as one of them shows a workflow.

use std::collections::BTreeMap;

use crate::model::{Claim, Foreign, Phase, Progress, Status, short_id};
use crate::systems::kit::damage::Damage;
use crate::systems::superscientist::facts::Facts;
use crate::systems::superscientist::facts::reading::phases;
use crate::systems::superscientist::shape::{STATE, StageStatus, stage_number};
use crate::text::format;

/// A stage according to the other records: its name, and its last status.
struct Known {
    name: String,
    word: String,
}

/// The claim, where it stopped, the progress and the phases.
pub(crate) fn all(facts: &Facts, damage: &Damage) -> (Claim, Foreign, Progress, Vec<Phase>) {
    let stages = stages(facts);
    let done = stages.values().filter(|known| status(known).is_done());
    let progress = Progress::new(
        done.count() as u64,
        match &facts.saved {
            Some(saved) => Some(saved.state.stages.len() as u64),
            None => facts.log.planned(),
        },
        "stages",
    );
    let open = stages.iter().find(|(_, known)| !status(known).is_done());
    let stopped = match open {
        Some((number, known)) => format!("stage-{number} · {}", known.word).into(),
        None => Foreign::from("unknown"),
    };
    let rows = stages.iter().map(|(number, known)| row(*number, known));
    (
        claim(facts, damage, progress),
        stopped,
        progress,
        rows.collect(),
    )
}

fn status(known: &Known) -> StageStatus {
    StageStatus::parse(&known.word)
}

/// The stages of the last complete version, each with its last status in the log.
fn stages(facts: &Facts) -> BTreeMap<u64, Known> {
    let saved = facts.saved.iter().flat_map(|saved| &saved.state.stages);
    let mut all: BTreeMap<u64, Known> = saved
        .filter_map(|stage| {
            let (name, word) = (stage.name.clone(), stage.word.clone());
            Some((stage_number(&stage.id)?, Known { name, word }))
        })
        .collect();
    for (number, word) in facts.log.stages() {
        let known = all.entry(number).or_insert_with(|| Known {
            name: String::new(),
            word: String::new(),
        });
        word.clone_into(&mut known.word);
    }
    all
}

fn claim(facts: &Facts, damage: &Damage, progress: Progress) -> Claim {
    let mut reason = vec![format!("{STATE} cannot be used: {}.", damage.why)];
    let logged = !facts.log.stages().is_empty();
    if logged {
        let done = usize::try_from(progress.done).unwrap_or(usize::MAX);
        let verb = format::plural(done, "is", "are");
        reason.push(format!(
            "By the log {} {verb} done.",
            format::count_of(done, "stage", "stages")
        ));
    } else if facts.worked {
        reason.push("The directories of its stages show that work was done.".to_owned());
    }
    if let Some(saved) = &facts.saved {
        let commit = short_id(&saved.commit);
        reason.push(format!("Commit {commit} has its last complete version."));
    }
    let known = logged || facts.worked || facts.saved.is_some() || facts.log.planned().is_some();
    Claim::new(
        if !known {
            Status::Unreadable
        } else if facts.log.is_completed() {
            Status::Complete
        } else {
            Status::Interrupted
        },
        reason.join(" "),
    )
}

fn row(number: u64, known: &Known) -> Phase {
    Phase {
        id: format!("stage-{number}").into(),
        name: known.name.as_str().into(),
        status: phases::status(status(known)),
        native_status: known.word.as_str().into(),
        done: u64::from(status(known).is_done()),
        total: Some(1),
        attempts: 0,
        started_at: None,
        ended_at: None,
        duration_s: None,
        detail: "by the log and git: the state file cannot be used".into(),
    }
}

//! The facts about a workflow whose state file cannot be used: from its log, from the last complete version in git,
//! from the folders of its stages. It is interrupted, not unreadable, as long as one of them shows a workflow.

use std::collections::BTreeMap;

use crate::model::{Claim, Foreign, Phase, Progress, Status, short_id};
use crate::systems::kit::damage::Damage;
use crate::systems::superscientist::facts::Facts;
use crate::systems::superscientist::facts::reading::phases;
use crate::systems::superscientist::shape::{STATE, StageStatus};
use crate::text::format;

/// A stage according to the other records: its name, and its last status.
#[derive(Default)]
struct Known {
    name: String,
    word: String,
}

impl Known {
    fn status(&self) -> StageStatus {
        StageStatus::parse(&self.word)
    }
}

/// The claim, where it stopped, the progress and the phases.
pub(crate) fn all(facts: &Facts, damage: &Damage) -> (Claim, Foreign, Progress, Vec<Phase>) {
    let stages = stages(facts);
    let done = stages.values().filter(|known| known.status().is_done());
    let saved = facts.saved.as_ref();
    let total = saved.map(|saved| saved.state.stages.len() as u64);
    let total = total.or_else(|| facts.log.planned());
    let done = (!stages.is_empty()).then(|| done.count() as u64);
    let progress = Progress::new(done, total, "stages");
    let open = stages.iter().find(|(_, known)| !known.status().is_done());
    let stopped = match open {
        Some((number, known)) => format!("stage-{number} · {}", known.word).into(),
        None => Foreign::from("unknown"),
    };
    let rows = stages.iter().map(|(number, known)| row(*number, known));
    let claim = claim(facts, damage, progress);
    (claim, stopped, progress, rows.collect())
}

/// The stages of the last complete version, each with its last status in the log.
fn stages(facts: &Facts) -> BTreeMap<u64, Known> {
    let saved = facts.saved.iter().flat_map(|saved| &saved.state.stages);
    let saved = saved.filter_map(|stage| {
        let (name, word) = (stage.name.clone(), stage.word.clone());
        Some((stage.number()?, Known { name, word }))
    });
    let mut all: BTreeMap<u64, Known> = saved.collect();
    for (number, word) in facts.log.stages() {
        word.clone_into(&mut all.entry(number).or_default().word);
    }
    all
}

fn claim(facts: &Facts, damage: &Damage, progress: Progress) -> Claim {
    let mut reason = vec![format!("{STATE} cannot be used: {}.", damage.why)];
    let logged = !facts.log.stages().is_empty();
    if logged {
        let done = progress.done.unwrap_or_default();
        let stages = format::count_of(done, "stage is", "stages are");
        reason.push(format!("According to the log, {stages} done."));
    } else if facts.worked {
        reason.push("The directories of its stages show that work was done.".to_owned());
    }
    if let Some(saved) = &facts.saved {
        let commit = short_id(&saved.commit);
        reason.push(format!("Commit {commit} has its last complete version."));
    }
    let known = logged || facts.worked || facts.saved.is_some() || facts.log.planned().is_some();
    let status = match (known, facts.log.is_completed()) {
        (false, _) => Status::Unreadable,
        (true, true) => Status::Complete,
        (true, false) => Status::Interrupted,
    };
    Claim::new(status, reason.join(" "))
}

fn row(number: u64, known: &Known) -> Phase {
    Phase {
        id: format!("stage-{number}").into(),
        name: known.name.as_str().into(),
        status: phases::status(known.status()),
        native_status: known.word.as_str().into(),
        done: Some(u64::from(known.status().is_done())),
        total: Some(1),
        at_least: false,
        attempts: 0,
        started_at: None,
        ended_at: None,
        duration_s: None,
        detail: "according to the log and git: the state file cannot be used".into(),
    }
}

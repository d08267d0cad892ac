//! What a person should know before choosing a point, and what would be lost by it.

use crate::model::Foreign;
use crate::world::World;

use super::offers::Move;
use super::{discard, transfer, truncate};
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::worktrees::{self, Trees};
use crate::systems::autoconference::facts::{Decision, Evidence};
use crate::systems::autoconference::shape::log::Event;
use crate::systems::autoconference::shape::{poster_name, review_name};
use crate::systems::plural;

/// The warnings of a point.
pub(crate) fn of(case: &Conference, to: Move, world: &dyn World) -> Vec<Foreign> {
    let mut said: Vec<String> = Vec::new();
    match to {
        Move::Mid(_) => mid(case, world, &mut said),
        Move::Keep(_) => half_written(case, &mut said),
        Move::Phase(n, phase) if case.state.open && n == case.state.round => {
            of_phase(case, phase, world, &mut said);
        }
        Move::Synthesis => synthesis(case, &mut said),
        Move::Phase(..) => amended(case, &mut said),
        Move::Mend(_) => said.push(
            "The log does not know everything a table does; descriptions may be missing."
                .to_owned(),
        ),
    }
    if case.state.low_confidence {
        said.push(
            "How many iterations a round has is guessed from the researchers' median.".to_owned(),
        );
    }
    let hint = case
        .raw
        .events()
        .last()
        .filter(|e| e.name == "conference.resumed");
    if let Some(point) = hint.and_then(|e| e.text("recovery_point")) {
        said.push(format!(
            "The log ends with a recovery at `{point}`; nothing was logged since."
        ));
    }
    said.into_iter().map(Foreign::from).collect()
}

fn mid(case: &Conference, world: &dyn World, said: &mut Vec<String>) {
    for id in case.state.incomplete() {
        match truncate::of(case, id) {
            Ok(Some(cut)) => {
                let rows: Vec<String> = cut
                    .removed
                    .iter()
                    .map(|(line, _)| line.to_string())
                    .collect();
                said.push(format!(
                    "Researcher {id}: {} {} of the table {}.",
                    plural::agree(rows.len(), "row", "rows"),
                    rows.join(", "),
                    plural::agree(rows.len(), "goes", "go")
                ));
            }
            Ok(None) => {}
            Err(why) => said.push(why),
        }
        if let Some(Err(why)) = case.trees.path(id).map(|p| worktrees::dirt(p, world)) {
            said.push(format!(
                "The worktree of researcher {id} cannot be read and is not reset: {why}."
            ));
        }
    }
    if let Trees::Unasked(why) = &case.trees {
        said.push(format!(
            "git could not be asked about worktrees, so none is reset: {why}."
        ));
    }
    for id in case.state.probable() {
        said.push(format!(
            "Researcher {id} probably ended its research and is left alone."
        ));
    }
}

fn half_written(case: &Conference, said: &mut Vec<String>) {
    for id in case.state.unfinished() {
        let last = case.raw.tables.get(&id).and_then(|t| t.rows.last());
        if let Some(row) = last.filter(|row| !row.whole) {
            said.push(format!(
                "Row {} in the table of researcher {id} is half written and has no newline; the next row would be glued to it.",
                row.line
            ));
        }
    }
}

fn of_phase(case: &Conference, phase: u8, world: &dyn World, said: &mut Vec<String>) {
    let round = case.state.round;
    let logged = |e: &Event| e.round == Some(round);
    if phase == 1 && case.raw.events().iter().any(logged) {
        said.push("The log keeps the events of the first attempt; the event conference.resumed says that they no longer count.".to_owned());
    }
    said.extend(discard::of(case, Move::Phase(round, phase), world).stays);
    if phase == 2 {
        for (id, standing) in case.state.standings.iter().filter(|(_, s)| !s.is_done()) {
            said.push(format!("Researcher {id} is {}.", standing.word()));
        }
        if !case
            .state
            .standings
            .values()
            .any(crate::systems::autoconference::facts::standing::Standing::is_done)
        {
            said.push(
                "No researcher ended the round, and the protocol asks for at least one.".to_owned(),
            );
        }
        for id in case.state.probable() {
            said.push(format!(
                "Researcher {id} only probably ended: by the documents one iteration is missing."
            ));
        }
    }
    let files = [
        (2, case.state.poster, poster_name(round)),
        (3, case.state.review, review_name(round)),
    ];
    for (at, evidence, name) in files {
        match evidence {
            Evidence::Doubtful if at == phase => said.push(format!(
                "{name} is there without its event; it is probably cut off, and the phase overwrites it."
            )),
            Evidence::Partial if at == phase => said.push(format!(
                "{name} is half written ({}), and the phase overwrites it.",
                case.state.lacking(&case.raw, &name)
            )),
            Evidence::Lost if at <= phase => said.push(format!(
                "{name} is missing or empty although the log has its event."
            )),
            Evidence::None
            | Evidence::Event
            | Evidence::File
            | Evidence::Doubtful
            | Evidence::Partial
            | Evidence::Lost => {}
        }
    }
    if phase == 4 {
        for part in transfer::parts(case, round).iter().filter(|p| !p.done) {
            said.push(format!("Still lacking: {} ({}).", part.name, part.seen));
        }
        for (id, commits) in transfer::unpicked(case, world) {
            said.push(format!(
                "Researcher {id} has {} that conference/best does not have.",
                plural::commits(commits)
            ));
        }
        let verdicts = case
            .raw
            .reviews
            .get(&round)
            .map_or(0, |(_, r)| r.verdicts.len());
        if verdicts == 0 {
            said.push(
                "No verdict can be read from the review, so conference/best must not change."
                    .to_owned(),
            );
        }
    }
}

fn synthesis(case: &Conference, said: &mut Vec<String>) {
    if case.state.open {
        said.push(format!(
            "Round {} is open and would be left unfinished.",
            case.state.round
        ));
    }
    for (name, size) in [
        ("synthesis.md", case.raw.synthesis),
        ("final_report.md", case.raw.report),
    ] {
        if size > 0 {
            said.push(format!(
                "{name} is there, perhaps half written; the synthesis overwrites it."
            ));
        }
    }
    if case.state.decision == Decision::Failed {
        said.push("Only a partial synthesis is possible.".to_owned());
    }
    said.push("The loop script never starts a synthesis; do not use it here.".to_owned());
}

/// A round that the configured limits no longer allow.
fn amended(case: &Conference, said: &mut Vec<String>) {
    let limit = case.raw.config.as_ref().and_then(|c| c.max_rounds);
    if let Some(limit) = limit.filter(|limit| case.state.round > *limit) {
        said.push(format!(
            "conference.md allows {limit} rounds; raise max_rounds there first."
        ));
    }
}

/// What a point loses beyond the rows and files that its own actions change.
pub(crate) fn losses(case: &Conference, to: Move, world: &dyn World) -> Vec<Foreign> {
    let mut lost = Vec::new();
    let restart = matches!(to, Move::Phase(_, 1)) && case.state.open;
    if restart && case.state.work.begun(case.state.round) {
        lost.push(
            format!(
                "The work of round {} so far no longer counts.",
                case.state.round
            )
            .into(),
        );
    }
    if matches!(to, Move::Phase(_, 1)) {
        for (id, commits) in transfer::unpicked(case, world) {
            lost.push(
                format!(
                    "{} of researcher {id} {} not on conference/best; the start of a round resets that branch, so {} reachable by the reflog alone.",
                    plural::commits(commits),
                    plural::agree(commits, "is", "are"),
                    plural::agree(commits, "it stays", "they stay")
                )
                .into(),
            );
        }
    }
    lost
}

//! The warnings and losses of a point.

use crate::model::{Foreign, Loss};
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::ends::{self, EndKind};
use crate::systems::autoconference::facts::research_status::ResearchStatus;
use crate::systems::autoconference::facts::resumed::void_before;
use crate::systems::autoconference::facts::{Decision, Evidence, worktrees};
use crate::systems::autoconference::shape::{EVENTS, Event};
use crate::text::Shown as _;
use crate::text::format::{count, count_of, list_first, plural};
use crate::world::World;

use super::offers::Move;
use super::{discard, fresh, mend, transfer, truncate};

/// How many files are named.
const NAMED: usize = 8;

/// The warnings of a point.
pub(crate) fn of(case: &Conference, to: Move, world: &dyn World) -> Vec<Foreign> {
    let mut all: Vec<String> = match to {
        Move::Mid(_) => mid(case),
        Move::Keep(_) => half_written(case),
        Move::Fresh => fresh::stays(case, world),
        Move::Rebuild => vec![
            "The log gets only what tables, posters and reviews show, with the times of the rows."
                .to_owned(),
        ],
        Move::Phase(n, phase) if case.state.open && n == case.state.round => {
            of_phase(case, phase, world)
        }
        Move::Synthesis => synthesis(case),
        Move::Phase(..) => beyond_limit(case),
        Move::Mend(_) => vec![
            "The log does not have everything that a table has; descriptions may be missing."
                .to_owned(),
        ],
    };
    if !to.is_edit() && to != Move::Fresh {
        let again = to == Move::Phase(case.state.round, 1);
        all.extend(discarded(case).filter(|_| !again).map(|text| text + "."));
        for (file, logged) in mend::all_lost(case) {
            let (name, problem, remedy) = (file.name, file.problem, file.remedy);
            all.push(format!("{name} {problem}{logged}. {remedy}"));
        }
        let early = early(case).filter(|_| to != Move::Synthesis);
        all.extend(early.map(|text| format!("{text}; they do not count.")));
    }
    if case.state.low_confidence {
        let text = "The number of iterations in a round is estimated from the researchers' median.";
        all.push(text.to_owned());
    }
    let last = case.raw.events().last();
    let hint = last.filter(|e| &*e.name == "conference.resumed");
    let hint = hint.map(Event::body);
    if let Some(point) = hint.as_ref().and_then(|e| e.text("recovery_point")) {
        all.push(format!(
            "The log ends with a recovery at `{point}`; nothing was logged since."
        ));
    }
    all.into_iter().map(Foreign::from).collect()
}

/// The end documents that exist although a round is open, as a clause.
pub(crate) fn early(case: &Conference) -> Option<String> {
    let mut all = ends::problems(&case.raw, &case.state).into_iter();
    let (_, clause) = all.find(|(kind, _)| *kind == EndKind::Early)?;
    Some(clause)
}

fn mid(case: &Conference) -> Vec<String> {
    let mut all = Vec::new();
    for id in case.state.incomplete() {
        match truncate::of(case, id) {
            Ok(Some(cut)) => {
                let lines: Vec<String> = cut.removed.iter().map(u64::to_string).collect();
                let (number, lines) = (lines.len(), lines.join(", "));
                let (noun, are) = (plural(number, "line", "lines"), plural(number, "is", "are"));
                all.push(format!(
                    "Researcher {id}: {noun} {lines} of the table {are} removed."
                ));
            }
            Ok(None) => {}
            Err(why) => all.push(why),
        }
        if let Some(why) = case.trees.untouched(id) {
            all.push(format!(
                "The worktree of researcher {id} is not reset: {why}. The rows of its table stay, too."
            ));
        }
    }
    all.extend(probably(case));
    all
}

/// The researchers that count as done although one iteration of theirs is not on record.
fn probably(case: &Conference) -> impl Iterator<Item = String> {
    let ids = case.state.probable().into_iter();
    ids.map(|id| {
        format!("Researcher {id} probably finished its research and is not started again.")
    })
}

fn half_written(case: &Conference) -> Vec<String> {
    let unfinished = case.state.unfinished();
    // With nobody else left, those who probably finished are started again.
    let others = probably(case).filter(|_| !unfinished.is_empty());
    let warning = |id: &char| {
        let row = case.raw.tables.get(id)?.rows.last()?;
        (!row.whole).then(|| {
            format!(
                "Line {} in the table of researcher {id} is incomplete and has no newline; the next row would be appended to it.",
                row.line
            )
        })
    };
    unfinished
        .iter()
        .filter_map(warning)
        .chain(others)
        .collect()
}

/// Which events of the open round do not count, although the log keeps them: those from before it was started again.
pub(crate) fn discarded(case: &Conference) -> Option<String> {
    let round = case.state.round;
    let from = void_before(&case.state.resumed, round, 1);
    let mut events = case.raw.events().iter().filter(|_| case.state.open);
    events
        .any(|event| event.round == Some(round) && event.line < from)
        .then(|| format!("Events of round {round} before line {from} of {EVENTS} do not count: the round was started again there"))
}

fn of_phase(case: &Conference, phase: u8, world: &dyn World) -> Vec<String> {
    let mut all = Vec::new();
    let round = case.state.round;
    if phase == 1 && case.raw.events().iter().any(|e| e.round == Some(round)) {
        all.push("The log keeps the events of the first attempt; conference.resumed marks that they no longer count.".to_owned());
    }
    all.extend(discard::of(case, Move::Phase(round, phase), world).stays);
    if phase == 2 {
        for (id, status) in case.state.research.iter().filter(|(_, s)| !s.is_done()) {
            let is = match status {
                ResearchStatus::Incomplete(0) | ResearchStatus::Closed(0) => "not begun".to_owned(),
                ResearchStatus::Incomplete(done) | ResearchStatus::Closed(done) => {
                    format!("incomplete after {}", count(*done, "iteration"))
                }
                ResearchStatus::Complete(_) | ResearchStatus::Probably(_) => status.word(),
            };
            all.push(format!("Researcher {id} is {is}."));
        }
        if !case.state.research.values().any(ResearchStatus::is_done) {
            let text = "No researcher finished the round, and the protocol requires at least one.";
            all.push(text.to_owned());
        }
        for id in case.state.probable() {
            all.push(format!(
                "Researcher {id} has probably finished: one iteration fewer than required is on record."
            ));
        }
    }
    for session in case.state.sessions() {
        let (of, evidence, name) = (session.phase, session.evidence, &session.file);
        if evidence == Evidence::Doubtful && of == phase {
            all.push(format!(
                "{name} exists without its event; it is probably truncated, and it is moved aside."
            ));
        } else if evidence == Evidence::Partial && of == phase {
            let missing = &session.missing;
            all.push(format!(
                "{name} is incomplete ({missing}), and it is moved aside."
            ));
        } else if evidence == Evidence::Lost && of <= phase {
            let lack = case.raw.lack(name, "is missing or empty");
            all.push(format!("{name} {lack} although the log has its event."));
        }
    }
    if phase == 4 {
        for missing in transfer::missing(case, round) {
            all.push(format!("Still missing: {missing}."));
        }
        for (id, commits) in transfer::unpicked(case, world) {
            all.push(format!(
                "Researcher {id} has {} that conference/best does not have.",
                count(commits, "commit")
            ));
        }
        all.extend(transfer::unread(case, world));
        let review = case.raw.reviews.get(&round);
        if review.is_none_or(|review| review.verdicts.is_empty()) {
            let text = "The review has no readable verdict, so conference/best must not change.";
            all.push(text.to_owned());
        }
    }
    all
}

fn synthesis(case: &Conference) -> Vec<String> {
    let mut all = Vec::new();
    if case.state.open {
        let round = &case.state.round;
        all.push(format!("Round {round} is open and stays unfinished."));
    }
    for (name, _) in case.raw.end_documents() {
        all.push(format!(
            "{name} exists and may be incomplete; the synthesis overwrites it."
        ));
    }
    if case.state.decision == Decision::Failed {
        all.push("Only a partial synthesis is possible.".to_owned());
    }
    all.push("The loop script never starts a synthesis; do not use it here.".to_owned());
    all
}

/// A round that the configured limits do not allow.
fn beyond_limit(case: &Conference) -> Vec<String> {
    let limit = case.raw.config.max_rounds;
    let limit = limit.filter(|limit| case.state.round > *limit);
    let limit = limit.map(|limit| count(limit, "round"));
    let warning = |limit| format!("conference.md allows {limit}; raise max_rounds there first.");
    limit.map(warning).into_iter().collect()
}

/// The losses of a point in addition to the rows and files that its own actions change.
pub(crate) fn losses(case: &Conference, to: Move, world: &dyn World) -> Vec<Loss> {
    let mut lost = Vec::new();
    if !matches!(to, Move::Phase(_, 1) | Move::Fresh) {
        return lost;
    }
    let round = case.state.round;
    if to != Move::Fresh && case.state.open && case.state.work.begun(round) {
        let text = format!("The work of round {round} so far no longer counts.");
        lost.push(Loss::overwritten(text));
    }
    lost.extend(transfer::unread(case, world).map(Loss::overwritten));
    for (id, commits) in transfer::unpicked(case, world) {
        let text = format!(
            "{} of researcher {id} {} not on conference/best; the start of a round resets that branch, so {} reachable only through the reflog.",
            count(commits, "commit"),
            plural(commits, "is", "are"),
            plural(commits, "it stays", "they stay")
        );
        lost.push(Loss::overwritten(text));
    }
    lost.extend(discards(case, world).map(Loss::overwritten));
    lost
}

/// The uncommitted changes that the start of a round discards, a sentence for each researcher that has some.
fn discards(case: &Conference, world: &dyn World) -> impl Iterator<Item = String> {
    let trees = case.trees.known().iter();
    trees.filter_map(|tree| {
        let what = "uncommitted changes, which the start of a round discards";
        let of = format!("the worktree of researcher {}", tree.id);
        let changed = match worktrees::dirt(tree.place()?, world) {
            Ok((changed, _)) => changed,
            Err(why) => return Some(format!("Whether {of} has {what}, is unknown: {why}.")),
        };
        let files = count_of(changed.len(), "tracked file", "tracked files");
        let have = plural(changed.len(), "has", "have");
        let names = list_first(changed.iter().map(|file| file.path.shown()), NAMED);
        (!changed.is_empty()).then(|| format!("{files} in {of} {have} {what}: {names}."))
    })
}

//! Checks of the round files: A13 and A14.

use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::Evidence;
use crate::systems::autoconference::facts::ends::{self, EndKind};
use crate::systems::autoconference::shape::{BadFile, Event, poster_name, review_name};
use crate::systems::kit::checks::{Made, Outcome, fail, pass, skipped, warn};

use super::some;

/// Both files of every completed round exist, and the open round has no file without its event.
pub(crate) fn files(case: &Conference) -> Outcome {
    let mut wrong = Vec::new();
    let alone = case.raw.config.count == Some(1);
    let lack = |name: String| format!("{name} {}", case.raw.lack(&name, "is missing or empty"));
    for round in 1..=case.state.done {
        if case.raw.poster_size(round) == 0 && !alone {
            wrong.push(lack(poster_name(round)));
        }
        if case.raw.review_size(round) == 0 {
            wrong.push(lack(review_name(round)));
        }
    }
    let mut lost = Vec::new();
    for session in case.state.sessions() {
        let name = &session.file;
        match session.evidence {
            Evidence::Doubtful => wrong.push(format!(
                "{name} exists without its event and is probably truncated"
            )),
            Evidence::Partial => {
                let missing = &session.missing;
                wrong.push(format!("{name} is incomplete: {missing}"));
            }
            Evidence::Lost => {
                let lack = lack(name.clone());
                lost.push(format!("{lack} although the log has its event"));
            }
            Evidence::None | Evidence::Event | Evidence::File => {}
        }
    }
    if !lost.is_empty() {
        lost.extend(wrong);
        let text = format!("{}.", some(&lost));
        return fail(text, "Restore the file from a copy, or repeat that phase.");
    }
    let remedy = "Nothing is deleted; the phase without its event is repeated. Move an incomplete file away yourself if it is misleading.";
    if let Some(warning) = super::wrong("", &wrong, remedy) {
        return warning;
    }
    let mut ends = ends::problems(&case.raw, &case.state).into_iter();
    if let Some((_, clause)) = ends.find(|(kind, _)| *kind == EndKind::Undocumented) {
        return warn(
            format!("{clause}."),
            "Restore it from a copy, or let the orchestrator write the synthesis again.",
        );
    }
    if case.state.done == 0 {
        return pass("No round is completed, so no files are expected.");
    }
    pass("Every completed round has its poster session and its review.")
}

pub(crate) fn verdicts(case: &Conference) -> Made {
    if case.raw.reviews.is_empty() {
        let mut unread = case.raw.unread.iter();
        let review = (1..=case.state.round).map(review_name).collect::<Vec<_>>();
        let unread = unread.find(|file| review.contains(&file.name));
        let none = || "There is no review file.".to_owned();
        return Err(skipped(unread.map_or_else(none, BadFile::sentence)));
    }
    let mut wrong = Vec::new();
    for (round, review) in &case.raw.reviews {
        if review.verdicts.is_empty() {
            let what = if review.size == 0 {
                "is empty"
            } else {
                "has no readable verdict"
            };
            wrong.push(format!("{} {what}", review_name(*round)));
            continue;
        }
        let event = case.raw.of_round("round.peer_review", *round).last();
        let body = event.map(Event::body);
        let said = |key: &str| body.as_ref().and_then(|body| body.int(key));
        let miscounts = review.miscounts(said).into_iter();
        wrong.extend(miscounts.map(|(key, logged, found)| {
            format!("round {round}: {key} {logged} in the log, {found} in the file")
        }));
    }
    let remedy = "Read the review; conference/best must not change before its verdicts are clear.";
    let fits = if case.raw.has("round.peer_review") {
        "Every review has verdicts, as many as its event says."
    } else {
        "Every review has verdicts; the log has no event to compare them with."
    };
    Ok(super::wrong("", &wrong, remedy).unwrap_or_else(|| pass(fits)))
}

//! Checks of the round files: A13 and A14.

use crate::model::Check;

use super::super::Conference;
use super::super::files::rounds::Judgement;
use super::super::state::Evidence;
use super::{pass, skipped, some, warn};

pub(super) fn all(case: &Conference) -> Vec<Check> {
    vec![files(case), verdicts(case)]
}

/// A13: both files of every completed round; and none of the open round without its event.
fn files(case: &Conference) -> Check {
    let subject = "round files";
    let mut wrong = Vec::new();
    let alone = case.raw.config.as_ref().and_then(|c| c.count) == Some(1);
    for round in 1..=case.state.done {
        let poster = case.raw.posters.get(&round).copied().unwrap_or(0);
        let review = case.raw.reviews.get(&round).map_or(0, |(size, _)| *size);
        if poster == 0 && !alone {
            wrong.push(format!(
                "poster_session_round_{round}.md is missing or empty"
            ));
        }
        if review == 0 {
            wrong.push(format!("peer_review_round_{round}.md is missing or empty"));
        }
    }
    let round = case.state.round;
    for (evidence, name) in [
        (case.state.poster, "poster_session"),
        (case.state.review, "peer_review"),
    ] {
        if evidence == Evidence::Doubtful {
            wrong.push(format!(
                "{name}_round_{round}.md is there without its event and is probably cut off"
            ));
        }
    }
    if !wrong.is_empty() {
        return warn(
            "A13",
            subject,
            format!("{}.", some(&wrong)),
            "Nothing is deleted; the phase that lacks its event is held again. Move a half-written file away yourself if it misleads.",
        );
    }
    if case.state.done == 0 {
        return pass("A13", subject, "No round is completed, so none owes files.");
    }
    pass(
        "A13",
        subject,
        "Every completed round has its poster session and its review.",
    )
}

/// A14: verdicts can be read and are as many as the event says.
fn verdicts(case: &Conference) -> Check {
    let subject = "review verdicts";
    if case.raw.reviews.is_empty() {
        return skipped("A14", subject, "There is no review file.");
    }
    let mut wrong = Vec::new();
    for (round, (size, review)) in &case.raw.reviews {
        if review.verdicts.is_empty() {
            let what = if *size == 0 {
                "is empty"
            } else {
                "has no verdict that can be read"
            };
            wrong.push(format!("peer_review_round_{round}.md {what}"));
            continue;
        }
        let event = case
            .raw
            .events()
            .iter()
            .rfind(|e| e.name == "round.peer_review" && e.round == Some(*round));
        let counts = [
            ("validated_count", Judgement::Validated),
            ("challenged_count", Judgement::Challenged),
            ("overturned_count", Judgement::Overturned),
        ];
        for (key, judgement) in counts {
            let said = event
                .and_then(|e| e.int(key))
                .and_then(|n| usize::try_from(n).ok());
            let found = review.count(judgement);
            if said.is_some_and(|n| n != found) {
                wrong.push(format!(
                    "round {round}: {key} {} in the log, {found} in the file",
                    said.unwrap_or(0)
                ));
            }
        }
    }
    if wrong.is_empty() {
        return pass(
            "A14",
            subject,
            "Every review has verdicts, as many as its event says.",
        );
    }
    warn(
        "A14",
        subject,
        format!("{}.", some(&wrong)),
        "Read the review; conference/best must not change before its verdicts are clear.",
    )
}

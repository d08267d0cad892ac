//! Checks of the round files: A13 and A14.

use crate::model::Check;

use super::{fail, pass, skipped, some, warn};
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::Evidence;
use crate::systems::autoconference::shape::rounds::Judgement;
use crate::systems::autoconference::shape::{poster_name, review_name};

pub(crate) fn all(case: &Conference) -> Vec<Check> {
    vec![files(case), verdicts(case)]
}

/// A13: both files of every completed round; and none of the open round without its event.
fn files(case: &Conference) -> Check {
    let subject = "round files";
    let mut wrong = Vec::new();
    let alone = case.raw.config.as_ref().and_then(|c| c.count) == Some(1);
    for round in 1..=case.state.done {
        if case.raw.poster_size(round) == 0 && !alone {
            wrong.push(format!("{} is missing or empty", poster_name(round)));
        }
        if case.raw.review_size(round) == 0 {
            wrong.push(format!("{} is missing or empty", review_name(round)));
        }
    }
    let round = case.state.round;
    let mut lost = Vec::new();
    for (evidence, name) in [
        (case.state.poster, poster_name(round)),
        (case.state.review, review_name(round)),
    ] {
        match evidence {
            Evidence::Doubtful => wrong.push(format!(
                "{name} is there without its event and is probably cut off"
            )),
            Evidence::Partial => wrong.push(format!(
                "{name} is half written: {}",
                case.state.missing_part(&case.raw, &name)
            )),
            Evidence::Lost => lost.push(format!(
                "{name} is missing or empty although the log has its event"
            )),
            Evidence::None | Evidence::Event | Evidence::File => {}
        }
    }
    if !lost.is_empty() {
        lost.extend(wrong);
        return fail(
            "A13",
            subject,
            format!("{}.", some(&lost)),
            "Put the file back from a copy, or hold that phase again.",
        );
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
        return pass(
            "A13",
            subject,
            "No round is completed, so no files are expected.",
        );
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
    if wrong.is_empty()
        && !case
            .raw
            .log
            .as_ref()
            .is_some_and(|l| l.has("round.peer_review"))
    {
        let text = "Every review has verdicts; the log has no event to compare them with.";
        return pass("A14", subject, text);
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

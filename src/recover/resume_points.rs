//! Which resume point is recommended: the system's own choice or, if a check of it fails or its checkpoint is missing,
//! the nearest earlier boundary that is usable.

use crate::foreign;
use crate::model::{
    Boundary, CheckpointNeed, Foreign, Guard, PointKind, Preference, Readiness, ResumePoint,
    Verdict,
};
use crate::text::Shown as _;
use crate::text::format::{capital, count, list, plural};

/// Judges the boundaries in their order. Exactly one point is recommended if the system chose any. `refused` is the guard
/// that would refuse a boundary whatever else is true of it.
pub fn climb(
    boundaries: Vec<Boundary>,
    refused: impl Fn(&Boundary) -> Option<Guard>,
) -> Vec<ResumePoint> {
    let verdict = recommend(&boundaries);
    let best = verdict
        .as_ref()
        .and_then(|(chosen, _)| boundaries.get(*chosen))
        .cloned();
    boundaries
        .into_iter()
        .enumerate()
        .map(|(at, mut boundary)| {
            let again = best.as_ref().and_then(|best| again(best, &boundary));
            boundary.warnings.extend(again);
            // By place, not by id: a damaged log can name the same boundary at two places.
            let recommended = verdict.as_ref().is_some_and(|(chosen, _)| *chosen == at);
            let reason = match &verdict {
                Some((_, reason)) if recommended => reason.clone(),
                _ => boundary.reason.clone(),
            };
            let readiness = match refused(&boundary) {
                Some(guard) => {
                    let said = [Some(guard.text), guard.would_hold_if];
                    Readiness::Blocked(said.into_iter().flatten().collect())
                }
                None => readiness(&boundary),
            };
            ResumePoint {
                boundary,
                recommended,
                reason,
                readiness,
            }
        })
        .collect()
}

/// What a boundary runs again that the recommended one keeps.
fn again(best: &Boundary, boundary: &Boundary) -> Option<Foreign> {
    let are_counted = best.is_counted() && boundary.is_counted();
    let more = best.kept?.checked_sub(boundary.kept?);
    // What was never done, or is not done again, does not run again.
    let most = boundary.redone?;
    let more = more.map(|more| more.min(most));
    let more = more.filter(|more| are_counted && *more > 0)?;
    let verified = if best.verified == Verdict::Pass {
        "verified "
    } else {
        ""
    };
    Some(foreign!(
        "Runs {} again that {} would keep: {}work that is done already.",
        count(more, "unit"),
        best.id.0.as_str(),
        verified
    ))
}

/// The index of the recommended boundary, and the reason.
fn recommend(boundaries: &[Boundary]) -> Option<(usize, Foreign)> {
    let (chosen, first, why) =
        boundaries
            .iter()
            .enumerate()
            .find_map(|(at, b)| match &b.preference {
                Preference::Chosen(why) => Some((at, b, why.clone())),
                Preference::Rung | Preference::ByHand | Preference::ByName => None,
            })?;
    // The system's own choice wins while it is usable: it knows what its orchestrator would do next.
    if blocks(first).is_empty() {
        return Some((chosen, why));
    }
    let obstacle = capital(&blocks(first).join(" Also, "));
    // Only earlier points: a later one would skip work that was never done. Backwards, so that as little as possible
    // runs again.
    let rungs = boundaries.iter().enumerate().take(chosen).rev();
    let lower = rungs
        // A boundary that only a person may choose is no rung: it can repeat work that must not be repeated.
        .filter(|(_, b)| b.preference == Preference::Rung)
        .find(|(_, b)| blocks(b).is_empty());
    // Nothing earlier is usable: to continue from what is on disk, where the system offers it, promises no restored
    // state that does not exist.
    let disk = || {
        let mut all = boundaries.iter().enumerate();
        all.find(|(_, b)| b.kind == PointKind::CurrentState && blocks(b).is_empty())
    };
    if let Some((at, boundary)) = lower.or_else(disk) {
        return Some((
            at,
            fallen(&first.label, &obstacle, &boundary.label, &boundary.reason),
        ));
    }
    // Nothing is usable. The system's choice stays recommended together with its obstacle, so that a person sees what
    // to repair.
    Some((chosen, foreign!("{} {}", why, obstacle)))
}

fn fallen(wanted: &Foreign, obstacle: &str, to: &Foreign, why: &Foreign) -> Foreign {
    let text = foreign!("{} cannot be used. {} Instead: {}.", wanted, obstacle, to);
    if why.is_empty() {
        text
    } else {
        foreign!("{} {}", text, why)
    }
}

/// What makes a boundary unusable, one sentence each.
fn blocks(boundary: &Boundary) -> Vec<String> {
    let mut blocks = Vec::new();
    // Warnings and checks that could not run do not block: they are shown, and the person decides.
    if boundary.verified == Verdict::Fail {
        let of = |verdict: Verdict, said: &str| {
            let of_it = boundary.failing.iter().filter(|(_, of)| *of == verdict);
            let ids: Vec<&str> = of_it.map(|(id, _)| id.0.as_str()).collect();
            let checks = plural(ids.len(), "check", "checks");
            (!ids.is_empty()).then(|| format!("{checks} {} {said}", list(ids)))
        };
        let failed = of(Verdict::Fail, "failed").unwrap_or_default();
        let warned = of(Verdict::Warn, "warned");
        let warned = warned.map_or_else(String::new, |warned| format!("; {warned}"));
        blocks.push(format!("{failed}{warned}."));
    }
    // Both obstacles are named: a person who repairs one and then meets the other has lost an attempt.
    if let CheckpointNeed::Missing { wanted } = &boundary.checkpoint {
        blocks.push(format!("there is no checkpoint {}.", wanted.shown()));
    }
    blocks
}

fn readiness(boundary: &Boundary) -> Readiness {
    let blocks = blocks(boundary);
    match &boundary.checkpoint {
        // A failed check blocks even where the checkpoint exists: the checkpoint may contain the very work that failed.
        _ if !blocks.is_empty() => {
            Readiness::Blocked(blocks.iter().map(|b| Foreign::from(capital(b))).collect())
        }
        CheckpointNeed::Found(_) => Readiness::NeedsRestore,
        CheckpointNeed::None | CheckpointNeed::Missing { .. } => Readiness::Ready,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::model::{CheckId, PointId};

    /// A boundary without anything special.
    pub(crate) fn boundary(
        id: &str,
        preference: Preference,
        verified: Verdict,
        missing: bool,
    ) -> Boundary {
        Boundary {
            id: PointId(id.to_owned()),
            label: id.into(),
            phase: None,
            kind: if id == "disk" {
                PointKind::CurrentState
            } else {
                PointKind::Boundary
            },
            verified,
            failing: if verified == Verdict::Fail {
                vec![(CheckId("F6".into()), Verdict::Fail)]
            } else {
                vec![]
            },
            checkpoint: if missing {
                CheckpointNeed::Missing {
                    wanted: format!("pre-{id}").into(),
                }
            } else {
                CheckpointNeed::None
            },
            edits_records: false,
            kept: Some(0),
            redone: Some(0),
            time_lost_s: None,
            warnings: vec![],
            reason: "why".into(),
            preference,
        }
    }

    type Case = (
        &'static str,
        Vec<(&'static str, Preference, Verdict, bool)>,
        Option<&'static str>,
    );

    #[test]
    fn steps_down_to_the_nearest_boundary_that_holds() {
        use Verdict::{Fail, Pass, Warn};
        let chosen = || Preference::Chosen("rules".into());
        let rung = || Preference::Rung;
        let table: Vec<Case> = vec![
            (
                "the choice holds",
                vec![("a", rung(), Pass, false), ("b", chosen(), Warn, false)],
                Some("b"),
            ),
            (
                "a failed check steps down",
                vec![("a", rung(), Pass, false), ("b", chosen(), Fail, false)],
                Some("a"),
            ),
            (
                "a missing checkpoint steps down",
                vec![("a", rung(), Pass, false), ("b", chosen(), Pass, true)],
                Some("a"),
            ),
            (
                "past a rung that fails too",
                vec![
                    ("a", rung(), Pass, false),
                    ("b", rung(), Fail, false),
                    ("c", chosen(), Pass, true),
                ],
                Some("a"),
            ),
            (
                "never onto a point for hands only",
                vec![
                    ("a", Preference::ByHand, Pass, false),
                    ("b", chosen(), Fail, false),
                ],
                Some("b"),
            ),
            (
                "never upwards",
                vec![("a", chosen(), Fail, false), ("b", rung(), Pass, false)],
                Some("a"),
            ),
            (
                "to the disk when nothing holds",
                vec![
                    ("a", rung(), Fail, false),
                    ("b", chosen(), Pass, true),
                    ("disk", Preference::ByHand, Pass, false),
                ],
                Some("disk"),
            ),
            (
                "nothing chosen, nothing recommended",
                vec![("a", rung(), Pass, false)],
                None,
            ),
        ];
        for (name, rows, expected) in table {
            let points = climb(
                rows.into_iter()
                    .map(|(id, p, v, m)| boundary(id, p, v, m))
                    .collect(),
                |_| None,
            );
            let recommended: Vec<&str> = points
                .iter()
                .filter(|p| p.recommended)
                .map(|p| p.boundary.id.0.as_str())
                .collect();
            assert_eq!(
                recommended,
                expected.into_iter().collect::<Vec<_>>(),
                "{name}"
            );
        }
    }

    #[test]
    fn a_boundary_that_a_guard_refuses_is_blocked_with_its_words() {
        let refused = |_: &Boundary| Some(Guard::fails("work_tree", "It is missing.", "Name it."));
        let of = |id| boundary(id, Preference::Rung, Verdict::Pass, false);
        let points = climb(vec![of("wave-1"), of("disk")], refused);
        for point in points {
            let said = vec!["It is missing.".into(), "Name it.".into()];
            assert_eq!(point.readiness, Readiness::Blocked(said));
        }
    }

    /// Every face reads it from the point, and so do its plan and its hand-off.
    #[test]
    fn a_point_that_repeats_kept_work_warns_of_it() {
        let chosen = || Preference::Chosen("x".into());
        let row = |id, preference, kept, redone| Boundary {
            kept,
            redone,
            ..boundary(id, preference, Verdict::Pass, false)
        };
        for (kept, warned) in [
            (
                (Some(2), Some(7)),
                Some("Runs 3 units again that b would keep: verified work that is done already."),
            ),
            (
                (Some(4), Some(5)),
                Some("Runs 1 unit again that b would keep: verified work that is done already."),
            ),
            ((Some(5), Some(4)), None),
            ((Some(6), Some(3)), None),
            // It keeps less, and runs nothing again.
            ((Some(4), Some(0)), None),
            // A lower bound says nothing of what runs again.
            ((Some(2), None), None),
            ((None, None), None),
        ] {
            let first = row("a", Preference::Rung, kept.0, kept.1);
            let points = climb(vec![first, row("b", chosen(), Some(5), Some(4))], |_| None);
            let [first, best] = points.as_slice() else {
                unreachable!()
            };
            let said: Vec<_> = first
                .boundary
                .warnings
                .iter()
                .map(|one| one.lossy())
                .collect();
            assert_eq!(said, warned.as_slice(), "{kept:?}");
            assert_eq!(best.boundary.warnings, Vec::<Foreign>::new());
        }
    }

    #[test]
    fn says_why_it_fell() {
        let points = climb(
            vec![
                boundary("wave-1", Preference::Rung, Verdict::Pass, false),
                boundary(
                    "wave-2",
                    Preference::Chosen("x".into()),
                    Verdict::Pass,
                    true,
                ),
            ],
            |_| None,
        );
        assert_eq!(
            points[0].reason,
            "wave-2 cannot be used. There is no checkpoint pre-wave-2. Instead: wave-1. why"
        );
        assert_eq!(
            points[1].readiness,
            Readiness::Blocked(vec!["There is no checkpoint pre-wave-2.".into()])
        );
    }

    /// A check that only warned did not fail, and both are named in good grammar.
    #[test]
    fn says_which_checks_failed_and_which_warned() {
        use Verdict::{Fail, Warn};
        let table: [(&[(&str, Verdict)], &str); 4] = [
            (&[("F6", Fail)], "Check F6 failed."),
            (
                &[("N6", Warn), ("N8", Fail)],
                "Check N8 failed; check N6 warned.",
            ),
            (
                &[("N1", Fail), ("N2", Warn), ("N3", Fail), ("N4", Warn)],
                "Checks N1 and N3 failed; checks N2 and N4 warned.",
            ),
            (
                &[("N1", Fail), ("N2", Fail), ("N3", Fail)],
                "Checks N1, N2 and N3 failed.",
            ),
        ];
        for (failing, text) in table {
            let mut one = boundary("wave-1", Preference::Chosen("x".into()), Fail, false);
            let failing = failing.iter();
            one.failing = failing
                .map(|(id, of)| (CheckId((*id).into()), *of))
                .collect();
            let readiness = climb(vec![one], |_| None).remove(0).readiness;
            assert_eq!(readiness, Readiness::Blocked(vec![text.into()]));
        }
    }
}

use super::*;
use crate::model::{
    Artifact, ArtifactChange, Artifacts, Comparison, Dispatch, DispatchStatus, Party, PipelineId,
    Run, RunConditions, RunKind, RunTree, SessionId,
};
use crate::replay::compare::compare;
use crate::replay::compare::runs::{self, Reported};
use crate::replay::compare::testing::{dispatch, experiment, party, replayed, run};

fn compared(a: Party, b: Party, artifacts: Option<Artifacts>) -> Comparison {
    let pipeline = PipelineId("crucible-1775430161~ab12".to_owned());
    let gathered = Comparison {
        artifacts,
        ..Comparison::new(pipeline, a, b)
    };
    compare(gathered, None)
}

fn timed(mut one: Dispatch, begun_min: i64, seconds: u64) -> Dispatch {
    one.begun_at = crate::model::Stamp::from_unix(begun_min * 60);
    one.duration_s = Some(seconds);
    one
}

/// An original of five dispatches, replayed from the third on.
fn dispatches() -> Vec<Dispatch> {
    let mut swapped = timed(
        dispatch(6, "red-team", "3", "PASS: 0 findings | clean"),
        200,
        600,
    );
    swapped.mutation = Some("red-team-prompt.md -> rt-v2.md".into());
    let mut lost = timed(dispatch(7, "implementer", "3", ""), 211, 0);
    lost.status = DispatchStatus::Error;
    lost.summary = None;
    lost.duration_s = None;
    vec![
        timed(dispatch(1, "plan-writer", "2", "a plan"), 0, 300),
        timed(dispatch(2, "implementer", "3", "a cache"), 10, 600),
        timed(dispatch(3, "red-team", "3", "FAIL: 3 findings"), 30, 600),
        timed(dispatch(4, "implementer", "3", "fixed"), 60, 600),
        timed(dispatch(5, "acceptance-tests", "4", "PASS"), 140, 60),
        replayed(swapped, Some(3), "1775431900"),
        replayed(lost, Some(4), "1775431900"),
        replayed(
            timed(dispatch(8, "acceptance-tests", "4", "FAIL"), 215, 60),
            Some(5),
            "1775431900",
        ),
        replayed(
            timed(dispatch(9, "reviewer", "4", "looked again"), 217, 60),
            None,
            "1775431900",
        ),
    ]
}

fn replay(session: &str) -> Run {
    let all = dispatches();
    let begun = Run {
        session: Some(SessionId("1775431900".to_owned())),
        title: "a replay".into(),
        ..Run::default()
    };
    let mut run = runs::replay(&experiment(all.clone()), &all, begun, Reported::default());
    session.clone_into(&mut run.name);
    run.session = Some(SessionId(session.to_owned()));
    run
}

fn sides() -> (Party, Party) {
    let original = runs::original(&experiment(dispatches()), RunTree::None);
    let b = party("1775431900", vec![replay("1775431900")]);
    (party("original", vec![original]), b)
}

fn files() -> Artifacts {
    let file = |path: &str| Artifact {
        path: path.into(),
        change: ArtifactChange::Modified,
        from: None,
        forms: crate::model::Forms::default(),
        insertions: Some(2),
        deletions: Some(1),
    };
    Artifacts {
        files: vec![file("a"), file("b")],
        insertions: 88,
        deletions: 31,
        between: "git diff 5f0c9e2d..3fa91c02".into(),
        unmeasured: 0,
    }
}

#[test]
fn the_markdown_is_the_seeds() {
    let (a, b) = sides();
    let text = markdown(&compared(a, b, Some(files())));
    let expected = "\
# Replay Diff: 1775430161 vs 1775431900

## Template Mutations
- red-team-prompt.md -> rt-v2.md

## Outcome Comparison
| Metric | Original | Replayed | Delta |
|--------|----------|----------|-------|
| Total dispatches | 5 | 4 | -1 |
| Quality gate rounds | 1 | 1 | 0 |
| Wall clock time | 2h 21m | 0h 18m | -123m |
| Acceptance tests | PASS | FAIL | changed |

## Per-Dispatch Comparison
| Seq | Role | Original Status | Replayed Status | Summary Delta |
|-----|------|----------------|-----------------|---------------|
| 1 | plan-writer | completed | - | not replayed |
| 2 | implementer | completed | - | not replayed |
| 3 | red-team | completed | completed | first divergence: FAIL -> PASS: FAIL: 3 findings -> PASS: 0 findings \\| clean |
| 4 | implementer | completed | error | fixed -> n/a |
| 5 | acceptance-tests | completed | completed | PASS -> FAIL: PASS -> FAIL |
| +9 | reviewer | - | completed | new |

## Artifact Diff
- git diff 5f0c9e2d..3fa91c02
2 files changed, +88/-31 lines

## From the Resume Point On
| Metric | Original | Replayed | Delta |
|--------|----------|----------|-------|
| Total dispatches | 3 | 4 | +1 |
| Quality gate rounds | 1 | 1 | 0 |
| Wall clock time | 1h 51m | 0h 18m | -93m |
| Acceptance tests | PASS | FAIL | changed |

## Beside the Outcome
| Figure | Original | Replayed | Delta |
|--------|----------|----------|-------|
| verdicts of red-team | 1 FAIL | 1 PASS | |
| verdicts of reviewer | n/a | 1 neither | |

## Verdict
**not judged**. The original ran once, on another day, so it is a reference and not a side of a test. For a verdict, replay with --repeat 10. 0 of 1 pair succeed in both; 1 regressed, 0 fixed, 1 without an answer, 1 new. 2 files differ.

";
    assert_eq!(text, expected);
}

#[test]
fn the_record_has_the_seeds_keys_in_the_seeds_order() {
    let (a, b) = sides();
    let expected = "{\"type\":\"replay-diff\",\"original_session\":\"1775430161\",\
\"replay_session\":\"1775431900\",\"mutations\":[\"red-team-prompt.md -> rt-v2.md\"],\
\"metrics\":{\"original_dispatches\":5,\"replayed_dispatches\":4,\"original_gate_rounds\":1,\
\"replayed_gate_rounds\":1,\"original_duration_m\":141,\"replayed_duration_m\":18},\
\"outcome\":{\"original\":\"PASS\",\"replayed\":\"FAIL\"},\
\"artifact_diff\":{\"files_changed\":2,\"insertions\":88,\"deletions\":31}}";
    let mut comparison = compared(a, b, Some(files()));
    assert_eq!(lines(&comparison), [expected]);
    // Of two arms the figures are the same as in the other formats, and the line says what they are between.
    comparison.original = comparison.a.runs.first().cloned();
    let figures =
        "\"artifact_diff\":{\"files_changed\":2,\"insertions\":88,\"deletions\":31,\"between\":\"";
    let line = lines(&comparison).remove(0);
    assert!(line.contains(figures), "{line}");
}

/// A template may be given by its short name: its text says that it is the same.
#[test]
fn a_template_that_is_named_in_two_ways_counts_once() {
    let named = |name: &str, swaps: &[u8]| Run {
        mutations: vec![format!("{name} -> rt-v2.md").into()],
        conditions: Some(RunConditions {
            swaps: vec![(swaps.to_vec(), b"new".to_vec())],
            ..RunConditions::default()
        }),
        ..replay("1775431900-1")
    };
    let (a, _) = sides();
    let runs = [
        named("red-team-prompt.md", b"old"),
        named("skills/red-team-prompt.md", b"old"),
        named("other.md", b"other"),
    ];
    let text = markdown(&compared(a, party("1775431900", runs.to_vec()), None));
    let expected = "Mutations\n- red-team-prompt.md -> rt-v2.md\n- other.md -> rt-v2.md\n\n";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn what_is_not_known_is_null_and_never_zero() {
    let unknown = |kind| party("x", vec![run(kind, "x", "E")]);
    let comparison = compared(unknown(RunKind::Original), unknown(RunKind::Replay), None);
    let line = lines(&comparison).remove(0);
    for part in [
        "\"original_duration_m\":null,\"replayed_duration_m\":null",
        "\"outcome\":{\"original\":\"UNKNOWN\",\"replayed\":\"UNKNOWN\"}",
        "\"artifact_diff\":{\"files_changed\":null,\"insertions\":null,\"deletions\":null}",
    ] {
        assert!(line.contains(part), "{line}");
    }
    let text = markdown(&comparison);
    for part in [
        "| Acceptance tests | UNKNOWN | UNKNOWN | n/a |",
        "## Template Mutations\n- none\n",
        "## Artifact Diff\n- n/a\n",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn runs_have_a_line_each_and_a_verdict() {
    let (a, _) = sides();
    let names = ["1775431900-1", "1775431900-2"];
    let b = party("1775431900", names.map(replay).to_vec());
    let mut comparison = compared(a, b, Some(files()));
    comparison.confounders = vec!["The runner is another one.".into()];
    let lines = lines(&comparison);
    assert_eq!(lines.len(), 2);
    assert!(lines[1].contains("\"replay_session\":\"1775431900-2\""));
    assert!(
        lines[1].contains("\"files_changed\":null"),
        "only the first was compared"
    );
    let text = markdown(&comparison);
    for part in [
        "# Replay Diff: 1775430161 vs 1775431900\n",
        "| 3 | red-team | completed | 2 completed | first divergence: 0 of 1 PASS -> 2 of 2 PASS |",
        "| 4 | implementer | completed | 2 error | 1 of 1 ok -> no answer |",
        "## Artifact Diff\n- git diff 5f0c9e2d..3fa91c02\n- Files of original and 1775431900-1, the first run of each side.\n",
        "## Verdict\n**not judged**. ",
        "## Confounders\n- The runner is another one.\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn foreign_text_can_neither_break_a_row_nor_reach_the_terminal() {
    let (a, mut b) = sides();
    b.runs[0].work[0].summary = Some("a | b \\| c\n| 9 | <script> \u{1b}[2J".into());
    let text = markdown(&compared(a, b, None));
    let row = text.lines().find(|line| line.starts_with("| 3 |")).unwrap();
    assert!(row.contains("a \\| b \\\\\\| c"), "{row}");
    assert!(row.contains("\\<script>"), "{row}");
    assert!(!text.contains('\u{1b}'));
    let bars = row
        .replace("\\\\", "")
        .replace("\\|", "")
        .matches('|')
        .count();
    assert_eq!(bars, 6, "{row}");
}

#[test]
fn the_original_is_named_only_where_it_is_a_side() {
    let arm = |name: &str| {
        let run = run(RunKind::Replay, &format!("{name}-2"), "P");
        party(&format!("{name}-mutated"), vec![run])
    };
    let (original, _) = sides();
    let (a, b) = (arm("7"), arm("8"));
    let mut comparison = compared(a.clone(), b, None);
    let text = markdown(&comparison);
    assert!(text.starts_with("# Replay Diff: 7-mutated vs 8-mutated\n"));
    assert!(text.contains("| Metric | 7-mutated | 8-mutated | Delta |"));
    // As a reference beside two arms it is no side.
    comparison.original = original.runs.first().cloned();
    let text = markdown(&comparison);
    assert!(text.starts_with("# Replay Diff: 7-mutated vs 8-mutated\n"));
    let text = markdown(&compared(a, original, None));
    assert!(text.starts_with("# Replay Diff: 7-mutated vs 1775430161\n"));
    assert!(
        text.contains("| Metric | 7-mutated | 1775430161 | Delta |"),
        "{text}"
    );
}

#[test]
fn sides_that_are_no_replay_are_named_in_the_table() {
    let side = |name: &str| party(name, vec![run(RunKind::Round, name, "P")]);
    let text = markdown(&compared(side("round-1"), side("round-2"), None));
    assert!(text.starts_with("# Comparison: round-1 vs round-2\n\n## Outcome Comparison\n"));
    assert!(text.contains("| Metric | round-1 | round-2 | Delta |"));
    assert!(text.contains("| 1 | implementer | completed | completed | = |"));
}

//! The pages of replays, with synthetic ones.

use super::outcome::Ended;
use super::testdata::{plan, session};
use super::{before, conflicts, dry_run, in_place, sessions};
use crate::cli::page::testing::{in_order, page, text};
use crate::cli::prelude::*;
use crate::model::{ReplayList, Unnumbered};

fn fits(text: &str, copied: &str) {
    for line in text.lines().filter(|line| !line.contains(copied)) {
        let cells = unicode_width::UnicodeWidthStr::width(line);
        assert!(cells <= 80, "{cells}: {line}");
    }
}

#[test]
fn a_replay_is_announced_with_its_confounders() {
    let said = text(before::lines(&plan(false), 80));
    in_order(
        &said,
        &[
            "Replay of crucible-17~27b5 from wave-1, Wave 1 of phase 3: 3 dispatches in 2",
            "5 blocks of a control run and a mutated run.",
            "replaced    red-team-prompt.md -> red-team-v2.md (1 dispatch)",
            "runner      claude: claude -p {prompt} (at most 30 min each, 1",
            "where       a tree for each run under relight's state directory",
            "  ! The templates are not pinned to a commit.",
            "2 ignored files are not in the tree.",
        ],
    );
    fits(&said, "\u{0}");
    let mut none = plan(false);
    none.mutations.clear();
    none.runner = None;
    let said = text(before::lines(&none, 80));
    in_order(
        &said,
        &["replaced    nothing: every difference", "runner      none"],
    );
}

#[test]
fn the_dry_run_is_crucibles_report_with_tables_that_fit() {
    let said = text(dry_run::report(&plan(false), 80));
    in_order(
        &said,
        &[
            "# Replay Plan (dry-run)\n",
            "**Source:** /m/manifest.jsonl",
            "**Original pipeline:** build | Session: 1775430161 | Started:\n",
            "**Resume point:** Phase 3 boundary (Wave 1 of phase 3)",
            "**Work preserved:** 15 min of active time (3 dispatches)",
            "**Runs:** 10 (5 blocks of a control run and a mutated run), each of 3 dispatches",
            "**Templates:** the installed plugin, not pinned",
            "## Dispatches to skip (verified complete)\n\n| Seq | Role         | Phase | Summary",
            "| 3   | plan-writer  | 2     | What plan-writer said in the end \\| with a bar  |",
            "## Dispatches to re-execute\n\n| Seq | Role        | Phase | Original Status | Template",
            "| 6   | red-team    | 3     | completed       | red-team    | replaced",
            "## Template Mutations\n\n- red-team-prompt.md -> red-team-v2.md (1 dispatch)",
            "## Confounders\n\n- The templates",
            "## Notes\n\n- 2 ignored",
        ],
    );
    fits(&said, "\u{0}");
    assert!(!said.contains("Conflicts"), "{said}");
    let wide = text(dry_run::report(&plan(false), usize::MAX));
    assert!(wide.contains("with a bar |"), "{wide}");
}

#[test]
fn a_conflict_is_shown_with_its_three_texts_and_never_resolved_silently() {
    assert_eq!(conflicts::refusal(&plan(false)), None);
    let plan = plan(true);
    let refused = conflicts::refusal(&plan).unwrap();
    assert_eq!(refused.kind, ErrorKind::Refused);
    assert!(
        refused
            .text
            .lossy()
            .contains("1 dispatch has a conflict (6)"),
        "{refused:?}"
    );
    let said = text(dry_run::report(&plan, 80));
    in_order(
        &said,
        &[
            "| 6   | red-team    | 3     | completed       | red-team    | CONFLICT",
            "## Conflicts to resolve (1)\n",
            "### Dispatch 6: 6-red-team.md",
            "@@ 3 lines without a conflict @@",
            "<<<<<<< original dispatch\nFind flaws in the price cache.\n",
            "||||||| template\nFind flaws.\n",
            "======= replacement\nFind at most three flaws.",
            ">>>>>>>\n",
            "- --resolve 6=replacement takes",
            "- --resolve 6=original keeps",
            "- --resolve 6=FILE takes",
        ],
    );
    assert!(!said.contains('\u{1b}'), "what a terminal obeys is shown");
}

#[test]
fn how_a_replay_ended_is_its_exit_code() {
    let with = |state, error, left| {
        let mut one = session(1, 1, state);
        one.dispatches.error = error;
        one.dispatches.left = left;
        one
    };
    let table = [
        (with(SessionState::Done, 0, 0), 1, false, Exit::Done),
        (with(SessionState::Done, 1, 0), 1, false, Exit::No),
        (with(SessionState::Interrupted, 1, 2), 1, false, Exit::No),
        (
            with(SessionState::Cancelled, 0, 2),
            1,
            true,
            Exit::Cancelled,
        ),
        (
            with(SessionState::Cancelled, 1, 2),
            1,
            true,
            Exit::Cancelled,
        ),
        // It ended before it could be stopped.
        (with(SessionState::Done, 0, 0), 1, true, Exit::Done),
        (with(SessionState::Done, 0, 0), 2, true, Exit::Cancelled),
        // A verdict was reached.
        (with(SessionState::Done, 0, 0), 2, false, Exit::Done),
        (with(SessionState::HandedOver, 0, 3), 1, false, Exit::Done),
    ];
    for (one, asked, cancelled, expected) in table {
        let state = one.state;
        let ended = Ended {
            asked,
            measured_again: 0,
            unfinished: None,
            sessions: vec![one],
            cancelled,
            ground: in_place::Ground::default(),
        };
        assert_eq!(ended.exit(), expected, "{state:?} {asked} {cancelled}");
        // Without a verdict, what has not begun is missing.
        let unfinished = Ended {
            unfinished: Some(crate::model::SessionId("1775430161".to_owned())),
            ..ended
        };
        let expected = if asked > 1 && !cancelled {
            Exit::No
        } else {
            expected
        };
        assert_eq!(unfinished.exit(), expected, "{state:?} {asked} {cancelled}");
    }
}

#[test]
fn the_session_that_is_meant_may_be_shortened_or_left_out() {
    use SessionState::{Cancelled, Done, Interrupted};
    let all = [
        session(3, 3, Cancelled),
        session(2, 3, Interrupted),
        session(1, 3, Done),
    ];
    let mut lacking = session(1, 1, Done);
    lacking.unnumbered = vec![Unnumbered {
        metric: "lines".to_owned(),
        is_missing: true,
        by_command: true,
        ..Unnumbered::default()
    }];
    let mut rejected = session(2, 2, Interrupted);
    rejected.rejected = Some("no such partition".into());
    let (lacking, rejected) = ([lacking], [rejected]);
    let table: &[(&[ReplaySession], &str, Result<&str, ErrorKind>)] = &[
        (&lacking, "", Ok("1775431900")),
        (&rejected, "", Err(ErrorKind::NothingToDo)),
        (&rejected, "1775431900-2", Ok("1775431900-2")),
        (&all, "", Ok("1775431900-3")),
        (&all, "1775431900-2", Ok("1775431900-2")),
        (&all, "1775431900", Err(ErrorKind::Ambiguous)),
        (&all[1..], "17754", Ok("1775431900-2")),
        (&all, "1775431900-1", Err(ErrorKind::Refused)),
        (&all, "9", Err(ErrorKind::NotFound)),
        (&all[2..], "", Err(ErrorKind::NothingToDo)),
        (&[], "", Err(ErrorKind::NothingToDo)),
    ];
    for (all, word, expected) in table {
        let found = sessions::meant(all, &[], word);
        let found = found.as_ref().map(|one| one.id.0.as_str());
        assert_eq!(found.map_err(|error| error.kind), *expected, "{word}");
    }
}

#[test]
fn the_replays_are_a_table_with_the_next_commands() {
    let now = chrono::DateTime::parse_from_rfc3339("2026-04-06T00:00:00Z").unwrap();
    let mut odd = session(2, 2, SessionState::Interrupted);
    odd.dispatches.error = 1;
    odd.dispatches.left = 2;
    odd.trouble = vec!["Its last line was torn.".into()];
    let mut all = ReplayList {
        sessions: vec![odd, session(1, 2, SessionState::Done)],
        ..ReplayList::default()
    };
    let said = page(80, |page| sessions::page(&all, "17", now, page));
    all.unsupported = Some("The run has no readable manifest.".into());
    let lost = page(80, |page| sessions::page(&all, "17", now, page));
    assert!(
        lost.contains("  ! None can be compared or continued. The run has no"),
        "{lost}"
    );
    assert!(!lost.contains("relight "), "{lost}");
    in_order(
        &said,
        &[
            "REPLAY        STATE        DISPATCHES",
            "1775431900-2  interrupted  3 done, 1 error, 2 left",
            "1775431900-1  done         3 done",
            "  ! 1775431900-2: Its last line was torn.",
            "resume      relight replay 17 --continue 1775431900-2",
            "compare     relight compare 17 original 1775431900\n",
        ],
    );
    fits(&said, "\u{0}");
}

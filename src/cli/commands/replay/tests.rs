//! What is said about replays, with made-up ones.

use super::made_up::{plan, progress, session};
use super::{before, conflicts, dry_run, exit, sessions};
use crate::cli::Exit;
use crate::cli::answer::Line;
use crate::cli::replay_words;
use crate::engine::ErrorKind;
use crate::model::{ReplaySession, SessionState, StepState};

fn text(lines: &[Line]) -> String {
    let mut text = String::new();
    for line in lines {
        text.extend(line.iter().map(|span| span.1.as_str()));
        text.push('\n');
    }
    text
}

/// Each of these stands behind the one before it.
fn in_order(text: &str, order: &[&str]) {
    let mut from = 0;
    for words in order {
        let at = text.get(from..).unwrap().find(words);
        from += at.unwrap_or_else(|| panic!("{words:?} is not after the rest in:\n{text}"));
    }
}

fn fits(text: &str, copied: &str) {
    for line in text.lines().filter(|line| !line.contains(copied)) {
        let cells = unicode_width::UnicodeWidthStr::width(line);
        assert!(cells <= 80, "{cells}: {line}");
    }
}

#[test]
fn what_will_run_where_and_what_confounds_it_is_said_before_it_runs() {
    let said = text(&before::lines(&plan(false), 80));
    in_order(
        &said,
        &[
            "Replays crucible-17~27b5 from wave-1, Wave 1 of phase 3: 3 dispatches in 2",
            "5 times.",
            "swapped     red-team-prompt.md -> red-team-v2.md (1 dispatch)",
            "runner      claude: claude -p {prompt} (at most 1800 seconds each, 1 retry)",
            "where       a tree of its own for each run under relight's state folder; the",
            "  ! The templates are not pinned to a commit.",
            "2 ignored files are not in the tree.",
        ],
    );
    fits(&said, "\u{0}");
    let mut none = plan(false);
    none.mutations.clear();
    none.runner = None;
    let said = text(&before::lines(&none, 80));
    in_order(
        &said,
        &["swapped     nothing: whatever differs", "runner      none"],
    );
}

#[test]
fn the_dry_run_is_the_seeds_report_with_tables_that_fit() {
    let said = text(&dry_run::report(&plan(false), 80));
    in_order(
        &said,
        &[
            "# Replay Plan (dry-run)\n",
            "**Source:** /m/manifest.jsonl",
            "**Original pipeline:** build | Session: 1775430161 | Started:\n",
            "**Resume point:** Phase 3 boundary (Wave 1 of phase 3)",
            "**Work preserved:** 15 min of active time (3 dispatches)",
            "**Runs:** 5, each of 3 dispatches in 2 waves, one at a time",
            "**Templates:** the installed plugin, not pinned",
            "## Dispatches to skip (verified complete)\n\n| Seq | Role         | Phase | Summary",
            "| 3   | plan-writer  | 2     | What plan-writer said in the end \\| with a bar  |",
            "## Dispatches to re-execute\n\n| Seq | Role        | Phase | Original Status | Template",
            "| 6   | red-team    | 3     | completed       | red-team    | swapped",
            "## Template Mutations\n\n- red-team-prompt.md -> red-team-v2.md (1 dispatch)",
            "## Confounders\n\n- The templates",
            "## Notes\n\n- 2 ignored",
        ],
    );
    fits(&said, "\u{0}");
    assert!(!said.contains("Conflicts"), "{said}");
    let wide = text(&dry_run::report(&plan(false), usize::MAX));
    assert!(wide.contains("with a bar |"), "{wide}");
}

#[test]
fn a_conflict_is_shown_with_its_three_texts_and_never_settled_silently() {
    assert_eq!(conflicts::refusal(&plan(false)), None);
    let plan = plan(true);
    let refused = conflicts::refusal(&plan).unwrap();
    assert_eq!(refused.kind, ErrorKind::Refused);
    assert!(
        refused
            .text
            .lossy()
            .contains("1 dispatch holds a conflict that nobody has settled (6)"),
        "{refused:?}"
    );
    let said = text(&dry_run::report(&plan, 80));
    in_order(
        &said,
        &[
            "| 6   | red-team    | 3     | completed       | red-team    | CONFLICT",
            "## Conflicts to settle (1)\n",
            "### Dispatch 6: 6-red-team.md",
            "@@ 3 lines without a conflict @@",
            "<<<<<<< original dispatch\nFind flaws in the price cache.\n",
            "||||||| template\nFind flaws.\n",
            "======= replacement\nFind at most three flaws.",
            ">>>>>>>\n",
            "- --settle 6=replacement takes",
            "- --settle 6=original keeps",
            "- --settle 6=FILE takes",
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
    let table: &[(ReplaySession, bool, Exit)] = &[
        (with(SessionState::Done, 0, 0), false, Exit::Done),
        (with(SessionState::Done, 1, 0), false, Exit::No),
        (with(SessionState::Interrupted, 1, 2), false, Exit::No),
        (with(SessionState::Cancelled, 0, 2), true, Exit::Cancelled),
        (with(SessionState::Cancelled, 1, 2), true, Exit::Cancelled),
        // It had come to its end before it could be stopped.
        (with(SessionState::Done, 0, 0), true, Exit::Done),
        (with(SessionState::HandedOver, 0, 3), false, Exit::Done),
    ];
    for (one, cancelled, expected) in table {
        let found = exit(std::slice::from_ref(one), *cancelled);
        assert_eq!(found, *expected, "{:?} {cancelled}", one.state);
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
    let table: &[(&[ReplaySession], &str, Result<&str, ErrorKind>)] = &[
        (&all, "", Ok("1775431900-3")),
        (&all, "1775431900-2", Ok("1775431900-2")),
        (&all, "1775431900", Err(ErrorKind::Ambiguous)),
        (&all[1..], "17754", Ok("1775431900-2")),
        (&all, "1775431900-1", Err(ErrorKind::Refused)),
        (&all, "9", Err(ErrorKind::NotFound)),
        (&all[2..], "", Err(ErrorKind::NotFound)),
        (&[], "", Err(ErrorKind::NotFound)),
    ];
    for (all, word, expected) in table {
        let found = sessions::meant(all, word);
        let found = found.as_ref().map(|one| one.id.0.as_str());
        assert_eq!(found.map_err(|error| error.kind), *expected, "{word}");
    }
}

#[test]
fn the_replays_are_a_table_with_what_to_type_next() {
    let now = chrono::DateTime::parse_from_rfc3339("2026-04-06T00:00:00Z").unwrap();
    let mut odd = session(2, 2, SessionState::Interrupted);
    odd.dispatches.error = 1;
    odd.dispatches.left = 2;
    odd.trouble = vec!["Its last line was torn.".into()];
    let all = [odd, session(1, 2, SessionState::Done)];
    let said = text(&sessions::page(&all, "17", now, 80));
    in_order(
        &said,
        &[
            "REPLAY        STATE        DISPATCHES",
            "1775431900-2  interrupted  3 done, 1 error, 2 left",
            "1775431900-1  done         3 done",
            "  ! 1775431900-2: Its last line was torn.",
            "go on       relight replay 17 --continue 1775431900-2",
            "compare     relight compare 17 original 1775431900\n",
        ],
    );
    fits(&said, "\u{0}");
}

#[test]
fn progress_says_what_ended_what_runs_and_what_is_left() {
    use StepState::{Completed, Error, Running, Waiting};
    let begun = progress(&[(Running, None), (Running, None), (Waiting, None)]);
    assert_eq!(
        replay_words::now(&begun).as_str(),
        "1775431900-2  running  4 implementer, task 1 and 1 more; 3 left"
    );
    let later = progress(&[(Completed, Some(150)), (Error, Some(1)), (Running, None)]);
    let session = &later.sessions[0];
    assert_eq!(
        replay_words::ended(&later, session, 0).as_str(),
        "1775431900-2  1/3  completed   2 min  implementer, task 1; 1 left, about 75 s"
    );
    assert_eq!(
        replay_words::ended(&later, session, 1).as_str(),
        "1775431900-2  2/3  error         1 s  implementer, task 2: it said so; 1 left, about 75 s"
    );
    let mut making = progress(&[(Waiting, None)]);
    making.sessions[0].tree = (3, 9);
    assert_eq!(
        replay_words::now(&making).as_str(),
        "1775431900-2  making its tree: 3 of 9 files"
    );
    let done = progress(&[(Completed, Some(150))]);
    assert_eq!(replay_words::now(&done).as_str(), "");
}

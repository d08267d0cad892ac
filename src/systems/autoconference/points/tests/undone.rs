//! Work between a resume and its undo.

use super::again::{EVENTS, append, apply, chosen};
use crate::systems::autoconference::testdata::{Dir, interrupted, log};
use crate::systems::testing::{appended, appending, undo_of};

/// The undo puts the rows and the worktrees back that were there before, and the redo those of its undo.
#[test]
fn f4_work_between_a_resume_and_its_undo_counts_only_while_it_is_redone() {
    let dir = interrupted();
    let path = dir.path().join(EVENTS);
    let table = dir.path().join("researcher_B_results.tsv");
    let state = |dir: &Dir| {
        let rounds = dir.open().reading().phases.clone();
        (
            chosen(dir),
            rounds.iter().map(|row| row.done).collect::<Vec<_>>(),
        )
    };
    let (before, rows_before) = (state(&dir), std::fs::read(&table).unwrap());
    apply(&dir, "round-2-mid");
    assert_ne!(std::fs::read(&table).unwrap(), rows_before);
    let agent = |work: &[&str]| {
        let text = std::fs::read_to_string(&path).unwrap();
        dir.put(EVENTS, format!("{text}{}", log(work)).as_bytes());
    };
    agent(&[
        "researcher.iteration 2 B 2 44 kept",
        "researcher.iteration 2 B 3 45 kept",
        "researcher.iteration 2 B 4 46 kept",
    ]);
    let (after, rows_after) = (state(&dir), std::fs::read(&table).unwrap());
    assert_ne!(after, before);
    let log_of = |done: &crate::model::Recovery| {
        let step = dir.open().undo_lines(done, &[]).pop().unwrap();
        let (path, lines) = appended(&step).unwrap();
        append(&dir, &path, &lines.concat());
    };
    let done = appending("20260502T190000", &path);
    log_of(&done);
    std::fs::write(&table, &rows_before).unwrap();
    assert_eq!(state(&dir), before);
    // The work after the undo is what its redo discards.
    agent(&["round.poster_session 2"]);
    log_of(&undo_of(&done, "20260502T193000"));
    std::fs::write(&table, rows_after).unwrap();
    assert_eq!(state(&dir), after);
}

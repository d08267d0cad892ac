//! A recovery that another relight applies at this moment was not interrupted: whoever comes beside it waits.

use super::crashed::{UNCOMMITTED, cut_short, done};

#[test]
fn a_recovery_that_another_relight_applies_is_never_called_interrupted() {
    let (sandbox, _, id) = done();
    cut_short(&sandbox, &id, UNCOMMITTED);
    let before = sandbox.persons();
    let lock = sandbox.locked();
    let resume = ["resume", "mgw-57", "step-plan", "--yes"];
    let writes: [&[&str]; 8] = [
        &resume,
        &["undo", "--yes"],
        &["undo", &id, "--yes"],
        &["redo", &id, "--yes"],
        &["purge", &id, "--yes"],
        &["recover", "--yes"],
        &["recover", &id, "--yes"],
        &["recover", &id, "--roll-back"],
    ];
    let reads: [&[&str]; 4] = [
        &["plan", "mgw-57"],
        &["history"],
        &["list", "--brief"],
        &["doctor"],
    ];
    let all = writes.into_iter().chain(reads);
    for (nth, args) in all.enumerate() {
        let output = sandbox.run(args);
        let (out, err) = (output.stdout, output.stderr);
        let said = String::from_utf8([out, err].concat()).unwrap();
        for untrue in ["was interrupted", "relight recover", "rolled back if not"] {
            assert!(!said.contains(untrue), "{args:?}: {said}");
        }
        if nth < writes.len() {
            assert_eq!(output.status.code(), Some(3), "{args:?}: {said}");
            assert!(
                said.to_lowercase().contains("wait for it"),
                "{args:?}: {said}"
            );
        }
    }
    assert!(before == sandbox.persons());
    drop(lock);
    // Nobody applies it now.
    let (_, list) = sandbox.json(&["list"]);
    assert_eq!(list["pending_recovery"], id.as_str());
}

//! A state file that is missing, is not a file, or has another content than a state.

use crate::systems::mgw::tests::*;

fn of<'a>(checks: &'a [Check], id: &str) -> &'a Check {
    checks.iter().find(|check| check.id.0 == id).unwrap()
}

fn remedy(check: &Check) -> String {
    check.remedy.as_ref().unwrap().lossy().into_owned()
}

#[test]
fn a_missing_state_file_invents_no_tmp_file() {
    let mut sandbox = Sandbox::new();
    sandbox.git(2);
    sandbox
        .file(".mgw/active/.keep", "")
        .doc("4-SUMMARY.md", "x");
    let checks = sandbox.checks();
    let first = of(&checks, "M1");
    let said = format!("{} {}", first.evidence.lossy(), remedy(first));
    assert!(!said.contains(".tmp"), "{said}");
    let reason = sandbox.open().reading().claim.reason.clone();
    assert!(reason.lossy().contains("2 commits"), "{reason:?}");
}

//! After a rewind: what was done before it stays on disk and does not count.

use crate::systems::mgw::tests::*;

fn line(sandbox: &Sandbox, point: &str, start: &str) -> String {
    let briefing = sandbox.handoff(point).briefing.lossy().into_owned();
    let found = briefing.lines().find_map(|line| line.strip_prefix(start));
    found.unwrap_or_else(|| panic!("{briefing}")).to_owned()
}

#[test]
fn commits_before_and_after_the_state_file_are_counted_apart() {
    let updated = |seconds: i64| {
        let at = commit(2, None).time + chrono::TimeDelta::seconds(seconds);
        at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
    };
    for (seconds, evidence, older) in [
        (5, "1 new commit beyond the main branch", "2 commits"),
        (500, "nothing newer than the state file", "3 commits"),
    ] {
        let mut sandbox = Sandbox::new();
        let members = after("plan", "spawn-executor");
        let members = members.replace("2026-05-02T09:00:00.000Z", &updated(seconds));
        sandbox.git(3).state(&members);
        for name in ["4-PLAN.md", "4-SUMMARY.md"] {
            let path = format!(".worktrees/{BRANCH}/{DOCS}/{name}");
            sandbox.aged(&path, "x", 86_400 * 90);
        }
        assert_eq!(sandbox.chosen().as_deref(), Some("step-execute"));
        assert_eq!(line(&sandbox, "step-execute", "Evidence: "), evidence);
        let words = format!("(SUMMARY in the worktree, {older} beyond the main branch)");
        let mut warnings = sandbox.boundaries().into_iter().flat_map(|b| b.warnings);
        assert!(warnings.any(|w| w.lossy().contains(&words)), "{words}");
    }
}

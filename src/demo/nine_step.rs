//! Nine-step: a rejected review, a phase that waits for its approval, and a worktree whose state file is gone.

use super::kit::{DAY, DemoError, HOUR, Kit};
use crate::git::scratch::Scratch;

const PROJECT: &str = "projects/trader";

pub(super) fn build(kit: &Kit) -> Result<(), DemoError> {
    let repo = Scratch::init(&kit.folder(PROJECT)?, "main", kit.ago(25 * DAY))?;
    repo.commit(
        &[
            ("README.md", Some(b"# trader\n")),
            (".gitignore", Some(b".plan/\n.worktree/\n")),
            (
                "CLAUDE.md",
                Some(b"This project uses the nine-step-workflow plugin.\n"),
            ),
            ("app/main.py", Some(b"print('trader')\n")),
        ],
        "Start",
        "",
        kit.ago(25 * DAY),
    )?;
    rejected_review(kit, &repo)?;
    waiting(kit, &repo)?;
    no_state_file(kit, &repo)?;
    repo.age(kit.ago(26 * HOUR))?;
    Ok(())
}

fn plan(kit: &Kit, name: &str, phases: &[&str]) -> Result<(), DemoError> {
    let rows = (1..)
        .zip(phases)
        .map(|(n, phase)| format!("### Phase {n}: {phase} (2 h)\n- [ ] it works\n\n"))
        .collect::<Vec<_>>()
        .concat();
    kit.file(
        &format!("{PROJECT}/.plan/{}_plan.md", name.replace('-', "_")),
        &format!("# {name}\n\n## Phases\n{rows}## Rollback Plan\nReset to the previous phase.\n"),
        3 * DAY,
    )
}

/// Phase 2: the code review sent the work back.
fn rejected_review(kit: &Kit, repo: &Scratch) -> Result<(), DemoError> {
    let tree = format!("{PROJECT}/.worktree/price-alerts");
    plan(kit, "price-alerts", &["Schema", "Alert service", "Screens"])?;
    let work = repo.worktree(&kit.path(&tree), "feature/price-alerts", kit.ago(2 * DAY))?;
    work.commit(
        &[("app/schema.py", Some(b"ALERTS = 'alerts'\n"))],
        "feat: Phase 1 - schema for price alerts",
        "Phase 1: Schema",
        kit.ago(30 * HOUR),
    )?;
    kit.file(
        &format!("{tree}/app/alerts.py"),
        "def check(price, limit):\n    return price > limit\n",
        27 * HOUR,
    )?;
    work.age(kit.ago(27 * HOUR))?;
    let state = format!(
        r#"{{
  "feature_name": "price-alerts",
  "current_phase": 2,
  "current_step": 4,
  "total_phases": 3,
  "worktree_path": "{}",
  "branch_name": "feature/price-alerts",
  "plan_reference": ".plan/price_alerts_plan.md",
  "phases": {{"1": {{"description": "Schema"}}, "2": {{"description": "Alert service"}}, "3": {{"description": "Screens"}}}},
  "last_execution": {{
    "phase": 2,
    "step": 4,
    "agent": "code-reviewer",
    "status": "NEEDS_REVISION",
    "timestamp": "{}",
    "error_message": "NEEDS_REVISION: missing input check"
  }},
  "completed_steps": [
{}
  ]
}}"#,
        kit.text(&tree),
        kit.naive(26 * HOUR),
        steps(
            kit,
            &[
                (1, "1", "project-planner", 60),
                (1, "2", "plan-reviewer", 59),
                (1, "2.5", "User + git-worktree-manager", 48),
                (1, "3", "backend-developer", 40),
                (1, "4", "code-reviewer", 38),
                (1, "5", "documentation-manager", 36),
                (1, "6", "documentation-reviewer", 35),
                (1, "7", "feature-tester", 34),
                (1, "8", "test-reviewer", 32),
                (1, "9", "git-worktree-manager", 30),
                (2, "3", "backend-developer", 27)
            ]
        ),
    );
    kit.file(&format!("{tree}/workflow-state.json"), &state, 26 * HOUR)?;
    kit.file(
        &format!("{tree}/workflow-state.json.backup"),
        &state
            .replace("\"current_step\": 4", "\"current_step\": 3")
            .replace("NEEDS_REVISION", "completed"),
        27 * HOUR,
    )
}

/// The plan is reviewed; a person has to approve it.
fn waiting(kit: &Kit, repo: &Scratch) -> Result<(), DemoError> {
    let tree = format!("{PROJECT}/.worktree/two-factor");
    plan(kit, "two-factor", &["Secrets", "Login"])?;
    let work = repo.worktree(&kit.path(&tree), "feature/two-factor", kit.ago(4 * DAY))?;
    work.age(kit.ago(4 * DAY))?;
    let state = format!(
        r#"{{
  "feature_name": "two-factor",
  "current_phase": 1,
  "current_step": 2.5,
  "total_phases": 2,
  "worktree_path": "{}",
  "branch_name": "feature/two-factor",
  "plan_reference": ".plan/two_factor_plan.md",
  "last_execution": {{
    "phase": 1,
    "step": 2.5,
    "agent": "User + git-worktree-manager",
    "status": "waiting_approval",
    "timestamp": "{}"
  }},
  "completed_steps": [
{}
  ]
}}"#,
        kit.text(&tree),
        kit.naive(4 * DAY),
        steps(
            kit,
            &[
                (1, "1", "project-planner", 98),
                (1, "2", "plan-reviewer", 97)
            ]
        ),
    );
    kit.file(&format!("{tree}/workflow-state.json"), &state, 4 * DAY)
}

/// A worktree, a plan and a phase commit, but nobody wrote down where it stopped.
fn no_state_file(kit: &Kit, repo: &Scratch) -> Result<(), DemoError> {
    let tree = format!("{PROJECT}/.worktree/csv-export");
    plan(kit, "csv-export", &["Writer", "Button"])?;
    let work = repo.worktree(&kit.path(&tree), "feature/csv-export", kit.ago(6 * DAY))?;
    work.commit(
        &[("app/csv.py", Some(b"import csv\n"))],
        "feat: Phase 1 - CSV writer",
        "",
        kit.ago(5 * DAY),
    )?;
    work.age(kit.ago(5 * DAY))?;
    Ok(())
}

fn steps(kit: &Kit, steps: &[(u32, &str, &str, i64)]) -> String {
    let rows = steps.iter().map(|(phase, step, agent, hours)| {
        let at = kit.naive(hours * HOUR);
        format!("    {{\"phase\": {phase}, \"step\": {step}, \"agent\": \"{agent}\", \"status\": \"completed\", \"timestamp\": \"{at}\"}}")
    });
    rows.collect::<Vec<_>>().join(",\n")
}

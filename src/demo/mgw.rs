//! MGW: an issue ready for its verifier, a checkpoint that points at a plan that is gone, an issue blocked by
//! a stakeholder, a state file cut off in the middle, and one archived.

use super::kit::{DAY, DemoError, HOUR, Kit};
use crate::git::scratch::Scratch;

const PROJECT: &str = "projects/notes";

pub(super) fn build(kit: &Kit) -> Result<(), DemoError> {
    let repo = Scratch::init(&kit.folder(PROJECT)?, "main", kit.ago(20 * DAY))?;
    repo.commit(
        &[
            ("README.md", Some(b"# notes\n")),
            (".gitignore", Some(b".mgw/\n.worktrees/\n")),
            ("src/search.ts", Some(b"export const search = () => [];\n")),
        ],
        "Start",
        "",
        kit.ago(20 * DAY),
    )?;
    repo.age(kit.ago(30 * HOUR))?;
    ready_to_verify(kit, &repo)?;
    plan_gone(kit, &repo)?;
    kit.file(
        &active("61-dark-mode"),
        &issue(61, "Dark mode", "blocked", &kit.iso(3 * DAY), "null"),
        3 * DAY,
    )?;
    let whole = issue(64, "Export as PDF", "executing", &kit.iso(DAY), "null");
    // The machine went down while this was being written.
    kit.file(
        &active("64-export-as-pdf"),
        whole.get(..whole.len() / 2).unwrap_or_default(),
        DAY,
    )?;
    kit.file(
        &format!("{PROJECT}/.mgw/completed/40-fix-typos.json"),
        &issue(40, "Fix typos", "done", &kit.iso(9 * DAY), "null"),
        9 * DAY,
    )?;
    let milestone = format!(
        "{{\n  \"project\": {{\n    \"name\": \"notes\",\n    \"created\": \"{}\"\n  }},\n  \"milestones\": [\n    {{\n      \"name\": \"v1.1 Speed\",\n      \"github_number\": 3,\n      \"gsd_milestone_id\": null,\n      \"gsd_state\": null,\n      \"roadmap_archived_at\": null,\n      \"issues\": [\n        {{\"github_number\": 57, \"title\": \"Cache lookups\", \"phase_number\": 1, \"phase_name\": \"Speed\", \"gsd_route\": \"quick --full\", \"labels\": [], \"depends_on_slugs\": [], \"pipeline_stage\": \"executing\", \"board_item_id\": null}},\n        {{\"github_number\": 58, \"title\": \"Search index\", \"phase_number\": 2, \"phase_name\": \"Search\", \"gsd_route\": \"quick\", \"labels\": [], \"depends_on_slugs\": [\"cache-lookups\"], \"pipeline_stage\": \"planning\", \"board_item_id\": null}}\n      ]\n    }}\n  ],\n  \"phase_map\": {{}},\n  \"current_milestone\": 1,\n  \"active_gsd_milestone\": null\n}}",
        kit.iso(20 * DAY)
    );
    kit.file(
        &format!("{PROJECT}/.mgw/project.json"),
        &milestone,
        5 * HOUR,
    )?;
    kit.file(&format!("{PROJECT}/.mgw/cross-refs.json"), "{\"links\":[{\"a\": \"issue:57\", \"b\": \"branch:issue/57-cache-lookups\", \"type\": \"tracks\", \"created\": \"2026-05-01T08:00:00Z\"}]}\n", 20 * DAY)?;
    Ok(())
}

fn active(name: &str) -> String {
    format!("{PROJECT}/.mgw/active/{name}.json")
}

/// Planned and executed in its worktree; the verifier never ran.
fn ready_to_verify(kit: &Kit, repo: &Scratch) -> Result<(), DemoError> {
    let name = "57-cache-lookups";
    let tree = format!("{PROJECT}/.worktrees/issue/{name}");
    let work = repo.worktree(
        &kit.path(&tree),
        &format!("issue/{name}"),
        kit.ago(7 * HOUR),
    )?;
    let plan = ".planning/quick/4-cache-lookups/4-PLAN.md";
    let summary = ".planning/quick/4-cache-lookups/4-SUMMARY.md";
    work.commit(
        &[(
            "src/search.ts",
            Some(b"const cache = new Map();\nexport const search = () => [...cache.values()];\n"),
        )],
        "feat(4): cache lookups",
        "",
        kit.ago(6 * HOUR),
    )?;
    work.commit(
        &[
            (plan, Some(b"---\nphase: quick\nplan: 4\nmust_haves:\n  artifacts:\n    - src/search.ts\n---\n# Cache lookups\n")),
            (summary, Some(b"# Summary\n\nLookups are cached in memory.\n")),
        ],
        "docs(4): plan and summary",
        "",
        kit.ago(5 * HOUR),
    )?;
    work.age(kit.ago(5 * HOUR))?;
    let at = |hours: i64| kit.iso_ms(hours * HOUR);
    let checkpoint = format!(
        "{{\n    \"schema_version\": 1,\n    \"pipeline_step\": \"execute\",\n    \"step_progress\": {{\n      \"plan_path\": \"{plan}\",\n      \"plan_checked\": false,\n      \"revision_count\": 0,\n      \"tasks_completed\": 2,\n      \"tasks_total\": 2\n    }},\n    \"last_agent_output\": \"{summary}\",\n    \"artifacts\": [\n      {{\n        \"path\": \"{plan}\",\n        \"type\": \"plan\",\n        \"created_at\": \"{}\"\n      }},\n      {{\n        \"path\": \"{summary}\",\n        \"type\": \"summary\",\n        \"created_at\": \"{}\"\n      }}\n    ],\n    \"resume\": {{\n      \"action\": \"spawn-verifier\",\n      \"context\": {{\n        \"quick_dir\": \".planning/quick/4-cache-lookups\",\n        \"plan_num\": 4\n      }}\n    }},\n    \"started_at\": \"{}\",\n    \"updated_at\": \"{}\",\n    \"step_history\": [\n      {{\n        \"step\": \"plan\",\n        \"completed_at\": \"{}\",\n        \"agent_type\": \"gsd-planner\",\n        \"output_path\": \"{plan}\"\n      }},\n      {{\n        \"step\": \"execute\",\n        \"completed_at\": \"{}\",\n        \"agent_type\": \"gsd-executor\",\n        \"output_path\": \"{summary}\"\n      }}\n    ]\n  }}",
        at(6),
        at(5),
        at(7),
        at(5),
        at(6),
        at(5),
    );
    kit.file(
        &active(name),
        &issue(
            57,
            "Cache lookups",
            "executing",
            &kit.iso(8 * HOUR),
            &checkpoint,
        ),
        5 * HOUR,
    )
}

/// The checkpoint says "execute this plan"; neither worktree nor branch holds the plan any more.
fn plan_gone(kit: &Kit, repo: &Scratch) -> Result<(), DemoError> {
    let name = "58-search-index";
    let tree = format!("{PROJECT}/.worktrees/issue/{name}");
    let work = repo.worktree(
        &kit.path(&tree),
        &format!("issue/{name}"),
        kit.ago(30 * HOUR),
    )?;
    work.age(kit.ago(30 * HOUR))?;
    let plan = ".planning/quick/5-search-index/5-PLAN.md";
    let checkpoint = format!(
        "{{\n    \"schema_version\": 1,\n    \"pipeline_step\": \"plan\",\n    \"step_progress\": {{\n      \"plan_path\": \"{plan}\",\n      \"plan_checked\": false,\n      \"revision_count\": 0\n    }},\n    \"last_agent_output\": \"{plan}\",\n    \"artifacts\": [\n      {{\n        \"path\": \"{plan}\",\n        \"type\": \"plan\",\n        \"created_at\": \"{0}\"\n      }}\n    ],\n    \"resume\": {{\n      \"action\": \"spawn-executor\",\n      \"context\": {{\n        \"quick_dir\": \".planning/quick/5-search-index\",\n        \"plan_num\": 5\n      }}\n    }},\n    \"started_at\": \"{0}\",\n    \"updated_at\": \"{0}\",\n    \"step_history\": [\n      {{\n        \"step\": \"plan\",\n        \"completed_at\": \"{0}\",\n        \"agent_type\": \"gsd-planner\",\n        \"output_path\": \"{plan}\"\n      }}\n    ]\n  }}",
        kit.iso_ms(30 * HOUR),
    );
    kit.file(
        &active(name),
        &issue(
            58,
            "Search index",
            "planning",
            &kit.iso(31 * HOUR),
            &checkpoint,
        ),
        30 * HOUR,
    )
}

/// An issue's state file as the pipeline writes it: two spaces, no newline at the end.
fn issue(number: u32, title: &str, stage: &str, at: &str, checkpoint: &str) -> String {
    format!(
        "{{\n  \"issue\": {{\n    \"number\": {number},\n    \"title\": \"{title}\",\n    \"url\": \"https://example.invalid/notes/issues/{number}\",\n    \"labels\": [],\n    \"assignee\": null\n  }},\n  \"triage\": {{\n    \"scope\": {{\n      \"files\": 1,\n      \"systems\": []\n    }},\n    \"validity\": \"confirmed\",\n    \"security_notes\": \"\",\n    \"conflicts\": [],\n    \"last_comment_count\": 0,\n    \"last_comment_at\": null,\n    \"gate_result\": {{\n      \"status\": \"passed\",\n      \"blockers\": [],\n      \"warnings\": [],\n      \"missing_fields\": []\n    }}\n  }},\n  \"gsd_route\": \"quick --full\",\n  \"gsd_artifacts\": {{\n    \"type\": null,\n    \"path\": null\n  }},\n  \"pipeline_stage\": \"{stage}\",\n  \"comments_posted\": [],\n  \"linked_pr\": null,\n  \"linked_issues\": [],\n  \"linked_branches\": [],\n  \"created_at\": \"{at}\",\n  \"retry_count\": 0,\n  \"dead_letter\": false,\n  \"last_failure_class\": null,\n  \"checkpoint\": {checkpoint}\n}}"
    )
}

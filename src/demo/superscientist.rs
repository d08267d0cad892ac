//! Superscientist: a failed stage with a stale downstream, and a workflow that its person paused.

use super::kit::{DAY, DemoError, HOUR, Kit};

pub(super) fn build(kit: &Kit) -> Result<(), DemoError> {
    failed_stage(kit)?;
    paused(kit)
}

/// Stage 2 was rerun after an amendment and failed; stage 3, built on the old result, is stale.
fn failed_stage(kit: &Kit) -> Result<(), DemoError> {
    let wf = "projects/science/polymer-ring";
    let at = |hours: i64| kit.iso(hours * HOUR);
    let id = format!("polymer-ring-{}", kit.ago(3 * DAY).format("%Y-%m-%d"));
    let state = format!(
        r#"{{
  "workflow_id": "{id}",
  "version": 2,
  "created": "{}",
  "updated": "{}",
  "experiment_design": "docs/superscientist/specs/polymer-ring-design.md",
  "workflow_plan": "docs/superscientist/plans/polymer-ring.md",
  "amendments": [
    {{
      "id": "amend-1", "version": 2, "timestamp": "{}", "type": "parameter_change", "stage_id": "stage-2",
      "description": "Finer mesh", "changes": {{"parameters": {{"mesh": {{"old": 40, "new": 80}}}}}},
      "invalidated_stages": ["stage-2", "stage-3"], "approved_by": "user"
    }}
  ],
  "session_config": {{"autonomous": false, "session_budget": 6, "session_count": 4, "session_id": "{}", "session_cost": 2.5, "exit_reason": null, "stage_weights": {{"sync": 1, "async": 1.5, "error_cycle": 2, "diagnostic": 2}}}},
  "default_backend": "local",
  "backend_profiles": {{"local": {{"type": "local", "config": {{"batch_type": "Shell", "context_type": "LocalContext"}}}}}},
  "stages": [
    {{"id": "stage-1", "name": "Build the ring", "depends_on": [], "inputs": [], "outputs": ["stage-1/ring.dat"], "parameters": {{"beads": 200, "software": "python"}}, "success_criteria": "200 beads", "backend": null, "status": "completed", "started_at": "{}", "completed_at": "{}", "retry_count": 0, "last_error": null, "running_process": null}},
    {{"id": "stage-2", "name": "Relax", "depends_on": ["stage-1"], "inputs": ["stage-1/ring.dat"], "outputs": ["stage-2/relaxed.dat"], "parameters": {{"mesh": 80, "tolerance": 1e-6, "software": "lammps"}}, "success_criteria": "energy below -18.0", "backend": "local", "status": "failed", "started_at": "{}", "completed_at": null, "retry_count": 1, "last_error": "exit 1: out of memory at mesh 80", "running_process": {{"tmux_session": "dpdisp_stage-2", "submission_json": "stage-2/submission.json", "wrapper_script": "stage-2/dpdisp-run.sh", "done_marker": "stage-2/DPDISP_DONE", "exit_code_file": "stage-2/DPDISP_EXIT_CODE", "recovery_attempted": false, "launched_at": "{}"}}}},
    {{"id": "stage-3", "name": "Measure κ", "depends_on": ["stage-2"], "inputs": ["stage-2/relaxed.dat"], "outputs": ["stage-3/rg.csv"], "parameters": {{"samples": 500, "software": "python"}}, "success_criteria": "κ within ±5 %", "backend": null, "status": "invalidated", "started_at": "{}", "completed_at": "{}", "retry_count": 0, "last_error": null, "running_process": null}}
  ]
}}
"#,
        at(72),
        at(12),
        at(20),
        at(14),
        at(70),
        at(69),
        at(14),
        at(14),
        at(60),
        at(58)
    );
    kit.file(&format!("{wf}/workflow-state.json"), &state, 12 * HOUR)?;
    kit.file(
        &format!("{wf}/progress.log"),
        &relaxed_log(kit, &id),
        12 * HOUR,
    )?;
    kit.file(
        &format!("{wf}/init.sh"),
        "#!/usr/bin/env bash\nset -e\necho \"Environment ready.\"\n",
        72 * HOUR,
    )?;
    kit.file(&format!("{wf}/stage-1/ring.dat"), "200 beads\n", 69 * HOUR)?;
    kit.file(
        &format!("{wf}/stage-2.v1/relaxed.dat"),
        "energy -18.4\n",
        61 * HOUR,
    )?;
    kit.file(
        &format!("{wf}/stage-2/dpdisp-run.sh"),
        "#!/usr/bin/env bash\n",
        14 * HOUR,
    )?;
    kit.file(&format!("{wf}/stage-2/DPDISP_EXIT_CODE"), "1\n", 12 * HOUR)?;
    kit.file(&format!("{wf}/stage-2/DPDISP_DONE"), "", 12 * HOUR)?;
    kit.file(
        &format!("{wf}/stage-2/err"),
        "ERROR: out of memory\n",
        12 * HOUR,
    )?;
    kit.file(&format!("{wf}/stage-3/rg.csv"), "rg\n4.2\n", 58 * HOUR)?;
    kit.file(
        &format!("{wf}/docs/superscientist/specs/polymer-ring-design.md"),
        "# Design\n",
        73 * HOUR,
    )?;
    kit.file(
        &format!("{wf}/docs/superscientist/plans/polymer-ring.md"),
        "# Plan\n",
        73 * HOUR,
    )
}

/// What was logged of it, by hours ago.
fn relaxed_log(kit: &Kit, id: &str) -> String {
    let created =
        format!("Workflow created: {id}. 3 stages. Purpose: the radius of a polymer ring");
    let log = [
        (72, created.as_str()),
        (70, "stage-1 (Build the ring): status -> running"),
        (69, "stage-1 (Build the ring): status -> completed"),
        (
            62,
            "stage-2 (Relax): status -> running (tmux: dpdisp_stage-2)",
        ),
        (61, "stage-2 (Relax): status -> completed"),
        (60, "stage-3 (Measure κ): status -> running"),
        (58, "stage-3 (Measure κ): status -> completed"),
        (
            20,
            "Amendment amend-1 (parameter_change) to stage-2: finer mesh. Version 2.",
        ),
        (20, "stage-2 (Relax): status -> invalidated"),
        (20, "stage-3 (Measure κ): status -> invalidated"),
        (14, "Session 4 started. Resuming at stage-2."),
        (
            14,
            "stage-2 (Relax): status -> running (tmux: dpdisp_stage-2)",
        ),
        (12, "stage-2 (Relax): status -> failed (exit 1)"),
    ];
    let line = |(hours, text): &(i64, &str)| {
        format!(
            "[{}] {text}\n",
            kit.iso(hours * HOUR).replace('Z', "+00:00")
        )
    };
    log.iter().map(line).collect::<Vec<_>>().concat()
}

/// One stage done, the next ready, and a PAUSE file in the way.
fn paused(kit: &Kit) -> Result<(), DemoError> {
    let wf = "projects/science/catalyst-scan";
    let at = |hours: i64| kit.iso(hours * HOUR);
    let id = format!("catalyst-scan-{}", kit.ago(2 * DAY).format("%Y-%m-%d"));
    let state = format!(
        r#"{{
  "workflow_id": "{id}",
  "version": 1,
  "created": "{}",
  "updated": "{}",
  "experiment_design": "docs/design.md",
  "workflow_plan": "docs/plan.md",
  "amendments": [],
  "default_backend": "local",
  "backend_profiles": {{"local": {{"type": "local", "config": {{"batch_type": "Shell", "context_type": "LocalContext"}}}}}},
  "stages": [
    {{"id": "stage-1", "name": "Candidates", "depends_on": [], "inputs": [], "outputs": ["stage-1/list.csv"], "parameters": {{"software": "python"}}, "success_criteria": "40 candidates", "backend": null, "status": "completed", "started_at": "{}", "completed_at": "{}", "retry_count": 0, "last_error": null, "running_process": null}},
    {{"id": "stage-2", "name": "Screen", "depends_on": ["stage-1"], "inputs": ["stage-1/list.csv"], "outputs": ["stage-2/hits.csv"], "parameters": {{"software": "python"}}, "success_criteria": "5 hits", "backend": null, "status": "ready", "started_at": null, "completed_at": null, "retry_count": 0, "last_error": null, "running_process": null}}
  ]
}}
"#,
        at(48),
        at(40),
        at(46),
        at(45)
    );
    kit.file(&format!("{wf}/workflow-state.json"), &state, 40 * HOUR)?;
    let log = format!(
        "[{0}] Workflow created: {id}. 2 stages. Purpose: find a catalyst\n[{1}] stage-1 (Candidates): status -> running\n[{2}] stage-1 (Candidates): status -> completed\n[{2}] PAUSED — waiting for the reagent list\n",
        at(48),
        at(46),
        at(45)
    );
    kit.file(&format!("{wf}/progress.log"), &log, 40 * HOUR)?;
    kit.file(
        &format!("{wf}/init.sh"),
        "#!/usr/bin/env bash\nset -e\necho \"Environment ready.\"\n",
        48 * HOUR,
    )?;
    kit.file(&format!("{wf}/stage-1/list.csv"), "Pt\nPd\n", 45 * HOUR)?;
    kit.file(&format!("{wf}/docs/design.md"), "# Design\n", 48 * HOUR)?;
    kit.file(&format!("{wf}/docs/plan.md"), "# Plan\n", 48 * HOUR)?;
    kit.file(&format!("{wf}/PAUSE"), "", 40 * HOUR)
}

//! Crucible: a finished run of which everything was kept, to try replays on: dispatch files with the templates'
//! text and the context that was put into it, every checkpoint, the hand-offs, and the templates' own history.
//!
//! Only its marker is left, so it counts as complete and is hidden until complete ones are asked for.

mod dispatches;
mod plugin;

use std::fmt::Write as _;

use super::kit::{DAY, DemoError, Kit, in_json};
use crate::git::scratch::{Scratch, Shadow};
use dispatches::{DISPATCHES, Dispatch};

const PROJECT: &str = "projects/labels";
const BRANCH: &str = "feat/two-line-labels";
/// The run began three days ago and ended a good two hours later.
const START: i64 = 3 * DAY;
const END: i64 = START - 7_400;

pub(super) fn build(kit: &Kit) -> Result<(), DemoError> {
    plugin::build(kit)?;
    plugin::replacements(kit)?;
    let claude = format!("home/.claude/projects/{}", kit.folder_name(PROJECT));
    let (baseline, head) = project(kit, &claude)?;
    let sid = kit.ago(START).timestamp().to_string();
    let dispatch = format!("home/tmp/crucible-dispatch-{sid}");
    manifest(kit, &dispatch)?;
    records(kit, &claude, &dispatch, &sid, (&baseline, &head))
}

/// The project with its commits and, between them, its checkpoints. Answers with the first and the last commit
/// of the run.
fn project(kit: &Kit, claude: &str) -> Result<(String, String), DemoError> {
    let repo = Scratch::init(&kit.folder(PROJECT)?, "main", kit.ago(60 * DAY))?;
    let first: &[(&str, Option<&[u8]>)] = &[
        ("README.md", Some(b"# labels\n\nPrints shipping labels.\n")),
        (".gitignore", Some(b"/target\n")),
        ("src/lib.rs", Some(b"pub mod label;\n")),
        ("src/label.rs", Some(LABEL.as_bytes())),
    ];
    let baseline = repo.commit(first, "Print labels", "", kit.ago(60 * DAY))?;
    repo.branch(BRANCH, &baseline)?;
    repo.checkout(BRANCH)?;
    let hash = kit.store_name(PROJECT);
    let store = kit.path(&format!("{claude}/checkpoints/{hash}"));
    let shadow = Shadow::init(&store, &kit.path(PROJECT))?;
    let mut head = baseline.clone();
    for step in STEPS {
        match step {
            Step::Checkpoint(after, reason) => {
                shadow.snapshot(reason, "build", kit.ago(START - after))?;
            }
            Step::Commit(after, subject, files) => {
                let files = files.iter();
                let files = files.map(|(path, text)| (*path, Some(text.as_bytes())));
                let files: Vec<(&str, Option<&[u8]>)> = files.collect();
                head = repo.commit(&files, subject, "", kit.ago(START - after))?;
            }
        }
    }
    repo.age(kit.ago(END))?;
    shadow.age(kit.ago(END))?;
    Ok((baseline, head))
}

/// The dispatch files and the manifest.
fn manifest(kit: &Kit, dispatch: &str) -> Result<(), DemoError> {
    let mut lines: Vec<(i64, String)> = Vec::new();
    for one in DISPATCHES {
        let text = dispatch_file(kit, dispatch, one);
        let name = format!("{}-{}.md", one.seq, one.template);
        kit.file(&format!("{dispatch}/{name}"), &text, START - one.after)?;
        let line = |status: &str, ended: &str| {
            format!(
                "{{\"seq\":{},\"file\":\"{name}\",\"role\":\"{}\",\"phase\":\"{}\",\"task\":{},\"status\":\"{status}\",{ended}}}\n",
                one.seq,
                one.role,
                one.phase,
                task(one)
            )
        };
        let chars = text.chars().count();
        let begun = format!(
            "\"duration_s\":null,\"summary\":null,\"input_chars\":{chars},\"output_chars\":null,\"model_tier\":\"opus\",\"tool_calls\":null"
        );
        let ended = format!(
            "\"duration_s\":{0},\"summary\":\"{1}\",\"input_chars\":{chars},\"output_chars\":{2},\"model_tier\":\"opus\",\"tool_calls\":{3}",
            one.seconds,
            one.summary,
            one.seconds * 7,
            one.seconds / 15
        );
        lines.push((one.after, line("dispatched", &begun)));
        lines.push((
            one.after + i64::from(one.seconds),
            line("completed", &ended),
        ));
    }
    // In the order in which things happened: the implementers of a wave work side by side.
    lines.sort_by_key(|(at, _)| *at);
    let text: String = lines.into_iter().map(|(_, line)| line).collect();
    kit.file(&format!("{dispatch}/manifest.jsonl"), &text, END)
}

fn task(one: &Dispatch) -> String {
    one.task
        .map_or_else(|| "null".to_owned(), |task| task.to_string())
}

/// The audit header, then the template with the context put under its heading.
fn dispatch_file(kit: &Kit, dispatch: &str, one: &Dispatch) -> String {
    let mut context = "## Context\n".to_owned();
    for line in one.context {
        let _ = writeln!(context, "{line}");
    }
    format!(
        "# Dispatch: {}\n**Pipeline:** build | **Phase:** {} | **Task:** {}\n**Timestamp:** {}\n**Dispatch-Dir:** {}/\n\n---\n{}",
        one.template,
        one.phase,
        task(one),
        kit.iso(START - one.after),
        kit.text(dispatch),
        plugin::template(one.template).replacen("## Context\n", &context, 1)
    )
}

/// The marker that was left, the hand-offs, the gate ledger and the status page.
fn records(
    kit: &Kit,
    claude: &str,
    dispatch: &str,
    sid: &str,
    (baseline, head): (&str, &str),
) -> Result<(), DemoError> {
    let memory = format!("{claude}/memory");
    let marker = format!(
        "{{\"pipeline_id\":\"{sid}\",\"skill\":\"build\",\"phase\":\"4\",\"start_time\":\"{}\",\"scratch_dir\":\"{}/\",\"dispatch_dir\":\"{}/\",\"branch\":\"{BRANCH}\",\"baseline_sha\":\"{baseline}\"}}",
        kit.iso(START),
        in_json(&kit.text(&memory)),
        in_json(&kit.text(dispatch)),
    );
    let file = format!("{memory}/.pipeline-active");
    kit.file(&file, &marker, START - 6_000)?;
    let head = format!("- **HEAD SHA:** {head}");
    let design = "- **design:** docs/plans/two-line-labels-design.md";
    let plan = "- **plan:** docs/plans/two-line-labels-implementation-plan.md";
    let handoffs = [(1, 1_850, design), (2, 3_600, plan), (3, 6_000, &head)];
    for (from, after, input) in handoffs {
        let to = from + 1;
        let text = format!(
            "# Phase Handoff: {from} → {to}\n**Timestamp:** {}\n**Goal:** {GOAL}\n**Mode:** feature\n\n## Inputs for Phase {to}\n{input}\n\n## Decisions Carried Forward\n- [DEC-1] A label has two lines\n- [DEC-2] A word is split only if it is longer than a line\n\n## Active Constraints\n- The printer takes 24 characters a line\n\n## Shed Receipt\n",
            kit.iso(START - after)
        );
        let file = format!("{memory}/handoff-{from}-to-{to}.md");
        kit.file(&file, &text, START - after)?;
    }
    let ledger = format!(
        "# Build Gate Ledger\nRun: {sid}\nPipelineID: build-{}\nGoal: {GOAL}\nMode: feature\n\n## Phase 1: Design\nStatus: PASS\n\n## Phase 2: Plan\nStatus: PASS\n\n## Phase 3: Execute\nStatus: COMPLETE\nTasks: 3/3 complete\n\n## Phase 4: Completion\nStatus: PASS\n",
        kit.ago(START).format("%Y%m%d-%H%M%S")
    );
    kit.file(&format!("{memory}/build-gate-ledger.md"), &ledger, END)?;
    let status = format!(
        "# Pipeline Status\n\n**Updated:** {}\n**Started:** {}\n**Skill:** build\n**Phase:** 4 — Completion\n**Health:** GREEN\n**Elapsed:** 2h 03m\n\n## Recent Events\n- All gates passed\n",
        kit.iso(END),
        kit.iso(START)
    );
    kit.file(&format!("{memory}/pipeline-status.md"), &status, END)
}

const GOAL: &str = "Print long product names on two lines";

type Files = &'static [(&'static str, &'static str)];

/// What happened to the project, so many seconds after the run's beginning.
enum Step {
    Checkpoint(i64, &'static str),
    Commit(i64, &'static str, Files),
}

const STEPS: &[Step] = &[
    Step::Commit(
        500,
        "docs: add PRD for two-line labels",
        &[("docs/plans/two-line-labels-design.md", DESIGN)],
    ),
    Step::Checkpoint(900, "pre-design-gate"),
    Step::Commit(
        1_780,
        "test: add acceptance tests for two-line labels (RED)",
        &[("tests/two_lines.rs", TESTS)],
    ),
    Step::Commit(
        2_380,
        "chore(build): plan for two-line labels",
        &[("docs/plans/two-line-labels-implementation-plan.md", PLAN)],
    ),
    Step::Checkpoint(2_500, "pre-plan-gate"),
    Step::Checkpoint(3_700, "pre-wave-1"),
    Step::Commit(
        4_250,
        "feat: print the second line",
        &[("src/label.rs", LABEL_TWO)],
    ),
    Step::Commit(
        4_400,
        "feat: break a name between words",
        &[
            ("src/wrap.rs", WRAP),
            ("src/lib.rs", "pub mod label;\npub mod wrap;\n"),
        ],
    ),
    Step::Checkpoint(4_800, "pre-wave-2"),
    Step::Commit(
        5_400,
        "feat: cut a word that is longer than a line",
        &[("src/wrap.rs", WRAP_CUT)],
    ),
    Step::Checkpoint(6_100, "pre-code-review"),
    Step::Checkpoint(6_600, "pre-inquisitor"),
];

const LABEL: &str =
    "pub fn print(name: &str) -> String {\n    name.chars().take(24).collect()\n}\n";
const LABEL_TWO: &str = "pub fn print(name: &str) -> String {\n    let (first, second) = crate::wrap::two_lines(name, 24);\n    format!(\"{first}\\n{second}\")\n}\n";
const WRAP: &str = "//! Breaks a name into two lines.\n\npub fn two_lines(name: &str, width: usize) -> (String, String) {\n    let mut lines = (String::new(), String::new());\n    for word in name.split_whitespace() {\n        let line = if lines.0.len() + word.len() < width { &mut lines.0 } else { &mut lines.1 };\n        line.push_str(word);\n        line.push(' ');\n    }\n    lines\n}\n";
const WRAP_CUT: &str = "//! Breaks a name into two lines.\n\npub fn two_lines(name: &str, width: usize) -> (String, String) {\n    let mut lines = (String::new(), String::new());\n    for word in name.split_whitespace() {\n        let word: String = word.chars().take(width).collect();\n        let line = if lines.0.len() + word.len() < width { &mut lines.0 } else { &mut lines.1 };\n        line.push_str(&word);\n        line.push(' ');\n    }\n    lines\n}\n";
const DESIGN: &str =
    "# Two-line labels\n\nA long name is broken between words onto a second line.\n";
const TESTS: &str = "#[test]\nfn a_long_name_takes_two_lines() {\n    unimplemented!()\n}\n";
const PLAN: &str = "# Implementation plan\n\n## Wave 1\n- Task 1: break a name between words\n- Task 2: print the second line\n\n## Wave 2\n- Task 3: cut a word that is longer than a line\n";

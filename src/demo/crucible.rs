//! Crucible: a build that died in wave 2 of phase 3 with its manifest torn and a ladder of checkpoints, and a
//! finished run of last week.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use super::kit::{DAY, DemoError, HOUR, Kit};
use crate::git::scratch::{Scratch, Shadow};
use crate::model::text::hex;

const PROJECT: &str = "projects/shop";
const BRANCH: &str = "feat/price-cache";
/// The run began six hours ago and died three and a half hours ago.
const START: i64 = 6 * HOUR;
const DIED: i64 = 3 * HOUR + 1800;

pub(super) fn build(kit: &Kit) -> Result<(), DemoError> {
    let repo = Scratch::init(&kit.folder(PROJECT)?, "main", kit.ago(30 * DAY))?;
    repo.commit(
        &[
            (
                "README.md",
                Some(b"# shop\n\nA small shop with a slow price page.\n"),
            ),
            (".gitignore", Some(b"/target\n.env\n*.log\n")),
            ("src/price.rs", Some(PRICE.as_bytes())),
            ("src/lib.rs", Some(b"pub mod price;\n")),
        ],
        "Start the shop",
        "",
        kit.ago(30 * DAY),
    )?;
    let baseline = repo.commit(
        &[(
            "src/stock.rs",
            Some(b"pub fn in_stock(_sku: u32) -> bool {\n    true\n}\n"),
        )],
        "Add the stock page",
        "",
        kit.ago(DAY),
    )?;
    repo.branch(BRANCH, &baseline)?;
    repo.checkout(BRANCH)?;
    let design: &[u8] =
        b"# Price cache design\n\nOne cache a product, five minutes, invalidated on change.\n";
    repo.commit(
        &[("docs/plans/2026-price-cache-design.md", Some(design))],
        "docs: add PRD for the price cache",
        "",
        kit.ago(START - 1500),
    )?;
    repo.commit(
        &[(
            "tests/cache.rs",
            Some(b"#[test]\nfn a_second_read_is_cached() {\n    unimplemented!()\n}\n"),
        )],
        "test: add acceptance tests for the price cache (RED)",
        "",
        kit.ago(START - 2400),
    )?;

    let sid = kit.ago(START).timestamp().to_string();
    let claude = format!("home/.claude/projects/{}", claude_name(&kit.text(PROJECT)));
    let store = kit.path(&format!(
        "{claude}/checkpoints/{}",
        directory_hash(&kit.text(PROJECT))
    ));
    let shadow = Shadow::init(&store, &kit.path(PROJECT))?;
    shadow.snapshot("pre-design-gate", "build", kit.ago(START - 1200))?;
    kit.file(
        "projects/shop/docs/plans/2026-price-cache-implementation-plan.md",
        PLAN,
        START - 3100,
    )?;
    shadow.snapshot("pre-plan-gate", "build", kit.ago(START - 3400))?;
    repo.commit(
        &[(
            "docs/plans/2026-price-cache-implementation-plan.md",
            Some(PLAN.as_bytes()),
        )],
        "chore(build): plan for the price cache",
        "",
        kit.ago(START - 3100),
    )?;
    shadow.snapshot("pre-wave-1", "build", kit.ago(START - 4300))?;
    repo.commit(
        &[
            ("src/cache.rs", Some(CACHE.as_bytes())),
            ("src/lib.rs", Some(b"pub mod cache;\npub mod price;\n")),
        ],
        "feat: a cache with a clock of its own",
        "",
        kit.ago(START - 4300 - 640),
    )?;
    repo.commit(
        &[(
            "src/stock.rs",
            Some(b"pub fn in_stock(sku: u32) -> bool {\n    sku != 0\n}\n"),
        )],
        "feat: the stock page asks the warehouse",
        "",
        kit.ago(START - 4300 - 1100),
    )?;
    shadow.snapshot("pre-wave-2", "build", kit.ago(START - 5700))?;
    // What the implementer that crashed left: one file changed, one new, nothing committed.
    kit.file(
        "projects/shop/src/price.rs",
        &PRICE.replace("slow_lookup(sku)", "crate::cache::get_or(sku, slow_lookup)"),
        DIED + 60,
    )?;
    kit.file(
        "projects/shop/src/price_cache_wip.rs",
        "// TODO: invalidate on change\n",
        DIED + 30,
    )?;
    repo.age(kit.ago(DIED))?;
    shadow.age(kit.ago(START - 5700))?;

    records(kit, &sid, &claude, &baseline)?;
    finished(kit, &claude)
}

/// Marker, manifest, dispatch files and hand-offs of the run that died.
fn records(kit: &Kit, sid: &str, claude: &str, baseline: &str) -> Result<(), DemoError> {
    let memory = format!("{claude}/memory");
    let dispatch = format!("home/tmp/crucible-dispatch-{sid}");
    let marker = format!(
        "{{\"pipeline_id\":\"{sid}\",\"skill\":\"build\",\"phase\":\"3\",\"start_time\":\"{}\",\"scratch_dir\":\"{}/\",\"dispatch_dir\":\"{}/\",\"branch\":\"{BRANCH}\",\"baseline_sha\":\"{baseline}\"}}",
        kit.iso(START),
        kit.text(&memory),
        kit.text(&dispatch),
    );
    kit.file(&format!("{memory}/.pipeline-active"), &marker, START - 4200)?;
    let mut manifest = String::new();
    for (seq, name, role, phase, task, start, seconds, summary) in DISPATCHES {
        let begun = START - start;
        let task_text = task.map_or_else(|| "null".to_owned(), |t: u32| t.to_string());
        let head = format!(
            "# Dispatch: {name}\n**Pipeline:** build | **Phase:** {phase} | **Task:** {task_text}\n**Timestamp:** {}\n**Dispatch-Dir:** {}/\n\n---\nWork on the price cache as the plan says.\n",
            kit.iso(begun),
            kit.text(&dispatch)
        );
        kit.file(&format!("{dispatch}/{seq}-{name}.md"), &head, begun)?;
        let line = |status: &str, duration: &str, summary: &str| {
            format!(
                "{{\"seq\":{seq},\"file\":\"{seq}-{name}.md\",\"role\":\"{role}\",\"phase\":\"{phase}\",\"task\":{task_text},\"status\":\"{status}\",\"duration_s\":{duration},\"summary\":{summary},\"input_chars\":9120,\"output_chars\":null,\"model_tier\":\"opus\",\"tool_calls\":null}}\n"
            )
        };
        manifest.push_str(&line("dispatched", "null", "null"));
        if *seconds > 0 {
            manifest.push_str(&line(
                "completed",
                &seconds.to_string(),
                &format!("\"{summary}\""),
            ));
        }
    }
    // The last write was cut off by the crash.
    let _ = write!(
        manifest,
        "{{\"seq\":9,\"file\":\"9-build-implementer.md\",\"role\":\"implementer\",\"phase\":\"3\",\"ta"
    );
    kit.file(&format!("{dispatch}/manifest.jsonl"), &manifest, DIED)?;
    let handoff = |from: u32, at: i64, inputs: &str| {
        format!(
            "# Phase Handoff: {from} → {}\n**Timestamp:** {}\n**Goal:** Make the price page fast with a cache\n**Mode:** feature\n\n## Inputs for Phase {}\n{inputs}\n\n## Decisions Carried Forward\n- [DEC-1] One cache a product, five minutes\n- [DEC-2] Invalidate on every price change\n\n## Active Constraints\n- No new dependency\n\n## Shed Receipt\n",
            from + 1,
            kit.iso(at),
            from + 1
        )
    };
    kit.file(
        &format!("{memory}/handoff-1-to-2.md"),
        &handoff(
            1,
            START - 2500,
            "- **design:** docs/plans/2026-price-cache-design.md",
        ),
        START - 2500,
    )?;
    kit.file(
        &format!("{memory}/handoff-2-to-3.md"),
        &handoff(
            2,
            START - 4200,
            "- **plan:** docs/plans/2026-price-cache-implementation-plan.md",
        ),
        START - 4200,
    )?;
    let status = format!(
        "# Pipeline Status\n\n**Updated:** {}\n**Started:** {}\n**Skill:** build\n**Phase:** 3 — Execute (Autonomous)\n**Health:** YELLOW\n**Elapsed:** 1h 40m\n\n## Recent Events\n- [10:41] Wave 2 started\n\n## Compression State\nGoal: Make the price page fast with a cache\nKey Decisions:\n- One cache a product, five minutes\nActive Constraints:\n- No new dependency\nNext Steps:\n- Finish wave 2\n",
        kit.iso(START - 5800),
        kit.iso(START)
    );
    kit.file(
        &format!("{memory}/pipeline-status.md"),
        &status,
        START - 5800,
    )
}

type Dispatch = (
    u32,
    &'static str,
    &'static str,
    &'static str,
    Option<u32>,
    i64,
    u32,
    &'static str,
);

/// seq, template, role, phase, task, seconds after the start, duration (0: never came back), summary.
const DISPATCHES: &[Dispatch] = &[
    (
        1,
        "design-researcher",
        "researcher",
        "1",
        None,
        120,
        410,
        "Design: one cache a product",
    ),
    (
        2,
        "quality-gate",
        "quality-gate",
        "1",
        None,
        1300,
        380,
        "PASS after 2 rounds",
    ),
    (
        3,
        "plan-writer",
        "plan-writer",
        "2",
        None,
        2600,
        540,
        "Plan: 4 tasks in 2 waves",
    ),
    (
        4,
        "red-team",
        "red-team",
        "2",
        None,
        3500,
        420,
        "PASS: no open findings",
    ),
    (
        5,
        "build-implementer",
        "implementer",
        "3",
        Some(1),
        4310,
        612,
        "Task 1: cache module, 9 tests",
    ),
    (
        6,
        "build-implementer",
        "implementer",
        "3",
        Some(2),
        4320,
        1050,
        "Task 2: stock page asks the warehouse",
    ),
    (
        7,
        "code-reviewer",
        "reviewer",
        "3",
        Some(1),
        5400,
        210,
        "Task 1 approved",
    ),
    (
        8,
        "build-implementer",
        "implementer",
        "3",
        Some(3),
        5720,
        0,
        "",
    ),
    (
        9,
        "build-implementer",
        "implementer",
        "3",
        Some(4),
        5730,
        0,
        "",
    ),
];

/// A run of last week whose marker is gone and whose copy holds the manifest alone: finished.
fn finished(kit: &Kit, claude: &str) -> Result<(), DemoError> {
    let sid = kit.ago(8 * DAY).timestamp().to_string();
    let copy = format!("{claude}/memory/crucible-dispatch-{sid}/manifest.jsonl");
    let mut manifest = String::new();
    for (seq, role, phase) in [
        (1, "plan-writer", "2"),
        (2, "implementer", "3"),
        (3, "reviewer", "4"),
    ] {
        let _ = writeln!(
            manifest,
            "{{\"seq\":{seq},\"file\":\"{seq}-{role}.md\",\"role\":\"{role}\",\"phase\":\"{phase}\",\"task\":null,\"status\":\"completed\",\"duration_s\":300,\"summary\":\"Done\"}}"
        );
    }
    kit.file(&copy, &manifest, 8 * DAY - 2 * HOUR)
}

/// Claude's own name for a project folder.
pub(super) fn claude_name(path: &str) -> String {
    path.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect()
}

/// Crucible's name for a project's checkpoint store.
pub(super) fn directory_hash(path: &str) -> String {
    hex(&Sha256::digest(path.as_bytes()))
        .chars()
        .take(16)
        .collect()
}

const PRICE: &str = "pub fn price(sku: u32) -> u64 {\n    slow_lookup(sku)\n}\n\nfn slow_lookup(sku: u32) -> u64 {\n    u64::from(sku) * 100\n}\n";
const CACHE: &str = "//! A cache with a clock of its own.\n\npub fn get_or(key: u32, make: fn(u32) -> u64) -> u64 {\n    make(key)\n}\n";
const PLAN: &str = "# Implementation plan\n\n## Wave 1\n- Task 1: cache module\n- Task 2: stock page\n\n## Wave 2\n- Task 3: price page reads the cache\n- Task 4: invalidate on change\n";

//! A synthetic plan with every kind of action.

#![expect(clippy::too_many_lines, reason = "a made-up world is a table")]

use crate::model::*;

pub(super) fn paths(mode: RestoreMode) -> Vec<PlanPath> {
    let path = |path: &[u8], change| PlanPath {
        path: path.into(),
        change,
        blob: Some(Blob::as_stored("ab".repeat(20))),
        forms: crate::model::Forms::default(),
        drifted: false,
    };
    let newer = if mode == RestoreMode::Exact {
        PathChange::Remove
    } else {
        PathChange::KeepNewer
    };
    vec![
        path(b"src/cache.rs", PathChange::Create),
        path(b"src/page.rs", PathChange::Write),
        path("src/日本/価格.rs".as_bytes(), PathChange::Write),
        path(b"src/\x1b[31mred\xff.rs", PathChange::Write),
        path(b"notes/today.md", newer),
        path(b"vendor/nested", PathChange::NotCovered),
    ]
}

pub(super) fn plan(point: &ResumePoint, options: &PlanOptions, id: &PipelineId) -> Plan {
    let restores = matches!(point.readiness, Readiness::NeedsRestore);
    let kept_path = |path: &PlanPath| {
        let bytes = path.path.as_bytes();
        options.paths.is_empty()
            || options
                .paths
                .iter()
                .any(|wanted| std::os::unix::ffi::OsStrExt::as_bytes(wanted.as_os_str()) == bytes)
    };
    let newer = paths(options.mode).into_iter();
    let newer = newer.filter(|path| restores && path.change == PathChange::KeepNewer);
    let newer = newer.map(|path| path.path).collect();
    let paths: Vec<PlanPath> = paths(options.mode).into_iter().filter(kept_path).collect();
    let count = |change| paths.iter().filter(|path| path.change == change).count() as u64;
    let counts = ChangeCounts {
        modified: count(PathChange::Write),
        added: count(PathChange::Create),
        removed: count(PathChange::Remove),
        branch: None,
    };
    let work = |id: u64, label: &str| WorkItem {
        id: id.to_string().into(),
        label: label.into(),
        detail: "PASS: no open findings".into(),
        duration_s: Some(id * 60),
        span: None,
    };
    let mut actions = Vec::new();
    if restores {
        actions = vec![
            Action {
                kind: ActionKind::RestoreTree,
                target: "/home/ada/src/shop".into(),
                summary: "Puts the work tree back to pre-wave-1.".into(),
                changes: Some(counts),
                paths,
                preview: Preview::Tree {
                    store: "/store".into(),
                    commit: "3fa2".repeat(10),
                },
            },
            Action {
                kind: ActionKind::ReplaceFile,
                target: "/home/ada/src/shop/.state/state.json".into(),
                summary: "Sets the current wave.".into(),
                changes: None,
                paths: Vec::new(),
                preview: Preview::Content {
                    before: Some(b"{\n  \"wave\": 2\n}\n".to_vec()),
                    after: b"{\n  \"wave\": 1\n}\n".to_vec(),
                    clock: None,
                },
            },
            Action {
                kind: ActionKind::TruncateRows,
                target: "/home/ada/src/shop/results.tsv".into(),
                summary: "Cuts the rows of the open round.".into(),
                changes: None,
                paths: Vec::new(),
                preview: Preview::Rows {
                    removed: vec!["13\tB\t0.91".into(), "14\tC\t0.92".into()],
                    before: b"n\tr\tv\n13\tB\t0.91\n14\tC\t0.92\n".to_vec(),
                    keep_bytes: 6,
                },
            },
            Action {
                kind: ActionKind::AppendLines,
                target: "/home/ada/src/shop/events.jsonl".into(),
                summary: "Says that it goes on.".into(),
                changes: None,
                paths: Vec::new(),
                preview: Preview::Lines {
                    appended: vec!["{\"event\":\"conference.resumed\"}".into()],
                    clock: ClockStyle::UtcSeconds,
                },
            },
            Action {
                kind: ActionKind::MoveAside,
                target: "/home/ada/src/shop/out".into(),
                summary: "Makes room for new output.".into(),
                changes: None,
                paths: Vec::new(),
                preview: Preview::Rename {
                    to: "/home/ada/src/shop/out.before".into(),
                },
            },
        ];
    }
    Plan {
        asked: Asked::Resume {
            choice: PointChoice::Id(point.boundary.id.clone()),
            options: options.clone(),
        },
        fingerprint: Fingerprint(
            format!("{:x}", 0xabcd_ef01_2345_u64 + options.paths.len() as u64).repeat(4),
        ),
        basis: Vec::new(),
        pipeline: id.clone(),
        point: point.clone(),
        cause: None,
        kept: (1..=4).map(|n| work(n, "phase 1 · researcher")).collect(),
        redone: (5..=9)
            .map(|n| work(n, "phase 3 · implementer, 日本"))
            .collect(),
        destructive: restores,
        actions,
        guards: vec![
            Guard::either(
                "branch",
                !restores,
                "The run was on feat/price-cache; main is checked out.",
                "git switch feat/price-cache",
            ),
            Guard::holds("liveness", "No process is working on it."),
        ],
        warnings: Vec::new(),
        left_out: Vec::new(),
        kept_newer: newer,
        losses: if restores {
            vec![
                Loss::overwritten(
                    "Uncommitted changes will be overwritten: src/cache.rs and 2 more.",
                ),
                Loss::not_restored("Not covered by the checkpoint and kept unchanged: vendor."),
            ]
        } else {
            Vec::new()
        },
        handoff: Handoff {
            cwd: "/home/ada/src/shop".into(),
            argv: vec!["claude".into(), "/replay it's me".into()],
            prompt: Foreign::default(),
            briefing: "Project: /home/ada/src/shop\n\nGo on with wave 1.".into(),
            ..Handoff::default()
        },
    }
}

/// The two sides of an action, or of one of its paths.
pub(super) fn sides(plan: &Plan, action: usize, path: Option<usize>) -> crate::model::Sides {
    let action = &plan.actions[action];
    if let Preview::Content { before, after, .. } = &action.preview {
        return crate::model::Sides {
            before: before.clone(),
            after: Some(after.clone()),
            title: Foreign::from(&action.target),
            forms: crate::model::Forms::default(),
        };
    }
    let before: String = (1..=60).fold(String::new(), |text, line| {
        text + &format!(
            "line {line} of the page, as it is
"
        )
    });
    let after = before
        .replace(
            "line 7 of the page, as it is\n",
            "line 7 of the page, as it was\n",
        )
        .replace(
            "line 30 of the page, as it is\n",
            "line 30 日本語 \u{1b}[2J\nand a new line\n",
        )
        .replace("line 50 of the page, as it is\n", "");
    Sides {
        before: Some(before.into_bytes()),
        after: Some(after.into_bytes()),
        title: path.map_or_else(
            || Foreign::from(&action.target),
            |path| action.paths[path].path.clone(),
        ),
        forms: path.map_or_else(crate::model::Forms::default, |path| {
            action.paths[path].forms
        }),
    }
}

//! Paths and losses of tree actions.

use super::*;

pub(super) fn row(path: &str, state: PathState) -> DriftPath {
    DriftPath {
        path: path.into(),
        state,
        blob: None,
        forms: crate::model::Forms::default(),
        seen: None,
    }
}

pub(super) fn texts(plan: &Plan) -> Vec<String> {
    let losses = plan.losses.iter();
    losses.map(|loss| loss.lossy().into_owned()).collect()
}

pub(super) fn rows(plan: &Plan) -> Vec<String> {
    let paths = plan.actions.iter().flat_map(|action| &action.paths);
    paths
        .map(|path| format!("{} {}", path.path.lossy(), path.change.word()))
        .collect()
}

fn reset() -> Vec<Step> {
    vec![Step::ResetWorktree {
        worktree: "/w".into(),
        commit: "b".repeat(40),
    }]
}

/// A work tree in which everything there is came about.
fn measured() -> Measured {
    let paths = vec![
        row("a", PathState::Modified),
        row("d", PathState::Created),
        row("d/in", PathState::Missing),
        row("f", PathState::Missing),
        row("f", PathState::InTheWay),
        row("f/x.log", PathState::InTheWay),
        row("ours", PathState::Created),
        row("since/b", PathState::Created),
        row("sub", PathState::NotCovered),
        row("(2 ignored paths)", PathState::Ignored),
    ];
    Measured {
        drift: Drift {
            modified: 1,
            missing: 2,
            created: 3,
            not_covered: 4,
            paths,
        },
        head: Some(HEAD.to_owned()),
        committed: ["ours".into()].into(),
        folders: vec!["f".into(), "since".into()],
        uncommitted: vec!["a".into(), "d".into(), "since/".into()],
        ..Measured::default()
    }
}

#[test]
fn of_several_work_trees_each_is_named() {
    let steps = ["/w/researcher-a", "/w/researcher-b"].map(|worktree| Step::ResetWorktree {
        worktree: worktree.into(),
        commit: "b".repeat(40),
    });
    let plan = plan_of(
        steps.into(),
        Some(measured()),
        Vec::new(),
        &PlanOptions::default(),
    );
    let texts = texts(&plan);
    for name in ["researcher-a", "researcher-b"] {
        let kept = format!("Kept, because created after the commit of {name}: ");
        let named = texts.iter().filter(|text| text.starts_with(&kept));
        assert_eq!(named.count(), 1, "{texts:?}");
    }
}

#[test]
fn what_is_not_covered_comes_first_then_what_the_system_says_then_what_undo_brings_back() {
    let plan = plan_of(
        restore(),
        Some(measured()),
        vec![Loss::overwritten("The system's own.")],
        &PlanOptions::default(),
    );
    assert_eq!(
        texts(&plan),
        [
            "Not covered by the checkpoint and kept unchanged: sub.",
            "The project ignores 2 paths; the checkpoint does not cover them, so they are kept unchanged.",
            "Moved aside because the checkpoint has something else in its place: d and f/x.log.",
            "The system's own.",
            "Overwritten: 2 files (a and f).",
            "Uncommitted changes will be overwritten: a.",
            "Uncommitted changes will be moved aside: d.",
            "Kept, because created after the checkpoint: 2 files.",
        ]
    );
}

#[test]
fn a_restore_and_a_reset_differ_in_what_git_tracks() {
    let exact = PlanOptions {
        mode: RestoreMode::Exact,
        ..PlanOptions::default()
    };
    let overlay = PlanOptions::default();
    let always = [
        "a write",
        "d remove",
        "d/in create",
        "f write",
        "f/x.log remove",
    ];
    let table: &[(Vec<Step>, &PlanOptions, &[&str], u64)] = &[
        (
            restore(),
            &overlay,
            &["ours keep_newer", "since/b keep_newer", "sub not_covered"],
            2,
        ),
        (
            reset(),
            &overlay,
            &["ours remove", "since/b keep_newer", "sub not_covered"],
            3,
        ),
        (
            restore(),
            &exact,
            &[
                "ours remove",
                "since remove",
                "since/b remove",
                "sub not_covered",
            ],
            4,
        ),
        (
            reset(),
            &exact,
            &[
                "ours remove",
                "since remove",
                "since/b remove",
                "sub not_covered",
            ],
            4,
        ),
    ];
    for (steps, options, more, removed) in table {
        let plan = plan_of(steps.clone(), Some(measured()), vec![], options);
        assert_eq!(
            rows(&plan),
            [&always[..], more].concat(),
            "{steps:?} {options:?}"
        );
        let counts = plan.actions[0].changes.unwrap();
        // A folder that goes with its files is none.
        assert_eq!(
            (counts.modified, counts.added, counts.removed),
            (2, 1, *removed)
        );
    }
}

#[test]
fn an_index_or_a_branch_that_is_elsewhere_is_reset_though_no_file_differs() {
    let head = "b".repeat(40);
    // The commit the work tree is at, whether git sees changes, and how the action begins.
    let table = [
        (
            HEAD,
            false,
            Some("Restores the index and the branch to bbbbbbbb;"),
        ),
        (head.as_str(), true, Some("Restores the index to bbbbbbbb;")),
        (head.as_str(), false, None),
    ];
    for (head, dirty, want) in table {
        let measured = Measured {
            head: Some(head.to_owned()),
            dirty,
            ..Measured::default()
        };
        let plan = plan_of(reset(), Some(measured), vec![], &PlanOptions::default());
        let summary = plan.actions.first().map(|action| action.summary.lossy());
        match (summary, want) {
            (Some(summary), Some(want)) => assert!(summary.starts_with(want), "{summary}"),
            (summary, want) => assert_eq!(summary.is_none(), want.is_none()),
        }
        assert_eq!(plan.destructive, want.is_some());
    }
}

#[test]
fn names_that_are_never_written_to_are_not_covered() {
    let names = ["~x", "a\\b", "C:x", "sub/.GIT/config"];
    let paths = names.iter().map(|name| row(name, PathState::Missing));
    let measured = Measured {
        drift: Drift {
            paths: paths.chain([row("plain", PathState::Missing)]).collect(),
            ..Drift::default()
        },
        ..Measured::default()
    };
    let plan = plan_of(restore(), Some(measured), vec![], &PlanOptions::default());
    let mut want: Vec<String> = names.iter().map(|n| format!("{n} not_covered")).collect();
    want.push("plain create".to_owned());
    want.sort();
    let mut found = rows(&plan);
    found.sort();
    assert_eq!(found, want);
}

#[test]
fn long_lists_are_cut_and_the_rest_counted() {
    let paths = (0..23).map(|n| row(&format!("sub{n:02}"), PathState::NotCovered));
    let measured = Measured {
        drift: Drift {
            not_covered: 23,
            paths: paths.chain([row("x", PathState::Missing)]).collect(),
            ..Drift::default()
        },
        ..Measured::default()
    };
    let plan = plan_of(restore(), Some(measured), vec![], &PlanOptions::default());
    let first = &texts(&plan)[0];
    assert!(first.ends_with("sub18, sub19 and 3 more."), "{first}");
}

/// H11: a log is never overwritten, never moved aside, whatever the action and the mode; one that is gone comes back.
#[test]
fn h11_append_only_logs_are_kept_by_every_action() {
    let names = ["changed.log", "gone.log", "new.log", "ours.log"];
    let measured = || Measured {
        drift: Drift {
            paths: vec![
                row(names[0], PathState::Modified),
                row(names[1], PathState::Missing),
                row(names[2], PathState::Created),
                row(names[3], PathState::Created),
            ],
            ..Drift::default()
        },
        head: Some(HEAD.to_owned()),
        committed: [names[3].into()].into(),
        append_only: names.map(Foreign::from).into(),
        ..Measured::default()
    };
    for steps in [restore(), reset()] {
        for mode in [RestoreMode::Overlay, RestoreMode::Exact] {
            let options = PlanOptions {
                mode,
                ..PlanOptions::default()
            };
            let plan = plan_of(steps.clone(), Some(measured()), vec![], &options);
            assert_eq!(
                rows(&plan),
                [
                    "changed.log keep_newer",
                    "gone.log create",
                    "new.log keep_newer",
                    "ours.log keep_newer"
                ]
            );
            assert_eq!(plan.left_out, [Foreign::from("changed.log")]);
            let said = texts(&plan);
            let kept = "Kept, because logs are only appended to: changed.log";
            assert!(said.iter().any(|loss| loss.starts_with(kept)), "{said:?}");
        }
    }
}

/// What is never restored is missing from the result whichever path is left out, so it is told each time.
#[test]
fn what_is_not_restored_is_told_whichever_path_is_left_out() {
    let not_restored = |plan: &Plan| -> Vec<String> {
        let losses = plan.losses.iter();
        let kept = losses.filter(|loss| loss.kind == crate::model::LossKind::NotRestored);
        // A file that is left out is one more that is kept, so the number is not compared.
        let heads = kept.map(|loss| loss.lossy().split(':').next().unwrap().to_owned());
        heads.collect()
    };
    let mut logged = measured();
    logged.append_only = ["since/b".into()].into();
    for measured in [measured(), logged] {
        for steps in [restore(), reset()] {
            for mode in [RestoreMode::Overlay, RestoreMode::Exact] {
                let of = |paths: Vec<std::path::PathBuf>| {
                    let options = PlanOptions {
                        mode,
                        paths,
                        ..PlanOptions::default()
                    };
                    plan_of(steps.clone(), Some(measured.clone()), vec![], &options)
                };
                let whole = of(Vec::new());
                let changed: Vec<String> = whole.actions[0]
                    .paths
                    .iter()
                    .filter(|path| {
                        !matches!(path.change, PathChange::KeepNewer | PathChange::NotCovered)
                    })
                    .map(|path| path.path.lossy().into_owned())
                    .collect();
                for out in &changed {
                    let rest = changed.iter().filter(|path| *path != out);
                    let part = of(rest.map(std::path::PathBuf::from).collect());
                    let stays = |path: &Foreign| part.kept_newer.contains(path);
                    assert!(whole.kept_newer.iter().all(stays), "{out}, {mode:?}");
                    for plan in [&whole, &part] {
                        let number = crate::text::format::count(plan.kept_newer.len(), "file");
                        let told = texts(plan).iter().any(|loss| {
                            loss.starts_with("Kept, because created")
                                && loss.ends_with(&format!(": {number}."))
                        });
                        let none = plan.kept_newer.is_empty() || plan.actions.is_empty();
                        assert_eq!(told, !none, "{out}, {mode:?}: {:?}", texts(plan));
                    }
                    // A later file that was left out is later all the same, unless it makes room.
                    let created = measured.drift.paths.iter().any(|row| {
                        row.state == PathState::Created && row.path.lossy() == out.as_str()
                    });
                    let moved = rows(&part).contains(&format!("{out} remove"));
                    assert_eq!(
                        stays(&out.as_str().into()),
                        created && !moved,
                        "{out}, {mode:?}"
                    );
                    assert!(!created || !part.left_out.contains(&out.as_str().into()));
                    let named = part.losses.iter().map(|loss| loss.lossy());
                    let mut named = named.filter(|loss| loss.contains(" excluded: "));
                    // It is told once, and a directory is not a file.
                    let is_twice = |loss: std::borrow::Cow<'_, str>| {
                        let (_, list) = loss.split_once('(').unwrap();
                        let list = list.trim_end_matches(").").replace(" and ", ", ");
                        let mut paths = list.split(", ").map(Foreign::from);
                        paths.any(|path| part.kept_newer.contains(&path) || path == "since")
                    };
                    assert!(
                        !named.clone().any(is_twice),
                        "{out}, {mode:?}: {:?}",
                        texts(&part)
                    );
                    let left = part.left_out.contains(&out.as_str().into());
                    assert!(
                        !left || named.any(|loss| loss.contains(out.as_str())),
                        "{out}"
                    );
                    for told in not_restored(&whole) {
                        assert!(
                            not_restored(&part).contains(&told),
                            "{told} without {out}, {mode:?}"
                        );
                    }
                }
            }
        }
    }
}

/// A sentence shows a name as a list does, whatever its bytes are.
#[test]
fn a_name_that_is_not_utf8_has_one_form() {
    let mut odd = row("", PathState::Modified);
    odd.path = Foreign::from(&b"od\xffd"[..]);
    let measured = Measured {
        drift: Drift {
            modified: 1,
            paths: vec![odd],
            ..Drift::default()
        },
        uncommitted: vec![Foreign::from(&b"od\xffd"[..])],
        ..Measured::default()
    };
    let options = PlanOptions::default();
    let plan = plan_of(restore(), Some(measured), vec![], &options);
    assert_eq!(plan.losses.len(), 2);
    for loss in &plan.losses {
        let shown = loss.text.clean();
        assert!(shown.as_str().contains("od\\xFFd"), "{shown}");
    }
}

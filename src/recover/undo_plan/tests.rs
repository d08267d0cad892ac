use super::*;
use crate::model::FileForm;

fn restore(change: PathChange) -> Action {
    let path = PlanPath {
        path: "a.txt".into(),
        change,
        blob: None,
        forms: crate::model::Forms::default(),
        drifted: false,
    };
    action(ActionKind::RestoreTree, vec![path])
}

fn action(kind: ActionKind, paths: Vec<PlanPath>) -> Action {
    Action {
        kind,
        target: "/p".into(),
        summary: "".into(),
        changes: None,
        paths,
        preview: Preview::Kept { pairs: Vec::new() },
    }
}

#[test]
fn an_undo_that_replaces_nothing_is_not_destructive() {
    let absent = Facts {
        empty: [PathBuf::from("/p/a.txt")].into(),
        ..Facts::default()
    };
    let table = [
        (restore(PathChange::Create), &absent, false),
        (restore(PathChange::Write), &absent, false),
        (restore(PathChange::Write), &Facts::default(), true),
        (restore(PathChange::Remove), &Facts::default(), true),
        (action(ActionKind::AppendLines, vec![]), &absent, false),
        (action(ActionKind::ReplaceFile, vec![]), &absent, true),
        (action(ActionKind::MoveAside, vec![]), &absent, true),
        (action(ActionKind::ResetWorktree, vec![]), &absent, true),
    ];
    for (action, facts, expected) in table {
        let kind = action.kind;
        assert_eq!(destroys(&action, &facts.empty), expected, "{kind:?}");
    }
}

#[test]
fn an_undo_says_of_each_file_whether_it_is_created_replaced_or_removed() {
    let made = Facts {
        made: [PathBuf::from("/p")].into(),
        ..Facts::default()
    };
    let absent = Facts {
        empty: [PathBuf::from("/p")].into(),
        ..Facts::default()
    };
    let forms = |before, after| Facts {
        forms: [("/p".into(), Forms::new(Some(before), Some(after)))].into(),
        ..Facts::default()
    };
    let changed = forms(FileForm::Executable, FileForm::File);
    for (facts, expected) in [
        (Facts::default(), "p replaced"),
        (forms(FileForm::File, FileForm::File), "p replaced"),
        (changed, "p replaced"),
        (made, "p removed"),
        (absent, "p created"),
    ] {
        let mut action = action(ActionKind::ReplaceFile, Vec::new());
        action.preview = Preview::Kept {
            pairs: vec![KeptPair {
                content: KeptContent::Backup,
                here: "/p".into(),
                kept: Some("/slots/0".into()),
            }],
        };
        let inverse = inverse(&action, &[], &facts).unwrap();
        assert_eq!(inverse.done().as_str(), expected);
        let said = inverse.summary.lossy().contains("mode 755 → 644.");
        assert_eq!(said, facts.forms_of(Path::new("/p")).change());
    }
}

/// The state of an earlier recovery is not brought back by the undo of a later one.
#[test]
fn recoveries_of_the_same_files_are_undone_latest_first() {
    use crate::model::RecoveryId;
    let of = |id: &str, file: &str| {
        let pairs = vec![KeptPair {
            content: KeptContent::Backup,
            here: file.into(),
            kept: None,
        }];
        let mut action = action(ActionKind::ReplaceFile, Vec::new());
        action.preview = Preview::Kept { pairs };
        Recovery {
            actions: vec![action],
            ..crate::systems::testing::recovery(id, "a point")
        }
    };
    let undone = |recovery: Recovery, by: &str| Recovery {
        undone_by: Some(RecoveryId(by.to_owned())),
        ..recovery
    };
    let undo = |id: &str, of_it: &str, file: &str| Recovery {
        undoes: Some(RecoveryId(of_it.to_owned())),
        ..of(id, file)
    };
    let first = of("1", "/p/a");
    let purged = Recovery {
        purged: true,
        ..of("2", "/p/a")
    };
    let mut listed = of("2", "/p/a");
    listed.actions[0].paths = vec![PlanPath {
        path: "a".into(),
        change: PathChange::NotCovered,
        blob: None,
        forms: crate::model::Forms::default(),
        drifted: false,
    }];
    let table: [(&str, Vec<Recovery>, Option<&str>); 10] = [
        ("one that only lists it", vec![listed], None),
        ("another file", vec![of("2", "/p/b")], None),
        ("a name that goes on", vec![of("2", "/p/ab")], None),
        ("the same", vec![of("2", "/p/a")], Some("relight undo 2")),
        (
            "a file in it, where it is a directory",
            vec![of("2", "/p/a/b")],
            Some("relight undo 2"),
        ),
        (
            "the directory that it is in",
            vec![of("2", "/p")],
            Some("relight undo 2"),
        ),
        (
            "the latest of two",
            vec![of("3", "/p/a"), of("2", "/p/a")],
            Some("relight undo 3"),
        ),
        (
            "undone again",
            vec![undo("3", "2", "/p/a"), undone(of("2", "/p/a"), "3")],
            None,
        ),
        (
            "the undo of an earlier one",
            vec![undo("3", "0", "/p/a")],
            Some("relight redo 0"),
        ),
        ("one that cannot be undone", vec![purged], None),
    ];
    for (what, later, expected) in table {
        let later: Vec<&Recovery> = later.iter().collect();
        let guard = order_guard(&first, &[], &later);
        let cure = guard
            .as_ref()
            .and_then(|guard| guard.would_hold_if.as_ref());
        let cure = cure.map(|cure| cure.lossy().into_owned());
        match expected {
            Some(expected) => assert!(cure.unwrap().contains(expected), "{what}"),
            None => assert_eq!(guard, None, "{what}"),
        }
        assert_eq!(order_guard(&first, &["/p".into()], &later), None, "{what}");
    }
}

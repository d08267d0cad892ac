use super::*;

fn restore(change: PathChange) -> Action {
    let path = PlanPath {
        path: "a.txt".into(),
        change,
        blob: None,
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
        assert_eq!(destroys(&[action], facts), expected, "{kind:?}");
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
    for (facts, expected) in [
        (Facts::default(), "p written"),
        (made, "p removed"),
        (absent, "p created"),
    ] {
        let mut action = action(ActionKind::ReplaceFile, Vec::new());
        action.preview = Preview::Kept {
            pairs: vec![KeptPair {
                here: "/p".into(),
                kept: Some("/slots/0".into()),
            }],
        };
        let inverse = inverse(&action, &facts).unwrap();
        assert_eq!(inverse.done().as_str(), expected);
    }
}

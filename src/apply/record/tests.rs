use super::*;

/// The outcome and the history read the record, whose previews have only backups.
#[test]
fn a_record_knows_whether_a_file_was_created_replaced_or_removed() {
    let kept = |kept: Option<&str>| Preview::Kept {
        pairs: vec![KeptPair {
            content: KeptContent::Backup,
            here: "/p/state.json".into(),
            kept: kept.map(PathBuf::from),
        }],
    };
    let content = |before: Option<&str>| Preview::Content {
        before: before.map(Vec::from),
        after: b"{}".to_vec(),
        clock: None,
    };
    for (preview, said) in [
        (content(None), "state.json created"),
        (content(Some("")), "state.json replaced"),
        (kept(Some("/slots/0")), "state.json replaced"),
        (kept(None), "state.json removed"),
    ] {
        let action = Action {
            kind: ActionKind::ReplaceFile,
            target: "/p/state.json".into(),
            summary: "".into(),
            changes: None,
            paths: Vec::new(),
            preview,
        };
        assert_eq!(action.done().as_str(), said);
        // Afterwards the slot has the other content of every place.
        let read = RecordAction::of(&action).action(&|_| Some("/slots/0".into()));
        assert_eq!(read.done().as_str(), said);
    }
}

//! What is said of a conversation that may be about several issues of a project.

use super::reasons::{DURING, Place, skill};
use super::*;

#[test]
fn a_conversation_of_several_issues_says_so_and_its_end_counts_for_one_at_most() {
    let place = Place::of_issues();
    let project = place.scene.project.clone();
    let went_on = Transcript {
        asked: vec![
            ("mgw:run".to_owned(), "57".to_owned()),
            ("mgw:run".to_owned(), "58".to_owned()),
        ],
        ..Transcript::default()
    };
    let may_be = "It names no pipeline of this project, so it may have worked on another one.";
    let in_own_tree = Transcript {
        worktrees: vec![place.own.clone()],
        ..Transcript::default()
    };
    let cases = [
        ("none", &project, Transcript::default(), Some(may_be), true),
        (
            "a group",
            &project,
            skill("mgw:milestone", "3"),
            Some(may_be),
            true,
        ),
        ("this one", &project, skill("mgw:run", "57"), None, true),
        ("both", &project, went_on, Some("It went on to 58."), false),
        (
            "its worktree",
            &place.own,
            Transcript::default(),
            None,
            true,
        ),
        ("entered", &project, in_own_tree, None, true),
    ];
    for (name, cwd, transcript, said, ends) in cases {
        let found = place.reasons(cwd, DURING, &transcript).unwrap();
        let cautions = found
            .iter()
            .filter(|text| text.starts_with("It names no") || text.starts_with("It went"));
        let cautions: Vec<&str> = cautions.map(String::as_str).collect();
        assert_eq!(cautions, said.as_slice(), "{name}");
        let subject = Subject::of(&place.reading, &place.scene.world);
        let asked = crate::model::Cause {
            kind: CauseKind::WaitingAnswer,
            sure: Sure::Certain,
            ..crate::model::Cause::unknown("")
        };
        let cause = subject.about(asked, &[Some(cwd)], &transcript);
        assert_eq!(cause.kind == CauseKind::WaitingAnswer, ends, "{name}");
        assert_eq!(cause.sure == Sure::Certain, said.is_none(), "{name}");
    }
}

//! tmux sessions, by exact name and owner.

use super::*;
use crate::world::process::{Pane, TmuxSession};

/// Panes by pid, working directory and command.
type Panes = &'static [(u32, &'static str, &'static str)];

fn session(name: &str, panes: &[(u32, &str, &str)]) -> TmuxSession {
    let pane = |(pid, cwd, command): &(u32, &str, &str)| Pane {
        pid: *pid,
        cwd: (*cwd).into(),
        command: (*command).into(),
    };
    TmuxSession {
        name: name.into(),
        created: Some(utc("2026-04-08T07:12:00Z")),
        panes: panes.iter().map(pane).collect(),
    }
}

/// The sign for the wanted session if this session is the only one.
fn asked(name: &str, owner: Option<&str>, only: TmuxSession) -> (SignVerdict, String) {
    let mut world = world();
    world.processes.ancestors = vec![1];
    world.processes.tmux = vec![only];
    let query = LifeQuery {
        tmux: vec![TmuxQuery {
            name: name.into(),
            owner: owner.map(PathBuf::from),
        }],
        ..LifeQuery::default()
    };
    let mut found = said(&gather(&world, &query));
    assert_eq!(found.len(), 1, "{name}");
    found.remove(0)
}

#[test]
fn a_session_counts_by_its_whole_name_as_tmux_writes_it() {
    for (wanted, there, runs) in [
        ("runner-x", "runner-x", true),
        ("stage-1", "stage-10", false),
        ("stage-10", "stage-1", false),
        ("run.a:b", "run_a_b", true),
        ("run_a_b", "run-a-b", false),
        ("", "", false),
    ] {
        let (verdict, text) = asked(wanted, None, session(there, &[(5, "/x", "")]));
        let expected = if runs {
            (
                Positive,
                format!("The tmux session `{there}` (since 2026-04-08 07:12 UTC) runs."),
            )
        } else {
            (Negative, format!("No tmux session is named `{wanted}`."))
        };
        assert_eq!((verdict, text), expected, "{wanted}");
    }
}

#[test]
fn a_session_of_a_common_name_counts_only_with_its_owner() {
    let blind = "runs, and its working directory cannot be read.";
    let table: &[(Panes, SignVerdict, &str)] = &[
        (
            &[(5, "/p/wf/stage-2", "bash run.sh")],
            Positive,
            "works in /p/wf.",
        ),
        (
            &[(4, "/x", ""), (5, "/p/wf", "")],
            Positive,
            "works in /p/wf.",
        ),
        (
            &[(5, "/p/wf-2", "bash run.sh")],
            Negative,
            "is another pipeline's: it works in /p/wf-2.",
        ),
        // The job changed its directory, but the command that started it still names the workflow.
        (
            &[(5, "/scratch", "\"bash /p/wf/stage-2/run.sh\"")],
            Positive,
            "works in /p/wf.",
        ),
        (
            &[(5, "/scratch", "bash /p/wf-2/run.sh")],
            Negative,
            "is another pipeline's: it works in /scratch.",
        ),
        (&[(5, "", "")], Unreadable, blind),
        (&[], Unreadable, blind),
    ];
    for (panes, verdict, words) in table {
        let found = asked("s", Some("/p/wf"), session("s", panes));
        let text = format!("The tmux session `s` (since 2026-04-08 07:12 UTC) {words}");
        assert_eq!(found, (*verdict, text), "{panes:?}");
    }
}

#[test]
fn the_session_that_relight_runs_in_is_a_note() {
    let own = asked("s", Some("/p/wf"), session("s", &[(1, "/p/wf", "bash")]));
    let text = "You are running inside it: this is tmux session `s` (since 2026-04-08 07:12 UTC).";
    assert_eq!(own, (Note, text.to_owned()));
    let beside = session("s", &[(1, "/p/wf", "bash"), (2, "/p/wf", "bash run.sh")]);
    assert_eq!(asked("s", Some("/p/wf"), beside).0, Positive);
}

#[test]
fn tmux_that_cannot_be_asked_is_unknown_for_every_session() {
    let mut world = world();
    world.processes.tmux_unreadable = Some("tmux is not installed".into());
    let named = |name: &str| TmuxQuery {
        name: name.into(),
        owner: None,
    };
    let query = LifeQuery {
        tmux: vec![named("a"), named("b")],
        ..LifeQuery::default()
    };
    let found = said(&gather(&world, &query));
    let text =
        "tmux cannot be queried (tmux is not installed), so whether session `b` runs is unknown.";
    assert_eq!(found[1], (Unreadable, text.to_owned()));
    assert_eq!(found.len(), 2);
}

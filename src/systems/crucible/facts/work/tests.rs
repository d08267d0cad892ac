use super::*;
use crate::model::Place;
use crate::world::real_files::RealFiles;

fn manifest(text: &str) -> Manifest {
    let dir = crate::world::temporary::directory();
    std::fs::write(dir.path().join("m"), text).unwrap();
    Manifest::read(&RealFiles, &Place::known(dir.path(), "m").unwrap()).unwrap()
}

/// `seq phase task status [more]` a line.
fn work(lines: &[&str]) -> (Manifest, Work) {
    let text: Vec<String> = lines
        .iter()
        .map(|line| {
            let mut parts = line.splitn(5, ' ');
            let mut next = || parts.next().unwrap_or_default();
            let (seq, phase, task, status, more) = (next(), next(), next(), next(), next());
            format!("{{\"seq\":{seq},\"role\":\"r\",\"phase\":{phase},\"task\":{task},\"status\":\"{status}\"{more}}}")
        })
        .collect();
    let manifest = manifest(&text.join("\n"));
    let work = Work::of(&manifest, "build", &Crossings::default());
    (manifest, work)
}

fn states(lines: &[&str]) -> Vec<UnitState> {
    work(lines).1.units.iter().map(|unit| unit.state).collect()
}

#[test]
fn a_replay_replaces_the_entry_that_it_runs_again() {
    use UnitState::{Done, Experiment, Open, Superseded};
    let table: &[(&str, &[&str], &[UnitState])] = &[
        ("plain", &["8 3 5 dispatched"], &[Open]),
        (
            "replayed",
            &["8 3 5 dispatched", "9 3 5 completed ,\"replay_of\":8"],
            &[Superseded, Done],
        ),
        (
            "replay in flight",
            &["8 3 5 completed", "9 3 5 dispatched ,\"replay_of\":8"],
            &[Superseded, Open],
        ),
        (
            "chain",
            &[
                "8 3 5 dispatched",
                "9 3 5 dispatched ,\"replay_of\":8",
                "10 3 5 completed ,\"replay_of\":9",
            ],
            &[Superseded, Superseded, Done],
        ),
        (
            "twice",
            &[
                "8 3 5 dispatched",
                "9 3 5 dispatched ,\"replay_of\":8",
                "10 3 5 completed ,\"replay_of\":8",
            ],
            &[Superseded, Superseded, Done],
        ),
        ("itself", &["8 3 5 dispatched ,\"replay_of\":8"], &[Open]),
        (
            "circle",
            &[
                "8 3 5 dispatched ,\"replay_of\":9",
                "9 3 5 completed ,\"replay_of\":8",
            ],
            &[Open, Done],
        ),
        (
            "a cycle",
            &[
                "8 3 5 dispatched ,\"replay_of\":9",
                "9 3 5 dispatched ,\"replay_of\":8",
                "10 3 5 completed ,\"replay_of\":9",
            ],
            &[Open, Superseded, Done],
        ),
        ("nobody", &["8 3 5 completed ,\"replay_of\":99"], &[Done]),
        (
            "mutated",
            &[
                "8 3 5 completed",
                "9 3 5 dispatched ,\"replay_of\":8,\"replay_session\":\"R\",\"mutation\":\"a.md -> b.md\"",
                "10 3 6 failed ,\"replay_session\":\"R\"",
            ],
            &[Done, Experiment, Experiment],
        ),
        (
            "legacy",
            &["8 3 5 replayed", "9 3 6 replayed ,\"duration_s\":3"],
            &[Open, Done],
        ),
        ("skipped", &["8 3 5 skipped"], &[Done]),
        ("failed", &["8 3 5 failed"], &[Open]),
        (
            "failed, then done",
            &["8 3 5 failed", "9 3 5 completed"],
            &[Done, Done],
        ),
        (
            "failed, another task done",
            &["8 3 5 failed", "9 3 6 completed"],
            &[Open, Done],
        ),
        (
            "failed after it was done",
            &["8 3 5 completed", "9 3 5 error"],
            &[Done, Open],
        ),
        (
            "retry started",
            &["8 3 5 completed", "8 3 5 dispatched"],
            &[Open],
        ),
        ("unknown word", &["8 3 5 finished"], &[Open]),
    ];
    for (name, lines, want) in table {
        assert_eq!(states(lines), *want, "{name}");
    }
    assert_eq!(
        work(&[
            "8 3 5 dispatched ,\"replay_of\":9",
            "9 3 5 completed ,\"replay_of\":8"
        ])
        .1
        .cycles,
        [8, 9]
    );
}

#[test]
fn a_phase_is_finished_only_with_evidence_that_it_was_left() {
    let (_, work) = work(&[
        "1 1 1 completed",
        "2 null 1 completed",
        "3 \"3\" 1 dispatched",
        "4 \"2/x\" 1 completed",
    ]);
    let seen: Vec<_> = work
        .phases
        .iter()
        .map(|f| (f.name.base.as_str(), f.done, f.total, f.finished()))
        .collect();
    assert_eq!(
        seen,
        [
            ("1", 2, 2, true),
            ("2", 1, 1, true),
            ("3", 0, 1, false),
            ("4", 0, 0, false)
        ]
    );
    assert_eq!(work.current().unwrap().name.base, "3");
}

#[test]
fn an_earlier_phase_with_open_work_comes_before_later_ones() {
    let (_, work) = work(&["1 1 1 completed", "2 2 1 dispatched", "3 3 1 completed"]);
    assert_eq!(work.current().unwrap().name.base, "2");
    assert_eq!(work.with_open_work().count(), 1);
}

#[test]
fn an_unknown_label_is_placed_at_its_first_occurrence() {
    let (_, work) = work(&[
        "1 1 1 completed",
        "2 \"warm-up\" 1 completed",
        "3 2 1 completed",
    ]);
    let bases: Vec<&str> = work.phases.iter().map(|f| f.name.base.as_str()).collect();
    assert_eq!(bases, ["1", "warm-up", "2", "3", "4"]);
    assert_eq!(work.strange_labels, ["warm-up"]);
}

#[test]
fn a_failure_is_repeated_only_by_what_began_after_it() {
    use UnitState::{Done, Open, Superseded};
    let table: &[(&str, &[&str], &[UnitState])] = &[
        (
            "failed after another was sent",
            &[
                "1 1 null dispatched",
                "2 1 null dispatched",
                "1 1 null failed",
                "2 1 null completed",
            ],
            &[Open, Done],
        ),
        (
            "one of two failures repeated",
            &[
                "1 1 null dispatched",
                "2 1 null dispatched",
                "2 1 null error",
                "1 1 null failed",
                "3 1 null dispatched",
                "3 1 null completed",
            ],
            &[Open, Done, Done],
        ),
        (
            "the repetition failed too",
            &[
                "1 1 null dispatched",
                "1 1 null failed",
                "2 1 null dispatched",
                "2 1 null failed",
                "3 1 null dispatched",
                "3 1 null completed",
            ],
            &[Done, Done, Done],
        ),
        (
            "both attempts at a task failed",
            &["1 3 5 failed", "2 3 5 failed", "3 3 5 completed"],
            &[Done, Done, Done],
        ),
        (
            "retried under its own number",
            &[
                "1 1 null dispatched",
                "2 1 null dispatched",
                "1 1 null failed",
                "2 1 null dispatched",
                "2 1 null completed",
            ],
            &[Open, Done],
        ),
        (
            "a replay of another one",
            &[
                "1 1 null failed",
                "2 1 null completed",
                "3 1 null completed ,\"replay_of\":2",
            ],
            &[Open, Superseded, Done],
        ),
        (
            "a failure that was replayed takes no repetition",
            &[
                "1 1 null failed",
                "2 1 null failed ,\"replay_of\":1",
                "3 1 null completed ,\"replay_of\":1",
                "4 1 null failed",
                "5 1 null completed",
            ],
            &[Superseded, Superseded, Done, Done, Done],
        ),
    ];
    for (name, lines, want) in table {
        assert_eq!(states(lines), *want, "{name}");
    }
}

#[test]
fn of_two_discarded_dispatches_one_repetition_repeats_one() {
    let text = |seq: u64| {
        format!(
            "{{\"seq\":{seq},\"role\":\"r\",\"phase\":1,\"task\":null,\"status\":\"completed\"}}"
        )
    };
    let crossings = Crossings {
        discarded: BTreeSet::from([1, 2]),
        ..Crossings::default()
    };
    let manifest = manifest(&[text(1), text(2), text(3)].join("\n"));
    let work = Work::of(&manifest, "build", &crossings);
    let states: Vec<_> = work.units.iter().map(|unit| unit.state).collect();
    let want = [UnitState::Superseded, UnitState::Discarded, UnitState::Done];
    assert_eq!(states, want);
}

#[test]
fn ten_thousand_links_in_a_row_are_followed_once() {
    let lines: Vec<String> = (2..10_000)
        .map(|seq| format!("{seq} 3 1 completed ,\"replay_of\":{}", seq - 1))
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let states = states(&lines);
    assert_eq!(states.iter().filter(|s| **s == UnitState::Done).count(), 1);
}

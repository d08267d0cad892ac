//! Headers and waves, by table.

use super::kit::{Kit, at};

use crate::model::{Dispatch, Stamp};
use crate::replay::plan::header::split;
use crate::replay::plan::parallel_waves::waves;

#[test]
fn the_header_ends_with_its_line() {
    let table: &[(&str, &str)] = &[
        (
            "# Dispatch: x\n**A:** b\n\n---\nbody\n---\n",
            "# Dispatch: x\n**A:** b\n\n---\n",
        ),
        (
            "# Dispatch: x\r\n**A:** b\r\n---\r\nbody",
            "# Dispatch: x\r\n**A:** b\r\n---\r\n",
        ),
        ("# Dispatch: x\n---", "# Dispatch: x\n---"),
        ("# Title\n\n---\nbody\n", ""),
        ("---\nname: x\n---\nbody\n", ""),
        ("# Dispatch: x\nwords\n---\nbody\n", ""),
        ("# Dispatch: x\n**A:** b\n", ""),
        ("", ""),
    ];
    for (file, header) in table {
        let (head, body) = split(file.as_bytes());
        assert_eq!(head, header.as_bytes(), "{file:?}");
        assert_eq!([head, body].concat(), file.as_bytes());
    }
}

#[test]
fn waves_come_from_the_record_or_from_what_overlapped() {
    let kit = Kit::new();
    let like = |phase: &str, task: Option<&str>, wave, span: Option<(i64, u64)>| Dispatch {
        phase: phase.into(),
        task: task.map(Into::into),
        wave,
        begun_at: span.map(|(minute, _)| Stamp::utc(at(minute))),
        duration_s: span.map(|(_, seconds)| seconds),
        ..kit.experiment.dispatches[0].clone()
    };
    let table: &[(&str, Vec<Dispatch>, &[usize])] = &[
        (
            "one wave, other tasks",
            vec![
                like("3", Some("1"), Some(1), None),
                like("3", Some("2"), Some(1), None),
            ],
            &[0, 0],
        ),
        (
            "another wave",
            vec![
                like("3", Some("1"), Some(1), None),
                like("3", Some("2"), Some(2), None),
            ],
            &[0, 1],
        ),
        (
            "another phase",
            vec![
                like("3", None, Some(1), None),
                like("4", None, Some(1), None),
            ],
            &[0, 1],
        ),
        (
            "a task and its review",
            vec![
                like("3", Some("1"), Some(1), None),
                like("3", Some("1"), Some(1), None),
            ],
            &[0, 1],
        ),
        (
            "unknown waves that overlapped",
            vec![
                like("2", None, None, Some((0, 120))),
                like("2", None, None, Some((1, 60))),
            ],
            &[0, 0],
        ),
        (
            "unknown waves one after another",
            vec![
                like("2", None, None, Some((0, 60))),
                like("2", None, None, Some((1, 60))),
            ],
            &[0, 1],
        ),
        (
            "nothing known",
            vec![like("2", None, None, None), like("2", None, None, None)],
            &[0, 1],
        ),
        (
            "known and unknown",
            vec![
                like("3", None, Some(1), Some((0, 120))),
                like("3", None, None, Some((1, 60))),
            ],
            &[0, 1],
        ),
    ];
    for (name, dispatches, want) in table {
        let all: Vec<&Dispatch> = dispatches.iter().collect();
        assert_eq!(waves(&all), *want, "{name}");
    }
}

//! A log that gets another name (a hard link) after the plan was made: the line would be written into that file too.

use super::cases;
use super::kit::{Case, committed, recover};
use crate::apply::error::ApplyError;
use crate::model::ErrorKind;

const LOG: &str = "/p/log.jsonl";

fn case() -> Case {
    let cases = cases::plain().into_iter();
    cases
        .filter(|case| case.name == "everything")
        .last()
        .unwrap()
}

#[test]
fn a_log_that_is_linked_before_the_commit_rolls_everything_back() {
    let case = case();
    let disk = case.world();
    let draft = (case.draft)(&disk);
    let before = disk.content(LOG).unwrap();
    // In the middle of the exchange: the first rename that the person's own files take part in.
    let quiet = case.world();
    case.carry(&quiet, &draft).unwrap();
    let last = quiet.steps();
    let start = disk.steps();
    let (mut rolled_back, mut left_out) = (0, 0);
    for step in start..last {
        let disk = case.world();
        disk.meddle_at(step, |disk| {
            disk.hard_link(LOG, "/state/second-name");
        });
        let result = case.carry(&disk, &draft);
        if disk.content("/state/second-name").is_none() {
            continue;
        }
        let untouched = disk.content("/state/second-name").unwrap() == before;
        match result {
            Err(ApplyError {
                kind: ErrorKind::RolledBack,
                text,
                ..
            }) => {
                assert!(
                    text.lossy().contains("has another name"),
                    "{step}: {text:?}"
                );
                assert!(untouched, "{step}");
                assert_eq!(disk.content("/p/a.txt").unwrap(), b"a before\n", "{step}");
                rolled_back += 1;
            }
            // After the commit it is too late to roll back, and the line is left out.
            Ok(_) => {
                assert!(committed(&disk, &case.id()), "{step}");
                // A link that is made at the write itself, or later, is not noticed.
                left_out += usize::from(untouched);
            }
            Err(other) => panic!("{step}: {other:?}"),
        }
        assert!(recover(&disk).unwrap().is_empty(), "{step}");
    }
    assert!(rolled_back > 0 && left_out > 0, "{rolled_back} {left_out}");
}

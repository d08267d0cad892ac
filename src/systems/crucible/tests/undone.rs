//! The next look after the undo of a resume: what was recorded between the two does not count.

use super::own_resume::{append, kept, resumed, written};
use super::points::chosen;
use super::testdata::at;
use super::*;
use crate::model::UndoneWork;

/// relight undid at 14:00 a resume of 12:00: the files are as they were before it, whatever was recorded in between.
#[test]
fn work_that_an_undo_discarded_is_as_if_it_had_never_begun() {
    let looks = |kit: &Kit| {
        let case = kit.open();
        let points = kit.boundaries(&case).into_iter();
        let points = points.map(|one| (one.id.0, one.kept, one.redone, one.time_lost_s));
        let points: Vec<_> = points.collect();
        (
            chosen(kit),
            kept(kit, "disk"),
            points,
            case.reading().phases.clone(),
        )
    };
    let undone = |kit: &mut Kit| {
        let work = UndoneWork {
            root: kit.proj(),
            from: at("2026-04-08T12:00:00Z").fixed_offset(),
            until: at("2026-04-08T14:00:00Z").fixed_offset(),
        };
        kit.resumes.clear();
        kit.undone = vec![work];
    };
    let replay = |seq: u64, of: u64| {
        done(seq, "implementer", "3", 0)
            .map(|line| format!("{},\"replay_of\":{of}}}", line.trim_end_matches('}')))
    };
    for with_header in [true, false] {
        let mut kit = resumed("wave-1");
        kit.resumes.clear();
        let before = looks(&kit);
        undone(&mut kit);
        append(
            &kit,
            &[replay(6, 2), replay(7, 5), done(8, "quality-gate", "4", 0)].concat(),
        );
        if with_header {
            for (seq, time) in [(6, "12:10:00"), (7, "12:20:00"), (8, "12:30:00")] {
                kit.header(seq, "implementer", time);
            }
        }
        written(
            &kit.memory().join("handoff-4-to-5.md"),
            "**Timestamp:** 2026-04-08T12:50:00Z\n",
        );
        assert_eq!(looks(&kit), before, "{with_header}");
        // What began after the undo counts.
        append(&kit, &replay(9, 5));
        kit.header(9, "inquisitor", "14:10:00");
        let path = kit.dispatch().join("manifest.jsonl");
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_modified(at("2026-04-08T14:20:00Z").into())
            .unwrap();
        if with_header {
            assert!(kept(&kit, "disk").contains(&"9".to_owned()));
        }
        // In another project, it is another run's.
        kit.undone[0].root = kit.root().join("elsewhere");
        assert_ne!(looks(&kit), before);
    }
}

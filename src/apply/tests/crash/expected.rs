//! What a plan said about a path holds when it is staged, or nothing is changed: a person confirmed "created" or
//! "overwritten" by what was there when the plan was made.

use super::cases::Sketch;
use super::judge::tree;
use super::kit::Case;
use crate::apply::draft::Expect::{self, NoFolder, Nothing, Something};
use crate::model::ErrorKind;

#[test]
fn what_came_into_a_place_after_the_plan_is_not_overwritten() {
    let nothing = "/p/fresh";
    let (file, folder, link) = ("/p/a.txt", "/p/old", "/p/link");
    let table: [(Expect, &str, bool); 9] = [
        (Nothing, nothing, true),
        (Nothing, file, false),
        (Nothing, folder, false),
        (Something, nothing, false),
        (Something, file, true),
        (Something, folder, true),
        (NoFolder, nothing, false),
        (NoFolder, link, true),
        (NoFolder, folder, false),
    ];
    for (expect, path, fits) in table {
        let case = Case::new("expected", move |_| {
            let mut draft = Sketch::default().file(path, "planned\n").0;
            draft.changes[0].expect = expect;
            draft
        });
        let disk = case.world();
        let before = tree(&disk);
        match case.carry(&disk, &(case.draft)(&disk)) {
            Ok(_) => assert!(fits, "{expect:?} {path}"),
            Err(why) if why.kind == ErrorKind::Refused => {
                assert!(!fits, "{expect:?} {path}");
                assert_eq!(tree(&disk), before, "{expect:?} {path}");
            }
            Err(other) => panic!("{expect:?} {path}: {other:?}"),
        }
    }
}

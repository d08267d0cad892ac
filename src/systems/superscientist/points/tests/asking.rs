//! What is only handed over after a question, or not at all, and what a prompt must say.

use super::*;
use crate::model::{Guard, Handoff, Prospect};

fn asked(site: &Site, point: &str) -> Vec<String> {
    let guards = site.intent(point).guards;
    let open = guards.into_iter().filter(Guard::is_open);
    open.map(|guard| guard.id.into_owned()).collect()
}

#[test]
fn a_point_in_a_remedy_is_among_the_points() {
    let site = Site::new(&[
        ("stage-1", "pending", &[]),
        ("stage-2", "completed", &["stage-1"]),
    ]);
    std::fs::remove_file(site.wf.join("stage-2/out.dat")).unwrap();
    let all = ids(&site);
    let mut named = 0;
    for check in site.checks() {
        let remedy = check.remedy.unwrap_or_default();
        let remedy = remedy.lossy();
        let Some((_, rest)) = remedy.split_once("relight plan ") else {
            continue;
        };
        named += 1;
        let command = rest.split('`').next().unwrap();
        let (wf, point) = command.split_once(" --point ").unwrap();
        assert_eq!(std::path::Path::new(wf), site.wf);
        assert!(all.iter().any(|id| id == point), "{remedy}");
    }
    assert_eq!(named, 2);
}

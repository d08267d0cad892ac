//! The sources of evidence, each in a table of situations.

mod agents;
mod locks;
mod tmux;

use super::*;
use crate::world::fake::FakeWorld;

use SignVerdict::{Negative, Note, Positive, Unreadable};

fn world() -> FakeWorld {
    FakeWorld::from("2026-04-08T15:00:00+02:00")
}

fn utc(text: &str) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(text).unwrap().to_utc()
}

fn process(pid: u32, argv: &[&str], cwd: &str) -> Process {
    Process {
        pid,
        name: argv[0].into(),
        argv: argv.iter().map(|arg| Foreign::from(*arg)).collect(),
        cwd: (!cwd.is_empty()).then(|| cwd.into()),
        started: Some(utc("2026-04-08T07:12:00Z")),
        readable: true,
        own: true,
        ..Process::default()
    }
}

fn said(evidence: &LifeEvidence) -> Vec<(SignVerdict, String)> {
    let pair = |sign: &LifeSign| (sign.verdict, sign.text.lossy().into_owned());
    evidence.signs.iter().map(pair).collect()
}

fn at_root() -> LifeQuery {
    LifeQuery {
        roots: vec!["/p/proj".into()],
        ..LifeQuery::default()
    }
}

#[test]
fn an_empty_query_asks_nothing() {
    let mut world = world();
    world.processes.unreadable = Some("no /proc".into());
    world.processes.tmux_unreadable = Some("no tmux".into());
    assert_eq!(
        gather(&world, &LifeQuery::default()),
        LifeEvidence::default()
    );
}

fn set_time(path: &Path, at: &str) {
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(utc(at).into()).unwrap();
}

#[test]
fn the_newest_write_counts_and_markers_pass_through() {
    let dir = crate::world::temporary::directory();
    for (name, at) in [("a", "2026-04-08T10:00:00Z"), ("b", "2026-04-08T11:00:00Z")] {
        std::fs::write(dir.path().join(name), "").unwrap();
        set_time(&dir.path().join(name), at);
    }
    std::os::unix::fs::symlink(dir.path(), dir.path().join("way")).unwrap();
    let place = |name: &str| Place::known(dir.path(), name).unwrap();
    let marker = LifeSign::new(SignKind::Marker, Positive, "The marker is young.");
    let mut query = LifeQuery {
        writes: vec![place("a"), place("b"), place("none"), place("way/a")],
        signs: vec![marker.clone()],
        quiet_after_s: 600,
        ..LifeQuery::default()
    };
    let evidence = gather(&world(), &query);
    assert_eq!(evidence.last_write, Some(utc("2026-04-08T11:00:00Z")));
    assert_eq!(evidence.quiet_after_s, 600);
    assert_eq!(evidence.signs[0], marker);
    assert_eq!(evidence.signs[1].verdict, Unreadable, "a link in the way");
    query.last_write = Some(utc("2026-04-08T12:00:00Z"));
    assert_eq!(gather(&world(), &query).last_write, query.last_write);
}

//! From cases to tests.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use relight::engine::{Engine, Request};

use super::asked::{Answers, ask};
use super::build::{Built, build};
use super::case::{self, Case, Expect, Fixture};
use super::compare::differences;
use super::harness::Test;
use super::world::world;
use super::{Trouble, cuts, lost, orchestrator, own, resumed, sweep, workflow};

/// All tests: the runner's own, and two a case.
pub(crate) fn tests() -> Vec<Test> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut tests = own::tests();
    match case::all(&root) {
        Ok(fixtures) => {
            for fixture in fixtures {
                tests.extend(resumed::tests(&fixture));
                let name = fixture.name.clone();
                let dir = fixture.dir.clone();
                tests.push(Test::new(format!("fixtures::{name}"), move || {
                    read(&fixture)
                }));
                if name.starts_with("autoconference::") {
                    tests.extend(conference(&name, &dir));
                }
                if name.starts_with("superscientist::") {
                    tests.extend(workflow(&name, &dir));
                }
                let again = Fixture { name, dir };
                let name = format!("cuts::{}", again.name);
                tests.push(Test::new(name, move || cut(&again)));
            }
        }
        Err(why) => tests.push(Test::new("fixtures", move || Err(Trouble(why.0.clone())))),
    }
    tests
}

/// What is asked of conferences beside: F1, F4, F8 and H5 of every one of them.
fn conference(name: &str, dir: &Path) -> [Test; 2] {
    let fixture = || Fixture {
        name: name.to_owned(),
        dir: dir.to_owned(),
    };
    let (read, lost) = (fixture(), fixture());
    [
        Test::new(format!("orchestrator::{name}"), move || {
            orchestrator::every_point(&read)
        }),
        Test::new(format!("lost_log::{name}"), move || lost::every_log(&lost)),
    ]
}

/// What is asked of workflows beside: the published protocol arrives where each plan says, and what is lost of the
/// state file or the log never looks as if nothing had been done.
fn workflow(name: &str, dir: &Path) -> [Test; 2] {
    let fixture = || Fixture {
        name: name.to_owned(),
        dir: dir.to_owned(),
    };
    let (read, harmed) = (fixture(), fixture());
    [
        Test::new(format!("orchestrator::{name}"), move || {
            workflow::arrives(&read)
        }),
        Test::new(format!("sweep::{name}"), move || sweep::lost(&harmed)),
    ]
}

/// Reads the case as a person would.
fn read(fixture: &Fixture) -> Result<(), Trouble> {
    let case = fixture.case()?;
    let built = build(fixture, &case)?;
    let expect = expected(fixture, &built)?;
    let before = picture(built.root())?;
    let found = answers(&built, &case)?;
    if picture(built.root())? != before {
        return Err(Trouble("reading changed the files".to_owned()));
    }
    let mut lines = differences(&expect, &found);
    if lines.is_empty() {
        return Ok(());
    }
    lines.insert(0, format!("{}\n", case.about));
    lines.push(format!(
        "\nfound, with {} for the folder:\n{}",
        "@R@",
        shown(&found, built.root())
    ));
    Err(Trouble(lines.join("\n")))
}

/// What the case expects, its placeholders filled.
fn expected(fixture: &Fixture, built: &Built) -> Result<Expect, Trouble> {
    let filled = built.words.bytes(&fixture.bytes("expect.json")?)?;
    serde_json::from_slice(&filled).map_err(|why| Trouble(format!("expect.json: {why}")))
}

fn answers(built: &Built, case: &Case) -> Result<Answers, Trouble> {
    let world = world(&built.words, case)?;
    let engine = Engine::new(Box::new(world), Vec::new());
    ask(&engine, &request(built, case)?)
}

/// What a person would ask for in a case.
pub(crate) fn request(built: &Built, case: &Case) -> Result<Request, Trouble> {
    let paths: Result<Vec<PathBuf>, Trouble> = case
        .open
        .iter()
        .map(|path| built.words.path(path))
        .collect();
    Ok(Request {
        cwd: built.root().to_owned(),
        paths: paths?,
        all: true,
        ..Request::default()
    })
}

fn cut(fixture: &Fixture) -> Result<(), Trouble> {
    let case = fixture.case()?;
    let built = build(fixture, &case)?;
    let world = world(&built.words, &case)?;
    cuts::cut_all(&world, built.root(), &fixture.name)
}

/// Content and time of everything beneath a folder.
pub(crate) fn picture(root: &Path) -> Result<BTreeMap<PathBuf, (Vec<u8>, SystemTime)>, Trouble> {
    let mut found = BTreeMap::new();
    let mut todo = vec![root.to_owned()];
    while let Some(dir) = todo.pop() {
        for entry in fs::read_dir(&dir)? {
            let entry = entry?;
            let meta = entry.metadata()?;
            let content = if meta.is_file() {
                fs::read(entry.path())?
            } else {
                Vec::new()
            };
            if meta.is_dir() {
                todo.push(entry.path());
            }
            found.insert(entry.path(), (content, meta.modified()?));
        }
    }
    Ok(found)
}

/// What was found, as it may be copied into `expect.json`.
fn shown(found: &Answers, root: &Path) -> String {
    let pipelines = serde_json::to_string_pretty(&found.pipelines).unwrap_or_default();
    let skipped = found.skipped.join("\n");
    format!("{pipelines}\nskipped {}:\n{skipped}", found.skipped.len())
        .replace(&*root.to_string_lossy(), "@R@")
}

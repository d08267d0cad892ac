//! Every point of every crucible case, planned in every way a person may choose, and its hand-off read as the
//! orchestrator would; and every case with its manifest or its dispatch folder lost.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use relight::engine::{Engine, Request};
use relight::model::{Pipeline, PlanOptions, PointChoice, RestoreMode, Status};

use super::build::{Built, build};
use super::case::{Case, Fixture};
use super::harness::Test;
use super::world::world;
use super::{Trouble, reader};

/// The tests of a crucible case; none for another system's.
pub(crate) fn tests(fixture: &Fixture) -> Vec<Test> {
    if !fixture.name.starts_with("crucible::") {
        return Vec::new();
    }
    let again = || Fixture {
        name: fixture.name.clone(),
        dir: fixture.dir.clone(),
    };
    let (one, other) = (again(), again());
    vec![
        Test::new(format!("h1_h3_resumed::{}", fixture.name), move || {
            resumed(&one)
        }),
        Test::new(format!("f13_lost::{}", fixture.name), move || lost(&other)),
    ]
}

fn engine(built: &Built, case: &Case) -> Result<Engine, Trouble> {
    let world = world(&built.words, case)?;
    Ok(Engine::new(Box::new(world), Vec::new()))
}

fn found(engine: &Engine, root: &Path) -> Result<Vec<Pipeline>, Trouble> {
    let request = Request {
        cwd: root.to_owned(),
        paths: vec![root.to_owned()],
        all: true,
        ..Request::default()
    };
    let survey = engine.survey(&request, &|_| {});
    let survey = survey.map_err(|why| Trouble(format!("the survey failed: {why}")))?;
    let all = survey.pipelines.into_iter();
    Ok(all.filter(|one| one.system.0 == "crucible").collect())
}

fn resumed(fixture: &Fixture) -> Result<(), Trouble> {
    let case = fixture.case()?;
    let built = build(fixture, &case)?;
    let engine = engine(&built, &case)?;
    let mut wrongs = Vec::new();
    for pipeline in found(&engine, built.root())? {
        follow(&engine, &pipeline, true, &mut wrongs)?;
    }
    if wrongs.is_empty() {
        Ok(())
    } else {
        Err(Trouble(wrongs.join("\n")))
    }
}

/// Follows the hand-off of every point of a pipeline.
fn follow(
    engine: &Engine,
    pipeline: &Pipeline,
    every_choice: bool,
    wrongs: &mut Vec<String>,
) -> Result<(), Trouble> {
    let id = &pipeline.id;
    let failed = |why: &dyn std::fmt::Display| Trouble(format!("{id}: {why}"));
    let dossier = engine.dossier(id).map_err(|why| failed(&why))?;
    for point in &dossier.points {
        let choice = PointChoice::Id(point.boundary.id.clone());
        let plan = |options: &PlanOptions| {
            engine
                .plan(id, &choice, options)
                .map_err(|why| failed(&why))
        };
        let whole = plan(&PlanOptions::default())?;
        let mut plans = vec![("overlay", whole.clone())];
        if every_choice && !whole.actions.is_empty() {
            let exact = PlanOptions {
                mode: RestoreMode::Exact,
                ..PlanOptions::default()
            };
            plans.push(("exact", plan(&exact)?));
            let mut paths = whole.actions.iter().flat_map(|action| &action.paths);
            let first = paths.find_map(|path| path.path.as_str());
            if let Some(first) = first {
                let one = PlanOptions {
                    paths: vec![PathBuf::from(first)],
                    ..PlanOptions::default()
                };
                plans.push(("one path", plan(&one)?));
            }
        }
        for (name, plan) in &plans {
            for wrong in reader::wrongs(plan)? {
                let at = &point.boundary.id;
                let prompt = plan.handoff.prompt.lossy();
                wrongs.push(format!("{at}, {name}: {wrong}\n    {prompt}"));
            }
        }
    }
    Ok(())
}

/// A way to lose records.
type Loss = (&'static str, fn(&[u8]) -> Option<Vec<u8>>);

const LOSSES: &[Loss] = &[
    ("removed", |_| None),
    ("emptied", |_| Some(Vec::new())),
    ("one byte", |bytes| bytes.get(..1).map(<[u8]>::to_vec)),
    ("cut in a line", |bytes| {
        bytes.get(..bytes.len() / 2 + 7).map(<[u8]>::to_vec)
    }),
    ("cut after a line", |bytes| {
        let half = bytes.get(..bytes.len() / 2)?;
        let end = half.iter().rposition(|byte| *byte == b'\n')?;
        bytes.get(..=end).map(<[u8]>::to_vec)
    }),
    ("cut to its first line", |bytes| {
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        bytes.get(..=end).map(<[u8]>::to_vec)
    }),
];

fn lost(fixture: &Fixture) -> Result<(), Trouble> {
    let case = fixture.case()?;
    let built = build(fixture, &case)?;
    let whole: BTreeMap<String, (bool, bool)> = {
        let engine = engine(&built, &case)?;
        let all = found(&engine, built.root())?;
        all.iter()
            .map(|one| judged(&engine, one))
            .collect::<Result<_, _>>()?
    };
    let mut manifests = Vec::new();
    named(built.root(), "manifest.jsonl", &mut manifests)?;
    let mut wrongs = Vec::new();
    for (name, loss) in LOSSES {
        let kept = damage(&manifests, *loss)?;
        check(&built, &case, &whole, name, &mut wrongs)?;
        for (path, (bytes, modified)) in kept {
            fs::write(&path, bytes)?;
            fs::File::open(&path)?.set_modified(modified)?;
        }
    }
    for entry in fs::read_dir(built.root().join("tmp")).into_iter().flatten() {
        let path = entry?.path();
        if path.is_dir() {
            fs::remove_dir_all(path)?;
        }
    }
    check(&built, &case, &whole, "restarted", &mut wrongs)?;
    named(built.root(), "manifest.jsonl", &mut manifests)?;
    manifests.retain(|path| path.is_file());
    damage(&manifests, |_| None)?;
    check(&built, &case, &whole, "restarted, no copy", &mut wrongs)?;
    let mut markers = Vec::new();
    named(built.root(), ".pipeline-active", &mut markers)?;
    damage(&markers, |bytes| {
        bytes.get(..bytes.len() / 2).map(<[u8]>::to_vec)
    })?;
    nothing_but_the_store(&built, &case, &mut wrongs)?;
    if wrongs.is_empty() {
        Ok(())
    } else {
        Err(Trouble(wrongs.join("\n")))
    }
}

type Before = BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)>;

/// Damages files; gives what they were.
fn damage(files: &[PathBuf], loss: fn(&[u8]) -> Option<Vec<u8>>) -> Result<Before, Trouble> {
    let mut before = Before::new();
    for path in files {
        let bytes = fs::read(path)?;
        let modified = fs::metadata(path)?.modified()?;
        match loss(&bytes) {
            Some(left) => {
                fs::write(path, left)?;
                fs::File::open(path)?.set_modified(modified)?;
            }
            None => fs::remove_file(path)?,
        }
        before.insert(path.clone(), (bytes, modified));
    }
    Ok(before)
}

/// Whether a run can be resumed at all, and whether starting over was the only thing to do.
fn judged(engine: &Engine, one: &Pipeline) -> Result<(String, (bool, bool)), Trouble> {
    let dossier = engine.dossier(&one.id);
    let dossier = dossier.map_err(|why| Trouble(format!("{}: {why}", one.id)))?;
    let only_fresh = dossier.points.len() == 1;
    let fresh = dossier
        .points
        .iter()
        .any(|point| point.recommended && point.boundary.id.0 == "fresh");
    let native = one.native.lossy().into_owned();
    Ok((native, (only_fresh, fresh)))
}

/// What must hold of what is left.
fn check(
    built: &Built,
    case: &Case,
    whole: &BTreeMap<String, (bool, bool)>,
    name: &str,
    wrongs: &mut Vec<String>,
) -> Result<(), Trouble> {
    let engine = engine(built, case)?;
    let all = found(&engine, built.root())?;
    for (native, (only_fresh, was_fresh)) in whole {
        let one = all.iter().find(|one| one.native.lossy() == *native);
        let Some(one) = one else {
            let mut markers = Vec::new();
            named(built.root(), ".pipeline-active", &mut markers)?;
            let is_marked = |path: &PathBuf| {
                fs::read_to_string(path).is_ok_and(|text| text.contains(native.as_str()))
            };
            if markers.iter().any(is_marked) {
                wrongs.push(format!("{name}: {native} is marked and was not found"));
            }
            continue;
        };
        if one.standing.status == Status::Unreadable {
            wrongs.push(format!(
                "{name}: {native} is unreadable: {:?}",
                one.standing.reason
            ));
        }
        let (_, (_, fresh)) = judged(&engine, one)?;
        // A debugging session can only be started over, and phase 1 has no boundary before it.
        let may = *only_fresh || (*was_fresh && name.starts_with("cut"));
        if fresh && !may {
            wrongs.push(format!("{name}: {native} would be started over"));
        }
        let mut told = Vec::new();
        follow(&engine, one, false, &mut told)?;
        wrongs.extend(told.into_iter().map(|wrong| format!("{name}: {wrong}")));
    }
    Ok(())
}

/// Where marker and manifest are lost, the checkpoints can still be reached.
fn nothing_but_the_store(
    built: &Built,
    case: &Case,
    wrongs: &mut Vec<String>,
) -> Result<(), Trouble> {
    let engine = engine(built, case)?;
    let all = found(&engine, built.root())?;
    let mut tables = Vec::new();
    named(built.root(), "checkpoint-manifest.md", &mut tables)?;
    if !tables.is_empty() && all.is_empty() {
        wrongs.push("the checkpoint store was not found".to_owned());
    }
    for one in &all {
        let (native, (only_fresh, fresh)) = judged(&engine, one)?;
        if one.standing.status == Status::Unreadable || (fresh && !only_fresh) {
            wrongs.push(format!("store alone: {native}: {:?}", one.standing));
        }
        follow(&engine, one, false, wrongs)?;
    }
    Ok(())
}

/// Files of a name beneath a folder, git directories left out.
fn named(dir: &Path, name: &str, found: &mut Vec<PathBuf>) -> Result<(), Trouble> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        let kind = fs::symlink_metadata(&path)?.file_type();
        if kind.is_dir() && !path.ends_with("objects") && !path.ends_with(".git") {
            named(&path, name, found)?;
        } else if kind.is_file() && path.ends_with(name) && !found.contains(&path) {
            found.push(path);
        }
    }
    Ok(())
}

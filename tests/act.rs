//! Carrying plans out on real worlds: what was shown is what is there afterwards, and undo and redo bring back
//! exactly what was there.

use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use relight::apply::Consent;
use relight::engine::{Engine, Request, Scope};
use relight::model::{PlanOptions, PointChoice};

/// Every path beneath a folder with what it is: bytes, link target, mode; relight's own state left out.
fn tree(root: &Path) -> BTreeMap<PathBuf, String> {
    fn walk(root: &Path, dir: &Path, all: &mut BTreeMap<PathBuf, String>) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with("home/.local") {
                continue;
            }
            let meta = std::fs::symlink_metadata(&path).unwrap();
            let mode = meta.permissions().mode();
            let what = if meta.is_symlink() {
                format!("link {:?}", std::fs::read_link(&path).unwrap())
            } else if meta.is_dir() {
                walk(root, &path, all);
                format!("dir {mode:o}")
            } else {
                let bytes = std::fs::read(&path).unwrap();
                format!(
                    "file {mode:o} {} {:?}",
                    meta.ino(),
                    String::from_utf8_lossy(&bytes)
                )
            };
            all.insert(path.strip_prefix(root).unwrap().to_owned(), what);
        }
    }
    let mut all = BTreeMap::new();
    walk(root, root, &mut all);
    all
}

#[test]
fn every_pipeline_of_the_sandbox_can_be_taken_up_undone_and_redone() {
    let dir = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(dir.path()).unwrap().join("sandbox");
    relight::demo::build(&root, chrono::Utc::now()).unwrap();
    let engine = Engine::of_this_machine(Vec::new(), &[&root]).with_quiet(Duration::ZERO);
    let request = Request {
        cwd: root.clone(),
        scope: Some(Scope::Machine),
        all: true,
        ..Request::default()
    };
    let survey = engine.survey(&request, &|_| {}).unwrap();
    let mut acted = 0;
    for pipeline in &survey.pipelines {
        let Ok(dossier) = engine.dossier(&pipeline.id) else {
            continue;
        };
        for point in dossier.points {
            let choice = PointChoice::Id(point.boundary.id.clone());
            let options = PlanOptions {
                assume_stopped: true,
                ..PlanOptions::default()
            };
            let plan = engine.plan(&pipeline.id, &choice, &options).unwrap();
            if plan.actions.is_empty() || plan.guards.iter().any(|g| !g.holds) {
                continue;
            }
            let name = format!("{} {}", pipeline.id, point.boundary.id);
            let before = tree(&root);
            let outcome = engine
                .carry_out(&plan, &Consent::yes(&plan), &|_| {})
                .unwrap_or_else(|e| panic!("{name}: {e} {:?}", e.hints));
            let after = tree(&root);
            assert_ne!(before, after, "{name}");
            let recovery = outcome.recovery.unwrap();
            let undo = engine
                .undo_plan(Some(&recovery.id.0), false, &[], &request)
                .unwrap();
            if !undo.actions.is_empty() {
                engine
                    .carry_out(&undo, &Consent::yes(&undo), &|_| {})
                    .unwrap_or_else(|e| panic!("undo {name}: {e} {:?}", e.hints));
            }
            let logs = |path: &PathBuf| {
                path.extension().is_some_and(|e| e == "jsonl" || e == "log")
                    || path.ends_with("ROLLBACK_LOG.md")
                    || path.ends_with(".backup")
                    || path
                        .parent()
                        .is_some_and(|above| above.ends_with(".backup"))
                    || path.to_string_lossy().contains(".git/")
            };
            let differ =
                |a: &BTreeMap<PathBuf, String>, b: &BTreeMap<PathBuf, String>| -> Vec<String> {
                    let keys: std::collections::BTreeSet<_> = a.keys().chain(b.keys()).collect();
                    keys.into_iter()
                        .filter(|k| !logs(k) && a.get(*k) != b.get(*k))
                        .map(|k| format!("{}: {:?} {:?}", k.display(), a.get(k), b.get(k)))
                        .collect()
                };
            let undone = tree(&root);
            assert_eq!(differ(&before, &undone), Vec::<String>::new(), "{name}");
            if !undo.actions.is_empty() {
                let redo = engine.undo_plan(None, true, &[], &request).unwrap();
                engine
                    .carry_out(&redo, &Consent::yes(&redo), &|_| {})
                    .unwrap_or_else(|e| panic!("redo {name}: {e} {:?}", e.hints));
                assert_eq!(differ(&after, &tree(&root)), Vec::<String>::new(), "{name}");
                let again = engine.undo_plan(None, false, &[], &request).unwrap();
                engine
                    .carry_out(&again, &Consent::yes(&again), &|_| {})
                    .unwrap();
            }
            acted += 1;
        }
    }
    assert!(acted > 20, "{acted}");
}

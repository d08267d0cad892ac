//! A mode and a type are said wherever a change is: every form in the place of every other one, with the same bytes and
//! with others, in the plan, its differences, the record, the comparison, the undo and the redo.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use relight::model::{Action, Comparison, Plan, RecoveryId, RestoreMode, UndoOptions};

use super::git;
use super::project::{Project, carry, options};

const FORMS: [&str; 5] = ["file", "executable", "link", "directory", "missing"];

/// What was in the checkpoint, what is there now, and whether the bytes are others.
type Cell = (&'static str, &'static str, bool);

fn cells() -> impl Iterator<Item = Cell> {
    let pairs = FORMS
        .into_iter()
        .flat_map(|was| FORMS.map(move |now| (was, now)));
    pairs.flat_map(|(was, now)| [(was, now, false), (was, now, true)])
}

fn name((was, now, other): Cell) -> String {
    format!("{was}-{now}-{}", if other { "other" } else { "same" })
}

fn make(path: &Path, form: &str, bytes: &str) {
    match form {
        "link" => symlink(bytes, path).unwrap(),
        "directory" => {
            fs::create_dir(path).unwrap();
            fs::write(path.join("in"), format!("in {bytes}")).unwrap();
        }
        "file" | "executable" => {
            fs::write(path, bytes).unwrap();
            let mode = if form == "file" { 0o644 } else { 0o755 };
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
        _ => {}
    }
}

/// A project of all cells; its checkpoint.
fn project() -> (Project, String) {
    let project = Project::new();
    project.write("a", "a\n");
    project.commit("work", "2031-03-02T09:30:00Z");
    for cell in cells() {
        make(&project.path(name(cell)), cell.0, &name(cell));
    }
    let taken = "2031-03-02T10:00:00Z";
    let id = project.shadow.snapshot("pre-wave-1", taken);
    project.records();
    for cell in cells() {
        let path = project.path(name(cell));
        if cell.0 == "directory" {
            fs::remove_dir_all(&path).unwrap();
        } else if cell.0 != "missing" {
            fs::remove_file(&path).unwrap();
        }
        let more = if cell.2 { " edited" } else { "" };
        make(&path, cell.1, &format!("{}{more}", name(cell)));
    }
    (project, id)
}

/// What must be said where each cell goes from the one form to the other.
fn expected(back: bool) -> Vec<String> {
    let row = |cell: Cell| {
        let (before, after) = if back {
            (cell.0, cell.1)
        } else {
            (cell.1, cell.0)
        };
        let links = [before, after].contains(&"link");
        let said = match (before, after) {
            (one, other) if one == other && !(cell.2 && links) => return None,
            ("file", "executable") => "mode 644 → 755".to_owned(),
            ("executable", "file") => "mode 755 → 644".to_owned(),
            (one, other) if one == other || [one, other].contains(&"missing") => {
                if !links {
                    return None;
                }
                "symbolic link".to_owned()
            }
            (one, other) => format!("{one} → {other}").replace("link", "symbolic link"),
        };
        Some(format!("{}: {said}", name(cell)))
    };
    sorted(cells().filter_map(row).collect())
}

fn sorted(mut rows: Vec<String>) -> Vec<String> {
    rows.sort();
    rows
}

fn said(actions: &[Action]) -> Vec<String> {
    let paths = actions.iter().flat_map(|action| &action.paths);
    let row = |path: &relight::model::PlanPath| {
        let said = path.forms.said()?;
        Some(format!("{}: {said}", path.path.lossy()))
    };
    sorted(paths.filter_map(row).collect())
}

/// The same of the differences of a plan, which are read by themselves.
fn said_of_sides(project: &Project, plan: &Plan) -> Vec<String> {
    let engine = project.engine();
    let mut rows = Vec::new();
    for (at, action) in plan.actions.iter().enumerate() {
        let changed = (0..action.paths.len()).filter(|path| action.changes_file(*path));
        for path in changed {
            let sides = engine.sides(plan, at, Some(path));
            let sides = sides.unwrap_or_else(|why| panic!("{why} {:?}", action.paths[path]));
            let said = sides.forms.said();
            rows.extend(said.map(|said| format!("{}: {said}", sides.title.lossy())));
        }
    }
    sorted(rows)
}

fn compared(project: &Project, plan: &Plan, recovery: &RecoveryId) -> Comparison {
    let engine = project.engine();
    let _survey = engine.survey(&project.request(), &|_| {}).unwrap();
    let found = engine.compare(&plan.pipeline, Some(&recovery.0), None);
    found.unwrap_or_else(|why| panic!("{why}"))
}

fn files(actions: &[Action]) -> u64 {
    let changes = actions.iter().filter_map(|action| action.changes);
    changes.map(relight::model::ChangeCounts::files).sum()
}

#[test]
fn every_form_in_the_place_of_every_other_is_said() {
    if !git::is_there() {
        return;
    }
    let (project, id) = project();
    let before = project.now();
    let (plan, outcome) = project.restore(&id, &options(RestoreMode::Exact));
    assert_eq!(said(&plan.actions), expected(false));
    let recovery = outcome.recovery.unwrap();
    assert_eq!(said(&recovery.actions), expected(false));

    let none = UndoOptions::default();
    for (redo, back) in [(false, true), (true, false)] {
        let (engine, request) = (project.engine(), project.request());
        let undo = engine.undo_plan(Some(&recovery.id.0), redo, &none, &request);
        let undo = undo.unwrap_or_else(|why| panic!("{why} {:?}", why.hints));
        assert_eq!(said(&undo.actions), expected(back), "redo: {redo}");
        assert_eq!(said_of_sides(&project, &undo), expected(back));
        let done = carry(&engine, &undo).unwrap().recovery.unwrap();
        assert_eq!(said(&done.actions), expected(back));
        if back {
            project.now().same(&before);
            let again = project.plan(&project.engine(), &id, &options(RestoreMode::Exact));
            assert_eq!(said_of_sides(&project, &again), expected(false));
        }
    }
}

#[test]
fn a_comparison_counts_what_the_recovery_changed() {
    if !git::is_there() {
        return;
    }
    let (project, id) = project();
    let (plan, outcome) = project.restore(&id, &options(RestoreMode::Exact));
    let recovery = outcome.recovery.unwrap();
    // Undone, each side is in the place of the other.
    for undone in [false, true] {
        if undone {
            project.undo(Some(&recovery.id), false);
        }
        let found = compared(&project, &plan, &recovery.id).artifacts.unwrap();
        let remarks = found.files.iter();
        let remarks = remarks.filter_map(|file| {
            let remark = file.remark()?;
            Some(format!("{}: {}", file.path.lossy(), remark.lossy()))
        });
        assert_eq!(sorted(remarks.collect()), expected(false), "{undone}");
        assert_eq!(found.files.len() as u64, files(&recovery.actions));
    }
}

#[test]
fn nothing_is_read_through_a_link_in_the_place_of_a_directory() {
    if !git::is_there() {
        return;
    }
    let project = Project::new();
    project.write("elsewhere/in", "elsewhere\n");
    project.write("own/in", "own\n");
    project.commit("work", "2031-03-02T09:30:00Z");
    let taken = "2031-03-02T10:00:00Z";
    let id = project.shadow.snapshot("pre-wave-1", taken);
    project.records();
    fs::remove_dir_all(project.path("own")).unwrap();
    symlink("elsewhere", project.path("own")).unwrap();

    let sides = |plan: &Plan| {
        let action = &plan.actions[0];
        let at = action
            .paths
            .iter()
            .position(|path| path.path.lossy() == "own/in");
        let sides = project.engine().sides(plan, 0, at).unwrap();
        [sides.before, sides.after]
    };
    let own = || Some(b"own\n".to_vec());
    let options = options(RestoreMode::Overlay);
    let plan = project.plan(&project.engine(), &id, &options);
    assert_eq!(sides(&plan), [None, own()]);
    let (plan, outcome) = project.restore(&id, &options);
    let recovery = outcome.recovery.unwrap();
    let found = compared(&project, &plan, &recovery.id).artifacts.unwrap();
    let rows = found.files.iter();
    let rows = rows.map(|file| format!("{} {}", file.change.word(), file.path.lossy()));
    assert_eq!(rows.collect::<Vec<_>>(), ["removed own", "added own/in"]);
    let (engine, request) = (project.engine(), project.request());
    let undo = engine.undo_plan(
        Some(&recovery.id.0),
        false,
        &UndoOptions::default(),
        &request,
    );
    assert_eq!(sides(&undo.unwrap()), [own(), None]);
}

//! What a crash left: said by what reads, settled by what acts, and by nothing else.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::kind;
use super::sandbox::{Sandbox, Tree, differences};

/// A sandbox with a recovery, as it was before it, and the recovery's id.
pub(super) fn done() -> (Sandbox, Tree, String) {
    let sandbox = Sandbox::new();
    let before = sandbox.persons();
    let (code, done) = sandbox.json(&["resume", "mgw-57", "step-plan", "--yes"]);
    assert_eq!(code, 0, "{done}");
    let id = done["recovery"]["id"].as_str().unwrap().to_owned();
    (sandbox, before, id)
}

/// Puts the markers back, as if the process had been killed before it moved them.
pub(crate) fn cut_short(sandbox: &Sandbox, id: &str, markers: &[(&str, &str)]) {
    let state = sandbox.root().join("home/.local/state/relight");
    let homes = fs::read_dir(state)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let folder = homes
        .map(|home| home.join(id))
        .find(|folder| folder.exists())
        .unwrap();
    for (marker, slot) in markers {
        fs::rename(folder.join(marker), folder.join(slot)).unwrap();
    }
}

pub(crate) const UNCOMMITTED: &[(&str, &str)] =
    &[("DONE", "done.slot"), ("COMMITTED", "committed.slot")];
const UNFINISHED: &[(&str, &str)] = &[("DONE", "done.slot")];

#[test]
fn what_reads_says_it_and_leaves_it() {
    let (sandbox, _, id) = done();
    let (_, list) = sandbox.json(&["list"]);
    assert_eq!(list["pending_recovery"], Value::Null);
    cut_short(&sandbox, &id, UNCOMMITTED);
    let left = sandbox.all();
    let (code, list) = sandbox.json(&["list"]);
    assert_eq!(
        (code, &list["pending_recovery"]),
        (0, &Value::from(id.as_str()))
    );
    let said = sandbox.run(&["list"]).stderr;
    let said = String::from_utf8(said).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains(&format!("relight recover {id}")), "{said}");
    assert_eq!(sandbox.run(&["list", "--quiet"]).stderr.len(), 0);
    // No recovery is in these: only who looks at all that is kept hears of them.
    let own = sandbox.root().join("home/.local/state/relight");
    for name in ["handoffs", "rehearsals"] {
        let path = own.join(name);
        let aside = path.with_extension("aside");
        let is_there = path.exists();
        if is_there {
            fs::rename(&path, &aside).unwrap();
        }
        fs::write(&path, "").unwrap();
        let said = sandbox.run(&["list"]).stderr;
        assert_eq!(String::from_utf8_lossy(&said).lines().count(), 1, "{name}");
        let said = sandbox.run(&["history"]).stderr;
        assert!(String::from_utf8_lossy(&said).contains(name), "{name}");
        fs::remove_file(&path).unwrap();
        if is_there {
            fs::rename(&aside, &path).unwrap();
        }
    }
    let (_, history) = sandbox.json(&["history"]);
    assert_eq!(history["recoveries"][0]["state"], "needs_attention");
    let page = String::from_utf8(sandbox.run(&["history"]).stdout).unwrap();
    let recover = format!("relight recover {id}");
    assert_eq!(page.matches(&recover).count(), 1, "{page}");
    for args in [
        &["show", "mgw-57"][..],
        &["plan", "mgw-57", "step-plan"],
        &["points", "mgw-57"],
    ] {
        sandbox.run(args);
    }
    // Not even acting settles it without consent.
    let (code, refused) = sandbox.json(&["recover"]);
    assert_eq!((code, kind(&refused)), (4, "consent"), "{refused}");
    // A hand-off from half of a restore would resume from a state that no plan describes.
    let (code, refused) = sandbox.json(&["resume", "mgw-57", "--assume-stopped"]);
    assert_eq!((code, kind(&refused)), (3, "refused"), "{refused}");
    let hints = refused["error"]["hints"].to_string();
    assert!(hints.contains(&format!("relight recover {id}")), "{hints}");
    assert_eq!(differences(&left, &sandbox.all()), Vec::<PathBuf>::new());
}

/// One that another relight is applying at this moment looks the same on disk, but was not interrupted.
#[test]
fn what_is_running_is_not_called_interrupted() {
    let (sandbox, _, id) = done();
    cut_short(&sandbox, &id, UNCOMMITTED);
    let state = sandbox.root().join("home/.local/state/relight");
    let homes = fs::read_dir(state).unwrap();
    let mut homes = homes.map(|entry| entry.unwrap().path());
    let home = homes.find(|home| home.join(&id).exists()).unwrap();
    let lock = fs::File::open(home.join("lock")).unwrap();
    lock.try_lock().unwrap();
    let (code, list) = sandbox.json(&["list"]);
    assert_eq!((code, &list["pending_recovery"]), (0, &Value::Null));
    for args in [&["list"][..], &["history"], &["doctor"]] {
        let output = sandbox.run(args);
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        assert!(!said.contains("was interrupted"), "{args:?}: {said}");
        assert!(!said.contains("relight recover"), "{args:?}: {said}");
        assert!(args == ["doctor"] || said.contains(&id), "{args:?}: {said}");
    }
    let (_, history) = sandbox.json(&["history"]);
    assert_eq!(history["recoveries"][0]["running"], true);
    let (code, refused) = sandbox.json(&["resume", "mgw-57", "step-plan", "--yes"]);
    assert_eq!((code, kind(&refused)), (3, "refused"), "{refused}");
    drop(lock);
    let (_, list) = sandbox.json(&["list"]);
    assert_eq!(list["pending_recovery"], id.as_str());
}

#[test]
fn what_was_not_committed_is_rolled_back_and_cannot_be_finished() {
    let (sandbox, before, id) = done();
    cut_short(&sandbox, &id, UNCOMMITTED);
    let (code, refused) = sandbox.json(&["recover", &id, "--finish", "--yes"]);
    assert_eq!((code, kind(&refused)), (3, "refused"), "{refused}");
    let (code, settled) = sandbox.json(&["recover", "--yes"]);
    assert_eq!(
        (code, &settled["recovery"]["state"]),
        (0, &Value::from("rolled_back")),
        "{settled}"
    );
    assert_eq!(
        differences(&before, &sandbox.persons()),
        Vec::<PathBuf>::new()
    );
    let (_, list) = sandbox.json(&["list"]);
    assert_eq!(list["pending_recovery"], Value::Null);
    let (code, _) = sandbox.json(&["undo", "--yes"]);
    assert_eq!(code, 1, "what was rolled back is not undone");
    let (code, refused) = sandbox.json(&["recover", &id, "--finish", "--yes"]);
    assert_eq!((code, kind(&refused)), (3, "refused"), "{refused}");
    let hints = refused["error"]["hints"].to_string();
    assert!(
        !hints.contains("relight recover"),
        "it would do nothing: {hints}"
    );
}

#[test]
fn what_was_committed_is_finished_and_cannot_be_rolled_back() {
    let (sandbox, _, id) = done();
    let after = sandbox.persons();
    cut_short(&sandbox, &id, UNFINISHED);
    let (code, refused) = sandbox.json(&["recover", &id, "--roll-back", "--yes"]);
    assert_eq!((code, kind(&refused)), (3, "refused"), "{refused}");
    let (code, settled) = sandbox.json(&["recover", &id, "--finish", "--yes"]);
    assert_eq!(
        (code, &settled["recovery"]["state"]),
        (0, &Value::from("committed")),
        "{settled}"
    );
    assert_eq!(
        differences(&after, &sandbox.persons()),
        Vec::<PathBuf>::new()
    );
}

#[test]
fn the_next_act_settles_it_first_and_says_so() {
    let (sandbox, before, id) = done();
    cut_short(&sandbox, &id, UNCOMMITTED);
    let (code, answer) = sandbox.json(&["resume", "mgw-57", "fresh", "--assume-stopped", "--yes"]);
    // Either the plan still holds once the old one is rolled back, or it is refused and must be looked at again.
    assert!(code == 0 || code == 3, "{answer}");
    let (_, list) = sandbox.json(&["list"]);
    assert_eq!(list["pending_recovery"], Value::Null, "{answer}");
    let (_, history) = sandbox.json(&["history"]);
    let all = history["recoveries"].as_array().unwrap();
    let old = all.iter().find(|r| r["id"] == id.as_str()).unwrap();
    assert_eq!(old["state"], "rolled_back");
    if code == 3 {
        assert_eq!(
            differences(&before, &sandbox.persons()),
            Vec::<PathBuf>::new()
        );
    }
}

#[test]
fn a_crash_is_not_recovered_from_under_a_live_agent_nor_where_nothing_is_known() {
    let (sandbox, _, id) = done();
    cut_short(&sandbox, &id, UNCOMMITTED);
    let (_, shown) = sandbox.json(&["show", "mgw-57"]);
    let file = shown["pipeline"]["state_files"][0].as_str().unwrap();
    let left = sandbox.persons();
    let assumed = ["recover", &id, "--assume-stopped", "--yes"];
    let mut agent = std::process::Command::new("/bin/sleep")
        .arg("600")
        .stdout(fs::OpenOptions::new().append(true).open(file).unwrap())
        .spawn()
        .unwrap();
    let (code, alive) = sandbox.json(&assumed);
    agent.kill().unwrap();
    agent.wait().unwrap();
    assert_eq!((code, kind(&alive)), (3, "refused"), "{alive}");
    assert_eq!(alive["error"]["guards"][0]["id"], "liveness", "{alive}");
    // Something wrote after the crash, and whether it still runs cannot be known.
    // Opened to be read: what is open for writing here is open in every program that another test just starts.
    let written = fs::File::open(file).unwrap();
    written.set_modified(std::time::SystemTime::now()).unwrap();
    let (code, unknown) = sandbox.json(&["recover", &id, "--yes"]);
    assert_eq!((code, kind(&unknown)), (3, "refused"), "{unknown}");
    assert!(
        unknown.to_string().contains("--assume-stopped"),
        "{unknown}"
    );
    assert_eq!(
        differences(&left, &sandbox.persons()),
        Vec::<PathBuf>::new()
    );
    // What is copied out is asked nothing.
    let to = sandbox.root().join("out");
    let (code, answer) = sandbox.json(&["recover", &id, "--export", to.to_str().unwrap()]);
    assert_eq!(code, 0, "{answer}");
    let (code, answer) = sandbox.json(&assumed);
    assert_eq!(code, 0, "{answer}");
}

/// A file that somebody deleted meanwhile was not changed, and is not kept.
#[test]
fn a_deleted_file_is_said_to_be_deleted() {
    let (sandbox, _, id) = done();
    cut_short(&sandbox, &id, UNCOMMITTED);
    let state = sandbox
        .root()
        .join("projects/notes/.mgw/active/57-cache-lookups.json");
    fs::remove_file(&state).unwrap();
    let recover = ["recover", &id, "--yes", "--assume-stopped"];
    let (code, recovered) = sandbox.json(&recover);
    assert_eq!(code, 0, "{recovered}");
    let said = recovered.to_string();
    assert!(
        said.contains("57-cache-lookups.json was deleted by another program and stays deleted."),
        "{said}"
    );
    assert!(!state.exists());
}

/// A path that the recovery does not have is refused, also where it was interrupted before it changed anything.
#[test]
fn a_mistyped_path_to_keep_is_refused_before_anything_was_exchanged() {
    let (sandbox, _, id) = done();
    cut_short(&sandbox, &id, UNCOMMITTED);
    let state = sandbox.root().join("home/.local/state/relight");
    let homes = fs::read_dir(state).unwrap();
    let folder = homes
        .map(|home| home.unwrap().path().join(&id))
        .find(|folder| folder.exists())
        .unwrap();
    fs::remove_file(folder.join("journal")).unwrap();
    let recover =
        |path| sandbox.json(&["recover", &id, "--yes", "--assume-stopped", "--keep", path]);
    let (code, refused) = recover("projects/notes/.mgw/active/57-cache-lookup.json");
    assert_eq!((code, kind(&refused)), (2, "not_found"), "{refused}");
    // All of it may be kept.
    let (code, recovered) = recover("projects/notes/.worktrees/issue/57-cache-lookups");
    assert_eq!(code, 0, "{recovered}");
}

#[test]
fn a_pending_recovery_is_a_failing_guard_of_every_plan_of_its_pipeline() {
    for marks in [UNCOMMITTED, UNFINISHED] {
        let (sandbox, _, id) = done();
        let (_, plan) = sandbox.json(&["plan", "mgw-57", "fresh"]);
        assert!(!plan.to_string().contains("pending_recovery"), "{plan}");
        cut_short(&sandbox, &id, marks);
        let (_, plan) = sandbox.json(&["plan", "mgw-57", "fresh"]);
        let guards = plan["plan"]["guards"].as_array().unwrap();
        let guard = guards.iter().find(|g| g["id"] == "pending_recovery");
        let guard = guard.unwrap_or_else(|| panic!("{plan}"));
        assert_eq!(guard["holds"], false);
        let cure = guard["would_hold_if"].as_str().unwrap();
        assert!(cure.contains(&format!("relight recover {id}")), "{cure}");
    }
}

/// `--yes` covers the plan that was there before; the one after recovering is another, which nobody has seen.
#[test]
fn after_recovering_another_plan_is_not_applied_unseen() {
    let resume = ["resume", "mgw-57", "fresh", "--assume-stopped", "--yes"];
    let (sandbox, _, id) = done();
    cut_short(&sandbox, &id, UNCOMMITTED);
    let (code, refused) = sandbox.json(&resume);
    assert_eq!((code, kind(&refused)), (3, "refused"), "{refused}");
    let said = refused["error"].to_string();
    assert!(
        said.contains(&id) && said.contains("Review the new plan"),
        "{said}"
    );
    let (_, history) = sandbox.json(&["history"]);
    let all = history["recoveries"].as_array().unwrap();
    assert_eq!(all.len(), 1, "nothing else was applied: {history}");
    assert_ne!(all[0]["state"], "needs_attention", "{history}");
    let (code, done) = sandbox.json(&resume);
    assert_eq!(code, 0, "{done}");
}

/// Where recovering leaves the files as the plan read them, the plan does the same.
#[test]
fn after_recovering_the_same_plan_is_applied() {
    let (sandbox, _, id) = done();
    cut_short(&sandbox, &id, UNFINISHED);
    let (code, done) = sandbox.json(&["resume", "mgw-57", "fresh", "--assume-stopped", "--yes"]);
    assert_eq!(code, 0, "{done}");
    assert!(done["notes"].to_string().contains(&id), "{done}");
}

/// The name of the briefing is in the prompt of an agent that may run now.
#[test]
fn an_undo_says_in_the_briefing_that_it_is_void_and_a_redo_takes_it_back() {
    let sandbox = Sandbox::new();
    let (_, done) = sandbox.json(&["resume", "mgw-57", "step-plan", "--yes"]);
    let id = done["recovery"]["id"].as_str().unwrap();
    let file = done["handoff"]["briefing_file"].as_str().unwrap();
    let read = || fs::read_to_string(file).unwrap();
    let whole = read();
    for _ in 0..2 {
        let (code, undone) = sandbox.json(&["undo", id, "--yes", "--assume-stopped"]);
        assert_eq!(code, 0, "{undone}");
        let void = read();
        let first = void.lines().next().unwrap();
        assert!(first.starts_with("This hand-off is void: "), "{first}");
        assert!(
            first.contains(id) && first.contains("relight resume mgw-57"),
            "{first}"
        );
        assert!(void.ends_with(&whole), "{void}");
        let (code, redone) = sandbox.json(&["redo", id, "--yes", "--assume-stopped"]);
        assert_eq!(code, 0, "{redone}");
        assert_eq!(read(), whole);
    }
}

/// A later recovery, or a hand-off that changed nothing, leaves none of the older briefings in force.
#[test]
fn only_the_newest_hand_off_is_in_force() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let resume = |point: &str| {
        let (code, done) = sandbox.json(&["resume", &id, point, "--yes", "--assume-stopped"]);
        assert_eq!(code, 0, "{done}");
        let file = done["handoff"]["briefing_file"].as_str().unwrap();
        (file.to_owned(), done["recovery"]["id"].clone())
    };
    let is_void = |file: &str| {
        let text = fs::read_to_string(file).unwrap();
        text.starts_with("This hand-off is void: ")
    };
    let (first, _) = resume("wave-2");
    let (same, none) = resume("wave-2");
    assert!(none.is_null() && same != first);
    assert!(!is_void(&first) && !is_void(&same));
    let (later, _) = resume("phase-2");
    assert!(is_void(&first) && is_void(&same) && !is_void(&later));
    let (code, undone) = sandbox.json(&["undo", "--yes", "--assume-stopped"]);
    assert_eq!(code, 0, "{undone}");
    // The files are as after the first recovery again.
    assert!(!is_void(&first) && is_void(&later));
    let (code, undone) = sandbox.json(&["undo", "--yes", "--assume-stopped"]);
    assert_eq!(code, 0, "{undone}");
    assert!(is_void(&first) && is_void(&same) && is_void(&later));
}

#[test]
fn lines_are_named_only_where_some_must_still_be_appended() {
    let (sandbox, _, id) = done();
    cut_short(&sandbox, &id, UNFINISHED);
    let (_, history) = sandbox.json(&["history"]);
    let recovery = &history["recoveries"][0];
    let appends = recovery["actions"].to_string().contains("append_lines");
    assert!(!appends, "{recovery}");
    let trouble = recovery["trouble"].to_string();
    assert!(
        trouble.contains("only its record is not completed"),
        "{trouble}"
    );
}

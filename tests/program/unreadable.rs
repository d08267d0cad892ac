//! Directories that may not be read: what could lie in them is never reported as "nothing there".

mod unknown;

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A sandbox that belongs to a user to whom permissions apply.
struct Scene {
    dir: tempfile::TempDir,
    /// The binary, where that user may run it.
    program: PathBuf,
    /// Whether the test runs as root, to whom permissions do not apply.
    root: bool,
}

impl Scene {
    /// `None` where nobody else's view can be had.
    fn new() -> Option<Self> {
        let dir = crate::support::temporary::directory();
        let root = fs::metadata(dir.path()).unwrap().uid() == 0;
        if root && !Path::new("/usr/bin/setpriv").exists() {
            println!("skipped: permissions do not apply to root, and there is no setpriv");
            return None;
        }
        relight::demo::build(&dir.path().join("demo"), chrono::Utc::now()).unwrap();
        let built = assert_cmd::cargo::cargo_bin!("relight");
        let program = dir.path().join("relight");
        if fs::hard_link(built, &program).is_err() {
            // By another process: a child of another test could inherit the open copy, and what is open for writing
            // cannot be started.
            let copied = Command::new("cp").arg(built).arg(&program).status();
            assert!(copied.unwrap().success());
        }
        if root {
            fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
            let owner = ["-R", "65534:65534", "demo"];
            let mut chown = Command::new("chown");
            let status = chown.args(owner).current_dir(dir.path()).status().unwrap();
            assert!(status.success());
        }
        Some(Self { dir, program, root })
    }

    fn path(&self, rel: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(rel)
    }

    fn relight(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = if self.root {
            let mut command = Command::new("/usr/bin/setpriv");
            command
                .args(["--reuid=65534", "--clear-groups"])
                .arg(&self.program);
            command
        } else {
            Command::new(&self.program)
        };
        command
            .args(args)
            .current_dir(self.path("demo/projects"))
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.path("demo/home"))
            .env("TMPDIR", self.path("demo/home").join("tmp"))
            .env("XDG_STATE_HOME", self.path("demo/home/state"))
            .env("TZ", "UTC")
            .env("COLUMNS", "100");
        command
    }

    fn json(&self, args: &[&str]) -> (i32, Value) {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let output = self.relight(&args);
        let value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code().unwrap(), value)
    }
}

#[test]
fn a_directory_that_cannot_be_read_is_reported_wherever_pipelines_are_looked_for() {
    let Some(scene) = Scene::new() else { return };
    let (_, whole) = scene.json(&["list", "--all"]);
    let number = |list: &Value| list["pipelines"].as_array().unwrap().len();
    for (folder, mode) in [
        ("projects/notes", 0o000),
        ("projects/notes/.mgw", 0o000),
        ("projects/notes/.mgw/active", 0o000),
        // Its entries have names, and nothing else can be known of them.
        ("projects/notes/.mgw", 0o600),
        ("projects/lab", 0o000),
        ("home/.claude/projects", 0o000),
    ] {
        let path = scene.path("demo").join(folder);
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let (code, list) = scene.json(&["list", "--all"]);
        let (unwell, doctor) = scene.json(&["doctor"]);
        let text = scene.relight(&["list"]);
        let (refused, error) = scene.json(&["list", path.to_str().unwrap()]);
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();

        let said = |one: &&Value| one["path"] == path.to_str().unwrap();
        let skipped = list["skipped"].as_array().unwrap().iter().find(said);
        let skipped = skipped.unwrap_or_else(|| panic!("{folder} is not in {list:#}"));
        assert_eq!(skipped["reason"], "cannot be read: permission denied");
        assert_eq!(code, 0, "{folder}");
        assert!(number(&list) < number(&whole), "{folder}");
        let problems = doctor["problems"].as_array().unwrap();
        let named = |one: &&Value| {
            let text = one.as_str().unwrap();
            let shown = folder.trim_start_matches("home/");
            text.ends_with("cannot be read: permission denied") && text.contains(shown)
        };
        assert_eq!(problems.iter().filter(named).count(), 1, "{problems:?}");
        assert_eq!(unwell, 1, "{folder}");
        let shown = String::from_utf8_lossy(&text.stdout);
        assert!(shown.contains("1 path cannot be read"), "{shown}");
        let noted = String::from_utf8_lossy(&text.stderr);
        assert!(
            noted.contains("cannot be read: permission denied"),
            "{noted}"
        );
        if mode == 0o000 {
            assert_eq!(refused, 5, "{folder}: {error:#}");
            assert_eq!(error["error"]["kind"], "unreadable");
        }
    }
}

#[test]
fn a_path_in_a_directory_that_cannot_be_read_is_not_said_to_be_missing() {
    let Some(scene) = Scene::new() else { return };
    let notes = scene.path("demo/projects/notes");
    fs::set_permissions(&notes, Permissions::from_mode(0o000)).unwrap();
    let inside = scene.json(&["list", "notes/.mgw"]);
    let shown = scene.json(&["show", "notes"]);
    fs::set_permissions(&notes, Permissions::from_mode(0o755)).unwrap();
    for (code, error) in [inside, shown] {
        assert_eq!((code, &error["error"]["kind"]), (5, &"unreadable".into()));
        let text = error["error"]["text"].as_str().unwrap();
        assert!(
            text.ends_with("cannot be read: permission denied."),
            "{text}"
        );
    }
}

/// The fault that stops the commands that need the state is reported, and does not stop the others.
#[test]
fn a_state_directory_that_cannot_be_read_is_named_with_a_remedy() {
    let Some(scene) = Scene::new() else { return };
    fs::remove_file(scene.path("demo/.relight-sandbox")).unwrap();
    let state = scene.path("demo/home").join("state/relight");
    fs::create_dir_all(&state).unwrap();
    if scene.root {
        let owner = ["-R", "65534:65534", "home"];
        let mut chown = Command::new("chown");
        let status = chown.args(owner).current_dir(scene.path("demo")).status();
        assert!(status.unwrap().success());
    }
    let named = state.to_str().unwrap();
    let problem = |doctor: &Value| {
        let problems = doctor["problems"].as_array().unwrap();
        let mut state = problems.iter().map(|one| one.as_str().unwrap());
        let found = state.find(|one| one.starts_with("state directory: "));
        found.map(str::to_owned)
    };
    assert_eq!(problem(&scene.json(&["doctor"]).1), None);
    fs::set_permissions(&state, Permissions::from_mode(0o500)).unwrap();
    let (_, unwritable) = scene.json(&["doctor"]);
    fs::set_permissions(&state, Permissions::from_mode(0o000)).unwrap();
    let (code, doctor) = scene.json(&["doctor"]);
    let (readable, answer) = scene.json(&["show", "labels"]);
    let note = scene.relight(&["show", "labels"]);
    let refused = ["history", "resume", "undo"].map(|command| match command {
        "history" => scene.json(&["history", "20261126T010203"]),
        "resume" => scene.json(&["resume", "mgw-57", "--yes"]),
        other => scene.json(&[other, "--yes"]),
    });
    fs::set_permissions(&state, Permissions::from_mode(0o755)).unwrap();
    for report in [unwritable, doctor] {
        let problem = problem(&report).unwrap();
        let wanted = "~/state/relight: Permission denied (os error 13): nothing can be restored";
        assert!(problem.contains(wanted), "{problem}");
        assert!(!report["systems"].as_array().unwrap().is_empty());
    }
    assert_eq!((code, readable), (1, 0), "{answer}");
    let note = (
        String::from_utf8(note.stdout),
        String::from_utf8(note.stderr),
    );
    let (page, note) = (note.0.unwrap(), note.1.unwrap());
    assert!(page.contains("Phases"), "{page}{note}");
    assert!(
        note.contains(&format!("no replays: {named} cannot be read: ")),
        "{note}"
    );
    for (code, answer) in refused {
        let error = &answer["error"];
        assert_eq!((code, &error["kind"]), (5, &"unreadable".into()), "{error}");
        assert!(
            error["text"].as_str().unwrap().starts_with(named),
            "{error}"
        );
        assert!(
            error["hints"].to_string().contains("XDG_STATE_HOME"),
            "{error}"
        );
    }
}

#[test]
fn a_state_directory_that_cannot_be_made_is_a_problem() {
    let Some(scene) = Scene::new() else { return };
    fs::remove_file(scene.path("demo/.relight-sandbox")).unwrap();
    for state in ["/proc", "/dev/null/x"] {
        let mut command = scene.command(&["doctor"]);
        let output = command.env("XDG_STATE_HOME", state).output().unwrap();
        let report = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{report}");
        assert!(report.contains("! state directory: /"), "{report}");
        assert!(!report.contains("0 B free"), "{report}");
    }
}

/// What nobody may look into is unknown: neither checkpoints nor commits are missing because of it.
#[test]
fn a_store_or_objects_that_cannot_be_read_are_not_said_to_be_missing() {
    let Some(scene) = Scene::new() else { return };
    let (_, list) = scene.json(&["list", "--system", "crucible"]);
    let id = list["pipelines"][0]["id"].as_str().unwrap();
    let projects = fs::read_dir(scene.path("demo/home/.claude/projects")).unwrap();
    let mut stores = projects.map(|entry| entry.unwrap().path().join("checkpoints"));
    let shop = |path: &PathBuf| path.to_str().unwrap().contains("-shop");
    let folder = stores.find(shop).unwrap();
    let store = fs::read_dir(&folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let objects = scene.path("demo/projects/shop/.git/objects");
    for (path, check, verdict, text) in [
        (&folder, "F10", "fail", "permission denied"),
        (&store, "F10", "fail", "permission denied"),
        (&objects, "F5", "skipped", "permission denied"),
    ] {
        fs::set_permissions(path, Permissions::from_mode(0o000)).unwrap();
        let (_, verify) = scene.json(&["verify", id]);
        let (_, points) = scene.json(&["points", id]);
        fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
        let checks = verify["checks"].as_array().unwrap().iter();
        let of_id: Vec<&Value> = checks.filter(|one| one["id"] == check).collect();
        let said = of_id.iter().any(|one| {
            let evidence = one["evidence"].as_str().unwrap();
            one["verdict"] == verdict && evidence.contains(text)
        });
        assert!(said, "{}: {of_id:#?}", path.display());
        let points = points.to_string();
        for untrue in ["There is no checkpoint", "No checkpoint was taken"] {
            assert!(!points.contains(untrue), "{}: {points}", path.display());
        }
    }
}

#[test]
fn what_a_plan_may_not_write_or_read_is_said_before_anybody_agrees() {
    let Some(scene) = Scene::new() else { return };
    let (_, list) = scene.json(&["list", "--system", "crucible"]);
    let id = list["pipelines"][0]["id"].as_str().unwrap();
    let shop = scene.path("demo/projects/shop");
    for (path, mode, text, cure) in [
        (
            "src",
            0o500,
            "src is not writable: permission is denied.",
            "Make it writable",
        ),
        (
            "src/price.rs",
            0o000,
            "src/price.rs: Permission denied",
            "Make sure that it can be read",
        ),
        (
            ".git",
            0o500,
            ".git is not writable: permission is denied.",
            "Make it writable: git's index is locked there.",
        ),
        ("docs", 0o500, "", ""),
    ] {
        let path = shop.join(path);
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let (code, plan) = scene.json(&["plan", id, "wave-1"]);
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        let guards = plan["plan"]["guards"].as_array().unwrap().iter();
        let failed: Vec<&Value> = guards.filter(|guard| guard["holds"] == false).collect();
        let said = serde_json::to_string(&failed).unwrap();
        assert_eq!(
            (code, failed.len()),
            if text.is_empty() { (0, 0) } else { (3, 1) },
            "{said}"
        );
        assert!(said.contains(text) && said.contains(cure), "{said}");
        assert!(said.matches("price.rs").count() < 2, "{said}");
    }
}

/// The file may be whole, so nothing else is advised than to let the user read it, and that helps.
#[test]
fn a_state_file_that_may_not_be_read_is_cured_by_what_is_advised() {
    let Some(scene) = Scene::new() else { return };
    for (id, file) in [
        ("mgw-57", "notes/.mgw/active/57-cache-lookups.json"),
        (
            "price-alerts",
            "trader/.worktree/price-alerts/workflow-state.json",
        ),
        ("polymer-ring", "science/polymer-ring/workflow-state.json"),
        ("tokenizer-speed", "lab/tokenizer-speed/conference.md"),
    ] {
        let file = scene.path("demo/projects").join(file);
        fs::set_permissions(&file, Permissions::from_mode(0o000)).unwrap();
        let (_, verify) = scene.json(&["verify", id]);
        let (code, plan) = scene.json(&["plan", id]);
        let command = format!("chmod u+r {}", file.display());
        let cure = format!("Let your user read it: {command}");
        let checks = verify["checks"].as_array().unwrap().iter();
        let failed: Vec<&Value> = checks.filter(|one| one["verdict"] == "fail").collect();
        assert_eq!(failed[0]["remedy"], cure, "{id}: {failed:#?}");
        assert!(matches!(code, 3 | 5), "{id}: {plan:#}");
        assert_eq!(plan["error"]["hints"][0], cure, "{id}: {plan:#}");
        // Nothing that is advised or recommended is refused.
        let (_, points) = scene.json(&["points", id]);
        let points = points["points"].as_array().unwrap().iter();
        let recommended: Vec<&Value> = points.filter(|one| one["recommended"] == true).collect();
        let is_verified = |one: &&Value| one["verified"] == "pass";
        assert!(
            !recommended.iter().any(is_verified),
            "{id}: {recommended:#?}"
        );
        let done = Command::new("sh").args(["-c", &command]).status().unwrap();
        assert!(done.success(), "{id}");
        let (_, cured) = scene.json(&["verify", id]);
        assert!(!cured.to_string().contains(&command), "{id}: {cured:#}");
    }
}

//! A crash half-way, and then another program changes files: its changes stay, everything else is recovered, and
//! whatever relight prints works when it is typed. What is odd among the recoveries of one project is no matter
//! for anything else.

mod paths;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::kind;
use super::sandbox::{Entry, Sandbox, Tree, differences};

/// A crucible run whose restore was cut short after the last rename, with git still locked.
struct Cut {
    sandbox: Sandbox,
    before: Tree,
    after: Tree,
    id: String,
}

impl Cut {
    fn new() -> Self {
        let cut = Self::done();
        for (mark, slot) in [("DONE", "done.slot"), ("COMMITTED", "committed.slot")] {
            fs::rename(cut.own(mark), cut.own(slot)).unwrap();
        }
        let locks: Value =
            serde_json::from_slice(&fs::read(cut.own("locks.json")).unwrap()).unwrap();
        let text = locks[0]["text"].as_str().unwrap();
        fs::write(cut.shop().join(".git/index.lock"), text).unwrap();
        cut
    }

    fn done() -> Self {
        let sandbox = Sandbox::new();
        let before = sandbox.persons();
        let pipeline = sandbox.crucible();
        let (code, done) = sandbox.json(&["resume", &pipeline, "--yes"]);
        assert_eq!(code, 0, "{done}");
        Self {
            id: done["recovery"]["id"].as_str().unwrap().to_owned(),
            after: sandbox.persons(),
            before,
            sandbox,
        }
    }

    fn shop(&self) -> PathBuf {
        self.sandbox.root().join("projects/shop")
    }

    fn homes(&self) -> Vec<PathBuf> {
        let state = self.sandbox.root().join("home/.local/state/relight");
        let entries = fs::read_dir(state).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    /// A file in the recovery's folder.
    fn own(&self, name: &str) -> PathBuf {
        let folders = self.homes().into_iter().map(|home| home.join(&self.id));
        folders
            .into_iter()
            .find(|folder| folder.exists())
            .unwrap()
            .join(name)
    }

    /// A file of the work tree that the restore replaced.
    fn replaced(&self) -> PathBuf {
        let mut paths = differences(&self.before, &self.after).into_iter();
        let both = |path: &PathBuf| {
            let file = |tree: &Tree| matches!(tree.get(path), Some(Entry::File(..)));
            file(&self.before) && file(&self.after) && !path.iter().any(|part| part == ".git")
        };
        paths.find(both).unwrap()
    }

    fn git_works(&self) {
        if crate::judge::git_is_there() {
            crate::judge::run_git(&self.shop(), &["add", "-A"]);
        }
    }

    /// Nothing is pending any more, and commands work.
    fn ended(&self) {
        let (code, list) = self.sandbox.json(&["list"]);
        assert_eq!((code, &list["pending_recovery"]), (0, &Value::Null));
        assert_eq!(list["pending_recoveries"], Value::Array(Vec::new()));
        let (code, none) = self.sandbox.json(&["recover", "--yes"]);
        assert_eq!(code, 1, "{none}");
        let pipeline = self.sandbox.crucible();
        let (code, plan) = self.sandbox.json(&["plan", &pipeline]);
        assert!(code == 0 || code == 3, "{plan}");
        assert!(!plan.to_string().contains("holds index.lock"), "{plan}");
        let (code, purged) = self.sandbox.json(&["purge", &self.id, "--yes"]);
        assert_eq!(code, 0, "{purged}");
    }

    /// What a refusal tells to type, typed.
    fn type_hints(&self, refused: &Value) {
        let hints = refused["error"]["hints"].as_array().unwrap();
        let commands = hints.iter().filter_map(|hint| {
            let (_, words) = hint.as_str().unwrap().split_once("relight ")?;
            let ends = [" copies ", " keeps "];
            let end = ends.iter().find_map(|end| words.find(end));
            Some(words.get(..end.unwrap_or(words.len())).unwrap().to_owned())
        });
        let mut typed = 0;
        for command in commands {
            let mut words: Vec<&str> = command.split(' ').collect();
            words.push("--yes");
            let (code, answer) = self.sandbox.json(&words);
            assert_eq!(code, 0, "{command}: {answer}");
            typed += 1;
        }
        assert_eq!(typed, 2, "{hints:?}");
    }
}

type Style = (&'static str, fn(&Path));

const STYLES: [Style; 6] = [
    ("appended to", |path| {
        let bytes = fs::read(path).unwrap();
        fs::write(path, [&bytes[..], b"// theirs\n"].concat()).unwrap();
    }),
    ("saved by a rename", |path| {
        let beside = path.with_extension("swp");
        fs::write(&beside, "// theirs\n").unwrap();
        fs::rename(&beside, path).unwrap();
    }),
    ("given another mode", |path| {
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    }),
    ("deleted", |path| fs::remove_file(path).unwrap()),
    ("replaced by a directory", |path| {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
        fs::write(path.join("in"), "// theirs\n").unwrap();
    }),
    ("replaced by a link", |path| {
        fs::remove_file(path).unwrap();
        symlink("/nowhere", path).unwrap();
    }),
];

#[test]
fn w2_one_touched_file_keeps_nothing_else_from_being_settled() {
    for (name, style) in STYLES {
        let cut = Cut::new();
        let path = cut.replaced();
        style(&path);
        let theirs = cut.sandbox.persons();
        let theirs = |path: &Path| theirs.get(path).cloned();
        // What reads says which path will stay.
        let (_, history) = cut.sandbox.json(&["history"]);
        let trouble = history["recoveries"][0]["trouble"].to_string();
        assert!(
            trouble.contains(path.to_str().unwrap()),
            "{name}: {trouble}"
        );
        let (code, settled) = cut.sandbox.json(&["recover", "--yes"]);
        assert_eq!(code, 0, "{name}: {settled}");
        let recovery = &settled["recovery"];
        assert_eq!(recovery["state"], "rolled_back", "{name}: {settled}");
        let now = cut.sandbox.persons();
        let differ = differences(&cut.before, &now);
        assert!(
            differ.iter().all(|other| other.starts_with(&path)),
            "{name}: {differ:?}"
        );
        assert_eq!(now.get(&path).cloned(), theirs(&path), "{name}");
        let left = recovery["left"].as_array().unwrap();
        assert_eq!(left.len(), 1, "{name}: {settled}");
        assert_eq!(left[0]["path"], path.to_str().unwrap());
        let kept = fs::read(left[0]["before"].as_str().unwrap()).unwrap();
        let Some(Entry::File(_, bytes)) = cut.before.get(&path) else {
            panic!("{name}");
        };
        assert_eq!(&kept, bytes, "{name}: what was there before is kept");
        let said = settled["said"].to_string();
        assert!(said.contains(path.to_str().unwrap()), "{name}: {said}");
        // It is reachable by a copy, too.
        let (code, copied) = cut.sandbox.json(&["recover", &cut.id, "--export", "out"]);
        assert_eq!(code, 0, "{name}: {copied}");
        let list = fs::read_to_string(cut.sandbox.root().join("out/LIST.txt")).unwrap();
        assert!(list.contains(path.to_str().unwrap()), "{name}: {list}");
        cut.git_works();
        cut.ended();
    }
}

#[test]
fn w2_a_path_that_the_person_keeps_stays_as_it_is() {
    let cut = Cut::new();
    let path = cut.replaced();
    let (code, refused) = cut
        .sandbox
        .json(&["recover", "--keep", "no/such/path", "--yes"]);
    assert_eq!((code, kind(&refused)), (2, "not_found"), "{refused}");
    let word = path.to_str().unwrap();
    let (code, settled) = cut
        .sandbox
        .json(&["recover", &cut.id, "--keep", word, "--yes"]);
    assert_eq!(code, 0, "{settled}");
    let now = cut.sandbox.persons();
    assert_eq!(differences(&cut.before, &now), vec![path.clone()]);
    assert_eq!(now.get(&path), cut.after.get(&path));
    assert_eq!(settled["recovery"]["left"][0]["path"], word);
    cut.git_works();
    cut.ended();
}

#[test]
fn w2_w6_what_no_rule_decides_ends_by_what_is_printed() {
    let damages: [fn(&Cut); 3] = [
        |cut| fs::write(cut.own("journal"), "{}").unwrap(),
        |cut| fs::remove_file(cut.own("journal")).unwrap(),
        |cut| {
            fs::remove_file(cut.own("journal")).unwrap();
            fs::create_dir(cut.own("journal")).unwrap();
        },
    ];
    for damage in damages {
        let cut = Cut::new();
        damage(&cut);
        let all = cut.sandbox.persons();
        let (_, history) = cut.sandbox.json(&["history"]);
        let recovery = &history["recoveries"][0];
        assert_eq!(recovery["state"], "needs_attention", "{recovery}");
        assert!(recovery["kept_bytes"].as_u64().unwrap() > 0, "{recovery}");
        let (code, refused) = cut.sandbox.json(&["recover", "--yes"]);
        assert_eq!((code, kind(&refused)), (7, "unclear"), "{refused}");
        assert_eq!(
            differences(&all, &cut.sandbox.persons()),
            Vec::<PathBuf>::new()
        );
        cut.type_hints(&refused);
        assert_eq!(
            differences(&cut.after, &cut.sandbox.persons()),
            exported(&cut)
        );
        cut.git_works();
        let (_, list) = cut.sandbox.json(&["list"]);
        assert_eq!(list["pending_recovery"], Value::Null);
    }
}

/// What typing the hints left beside the person's files.
fn exported(cut: &Cut) -> Vec<PathBuf> {
    let all = cut.sandbox.persons().into_keys();
    let folder = cut.sandbox.root().join(format!("kept-{}", cut.id));
    all.filter(|path| path.starts_with(&folder)).collect()
}

#[test]
fn w9_after_a_rollback_nothing_is_kept_and_none_is_said_to_be() {
    let cut = Cut::new();
    let (code, settled) = cut.sandbox.json(&["recover", "--yes"]);
    assert_eq!(code, 0, "{settled}");
    assert_eq!(settled["recovery"]["kept_bytes"], 0, "{settled}");
    assert_eq!(fs::read_dir(cut.own("slots")).unwrap().count(), 0);
    assert!(!cut.own("ballast").exists());
    let said = cut.sandbox.run(&["history"]).stdout;
    let said = String::from_utf8(said).unwrap();
    assert!(!said.contains("    backups: "), "{said}");
}

/// Lays odd things among the recoveries of a project's folder.
fn litter(home: &Path) {
    fs::create_dir_all(home).unwrap();
    symlink("/nowhere", home.join("20261101T000000000-dead")).unwrap();
    fs::write(home.join("20261101T000000001-file"), "odd").unwrap();
    fs::create_dir(home.join("20261101T000000002-none")).unwrap();
    fs::create_dir_all(home.join("20261101T000000003-jdir/record.json")).unwrap();
    fs::write(home.join("odd name\n"), "odd").unwrap();
    fs::write(home.join("records"), "odd").unwrap();
}

#[test]
fn w3_what_is_odd_in_another_project_hides_nothing_of_this_one() {
    let cut = Cut::new();
    let state = cut.homes()[0].parent().unwrap().to_owned();
    litter(&state.join("0123456789abcdef"));
    fs::write(
        state.join("fedcba9876543210"),
        "a file where a directory belongs",
    )
    .unwrap();
    symlink("/nowhere", state.join("00000000000000aa")).unwrap();
    // Its own journal cannot be read, which is a matter of that project alone.
    let torn = state.join("0123456789abcdef/20261101T000000004-torn");
    fs::create_dir_all(torn.join("journal")).unwrap();
    let shop = cut.shop();
    let here = |args: &[&str]| {
        let words: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let ran = cut.sandbox.run_in(&shop, &words);
        let value: Value = serde_json::from_slice(&ran.stdout).unwrap();
        (ran.status.code().unwrap(), value)
    };
    let (code, list) = here(&["list"]);
    assert_eq!(
        (code, &list["pending_recovery"]),
        (0, &Value::from(cut.id.as_str())),
        "{list}"
    );
    let (code, history) = here(&["history"]);
    assert_eq!(code, 0, "{history}");
    assert_eq!(
        history["recoveries"].as_array().unwrap().len(),
        1,
        "{history}"
    );
    assert_eq!(history["skipped"].as_array().unwrap().len(), 0, "{history}");
    let (code, all) = here(&["history", "--scope", "machine"]);
    assert_eq!(code, 0, "{all}");
    let skipped = all["skipped"].to_string();
    for odd in ["-dead", "-file", "fedcba9876543210", "00000000000000aa"] {
        assert!(skipped.contains(odd), "{odd}: {skipped}");
    }
    let records = here(&["history", "--records", "--scope", "machine"]).1;
    assert_eq!(records["records"], serde_json::json!([]), "{records}");
    for odd in ["fedcba9876543210", "0123456789abcdef/records"] {
        assert!(records.to_string().contains(odd), "{odd}: {records}");
    }
    // relight's own lock is called its own.
    let pipeline = cut.sandbox.crucible();
    let (code, refused) = cut.sandbox.json(&["resume", &pipeline, "--assume-stopped"]);
    assert_eq!(code, 3, "{refused}");
    assert!(
        refused["error"]["hints"]
            .to_string()
            .contains("relight recover"),
        "{refused}"
    );
    assert!(!refused.to_string().contains("Another git"), "{refused}");
    let (code, settled) = here(&["recover", "--yes"]);
    assert_eq!(code, 0, "{settled}");
    assert_eq!(
        differences(&cut.before, &cut.sandbox.persons()),
        Vec::<PathBuf>::new()
    );
}

#[test]
fn w3_what_is_odd_in_this_project_is_named_and_stops_nothing() {
    let cut = Cut::done();
    let home = cut.own("").parent().unwrap().to_owned();
    litter(&home);
    // Elsewhere, one that names no pipeline: outside a repository it is in scope, and it is none of this project's.
    let torn = home.with_file_name("0123456789abcdef");
    fs::create_dir_all(torn.join("20261101T000000004-torn/journal")).unwrap();
    let (code, history) = cut.sandbox.json(&["history"]);
    assert_eq!(code, 0, "{history}");
    assert_eq!(
        history["recoveries"].as_array().unwrap().len(),
        2,
        "{history}"
    );
    assert!(
        history["skipped"].to_string().contains("-dead"),
        "{history}"
    );
    cut.sandbox.grow_old();
    let (code, undone) = cut.sandbox.json(&["undo", "--yes"]);
    assert_eq!(code, 0, "{undone}");
    assert_eq!(
        differences(&cut.before, &cut.sandbox.persons()),
        Vec::<PathBuf>::new()
    );
}

#[test]
fn w13_a_record_that_is_gone_keeps_nothing_from_being_settled_or_undone() {
    let cut = Cut::new();
    fs::remove_file(cut.own("record.json")).unwrap();
    let (_, history) = cut.sandbox.json(&["history"]);
    let recovery = &history["recoveries"][0];
    assert_eq!(recovery["label"], "(record is missing)", "{recovery}");
    assert_eq!(recovery["root"], cut.shop().to_str().unwrap());
    let (code, settled) = cut.sandbox.json(&["recover", "--yes"]);
    assert_eq!(code, 0, "{settled}");
    assert_eq!(
        differences(&cut.before, &cut.sandbox.persons()),
        Vec::<PathBuf>::new()
    );
    cut.git_works();

    let cut = Cut::done();
    fs::remove_file(cut.own("record.json")).unwrap();
    cut.sandbox.grow_old();
    let (code, undone) = cut.sandbox.json(&["undo", &cut.id, "--yes"]);
    assert_eq!(code, 0, "{undone}");
    let differ = differences(&cut.before, &cut.sandbox.persons());
    assert_eq!(differ, Vec::<PathBuf>::new());
}

//! Others at work: a second relight, a pipeline that still writes, a racer that swaps folders for links.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::deeds::{DEEDS, Deed};
use super::ground::{Ground, Ran, command};
use super::judge::{Judge, State, git_is_there};
use super::tally::Tally;
use super::{full, slice};

fn start(ground: &Ground, deed: &Deed, behind: &[&str]) -> Child {
    let cwd = ground.root().join("projects").join(deed.project);
    command(behind, &cwd)
        .args(deed.resume(ground))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

pub(super) fn learn(ground: &Ground, deed: &Deed) -> Judge {
    ground.reset();
    let logs = deed.logs(ground);
    let (before, all) = (ground.persons(), ground.everything());
    let ran = deed.act(ground);
    assert_eq!(ran.code, 0, "{deed:?}: {ran:?}");
    Judge {
        before,
        after: ground.persons(),
        logs,
        all,
    }
}

#[test]
fn of_several_at_once_one_wins_at_a_time() {
    let ground = Ground::new();
    let (mut rounds, mut named, mut losers) = (0, 0, 0);
    for deed in [DEEDS[0], DEEDS[5], DEEDS[4]] {
        let judge = learn(&ground, &deed);
        for round in 0..if full() { 340 } else { 3 } {
            let many = if round % 10 == 2 { 8 } else { 2 };
            let case = format!("{:?} round {round}", deed.what);
            ground.reset();
            let all: Vec<Child> = (0..many).map(|_| start(&ground, &deed, &[])).collect();
            let all: Vec<Ran> = all
                .into_iter()
                .map(|child| Ran::of(&child.wait_with_output().unwrap()))
                .collect();
            rounds += 1;
            let acted = |ran: &&Ran| ran.code == 0 && !ran.json()["recovery"].is_null();
            // Who came after the winner had ended may do the same once more: relight's own write is no sign of life.
            let mut winners: Vec<_> = all.iter().filter(acted).map(span).collect();
            winners.sort();
            let apart = |pair: &[(String, String)]| pair[0].1 <= pair[1].0;
            assert!(
                !winners.is_empty() && winners.windows(2).all(apart),
                "{case}: {all:?}"
            );
            for loser in all.iter().filter(|ran| !acted(ran)) {
                losers += 1;
                // Who came after the winner had ended finds another plan, or none.
                assert!(matches!(loser.code, 0..=3), "{case}: {loser:?}");
                let text = loser.json()["error"]["text"].to_string();
                named += usize::from(text.contains("process ") || text.contains("Recovery"));
            }
            let more = winners.len() - 1;
            assert_eq!(judge.settled(&ground, more, &case), State::After, "{case}");
        }
    }
    println!("races: Figures {rounds} rounds, {losers} losers, {named} named the holder");
    Tally::new("races").add(rounds);
}

/// From when to when a recovery held its locks.
fn span(ran: &Ran) -> (String, String) {
    let recovery = &ran.json()["recovery"];
    let at = |key: &str| recovery[key].as_str().unwrap().to_owned();
    (at("started_at"), at("ended_at"))
}

#[test]
fn who_comes_while_another_works_is_told_who() {
    if !super::calls::strace() {
        return;
    }
    let ground = Ground::new();
    let deed = DEEDS[5];
    let judge = learn(&ground, &deed);
    ground.reset();
    let mut slow = slowed(&ground, &deed);
    wait_for_lock(&ground);
    let second = ground.run(
        deed.project,
        &["recover", "--assume-stopped", "--yes", "--json"],
    );
    let third = deed.act(&ground);
    for ran in [&second, &third] {
        let answer = ran.json()["error"].to_string();
        let told = answer.contains("process ") || answer.contains("is running now");
        assert!(ran.code == 3 && told, "{ran:?}");
    }
    assert!(slow.wait().unwrap().success());
    assert_eq!(judge.settled(&ground, 0, "slow"), State::After);
}

/// A run in which every flush takes a quarter of a second.
pub(super) fn slowed(ground: &Ground, deed: &Deed) -> Child {
    let slow = [
        "strace",
        "-e",
        "trace=fsync",
        "-e",
        "inject=fsync:delay_enter=250000",
        "-o",
        "/dev/null",
    ];
    start(ground, deed, &slow)
}

/// Waits until some transaction has been begun.
pub(super) fn wait_for_lock(ground: &Ground) {
    let state = ground.root().join("home/.local/state/relight");
    for _ in 0..2000 {
        let begun = census_of(&state).iter().any(|p| p.ends_with("record.json"));
        if begun {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("nothing was begun");
}

fn census_of(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![dir.to_owned()];
    while let Some(dir) = todo.pop() {
        let Ok(entries) = fs::read_dir(&dir) else {
            continue;
        };
        for entry in entries.flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                todo.push(entry.path());
            }
            found.push(entry.path());
        }
    }
    found
}

/// How something may still be at work on a pipeline.
#[derive(Debug, Clone, Copy)]
enum Style {
    /// It appends to the manifest.
    Manifest,
    /// It has its working directory in the project.
    Cwd,
    /// It holds git's lock.
    IndexLock,
    /// It writes files that the plan would replace.
    Files,
    /// It makes files.
    Creates,
    /// It has a file of the project open.
    Opens,
}

const STYLES: [Style; 6] = [
    Style::Manifest,
    Style::Cwd,
    Style::IndexLock,
    Style::Files,
    Style::Creates,
    Style::Opens,
];

/// A shell at work, which ends with its handle.
struct Busy(Child);

impl Drop for Busy {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

impl Style {
    fn script(self, ground: &Ground) -> String {
        let root = ground.root();
        let manifest = census_of(&root.join("home"))
            .into_iter()
            .filter(|path| path.ends_with("manifest.jsonl"))
            .find(|path| path.to_string_lossy().contains(&session(ground)));
        let manifest = manifest.unwrap_or_else(|| root.join("home/tmp/manifest.jsonl"));
        let manifest = manifest.display();
        match self {
            Self::Manifest => {
                format!("while :; do printf '{{\"at\":\"now\"}}\\n' >> {manifest}; sleep 0.1; done")
            }
            Self::Cwd => "exec ./claude 600".to_owned(),
            Self::IndexLock => "touch .git/index.lock; exec sleep 600".to_owned(),
            Self::Files => {
                "i=0; while :; do i=$((i+1)); echo \"// $i\" >> src/price.rs; sleep 0.1; done"
                    .to_owned()
            }
            Self::Creates => {
                "i=0; while :; do i=$((i+1)); echo $i > src/new_$i.rs; sleep 0.1; done".to_owned()
            }
            Self::Opens => {
                let file = root.join("projects/shop/src/price.rs");
                let agent = ground.beside("claude");
                format!("cd /; exec {} 600 3< {}", agent.display(), file.display())
            }
        }
    }

    fn start(self, ground: &Ground) -> Busy {
        let cwd = ground.root().join("projects/shop");
        if matches!(self, Self::Cwd) {
            fs::copy("/bin/sleep", cwd.join("claude")).unwrap();
        }
        if matches!(self, Self::Opens) {
            fs::copy("/bin/sleep", ground.beside("claude")).unwrap();
        }
        let child = Command::new("sh")
            .args(["-c", &self.script(ground)])
            .current_dir(&cwd)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", "/nonexistent")
            .env("TMPDIR", "/nonexistent/tmp")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(400));
        Busy(child)
    }
}

/// The number of the crucible session.
fn session(ground: &Ground) -> String {
    let id = ground.crucible();
    let digits = id.trim_start_matches("crucible-");
    digits.split('~').next().unwrap().to_owned()
}

#[test]
fn what_is_still_written_to_is_never_acted_on() {
    let ground = Ground::new();
    let (mut refused, mut tried) = (0, 0);
    for style in slice(STYLES.to_vec(), 6) {
        for round in 0..if full() { 50 } else { 1 } {
            ground.reset();
            let id = ground.crucible();
            let busy = style.start(&ground);
            // The person is wrong about it, too.
            let mut args = vec!["resume", &id, "phase-2", "--exact", "--yes", "--json"];
            if round % 2 == 0 {
                args.push("--assume-stopped");
            }
            let ran = ground.run("shop", &args);
            drop(busy);
            tried += 1;
            refused += usize::from(ran.code == 3);
            assert_eq!(ran.code, 3, "{style:?} {args:?}: {ran:?}");
            assert_eq!(ground.committed(), 0, "{style:?}");
        }
    }
    println!("live writers: Figures {refused} of {tried} refused");
    Tally::new("live writers").add(tried);
}

#[test]
fn who_commits_meanwhile_loses_no_commit() {
    if !git_is_there() {
        return;
    }
    let ground = Ground::new();
    let id = ground.crucible();
    let cwd = ground.root().join("projects/shop");
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(args);
        git.current_dir(&cwd)
            .env_clear()
            .env("PATH", "/usr/bin:/bin");
        git.env("HOME", "/nonexistent")
            .env("TMPDIR", "/nonexistent/tmp")
            .stderr(Stdio::null());
        let output = git.output().unwrap();
        (
            output.status.success(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let (mut made, mut codes) = (0, std::collections::BTreeMap::new());
    for _ in 0..if full() { 50 } else { 2 } {
        ground.reset();
        let stop = AtomicBool::new(false);
        let commits = std::thread::scope(|scope| {
            let busy = scope.spawn(|| {
                let mut commits = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    if git(&["commit", "-q", "--allow-empty", "-m", "busy"]).0 {
                        commits.push(git(&["rev-parse", "HEAD"]).1);
                    }
                }
                commits
            });
            let args = ["resume", &id, "phase-2", "--exact", "--yes", "--json"];
            let ran = ground.run("shop", &args);
            stop.store(true, Ordering::Relaxed);
            assert!(matches!(ran.code, 0 | 3), "{ran:?}");
            *codes.entry(ran.code).or_insert(0) += 1;
            busy.join().unwrap()
        });
        made += commits.len();
        let log = git(&["log", "--format=%H"]).1;
        let missing = commits.iter().find(|commit| !log.contains(commit.trim()));
        assert_eq!(missing, None, "a commit is gone");
        assert!(git(&["fsck", "--strict"]).0);
        assert_eq!(ground.locks(), Vec::<PathBuf>::new());
    }
    println!("commits meanwhile: Figures {made} commits, exit codes {codes:?}");
}

/// Something may be written in a tree while nothing of it is looked at: it is said nowhere, and stays.
#[test]
fn what_a_stranger_writes_between_plan_and_act_stays() {
    let ground = Ground::new();
    let deed = DEEDS[5];
    ground.reset();
    let file = ground.root().join("projects/notes/strangers.txt");
    let mut stranger = fs::File::create(&file).unwrap();
    let mut child = start(&ground, &deed, &[]);
    for line in 0..50 {
        writeln!(stranger, "{line}").unwrap();
    }
    child.wait().unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 50);
}

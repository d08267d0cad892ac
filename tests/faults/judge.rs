//! What must hold after a fault and the recovery that follows it.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use relight::model::RecoveryState;

use super::census::{Tree, differences, lost, timeless};
use super::deeds::Deed;
use super::ground::Ground;

/// The two states that there are.
pub(crate) struct Judge {
    /// As before.
    pub(crate) before: Tree,
    /// As planned.
    pub(crate) after: Tree,
    /// Logs, which only grow.
    pub(crate) logs: BTreeSet<PathBuf>,
    /// Everything, before: not a byte of it may be lost.
    pub(crate) all: Tree,
}

/// Which of the two it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// As before.
    Before,
    /// As planned.
    After,
}

/// True where there is a git program; else says that what needs it is skipped.
pub(crate) fn git_is_there() -> bool {
    let there = Command::new("git").arg("--version").output().is_ok();
    if !there {
        println!("SKIPPED: there is no git program here.");
    }
    there
}

impl Judge {
    /// Settles what is left as a person would; `nested` runs it in ways that may be cut short before.
    pub(crate) fn recover(ground: &Ground, project: &str, case: &str) {
        for _ in 0..4 {
            let ran = ground.run(project, &["recover", "--assume-stopped", "--yes", "--json"]);
            assert!(matches!(ran.code, 0 | 1), "{case}: recover: {ran:?}");
            if ran.code == 1 {
                return;
            }
        }
        panic!("{case}: something is still pending");
    }

    /// Which of the two states the person's files are in; fails where it is neither.
    pub(crate) fn state(&self, ground: &Ground, case: &str) -> State {
        let now = ground.persons();
        // What another program changed meanwhile is that program's, and is named in the history.
        let history = ground.history();
        let named: Vec<&PathBuf> = history
            .iter()
            .flat_map(|one| one.left.iter().map(|left| &left.path))
            .collect();
        let others = |tree: &Tree| -> Tree {
            let of_ours =
                |(path, _): &(&PathBuf, _)| !named.iter().any(|named| path.starts_with(named));
            let ours = tree.iter().filter(of_ours);
            ours.map(|(path, entry)| (path.clone(), entry.clone()))
                .collect()
        };
        let (before, after, seen) = (others(&self.before), others(&self.after), others(&now));
        let from_before = differences(&before, &seen, &self.logs);
        let from_after = differences(&timeless(&after), &timeless(&seen), &self.logs);
        match (from_before.is_empty(), from_after.is_empty()) {
            (true, true) => {
                // Lines for a log are all that it does.
                let same = |tree: &Tree| self.logs.iter().all(|log| tree.get(log) == now.get(log));
                if same(&self.before) {
                    State::Before
                } else {
                    State::After
                }
            }
            (true, false) => State::Before,
            (false, true) => State::After,
            (false, false) => panic!(
                "{case}: neither before nor after.\nfrom before: {from_before:#?}\nfrom after: {from_after:#?}"
            ),
        }
    }

    /// Everything that must hold once it is settled. `committed` is how many recoveries were committed before.
    pub(crate) fn settled(&self, ground: &Ground, committed: usize, case: &str) -> State {
        let state = self.state(ground, case);
        let history = ground.history();
        let pending = |r: &&relight::model::Recovery| r.state == RecoveryState::NeedsAttention;
        let pending: Vec<_> = history.iter().filter(pending).collect();
        assert!(pending.is_empty(), "{case}: pending {pending:?}");
        let done = ground.committed() - committed;
        let wanted = usize::from(state == State::After);
        assert_eq!(
            done, wanted,
            "{case}: {state:?}, yet the history says otherwise"
        );
        assert_eq!(
            ground.locks(),
            Vec::<PathBuf>::new(),
            "{case}: locks are left"
        );
        let gone = lost(&self.all, &ground.everything());
        assert!(gone.is_empty(), "{case}: bytes are lost: {gone:?}");
        state
    }

    /// The git command line has nothing to say about a repository.
    pub(crate) fn git(ground: &Ground, deed: &Deed, case: &str) {
        let Some(repo) = deed.repo.filter(|_| git_is_there()) else {
            return;
        };
        let repo = ground.root().join("projects").join(repo);
        for args in [&["fsck", "--strict"][..], &["status", "--porcelain"]] {
            let output = Command::new("git")
                .args(args)
                .current_dir(&repo)
                .env_clear()
                .env("PATH", "/usr/bin:/bin")
                .env("HOME", "/nonexistent")
                .env("TMPDIR", "/nonexistent/tmp")
                .env("GIT_OPTIONAL_LOCKS", "0")
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{case}: git {args:?}: {said}");
            let bad = said.contains("error") || said.contains("missing");
            assert!(!bad, "{case}: git {args:?}: {said}");
        }
    }
}

//! A real Slurm of one node.

use std::path::PathBuf;
use std::process::Command;

/// A cluster. It ends with this.
pub(super) struct Node {
    dir: tempfile::TempDir,
}

fn script() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/support/slurm-node.sh")
}

impl Node {
    /// Starts it; `None`, aloud, where it cannot be started here.
    pub(super) fn start() -> Option<Self> {
        let daemons =
            ["slurmctld", "slurmd", "munged"].map(|name| PathBuf::from("/usr/sbin").join(name));
        let missing = daemons.iter().find(|daemon| !daemon.exists());
        let why = match missing {
            Some(daemon) => format!("{} is not installed", daemon.display()),
            None if !rustix::process::geteuid().is_root() => "it needs root".to_owned(),
            None => {
                let dir = crate::support::temporary::directory();
                let output = Command::new(script())
                    .arg("start")
                    .arg(dir.path())
                    .output()
                    .unwrap();
                let said = String::from_utf8_lossy(&output.stderr);
                let node = Self { dir };
                assert!(
                    output.status.success(),
                    "the cluster does not start: {said}"
                );
                return Some(node);
            }
        };
        #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
        {
            eprintln!("SKIPPED: no cluster was started: {why}.");
        }
        None
    }

    /// A command that finds it.
    pub(super) fn with(&self, mut command: Command) -> Command {
        command.env("SLURM_CONF", self.dir.path().join("slurm.conf"));
        command
    }

    /// What waits or runs.
    pub(super) fn queue(&self) -> String {
        let words = ["--noheader", "--states=PENDING,RUNNING", "--format=%i %T"];
        let mut squeue = Command::new("squeue");
        squeue.args(words);
        String::from_utf8(self.with(squeue).output().unwrap().stdout).unwrap()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ignored = Command::new(script())
            .arg("stop")
            .arg(self.dir.path())
            .status();
    }
}

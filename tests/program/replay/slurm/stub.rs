//! Programs that answer as Slurm does. `sbatch` runs what it is given at once, as far as a plan says, and the queue
//! shows what became of it.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

/// A line of the plan for each task of an array: `run` (the default), `kill WORD` (its relight is killed in the
/// middle, and Slurm says WORD), `none WORD` (it never begins), `fail` (the program fails).
const PROGRAM: &str = r#"#!/bin/sh
dir=$(dirname "$0")
say() { echo "$(basename "$0"): error: $(cat "$dir/$1")" >&2; exit 1; }
case $(basename "$0") in
sbatch)
    tasks= chdir= script=
    for word; do
        case $word in --array=*) tasks=${word#--array=0-}; tasks=${tasks%%\%*} ;; esac
        chdir=$script script=$word
    done
    [ ! -e "$dir/reject" ] || say reject
    [ -z "$tasks" ] || [ ! -e "$dir/reject-array" ] || say reject-array
    job=$(($(cat "$dir/job") + 1))
    echo $job >"$dir/job"
    if [ -z "$tasks" ]; then
        [ -e "$dir/unshared" ] || [ -e "$dir/silent" ] || sh "$script" >"$chdir/$job.txt" 2>&1
        echo "$job|COMPLETED|None|N/A|n1" >>"$dir/queue"
    fi
    for word; do
        case $word in --job-name=*) echo "${word#--job-name=}|$job" >>"$dir/names" ;; esac
    done
    for task in $([ -z "$tasks" ] || seq 0 "$tasks"); do
        set -- $(sed -n "$((task + 1))p" "$dir/plan")
        word=${2:-COMPLETED}
        [ "$1" != kill ] || touch "$dir/kill"
        case ${1:-run} in
        run | kill) SLURM_ARRAY_TASK_ID=$task sh "$script" >"$chdir/${job}_$task.txt" 2>&1 ;;
        fail) echo "no such file" >"$chdir/${job}_$task.txt"; word=FAILED ;;
        esac
        rm -f "$dir/kill"
        echo "${job}_$task|$word|None|N/A|n1" >>"$dir/queue"
    done
    [ -z "$tasks" ] || [ ! -e "$dir/kill-array" ] || kill -9 $PPID
    echo $job
    ;;
squeue)
    [ ! -e "$dir/silent" ] || say silent
    for word; do name=${word#--name=}; done
    case $name in
    --*) cat "$dir/queue" ;;
    *) job=$(sed -n "s/^$name|//p" "$dir/names"); [ -z "$job" ] || grep "^${job}[_|]" "$dir/queue" ;;
    esac
    ;;
scontrol)
    state=$(sed -n "s/^$4|\([^|]*\).*/\1/p" "$dir/queue")
    echo "JobId=1 JobState=$state ExitCode=9:0 TimeLimit=01:00:00 NodeList=n1"
    ;;
esac
"#;

pub(super) struct Stub {
    dir: tempfile::TempDir,
}

impl Stub {
    pub(super) fn new() -> Self {
        let stub = Self {
            dir: crate::support::temporary::directory(),
        };
        for (file, content) in [
            ("slurm", PROGRAM),
            ("job", "0"),
            ("queue", ""),
            ("plan", ""),
            ("names", ""),
        ] {
            stub.put(file, content);
        }
        let program = stub.dir.path().join("slurm");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        for name in ["sbatch", "squeue", "scontrol", "scancel"] {
            symlink(&program, stub.dir.path().join(name)).unwrap();
        }
        stub
    }

    pub(super) fn put(&self, file: &str, content: &str) {
        fs::write(self.dir.path().join(file), content).unwrap();
    }

    pub(super) fn drop(&self, file: &str) {
        fs::remove_file(self.dir.path().join(file)).unwrap();
    }

    pub(super) fn plan(&self, plan: &str) {
        self.put("plan", plan);
    }

    /// A runner that ends its relight where the plan says so.
    pub(super) fn runner(&self) -> String {
        let kill: &Path = &self.dir.path().join("kill");
        format!("test ! -e '{}' || kill -9 $PPID; echo PASS", kill.display())
    }

    /// A command that finds it before any other Slurm.
    pub(super) fn with(&self, mut command: Command) -> Command {
        command.env(
            "PATH",
            format!("{}:/usr/bin:/bin", self.dir.path().display()),
        );
        command
    }
}

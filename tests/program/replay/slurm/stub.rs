//! Programs that answer as Slurm does. `sbatch` runs what it is given at once, as far as a plan says, and the queue
//! shows what became of it.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

/// A line of the plan for each task of an array: `run` (the default), `kill WORD` (its relight is killed in the
/// middle, and Slurm says WORD), `stop WORD` (its relight is told to stop in the middle), `none WORD` (it never
/// begins), `fail` (the program fails), `hold` (it waits for the file `go`). With the file `hold` a check stays pending.
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
        state=COMPLETED
        if [ -e "$dir/hold" ]; then
            state=PENDING
        elif ! [ -e "$dir/unshared" ] && ! [ -e "$dir/silent" ]; then
            sh "$script" >"$chdir/$job.txt" 2>&1
        fi
        echo "$job|$state|Resources|N/A|n1" >>"$dir/queue"
    fi
    for word; do
        case $word in --job-name=*) echo "${word#--job-name=}|$job" >>"$dir/names" ;; esac
    done
    for task in $([ -z "$tasks" ] || seq 0 "$tasks"); do
        set -- $(sed -n "$((task + 1))p" "$dir/plan")
        word=${2:-COMPLETED}
        case $1 in
        kill) echo KILL >"$dir/kill" ;;
        stop) echo TERM >"$dir/kill" ;;
        hold)
            echo "${job}_$task|PENDING|Resources|N/A|" >>"$dir/queue"
            (
                until [ -e "$dir/go" ]; do sleep 0.05; done
                SLURM_ARRAY_TASK_ID=$task sh "$script" >"$chdir/${job}_$task.txt" 2>&1
                while ! mkdir "$dir/lock" 2>/dev/null; do sleep 0.02; done
                sed "s/^${job}_$task|PENDING/${job}_$task|COMPLETED/" "$dir/queue" >"$dir/queue.new"
                mv "$dir/queue.new" "$dir/queue"
                rmdir "$dir/lock"
            ) >/dev/null 2>&1 &
            continue
            ;;
        esac
        case ${1:-run} in
        run | kill | stop) SLURM_ARRAY_TASK_ID=$task sh "$script" >"$chdir/${job}_$task.txt" 2>&1 ;;
        fail) echo "no such file" >"$chdir/${job}_$task.txt"; word=FAILED ;;
        esac
        rm -f "$dir/kill"
        echo "${job}_$task|$word|None|N/A|n1" >>"$dir/queue"
    done
    [ -z "$tasks" ] || [ ! -e "$dir/kill-array" ] || kill -9 $PPID
    if [ -n "$tasks" ] && [ -e "$dir/lost-array" ]; then
        [ ! -e "$dir/deaf" ] || echo "Unable to contact slurm controller" >"$dir/silent"
        say lost-array
    fi
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
scancel)
    echo "$@" >>"$dir/canceled"
    for job; do sed -i "s/^$job|PENDING/$job|CANCELLED/" "$dir/queue"; done
    ;;
esac
"#;

pub(in crate::replay) struct Stub {
    dir: tempfile::TempDir,
}

impl Stub {
    pub(in crate::replay) fn new() -> Self {
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

    pub(in crate::replay) fn put(&self, file: &str, content: &str) {
        fs::write(self.dir.path().join(file), content).unwrap();
    }

    pub(in crate::replay) fn drop(&self, file: &str) {
        fs::remove_file(self.dir.path().join(file)).unwrap();
    }

    pub(in crate::replay) fn plan(&self, plan: &str) {
        self.put("plan", plan);
    }

    /// A runner that ends its relight where the plan says so. One that is told to stop ends its runner itself.
    pub(in crate::replay) fn runner(&self) -> String {
        let kill: &Path = &self.dir.path().join("kill");
        format!(
            "test ! -e '{0}' || {{ kill -$(cat '{0}') $PPID; sleep 60; }}; echo PASS",
            kill.display()
        )
    }

    /// The content of one of its files; nothing where it is not there.
    pub(in crate::replay) fn content(&self, file: &str) -> String {
        fs::read_to_string(self.dir.path().join(file)).unwrap_or_default()
    }

    /// A command that finds it before any other Slurm.
    pub(in crate::replay) fn with(&self, mut command: Command) -> Command {
        command.env(
            "PATH",
            format!("{}:/usr/bin:/bin", self.dir.path().display()),
        );
        command
    }
}

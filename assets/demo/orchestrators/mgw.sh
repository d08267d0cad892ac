#!/bin/sh
# An orchestrator that relight can always resume: an issue of mgw, from triage to the pull request.
#   mgw.sh REPOSITORY [POINT]      POINT is where `relight resume` continues, for example step-execute
set -eu
cd "$1"
point=${2:-step-triage}
branch=issue/7-cache-lookups tree=.worktrees/issue/7-cache-lookups quick=.planning/quick/1-cache
# With a key of its own each record counts, also what a restart repeats within a second.
run=$(date +%s)-$$ count=0
record() {
    count=$((count + 1))
    relight record 7 --once "$run-$count" "$@" >/dev/null
}

if ! [ -e .mgw/active/7-cache-lookups.json ]; then
    record init --system mgw --title "Cache lookups"
fi
# The steps before the point are done: relight has verified what the state file claims of them.
is_open() {
    [ "$point" != "$1" ] || point=reached
    [ "$point" = reached ]
}
if is_open step-triage; then
    record --step triage --stage triaged --action begin-execution --context gsd_route=quick branch=$branch
fi
[ -d "$tree" ] || git worktree add -q -B "$branch" "$tree"
cd "$tree"
if is_open step-plan; then
    record --step plan --stage planning
    mkdir -p $quick
    echo "1. Cache" > $quick/1-PLAN.md
    record --step plan --action spawn-executor --context quick_dir=$quick plan_num=1 \
        --artifact $quick/1-PLAN.md:plan --history gsd-planner:$quick/1-PLAN.md
fi
if is_open step-execute; then
    record --step execute --stage executing
    for task in 1 2; do
        echo "task $task" > task-$task.txt
        git add -A
        git diff --cached --quiet || git commit -qm "Task $task"
        record --step execute --progress tasks_completed=$task tasks_total=2
    done
    echo "Done" > $quick/1-SUMMARY.md
    record --step execute --action spawn-verifier --context quick_dir=$quick plan_num=1 \
        --artifact $quick/1-SUMMARY.md:summary --history gsd-executor:$quick/1-SUMMARY.md
fi
if is_open step-verify; then
    record --step verify --stage verifying
    echo "## VERIFICATION PASSED" > $quick/1-VERIFICATION.md
    record --step verify --action create-pr --context quick_dir=$quick plan_num=1 \
        --artifact $quick/1-VERIFICATION.md:verification --history gsd-verifier:$quick/1-VERIFICATION.md
fi
if is_open step-pr; then
    git add -A
    git diff --cached --quiet || git commit -qm "Documents"
    record --step pr --stage pr-created --linked-pr 70 --action cleanup --context pr_number=70 pr_url=https://x/70
fi
cd "$OLDPWD"
git worktree remove --force "$tree" 2>/dev/null || true
if [ -e .mgw/active/7-cache-lookups.json ]; then record complete || [ -e .mgw/completed/7-cache-lookups.json ]; fi

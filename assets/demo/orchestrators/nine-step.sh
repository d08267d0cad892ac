#!/bin/sh
# An orchestrator that relight can always resume: a feature of two phases, nine steps each.
#   nine-step.sh WORKTREE [POINT]      POINT is where `relight resume` continues, for example phase-2-step-4
set -eu
cd "$1"
point=${2:-phase-1-step-1}
# With a key of its own each record counts, also what a restart repeats within a second.
run=$(date +%s)-$$ count=0
record() {
    count=$((count + 1))
    relight record . --once "$run-$count" "$@" >/dev/null
}
# The steps before the point are done: relight has verified what the state file claims of them.
is_open() {
    [ "$point" != "$1" ] || point=reached
    [ "$point" = reached ]
}

if ! [ -e workflow-state.json ]; then
    record init --system nine-step --feature alerts --plan .plan/alerts_plan.md --phases 2 --approved-by Ann
fi
for phase in 1 2; do
    for step in 1 2 2.5 3 4 5 6 7 8 9; do
        is_open phase-$phase-step-$step || continue
        status=completed by=
        case $step in
        2.5) status=approved by=--approved-by=Ann ;; # a person reads the plan
        4 | 6 | 8) status=approved ;;                # an agent reviews
        9)
            echo "phase $phase" >> work.txt
            git add -A
            git commit -qm "Phase $phase"
            ;;
        *) echo "phase $phase, step $step" >> work.txt ;;
        esac
        record --phase $phase --step $step --status $status $by
    done
done
if is_open merge; then
    branch=$(git branch --show-current)
    git -C "$(git rev-parse --git-common-dir)/.." merge -q --no-ff --no-edit "$branch"
fi

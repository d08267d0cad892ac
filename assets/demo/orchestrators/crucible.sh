#!/bin/sh
# An orchestrator that relight can always resume: a build of crucible, four phases and a checkpoint before each.
#   crucible.sh PROJECT [POINT]      POINT is where `relight resume` continues, for example wave-1
set -eu
cd "$1"
point=${2:-fresh} session=1900000000
# With a key of its own each record counts, also what a restart repeats within a second.
run=$(date +%s)-$$ count=0
record() {
    count=$((count + 1))
    relight record $session --once "$run-$count" "$@" > "$answer"
}
checkpoint() { relight checkpoint $session --reason "$1" > "$answer"; }
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT
# The phases before the point are done: relight has verified what the manifest claims of them.
is_open() {
    [ "$point" != "$1" ] || point=reached
    [ "$point" = reached ]
}
# A subagent: its prompt is recorded before it starts, its outcome afterwards. Here it writes one file.
dispatch() {
    echo "Do the work of the $2." > "$answer.prompt"
    record dispatch "$2" --phase "$1" --template "build-$2-prompt.md" --body "$answer.prompt"
    seq=$(sed -n 's/^dispatch *//p' "$answer")
    echo "$2 was here" > "$2.md"
    git add -A
    git diff --cached --quiet || git commit -qm "$2"
    record done "$seq" --status completed --summary "$2: PASS" --duration 1
}

if relight show $session > "$answer" 2>&1; then
    # What was under way when the run was killed has no outcome: it failed, if no cut record of one is completed now.
    manifest=$(sed -n 's/^state file *\(.*manifest.jsonl\)$/\1/p' "$answer" | head -n 1)
    for seq in $(sed -n 's/.*"seq": *\([0-9]*\).*/\1/p' "$manifest" | sort -n | uniq -u); do
        record done "$seq" --status error --summary "interrupted" || true
    done
else
    record init --system crucible
fi
if is_open fresh; then
    record phase 1
    dispatch 1 researcher
fi
if is_open phase-2; then
    checkpoint pre-design-gate
    record phase 2
    dispatch 2 plan-writer
fi
if is_open wave-1; then
    record phase 3
    checkpoint pre-wave-1
    dispatch 3 implementer
fi
if is_open phase-4; then
    record phase 4
    checkpoint pre-code-review
    dispatch 4 reviewer
fi
record finish

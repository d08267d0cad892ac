#!/bin/sh
# An orchestrator that relight can always resume: a conference of two researchers and two rounds.
#   autoconference.sh FOLDER [POINT]      POINT is where `relight resume` continues, for example round-2-phase-3
set -eu
cd "$1"
point=${2:-round-1-phase-1}
case $point in
*-mid) point=${point%mid}phase-1 ;; # the iterations that are there stay
esac
# With a key of its own each record counts, also what a restart repeats within a second.
run=$(date +%s)-$$ count=0
record() {
    count=$((count + 1))
    relight record . --once "$run-$count" "$@" >/dev/null
}
# The phases before the point are done: relight has verified what the tables claim of them.
is_open() {
    [ "$point" != "$1" ] || point=reached
    [ "$point" = reached ]
}
# How many iterations of a round a researcher's table holds.
iterations() { awk -F'\t' -v round="$2" -v r=0 'NR > 1 { if ($1 == 0) r++; if (r == round) n++ } END { print n + 0 }' "researcher_$1_results.tsv"; }

if ! [ -s conference_events.jsonl ]; then
    record init
fi
for round in 1 2; do
    if is_open round-$round-phase-1; then
        grep -q "\"round.started\".*\"round\": $round" conference_events.jsonl || record round.started
        for researcher in A B; do
            for iteration in 0 1 2; do
                [ "$iteration" -ge "$(iterations $researcher $round)" ] || continue
                status=kept
                [ $iteration -gt 0 ] || status=baseline
                record iteration --researcher $researcher --iteration $iteration --value 4$round.$iteration \
                    --status $status --description "attempt $iteration" --verified-by script:bench.py
            done
        done
    fi
    if is_open round-$round-phase-2; then
        printf '# Poster Session — Round %s\n\n## Round Summary\nCaching beats arenas.\n' $round > poster_session_round_$round.md
        record round.poster_session summary="caching beats arenas"
    fi
    if is_open round-$round-phase-3; then
        printf '# Peer Review — Round %s\n\n### Finding 1\n**Claim:** it helps\n**Verdict:** validated\n' $round > peer_review_round_$round.md
        record round.peer_review validated_count=1 challenged_count=0 overturned_count=0
    fi
    if is_open round-$round-phase-4; then
        record round.completed best_metric=4$round.2 best_researcher=A converged=false
    fi
done
if is_open synthesis; then
    echo "# Synthesis" > synthesis.md
    echo "# Final report" > final_report.md
    record conference.completed synthesis_path=synthesis.md final_report_path=final_report.md total_iterations=8
fi

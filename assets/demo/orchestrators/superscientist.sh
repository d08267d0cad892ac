#!/bin/sh
# An orchestrator that relight can always resume: a workflow of three stages, each with a job in the background.
#   superscientist.sh FOLDER [POINT]     POINT is where `relight resume` continues, for example stage-2:rerun
set -eu
cd "$1"
point=${2:-stage-1:rerun}
# With a key of its own each record counts, also what a restart repeats within a second.
run=$(date +%s)-$$ count=0
record() {
    count=$((count + 1))
    relight record . --once "$run-$count" "$@" >/dev/null
}
stage() {
    echo "{\"id\": \"stage-$1\", \"name\": \"$2\", \"depends_on\": [$3], \"outputs\": [\"stage-$1/out.dat\"],
           \"success_criteria\": \"out.dat is there\"}"
}
if ! [ -e workflow-state.json ]; then
    record init --system superscientist --from - <<PLAN
{"workflow_id": "ring-2026-11-22", "purpose": "The radius of a ring", "experiment_design": "design.md",
 "workflow_plan": "plan.md", "stages": [
 $(stage 1 Build ""), $(stage 2 Relax '"stage-1"'), $(stage 3 Measure '"stage-2"')]}
PLAN
fi
# The job of a stage: its output, its exit code, its marker.
launch() {
    (echo "energy -18" > "$folder/out.dat"; echo 0 > "$folder/DPDISP_EXIT_CODE"; : > "$folder/DPDISP_DONE") &
}
# The status that the state file has for this stage.
status() { grep -A2 "\"id\": \"$folder\"" workflow-state.json | sed -n 's/.*"status": "\(.*\)".*/\1/p'; }

case $point in
completion) number=4 action= ;;
*) number=${point#stage-} action=${point#*:} number=${number%:*} ;;
esac
record session start
while [ "$number" -le 3 ]; do
    folder=stage-$number
    if [ "$action" = retry ]; then
        [ "$(status)" = failed ] || record "$number" failed --error "its job was lost"
        rm -f "$folder"/DPDISP_*
        action=rerun
    fi
    if [ "$action" = rerun ]; then
        [ "$(status)" = ready ] || record "$number" ready
        record "$number" preparing
        mkdir -p "$folder"
        record "$number" running
        launch
    elif [ "$action" = monitor ]; then
        record "$number" running --recovered && launch # the job died with its orchestrator
    fi
    if [ "$(status)" != post_processing ]; then
        relight wait . "$folder" --quiet
        record "$number" post_processing
    fi
    record "$number" completed
    number=$((number + 1)) action=rerun
done
record complete
record session end

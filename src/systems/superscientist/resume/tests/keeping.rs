//! What is kept when work is done again, and what the log says when that is taken back.

use super::*;

#[test]
fn outputs_beside_the_folder_are_kept_unless_another_still_needs_them() {
    let site = Site::new(CHAIN);
    let outputs = "\"outputs\": [\"stage-1/out.dat\", \"structures/ring.dat\", \"shared/all.csv\", \"raw.dat\", \"gone.dat\", \"../outside\", \"progress.log\"]";
    site.edit("\"outputs\": [\"stage-1/out.dat\"]", outputs);
    // The stage reads one of them itself, and stage-5, which keeps its results, reads another.
    site.edit("\"inputs\": []", "\"inputs\": [\"raw.dat\"]");
    let text = site.text("workflow-state.json");
    let (head, tail) = text.rsplit_once("\"inputs\": []").unwrap();
    let tail = format!("{head}\"inputs\": [\"shared/\"]{tail}");
    site.write("workflow-state.json", tail);
    for path in [
        "structures/ring.dat",
        "structures/ring.dat.v1",
        "shared/all.csv",
        "raw.dat",
    ] {
        site.write(path, "x");
    }
    let intent = site.intent("stage-1:rerun");
    let moved = moves(&site, &intent);
    let beside: Vec<_> = moved
        .iter()
        .filter(|(from, _)| !from.starts_with("stage-"))
        .collect();
    assert_eq!(
        beside,
        [&(
            "structures/ring.dat".to_owned(),
            "structures/ring.dat.v2".to_owned()
        )]
    );
    let lost: Vec<_> = intent
        .losses
        .iter()
        .map(|l| l.lossy().into_owned())
        .collect();
    assert_eq!(
        lost[0],
        "3 outputs of stage-1 outside its folder stay in place and the new run overwrites them: shared/all.csv, raw.dat, progress.log."
    );
    let lines = written(&intent).1;
    let kept = "[{now}] stage-1: structures/ring.dat kept as structures/ring.dat.v2";
    assert!(lines.iter().any(|line| line == kept), "{lines:?}");
}

#[test]
fn what_was_taken_back_is_no_contradiction_of_the_log() {
    let site = Site::new(CHAIN);
    let log = site.text("progress.log");
    let taken = "[2026-06-02T09:00:00+00:00] stage-1 (Name of stage-1): status -> invalidated\n";
    site.write("progress.log", format!("{log}{taken}"));
    assert_eq!(site.verdict("S14"), Verdict::Warn);
    let undo = site.open().undo_lines("stage-1:rerun\n{now}");
    let [Step::AppendLines { path, lines, .. }] = undo.as_slice() else {
        panic!("{undo:?}");
    };
    assert_eq!(*path, site.wf.join("progress.log"));
    assert_eq!((lines.len(), lines[0].matches("{now}").count()), (1, 1));
    let line = lines[0].replace("{now}", "2026-06-02T10:00:00+00:00");
    site.write("progress.log", format!("{log}{taken}{line}\n"));
    assert_eq!(site.verdict("S14"), Verdict::Pass);
    let later = "[2026-06-02T11:00:00+00:00] stage-1: status -> failed\n";
    site.write("progress.log", format!("{log}{taken}{line}\n{later}"));
    assert_eq!(
        site.verdict("S14"),
        Verdict::Warn,
        "what came after it counts"
    );
}

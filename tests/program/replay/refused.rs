//! What is refused before anything starts, with its exit code, and not a byte written.

use std::fs;
use std::path::PathBuf;

use super::kit::{Labels, kind};
use super::sandbox::differences;

#[test]
fn everything_is_validated_before_anything_starts() {
    let labels = Labels::new();
    let swap = labels.swap();
    let file = labels.experiment("red-team-v2.md");
    let file = file.display();
    let (missing, other) = (
        "red-team-prompt.md=no/such.md".to_owned(),
        format!("no-such-prompt.md={file}"),
    );
    let beneath = format!("build/red-team-prompt.md={file}");
    let before = labels.sandbox.all();
    let table: &[(&[&str], &[i32], &str)] = &[
        (
            &["--mutate", "red-team-prompt.md"],
            &[2],
            "is not ORIGINAL=REPLACEMENT",
        ),
        (&["--mutate", &missing], &[2], "no/such.md"),
        (&["--mutate", &other], &[2, 3], "no effect"),
        (&["--mutate", &beneath], &[2], "red-team-prompt.md"),
        (
            &["--mutate", &swap, "--mutate", &swap],
            &[2],
            "red-team-prompt.md",
        ),
        (
            &["--mutate", &swap, "--template-ref", "no-such"],
            &[3],
            "no-such",
        ),
        (
            &["--mutate", &swap, "--template-ref", "HEAD..main"],
            &[2, 3],
            "",
        ),
        (
            &["--mutate", &swap, "--templates", "projects/labels"],
            &[2, 3],
            "",
        ),
        (&["--mutate", &swap, "--from-phase", "9"], &[2, 3], "9"),
        (&["--mutate", &swap, "--from-seq", "99"], &[2, 3], "99"),
        (
            &["--mutate", &swap, "--from-seq", "9", "--from-phase", "3"],
            &[2],
            "",
        ),
        (&["--mutate", &swap, "--runner", "borg"], &[2], "borg"),
        (&["--mutate", &swap, "--jobs", "0"], &[2], ""),
        (
            &["--mutate", &swap, "--repeat", "2", "--in-place"],
            &[2],
            "runs only once",
        ),
        (
            &["--mutate", &swap, "--resolve", "5=original", "--no-runner"],
            &[2],
            "5",
        ),
        (
            &["--mutate", &swap, "--resolve", "no/such"],
            &[2],
            "no/such",
        ),
        (&["--continue"], &[1], "interrupted"),
        (&["--continue", "177"], &[2], "177"),
        (&["--continue", "--mutate", &swap], &[2], ""),
        (&["--list", "--diff"], &[2], ""),
    ];
    for (options, codes, words) in table {
        let (code, error) = labels.json(options, &[]);
        assert!(codes.contains(&code), "{options:?}: {code} {error}");
        let said = error["error"].to_string();
        assert!(said.contains(words), "{options:?}: {said}");
    }
    assert_eq!(
        differences(&before, &labels.sandbox.all()),
        Vec::<PathBuf>::new()
    );
}

#[test]
fn a_conflict_is_never_resolved_silently() {
    let labels = Labels::new();
    // The context of the original stands in the very section that the replacement leaves out.
    let swap = labels.edited("red-team-prompt.md", "## Context\n\n", "");
    let runner = ["/bin/sh", "-c", "echo PASS"];
    let before = labels.sandbox.all();
    let (code, plan) = labels.json(&["--mutate", &swap, "--dry-run"], &runner);
    assert_eq!((code, kind(&plan)), (3, "refused"), "{plan}");
    let steps = plan["plan"]["steps"].as_array().unwrap();
    let open: Vec<u64> = steps
        .iter()
        .filter(|step| step["conflict"].is_array())
        .map(|step| step["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(plan["plan"]["conflicts"], open.len());
    assert!(!open.is_empty());
    let report = plan["dry_run_report"].as_str().unwrap();
    assert!(report.contains("<<<<<<< original dispatch\n"), "{report}");
    let (code, error) = labels.json(&["--mutate", &swap], &runner);
    assert_eq!((code, kind(&error)), (3, "refused"), "{error}");
    // One that is named resolves that one alone.
    let one = format!("{}=replacement", open[0]);
    let (code, error) = labels.json(&["--mutate", &swap, "--resolve", &one], &runner);
    assert_eq!(code, if open.len() == 1 { 0 } else { 3 }, "{error}");
    if open.len() > 1 {
        assert_eq!(
            differences(&before, &labels.sandbox.all()),
            Vec::<PathBuf>::new()
        );
    }
    let edited = labels.scratch().join("edited.md");
    fs::write(&edited, "# Dispatch: red-team\n\n---\nEdited by hand.\n").unwrap();
    let by_hand = format!("{}={}", open[0], edited.display());
    let resolved = [
        "--mutate",
        &swap,
        "--resolve",
        &by_hand,
        "--resolve",
        "original",
    ];
    let (code, done) = labels.json(&resolved, &runner);
    assert_eq!(code, 0, "{done}");
    let session = &done["sessions"][0];
    let lines = Labels::lines(session);
    let line = lines
        .iter()
        .find(|line| line["replay_of"] == open[0])
        .unwrap();
    let folder = PathBuf::from(session["folder"].as_str().unwrap()).join("dispatch");
    let written = fs::read_to_string(folder.join(line["file"].as_str().unwrap())).unwrap();
    assert!(written.contains("Edited by hand."), "{written}");
}

#[test]
fn the_other_systems_say_that_they_are_compared_and_not_replayed() {
    let labels = Labels::new();
    let before = labels.sandbox.all();
    for pipeline in ["tokenizer-speed", "mgw-57", "polymer-ring", "price-alerts"] {
        let swap = labels.swap();
        let (code, error) = labels
            .sandbox
            .json(&["replay", pipeline, "--mutate", &swap]);
        assert_eq!((code, kind(&error)), (3, "refused"), "{error}");
        let said = error["error"].to_string();
        assert!(said.contains("not supported"), "{said}");
        assert!(said.contains("relight compare"), "{said}");
        let (code, list) = labels.sandbox.json(&["replay", pipeline, "--list"]);
        assert_eq!((code, list["sessions"].as_array().unwrap().len()), (0, 0));
    }
    assert_eq!(
        differences(&before, &labels.sandbox.all()),
        Vec::<PathBuf>::new()
    );
}

//! `--dry-run` beside every other option: it answers, and nothing is written.

use std::path::PathBuf;

use super::kit::Labels;
use super::sandbox::differences;

#[test]
fn it_goes_with_every_option_and_writes_nothing() {
    let labels = Labels::new();
    let swap = labels.late();
    let templates = labels.templates();
    let templates = templates.to_str().unwrap();
    let options: &[&[&str]] = &[
        &[],
        &["--mutate", &swap],
        &["--mutate", &swap, "--templates", templates],
        &["--from-phase", "4"],
        &["--from-seq", "15"],
        &["--mutate", &swap, "--resolve", "replacement"],
        &["--runner", "stub"],
        &["--runner", "stand-in", "--timeout", "9", "--retries", "1"],
        &["--no-runner"],
        &["--jobs", "2"],
        &[
            "--mutate",
            &swap,
            "--repeat",
            "3",
            "--parallel",
            "2",
            "--all",
        ],
        &["--mutate", &swap, "--repeat", "3", "--fresh", "--diff"],
        &["--mutate", &swap, "--repeat", "3", "--no-control"],
        &["--on", "slurm", "--repeat", "2"],
        &["--metric", "n=true", "--metric", "m=true", "--primary", "m"],
        &["--in-place", "--from-phase", "4"],
        &["--sandbox", "off", "--keep-paths", "--setup", "true"],
        &["--list"],
        &["--quiet"],
    ];
    let before = labels.sandbox.all();
    for words in options {
        let words = [words, &["--dry-run"][..]].concat();
        let (code, said) = labels.json(&words, &[]);
        assert_eq!(code, 0, "{words:?}: {said}");
        let after = labels.sandbox.all();
        assert_eq!(
            differences(&before, &after),
            Vec::<PathBuf>::new(),
            "{words:?}"
        );
    }
}

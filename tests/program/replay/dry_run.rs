//! `--dry-run` beside every other option: it answers, and nothing is written.

use std::path::PathBuf;

use super::kit::{Labels, parsed};
use super::sandbox::differences;
use super::slurm::stub::Stub;

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
    let stub = Stub::new();
    for words in options {
        let words = [words, &["--dry-run"][..]].concat();
        let words = [&["--json"], &words[..]].concat();
        let mut asked = stub.with(labels.command(&words, &[]));
        let (code, said) = parsed(&asked.output().unwrap());
        assert_eq!(code, 0, "{words:?}: {said}");
        let after = labels.sandbox.all();
        assert_eq!(
            differences(&before, &after),
            Vec::<PathBuf>::new(),
            "{words:?}"
        );
    }
}

/// What a run would refuse before it starts is known without starting it.
#[test]
fn it_says_what_a_run_would_refuse() {
    let labels = Labels::new();
    let stub = Stub::new();
    stub.put("silent", "Unable to contact slurm controller");
    let setup = ["--runner", "stub", "--setup", "no-such-setup"];
    let slurm = ["--on", "slurm", "--repeat", "2"];
    for (options, why) in [
        (setup, "The setup command cannot be run: no-such-setup"),
        (slurm, "Slurm does not answer: Unable to contact"),
    ] {
        let refused = |more: &[&str]| {
            let options = [&["--json"], &options[..], more].concat();
            let mut run = stub.with(labels.command(&options, &[]));
            let (code, said) = parsed(&run.output().unwrap());
            let text = said["error"]["text"].as_str().unwrap_or_default();
            assert!(
                code == 3 && text.starts_with(why),
                "{options:?}: {code} {said}"
            );
        };
        refused(&["--dry-run"]);
        let before = labels.sandbox.all();
        refused(&[]);
        assert_eq!(
            differences(&before, &labels.sandbox.all()),
            Vec::<PathBuf>::new(),
            "{options:?}"
        );
    }
}

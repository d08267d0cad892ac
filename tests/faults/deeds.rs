//! The resumes that are run with faults: every kind of action that a plan of the sandbox has.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::ground::{Ground, Ran};

/// One point of one pipeline of the sandbox.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deed {
    /// The project, beneath `projects`.
    pub(crate) project: &'static str,
    /// The pipeline and what of it.
    pub(crate) what: &'static [&'static str],
    /// Git repositories that it touches, beneath `projects`.
    pub(crate) repo: Option<&'static str>,
}

/// All of them, those with the most different actions first.
pub(crate) const DEEDS: &[Deed] = &[
    deed("shop", &["crucible", "wave-2"], Some("shop")),
    deed("shop", &["crucible", "phase-2", "--exact"], Some("shop")),
    deed(
        "science/polymer-ring",
        &["superscientist-polymer", "stage-1:rerun"],
        None,
    ),
    deed(
        "trader",
        &["nine-step-price-alerts", "phase-0-commit"],
        Some("trader/.worktree/price-alerts"),
    ),
    deed(
        "lab/tokenizer-speed",
        &["autoconference-tokenizer", "round-2-mid"],
        None,
    ),
    deed("notes", &["mgw-57", "step-plan"], None),
    deed(
        "lab/tokenizer-speed",
        &[
            "autoconference-tokenizer",
            "synthesis",
            "--accept",
            "convergence",
        ],
        None,
    ),
    deed(
        "science/polymer-ring",
        &["superscientist-polymer", "stage-2:skip"],
        None,
    ),
    deed("trader", &["nine-step-price-alerts", "from-backup"], None),
    deed("trader", &["nine-step-two-factor", "phase-1-step-1"], None),
    deed(
        "trader",
        &["nine-step-csv-export", "phase-0-commit"],
        Some("trader/.worktree/csv-export"),
    ),
    deed("notes", &["mgw-58", "fresh"], None),
];

const fn deed(
    project: &'static str,
    what: &'static [&'static str],
    repo: Option<&'static str>,
) -> Deed {
    Deed {
        project,
        what,
        repo,
    }
}

impl Deed {
    /// The command that applies it, as it is in this sandbox: a crucible run is named by its start.
    pub(crate) fn words(&self, ground: &Ground) -> Vec<String> {
        let word = |word: &&str| match *word {
            "crucible" => ground.crucible(),
            other => other.to_owned(),
        };
        self.what.iter().map(word).collect()
    }

    /// Applies it.
    pub(crate) fn act(&self, ground: &Ground) -> Ran {
        let words = self.resume(ground);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        ground.run(self.project, &words)
    }

    /// The whole command.
    pub(crate) fn resume(&self, ground: &Ground) -> Vec<String> {
        let mut words = vec!["resume".to_owned()];
        words.extend(self.words(ground));
        words.extend(["--yes", "--json"].map(str::to_owned));
        words
    }

    /// The logs that it appends to.
    pub(crate) fn logs(&self, ground: &Ground) -> BTreeSet<PathBuf> {
        let words = self.words(ground);
        let mut args = vec!["plan", "--json"];
        args.extend(words.iter().map(String::as_str));
        let ran = ground.run(self.project, &args);
        assert_eq!(ran.code, 0, "{args:?}: {ran:?}");
        let plan = ran.json();
        let actions = plan["plan"]["actions"].as_array().unwrap().iter();
        actions
            .filter(|action| action["kind"] == "append_lines")
            .map(|action| PathBuf::from(action["target"].as_str().unwrap()))
            .collect()
    }
}

//! The records that are run with faults.

use crate::slice;

/// A record of one form.
pub(super) struct Record {
    /// The project, beneath `projects`.
    pub(super) project: &'static str,
    /// What is typed after `relight record`; `RUN` is the session of the crucible run.
    pub(super) words: &'static [&'static str],
    /// How many files it writes.
    pub(super) files: usize,
    /// What `verify` is asked about.
    pub(super) pipeline: &'static str,
    /// A shell command in the project that makes the record possible.
    pub(super) setup: &'static str,
    /// A record that is refused under the project's lock; none where a record of one file needs no other to finish it.
    pub(super) refused: &'static [&'static str],
}

/// One of each two records: which one is another for another turn and another seed. Both in a full run.
pub(super) fn half(turn: usize) -> impl Iterator<Item = &'static Record> {
    let pairs = RECORDS.chunks(2).enumerate();
    pairs.flat_map(move |(nth, pair)| {
        let turned = pair.iter().cycle().skip(nth + turn).take(pair.len());
        slice(turned.collect(), 1)
    })
}

/// For each system a record of one file and one of several.
pub(super) const RECORDS: &[Record] = &[
    Record {
        project: "notes",
        words: &["57", "--step", "execute", "--progress", "k=1"],
        files: 1,
        pipeline: "mgw-57",
        setup: "",
        refused: &[],
    },
    Record {
        project: "notes",
        words: &["57", "complete"],
        files: 2,
        pipeline: "mgw-57",
        setup: "sed -i 's/\"pipeline_stage\": \"[a-z]*\"/\"pipeline_stage\": \"pr-created\"/' .mgw/active/57-*.json",
        refused: &["57", "--step", "ship"],
    },
    Record {
        project: "shop",
        words: &["RUN", "phase", "4"],
        files: 1,
        pipeline: "RUN",
        setup: "for seq in 8 9; do
            \"$RELIGHT\" record \"$RUN\" done $seq --status skipped --summary x; done",
        refused: &[],
    },
    Record {
        project: "shop",
        words: &[
            "RUN",
            "dispatch",
            "reviewer",
            "--phase",
            "3",
            "--template",
            "review",
            "--body",
            "package.json",
        ],
        // The first record of a dispatch makes the durable copy.
        files: 14,
        pipeline: "RUN",
        setup: "echo text > package.json",
        refused: &[
            "RUN",
            "done",
            "999",
            "--status",
            "completed",
            "--summary",
            "x",
        ],
    },
    Record {
        project: "shop",
        words: &["RUN", "finish"],
        files: 24,
        pipeline: "RUN",
        setup: "for seq in 1 2 3 4 5 6 7 8 9; do
            \"$RELIGHT\" record \"$RUN\" done $seq --status skipped --summary x || true
            done; \"$RELIGHT\" record \"$RUN\" phase 4",
        refused: &[
            "RUN",
            "done",
            "999",
            "--status",
            "completed",
            "--summary",
            "x",
        ],
    },
    Record {
        project: "shop",
        words: &["1900000000", "init", "--system", "crucible"],
        files: 4,
        pipeline: "RUN",
        // Without a folder for the marker the slots lie in the repository.
        setup: "rm -r ../../home/.claude",
        refused: &[
            "1900000000",
            "init",
            "--system",
            "crucible",
            "--skill",
            "dance",
        ],
    },
    Record {
        project: "science/polymer-ring",
        words: &[".", "log", "Mesh 60 fits."],
        files: 1,
        pipeline: ".",
        setup: "",
        refused: &[],
    },
    Record {
        project: "science/polymer-ring",
        words: &[".", "stage-2", "ready"],
        // The markers of the failed attempt are moved aside.
        files: 6,
        pipeline: ".",
        setup: "",
        refused: &[".", "stage-9", "ready"],
    },
    Record {
        project: "trader/.worktree/price-alerts",
        words: &[
            ".",
            "init",
            "--system",
            "nine-step",
            "--feature",
            "price-alerts",
            "--plan",
            ".plan/price_alerts_plan.md",
            "--phases",
            "2",
        ],
        files: 1,
        pipeline: ".",
        setup: "rm -f workflow-state.json workflow-state.json.backup",
        refused: &[],
    },
    Record {
        project: "trader/.worktree/price-alerts",
        words: &[".", "--phase", "2", "--step", "3", "--status", "completed"],
        files: 2,
        pipeline: ".",
        setup: "",
        refused: &[
            ".",
            "--phase",
            "2",
            "--step",
            "4.5",
            "--status",
            "completed",
        ],
    },
    Record {
        project: "lab/tokenizer-speed",
        words: &[".", "researcher.stuck", "researcher=B", "stuck_level=2"],
        files: 1,
        pipeline: ".",
        setup: "",
        refused: &[],
    },
    Record {
        project: "lab/tokenizer-speed",
        words: &[
            ".",
            "iteration",
            "--researcher",
            "B",
            "--iteration",
            "3",
            "--value",
            "40.5",
            "--status",
            "kept",
            "--description",
            "arena",
        ],
        files: 3,
        pipeline: ".",
        setup: "",
        refused: &[".", "conference.completed"],
    },
];

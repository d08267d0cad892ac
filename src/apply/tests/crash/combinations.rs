//! Every combination of three changes, whatever it amounts to: it is applied as a whole, or refused and nothing
//! was changed; and it is cut everywhere.

use super::cases::Sketch;
use super::judge::{Side, Truth};
use super::kit::{Case, full, sized, summary};
use crate::apply::disk::sim::Rng;
use crate::apply::draft::Draft;

type Step = (&'static str, fn(Sketch) -> Sketch);

const STEPS: [Step; 16] = [
    ("replace a file", |s| s.file("/p/a.txt", "a after\n")),
    ("make a file", |s| s.file("/p/new/deep/f", "f\n")),
    ("make another beside it", |s| s.file("/p/new/deep/g", "g\n")),
    ("make a directory", |s| s.dir("/p/new/hollow")),
    ("remove a file", |s| s.nothing("/p/dir/b.txt")),
    ("remove a directory", |s| s.nothing("/p/dir/sub")),
    ("remove what is in a directory", |s| {
        s.nothing("/p/dir/sub/c.txt")
    }),
    ("remove the directory above", |s| s.nothing("/p/dir")),
    ("a file where a directory is", |s| {
        s.file("/p/old", "a file\n")
    }),
    ("a file beneath a file", |s| {
        s.nothing("/p/run.sh").file("/p/run.sh/x", "x\n")
    }),
    ("a link where a file is", |s| s.link("/p/secret", "a.txt")),
    ("a file where a link is", |s| s.file("/p/link", "a file\n")),
    ("move a directory aside", |s| s.moved("/p/old", "/p/old.v1")),
    ("move a file into a new directory", |s| {
        s.moved("/p/old/x", "/p/new/x")
    }),
    ("replace a file in a directory", |s| {
        s.file("/p/old/y", "y after\n")
    }),
    ("a file in an empty directory", |s| {
        s.file("/p/empty/in", "in\n")
    }),
];

/// Every set of three of them, with what it is called.
fn all() -> Vec<(String, Draft)> {
    let mut all = Vec::new();
    for (a, first) in STEPS.iter().enumerate() {
        for (b, second) in STEPS.iter().enumerate().skip(a + 1) {
            for third in STEPS.iter().skip(b + 1) {
                let name = format!("{} + {} + {}", first.0, second.0, third.0);
                let sketch = third.1(second.1(first.1(Sketch::default())));
                all.push((name, sketch.0));
            }
        }
    }
    all
}

#[test]
fn three_changes_together_are_done_whole_or_not_at_all() {
    let combinations = all();
    let (mut refused, mut runs) = (0, 0);
    let mut rng = Rng(31);
    let every = sized(18, 1);
    let chosen = combinations.iter().skip(rng.below(every)).step_by(every);
    for (name, draft) in chosen {
        let name: &'static str = name.clone().leak();
        let draft = draft.clone();
        let truth = match Truth::tried(Case::new(name, move |_| draft.clone())) {
            Ok(truth) => truth,
            Err(_refusal) => {
                refused += 1;
                continue;
            }
        };
        // What comes before the journal is the same for every plan: it is cut elsewhere.
        let first = truth.steps.saturating_sub(sized(14, 30));
        for step in first..=truth.steps {
            if !full() && rng.below(3) > 0 {
                continue;
            }
            let disk = truth.start.branch();
            disk.die_at(step);
            let done = truth.case.carry(&disk, &truth.draft).is_ok();
            let what = format!("cut before call {step}");
            let cuts = disk.crash_states(sized(2, 8), rng.draw());
            for found in std::iter::once(disk.after_kill()).chain(cuts) {
                truth.nothing_lost(&found, &what);
                let side = truth.recovered(&found, &what);
                assert!(!done || side == Side::After, "{name}, {what}");
            }
        }
        runs += truth.runs();
    }
    let all = combinations.len();
    println!(
        "crash simulator, combinations: {all} in all, {refused} of those tried refused, {runs} recoveries"
    );
    summary("simulated recoveries", runs);
}

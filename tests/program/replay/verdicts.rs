//! The report of each of the six verdicts, as text and as Markdown, from experiments whose runners are told what to say.

use super::kit::{Labels, runs_as_printed, text};
use crate::act_systems::part::tried;

/// Passes or fails by this condition of a shell; whoever reviews says the same.
fn script(passes: &str) -> String {
    format!(
        "if {passes}; then echo 'PASS: 9 of 9 tests passed'; else echo 'FAIL: 2 of 9 tests failed'; fi"
    )
}

#[test]
fn each_verdict_has_its_report() {
    let control = "[ \"$RELIGHT_ARM\" = control ]";
    let mutated = "[ \"$RELIGHT_ARM\" = mutated ]";
    let table = [
        ("better", "better", mutated.to_owned(), "10"),
        ("worse", "worse", control.to_owned(), "10"),
        (
            "no-meaningful-change",
            "no_meaningful_change",
            "true".to_owned(),
            "11",
        ),
        (
            "undecided",
            "undecided",
            format!("{mutated} || [ \"$RELIGHT_BLOCK\" != 2 ]"),
            "3",
        ),
        ("confounded", "confounded", "true".to_owned(), "2"),
        ("not-judged", "not_judged", "true".to_owned(), "1"),
    ];
    let mut settings = insta::Settings::clone_current();
    for (pattern, instead) in [
        (r"crucible-[0-9]{10}~[0-9a-f]+", "PIPELINE"),
        // With paths of the test, by whose length its lines break.
        (r"(?s)start again: relight.*?fi'", "start again: COMMAND"),
        (r"\b[0-9]{10}\b", "EXPERIMENT"),
        (r"\(in [^)]*\)", "(in TREE)"),
        (
            r"git diff [0-9a-f]{8}(\.\.[0-9a-f]{8})?",
            "git diff COMMITS",
        ),
        (r"[0-9]+ runs? with", "RUNS with"),
        (r" +[+-]?[0-9]+ (h|min)( [0-9]+ (min|s))?", " TIME"),
        (r" +[+-]?[0-9]+ s\b", " TIME"),
        (r"[+-]?[0-9]+ ?(m|h)\b", "TIME"),
        // A column is as wide as the times in it.
        (r"([^ \n]) {2,}", "$1  "),
    ] {
        settings.add_filter(pattern, instead);
    }
    let _bound = settings.bind_to_scope();
    for (nth, (name, verdict, passes, blocks)) in table.into_iter().enumerate() {
        let labels = Labels::new();
        let swap = labels.late();
        // A swap that changes nothing in its dispatches, beside one that does.
        let template = "inquisitor-prompt.md";
        let equal = format!("{template}={}", labels.templates().join(template).display());
        let beside: &[&str] = match name {
            "confounded" => &["--mutate", &equal],
            _ => &[],
        };
        let options = [
            "--mutate",
            &swap,
            "--repeat",
            blocks,
            "--diff",
            "--sandbox",
            "off",
        ];
        let options = [&options[..], beside].concat();
        let (code, done) = labels.json(&options, &["/bin/sh", "-c", &script(&passes)]);
        assert_eq!(code, 0, "{name}: {done}");
        assert_eq!(done["comparison"]["verdict"], verdict, "{name}: {done}");
        let compared = |more: &[&str]| {
            let words = [&["compare", labels.id.as_str()], more].concat();
            let output = labels.sandbox.run_with(&[("COLUMNS", "200")], &words);
            text(&output.stdout)
        };
        let printed = [
            &["compare", labels.id.as_str()][..],
            &["compare", labels.id.as_str(), "--format", "markdown"],
            &["replay", labels.id.as_str(), "--list"],
        ];
        for words in tried(printed.to_vec(), nth, printed.len()) {
            let output = labels.sandbox.run_with(&[("COLUMNS", "4000")], words);
            runs_as_printed(&labels, &text(&output.stdout));
        }
        insta::assert_snapshot!(format!("verdict-{name}-text"), compared(&[]));
        insta::assert_snapshot!(
            format!("verdict-{name}-markdown"),
            compared(&["--format", "markdown"])
        );
    }
}

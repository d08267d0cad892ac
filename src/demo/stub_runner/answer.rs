//! The answer to a dispatch, by the kind of work that its template's name tells.

use std::fmt::Write as _;

use super::odds::Odds;

/// Findings that a gate may have.
const FINDINGS: &[&str] = &[
    "The plan does not say what happens to an empty input.",
    "Two tasks change the same file without saying in which order.",
    "A limit is given without the reason for it.",
    "The name of the new function does not say what it gives back.",
    "No test fails when the second line is left out.",
    "An error is swallowed where the caller could act on it.",
];

/// What an implementer's template says where it wants its work tested.
const ASKS_FOR_TESTS: &str = "run the acceptance tests";

/// What an implementer then writes down.
pub(super) const TESTED: &str = "- the acceptance tests were run before the end\n";

/// The number of acceptance tests in an answer.
const TESTS: u64 = 9;

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    /// What is printed before the last line.
    pub(super) body: String,
    /// The last line.
    pub(super) summary: String,
    /// A file of the folder that it may write into, and what is appended to it.
    pub(super) file: Option<(String, String)>,
}

impl Answer {
    /// The answer to a dispatch.
    ///
    /// `tested` is whether the work in the tree was tested by those who wrote it; `None` where there is none.
    pub(super) fn of(text: &str, odds: &Odds, tested: Option<bool>) -> Self {
        let template = template(text);
        let is = |words: &[&str]| words.iter().any(|word| template.contains(word));
        // Reviewers of tests are reviewers; whoever runs tests is not.
        if is(&[
            "review",
            "red-team",
            "gate",
            "inquisitor",
            "warden",
            "temper",
        ]) {
            gate(text, odds)
        } else if is(&["test"]) {
            tests(text, odds, tested)
        } else if is(&["implement", "fix", "cleanup"]) {
            implementer(text, odds)
        } else {
            writer(&template, odds)
        }
    }

    /// One that writes no file.
    fn printed(body: String, summary: String) -> Self {
        Self {
            body,
            summary,
            file: None,
        }
    }

    /// All that is printed.
    pub(super) fn text(&self) -> String {
        format!("{}{}\n", self.body, self.summary)
    }
}

fn gate(text: &str, odds: &Odds) -> Answer {
    let passes = odds.passes(text);
    let few = text.to_lowercase().contains("at most three");
    // A gate that passes may have remarks, but no blocking ones.
    let (count, blocking) = if passes {
        (odds.draw("remarks", 3), 0)
    } else {
        let count = 1 + odds.draw("findings", if few { 3 } else { 6 });
        (count, 1 + odds.draw("blocking", count))
    };
    let first = usize::try_from(odds.draw("which", FINDINGS.len() as u64));
    let mut body = String::new();
    let findings = FINDINGS.iter().cycle().skip(first.unwrap_or_default());
    for (number, finding) in (1..=count).zip(findings) {
        let minor = number > blocking;
        let weight = if minor { "minor" } else { "blocking" };
        let _ = writeln!(body, "{number}. ({weight}) {finding}");
    }
    let summary = match (passes, count) {
        (true, 0) => "PASS: nothing is open".to_owned(),
        (true, _) => format!("PASS: {}, none of them blocking", counted(count, "remark")),
        (false, _) => format!(
            "FAIL: {}, {blocking} of them blocking",
            counted(count, "finding")
        ),
    };
    Answer::printed(body, summary)
}

/// Work that nobody tested fails the acceptance tests most of the time, so that a template can make a difference.
fn tests(text: &str, odds: &Odds, tested: Option<bool>) -> Answer {
    let passes = match tested {
        None => odds.passes(text),
        Some(tested) => odds.draw("accepted", 100) < if tested { 95 } else { 15 },
    };
    let broken = if passes {
        0
    } else {
        1 + odds.draw("broken", 3)
    };
    let mut body = String::new();
    for number in 1..=TESTS {
        let word = if number <= broken { "failed" } else { "ok" };
        let _ = writeln!(body, "test {number} ... {word}");
    }
    let summary = if broken == 0 {
        format!("PASS: {TESTS} of {TESTS} acceptance tests passed")
    } else {
        format!("FAIL: {broken} of {TESTS} acceptance tests failed")
    };
    Answer::printed(body, summary)
}

fn implementer(text: &str, odds: &Odds) -> Answer {
    let task = header(text, "**Task:**").filter(|task| *task != "null");
    let task = task.map_or_else(|| "0".to_owned(), plain);
    let ways = [
        "with a table",
        "with a loop",
        "with a helper",
        "in one pass",
    ];
    let way = usize::try_from(odds.draw("way", ways.len() as u64)).unwrap_or_default();
    let way = ways.get(way).copied().unwrap_or_default();
    let tests = 2 + odds.draw("tests", 7);
    let asked = text.to_lowercase().contains(ASKS_FOR_TESTS);
    let tested = if asked { TESTED } else { "" };
    let line =
        |number| format!("- test {number} of task {task} was written first and seen to fail\n");
    let lines: String = (1..=tests).map(line).collect();
    Answer {
        body: format!("Wrote stand-in/task-{task}.md.\n"),
        summary: format!("Task {task}: built {way}, {}", counted(tests, "test")),
        file: Some((
            format!("task-{task}.md"),
            format!("# Task {task}\n\nBuilt {way}.\n\n{lines}{tested}"),
        )),
    }
}

fn writer(template: &str, odds: &Odds) -> Answer {
    let tasks = 2 + odds.draw("tasks", 3);
    let waves = 1 + odds.draw("waves", 2);
    let (tasks, waves) = (counted(tasks, "task"), counted(waves, "wave"));
    let name = plain(template);
    Answer {
        body: format!("Wrote stand-in/{name}.md.\n"),
        summary: format!("Written: {tasks} in {waves}"),
        file: Some((
            format!("{name}.md"),
            format!("# {name}\n\n{tasks} in {waves}.\n"),
        )),
    }
}

/// The template's name, in small letters, from the header.
fn template(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    let name = first.strip_prefix("# Dispatch:").unwrap_or_default();
    name.trim().to_lowercase()
}

/// A value of the header.
fn header<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let mut head = text.lines().take_while(|line| line.trim() != "---");
    head.find_map(|line| {
        let (_, rest) = line.split_once(key)?;
        rest.split('|').next().map(str::trim)
    })
}

/// A word as a part of a file's name.
fn plain(word: &str) -> String {
    let mut kept = word.to_owned();
    kept.retain(|sign| sign.is_ascii_alphanumeric() || sign == '-');
    kept.truncate(40);
    if kept.is_empty() {
        "work".to_owned()
    } else {
        kept
    }
}

fn counted(count: u64, noun: &str) -> String {
    let s = crate::text::format::plural(count, "", "s");
    format!("{count} {noun}{s}")
}

//! Merges by table, by the git command as judge, and by property.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use proptest::prelude::*;

use super::{all_in_conflict, fits, inject, settled, text, three};
use crate::model::{Merge, MergePiece};

/// The merge without regard to how sure the place of a line is.
fn merge(base: &[u8], ours: &[u8], theirs: &[u8]) -> Merge {
    three(base, ours, theirs, None)
}

fn clean(base: &str, ours: &str, theirs: &str) -> Option<String> {
    let merged = inject(base.as_bytes(), ours.as_bytes(), theirs.as_bytes());
    text(&merged).map(|text| String::from_utf8(text).unwrap())
}

#[test]
fn what_one_side_changed_is_taken_with_the_context_kept() {
    let table: &[(&str, &str, &str, &str, &str)] = &[
        ("nothing changed", "a\nb\n", "a\nb\n", "a\nb\n", "a\nb\n"),
        (
            "context after, first line swapped",
            "# Old\n\nRules\n",
            "# Old\n\nRules\n\n## Context\nplan\n",
            "# New\n\nRules\n",
            "# New\n\nRules\n\n## Context\nplan\n",
        ),
        (
            "context right after the line that is swapped",
            "# T\n## Diff\n## Out\n",
            "# T\n## Diff\n+ x\n## Out\n",
            "# T\n## The diff\n## Out\n",
            "# T\n## The diff\n+ x\n## Out\n",
        ),
        (
            "context right before the line that is swapped",
            "a\n\nb\n",
            "a\n\nCTX\nb\n",
            "a\n\nB\n",
            "a\n\nCTX\nB\n",
        ),
        (
            "context before and after, a line gone and one new",
            "one\ntwo\nthree\nfour\n",
            "X\none\ntwo\nthree\nfour\nY\n",
            "one\nthree\nnew\nfour\n",
            "X\none\nthree\nnew\nfour\nY\n",
        ),
        (
            "a placeholder filled in stays filled in",
            "Task:\n[FULL TEXT of task]\n\nBe kind.\n",
            "Task:\nBuild it.\nTest it.\n\nBe kind.\n",
            "Task:\n[FULL TEXT of task]\n\nBe harsh.\n",
            "Task:\nBuild it.\nTest it.\n\nBe harsh.\n",
        ),
        (
            "a placeholder within a line stays filled in",
            "Plan: {{plan}}.\n\nBe kind.\n",
            "Plan: docs/p.md.\n\nBe kind.\n",
            "Plan: {{plan}}.\n\nBe harsh.\n",
            "Plan: docs/p.md.\n\nBe harsh.\n",
        ),
        ("the same change on both sides", "a\n", "b\n", "b\n", "b\n"),
        ("an empty dispatch", "", "", "new\n", "new\n"),
        ("the replacement is empty", "a\n", "a\n", "", ""),
        (
            "no newline at the end",
            "a\nb",
            "a\nb\nCTX",
            "A\nb",
            "A\nb\nCTX",
        ),
        (
            "the last line swapped before context",
            "a\nb",
            "a\nb\nCTX\n",
            "a\nB",
            "a\nB\nCTX\n",
        ),
        (
            "a dispatch with carriage returns",
            "a\nb\nc\n",
            "a\r\nCTX\r\nb\r\nc\r\n",
            "a\nb\nC\n",
            "a\r\nCTX\r\nb\r\nC\r\n",
        ),
        (
            "a replacement saved with carriage returns",
            "a\nb\nc\n",
            "a\nCTX\nb\nc\n",
            "a\r\nb\r\nC\r\n",
            "a\r\nCTX\nb\r\nC\r\n",
        ),
        (
            "context that repeats a line that stays",
            "```\nx\n```\ny\n",
            "```\nx\n```\ny\n```\nCTX\n```\n",
            "```\nX\n```\ny\n",
            "```\nX\n```\ny\n```\nCTX\n```\n",
        ),
    ];
    for (name, base, ours, theirs, want) in table {
        assert_eq!(clean(base, ours, theirs).as_deref(), Some(*want), "{name}");
    }
}

#[test]
fn what_both_changed_is_a_conflict_and_nothing_is_lost() {
    let table: &[(&str, &str, &str, &str)] = &[
        (
            "the same line in two ways",
            "a\nb\nc\n",
            "a\nB1\nc\n",
            "a\nB2\nc\n",
        ),
        (
            "context within lines that are swapped",
            "a\nb\nc\n",
            "a\nb\nCTX\nc\n",
            "a\nX\n",
        ),
        (
            "context where lines are added",
            "a\nb\n",
            "a\nCTX\nb\n",
            "a\nNEW\nb\n",
        ),
        ("both at the end", "a\n", "a\nCTX\n", "a\nNEW\n"),
        (
            "a placeholder filled in and swapped",
            "x\n[PLAN]\ny\n",
            "x\nplan\ny\n",
            "x\n[THE PLAN]\ny\n",
        ),
        (
            "a line beside a filled placeholder",
            "x\n[PLAN]\ny\n",
            "x\nplan\ny\n",
            "x\n[PLAN]\nY\n",
        ),
        (
            "sections in another order",
            "a\nb\nc\nd\n",
            "c\nd\na\nb\n",
            "a\nB\nc\nD\n",
        ),
        (
            "a line whose place is uncertain",
            "a\n- x\nb\n",
            "a\n- x\n- x\nb\n",
            "a\n- y\nb\n",
        ),
        ("an empty template", "", "ctx\n", "new\n"),
    ];
    for (name, base, ours, theirs) in table {
        let merged = inject(base.as_bytes(), ours.as_bytes(), theirs.as_bytes());
        assert_eq!(text(&merged), None, "{name}");
        let kept = settled(&merged, false);
        for line in ours.lines() {
            assert!(
                String::from_utf8_lossy(&kept).lines().any(|l| l == line),
                "{name}: {line}"
            );
        }
    }
}

#[test]
fn a_settled_conflict_takes_one_side_and_never_glues_lines() {
    let merged = inject(b"x\na\nb\nc", b"x\na\nB1", b"x\na\nB2");
    assert_eq!(settled(&merged, false), b"x\na\nB1");
    assert_eq!(settled(&merged, true), b"x\na\nB2");
    let pieces = vec![
        MergePiece::Conflict {
            template: Vec::new(),
            dispatch: b"one".to_vec(),
            replacement: b"two\n".to_vec(),
        },
        MergePiece::SettledBy(b"end\n".to_vec()),
    ];
    let merged = Merge { pieces };
    assert_eq!(settled(&merged, false), b"one\nend\n");
    assert_eq!(settled(&merged, true), b"two\nend\n");
}

#[test]
fn a_template_fits_where_its_lines_are_found_in_order() {
    let table: &[(&str, &str, bool)] = &[
        ("a\n\nb\n", "head\na\nctx\nb\nctx\n", true),
        ("a\nb\n", "b\na\n", false),
        ("a\nb\n", "a\n", false),
        ("a\r\nb\r\n", "a\nb", true),
        ("a  \nb\n", "a\nb\n", true),
        ("a\n[PLAN HERE]\nb\n", "a\nwords\nb\n", true),
        ("see [the page](x.md)\n", "see nothing\n", false),
        ("- [ ] tick\n", "- [x] tick\n", false),
        ("[PLAN]\n", "anything\n", false),
        ("", "anything\n", true),
        ("\n\n", "", true),
        ("a\n", "", false),
    ];
    for (template, dispatch, want) in table {
        let found = fits(template.as_bytes(), dispatch.as_bytes());
        assert_eq!(found, *want, "{template:?} in {dispatch:?}");
    }
}

#[test]
fn ten_thousand_lines_are_merged() {
    let numbered =
        |prefix: &str| -> Vec<String> { (0..10_000).map(|n| format!("{prefix}{n}\n")).collect() };
    let base = numbered("line ");
    let mut ours = base.clone();
    ours.splice(5_000..5_000, numbered("context "));
    let mut theirs = base.clone();
    theirs[9] = "nine\n".to_owned();
    let mut want = ours.clone();
    want[9] = "nine\n".to_owned();
    assert_eq!(
        clean(&base.concat(), &ours.concat(), &theirs.concat()),
        Some(want.concat())
    );
    let other = numbered("wholly other ").concat();
    assert!(!fits(base.concat().as_bytes(), other.as_bytes()));
    let merged = merge(
        base.concat().as_bytes(),
        other.as_bytes(),
        theirs.concat().as_bytes(),
    );
    assert_eq!(settled(&merged, false), other.as_bytes());
}

/// What git says: the merged text, or `None` for a conflict.
fn judged(dir: &Path, base: &str, ours: &str, theirs: &str) -> Option<String> {
    for (name, text) in [("ours", ours), ("base", base), ("theirs", theirs)] {
        std::fs::write(dir.join(name), text).unwrap();
    }
    let out = Command::new("git")
        .args(["merge-file", "-p", "--diff3", "ours", "base", "theirs"])
        .current_dir(dir)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    let said = String::from_utf8(out.stdout).unwrap();
    out.status.success().then_some(said)
}

#[test]
fn git_finds_the_same_conflicts_but_where_an_insertion_only_touches() {
    let dir = tempfile::tempdir().unwrap();
    // The last word says whether an insertion touches replaced lines, which git alone calls a conflict.
    let table: &[(&str, &str, &str, bool)] = &[
        ("a\nb\nc\n", "a\nb\nc\n", "a\nX\nc\n", false),
        ("a\nb\nc\n", "a\nb\nc\nCTX\n", "A\nb\nc\n", false),
        ("a\nb\nc\nd\n", "CTX\na\nb\nc\nd\n", "a\nb\nd\n", false),
        ("a\nb\nc\n", "a\nX\nc\n", "a\nX\nc\n", false),
        ("a\nb\nc\n", "a\nX\nc\n", "a\nY\nc\n", false),
        ("a\nb\nc\n", "a\nb\nX\n", "a\nY\nc\n", false),
        ("a\nb\nc\n", "a\nb\nCTX\nc\n", "a\nX\n", false),
        ("a\nb\n", "a\nCTX\nb\n", "a\nNEW\nb\n", false),
        (
            "a\nb\nc\nd\ne\n",
            "A\nb\nc\nd\ne\n",
            "a\nb\nc\nd\nE\n",
            false,
        ),
        (
            "a\nb\nc\nd\ne\n",
            "A\nb\nC\nd\ne\n",
            "a\nB\nc\nd\ne\n",
            false,
        ),
        ("", "ctx\n", "new\n", false),
        ("a\n", "", "a\n", false),
        ("a\nb\nc\n", "a\nCTX\nb\nc\n", "a\nB\nc\n", true),
        ("a\nb\nc\n", "a\nb\nCTX\nc\n", "a\nB\nc\n", true),
    ];
    for (base, ours, theirs, touching) in table {
        let merged = merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes());
        let found = text(&merged).map(|text| String::from_utf8(text).unwrap());
        let git = judged(dir.path(), base, ours, theirs);
        if *touching {
            assert_eq!(git, None, "{base:?} {ours:?} {theirs:?}");
            assert!(found.is_some(), "{base:?} {ours:?} {theirs:?}");
        } else {
            assert_eq!(found, git, "{base:?} {ours:?} {theirs:?}");
        }
    }
}

#[test]
fn without_a_template_the_whole_dispatch_is_in_conflict() {
    let merged = all_in_conflict(b"t", b"d", b"r");
    assert_eq!(merged.pieces.len(), 1);
    assert_eq!(text(&merged), None);
    assert_eq!(
        text(&all_in_conflict(b"t", b"d", b"d")),
        Some(b"d".to_vec())
    );
}

/// A text of few different lines, with or without a newline at its end.
fn texts() -> impl Strategy<Value = Vec<u8>> {
    let line = prop::sample::select(vec!["a", "b", "c", "", "```", "- x"]);
    (
        prop::collection::vec(line, 0..12),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(lines, closed, windows)| {
            let end = if windows { "\r\n" } else { "\n" };
            let mut text = lines.join(end);
            if closed && !text.is_empty() {
                text.push_str(end);
            }
            text.into_bytes()
        })
}

fn unix(mut text: Vec<u8>) -> Vec<u8> {
    text.retain(|byte| *byte != b'\r');
    text
}

/// A template whose lines are each there once, and a dispatch of it: context before, between and after.
fn dispatched() -> impl Strategy<Value = (String, String, Vec<String>)> {
    prop::collection::vec(0..3_usize, 1..10).prop_map(|gaps| {
        let (mut template, mut dispatch, mut context) = (String::new(), String::new(), Vec::new());
        for (at, gap) in gaps.iter().enumerate() {
            for n in 0..*gap {
                let line = format!("context {at}.{n}");
                dispatch.push_str(&format!("{line}\n"));
                context.push(line);
            }
            template.push_str(&format!("line {at}\n"));
            dispatch.push_str(&format!("line {at}\n"));
        }
        (template, dispatch, context)
    })
}

fn swapped(merge: &Merge) -> Vec<MergePiece> {
    let pieces = merge.pieces.iter().cloned().map(|piece| match piece {
        MergePiece::Conflict {
            template,
            dispatch,
            replacement,
        } => MergePiece::Conflict {
            template,
            dispatch: replacement,
            replacement: dispatch,
        },
        settled @ MergePiece::SettledBy(_) => settled,
    });
    pieces.collect()
}

fn counted(text: &[u8]) -> BTreeMap<Vec<u8>, usize> {
    let mut counts = BTreeMap::new();
    for line in text.split(|byte| *byte == b'\n') {
        *counts.entry(line.to_vec()).or_insert(0) += 1;
    }
    counts
}

proptest! {
    #[test]
    fn an_identity_replacement_gives_the_dispatch(base in texts(), ours in texts()) {
        prop_assert_eq!(text(&merge(&base, &ours, &base)), Some(ours.clone()));
        prop_assert_eq!(text(&inject(&base, &ours, &base)), Some(ours));
    }

    #[test]
    fn an_untouched_dispatch_becomes_the_replacement(base in texts(), theirs in texts()) {
        let merged = merge(&base, &base, &theirs);
        prop_assert_eq!(text(&merged), Some(theirs));
    }

    #[test]
    fn the_sides_are_alike(base in texts(), ours in texts(), theirs in texts()) {
        let [base, ours, theirs] = [base, ours, theirs].map(unix);
        let there = merge(&base, &ours, &theirs);
        let back = merge(&base, &theirs, &ours);
        prop_assert_eq!(there.pieces, swapped(&back));
    }

    #[test]
    fn settling_for_the_dispatch_loses_no_line_of_it(
        (template, dispatch, _) in dispatched(), theirs in texts()
    ) {
        let merged = inject(template.as_bytes(), dispatch.as_bytes(), &theirs);
        let kept = counted(&settled(&merged, false));
        for (line, _) in counted(dispatch.as_bytes()) {
            let context = line.starts_with(b"context");
            prop_assert!(!context || kept.contains_key(&line));
        }
    }

    #[test]
    fn no_injected_line_is_missing_from_a_clean_merge(
        (template, dispatch, context) in dispatched(),
        edits in prop::collection::vec((0..10_usize, 0..3_u8), 0..4),
    ) {
        let mut lines: Vec<String> = template.lines().map(str::to_owned).collect();
        for (at, how) in edits {
            let at = at.min(lines.len().saturating_sub(1));
            match how {
                0 if !lines.is_empty() => drop(lines.remove(at)),
                1 if !lines.is_empty() => lines[at] = format!("new {at}"),
                _ => lines.insert(at, format!("more {at}")),
            }
        }
        let theirs = lines.concat_lines();
        prop_assert!(fits(template.as_bytes(), dispatch.as_bytes()));
        let merged = inject(template.as_bytes(), dispatch.as_bytes(), theirs.as_bytes());
        if let Some(text) = text(&merged) {
            let text = String::from_utf8(text).unwrap();
            let found: Vec<&str> = text.lines().filter(|l| l.starts_with("context")).collect();
            prop_assert_eq!(found, context);
            let rest: Vec<&str> = text.lines().filter(|l| !l.starts_with("context")).collect();
            prop_assert_eq!(rest, theirs.lines().collect::<Vec<_>>());
        }
    }
}

trait ConcatLines {
    fn concat_lines(&self) -> String;
}

impl ConcatLines for Vec<String> {
    fn concat_lines(&self) -> String {
        self.iter().map(|line| format!("{line}\n")).collect()
    }
}

//! Merges by table, and by the git command as judge.

mod properties;

use std::path::Path;

use super::{all_in_conflict, fits, inject, resolved, text, three};
use crate::git::testing::{command, git_is_there};
use crate::model::{Merge, MergePiece};

/// The merge without regard to how sure the place of a line is.
fn merge(base: &[u8], ours: &[u8], theirs: &[u8]) -> Merge {
    three(base, ours, theirs, &[])
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
        (
            "context beside a line that became two",
            "# T\n## Context\n\n## Out\n",
            "# T\n## Context\n- plan\n\n## Out\n",
            "# T\n## What you attack\nOnly this.\n\n## Out\n",
        ),
    ];
    for (name, base, ours, theirs) in table {
        let merged = inject(base.as_bytes(), ours.as_bytes(), theirs.as_bytes());
        assert_eq!(text(&merged), None, "{name}");
        let kept = resolved(&merged, false);
        for line in ours.lines() {
            assert!(
                String::from_utf8_lossy(&kept).lines().any(|l| l == line),
                "{name}: {line}"
            );
        }
    }
}

#[test]
fn a_resolved_conflict_takes_one_side_and_never_glues_lines() {
    let merged = inject(b"x\na\nb\nc", b"x\na\nB1", b"x\na\nB2");
    assert_eq!(resolved(&merged, false), b"x\na\nB1");
    assert_eq!(resolved(&merged, true), b"x\na\nB2");
    let pieces = vec![
        MergePiece::Conflict {
            template: Vec::new(),
            dispatch: b"one".to_vec(),
            replacement: b"two\n".to_vec(),
        },
        MergePiece::Resolved(b"end\n".to_vec()),
    ];
    let merged = Merge { pieces };
    assert_eq!(resolved(&merged, false), b"one\nend\n");
    assert_eq!(resolved(&merged, true), b"two\nend\n");
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
    assert_eq!(resolved(&merged, false), other.as_bytes());
}

/// What git says: the merged text, or `None` for a conflict.
fn judged(dir: &Path, base: &str, ours: &str, theirs: &str) -> Option<String> {
    for (name, text) in [("ours", ours), ("base", base), ("theirs", theirs)] {
        std::fs::write(dir.join(name), text).unwrap();
    }
    let merge = ["merge-file", "-p", "--diff3", "ours", "base", "theirs"];
    let out = command(dir, &merge, &[]);
    let said = String::from_utf8(out.stdout).unwrap();
    out.status.success().then_some(said)
}

#[test]
fn git_finds_the_same_conflicts_but_where_an_insertion_only_touches() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
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
        ("a\nb\nc\n", "a\nCTX\nb\nc\n", "a\nB\nB\nc\n", false),
        ("a\nb\nc\n", "a\nb\nCTX\nc\n", "a\nB\nB\nc\n", false),
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

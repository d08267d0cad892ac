//! The page of a comparison, with a synthetic one.

use super::listed;
use super::testdata::comparison;
use crate::cli::json;
use crate::cli::page::testing::{in_order, page};
use crate::cli::prelude::*;
use crate::engine::Operand;

fn shown(comparison: &Comparison, width: usize) -> String {
    page(width, |page| {
        super::page::comparison(
            comparison,
            ("17", Some("relight compare 17 --format markdown")),
            page,
        );
    })
}

#[test]
fn the_verdict_comes_first_and_what_speaks_against_it_next() {
    let said = shown(&comparison(1), 80);
    in_order(
        &said,
        &[
            "confounded: 1 of 3 pairs regressed, and a confounder stands, so that no more can\n",
            "A           original: build 1775430161\n",
            "B           1775431900 (3 runs): replay from wave-1\n",
            "Confounders\n  ! The templates are not pinned",
            "Blocks\n  control  x o x    1 of 3 passed\n",
            "  mutated  o o x    2 of 3 passed\n",
            "           + = =    better 1, worse 0, same 2\n",
            "Notes\n  ! The original ran on opus.",
            "Regressed (1)\n  90  red-team, phase 3\n",
            "    A  PASS: no open findings\n",
            "    B  FAIL:",
            "Metrics\nMETRIC               A    B    Δ   A*   B*   Δ*\n",
            "dispatches           9    3   -6    3    3    0\n",
            "wall clock  2 h 21 min  n/a  n/a  n/a  n/a  n/a\n",
            "  * from the resume point on\n",
            "Work (4)\n",
            ">~  90    3      red-team  PASS       FAIL ",
            "regressed\n",
            "    91    3      red-team  completed  2 of 2 ok",
            "    92    3      red-team  completed  - ",
            "not replayed\n",
            "> first difference",
            "~ the verdict of its summary changed",
            "Templates\n  red-team-prompt.md -> red-team-v2.md (1 dispatch)\n",
            "Files: 14 files changed, +42/-13 lines\n  git diff 5f0c9e2d..3fa91c02\n",
            "\n  Files of original and 1775431900, the first run of each side.\n",
            "  M src/file-0.rs  not compared by lines\n  M src/file-1.rs  +3 -1\n",
            "  (+2 more)\n",
            "Lines of 1 file were not counted",
            "Not read\n  ! /m/9-x.md could not be read",
            "report      relight compare 17 --format markdown\n",
        ],
    );
    assert!(!said.contains('\u{1b}'), "{said}");
    for line in said.lines() {
        let cells = unicode_width::UnicodeWidthStr::width(line);
        assert!(cells <= 80, "{cells}: {line}");
    }
}

#[test]
fn of_many_rows_those_are_shown_of_which_something_became() {
    let said = shown(&comparison(40), 100);
    in_order(
        &said,
        &[
            "Work (43)",
            "regressed",
            "not replayed",
            "(+41 more; 41 alike)",
        ],
    );
}

#[test]
fn a_side_without_files_is_not_a_side_without_changes() {
    let mut without = comparison(1);
    without.artifacts = None;
    without.statistics = None;
    let said = shown(&without, 80);
    in_order(
        &said,
        &["Files\n  n/a: a side has no files that can be read."],
    );
    assert!(!said.contains("Blocks"), "{said}");
}

#[test]
fn the_json_is_the_contracts_with_null_for_what_is_unknown() {
    let mut out = Vec::new();
    json::write(&mut out, &report::comparison(&comparison(1))).unwrap();
    let value: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(
        (
            &value["schema"],
            &value["a"],
            &value["b"],
            &value["verdict"]
        ),
        (
            &Value::from(1),
            &Value::from("original"),
            &Value::from("1775431900"),
            &Value::from("confounded")
        )
    );
    assert_eq!(value["metrics"][0]["delta"], -6);
    assert_eq!(value["metrics"][2]["a"], 8_460);
    assert_eq!(value["metrics"][2]["b"], Value::Null);
    assert_eq!(value["artifacts"]["files_changed"], 14);
    assert_eq!(value["artifacts"]["insertions"], 42);
    assert_eq!(value["artifacts"]["files"][0]["deletions"], Value::Null);
    assert_eq!(value["dispatches"][1]["bucket"], "regressed");
    assert_eq!(value["dispatches"][3]["b"][0], Value::Null);
    assert_eq!(value["statistics"]["blocks"][0]["result"], "better");
    assert_eq!(value["statistics"]["mutated"]["passed"], 2);
    assert_eq!(value["statistics"]["interval"], Value::Null);
    assert_eq!(value["confounders"].as_array().unwrap().len(), 1);
    assert_eq!(value["divergence"], 1);
}

#[test]
fn what_can_be_compared_is_listed_with_its_words() {
    let operands =
        [("original", "build 17"), ("1775431900-1", "replay")].map(|(name, title)| Operand {
            name: name.to_owned(),
            title: title.into(),
        });
    let said = page(80, |page| listed(&operands, "17", page));
    in_order(
        &said,
        &[
            "OPERAND",
            "original      build 17",
            "1775431900-1  replay",
            "relight compare 17 A B",
        ],
    );
    let none = page(80, |page| listed(&[], "17", page));
    assert!(none.contains("nothing to compare yet"), "{none}");
}

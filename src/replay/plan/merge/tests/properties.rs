//! What holds of every merge.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{fits, inject, merge, resolved, text};
use crate::model::{Merge, MergePiece};

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
                dispatch.extend([line.as_str(), "\n"]);
                context.push(line);
            }
            template.extend(["line ", &at.to_string(), "\n"]);
            dispatch.extend(["line ", &at.to_string(), "\n"]);
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
        resolved @ MergePiece::Resolved(_) => resolved,
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
        let kept = counted(&resolved(&merged, false));
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
        let theirs = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect::<String>();
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

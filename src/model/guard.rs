//! Conditions of a plan: what must hold, and what only a person answers.

use std::borrow::Cow;
use std::path::Path;

use super::{Foreign, TreeFacts};

use crate::text::format::{count_of, shell_path, shell_word, short_id};
use crate::{foreign, string_enum};

/// How many paths a guard names.
const NAMED: usize = 10;

string_enum! {
    /// What a guard that does not hold means.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum GuardKind {
        /// The plan is refused (exit code 3).
        Must = "must",
        /// A question that only a person answers, beside the consent: `--accept ID`, or a word typed. Unanswered, the
        /// plan is not applied (exit code 4).
        Ask = "ask",
    }
}

/// A condition of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    /// A stable word: `branch`, `liveness`, `git_state`, `index_lock`, `schema`, `work_tree`, `required_file`, `pending_recovery`; for
    /// an ask `gate:<name>`, `override:<gate>`, `repeat-failure:<step>` or `convergence`.
    pub id: Cow<'static, str>,
    /// What it means where it does not hold.
    pub kind: GuardKind,
    /// Whether it holds; for an ask, whether the person has accepted it.
    pub holds: bool,
    /// What was seen, in a sentence; for an ask, the question.
    pub text: Foreign,
    /// What would make it hold; `None` where it does.
    pub would_hold_if: Option<Foreign>,
}

impl Guard {
    /// A condition that holds.
    pub fn holds(id: impl Into<Cow<'static, str>>, text: impl Into<Foreign>) -> Self {
        Self {
            id: id.into(),
            kind: GuardKind::Must,
            holds: true,
            text: text.into(),
            would_hold_if: None,
        }
    }

    /// A condition that does not hold, and what would make it hold.
    pub fn fails(
        id: impl Into<Cow<'static, str>>,
        text: impl Into<Foreign>,
        cure: impl Into<Foreign>,
    ) -> Self {
        Self {
            holds: false,
            would_hold_if: Some(cure.into()),
            ..Self::holds(id, text)
        }
    }

    /// A condition that holds or not, said in the same words.
    pub fn either(
        id: impl Into<Cow<'static, str>>,
        holds: bool,
        text: impl Into<Foreign>,
        cure: impl Into<Foreign>,
    ) -> Self {
        if holds {
            Self::holds(id, text)
        } else {
            Self::fails(id, text, cure)
        }
    }

    /// Whether git is in the middle of something in a work tree: an operation, or conflicts that are not resolved.
    pub fn git_state(work_tree: &Path, busy: Option<&str>, unmerged: &[Foreign]) -> Self {
        let id = "git_state";
        let tree = Foreign::from(work_tree);
        if let Some(busy) = busy {
            let text = foreign!("A {} is in progress in {}.", busy, tree);
            return Self::fails(id, text, ending(work_tree, busy));
        }
        if unmerged.is_empty() {
            return Self::holds(id, "No merge, rebase or bisect is under way.");
        }
        let paths = count_of(unmerged.len(), "path has", "paths have");
        let names = Foreign::list_first(unmerged.iter().cloned(), NAMED);
        let text = foreign!("{} unresolved conflicts in {}: {}.", paths, tree, names);
        let words = unmerged.iter().map(shell_word);
        let words = words.collect::<Option<Vec<String>>>();
        let words = words.filter(|words| words.len() <= NAMED);
        let cure = match (shell_path(work_tree), words) {
            (Some(tree), Some(words)) => format!(
                "Resolve them, and mark them as resolved: git -C {tree} add -- {}",
                words.join(" ")
            ),
            (Some(tree), None) => format!(
                "Resolve them, and mark each as resolved with git add; git -C {tree} diff --name-only --diff-filter=U lists them."
            ),
            (None, _) => "Resolve them, and mark them as resolved with git add.".to_owned(),
        };
        Self::fails(id, text, cure)
    }

    /// What brings a work tree onto a branch, as commands that can run: an operation in progress is ended first, and
    /// commits that would then be on no branch are kept on one. `None` for a branch whose name is not known.
    pub fn switch(work_tree: &Path, branch: Option<&Foreign>, facts: &TreeFacts) -> Foreign {
        if let Some(busy) = facts.busy {
            return ending(work_tree, busy).into();
        }
        let tree = shell_path(work_tree);
        let lost = facts.head.as_deref().filter(|_| facts.unnamed);
        let short = lost.map(short_id);
        let keep = tree.as_ref().zip(short);
        let keep = keep.map(|(tree, at)| format!("git -C {tree} branch rescue/{at} {at}"));
        let words = tree.as_ref().zip(branch.and_then(shell_word));
        let switch = words.map(|(tree, branch)| format!("git -C {tree} switch {branch}"));
        let first = "Keep the commits that are not on any branch";
        match (short, keep, switch) {
            (None, _, Some(switch)) => switch.into(),
            (Some(_), Some(keep), Some(switch)) => {
                format!("{first}, then switch: {keep} && {switch}").into()
            }
            (None, ..) => match (branch, tree) {
                (Some(branch), _) => foreign!("Switch the work tree to {}.", branch),
                (None, Some(tree)) => format!(
                    "Check out the branch the pipeline ran on; git -C {tree} branch --contains HEAD lists those that have this commit."
                )
                .into(),
                (None, None) => "Check out the branch the pipeline ran on.".into(),
            },
            (Some(_), Some(keep), None) => {
                format!("{first}: {keep}. Then check out the branch the pipeline ran on.").into()
            }
            (Some(at), None, _) => {
                format!("Keep commit {at} on a branch, then check out the pipeline's.").into()
            }
        }
    }

    /// A question that only the person answers.
    pub fn ask(id: impl Into<Cow<'static, str>>, question: impl Into<Foreign>) -> Self {
        let id = id.into();
        let cure = format!("Accept it with --accept {id}.");
        Self {
            kind: GuardKind::Ask,
            ..Self::fails(id, question, cure)
        }
    }

    /// True where this refuses the plan.
    pub fn refuses(&self) -> bool {
        !self.holds && self.kind == GuardKind::Must
    }

    /// True where this question is not answered.
    pub fn is_open(&self) -> bool {
        !self.holds && self.kind == GuardKind::Ask
    }
}

/// The commands that end an operation of git.
fn ending(work_tree: &Path, busy: &str) -> String {
    match shell_path(work_tree) {
        Some(tree) if busy == "bisect" => format!("End the bisect: git -C {tree} bisect reset"),
        Some(tree) => format!(
            "Finish or abort the {busy}: git -C {tree} {busy} --continue, or git -C {tree} {busy} --abort"
        ),
        None => format!("Finish or abort the {busy}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unmerged(paths: usize) -> Guard {
        let paths: Vec<Foreign> = (1..=paths).map(|n| format!("a b{n}").into()).collect();
        Guard::git_state(Path::new("/w t"), None, &paths)
    }

    #[test]
    fn conflicts_are_named_with_the_command_that_ends_them() {
        assert!(unmerged(0).holds);
        let two = unmerged(2);
        assert!(two.refuses());
        let text = "2 paths have unresolved conflicts in /w t: a b1 and a b2.";
        assert_eq!(two.text, text);
        let cure = "Resolve them, and mark them as resolved: git -C '/w t' add -- 'a b1' 'a b2'";
        assert_eq!(two.would_hold_if.unwrap(), cure);
        let many = unmerged(12);
        assert!(many.text.lossy().ends_with("a b10 and 2 more."));
        let cure = many.would_hold_if.unwrap();
        let lists = "git -C '/w t' diff --name-only --diff-filter=U lists them.";
        assert!(cure.lossy().ends_with(lists), "{cure:?}");
        let busy = Guard::git_state(Path::new("/w"), Some("merge"), &["a".into()]);
        assert_eq!(busy.text, "A merge is in progress in /w.");
    }

    #[test]
    fn an_operation_is_ended_by_its_own_commands_before_any_switch() {
        let table = [
            ("rebase", "git -C '/w t' rebase --abort"),
            ("merge", "git -C '/w t' merge --abort"),
            ("cherry-pick", "git -C '/w t' cherry-pick --abort"),
            ("revert", "git -C '/w t' revert --abort"),
            ("am", "git -C '/w t' am --abort"),
            ("bisect", "git -C '/w t' bisect reset"),
        ];
        for (busy, ends) in table {
            let guard = Guard::git_state(Path::new("/w t"), Some(busy), &[]);
            let cure = guard.would_hold_if.unwrap();
            assert!(cure.lossy().ends_with(ends), "{cure:?}");
            let facts = TreeFacts {
                busy: Some(busy),
                unnamed: true,
                ..TreeFacts::default()
            };
            let branch = Foreign::from("a");
            assert_eq!(
                Guard::switch(Path::new("/w t"), Some(&branch), &facts),
                cure
            );
        }
    }
}

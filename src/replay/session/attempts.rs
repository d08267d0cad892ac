//! The tree before an attempt, so that a retried dispatch starts from the same files: after an error, a crash or a
//! cancel.
//!
//! This works only while one dispatch at a time changes the tree. With several, changes cannot be attributed, so the
//! next attempt starts with what the last one left.

use std::io;

use super::Session;
use super::folder::TREE;
use crate::apply::mirror::mirror;

/// The tree before the attempt that is under way.
const BEFORE: &str = "before";

/// Whose attempt that is; not there while the copy is being made.
const WHOSE: &str = "before.json";

impl Session<'_> {
    /// Keeps the tree for later attempts of a step, or restores it where this is one.
    pub(super) fn ready_tree(&self, step: usize) -> io::Result<()> {
        let one = self.steps.get(step)?;
        if self.about.in_place {
            return Ok(());
        }
        let others = self.steps.all.iter();
        let others = others.filter(|other| other.wave == one.wave && !other.has_ended());
        if self.plan.ask.jobs > 1 && others.count() > 1 {
            return self.folder.drop_file(WHOSE);
        }
        let whose = format!("{{\"schema\":1,\"dispatch\":{}}}\n", one.original.seq);
        let tree = self.folder.sub(TREE)?;
        if self.folder.find(WHOSE)?.as_deref() == Some(whose.as_bytes()) {
            return mirror(&self.folder.sub(BEFORE)?, &tree);
        }
        self.folder.drop_file(WHOSE)?;
        mirror(&tree, &self.folder.sub_or_mkdir(BEFORE)?)?;
        self.folder.put(WHOSE, whose.as_bytes())
    }

    /// Removes the copy once no attempt can follow.
    pub(super) fn drop_tree_copy(&self) -> io::Result<()> {
        self.folder.drop_file(WHOSE)?;
        self.folder.remove(BEFORE)
    }
}

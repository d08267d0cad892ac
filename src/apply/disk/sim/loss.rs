//! What a power cut may leave: every closed set of the pending changes, and for each file that was not synced
//! every way its content may come back.

use std::collections::{BTreeSet, HashSet};
use std::fmt;

use super::remains::{self, Dirty, Remains};
use super::rng::Rng;
use super::state::State;
use super::tree::{Body, Ino, Tree};

/// One way of losing what was not durable.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Loss {
    /// For each pending change, whether it survives.
    survives: Vec<bool>,
    /// What becomes of inodes that were not synced.
    remains: Vec<(Ino, Remains)>,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let survived = self.survives.iter().filter(|survives| **survives).count();
        let bits = self.survives.iter().map(|s| if *s { '1' } else { '0' });
        let bits: String = bits.collect();
        write!(
            f,
            "power cut: {survived} of {} changes survived [{bits}]",
            self.survives.len()
        )?;
        for (ino, Remains { kept, nuls, meta }) in &self.remains {
            let rest = if *nuls { ", then NULs" } else { "" };
            let meta = if *meta { "new" } else { "old" };
            write!(f, "; #{ino}: {kept} unsynced bytes{rest}, {meta} mode")?;
        }
        Ok(())
    }
}

impl State {
    /// The tree that these changes leave, all content as it is durable.
    fn tree_after(&self, survives: &[bool]) -> Tree {
        let mut tree = self.durable.clone();
        for (change, _) in self.pending.iter().zip(survives).filter(|(_, s)| **s) {
            change.apply(&mut tree);
        }
        tree
    }

    /// What can be reached in a tree and differs from what is there now.
    fn dirty(&self, tree: &Tree) -> Vec<Dirty> {
        let reachable = tree.reachable().into_iter();
        let dirty = reachable.filter_map(|ino| {
            let (then, now) = (tree.get(ino)?, self.now.get(ino)?);
            let tail = match (then.file(), now.file()) {
                (Some(then), Some(now)) => remains::tail(then, now),
                _ => 0,
            };
            let meta = then.meta != now.meta;
            (tail > 0 || meta).then_some(Dirty { ino, tail, meta })
        });
        dirty.collect()
    }

    /// All losses where they are few enough; else a sample.
    pub(super) fn losses(&self, limit: usize, seed: u64) -> Vec<Loss> {
        self.all_losses(limit)
            .unwrap_or_else(|| self.some_losses(limit, seed))
    }

    /// Every loss, or nothing where there are more than the limit.
    fn all_losses(&self, limit: usize) -> Option<Vec<Loss>> {
        let mut losses = Vec::new();
        for survives in self.closed_sets(limit)? {
            let dirty = self.dirty(&self.tree_after(&survives));
            let mut found = vec![Vec::new()];
            for dirty in &dirty {
                let ways = dirty.ways();
                if found.len() * ways.len() + losses.len() > limit {
                    return None;
                }
                found = found
                    .iter()
                    .flat_map(|so_far| ways.iter().map(|way| with(so_far, dirty.ino, *way)))
                    .collect();
            }
            losses.extend(found.into_iter().map(|remains| Loss {
                survives: survives.clone(),
                remains,
            }));
        }
        (losses.len() <= limit).then_some(losses)
    }

    /// Every set of changes that may survive, or nothing where there are more than the limit.
    fn closed_sets(&self, limit: usize) -> Option<Vec<Vec<bool>>> {
        let mut sets: Vec<(Vec<bool>, BTreeSet<Ino>)> = vec![(Vec::new(), BTreeSet::new())];
        for change in &self.pending {
            let mut longer = Vec::new();
            for (set, lost_dirs) in sets {
                if !change.touches(&lost_dirs) {
                    longer.push((with_bit(&set, true), lost_dirs.clone()));
                }
                let mut lost_dirs = lost_dirs;
                lost_dirs.extend(&change.dirs);
                longer.push((with_bit(&set, false), lost_dirs));
            }
            sets = longer;
            if sets.len() > limit {
                return None;
            }
        }
        Some(sets.into_iter().map(|(set, _)| set).collect())
    }

    /// The two extremes, and random ones between them.
    fn some_losses(&self, limit: usize, seed: u64) -> Vec<Loss> {
        let mut rng = Rng(seed);
        let mut known = HashSet::new();
        let mut losses = Vec::new();
        for attempt in 0..limit.max(2) * 4 {
            let loss = match attempt {
                0 => self.loss(|| true, Dirty::whole),
                1 => self.loss(|| false, |_| Remains::NOTHING),
                _ => {
                    let odds = [1, 4, 8, 12, 15][rng.below(5)];
                    let mut draws = rng.fork();
                    self.loss(|| rng.below(16) < odds, |dirty| dirty.some_way(&mut draws))
                }
            };
            if known.insert(loss.clone()) {
                losses.push(loss);
            }
            if losses.len() >= limit.max(2) {
                break;
            }
        }
        losses
    }

    /// One loss: asks for each change that may survive whether it does, and for each dirty inode what remains.
    fn loss(
        &self,
        mut survives: impl FnMut() -> bool,
        mut remains: impl FnMut(&Dirty) -> Remains,
    ) -> Loss {
        let mut lost_dirs = BTreeSet::new();
        let mut bits = Vec::with_capacity(self.pending.len());
        for change in &self.pending {
            let bit = !change.touches(&lost_dirs) && survives();
            if !bit {
                lost_dirs.extend(&change.dirs);
            }
            bits.push(bit);
        }
        let dirty = self.dirty(&self.tree_after(&bits));
        Loss {
            remains: dirty.iter().map(|d| (d.ino, remains(d))).collect(),
            survives: bits,
        }
    }

    /// Lets a power cut happen.
    pub(super) fn lose(&mut self, loss: &Loss) {
        let mut tree = self.tree_after(&loss.survives);
        for (ino, remains) in &loss.remains {
            let Some(now) = self.now.get(*ino).cloned() else {
                continue;
            };
            let then = tree.get_mut(*ino);
            if remains.meta {
                then.meta = now.meta.clone();
            }
            if let (Some(old), Some(new)) = (then.file(), now.file()) {
                then.body = Body::File(remains.of(old, new));
            }
        }
        self.now = tree.clone();
        self.durable = tree;
        self.pending.clear();
        self.collect();
        self.restart(&loss.to_string());
    }
}

fn with_bit(set: &[bool], bit: bool) -> Vec<bool> {
    let mut longer = set.to_vec();
    longer.push(bit);
    longer
}

fn with(so_far: &[(Ino, Remains)], ino: Ino, remains: Remains) -> Vec<(Ino, Remains)> {
    let mut longer = so_far.to_vec();
    longer.push((ino, remains));
    longer
}

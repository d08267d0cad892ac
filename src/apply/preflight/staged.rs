//! The checks between staging and writing the journal.

use std::collections::BTreeMap;

use super::{Need, Parent, Preflight, cannot};
use crate::apply::disk::Disk;
use crate::apply::exchange::{Base, Exchange, Opened, Spot, path_of};
use crate::model::Foreign;

impl<D: Disk> Preflight<'_, D> {
    /// Checks that every existing directory of an exchange is writable and on one mount with the directory that it
    /// exchanges with, and that the file systems of the slots have as much space free as was staged. Returns a sentence
    /// for each failure.
    ///
    /// A crash in here can leave probes, which [`super::sweep`] removes.
    pub fn staged(&self, bases: &[Base], exchanges: &[Exchange]) -> Vec<Foreign> {
        let opened = match Opened::open(self.disk, bases) {
            Ok(opened) => opened,
            Err(why) => return vec![Foreign::from(format!("Nothing was changed: {why}."))],
        };
        let mut parents = BTreeMap::new();
        let mut needs: BTreeMap<usize, Need> = BTreeMap::new();
        let mut failed = Vec::new();
        let mut last = None;
        for exchange in exchanges {
            let key = exchange.folders();
            if last != Some(key) {
                last = Some(key);
                match self.parent(&opened, bases, exchange) {
                    Ok(Some(parent)) => {
                        parents.entry(parent.path.clone()).or_insert(parent);
                    }
                    Ok(None) => {}
                    Err(why) => failed.push(why),
                }
            }
            if let Some(new) = exchange.there_had.filter(|_| exchange.there.is_slot(bases)) {
                let need = needs.entry(exchange.there.base).or_default();
                need.bytes = need.bytes.saturating_add(new.node.size);
                need.files += 1;
            }
        }
        for (base, need) in needs {
            let path = bases.get(base).map(|base| base.path.path());
            if let (Ok(dir), Some(path)) = (opened.base(base), path) {
                failed.extend(self.room(dir, &path, need).err());
            }
        }
        let parents: Vec<_> = parents.into_values().collect();
        failed.extend(self.writable(&parents));
        failed
    }

    /// The directory of an exchange; `None` if an earlier exchange will create it.
    fn parent(
        &self,
        opened: &Opened<'_, D>,
        bases: &[Base],
        exchange: &Exchange,
    ) -> Result<Option<Parent<D>>, Foreign> {
        let path = |spot: &Spot| path_of(bases, spot.base, &spot.parent.path());
        let open = |spot: &Spot| -> Result<Option<D::Dir>, Foreign> {
            let found = opened.folder(spot.base, &spot.parent.path());
            let found = found.map_err(|why| cannot(&path(spot), &why))?;
            // A directory that was replaced since is not the planned one.
            Ok(found.filter(|dir| {
                self.disk
                    .node(dir)
                    .is_ok_and(|node| node.id == spot.parent_id)
            }))
        };
        let both = open(&exchange.here)?.zip(open(&exchange.there)?);
        Ok(both.map(|(dir, slots)| Parent {
            dir,
            slots,
            path: path(&exchange.here),
            slots_path: (!exchange.there.is_slot(bases)).then(|| path(&exchange.there)),
        }))
    }
}

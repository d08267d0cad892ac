//! The sentences about a path that a rollback leaves as it is.

use std::fmt::Write as _;
use std::io;

use super::super::skipped_paths::{self, Why};
use super::super::state_table::Holds;
use super::Rollback;
use crate::apply::disk::Disk;
use crate::apply::exchange::Exchange;
use crate::model::LeftPath;
use crate::text::Shown as _;

impl<D: Disk> Rollback<'_, D> {
    /// What is said of an exchange that is skipped.
    pub(in crate::apply::crash) fn about(
        &self,
        exchange: &Exchange,
        why: Why,
    ) -> io::Result<LeftPath> {
        let path = self.path(&exchange.here);
        // What cannot be examined stays because the person asked for that.
        let (here, there) = match self.found(exchange) {
            Ok(found) => {
                if let Some(lost) = self.lost(exchange, found)? {
                    return Ok(self.about_lost(exchange, why, lost));
                }
                (found.here, found.there.unwrap_or(Holds::Nothing))
            }
            Err(_) if why == Why::Chosen => (None, Holds::Nothing),
            Err(error) => return Err(error),
        };
        // A path that the plan itself removes is missing without anybody's doing.
        let gone = matches!(here, None | Some(Holds::Nothing)) && exchange.there_had.is_some();
        let deleted = if gone && why == Why::Changed {
            Why::Deleted
        } else {
            why
        };
        let other = self.path(&exchange.there);
        if !self.is_slot(&exchange.there) {
            // Both places are the person's: the changed one is listed.
            let moved = !matches!(there, Holds::Old | Holds::New | Holds::Nothing);
            let (path, why) = if moved {
                (&other, why)
            } else {
                (&path, deleted)
            };
            return Ok(skipped_paths::about(path, why, None, None));
        }
        let other = Some(other.as_path());
        let (before, planned) = match there {
            Holds::Old | Holds::OldChanged | Holds::Other => (other, None),
            Holds::New | Holds::NewChanged => (None, other),
            Holds::Nothing => (None, None),
        };
        Ok(skipped_paths::about(&path, deleted, before, planned))
    }

    /// The sentences about a path whose backup is missing or damaged.
    fn about_lost(&self, exchange: &Exchange, why: Why, lost: Why) -> LeftPath {
        let path = self.path(&exchange.here);
        let mut one = skipped_paths::about(&path, lost, None, None);
        let mut text = one.text.lossy().into_owned();
        if lost == Why::Damaged {
            let slot = self.path(&exchange.there);
            let _infallible = write!(text, " It is {}.", slot.shown());
        }
        if why == Why::Chosen {
            let chosen = skipped_paths::about(&path, why, None, None);
            text = format!("{} {text}", chosen.text.shown());
        }
        one.text = text.into();
        one
    }
}

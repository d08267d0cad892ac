//! What a rollback does with one exchange, given what is in its two spots. Pure: a table.
//!
//! Device and inode identify an object, so they tell whether an exchange was applied. Size, times and mode tell whether
//! somebody changed the object since: then it belongs to them, and is neither moved away nor overwritten.

use crate::apply::disk::{FileKind, Node};
use crate::apply::exchange::Exchange;

/// What a spot holds, compared with what its exchange recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// Nothing.
    Nothing,
    /// What was there before the transaction.
    Old,
    /// The same object, changed since.
    OldChanged,
    /// What the transaction puts there.
    New,
    /// The same object, changed since.
    NewChanged,
    /// Something else: somebody put it there.
    Other,
}

impl Holds {
    pub(super) fn of(found: Option<Node>, exchange: &Exchange) -> Self {
        let Some(found) = found else {
            return Self::Nothing;
        };
        let [old, new] = exchange.had();
        let same = |known: Option<Node>| {
            known.is_some_and(|known| known.id == found.id && known.kind == found.kind)
        };
        if old == Some(found) {
            Self::Old
        } else if new == Some(found) {
            Self::New
        } else if same(old) {
            Self::OldChanged
        } else if same(new) {
            Self::NewChanged
        } else {
            Self::Other
        }
    }
}

/// What the two spots of an exchange hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    /// In the person's spot; `None` where its folder is gone or was replaced.
    pub(super) here: Option<Holds>,
    /// In the other spot; `None` likewise.
    pub(super) there: Option<Holds>,
    /// Whether the other spot is a slot, in a folder of relight's own.
    pub(super) slot: bool,
    /// Whether something was there before.
    pub(super) had_old: bool,
    /// Whether something is put there.
    pub(super) has_new: bool,
    /// What kind is in the other spot.
    pub(super) there_kind: Option<FileKind>,
}

/// What a rollback does with an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RollBack {
    /// Nothing: it is already as before.
    AlreadyBack,
    /// It goes back.
    Reverse,
    /// Returns a file that was saved between a look and a rename, and so came into the slot, to where it was saved.
    ReturnTheirs,
    /// Nothing: another program changed what is there.
    Skip,
    /// Nothing: the backup is missing.
    Lost,
}

impl Found {
    /// Decides what to do.
    pub(super) fn roll_back(self) -> RollBack {
        let rest_or = |fate| {
            if self.at_rest() {
                RollBack::AlreadyBack
            } else {
                fate
            }
        };
        // The person's spot tells whether the rename happened: a rename is atomic, so the spot is never in between.
        let moved = match self.here {
            Some(Holds::New) => true,
            Some(Holds::Nothing) => !self.has_new,
            _ => false,
        };
        let reverse = if moved {
            RollBack::Reverse
        } else {
            RollBack::Skip
        };
        // A move aside has no slot: both spots are the person's, so neither may be trusted to be untouched.
        if !self.slot {
            // The source is another place of the person, and was changed there since.
            if !self.had_old && self.at_rest() && self.there != Some(Holds::New) {
                return RollBack::Skip;
            }
            let came_from = match self.there {
                Some(Holds::Old) => true,
                Some(Holds::Nothing) => !self.had_old,
                _ => false,
            };
            return rest_or(if came_from { reverse } else { RollBack::Skip });
        }
        // A slot whose folder cannot be reached is judged as empty. That can only lead to skipping, never to a rename.
        match self.there.unwrap_or(Holds::Nothing) {
            // A file that a program still writes to is moved back with everything written since: its content is the
            // person's.
            Holds::Old | Holds::OldChanged => rest_or(reverse),
            // Moving away what was created leaves an empty slot: the spot's new content is all there is to move.
            Holds::Nothing if self.has_new && !self.had_old => rest_or(reverse),
            Holds::Nothing if self.lacks_backup() => rest_or(RollBack::Lost),
            Holds::Nothing | Holds::New | Holds::NewChanged => rest_or(RollBack::Skip),
            // A different directory here means that the state folder was copied, not that somebody saved a file.
            Holds::Other if self.there_kind == Some(FileKind::Dir) => rest_or(RollBack::Skip),
            Holds::Other => match self.here {
                Some(Holds::Old | Holds::New | Holds::Nothing) => RollBack::ReturnTheirs,
                _ => RollBack::Skip,
            },
        }
    }

    /// Whether the old content is in neither place, while the slot is empty. Before the exchange the slot holds the new
    /// content, if there is any.
    fn lacks_backup(self) -> bool {
        self.had_old
            && match self.here {
                Some(Holds::Old | Holds::OldChanged) => false,
                Some(Holds::New | Holds::NewChanged | Holds::Nothing) => true,
                Some(Holds::Other) | None => self.has_new,
            }
    }

    /// Whether nothing is in either spot and nothing was to be put there.
    pub(super) fn is_nowhere(self) -> bool {
        self.here == Some(Holds::Nothing) && !self.has_new
    }

    /// Whether the person's spot is as planned, as far as it can be reached.
    pub(super) fn is_planned(self) -> bool {
        match self.here {
            None | Some(Holds::New) => true,
            Some(Holds::Nothing) => !self.has_new,
            Some(Holds::Old | Holds::OldChanged | Holds::NewChanged | Holds::Other) => false,
        }
    }

    /// Whether the person's spot is as before.
    fn at_rest(self) -> bool {
        match self.here {
            Some(Holds::Old) => true,
            Some(Holds::Nothing) => !self.had_old,
            // Its folder is gone or was replaced. Content that left the slot is in that folder, wherever it is now.
            None => !(self.had_old || self.has_new && self.there == Some(Holds::Nothing)),
            Some(_) => false,
        }
    }

    /// Whether the exchange was applied, if its slot can tell: nobody but relight moves what is in a slot.
    pub(super) fn moved(self) -> Option<bool> {
        match (self.roll_back(), self.there) {
            (RollBack::Reverse, _) if self.slot => Some(true),
            (RollBack::AlreadyBack, Some(Holds::New)) if self.slot => Some(false),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Holds; 6] = [
        Holds::Nothing,
        Holds::Old,
        Holds::OldChanged,
        Holds::New,
        Holds::NewChanged,
        Holds::Other,
    ];

    fn all() -> Vec<Found> {
        let mut all = Vec::new();
        for here in ALL.map(Some).into_iter().chain([None]) {
            for there in ALL.map(Some).into_iter().chain([None]) {
                for (had_old, has_new) in [(true, true), (true, false), (false, true)] {
                    for slot in [true, false] {
                        all.push(Found {
                            here,
                            there,
                            slot,
                            had_old,
                            has_new,
                            there_kind: Some(FileKind::File),
                        });
                    }
                }
            }
        }
        all
    }

    #[test]
    fn w2_nothing_that_somebody_changed_is_moved_out_of_sight() {
        for found in all() {
            let theirs = matches!(
                found.here,
                Some(Holds::OldChanged | Holds::NewChanged | Holds::Other)
            );
            if theirs {
                let fate = found.roll_back();
                let stays = matches!(fate, RollBack::Skip | RollBack::Lost);
                assert!(stays, "{found:?}: {fate:?}");
            }
        }
    }

    #[test]
    fn w6_an_empty_slot_is_no_work_of_another_program_where_the_old_content_is_nowhere() {
        for found in all()
            .into_iter()
            .filter(|found| found.slot && found.had_old)
        {
            let empty = matches!(found.there, None | Some(Holds::Nothing));
            let moved = matches!(found.here, Some(Holds::New | Holds::NewChanged));
            if empty && (moved || found.here == Some(Holds::Nothing)) {
                assert_eq!(found.roll_back(), RollBack::Lost, "{found:?}");
            }
        }
    }

    #[test]
    fn w2_what_was_not_touched_goes_to_where_it_was() {
        for found in all() {
            let (here, there) = (found.here, found.there);
            let old = if found.had_old {
                Holds::Old
            } else {
                Holds::Nothing
            };
            let new = if found.has_new {
                Holds::New
            } else {
                Holds::Nothing
            };
            if (here, there) == (Some(old), Some(new)) {
                assert_eq!(found.roll_back(), RollBack::AlreadyBack, "{found:?}");
            }
            if (here, there) == (Some(new), Some(old)) {
                assert_eq!(found.roll_back(), RollBack::Reverse, "{found:?}");
            }
        }
    }

    #[test]
    fn w2_a_token_turns_only_where_its_old_content_is_or_never_was() {
        for found in all() {
            if found.roll_back() == RollBack::Reverse {
                let kept = matches!(found.there, Some(Holds::Old | Holds::OldChanged));
                assert!(kept || !found.had_old, "{found:?}");
            }
        }
    }

    #[test]
    fn w2_what_somebody_saved_in_the_instant_of_a_rename_comes_out_of_the_slot() {
        for found in all() {
            let raced = found.slot && found.there == Some(Holds::Other);
            let room = matches!(found.here, Some(Holds::Old | Holds::New | Holds::Nothing));
            assert_eq!(
                found.roll_back() == RollBack::ReturnTheirs,
                raced && room,
                "{found:?}"
            );
        }
    }

    #[test]
    fn w2_a_program_that_still_writes_to_the_old_file_finds_it_back_in_its_place() {
        let found = Found {
            here: Some(Holds::New),
            there: Some(Holds::OldChanged),
            slot: true,
            had_old: true,
            has_new: true,
            there_kind: Some(FileKind::File),
        };
        assert_eq!(found.roll_back(), RollBack::Reverse);
    }
}

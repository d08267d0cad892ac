//! Whether the places of a recovery are where they were. Whoever reads it says the same of them: the history, `doctor`,
//! and the refusal of what needs them.

use crate::apply::disk::Disk;
use crate::apply::exchange::{BaseKind, Opened};
use crate::apply::journal::{Damage, Journal};
use crate::model::Foreign;
use crate::text::format::capital;

/// The first of the directories of a journal that is missing or another one now, in a sentence, and what helps.
pub(super) fn lost<D: Disk>(disk: &D, journal: &Journal) -> Option<(String, &'static str)> {
    // A journal may be large, and its paths are not asked about.
    let bases = journal.bases.clone();
    let of_bases = Journal {
        bases,
        ..Journal::default()
    };
    let journal = of_bases.present(disk);
    let opened = Opened::open_some(disk, &journal.bases);
    let mut bases = journal.bases.iter().enumerate();
    let (base, what) = bases.find_map(|(at, base)| Some((base, opened.base(at).err()?)))?;
    let directory = match base.kind {
        BaseKind::Slots => "The directory of its backups",
        BaseKind::Files | BaseKind::Git => "Its directory",
    };
    let cure = "Move it back if it was moved.";
    Some((format!("{directory} {what}."), cure))
}

/// Why a recovery that was applied cannot be reversed, and what helps, a sentence each; none where its places are there.
pub(super) fn out_of_reach<D: Disk>(
    disk: &D,
    name: &str,
    journal: Option<&Result<Journal, Damage>>,
) -> Vec<Foreign> {
    let (why, cure) = match journal {
        None => ("Its journal is missing.".to_owned(), None),
        Some(Err(damage)) => (capital(&format!("{damage}.")), damage.cure()),
        Some(Ok(journal)) => match lost(disk, journal) {
            Some((why, cure)) => (why, Some(cure)),
            None => return Vec::new(),
        },
    };
    let export = format!("relight recover {name} --export ./kept-{name} copies its backups.");
    let cure = cure.map(str::to_owned).into_iter();
    let all = [why].into_iter().chain(cure).chain([export]);
    all.map(Foreign::from).collect()
}

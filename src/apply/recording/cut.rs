//! A record that was interrupted is finished or undone: it is made as a whole or not at all.

use std::ffi::OsStr;
use std::io;

use super::{JOURNAL, add_lines, ledger, untouched};
use crate::apply::appends;
use crate::apply::disk::Disk;
use crate::apply::error::is_full;
use crate::apply::exchange::{Exchange, Opened, is_absent};
use crate::apply::home::Home;
use crate::apply::journal::{CAP, Journal};

/// The folder of a project's records. What is no directory holds none, and stops nothing but the next record.
fn folder<D: Disk>(disk: &D, home: &Home<D>) -> io::Result<Option<D::Dir>> {
    match home.records_if_any(disk) {
        Err(why) if is_absent(&why) => Ok(None),
        found => found,
    }
}

/// Whether a record was interrupted. Reads only.
pub fn is_cut<D: Disk>(disk: &D, home: &Home<D>) -> io::Result<bool> {
    let Some(dir) = folder(disk, home)? else {
        return Ok(false);
    };
    Ok(disk.look(&dir, OsStr::new(JOURNAL))?.is_some())
}

/// Finishes an interrupted record. If another program has changed a file since, or the disk is too full, it is undone
/// instead: a record is made as a whole or not at all. Of an exchange of one file only the ledger is corrected. Gives
/// the record's line in the ledger, empty if it was undone; `None` if none was interrupted. Called under the project's
/// locks.
pub(in crate::apply) fn finish<D: Disk>(disk: &D, home: &Home<D>) -> io::Result<Option<Vec<u8>>> {
    let name = OsStr::new(JOURNAL);
    let dir = match folder(disk, home)? {
        Some(dir) if is_cut(disk, home)? => dir,
        _ => return Ok(None),
    };
    let mut finished = Vec::new();
    // A damaged journal cannot be trusted, so it is dropped; each of its files is either as before or as recorded.
    if let Ok(journal) = Journal::decode(&disk.read(&dir, name, CAP)?) {
        let journal = journal.present(disk);
        let opened = Opened::open_some(disk, &journal.bases);
        let line = &journal.ledger.0;
        let made = match (journal.exchanges.as_slice(), journal.appends.as_slice()) {
            // A single change was made or was not: nothing is left to finish.
            ([one], []) => is_made(&stand(&opened, one)),
            (exchanges, _) => complete(disk, &opened, exchanges)?,
        };
        let added = if made {
            add_lines(disk, &opened, &journal).and_then(|()| {
                let known = ledger::ends_with(disk, &dir, line)?;
                let missing = Some(line).filter(|_| !known);
                missing.map_or(Ok(()), |line| ledger::note(disk, &dir, line, true))
            })
        } else {
            revert(disk, &opened, &journal.exchanges)?;
            ledger::void(disk, &dir, line)
        };
        match added {
            Ok(()) if made => finished.clone_from(line),
            Ok(()) => {}
            Err(why) if made && is_full(&why) && undo(disk, &opened, &journal)? => {
                ledger::void(disk, &dir, line)?;
            }
            Err(why) => return Err(why),
        }
    }
    disk.remove(&dir, name)?;
    Ok(Some(finished))
}

/// The state of an exchange of an interrupted record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stand {
    /// Both spots are as before.
    Pending,
    /// It was made, and nothing has changed since.
    Made,
    /// It was made, and another program has changed a spot since.
    Overtaken,
    /// It was not made, and another program has changed a spot, so it cannot be.
    Barred,
}

fn stand<D: Disk>(opened: &Opened<'_, D>, exchange: &Exchange) -> io::Result<Stand> {
    let [first, second] = exchange.had();
    let here = opened.see(&exchange.here)?.node;
    let there = opened.see(&exchange.there)?.node;
    Ok(match (here == first, there == second) {
        (true, true) => Stand::Pending,
        _ if here == second && there == first => Stand::Made,
        // A file that was created and is deleted again.
        (true, false) if first.is_none() && there.is_none() => Stand::Overtaken,
        (false, false) => Stand::Overtaken,
        // What was staged is still where it was, or it is lost.
        (true, false) | (false, true) => Stand::Barred,
    })
}

fn is_made(stand: &io::Result<Stand>) -> bool {
    matches!(stand, Ok(Stand::Made | Stand::Overtaken))
}

/// Makes the exchanges that were not made. False if one of them cannot be made any more.
fn complete<D: Disk>(disk: &D, opened: &Opened<'_, D>, exchanges: &[Exchange]) -> io::Result<bool> {
    for exchange in exchanges {
        match stand(opened, exchange) {
            Ok(Stand::Pending) => disk.barrier(&opened.exchange(exchange, exchange.had())?)?,
            Ok(Stand::Made | Stand::Overtaken) => {}
            // A folder that cannot be opened any more was moved or replaced.
            Ok(Stand::Barred) | Err(_) => return Ok(false),
        }
    }
    Ok(true)
}

/// Undoes a record whose disk is full, which needs no space. False if something of it remains, because another program
/// has changed it.
pub(super) fn undo<D: Disk>(
    disk: &D,
    opened: &Opened<'_, D>,
    journal: &Journal,
) -> io::Result<bool> {
    let mut gone = true;
    for append in journal.appends.iter().rev() {
        gone &= appends::undo(disk, opened, append)?;
    }
    if gone {
        revert(disk, opened, &journal.exchanges)?;
    }
    Ok(gone && untouched(opened, journal))
}

/// Undoes the exchanges that nothing has changed since. What another program has written stays.
fn revert<D: Disk>(disk: &D, opened: &Opened<'_, D>, exchanges: &[Exchange]) -> io::Result<()> {
    for exchange in exchanges.iter().rev() {
        if matches!(stand(opened, exchange), Ok(Stand::Made)) {
            let [old, new] = exchange.had();
            disk.barrier(&opened.exchange(exchange, [new, old])?)?;
        }
    }
    Ok(())
}

//! The files and rows that a point discards because the work is repeated: the rows of a restarted round, and the poster
//! and review that a later phase writes again, even incomplete ones. Nothing is deleted; an undo restores everything.

use crate::model::{Intent, Loss, Place, Step};
use crate::text::format::count;
use crate::world::World;

use super::{fresh, offers::Move, reset, truncate};
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::Evidence;
use crate::systems::autoconference::shape::{RESULTS, Raw, Row, TableFile, table_name};

/// How many names are tried for a file that is moved aside.
const NAMES: u32 = 1000;

/// The steps, and what a person must know first.
#[derive(Default)]
pub(crate) struct Discard {
    /// The steps on disk, what they need, and what is lost.
    pub intent: Intent,
    /// The researchers whose rows are removed or whose worktree is reset.
    pub researchers: Vec<char>,
    /// Tables that keep their rows of the round, with the reason, as sentences.
    pub stays: Vec<String>,
}

/// What a point discards.
pub(crate) fn of(case: &Conference, to: Move, world: &dyn World) -> Discard {
    let mut discard = Discard::default();
    let (round, phase) = match to {
        Move::Fresh => return fresh::of(case, world),
        Move::Phase(round, phase) => (round, phase),
        Move::Mid(round) | Move::Keep(round) => (round, 1),
        Move::Synthesis | Move::Mend(_) | Move::Rebuild => return discard,
    };
    if !case.state.open || round != case.state.round {
        return discard;
    }
    if to == Move::Phase(round, 1) {
        for (id, table) in &case.raw.tables {
            let name = table_name(*id);
            if discard.rows(case, &name, table) {
                discard.researchers.push(*id);
            }
        }
        if let Some(table) = &case.raw.results {
            discard.rows(case, RESULTS, table);
        }
    }
    for session in case.state.sessions() {
        if phase <= session.phase && session.evidence != Evidence::Lost && session.size > 0 {
            let why = "because it is written again";
            discard.file(&case.raw, &session.file, why, world);
        }
    }
    if to.reverts() {
        for cut in truncate::all(case) {
            discard.intent.losses.push(cut.loss());
            discard.researchers.push(cut.id);
            discard.intent.steps.push(cut.step(case));
        }
        reset::all(case, world, &mut discard);
    }
    discard
}

impl Discard {
    /// Removes the rows of the open round from a table; true if there are any.
    fn rows(&mut self, case: &Conference, name: &str, table: &TableFile) -> bool {
        let round = case.state.round;
        match cut(table, name, round) {
            Ok(Some((keep_bytes, rows))) => {
                let rows = count(rows, "row");
                self.intent.losses.push(Loss::overwritten(format!(
                    "{rows} of round {round} in {name}. An undo restores them."
                )));
                self.intent.steps.push(Step::truncate_rows(
                    case.raw.path(name),
                    table.bytes.clone(),
                    keep_bytes,
                    format!(
                        "Removes {rows} of round {round} from {name}, because the round starts again."
                    ),
                ));
                true
            }
            Ok(None) => false,
            Err(why) => {
                self.stays.push(why);
                false
            }
        }
    }

    pub(super) fn file(&mut self, raw: &Raw, name: &str, why: &str, world: &dyn World) {
        let Some(to) = free(raw, name, world) else {
            let text = format!("{name} is kept: every name for moving it aside is in use.");
            return self.stays.push(text);
        };
        let summary = format!("Moves {name} to {to}, {why}.");
        let (from, to) = (raw.path(name), raw.path(&to));
        self.intent.steps.push(Step::move_aside(from, to, summary));
    }
}

/// A free name for a file that is moved aside. The suffix comes last, so that no reader of `*.md` treats it as a
/// document of the round.
pub(super) fn free(raw: &Raw, name: &str, world: &dyn World) -> Option<String> {
    let mut names = (1..NAMES).map(|n| format!("{name}.attempt-{n}"));
    names.find(|to| {
        let place = Place::known(&raw.dir, to);
        place.is_ok_and(|place| world.files().stat(&place).is_err())
    })
}

/// The bytes that stay in a table, and the number of rows of a round that are removed; `None` if there are none. The
/// error is the reason why rows of other rounds would be removed too.
fn cut(table: &TableFile, name: &str, round: u64) -> Result<Option<(usize, usize)>, String> {
    let inside = |row: &Row| row.round == Some(round);
    // The scaffold's row is not work: it stays for the next attempt.
    let first = table
        .rows
        .iter()
        .position(|row| inside(row) && !row.placeholder());
    let Some(first) = first else {
        return Ok(None);
    };
    if table.dialect.is_none() {
        return Err(format!(
            "{name} has an unknown header, so its rows of round {round} are kept."
        ));
    }
    let rest = table.rows.get(first..).unwrap_or_default();
    if let Some(foreign) = rest.iter().find(|r| r.round.is_some_and(|n| n != round)) {
        return Err(format!(
            "Row {} of {name} belongs to another round and follows rows of round {round}, so all of them are kept.",
            foreign.line
        ));
    }
    let keep = rest.first().map_or(0, |row| row.start);
    Ok(Some((keep, rest.len())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::autoconference::shape::table::R8;
    use crate::systems::autoconference::shape::table::tests::parse;

    /// Rows as (iteration, metric), the round that starts again, and how many rows are removed.
    type Case = (&'static [(&'static str, &'static str)], u64, Option<usize>);

    #[test]
    fn f4_only_the_rows_of_the_round_are_removed() {
        let table = |rows: &[(&str, &str)]| {
            let mut text = format!("{R8}\n");
            for (iteration, metric) in rows {
                text = format!("{text}{iteration}\t{metric}\t-\t-\tkept\tx\tmanual\t2026-05-02\n");
            }
            let mut table = parse(&text);
            table.assign_rounds(&[1, 2]);
            table
        };
        let cases: &[Case] = &[
            (
                &[("0", "TBD"), ("1", "4"), ("0", "4"), ("1", "5")],
                2,
                Some(2),
            ),
            (&[("0", "TBD"), ("1", "4")], 1, Some(1)),
            (&[("0", "TBD")], 1, None),
            (&[("0", "4")], 2, None),
        ];
        for (rows, round, gone) in cases {
            let table = table(rows);
            let found = cut(&table, "t", *round).unwrap();
            assert_eq!(found.map(|(_, rows)| rows), *gone, "{rows:?}");
            if let Some((keep, gone)) = found {
                let kept = std::str::from_utf8(&table.bytes[..keep]).unwrap();
                assert_eq!(kept.lines().count(), 1 + rows.len() - gone);
                assert!(kept.ends_with('\n'));
            }
        }
        let both = table(&[("0", "4"), ("0", "5")]);
        assert!(cut(&both, "t", 1).is_err());
        assert_eq!(cut(&parse("a\tb\n1\t2\n"), "t", 1), Ok(None));
    }
}

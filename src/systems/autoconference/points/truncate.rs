//! Truncates a researcher's table after the last kept row of the open round, or after that round's first row if none
//! was kept, and never before that.

use crate::model::{Loss, Step};
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::shape::{Row, TableFile, table_name};
use crate::text::format::{count, plural};

/// Rows that would be removed from one table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cut {
    /// The researcher.
    pub id: char,
    /// Bytes that stay.
    pub keep_bytes: usize,
    /// Line of the last row that stays.
    pub last_kept: u64,
    /// The lines of the rows that are removed.
    pub removed: Vec<u64>,
}

impl Cut {
    pub(crate) fn step(self, case: &Conference) -> Step {
        let name = table_name(self.id);
        let summary = format!(
            "Removes {} of {name} after line {}, the last kept state of researcher {} in round {}.",
            count(self.removed.len(), "row"),
            self.last_kept,
            self.id,
            case.state.round
        );
        let table = case.raw.tables.get(&self.id);
        let bytes = table.map(|t| t.bytes.clone()).unwrap_or_default();
        Step::truncate_rows(case.raw.path(&name), bytes, self.keep_bytes, summary)
    }

    pub(crate) fn loss(&self) -> Loss {
        Loss::overwritten(format!(
            "{} of researcher {} {} removed: finished experiments that were reverted, or one that was interrupted. Their events and their rows in conference_results.tsv are kept.",
            count(self.removed.len(), "row"),
            self.id,
            plural(self.removed.len(), "is", "are")
        ))
    }
}

/// The truncations of every incomplete researcher that needs one.
pub(crate) fn all(case: &Conference) -> Vec<Cut> {
    let ids = case.state.incomplete().into_iter();
    ids.filter_map(|id| of(case, id).ok().flatten()).collect()
}

/// The truncation of one researcher; `None` if nothing follows the last kept row, or if its worktree stays as it is: a
/// table and a worktree never show different iterations. The error is the reason why no row may be removed.
pub(crate) fn of(case: &Conference, id: char) -> Result<Option<Cut>, String> {
    let table = case.raw.tables.get(&id);
    let table = table.filter(|_| case.trees.untouched(id).is_none());
    table.map_or(Ok(None), |table| bounded(table, id, case.state.round))
}

fn bounded(table: &TableFile, id: char, round: u64) -> Result<Option<Cut>, String> {
    let name = table_name(id);
    if table.dialect.is_none() {
        return Err(format!(
            "{name} has an unknown header, so none of its rows is removed."
        ));
    }
    let inside = |row: &&Row| row.round == Some(round);
    let Some(first) = table.rows.iter().find(inside) else {
        return Ok(None);
    };
    let mut own = table.rows.iter().filter(inside);
    let kept = own.rfind(|r| r.counts() && r.status == "kept");
    let last = kept.unwrap_or(first);
    let after = || table.rows.iter().filter(|r| r.end > last.end);
    if let Some(foreign) = after().find(|r| r.round.is_some_and(|n| n != round)) {
        return Err(format!(
            "Line {} of {name} belongs to another round than the rows before it, so nothing is removed.",
            foreign.line
        ));
    }
    if !last.whole {
        return Err(format!(
            "The only row of round {round} in {name} is incomplete and is kept."
        ));
    }
    let removed: Vec<_> = after().map(|r| r.line).collect();
    Ok((!removed.is_empty()).then_some(Cut {
        id,
        keep_bytes: last.end,
        last_kept: last.line,
        removed,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::autoconference::shape::table::tests::parse;

    /// Rows as (round, iteration, status); a `!` in the status omits the newline.
    fn table(rows: &[(u64, i64, &str)]) -> TableFile {
        let mut text = "round\tresearcher\titeration\tmetric_value\tdelta\tdelta_pct\tstatus\tdescription\tpeer_review_verdict\ttimestamp\n".to_owned();
        for (round, iteration, status) in rows {
            let end = if status.contains('!') { "" } else { "\n" };
            let status = status.trim_matches('!');
            text =
                format!("{text}{round}\tA\t{iteration}\t4\t-\t-\t{status}\tx\t-\t2026-05-02{end}");
        }
        parse(&text)
    }

    #[test]
    fn truncates_after_the_last_kept_row_and_never_the_baseline() {
        type Case = (&'static [(u64, i64, &'static str)], Option<(u64, usize)>);
        let cases: &[Case] = &[
            (
                &[
                    (1, 0, "baseline"),
                    (1, 1, "kept"),
                    (2, 0, "baseline"),
                    (2, 1, "reverted"),
                ],
                Some((4, 1)),
            ),
            (
                &[
                    (2, 0, "baseline"),
                    (2, 1, "kept"),
                    (2, 2, "reverted"),
                    (2, 3, "reverted"),
                ],
                Some((3, 2)),
            ),
            (
                &[(2, 0, "baseline"), (2, 1, "kept"), (2, 2, "kept!")],
                Some((3, 1)),
            ),
            (&[(2, 0, "baseline"), (2, 1, "KEPT")], None),
            (
                &[(1, 1, "kept"), (2, 0, "reverted"), (2, 1, "reverted")],
                Some((3, 1)),
            ),
            (&[(1, 0, "kept"), (1, 1, "reverted")], None),
            (&[(2, 0, "baseline")], None),
        ];
        for (rows, wanted) in cases {
            let table = table(rows);
            let cut = bounded(&table, 'A', 2).unwrap();
            let seen = cut.as_ref().map(|c| (c.last_kept, c.removed.len()));
            assert_eq!(seen, *wanted, "{rows:?}");
            if let Some(cut) = cut {
                assert_eq!(table.bytes[cut.keep_bytes - 1], b'\n');
            }
        }
    }

    #[test]
    fn refuses_if_rows_of_other_rounds_would_be_removed() {
        for rows in [
            &[(2, 0, "baseline"), (2, 1, "reverted"), (1, 0, "kept")][..],
            &[(2, 0, "kept!")],
        ] {
            assert!(bounded(&table(rows), 'A', 2).is_err(), "{rows:?}");
        }
        assert!(bounded(&parse("a\tb\n1\t2\n"), 'A', 2).is_err());
    }
}

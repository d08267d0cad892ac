//! The TSV files of a conference: the dialect by the header, the rows with their positions in the file, and the round
//! of each row.

use std::collections::BTreeMap;

use crate::formats::stamp;
use crate::formats::tsv::{Row as RawRow, Table};
use crate::model::{LocalTime, Stamp};
use crate::string_enum;

use super::values;

/// The header of the current researcher file, also used for a rebuilt file.
pub(crate) const R8: &str =
    "iteration\tmetric_value\tdelta\tdelta_pct\tstatus\tdescription\tevaluator_source\ttimestamp";

/// The header of the current conference file.
pub(crate) const C11: &str = "round\tresearcher\titeration\tmetric_value\tdelta\tdelta_pct\tstatus\tdescription\tevaluator_source\tpeer_review_verdict\ttimestamp";

string_enum! {
    /// Which header a file has.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Dialect {
        /// Researcher file before April.
        R7 = "the old researcher header",
        /// Current researcher file.
        R8 = "the researcher header",
        /// Conference file before April, and the sample's researcher files.
        C10 = "the old conference header",
        /// Current conference file.
        C11 = "the conference header",
        /// Survey mode only.
        S = "the survey header",
    }
}

const DIALECTS: &[(Dialect, &str)] = &[
    (
        Dialect::R7,
        "iteration\tmetric_value\tdelta\tdelta_pct\tstatus\tdescription\ttimestamp",
    ),
    (Dialect::R8, R8),
    (
        Dialect::C10,
        "round\tresearcher\titeration\tmetric_value\tdelta\tdelta_pct\tstatus\tdescription\tpeer_review_verdict\ttimestamp",
    ),
    (Dialect::C11, C11),
    (
        Dialect::S,
        "category\ttitle\tauthors\tyear\tvenue\tsummary\tkey_findings\tcoverage_score",
    ),
];

impl Dialect {
    fn of(header: &[String]) -> Option<Self> {
        let joined = header.join("\t");
        let known = DIALECTS.iter().find(|(_, text)| *text == joined);
        known.map(|(dialect, _)| *dialect)
    }
}

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// Its line.
    pub line: u64,
    /// Offset of its first byte.
    pub start: usize,
    /// Offset after its newline.
    pub end: usize,
    /// Its own round, or the one inferred from its position.
    pub round: Option<u64>,
    /// True if the round is inferred from its position alone.
    pub placed: bool,
    /// Its own researcher.
    pub researcher: Option<char>,
    /// The iteration.
    pub iteration: Option<i64>,
    /// The metric as a number.
    pub metric: Option<f64>,
    /// The metric as written.
    pub metric_text: String,
    /// The status, lower case.
    pub status: String,
    /// What was tried.
    pub description: String,
    /// The reviewer's verdict, if the dialect has one.
    pub verdict: Option<String>,
    /// When.
    pub at: Option<Stamp>,
    /// False for an incomplete last row without a newline.
    pub whole: bool,
    /// True if it has as many cells as the header.
    pub even: bool,
}

impl Row {
    /// The row that the scaffold adds before any work.
    pub(crate) fn placeholder(&self) -> bool {
        self.metric_text.trim().eq_ignore_ascii_case("tbd")
    }

    /// Whether it has a reviewer's verdict.
    pub(crate) fn is_reviewed(&self) -> bool {
        let verdict = self.verdict.as_deref();
        verdict.is_some_and(|verdict| verdict != "-" && !verdict.is_empty())
    }

    /// A finished iteration: a complete row of the right width with a number, not the scaffold's.
    pub(crate) fn counts(&self) -> bool {
        self.whole && self.even && self.iteration.is_some() && !self.placeholder()
    }
}

/// One file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct TableFile {
    /// Its bytes when it was read.
    pub bytes: Vec<u8>,
    /// Its dialect, if the header is known.
    pub dialect: Option<Dialect>,
    /// True without a header.
    pub empty: bool,
    /// Its rows.
    pub rows: Vec<Row>,
}

impl TableFile {
    /// Parses the bytes of a file. Rows are read by column name, whatever the dialect.
    pub(crate) fn parse(bytes: Vec<u8>, zone: &dyn LocalTime) -> Self {
        let table = Table::parse(&bytes);
        let columns = COLUMNS.map(|name| table.column(name));
        let width = table.header.len();
        let rows = table.rows.iter();
        let rows = rows.map(|raw| row(raw, &columns, width, zone)).collect();
        Self {
            dialect: Dialect::of(&table.header),
            empty: table.header.is_empty(),
            rows,
            bytes,
        }
    }

    /// Assigns a round to each row of a researcher file. A column has it; otherwise a row whose iteration is not higher
    /// than the one before starts the next round, a description `Round N start` names it, and the rounds in the log for
    /// this researcher are used in order.
    pub(crate) fn assign_rounds(&mut self, logged: &[u64]) {
        let mut known = logged.iter().copied();
        let mut round = 0;
        let mut last: Option<i64> = None;
        let mut only_placeholder = false;
        let mut placed = true;
        for row in &mut self.rows {
            if row.round.is_some() {
                continue;
            }
            let Some(iteration) = row.iteration else {
                row.round = (round > 0).then_some(round);
                row.placed = placed;
                continue;
            };
            let opens = last.is_none_or(|before| iteration <= before) && !only_placeholder;
            if opens {
                let next = known.next();
                placed = next.is_none();
                round = next.unwrap_or_else(|| round.saturating_add(1));
                if let Some(named) = named_round(&row.description).filter(|n| *n > round) {
                    round = named;
                    placed = false;
                    while known.clone().next().is_some_and(|n| n <= named) {
                        known.next();
                    }
                }
            }
            only_placeholder = row.placeholder();
            last = Some(iteration);
            row.round = Some(round);
            row.placed = placed;
        }
    }
}

/// `Round 2 start: …` names round 2.
fn named_round(description: &str) -> Option<u64> {
    let lower = description.trim_start().to_lowercase();
    let (number, rest) = lower.strip_prefix("round ")?.split_once(' ')?;
    rest.starts_with("start").then(|| number.parse().ok())?
}

/// The columns that are read, by name, whatever the dialect.
#[rustfmt::skip]
const COLUMNS: [&str; 8] = [
    "round", "researcher", "iteration", "metric_value", "status", "description", "peer_review_verdict", "timestamp",
];

fn row(raw: &RawRow, columns: &[Option<usize>; 8], width: usize, zone: &dyn LocalTime) -> Row {
    let [
        round,
        researcher,
        iteration,
        metric,
        status,
        description,
        verdict,
        timestamp,
    ] = columns.map(|column| {
        let cell = raw.cells.get(column?)?;
        Some(String::from_utf8_lossy(cell).trim().to_owned())
    });
    let metric_text = metric.unwrap_or_default();
    Row {
        line: raw.line,
        start: raw.span.start,
        end: raw.span.end,
        round: round.and_then(|t| t.parse().ok()),
        placed: false,
        researcher: researcher.and_then(|t| super::log::letter(&t)),
        iteration: iteration.and_then(|t| t.parse().ok()),
        metric: values::number(&metric_text),
        metric_text,
        status: status.unwrap_or_default().to_lowercase(),
        description: description.unwrap_or_default(),
        verdict: verdict.map(|v| v.to_lowercase()),
        at: timestamp.and_then(|t| stamp::parse(&t, zone)),
        whole: raw.ended,
        even: raw.cells.len() == width,
    }
}

/// Rows of the conference file by round, researcher and iteration; the last one wins.
pub(crate) fn by_key(table: &TableFile) -> BTreeMap<(u64, char, i64), &Row> {
    let rows = table.rows.iter().filter(|row| row.counts());
    let keyed = rows.filter_map(|row| Some(((row.round?, row.researcher?, row.iteration?), row)));
    keyed.collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::world::clock::FixedClock;

    pub(crate) fn parse(text: &str) -> TableFile {
        let zone = FixedClock(DateTime::parse_from_rfc3339("2026-05-03T00:00:00Z").unwrap());
        TableFile::parse(text.as_bytes().to_vec(), &zone)
    }

    #[test]
    fn each_dialect_is_recognized_by_its_header() {
        for (dialect, header) in DIALECTS {
            assert_eq!(parse(&format!("{header}\n")).dialect, Some(*dialect));
            let turned: Vec<&str> = header.split('\t').rev().collect();
            assert_eq!(parse(&format!("{}\n", turned.join("\t"))).dialect, None);
        }
        assert!(parse("").empty);
    }

    /// Rounds in the log, rows as (iteration, metric, description), and the expected rounds of the rows.
    type Case = (
        &'static [u64],
        &'static [(i64, &'static str, &'static str)],
        &'static [u64],
    );

    #[test]
    fn rows_get_their_rounds() {
        let row = |i: i64, metric: &str, text: &str| {
            format!("{i}\t{metric}\t-\t-\tkept\t{text}\t-\t2026-05-02\n")
        };
        let table: &[Case] = &[
            (
                &[],
                &[
                    (0, "TBD", ""),
                    (1, "4", ""),
                    (2, "5", ""),
                    (0, "5", ""),
                    (1, "6", ""),
                ],
                &[1, 1, 1, 2, 2],
            ),
            (
                &[],
                &[(0, "TBD", ""), (0, "4", ""), (1, "5", "")],
                &[1, 1, 1],
            ),
            (
                &[1, 3],
                &[(0, "4", ""), (1, "5", ""), (0, "5", ""), (0, "6", "")],
                &[1, 1, 3, 4],
            ),
            (
                &[],
                &[(0, "4", ""), (0, "5", "Round 3 start: x"), (0, "5", "")],
                &[1, 3, 4],
            ),
            (
                &[1, 2],
                &[(1, "4", ""), (2, "5", ""), (1, "5", ""), (1, "6", "")],
                &[1, 1, 2, 3],
            ),
        ];
        for (logged, rows, rounds) in table {
            let body: String = rows.iter().map(|(i, m, t)| row(*i, m, t)).collect();
            let mut file = parse(&format!("{R8}\n{body}"));
            file.assign_rounds(logged);
            let seen: Vec<u64> = file.rows.iter().filter_map(|r| r.round).collect();
            assert_eq!(seen, *rounds);
        }
    }

    #[test]
    fn a_row_without_its_newline_or_of_another_width_does_not_count() {
        let file = parse(&format!(
            "{R8}\n0\t1\t-\t-\tkept\tx\t-\t2026\n1\t2\t-\n2\t3\t-\t-\tkept\tx\t-\t2026"
        ));
        let counted: Vec<bool> = file.rows.iter().map(Row::counts).collect();
        assert_eq!(counted, [true, false, false]);
    }
}

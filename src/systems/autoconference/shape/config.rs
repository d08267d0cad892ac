//! `conference.md` as written: both key notations, sections in any order. Nothing here fails; unreadable values are
//! `None`, and `problems` lists them.

use crate::formats::markdown;
use crate::string_enum;

use super::sections::{self, Part, bare, first_line, is_placeholder, lookup};
use super::values::{Direction, Target, first_float, first_int, seconds};

string_enum! {
    /// How a conference judges results.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Mode {
        /// By a number.
        Metric = "metric",
        /// By a reviewer's score.
        Qualitative = "qualitative",
    }
}

/// The number of iterations of each researcher in a round.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Iterations {
    /// The number, or the first one in a prose value; `None` if there is none.
    pub usual: Option<u64>,
    /// Rounds with another number in the prose: first round, last round, number.
    pub special: Vec<(u64, u64, u64)>,
}

impl Iterations {
    /// The number for a round.
    pub(crate) fn of(&self, round: u64) -> Option<u64> {
        let special = self
            .special
            .iter()
            .find(|(first, last, _)| (*first..=*last).contains(&round));
        special.map(|(_, _, n)| *n).or(self.usual)
    }
}

/// What `conference.md` configures.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one independent fact about the file"
)]
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Config {
    /// False without a readable `conference.md`; then nothing is configured.
    pub exists: bool,
    /// The text after `# Conference:`.
    pub title: Option<String>,
    /// The first line of the goal.
    pub goal: Option<String>,
    /// The mode, if it is valid.
    pub mode: Option<Mode>,
    /// The target of metric mode.
    pub target: Option<Target>,
    /// The direction in which the metric improves.
    pub direction: Direction,
    /// The metric's name.
    pub metric: Option<String>,
    /// True if there is a non-empty section of success criteria.
    pub criteria: bool,
    /// Researchers, 1 to 26.
    pub count: Option<u64>,
    /// Iterations for each round.
    pub iterations: Iterations,
    /// The highest number of rounds.
    pub max_rounds: Option<u64>,
    /// True while the pre-flight confirmation is pending.
    pub preflight_pending: bool,
    /// The lines of the allowed changes.
    pub allowed: Vec<String>,
    /// The highest number of iterations in all rounds together.
    pub max_total: Option<u64>,
    /// The wall-clock budget, in seconds.
    pub time_budget: Option<i64>,
    /// A researcher's time limit, in seconds.
    pub researcher_timeout: Option<i64>,
    /// The smallest change that counts, in addition to the noise threshold.
    pub min_delta: f64,
    /// Lines of the shared knowledge; `None` without that section.
    pub knowledge: Option<Vec<String>>,
    /// Rows of the conference log below its header; `None` without a table.
    pub log: Option<Vec<Vec<String>>>,
    /// True if title, goal or mode is still a `{…}` placeholder.
    pub template: bool,
    /// True if the file has the heading and sections of a conference.
    pub recognized: bool,
}

impl Config {
    /// Reads the file's text.
    pub(crate) fn parse(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let sections = sections::split(text);
        let all: Vec<&str> = text.lines().collect();
        let of = |title: &str| body(&sections, title);
        let title = sections.iter().find(|s| s.level == 1).and_then(|s| {
            let (head, rest) = s.title.split_once(':')?;
            head.trim()
                .eq_ignore_ascii_case("conference")
                .then(|| rest.trim().to_owned())
        });
        let goal = first_line(of("Goal")).map(str::to_owned);
        let mode_text = first_line(of("Mode")).map(|line| {
            let value = markdown::pair(line).map_or(line, |(_, value)| value);
            bare(value).to_lowercase()
        });
        let mode = mode_text.as_deref().and_then(|word| word.parse().ok());
        let metric = of("Success Metric");
        let researchers = of("Researchers");
        let limits = of("Constraints");
        let iterations = lookup(researchers, &["iterations per round"])
            .or_else(|| lookup(&all, &["iterations per round"]));
        let template = [title.as_deref(), goal.as_deref(), mode_text.as_deref()]
            .into_iter()
            .flatten()
            .any(is_placeholder);
        Self {
            exists: true,
            recognized: title.is_some() && goal.is_some() && mode.is_some() && !template,
            mode,
            target: lookup(metric, &["target"]).and_then(Target::parse),
            direction: Direction::parse(lookup(metric, &["direction"])),
            metric: lookup(metric, &["metric"])
                .map(str::to_owned)
                .filter(|m| !m.is_empty()),
            criteria: first_line(of("Success Criteria")).is_some_and(|l| !is_placeholder(l)),
            count: lookup(researchers, &["count", "researchers"])
                .and_then(first_int)
                .filter(|n| (1..=26).contains(n)),
            iterations: iterations_of(iterations.unwrap_or("5")),
            max_rounds: lookup(&all, &["max rounds", "rounds"])
                .and_then(first_int)
                .filter(|n| *n > 0),
            preflight_pending: lookup(of("Pre-Flight Gate"), &["final confirmation"])
                .is_some_and(|v| v.to_lowercase().starts_with("pending")),
            allowed: allowed(of("Search Space")),
            max_total: lookup(limits, &["max total iterations"]).and_then(first_int),
            time_budget: lookup(limits, &["time budget"]).and_then(seconds),
            researcher_timeout: lookup(limits, &["researcher timeout"]).and_then(seconds),
            min_delta: lookup(of("Noise Handling"), &["min consensus delta"])
                .and_then(first_float)
                .unwrap_or(0.0),
            knowledge: sections::find(&sections, "Shared Knowledge")
                .map(|s| s.body.iter().map(|l| (*l).to_owned()).collect()),
            log: sections::find(&sections, "Conference Log").and_then(|s| log_rows(&s.body)),
            title,
            goal,
            template,
        }
    }

    /// The rules of the format that the file breaks, as clauses.
    pub(crate) fn problems(&self) -> Vec<&'static str> {
        let metric = self.mode == Some(Mode::Metric);
        let rules = [
            (self.template, "it is still a template with `{…}` values"),
            (self.goal.is_none(), "the goal is missing"),
            (
                self.mode.is_none(),
                "the mode is neither `metric` nor `qualitative`",
            ),
            (
                metric && self.metric.is_none() && self.target.is_none(),
                "metric mode names no metric and no target",
            ),
            (
                self.mode == Some(Mode::Qualitative) && !self.criteria,
                "qualitative mode states no success criteria",
            ),
            (
                self.count.is_none(),
                "the researcher count is not a number from 1 to 26",
            ),
            (self.max_rounds.is_none(), "max_rounds is not a number"),
        ];
        rules
            .into_iter()
            .filter_map(|(broken, text)| broken.then_some(text))
            .collect()
    }

    /// Whether researchers should work in git worktrees: metric mode with code among the allowed changes.
    pub(crate) fn expects_worktrees(&self) -> bool {
        self.mode == Some(Mode::Metric) && self.allowed.iter().any(|line| names_code(line))
    }

    /// The time limit of a researcher, in seconds: as stated, else its share of the time budget.
    pub(crate) fn timeout(&self) -> Option<i64> {
        let share = || {
            let count = i64::try_from(self.count?).ok()?;
            self.time_budget?.checked_div(count)
        };
        self.researcher_timeout.or_else(share)
    }
}

/// `5`, or prose such as `4 (round 1-2), 3 (round 3)`.
fn iterations_of(value: &str) -> Iterations {
    let special = value.split(',').filter_map(|piece| {
        let (number, rounds) = piece.split_once("round")?;
        let mut ends = rounds
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|n| n.parse::<u64>().ok());
        let first = ends.next()?;
        Some((first, ends.next().unwrap_or(first), first_int(number)?))
    });
    Iterations {
        special: special.collect(),
        usual: first_int(value).filter(|n| *n > 0),
    }
}

/// The body of the first section of a title.
fn body<'a>(sections: &'a [Part<'a>], title: &str) -> &'a [&'a str] {
    sections::find(sections, title).map_or(&[], |s| s.body.as_slice())
}

/// Lines of the allowed changes, up to the forbidden ones.
fn allowed(lines: &[&str]) -> Vec<String> {
    let mut inside = false;
    let mut kept = Vec::new();
    for line in lines {
        let folded = line.to_lowercase();
        if folded.contains("forbidden") {
            inside = false;
        } else if folded.contains("allowed") {
            inside = true;
        }
        if inside {
            kept.push((*line).to_owned());
        }
    }
    kept
}

const CODE: &[&str] = &[
    "py", "rs", "js", "ts", "tsx", "jsx", "go", "c", "h", "cc", "cpp", "hpp", "cu", "java", "kt",
    "rb", "sh", "sql", "jl", "r", "scala", "swift", "toml", "yaml", "yml", "json", "ipynb", "css",
    "html",
];

fn names_code(line: &str) -> bool {
    line.split(|c: char| c.is_whitespace() || ",;()[]`\"'".contains(c))
        .any(|word| {
            let word = word.trim_end_matches(['.', ':']);
            let stem_and_end = word.rsplit_once('.');
            let file = stem_and_end.is_some_and(|(stem, end)| {
                !stem.is_empty() && CODE.contains(&end.to_lowercase().as_str())
            });
            file || (word.len() > 1 && word.ends_with('/') && !word.contains("://"))
        })
}

/// The rows of the first table, without header and rule; `None` without a table.
fn log_rows(lines: &[&str]) -> Option<Vec<Vec<String>>> {
    let mut rows = lines.iter().filter_map(|line| markdown::cells(line));
    rows.next()?;
    Some(
        rows.filter(|cells| !cells.is_empty())
            .map(|cells| cells.into_iter().map(str::to_owned).collect())
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCAFFOLD: &str = "# Conference: Faster parser\n\n## Goal\n<!-- one line -->\nMake parsing faster\n\n## Mode\nmetric\n\n## Success Metric\n- **Metric:** ms\n- **Target:** < 50ms\n- **Direction:** minimize\n\n## Researchers\n- **Count:** 3\n- **Iterations per round:** 4 (round 1-2), 3 (round 3)\n- **Max rounds:** 4\n\n## Pre-Flight Gate\n- **Final confirmation:** pending user\n\n## Search Space\n- **Allowed changes:** `src/parser.rs` and docs\n- **Forbidden changes:** tests/\n\n## Constraints\n- **Max total iterations:** 40\n- **Time budget:** 2h\n\n## Shared Knowledge\n<!-- grows -->\n\n## Conference Log\n| Round | Researcher | Best Metric | Key Finding | Status |\n|---|---|---|---|---|\n| 1 | A | 60 | x | kept |\n";

    #[test]
    fn reads_the_scaffold_and_the_guide_style() {
        let c = Config::parse(SCAFFOLD);
        assert!(c.recognized && c.problems().is_empty(), "{c:?}");
        assert_eq!(
            (c.count, c.max_rounds, c.max_total),
            (Some(3), Some(4), Some(40))
        );
        assert_eq!(
            (c.iterations.of(2), c.iterations.of(3), c.iterations.of(9)),
            (Some(4), Some(3), Some(4))
        );
        assert_eq!(c.direction, Direction::Minimize);
        assert_eq!(c.timeout(), Some(2400));
        assert!(c.preflight_pending && c.expects_worktrees());
        assert_eq!(c.log.unwrap().len(), 1);
        let guide = Config::parse(
            "# Conference: X\n## Goal\ng\n## Mode\n**qualitative**\n## Success Criteria\nclear\n## Researchers\ncount: 2\nmax_rounds: 3  # at most\niterations_per_round: many\n",
        );
        assert_eq!(
            (guide.count, guide.max_rounds, guide.mode),
            (Some(2), Some(3), Some(Mode::Qualitative))
        );
        assert_eq!(guide.iterations.of(1), None);
        assert!(guide.problems().is_empty() && !guide.expects_worktrees());
    }

    #[test]
    fn names_each_broken_rule() {
        let table: &[(&str, usize)] = &[
            ("", 4),
            (
                "# Conference: {title}\n## Goal\n{goal}\n## Mode\n{metric | qualitative}\n",
                4,
            ),
            (
                "# Conference: x\n## Goal\ng\n## Mode\nmetric\n## Researchers\ncount: 99\nmax_rounds: none\n",
                3,
            ),
            (
                "# Conference: x\n## Goal\ng\n## Mode\nqualitative\n## Researchers\ncount: 2\nmax_rounds: 2\n",
                1,
            ),
        ];
        for (text, broken) in table {
            let problems = Config::parse(text).problems();
            assert_eq!(problems.len(), *broken, "{problems:?}");
        }
    }

    #[test]
    fn code_differs_from_prose() {
        for (line, code) in [
            ("- src/ only", true),
            ("- `train.py`", true),
            ("- any prompt and/or wording", false),
            ("- see https://x.org/", false),
            ("- numbers like 3.5", false),
        ] {
            assert_eq!(names_code(line), code, "{line}");
        }
    }
}

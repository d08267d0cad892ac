//! `conference.md` as written: both key notations, sections in any order. Nothing here fails; unreadable values are
//! `None`, and `problems` lists them.

use crate::formats::markdown;
use crate::string_enum;

use super::sections::{self, bare, first_line, is_placeholder, lookup};
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
        let mut special = self.special.iter();
        let special = special.find(|(first, last, _)| (*first..=*last).contains(&round));
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
        let section = |title: &str| markdown::section(&sections, title).map(|s| &s.body);
        let of = |title: &str| section(title).map_or(&[][..], Vec::as_slice);
        let number = |lines, keys: &[&str]| lookup(lines, keys).and_then(first_int);
        let title = sections.iter().find(|s| s.level == 1).and_then(|s| {
            let (head, rest) = s.title.split_once(':')?;
            let named = head.trim().eq_ignore_ascii_case("conference");
            named.then(|| rest.trim().to_owned())
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
        let iterations = |lines| lookup(lines, &["iterations per round"]);
        let iterations = iterations(researchers).or_else(|| iterations(&all));
        let texts = [&title, &goal, &mode_text].into_iter().flatten();
        let template = texts.map(String::as_str).any(is_placeholder);
        let confirmed = lookup(of("Pre-Flight Gate"), &["final confirmation"]);
        let delta = lookup(of("Noise Handling"), &["min consensus delta"]);
        let metric_name = lookup(metric, &["metric"]).filter(|name| !name.is_empty());
        let owned = |lines: &Vec<&str>| lines.iter().map(|line| (*line).to_owned()).collect();
        Self {
            exists: true,
            recognized: title.is_some() && goal.is_some() && mode.is_some() && !template,
            mode,
            target: lookup(metric, &["target"]).and_then(Target::parse),
            direction: Direction::parse(lookup(metric, &["direction"])),
            metric: metric_name.map(str::to_owned),
            criteria: first_line(of("Success Criteria")).is_some_and(|l| !is_placeholder(l)),
            count: number(researchers, &["count", "researchers"]).filter(|n| (1..=26).contains(n)),
            iterations: iterations_of(iterations.unwrap_or("5")),
            max_rounds: number(&all, &["max rounds", "rounds"]).filter(|n| *n > 0),
            preflight_pending: confirmed.is_some_and(|v| v.to_lowercase().starts_with("pending")),
            allowed: allowed(of("Search Space")),
            max_total: number(limits, &["max total iterations"]),
            time_budget: lookup(limits, &["time budget"]).and_then(seconds),
            researcher_timeout: lookup(limits, &["researcher timeout"]).and_then(seconds),
            min_delta: delta.and_then(first_float).unwrap_or(0.0),
            knowledge: section("Shared Knowledge").map(owned),
            log: section("Conference Log").and_then(|lines| log_rows(lines)),
            title,
            goal,
            template,
        }
    }

    /// The rules of the format that the file breaks, as clauses.
    pub(crate) fn problems(&self) -> Vec<&'static str> {
        let (mode, count, rounds) = (self.mode, self.count, self.max_rounds);
        let unnamed = mode == Some(Mode::Metric) && self.metric.is_none() && self.target.is_none();
        let unstated = mode == Some(Mode::Qualitative) && !self.criteria;
        let rules = [
            (self.template, "it is still a template with `{…}` values"),
            (self.goal.is_none(), "the goal is missing"),
            (
                mode.is_none(),
                "the mode is neither `metric` nor `qualitative`",
            ),
            (unnamed, "metric mode names no metric and no target"),
            (unstated, "qualitative mode states no success criteria"),
            (
                count.is_none(),
                "the researcher count is not a number from 1 to 26",
            ),
            (rounds.is_none(), "max_rounds is not a number"),
        ];
        let broken = rules.into_iter().filter(|(broken, _)| *broken);
        broken.map(|(_, text)| text).collect()
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
        let ends = rounds.split(|c: char| !c.is_ascii_digit());
        let mut ends = ends.filter_map(|n| n.parse::<u64>().ok());
        let first = ends.next()?;
        Some((first, ends.next().unwrap_or(first), first_int(number)?))
    });
    Iterations {
        special: special.collect(),
        usual: first_int(value).filter(|n| *n > 0),
    }
}

/// Lines of the allowed changes, up to the forbidden ones.
fn allowed(lines: &[&str]) -> Vec<String> {
    let mut inside = false;
    let kept = lines.iter().filter(|line| {
        let folded = line.to_lowercase();
        inside = (inside || folded.contains("allowed")) && !folded.contains("forbidden");
        inside
    });
    kept.map(|line| (*line).to_owned()).collect()
}

const CODE: &[&str] = &[
    "py", "rs", "js", "ts", "tsx", "jsx", "go", "c", "h", "cc", "cpp", "hpp", "cu", "java", "kt",
    "rb", "sh", "sql", "jl", "r", "scala", "swift", "toml", "yaml", "yml", "json", "ipynb", "css",
    "html",
];

fn names_code(line: &str) -> bool {
    let mut words = line.split(|c: char| c.is_whitespace() || ",;()[]`\"'".contains(c));
    words.any(|word| {
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
    let rows = rows.filter(|cells| !cells.is_empty());
    let owned = |cells: Vec<&str>| cells.into_iter().map(str::to_owned).collect();
    Some(rows.map(owned).collect())
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

//! Work that pairs on both sides of a comparison.

use super::{Bucket, TestOutcome, Work, WorkStatus};
use crate::model::Foreign;

/// What a person reads beside a pair without an answer that may still get one.
pub const STILL_OPEN: &str = "still open";

/// What pairs on both sides.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// What pairs them: the original's number, a researcher, a file of a stage.
    pub key: String,
    /// The role or kind of the work.
    pub role: Foreign,
    /// The phase, by which rows are aligned.
    pub phase: Foreign,
    /// The work in each run of A, in the order of its runs.
    pub a: Vec<Option<Work>>,
    /// The work in each run of B.
    pub b: Vec<Option<Work>>,
    /// What became of it. `None` where several runs of a side have it, which are counted instead, and for a review,
    /// where finding something is no failure.
    pub bucket: Option<Bucket>,
    /// True where the sides did not both succeed.
    pub differs: bool,
    /// True where the work reviews the work of others.
    pub review: bool,
    /// True where the verdict in the summary is another one.
    pub verdict_changed: bool,
}

impl Pair {
    /// Whether a side has several runs, so that they are counted.
    pub fn is_counted(&self) -> bool {
        self.a.len() > 1 || self.b.len() > 1
    }

    /// Whether a single run of either side ended alike, and says something else of it.
    pub fn differs_in_summary(&self) -> bool {
        let ([Some(a)], [Some(b)]) = (self.a.as_slice(), self.b.as_slice()) else {
            return false;
        };
        a.status == b.status && a.verdict == b.verdict && a.summary != b.summary
    }

    /// Whether it has no answer only because it is still open.
    pub fn is_open(&self) -> bool {
        let mut works = self.a.iter().chain(&self.b).flatten();
        self.bucket == Some(Bucket::NoAnswer) && works.any(|one| one.status == WorkStatus::Open)
    }

    /// What a person reads beside it: of two reviews what they found, and of several runs nothing beside the counts.
    pub fn said(&self, replayed: bool) -> String {
        match (self.bucket, self.a.as_slice(), self.b.as_slice()) {
            (Some(_), ..) if self.is_open() => STILL_OPEN.to_owned(),
            (Some(bucket), ..) => bucket.said(replayed).to_owned(),
            (None, [Some(a)], [Some(b)]) => {
                format!("{} → {}", a.verdict.word(), b.verdict.word())
            }
            (None, ..) => String::new(),
        }
    }

    /// How many runs of a side succeeded, and of how many: of those that have an answer, or where any has one, of all in
    /// which the tests ended, because tests that could not be executed did not pass.
    pub fn tally(side: &[Option<Work>]) -> (usize, usize) {
        let works = || side.iter().flatten();
        let answers = works().filter_map(Work::succeeded);
        let (good, all) = answers.fold((0, 0), |(good, all), ok| (good + usize::from(ok), all + 1));
        let broken = |one: &&Work| one.runs_tests() && one.status == WorkStatus::Error;
        let broken = works().filter(broken).count();
        (good, if all == 0 { 0 } else { all + broken })
    }

    /// How many runs of a side succeeded of those that count; of reviews how many found nothing of those that
    /// say it. `None` where none has an answer.
    pub fn counts(&self, side: &[Option<Work>]) -> Option<String> {
        let works = side.iter().flatten();
        let answered: Vec<&Work> = works.filter(|one| one.succeeded().is_some()).collect();
        let count = |of: &dyn Fn(&Work) -> bool| answered.iter().filter(|one| of(one)).count();
        let (good, all, word) = if self.review {
            let said = |outcome| count(&|one| one.verdict == outcome);
            let passed = said(TestOutcome::Pass);
            (passed, passed + said(TestOutcome::Fail), "PASS")
        } else {
            let (good, all) = Self::tally(side);
            (good, all, "ok")
        };
        (!answered.is_empty()).then(|| match all {
            0 => "no verdict".to_owned(),
            all => format!("{good} of {all} {word}"),
        })
    }
}
